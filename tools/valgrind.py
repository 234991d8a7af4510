"""Run the C tests of a build directory under valgrind: valgrind.py BUILD_DIR REPORT.xml

Takes commands and environments from ctest itself. A test fails on any invalid access, use of uninitialised memory or memory
definitely lost, and when it fails as such. What HDF5 keeps until the process ends (still reachable) is not ours to judge.
"""

import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

FOUND_SOMETHING = 99
VALGRIND = ["valgrind", "--quiet", f"--error-exitcode={FOUND_SOMETHING}", "--leak-check=full",
            "--errors-for-leak-kinds=definite", "--show-leak-kinds=definite", "--num-callers=25", "--trace-children=no",
            f"--suppressions={os.path.dirname(__file__)}/../test/c/valgrind.supp"]
LIMIT_SECONDS = 900


def c_tests(build):
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True)
    return [test for test in json.loads(listing.stdout)["tests"] if test["name"].startswith("c_") and "command" in test]


def properties(test):
    return {p["name"]: p["value"] for p in test["properties"]}


def run(test, build):
    own = properties(test)
    environment = {**os.environ, **dict(pair.split("=", 1) for pair in own.get("ENVIRONMENT", []))}
    try:
        result = subprocess.run(VALGRIND + test["command"], cwd=own.get("WORKING_DIRECTORY", build), env=environment,
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"not finished after {LIMIT_SECONDS} s"
    if result.returncode == 0:
        return None
    said = (result.stdout + result.stderr).decode(errors="replace")
    return f"exit status {result.returncode}\n{said[-20000:]}"


def main(build, report):
    suite = xml.Element("testsuite", name="valgrind", skipped="0")
    failures = 0
    tests = c_tests(build)
    for test in tests:
        began = time.monotonic()
        trouble = run(test, build)
        seconds = time.monotonic() - began
        case = xml.SubElement(suite, "testcase", name=test["name"], time=f"{seconds:.1f}")
        print(f"valgrind {test['name']}: {'ok' if trouble is None else 'NOT OK'} ({seconds:.1f} s)", flush=True)
        if trouble is not None:
            failures += 1
            xml.SubElement(case, "failure").text = "".join(c for c in trouble if c.isprintable() or c in "\n\t")
            print("\n".join(trouble.splitlines()[:60]), flush=True)
    suite.set("tests", str(len(tests)))
    suite.set("failures", str(failures))
    xml.ElementTree(suite).write(report)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
