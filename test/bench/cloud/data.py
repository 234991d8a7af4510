"""What is read, and what is written. Stores are made by zarr-python, HDF5 files by h5py, with the same chunks."""

import datetime
import random

import numpy as np

from .places import BUCKET, ROOT

CHUNKS, SHARDS = (100, 100), (1000, 1000)
TREE = 250, 3  # groups, and arrays in each
SERIES, LENGTH = 50, 10000  # of an NWB session
FEW = 4  # elements of a small dataset


def values(name):
    """Noise: what compresses to a few MB is one request for who reads ahead, and tells nothing."""
    rng = np.random.default_rng(1)
    if name == "dense":
        return rng.normal(size=(2000, 2000))
    return rng.integers(-30000, 30000, (2000, 4000), dtype="i2")


def places(count=100):
    """Of inner chunks."""
    chosen = random.Random(1)
    return [(100 * chosen.randrange(20), 100 * chosen.randrange(40)) for _ in range(count)]


def few_rows():
    return sorted(random.Random(1).sample(range(2000), 20))


def small(i):
    return np.full(FEW, i)


def cells():
    import anndata
    import pandas as pd
    import scipy.sparse

    rng = np.random.default_rng(1)
    matrix = scipy.sparse.random(6000, 2000, density=0.1, format="csr", rng=rng, dtype="f4")
    obs = pd.DataFrame({"type": pd.Categorical(rng.choice(["T", "B", "NK"], 6000)), "n": rng.integers(0, 9, 6000)},
                       index=[f"cell{i}" for i in range(6000)])
    return anndata.AnnData(matrix, obs=obs, obsm={"X_pca": rng.normal(size=(6000, 20))}, uns={"title": "cells"})


def session():
    import pynwb

    made = pynwb.NWBFile("a session", "s1", datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc))
    for i in range(SERIES):
        made.add_acquisition(pynwb.TimeSeries(name=f"t{i}", data=np.arange(float(LENGTH)), unit="V", rate=10.0))
    return made


# ---- made once, before anything is measured ----


def make_stores(judge):
    import anndata
    import zarr

    def group(name):
        return judge.group(f"{ROOT}{name}.zarr", mode="w", zarr_format=3)

    for name, shards in ("dense", None), ("sharded", SHARDS):
        one = group(name)
        one.create_array("m", data=values(name), chunks=CHUNKS, shards=shards)
        zarr.consolidate_metadata(one.store)
    tree = group("tree")
    for i in range(TREE[0]):
        for k in range(TREE[1]):
            tree.create_array(f"g{i}/a{k}", data=np.full(3, k))
    zarr.consolidate_metadata(tree.store)
    with anndata.settings.override(zarr_write_format=3):
        one = group("cells")
        anndata.io.write_elem(one, "/", cells())
        for name in "X/data", "X/indices":
            whole = one[name][:]
            del one[name]
            one.create_array(name, data=whole, chunks=(len(whole) // 30 + 1,))
        zarr.consolidate_metadata(one.store)


def make_files(judge, where):
    """For those who read HDF5 files. A small chunk cache would tell of h5py's defaults, not of the way to the bucket: chunks fit."""
    import h5py

    names = ["dense.h5", "sharded.h5", "tree.h5", "cells.h5"]
    for name in names[:2]:
        with h5py.File(where / name, "w") as f:
            f.create_dataset("m", data=values(name.removesuffix(".h5")), chunks=CHUNKS, compression="gzip", compression_opts=1)
    with h5py.File(where / names[2], "w") as f:
        for i in range(TREE[0]):
            for k in range(TREE[1]):
                f[f"g{i}/a{k}"] = np.full(3, k)
    cells().write_h5ad(where / names[3], compression="gzip")
    for name in names:
        judge.client.upload_file(str(where / name), BUCKET, name)


# ---- judged: what was written is read by zarr-python, past the proxy ----


def check_written(judge, row, url):
    """How many small datasets there are; None of other rows."""
    if row == "write dense":  # tensorstore writes an array and no group
        assert (judge.array(f"{url}/m")[:] == values("dense")).all()
    elif row == "write AnnData":
        assert (judge.array(f"{url}/X/data")[:] == cells().X.data).all() and judge.array(f"{url}/obs/_index").shape == (6000,)
    elif row == "write NWB":
        assert (judge.array(f"{url}/acquisition/t{SERIES - 1}/data")[:] == np.arange(float(LENGTH))).all()
    if row != "write small datasets":
        return None
    written = judge.group(url)
    names = list(written)
    assert (written[names[-1]][:] == small(int(names[-1][1:]))).all()
    return len(names)
