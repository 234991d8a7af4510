"""One process, one figure: `python -m bench.child JOB`, where JOB is JSON, prints JSON.

An operation is a generator. Up to its first `yield` it prepares; from there to the second one, or to its end, it is measured; what it
returns is what was read, of which the digest is made."""

import json
import re
import sys
import time
import zlib
from importlib import import_module


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
    resident, kept, result = status_kib("VmRSS"), None, None
    cpu, wall = time.process_time(), time.perf_counter()
    try:
        kept = next(operation)
    except StopIteration as stop:
        result = stop.value
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    figures = {"wall": wall, "cpu": cpu, "extra_kib": status_kib("VmHWM") - resident}
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


def main():
    job = json.loads(sys.argv[1])
    operation = getattr(import_module(f"bench.{job['module']}"), job["operation"])
    figures, result = measure(operation(job))
    if not job.get("direct"):
        figures["extra_kib"] -= size_kib(result)
    print(json.dumps({**figures, "digest": digest(result)}))


if __name__ == "__main__":
    main()
