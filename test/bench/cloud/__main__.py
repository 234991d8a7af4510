"""python -m bench.cloud: tools/bench.sh cloud says the rest."""

import argparse
import datetime
import json
import os
import pathlib

from . import data, report
from .peers import OURS, PEERS
from .places import servers_running
from .runner import measure, too_long

READ = ["open", "AnnData", "dense", "rows", "rows of shards", "random rows", "inner chunks", "tree"]
WRITTEN = ["write dense", "write AnnData", "write small datasets", "write NWB", "NWB"]  # a session is read by who wrote it


def counts(row, ms, options):
    """[(row, how many things, by whom)]: of small datasets few where the others' take minutes, and all of them by the connector."""
    if row != "write small datasets" or ms == 0:
        return [(row, options.datasets, options.peers)]
    return [(row, options.datasets // (10 if ms <= 20 else 30), options.peers), (row, options.datasets, [OURS])]


def main():
    parser = argparse.ArgumentParser(prog="bench.cloud")
    parser.add_argument("--ms", default="0,20,100", help="added to each request")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--datasets", type=int, default=3000, help="of the row of small ones; with a delay so many by the connector alone, and fewer by all")
    parser.add_argument("--rows", nargs="*", default=READ + WRITTEN)
    parser.add_argument("--peers", nargs="*", default=list(PEERS))
    parser.add_argument("--output", default="build/bench")
    options = parser.parse_args()
    out = pathlib.Path(options.output).resolve()  # the working directory becomes another
    out.mkdir(parents=True, exist_ok=True)
    result = {"date": datetime.date.today().isoformat(), "rounds": options.rounds, "machine": report.machine(), "rows": []}
    with servers_running() as (proxy, judge, where):
        data.make_stores(judge)
        data.make_files(judge, where)
        os.chdir(where)
        for ms in map(int, options.ms.split(",")):
            for row, count, peers in [each for row in options.rows for each in counts(row, ms, options)]:
                left_out = too_long(result["rows"], row, ms, count)
                measured = measure(proxy, judge, row, ms, options.rounds, [title for title in peers if title not in left_out], count)
                result["rows"].append({**measured, "too_long": [title for title in peers if title in left_out]})
                print(report.line(result["rows"][-1]), flush=True)
                (out / "cloud.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
