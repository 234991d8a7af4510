"""What the benchmarks of stores in a bucket have in common: servers, data, and the clock. MinIO on the loopback interface, behind the proxy of
test/cloud, which waits before each request; each figure is taken in an interpreter of its own."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "cloud"), str(HERE.parent / "python")]

from judge import Judge  # noqa: E402
from servers import ACCESS, REGION, SECRET, Minio, Proxy  # noqa: E402

BUCKET = "bench"
ROOT = f"s3://{BUCKET}/"
LEFT_OUT = 7  # how an interpreter ends that has no such row


@contextlib.contextmanager
def servers_running():
    """The proxy, the judge, and a directory; the environment says where the servers are."""
    with tempfile.TemporaryDirectory() as where:
        os.environ.update(AWS_EC2_METADATA_DISABLED="true", AWS_ACCESS_KEY_ID=ACCESS, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION=REGION)
        minio = Minio(pathlib.Path(where))
        proxy = Proxy(minio.url, where)
        try:
            os.environ["AWS_ENDPOINT_URL_S3"] = proxy.url
            import boto3

            client = boto3.client("s3", endpoint_url=minio.url)
            client.create_bucket(Bucket=BUCKET)
            yield proxy, Judge(minio, client), pathlib.Path(where)
        finally:
            proxy.stop()
            minio.stop()


# ---- what is read and written ----


def values(name):
    import numpy as np

    rng = np.random.default_rng(1)
    if name == "dense":
        return rng.integers(0, 1000, (2000, 2000))
    return rng.integers(0, 4, (2000, 4000), dtype="i2")


def cells():
    import anndata
    import numpy as np
    import pandas as pd
    import scipy.sparse

    rng = np.random.default_rng(1)
    matrix = scipy.sparse.random(6000, 2000, density=0.1, format="csr", rng=rng, dtype="f4")
    obs = pd.DataFrame({"type": pd.Categorical(rng.choice(["T", "B", "NK"], 6000)), "n": rng.integers(0, 9, 6000)},
                       index=[f"cell{i}" for i in range(6000)])
    return anndata.AnnData(matrix, obs=obs, obsm={"X_pca": rng.normal(size=(6000, 20))}, uns={"title": "cells"})


def make_arrays(judge):
    """dense.zarr and sharded.zarr, by zarr-python."""
    import zarr

    for name, shards in ("dense", None), ("sharded", (1000, 1000)):
        group = judge.group(f"{ROOT}{name}.zarr", mode="w", zarr_format=3)
        group.create_array("m", data=values(name), chunks=(100, 100), shards=shards)
        zarr.consolidate_metadata(group.store)


# ---- the clock ----


def answer(work, repeat):
    """In the interpreter that does it: once for each line that comes in, the seconds that it took go out."""
    if not work:
        sys.exit(LEFT_OUT)
    print("ready", flush=True)
    for _ in range(repeat):
        sys.stdin.readline()
        began = time.perf_counter()
        work()
        print(time.perf_counter() - began, flush=True)


def measure(proxy, name, command, ms, repeat, **environment):
    """The least of some runs, and the requests of the last one; None where the interpreter leaves it out."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
    best, log = None, []
    if process.stdout.readline() != "ready\n":
        if process.wait() == LEFT_OUT:
            return None
        raise SystemExit(f"{name} failed")
    for _ in range(repeat):
        proxy.clear()
        proxy.latency(ms)
        process.stdin.write("go\n")
        process.stdin.flush()
        answered = process.stdout.readline()
        if not answered:
            raise SystemExit(f"{name} failed")
        best = min(float(answered), best or 1e9)
        log = proxy.log()
    process.stdin.close()
    process.wait()
    proxy.clear()
    return best, len(log)


def report(latencies, who, rows, figure):
    """A table for each latency, of what figure(who, row, ms) is."""
    print(f"load of the machine at the start: {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    for ms in map(int, latencies.split(",")):
        print(f"\n{ms} ms added to each request\n\n| seconds (requests) | " + " | ".join(who) + " |\n|---" + "|---" * len(who) + "|", flush=True)
        for row in rows:
            figures = [figure(each, row, ms) for each in who]
            print(f"| {row} | " + " | ".join(f"{each[0]:.3f} ({each[1]})" if each else "-" for each in figures) + " |", flush=True)
