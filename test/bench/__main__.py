"""python -m bench run|publish|growth: tools/bench.sh says the rest."""

import argparse
import datetime
import fnmatch
import json
import os
import pathlib
import tempfile

from . import growth, judge, machine, publish, report
from .peers import PEERS
from .rows import SIZES, rows
from .pace import Pace
from .runner import Runner, say

# Without --rounds or --minutes.
PACE = {"tiny": {"rounds": 1}, "quick": {"minutes": 2}, "normal": {"minutes": 40}, "full": {"minutes": 120}}


def wanted(patterns, names):
    return [name for name in names if not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]


def keep(result, row):
    """In the place of the row as it was measured before, if it was."""
    for place, old in enumerate(result["rows"]):
        if (old["section"], old["name"]) == (row["section"], row["name"]):
            result["rows"][place] = row
            return
    result["rows"].append(row)


def run(options):
    pathlib.Path(options.disk).mkdir(parents=True, exist_ok=True)
    with (tempfile.TemporaryDirectory(dir=options.directory, prefix="vol-zarr-bench-") as scratch,
          tempfile.TemporaryDirectory(dir=options.disk, prefix="vol-zarr-bench-") as disk):
        about = {**machine.describe(scratch), "disk": machine.file_system(disk)}
        peers = [name for name in wanted(options.peers, PEERS) if name != "fused" or about["main"].get("fused")]
        chosen = rows(options.size)
        titles = set(wanted([f"*{pattern}*" for pattern in options.rows], [row.title for row in chosen]))
        chosen = [row for row in chosen if row.title in titles]
        if not chosen:
            raise SystemExit(f"no row of size {options.size} is called so")
        if options.list:
            print("\n".join(row.title for row in chosen))
            return
        asked = {"rounds": options.rounds} if options.rounds else {"minutes": options.minutes} if options.minutes else PACE[options.size]
        result = {"date": datetime.date.today().isoformat(), "size": options.size, **asked, "machine": about, "rows": []}
        out = pathlib.Path(options.output)
        out.mkdir(parents=True, exist_ok=True)
        figures = out / "figures.json"
        if options.again:
            result = json.loads(figures.read_text())
        for row in Runner(chosen, scratch, disk, Pace(chosen, options.size, **asked), peers, say).all():  # who breaks it off keeps what was measured
            keep(result, row)
            result["machine"]["load_after"] = round(os.getloadavg()[0], 2)
            figures.write_text(json.dumps(result, indent=1) + "\n")
    text = "\n".join([*report.figures_table(result), "", report.machine_text(result)])
    (out / "figures.txt").write_text(text + "\n")
    (out / "table.md").write_text(report.markdown(result) + judge.markdown(result))
    print(text)
    for title, missed in judge.verdicts(result).items():
        print("\n".join([f"\n{title}: {len(missed) or 'none'}", *missed]))
    say(f"{out}: figures.json, figures.txt, table.md")


def main():
    parser = argparse.ArgumentParser(prog="bench")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run", help="everything side by side")
    one.add_argument("--size", choices=SIZES, default="normal")
    one.add_argument("--minutes", type=float, help="about so long: rounds by what rows take, more where figures lie apart")
    one.add_argument("--rounds", type=int, help="so many rounds of each, however long it takes (one more is not counted)")
    one.add_argument("--directory", default="/dev/shm" if os.path.isdir("/dev/shm") else None, help="where files lie")
    one.add_argument("--disk", default="build", help="where those lie that are measured on a real disk")
    one.add_argument("--rows", nargs="*", default=[], help="patterns of titles")
    one.add_argument("--peers", nargs="*", default=[], help="patterns of names")
    one.add_argument("--again", action="store_true", help="rows take the place of those that an earlier run left in OUTPUT")
    one.add_argument("--list", action="store_true", help="print the titles")
    one.add_argument("--output", default="build/bench")
    publish.arguments(commands.add_parser("publish", help="tables and charts into docs/performance.md"))
    growth.arguments(commands.add_parser("growth", help="how time and memory grow"))
    options = parser.parse_args()
    {"run": run, "publish": publish.main, "growth": growth.main}[options.command](options)


if __name__ == "__main__":
    main()
