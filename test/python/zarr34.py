"""Archives of stores that zarr-python 3.4 and zarrs wrote (data/zarr34-*.tar.xz), each with the numbers that its writer reads of them."""

import pathlib

import h5py
import numpy as np

from places import unpack

DATA = pathlib.Path(__file__).parent / "data"


def unpacked(kind, tmp_path_factory):
    """-> its directory, {name: numbers}"""
    where = unpack(DATA / f"zarr34-{kind}.tar.xz", tmp_path_factory.mktemp("zarr34")) / f"zarr34-{kind}"
    with np.load(where / "expected.npz") as expected:
        return where, {name: expected[name] for name in expected.files}


def names(expected):
    return sorted(name.removeprefix("read-") for name in expected if name.startswith("read-"))


def write_all(path, given, in_parts=False):
    """in_parts: one after the other along the first axis."""
    with h5py.File(path, "r+") as f:
        for name, values in given.items():
            if in_parts:
                for i in range(len(values)):
                    f[name][i] = values[i]
            else:
                f[name][...] = values
