"""compare.py DIR SUITE...: what of each suite's tests went otherwise than natively, held against table.txt.

DIR/SUITE.MODE.xml are pytest's reports: MODE native, beside (HDF5_VOL_CONNECTOR="zarr create=*.zarr", so that the files of the suite
stay native) and redirect (HDF5_VOL_CONNECTOR=zarr, so that they become stores). Prints each difference with the table's reason,
then those without one and lines of the table that fit nothing. Exits 1 when a test got worse without a reason.
Suites of C programs have other reports, and tables of their own (compare_programs.py).
"""

import fnmatch
import pathlib
import sys
import xml.etree.ElementTree as xml

import compare_programs

TABLE = pathlib.Path(__file__).with_name("table.txt")
MODES = ["beside", "redirect"]


def results(report):
    """{test: (did nothing of it fail, the first line of what did)}. A test that is skipped in part may fail in another."""
    found = {}
    try:
        cases = xml.parse(report).getroot().iter("testcase")
    except (OSError, xml.ParseError):
        return None
    for case in cases:
        name = f"{case.get('classname')}::{case.get('name')}"
        skipped = case.find("skipped")
        expected = skipped if skipped is not None and skipped.get("type") == "pytest.xfail" else None
        trouble = next((t for t in (case.find("failure"), case.find("error"), expected) if t is not None), None)
        if trouble is not None:
            found[name] = (False, (trouble.get("message") or "").replace("\n", " ")[:160])
        else:
            found.setdefault(name, (True, ""))
    return found


def table():
    rows = []
    for number, text in enumerate(TABLE.read_text().splitlines(), 1):
        if text.strip() and not text.startswith("#"):
            words = text.split(None, 4)
            if len(words) < 5:
                sys.exit(f"{TABLE}:{number}: want MODE SUITE TEST MESSAGE REASON")
            rows.append({"number": number, "mode": words[0], "suite": words[1], "test": words[2], "message": words[3].replace("_", "?"),
                         "reason": words[4], "met": 0})
    return rows


def reason_of(rows, mode, suite, test, message):
    for row in rows:
        if (row["mode"], row["suite"]) in ((mode, suite), (mode, "*")) and fnmatch.fnmatchcase(test, row["test"]) and \
                fnmatch.fnmatchcase(message, row["message"]):
            row["met"] += 1
            return row["reason"]
    return None


def compare(directory, suite, mode, rows):
    """The number of tests that got worse without a reason."""
    native, ours = results(directory / f"{suite}.native.xml"), results(directory / f"{suite}.{mode}.xml")
    if native is None or ours is None:
        print(f"{suite} {mode}: no report: the run did not end by itself")
        return 1
    worse = {test: ours.get(test, (False, "not run"))[1] for test, (passed, _) in native.items()
             if passed and not ours.get(test, (False, ""))[0]}
    better = [test for test, (passed, _) in ours.items() if passed and not native.get(test, (True, ""))[0]]
    unknown = []
    for test, message in sorted(worse.items()):
        if not reason_of(rows, mode, suite, test, message):
            unknown.append(f"    {test}: {message}")
    good = sum(passed for passed, _ in native.values())
    print(f"{suite} {mode}: {good} do not fail natively, {len(worse)} of them not here ({len(worse) - len(unknown)} with a reason), "
          f"{len(better)} only here")
    print("\n".join(unknown), end="\n" if unknown else "")
    return len(unknown)


def main(directory, *suites):
    rows, reports = table(), pathlib.Path(directory)
    programs = [suite for suite in suites if compare_programs.is_suite(reports, suite)]
    unknown = sum(compare_programs.compare(reports, suite) for suite in programs)
    unknown += sum(compare(reports, suite, mode, rows) for suite in suites if suite not in programs for mode in MODES)
    for row in rows:
        if not row["met"] and row["suite"] in (*suites, "*"):
            print(f"{TABLE.name}:{row['number']}: fits no test any more: {row['mode']} {row['suite']} {row['test']}")
    for row in rows:
        if row["met"]:
            print(f"{row['met']:5} {row['mode']} {row['suite']}: {row['reason']}")
    sys.exit(1 if unknown else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
