"""Programs for HDF5 files: this connector under a bucket's names; h5py's ROS3 driver and h5py over fsspec on HDF5 files in the bucket."""

import os

import h5py
import numpy as np

from . import data
from .places import BUCKET, ROOT, endpoint, fsspec_options


def by_connector(name):
    return h5py.File(f"{ROOT}{name}.zarr", "r")


def by_ros3(name):
    secrets = {key: os.environ[variable].encode() for key, variable in
               (("aws_region", "AWS_REGION"), ("secret_id", "AWS_ACCESS_KEY_ID"), ("secret_key", "AWS_SECRET_ACCESS_KEY"))}
    return h5py.File(f"{endpoint()}/{BUCKET}/{name}.h5", "r", driver="ros3", **secrets)


def by_fsspec(name):
    import fsspec

    return h5py.File(fsspec.open(f"{ROOT}{name}.h5", **fsspec_options()).open(), "r")


def read_cells(opener):
    import anndata

    if opener is by_connector:
        return lambda: anndata.read_h5ad(f"{ROOT}cells.zarr")
    return lambda: anndata.io.read_elem(opener("cells")["/"])


def visited(file):
    names = []
    file.visititems(lambda name, each: names.append(name))
    return sorted(names)


def inner_chunks(array):
    return np.stack([array[y:y + 100, x:x + 100] for y, x in data.places()])


def reading(row, opener):
    def array(name):
        return opener(name)["m"]

    if row == "AnnData":
        return read_cells(opener)
    return {"open": lambda: opener("cells").close(),
            "dense": lambda: array("dense")[:],
            "rows": lambda: array("dense")[500:600],
            "rows of shards": lambda: array("sharded")[1000:1200],
            "random rows": lambda: array("sharded")[data.few_rows()],
            "inner chunks": lambda: inner_chunks(array("sharded")),
            "tree": lambda: visited(opener("tree"))}.get(row)


def write_dense(url):
    values = data.values("dense")

    def work():
        with h5py.File(url, "w") as f:
            f.create_dataset("m", data=values, chunks=data.CHUNKS)

    return work


def write_small(url, count):
    values = [data.small(i) for i in range(count)]

    def work():
        with h5py.File(url, "w") as f:
            for i, each in enumerate(values):
                f[f"d{i}"] = each

    return work


def write_cells(url):
    made = data.cells()
    return lambda: made.write_h5ad(url)


def connector(row, url, count):
    if row == "write dense":
        return write_dense(url)
    if row == "write small datasets":
        return write_small(url, count)
    if row == "write AnnData":
        return write_cells(url)
    return reading(row, by_connector)


def ros3(row, url, count):
    if "ros3" not in h5py.registered_drivers() or row == "AnnData":  # Debian's Python has no anndata
        return None
    return reading(row, by_ros3)


def fsspec(row, url, count):
    return reading(row, by_fsspec)
