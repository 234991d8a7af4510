"""python -m bench.cloud: tools/bench.sh cloud says the rest."""

import argparse
import datetime
import json
import os
import pathlib

from . import data, report
from .peers import PEERS
from .places import servers_running
from .runner import measure, too_long

READ = ["open", "AnnData", "dense", "rows", "rows of shards", "inner chunks", "tree"]
WRITTEN = ["write dense", "write AnnData", "write small datasets", "write NWB", "NWB"]  # a session is read by who wrote it


def main():
    parser = argparse.ArgumentParser(prog="bench.cloud")
    parser.add_argument("--ms", default="0,20,100", help="added to each request")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--datasets", type=int, default=3000, help="of the row of small ones; a tenth of it where a request takes more than 20 ms")
    parser.add_argument("--rows", nargs="*", default=READ + WRITTEN)
    parser.add_argument("--peers", nargs="*", default=list(PEERS))
    parser.add_argument("--output", default="build/bench")
    options = parser.parse_args()
    out = pathlib.Path(options.output)
    out.mkdir(parents=True, exist_ok=True)
    result = {"date": datetime.date.today().isoformat(), "rounds": options.rounds, "machine": report.machine(), "rows": []}
    with servers_running() as (proxy, judge, where):
        data.make_stores(judge)
        data.make_files(judge, where)
        os.chdir(where)
        for ms in map(int, options.ms.split(",")):
            for row in options.rows:
                count = options.datasets if ms <= 20 else options.datasets // 10
                peers = [title for title in options.peers if title not in too_long(result["rows"], row)]
                result["rows"].append(measure(proxy, judge, row, ms, options.rounds, peers, count))
                print(report.line(result["rows"][-1]), flush=True)
                (out / "cloud.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
