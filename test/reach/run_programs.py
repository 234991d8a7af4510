"""run_programs.py LIST REPORT: runs test programs, each in a new directory, and writes down how each ended.

LIST has a line `NAME COMMAND` for each program; the shell runs COMMAND with the variables of this process. REPORT.tsv gets a line
for each: name, result, seconds, number of lines that tell of trouble, the first of them. REPORT/NAME.log is what the program
printed. The result is pass, fail, skip (exit code 77), crash (a signal) or slow (stopped).

--seconds is computing time, since on a busy machine a program runs several times longer. One that only waits is stopped after
WAITING times as long by the clock.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

SKIPPED = 77
LOG_BYTES = 4 << 20
WAITING = 10


def result_of(code):
    """A shell tells a signal of what it ran as 128 and its number."""
    if code < 0 or code > 128:
        return "crash"
    return {0: "pass", SKIPPED: "skip"}.get(code, "fail")


def is_out_of_time(code):
    return code in (-signal.SIGXCPU, 128 + signal.SIGXCPU)


def run(command, log, seconds):
    with tempfile.TemporaryDirectory(prefix="reach-", ignore_cleanup_errors=True) as place:
        here, scratch = os.path.join(place, "here"), os.path.join(place, "tmp")
        os.mkdir(here)
        os.mkdir(scratch)
        with open(log, "wb") as out:
            limited = f"ulimit -S -t {seconds}; {command}"
            child = subprocess.Popen(["bash", "-c", limited], cwd=here, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                     start_new_session=True, env={**os.environ, "TMPDIR": scratch})
            try:
                code = child.wait(seconds * WAITING)
                return "slow" if is_out_of_time(code) else result_of(code)
            except subprocess.TimeoutExpired:
                return "slow"
            finally:
                try:
                    os.killpg(child.pid, signal.SIGKILL)  # also what the program left running
                except ProcessLookupError:
                    pass
                child.wait()


def trouble_in(log, pattern):
    """How many lines tell of trouble, and the first one."""
    with open(log, "rb") as text:
        lines = text.read(LOG_BYTES).decode("utf-8", "replace").splitlines()
    found = [" ".join(line.split()) for line in lines if pattern.search(line)]
    return len(found), (found[0][:160] if found else "")


def one(name, command, arguments):
    log = arguments.report / f"{name}.log"
    began = time.monotonic()
    result = run(command, log, arguments.seconds)
    count, first = (0, "") if result in ("pass", "skip") else trouble_in(log, arguments.trouble)
    return name, result, f"{time.monotonic() - began:.1f}", str(count), first


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("list", type=pathlib.Path)
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=600, help="a program that computes longer is stopped")
    parser.add_argument("--trouble", type=re.compile, required=True, help="lines that tell of trouble")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.report, ignore_errors=True)
    arguments.report.mkdir(parents=True)
    programs = [line.split(None, 1) for line in arguments.list.read_text().splitlines() if line.strip()]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda program: one(*program, arguments), programs))
    arguments.report.with_name(arguments.report.name + ".tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    counts = {}
    for row in rows:
        counts[row[1]] = counts.get(row[1], 0) + 1
    print(", ".join(f"{number} {result}" for result, number in sorted(counts.items())))


if __name__ == "__main__":
    main()
