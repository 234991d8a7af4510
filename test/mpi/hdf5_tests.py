"""HDF5's own parallel tests: natively and through the connector, in one run."""

import pathlib
import re

TABLE = pathlib.Path(__file__).with_name("programs.txt")
API_SECONDS = 300
PROGRAM_SECONDS = 3600  # t_pmulti_dset with three ranks: 25 s of each rank's processor, which took Open MPI 20 minutes beside 25 other processes
EXPRESS = {"HDF5TestExpress": "3"}  # the shortest form of the long ones


def api_lines(text):
    """The tests of h5_api_test_parallel with their results. Ranks print at once, so only what rank 0 alone prints is taken."""
    lines = re.sub(r"\s*\n?\s*(PASSED|-SKIP-|\*FAILED\*)", r" \1", text).splitlines()
    return [line.strip() for line in lines if re.match(r" *Testing .*(PASSED|-SKIP-|\*FAILED\*) *$", line)]


def api_counts(text):
    """passed, failed, skipped of its last lines; None where it did not come so far."""
    words = r"API tests passed across", r"API tests did not pass", r"API tests were skipped"
    found = [re.search(r"(\d+)/\d+ \([\d.]+%\) " + each, text) for each in words]
    return tuple(int(each[1]) for each in found) if all(found) else None


def api(native, ours, ranks, judge):
    """All lines as natively. How many must have passed natively is said here, so that two broken runs are no success."""
    expected = native.program(ranks, "h5_api_test_parallel", seconds=API_SECONDS)
    found = ours.program(ranks, "h5_api_test_parallel", seconds=API_SECONDS)
    name = f"{ours.mpi}: h5_api_test_parallel, {ranks} ranks"
    counts = api_counts(expected.text)
    if counts != (30, 0, 4):
        judge.bad(f"{name}: natively {counts}, not 30 passed, 0 failed, 4 skipped", expected.text)
        return
    result = api_counts(found.text)
    judge.say(f"{name}: natively 30 of 34 and 4 skipped; through the connector "
              + ("it did not end" if result is None else "%d of 34, %d failed, %d skipped" % result)
              + f" ({expected.seconds:.0f} s, {found.seconds:.0f} s)")
    if result != counts or not found.passed:
        judge.bad(f"{name}: {result}, status {found.status}", found.text)
    elif api_lines(found.text) != api_lines(expected.text):
        judge.bad(f"{name}: other tests pass than natively", found.text)
    else:
        judge.good(name)


def table():
    """Rows (program, test or empty, expected, reason)."""
    for line in TABLE.read_text().splitlines():
        words = line.split(None, 3)
        if words and not words[0].startswith("#"):
            yield words[0], "" if words[1] == "-" else words[1], words[2], words[3] if len(words) > 3 else ""


def outcome(runner, ranks, program, test):
    arguments = [word for name in test.split("+") if name for word in ("-only", name)]
    return runner.program(ranks, program, *arguments, seconds=PROGRAM_SECONDS, **EXPRESS)


def programs(native, ours, ranks, judge, only=None):
    """testphdf5, t_shapesame and others test by test. Natively each passes; through the connector it does, or fails where the table says."""
    passed = count = 0
    for program, test, expected, reason in table():
        if only and program not in only and test not in only:
            continue
        name = f"{ours.mpi}: {program}{' -only ' + test if test else ''}, {ranks} ranks"
        found = outcome(ours, ranks, program, test)
        if found.first_failure().startswith("exit"):  # a rank that ends may take the other's words with it: where it failed is not told
            found = outcome(ours, ranks, program, test)
        result = found.first_failure()
        count += 1
        passed += result == "pass"
        if result == expected:
            judge.good(name)
        elif outcome(native, ranks, program, test).first_failure() != "pass":
            judge.say(f"{name}: does not pass natively here either: not judged")
        else:
            judge.bad(f"{name}: {result}, expected {expected}", found.text)
    judge.say(f"{ours.mpi}: {passed} of {count} of HDF5's other parallel tests pass with {ranks} ranks, the others fail where "
              "test/mpi/programs.txt says")
