"""Reading stores in a bucket: this connector, zarr-python over obstore and over s3fs, tensorstore.

    python bench_cloud.py [--ms 0,20,100] [--repeat 3]

All of it in one run on one machine (cloud.py). A row is the least of some runs, and the requests of the last one."""

import argparse
import os
import sys

from cloud import BUCKET, ROOT, answer, cells, make_arrays, measure, report, servers_running
from judge import zarr_store
from servers import ACCESS, REGION, SECRET

# ---- what is read ----


def make(judge):
    import anndata
    import numpy as np
    import zarr

    make_arrays(judge)
    group = judge.group(ROOT + "tree.zarr", mode="w", zarr_format=3)
    for i in range(250):
        for k in range(3):
            group.create_array(f"g{i}/a{k}", data=np.full(3, k))
    zarr.consolidate_metadata(group.store)
    with anndata.settings.override(zarr_write_format=3):
        group = judge.group(ROOT + "cells.zarr", mode="w", zarr_format=3)
        anndata.io.write_elem(group, "/", cells())
        for name in "X/data", "X/indices":
            whole = group[name][:]
            del group[name]
            group.create_array(name, data=whole, chunks=(len(whole) // 30 + 1,))
        zarr.consolidate_metadata(group.store)


# ---- who reads: each function in an interpreter of its own; what it returns is timed ----


def h5py_file(name):
    import h5py

    return h5py.File(f"{ROOT}{name}.zarr", "r")


def by_connector(row):
    import anndata
    import h5py  # noqa: F401

    return {"open": lambda: h5py_file("cells").close(),
            "anndata": lambda: anndata.read_h5ad(ROOT + "cells.zarr"),
            "dense": lambda: h5py_file("dense")["m"][:],
            "rows": lambda: h5py_file("dense")["m"][500:600],
            "sharded rows": lambda: h5py_file("sharded")["m"][1000:1200],
            "tree": lambda: h5py_file("tree").visititems(lambda name, each: None)}[row]


def by_zarr(row, store):
    import anndata
    import zarr

    def group(name):
        return zarr.open_group(store(name), mode="r")

    return {"open": lambda: group("cells"),
            "anndata": lambda: anndata.read_zarr(group("cells")),
            "dense": lambda: group("dense")["m"][:],
            "rows": lambda: group("dense")["m"][500:600],
            "sharded rows": lambda: group("sharded")["m"][1000:1200],
            "tree": lambda: [each for each in group("tree").members(max_depth=None)]}[row]


def by_obstore(row):
    return by_zarr(row, lambda name: zarr_store(f"{ROOT}{name}.zarr", os.environ["AWS_ENDPOINT_URL_S3"]))


def by_s3fs(row):
    from zarr.storage import FsspecStore

    options = {"key": ACCESS, "secret": SECRET, "endpoint_url": os.environ["AWS_ENDPOINT_URL_S3"], "client_kwargs": {"region_name": REGION}}
    return by_zarr(row, lambda name: FsspecStore.from_url(f"{ROOT}{name}.zarr", storage_options=options, read_only=True))


def by_tensorstore(row):
    import tensorstore

    def array(name):
        return tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "s3", "bucket": BUCKET, "path": f"{name}.zarr/m/", "aws_region": REGION,
                                                                "endpoint": os.environ["AWS_ENDPOINT_URL_S3"]}}).result()

    return {"dense": lambda: array("dense").read().result(),
            "rows": lambda: array("dense")[500:600].read().result(),
            "sharded rows": lambda: array("sharded")[1000:1200].read().result()}.get(row)


READERS = {"vol-zarr": by_connector, "zarr + obstore": by_obstore, "zarr + s3fs": by_s3fs, "tensorstore": by_tensorstore}
ROWS = ["open", "anndata", "dense", "rows", "sharded rows", "tree"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ms", default="0,20,100")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--child", nargs=2)
    arguments = parser.parse_args()
    if arguments.child:
        reader, row = arguments.child
        answer(READERS[reader](row), arguments.repeat)
        return
    with servers_running() as (proxy, judge, _):
        make(judge)

        def figure(reader, row, ms):
            command = [sys.executable, "-W", "ignore", __file__, "--child", reader, row, "--repeat", str(arguments.repeat)]
            return measure(proxy, f"{reader}: {row}", command, ms, arguments.repeat)

        report(arguments.ms, READERS, ROWS, figure)


if __name__ == "__main__":
    main()
