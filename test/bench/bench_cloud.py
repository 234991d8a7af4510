"""Reading stores in a bucket: this connector, zarr-python over obstore and over s3fs, tensorstore.

    python bench_cloud.py [--ms 0,20,100] [--repeat 3]

MinIO on the loopback interface, behind the proxy of test/cloud, which waits before each request; all of it in one run on one machine, each reader in
an interpreter of its own. A row is the least of some runs, and the requests of the last one."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "cloud"), str(HERE.parent / "python")]

from judge import Judge, zarr_store  # noqa: E402
from servers import ACCESS, REGION, SECRET, Minio, Proxy  # noqa: E402

BUCKET = "bench"


# ---- what is read ----


def make(judge):
    import anndata
    import numpy as np
    import pandas as pd
    import scipy.sparse
    import zarr

    rng = np.random.default_rng(1)
    root = f"s3://{BUCKET}/"
    group = judge.group(root + "dense.zarr", mode="w", zarr_format=3)
    group.create_array("m", data=rng.integers(0, 1000, (2000, 2000)), chunks=(100, 100))
    zarr.consolidate_metadata(group.store)
    group = judge.group(root + "sharded.zarr", mode="w", zarr_format=3)
    group.create_array("m", data=rng.integers(0, 4, (2000, 4000), dtype="i2"), chunks=(100, 100), shards=(1000, 1000))
    zarr.consolidate_metadata(group.store)
    group = judge.group(root + "tree.zarr", mode="w", zarr_format=3)
    for i in range(250):
        for k in range(3):
            group.create_array(f"g{i}/a{k}", data=np.full(3, k))
    zarr.consolidate_metadata(group.store)
    matrix = scipy.sparse.random(6000, 2000, density=0.1, format="csr", rng=rng, dtype="f4")
    obs = pd.DataFrame({"type": pd.Categorical(rng.choice(["T", "B", "NK"], 6000)), "n": rng.integers(0, 9, 6000)},
                       index=[f"cell{i}" for i in range(6000)])
    data = anndata.AnnData(matrix, obs=obs, obsm={"X_pca": rng.normal(size=(6000, 20))}, uns={"title": "cells"})
    with anndata.settings.override(zarr_write_format=3):
        group = judge.group(root + "cells.zarr", mode="w", zarr_format=3)
        anndata.io.write_elem(group, "/", data)
        for name in "X/data", "X/indices":
            whole = group[name][:]
            del group[name]
            group.create_array(name, data=whole, chunks=(len(whole) // 30 + 1,))
        zarr.consolidate_metadata(group.store)


# ---- who reads: each function in an interpreter of its own; after `ready` is called the clock runs ----


def h5py_file(name):
    import h5py

    return h5py.File(f"s3://{BUCKET}/{name}.zarr", "r")


def by_connector(row):
    import anndata
    import h5py  # noqa: F401

    return {"open": lambda: h5py_file("cells").close(),
            "anndata": lambda: anndata.read_h5ad(f"s3://{BUCKET}/cells.zarr"),
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
    return by_zarr(row, lambda name: zarr_store(f"s3://{BUCKET}/{name}.zarr", os.environ["AWS_ENDPOINT_URL_S3"]))


def by_s3fs(row):
    from zarr.storage import FsspecStore

    options = {"key": ACCESS, "secret": SECRET, "endpoint_url": os.environ["AWS_ENDPOINT_URL_S3"], "client_kwargs": {"region_name": REGION}}
    return by_zarr(row, lambda name: FsspecStore.from_url(f"s3://{BUCKET}/{name}.zarr", storage_options=options, read_only=True))


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


def child(reader, row, repeat):
    work = READERS[reader](row)
    for _ in range(repeat):
        sys.stdin.readline()
        began = time.perf_counter()
        work()
        print(time.perf_counter() - began, flush=True)


# ---- the run ----


def measure(proxy, reader, row, ms, repeat):
    if READERS[reader] is by_tensorstore and row in ("open", "anndata", "tree"):
        return None
    process = subprocess.Popen([sys.executable, "-W", "ignore", __file__, "--child", reader, row, str(repeat)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    best, log = None, []
    for _ in range(repeat):
        proxy.clear()
        proxy.latency(ms)
        process.stdin.write("go\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise SystemExit(f"{reader} failed at {row}")
        best = min(float(answer), best or 1e9)
        log = proxy.log()
    process.stdin.close()
    process.wait()
    return best, len(log)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ms", default="0,20,100")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--child", nargs=3)
    arguments = parser.parse_args()
    if arguments.child:
        child(*arguments.child[:2], int(arguments.child[2]))
        return
    with tempfile.TemporaryDirectory() as where:
        os.environ.update(AWS_EC2_METADATA_DISABLED="true", AWS_ACCESS_KEY_ID=ACCESS, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION=REGION)
        minio = Minio(pathlib.Path(where))
        proxy = Proxy(minio.url, where)
        try:
            os.environ["AWS_ENDPOINT_URL_S3"] = proxy.url
            import boto3

            client = boto3.client("s3", endpoint_url=minio.url)
            client.create_bucket(Bucket=BUCKET)
            make(Judge(minio, client))
            report(proxy, arguments)
        finally:
            proxy.stop()
            minio.stop()


def report(proxy, arguments):
    for ms in map(int, arguments.ms.split(",")):
        print(f"\n{ms} ms added to each request\n\n| seconds (requests) | " + " | ".join(READERS) + " |\n|---" * 1 + "|---" * len(READERS) + "|", flush=True)
        for row in ROWS:
            cells = [measure(proxy, reader, row, ms, arguments.repeat) for reader in READERS]
            print(f"| {row} | " + " | ".join(f"{cell[0]:.3f} ({cell[1]})" if cell else "-" for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
