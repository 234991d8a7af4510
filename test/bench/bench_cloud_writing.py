"""Stores in a bucket, what bench_cloud.py leaves out: writing them; random inner chunks of shards; zarrs, and h5py over fsspec.

    python bench_cloud_writing.py [--ms 0,20] [--repeat 2] [--datasets 3000]

Servers and method are those of bench_cloud.py (cloud.py). NWB is written and read by pynwb in the Python of VZ_PY_HDMF."""

import argparse
import os
import sys

from cloud import BUCKET, ROOT, answer, cells, make_arrays, measure, report, servers_running, values
from judge import zarr_store
from servers import ACCESS, REGION, SECRET

# ---- what is read and written ----


def make(judge, where):
    import h5py

    make_arrays(judge)
    native = where / "native.h5"
    with h5py.File(native, "w") as f:
        f.create_dataset("m", data=values("dense"), chunks=(100, 100), compression="gzip", compression_opts=1)
    judge.client.upload_file(str(native), BUCKET, "native.h5")


def places(count=100):
    import random

    chosen = random.Random(1)
    return [(100 * chosen.randrange(20), 100 * chosen.randrange(40)) for _ in range(count)]


def write_many(group, count):
    import numpy as np

    for i in range(count):
        group[f"d{i}"] = np.full(4, i)


# ---- who does it: each row in an interpreter of its own ----


def by_connector(row, count):
    import h5py

    def write_dense():
        with h5py.File(ROOT + "out-dense.zarr", "w") as f:
            f.create_dataset("m", data=dense, chunks=(100, 100))

    def datasets():
        with h5py.File(ROOT + "out-many.zarr", "w") as f:
            write_many(f, count)

    def inner():
        array = h5py.File(ROOT + "sharded.zarr", "r")["m"]
        return [array[y:y + 100, x:x + 100] for y, x in places()]

    dense = values("dense") if row == "write dense" else None
    data = cells() if row == "write AnnData" else None
    return {"write dense": write_dense, "write AnnData": lambda: data.write_h5ad(ROOT + "out-cells.zarr"), "datasets": datasets,
            "read dense": lambda: h5py.File(ROOT + "dense.zarr", "r")["m"][:],
            "inner chunks": inner}.get(row)


def by_zarr(row, count):
    import zarr

    def group(name, mode="r"):
        return zarr.open_group(zarr_store(ROOT + name, os.environ["AWS_ENDPOINT_URL_S3"], read_only=mode == "r"), mode=mode)

    def write_dense():
        group("zarr-dense.zarr", "w").create_array("m", data=dense, chunks=(100, 100))

    def datasets():
        target = group("zarr-many.zarr", "w")
        for i in range(count):
            target.create_array(f"d{i}", data=few[i])

    def write_cells():
        import anndata

        anndata.io.write_elem(group("zarr-cells.zarr", "w"), "/", data)

    def inner():
        array = group("sharded.zarr")["m"]
        return [array[y:y + 100, x:x + 100] for y, x in places()]

    import numpy as np

    few = [np.full(4, i) for i in range(count)] if row == "datasets" else None
    dense = values("dense") if row == "write dense" else None
    data = cells() if row == "write AnnData" else None
    return {"write dense": write_dense, "write AnnData": write_cells, "datasets": datasets, "read dense": lambda: group("dense.zarr")["m"][:],
            "inner chunks": inner}.get(row)


def by_zarrs(row, count):
    import zarr
    import zarrs  # noqa: F401

    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
    return by_zarr(row, count) if row in ("read dense", "inner chunks") else None


def by_tensorstore(row, count):
    import tensorstore

    def array(name, **more):
        return tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "s3", "bucket": BUCKET, "path": f"{name}.zarr/m/", "aws_region": REGION,
                                                                "endpoint": os.environ["AWS_ENDPOINT_URL_S3"]}, **more}).result()

    def write_dense():
        shape = {"shape": [2000, 2000], "data_type": "int64", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [100, 100]}},
                 "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 0, "checksum": False}}]}
        array("ts-dense", create=True, delete_existing=True, metadata=shape).write(dense).result()

    def inner():
        opened = array("sharded")
        return [opened[y:y + 100, x:x + 100].read().result() for y, x in places()]

    dense = values("dense") if row == "write dense" else None
    return {"write dense": write_dense, "read dense": lambda: array("dense").read().result(), "inner chunks": inner}.get(row)


def by_fsspec(row, count):
    import fsspec
    import h5py

    options = {"key": ACCESS, "secret": SECRET, "endpoint_url": os.environ["AWS_ENDPOINT_URL_S3"], "client_kwargs": {"region_name": REGION}}

    def read():
        with fsspec.open(ROOT + "native.h5", **options) as file, h5py.File(file, "r") as f:
            return f["m"][:]

    return {"read dense": read}.get(row)


NWB = """
import sys, time, datetime, numpy as np, h5py
from pynwb import NWBFile, NWBHDF5IO, TimeSeries
url, row, repeat = sys.argv[1], sys.argv[2], int(sys.argv[3])
def session():
    nwb = NWBFile("a session", "s1", datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc))
    for i in range(50):
        nwb.add_acquisition(TimeSeries(name=f"t{i}", data=np.arange(10000.0), unit="V", rate=10.0))
    return nwb
def write():
    with NWBHDF5IO(url, "w") as io:
        io.write(session())
def read():
    with NWBHDF5IO(file=h5py.File(url, "r"), mode="r") as io:
        return [each.data[:].sum() for each in io.read().acquisition.values()]
session()
for _ in range(repeat):
    sys.stdin.readline()
    began = time.perf_counter()
    write() if row == "write NWB" else read()
    print(time.perf_counter() - began, flush=True)
"""

WHO = {"vol-zarr": by_connector, "zarr + obstore": by_zarr, "zarrs": by_zarrs, "tensorstore": by_tensorstore, "h5py + fsspec": by_fsspec}
ROWS = ["write dense", "write AnnData", "datasets", "read dense", "inner chunks", "write NWB", "read NWB"]


# ---- the run ----


def command(who, row, arguments):
    if row.endswith("NWB"):
        wanted = who == "vol-zarr" and os.environ.get("VZ_PY_HDMF")
        return wanted and [wanted, "-W", "ignore", "-c", "print('ready', flush=True)\n" + NWB, ROOT + "session.nwb.zarr", row, str(arguments.repeat)]
    return [sys.executable, "-W", "ignore", __file__, "--child", who, row, "--repeat", str(arguments.repeat), "--datasets", str(arguments.datasets)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ms", default="0,20")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--datasets", type=int, default=3000)
    parser.add_argument("--rows", default="")
    parser.add_argument("--child", nargs=2)
    arguments = parser.parse_args()
    if arguments.child:
        who, row = arguments.child
        answer(WHO[who](row, arguments.datasets), arguments.repeat)
        return
    with servers_running() as (proxy, judge, where):
        make(judge, where)

        def figure(who, row, ms):
            words = command(who, row, arguments)
            return words and measure(proxy, f"{who}: {row}", words, ms, arguments.repeat, HDF5_VOL_CONNECTOR="zarr format=3")

        report(arguments.ms, WHO, arguments.rows.split(",") if arguments.rows else ROWS, figure)


if __name__ == "__main__":
    main()
