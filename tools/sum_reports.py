"""Sum up test reports: sum_reports.py DIR STAGE=EXIT_STATUS ...

Reads DIR/STAGE.xml (JUnit, as ctest and pytest write it) of each stage, prints one line a stage and last the plain line
"N passed, N failed, N skipped". DIR/durations.txt gets the seconds of each test, longest first. Exits 1 on any failure. Trusts no report alone: a stage without a readable report, without
a single test, or whose program failed although its report shows no failure, counts as a failure of its own.
"""

import pathlib
import sys
import xml.etree.ElementTree as xml


def count(report):
    passed = failed = skipped = 0
    for suite in xml.parse(report).getroot().iter("testsuite"):
        number = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped", "disabled")}
        bad = number["failures"] + number["errors"]
        left_out = number["skipped"] + number["disabled"]
        failed += bad
        skipped += left_out
        passed += max(0, number["tests"] - bad - left_out)
    return passed, failed, skipped


def judge(directory, name, status):
    try:
        passed, failed, skipped = count(directory / f"{name}.xml")
    except (OSError, xml.ParseError):
        return (0, 1, 0), f"no report: it ended with status {status} before writing one"
    if passed + failed + skipped == 0:
        return (0, 1, 0), "it ran no test"
    if status != 0 and failed == 0:
        return (passed, 1, skipped), f"its program ended with status {status} although no test failed"
    return (passed, failed, skipped), ""


def seconds(report):
    """[(seconds, test)] of a report; none where it cannot be read."""
    try:
        cases = xml.parse(report).getroot().iter("testcase")
        return [(float(case.get("time", 0)), f"{case.get('classname', '')}::{case.get('name', '')}") for case in cases]
    except (OSError, ValueError, xml.ParseError):
        return []


def record_durations(directory, names):
    rows = [(time, name, test) for name in names for time, test in seconds(directory / f"{name}.xml")]
    lines = [f"{time:9.2f} {name} {test}\n" for time, name, test in sorted(rows, reverse=True)]
    (directory / "durations.txt").write_text("".join(lines))


def main(directory, *stages):
    total = [0, 0, 0]
    record_durations(pathlib.Path(directory), [stage.rsplit("=", 1)[0] for stage in stages])
    for stage in stages:
        name, status = stage.rsplit("=", 1)
        numbers, remark = judge(pathlib.Path(directory), name, int(status))
        total = [a + b for a, b in zip(total, numbers)]
        print(f"{name}: {numbers[0]} ok, {numbers[1]} not ok, {numbers[2]} left out{' - ' + remark if remark else ''}")
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
