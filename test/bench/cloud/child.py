"""One peer and one row: `python -m bench.cloud.child MODULE FUNCTION ROW URL COUNT`. Once for each line that comes in, what it took goes out."""

import json
import sys
import time
from importlib import import_module

from bench.child import digest

LEFT_OUT = 7  # how it ends without such a row


def digest_of(result):
    """An AnnData object is told by the parts of its matrix and its columns."""
    if hasattr(result, "obs"):
        return digest([result.X.data, result.X.indptr, result.obsm["X_pca"], *map(str, result.obs.index), *map(str, result.obs["type"])])
    return digest(result)


def main():
    module, function, row, url, count = sys.argv[1:]
    work = getattr(import_module(f"bench.cloud.{module}"), function)(row, url, int(count))
    if not work:
        sys.exit(LEFT_OUT)
    print("ready", flush=True)
    for _ in sys.stdin:
        began = time.perf_counter()
        result = work()
        seconds = time.perf_counter() - began
        print(json.dumps({"seconds": seconds, "digest": None if row.startswith("write") or row == "open" else digest_of(result)}), flush=True)


if __name__ == "__main__":
    main()
