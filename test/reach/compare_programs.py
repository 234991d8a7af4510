"""How the programs of a suite of C tests ended (run_programs.py), held against the suite's table, recipes/SUITE.txt.

A line of the table is PROGRAM NATIVE REDIRECT TROUBLE REASON: how the program ends natively and in mode redirect (pass, fail, skip,
crash, slow), a shell pattern for "N: the first line that tells of trouble" there ("_" stands for a blank, "-" for none), and why.
NATIVE may be two words, "pass,fail", where it ends otherwise in mode beside, too; REDIRECT may be "pass|slow" where that depends on the
machine. Without that, and without a line in mode redirect, a program has to end as it does natively.
"""

import fnmatch
import pathlib
import sys

RECIPES = pathlib.Path(__file__).with_name("recipes")


def is_suite(directory, suite):
    return (directory / f"{suite}.native.tsv").exists()


def results(directory, suite, mode):
    """{program: (result, trouble)}, or None where the run did not come to its end."""
    try:
        lines = (directory / f"{suite}.{mode}.tsv").read_text().splitlines()
    except OSError:
        return None
    rows = [line.split("\t") for line in lines]
    return {name: (result, f"{count}: {first}" if first else "") for name, result, _, count, first in rows}


def table(suite):
    path = RECIPES / f"{suite}.txt"
    rows = {}
    for number, text in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if not text.strip() or text.startswith("#"):
            continue
        words = text.split(None, 4)
        if len(words) < 4:
            sys.exit(f"{path}:{number}: want PROGRAM NATIVE REDIRECT TROUBLE REASON")
        pattern = "" if words[3] == "-" else words[3].replace("_", "?")
        native, _, beside = words[1].partition(",")
        rows[words[0]] = {"native": native, "beside": beside or native, "redirect": words[2], "trouble": pattern, "reason": (words + [""])[4]}
    return rows


def unlike_table(program, row, native, ours):
    """The program's line, where it ended otherwise than the table says."""
    expected = row or {"native": native[0], "redirect": native[0], "trouble": "*", "reason": ""}
    if native[0] != expected["native"]:
        return f"    {program}: natively {native[0]}, the table has {expected['native']}: {native[1]}"
    if ours[0] not in expected["redirect"].split("|") or not fnmatch.fnmatchcase(ours[1], expected["trouble"]):
        return f"    {program}: {ours[0]}, expected {expected['redirect']}: {ours[1]}"
    return None


def compare(directory, suite):
    """Prints what differs from the table, and the reasons. The number of programs that do."""
    native, beside, ours = (results(directory, suite, mode) for mode in ("native", "beside", "redirect"))
    if native is None or beside is None or ours is None:
        print(f"{suite}: no report: the run did not end by itself")
        return 1
    rows, missing = table(suite), ("missing", "")
    changed = [f"    {program}: {beside.get(program, missing)[0]}, natively {result}: {beside.get(program, missing)[1]}"
               for program, (result, _) in native.items()
               if beside.get(program, missing)[0] != rows.get(program, {"beside": result})["beside"]]
    unknown = [line for program in native if (line := unlike_table(program, rows.get(program), native[program], ours.get(program, missing)))]
    gone = [f"    {program}: has a line in {suite}.txt and was not run" for program in rows if program not in native]
    good = sum(result == "pass" for result, _ in native.values())
    worse = [program for program, (result, _) in native.items() if result == "pass" and ours.get(program, missing)[0] != "pass"]
    print(f"{suite} beside: {good} programs pass natively, {len(changed)} end otherwise here without a reason")
    print("\n".join(changed), end="\n" if changed else "")
    print(f"{suite} redirect: {good} programs pass natively, {len(worse)} of them not here; {len(unknown + gone)} are not what the table says")
    print("\n".join(unknown + gone), end="\n" if unknown or gone else "")
    for program in worse:
        if program in rows:
            print(f"    redirect {suite} {program} ({rows[program]['redirect']}): {rows[program]['reason']}")
    return len(changed) + len(unknown) + len(gone)
