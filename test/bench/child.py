"""One process, one figure. `python -m bench.child JOB`, where JOB is JSON, prints JSON. `python -m bench.child --serve JOB` imports what the
peer of JOB needs and says "ready"; then it reads jobs, one a line, and answers each by a line: each one is done by a process that is forked
for it, which finds modules imported and nothing else done.

An operation is a generator. Up to its first `yield` it prepares; from there to the second one, or to its end, it is measured; what it
returns is what was read, of which the digest is made."""

import array
import ctypes
import gc
import itertools
import json
import os
import re
import select
import signal
import sys
import tempfile
import time
import traceback
import zlib
from importlib import import_module

SECONDS_MAX = 900
PAGE = os.sysconf("SC_PAGE_SIZE")
POPULATE_READ, POPULATE_WRITE = 22, 23  # advice to the kernel


def status_kib(key):
    return int(re.search(rf"{key}:\s+(\d+)", open("/proc/self/status").read())[1])


def measure(operation):
    """(figures, what was read)"""
    next(operation)
    try:
        with open("/proc/self/clear_refs", "w") as peak:
            peak.write("5")  # the peak so far is forgotten
    except OSError:
        pass
    resident, files, kept, result = status_kib("VmRSS"), status_kib("RssFile"), None, None
    cpu, wall = time.process_time(), time.perf_counter()
    try:
        kept = next(operation)
    except StopIteration as stop:
        result = stop.value
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    # file_kib: of that what is pages of files on a disk, which are those of the libraries that the operation loaded.
    figures = {"wall": wall, "cpu": cpu, "extra_kib": status_kib("VmHWM") - resident, "file_kib": status_kib("RssFile") - files}
    if kept is not None:
        try:
            next(operation)
        except StopIteration as stop:
            result = stop.value
    return figures, result


def digest(result, so_far=0):
    """CRC-32 of the numbers and texts of a result, as the C programs make it."""
    if result is None:
        return so_far
    if hasattr(result, "tobytes") and hasattr(result, "dtype") and result.dtype.kind not in "OT":
        import numpy

        return zlib.crc32(numpy.ascontiguousarray(result).view("u1").reshape(-1), so_far)
    if isinstance(result, (str, bytes)):
        return zlib.crc32((result.encode() if isinstance(result, str) else result) + b"\0", so_far)
    for each in result:
        so_far = digest(each, so_far)
    return so_far


def size_kib(result):
    """Of the arrays that were made for a result; objects of Python are not counted."""
    if hasattr(result, "nbytes"):
        return result.nbytes // 1024
    return sum(size_kib(each) for each in result if hasattr(each, "nbytes")) if isinstance(result, list) else 0


def figures_of(job):
    operation = getattr(import_module(f"bench.{job['module']}"), job["operation"])
    figures, result = measure(operation(job))
    if not job.get("direct"):
        figures["extra_kib"] -= size_kib(result)
    return {**figures, "digest": digest(result)}


def resident():
    """[(address, size, advice)] of this process's memory that is there, page by page."""
    found = []
    with open("/proc/self/pagemap", "rb") as pages:
        for line in open("/proc/self/maps").read().splitlines():
            span, rights, _, _, _, *name = line.split(maxsplit=5)
            if rights[0] != "r" or rights[3] != "p" or "".join(name).startswith("[v"):
                continue
            begin, end = (int(part, 16) for part in span.split("-"))
            advice = POPULATE_WRITE if rights[1] == "w" else POPULATE_READ
            pages.seek(begin // PAGE * 8)
            numbers = array.array("Q", pages.read((end - begin) // PAGE * 8))
            for there, run in itertools.groupby(range(len(numbers)), key=lambda page: numbers[page] >> 63):
                first, *_, last = [*run] * 2
                if there:
                    found.append((begin + first * PAGE, (last + 1 - first) * PAGE, advice))
    return found


def populate(memory):
    """A forked process gets its parent's pages one by one when it touches them; one that imported its modules itself has them. Afterwards
    this one has them, too (where the system can: Linux 5.14), and does not wait for them while it is measured."""
    advise = ctypes.CDLL(None).madvise
    for address, size, advice in memory:
        advise(ctypes.c_void_p(address), ctypes.c_size_t(size), advice)


def forked(job, memory):
    """The figures of a process of its own that has this memory at once, or {"failed": why}."""
    answers, into = os.pipe()
    with tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.dup2(errors.fileno(), 2)
                populate(memory)
                os.write(into, json.dumps(figures_of(job)).encode())
                status = 0
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(status)
        os.close(into)
        in_time = select.select([answers], [], [], SECONDS_MAX)[0]
        if not in_time:
            os.kill(child, signal.SIGKILL)
        with os.fdopen(answers, "rb") as pipe:
            text = pipe.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if not in_time:
            return {"failed": f"not finished after {SECONDS_MAX} s"}
        if status != 0:
            errors.seek(0)
            told = errors.read().decode(errors="replace").strip()
            return {"failed": (told or f"status {status}").splitlines()[-1][:200]}
    return json.loads(text)


def serve(job):
    import_module(f"bench.{job['module']}").warm(job)
    gc.collect()
    gc.freeze()  # what is imported is not looked through, and so not copied, in each child
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    memory = resident()
    print("ready", file=answers)
    for line in sys.stdin:
        print(json.dumps(forked(json.loads(line), memory)), file=answers)


def main():
    if sys.argv[1] == "--serve":
        serve(json.loads(sys.argv[2]))
    else:
        print(json.dumps(figures_of(json.loads(sys.argv[1]))))


if __name__ == "__main__":
    main()
