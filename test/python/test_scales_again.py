"""Dimension scales that are deleted, and made again under their names, as netCDF-C does it when it renames: H5DS, and with it netCDF-C, gives up
a file where a reference of DIMENSION_LIST leads nowhere."""

import h5py
import numpy as np
import pytest

from interpreter import run_once
from places import with_connector


def make(path):
    with h5py.File(path, "w") as f:
        for name, size in (("x", 3), ("y", 2), ("g/z", 4)):
            f[name] = np.arange(float(size))
            f[name].make_scale(name)
        f["v"] = np.zeros((2, 3, 4))
        for dimension, name in zip(f["v"].dims, ("y", "x", "g/z")):
            dimension.attach_scale(f[name])


def again(f, name):
    size = len(f[name])
    del f[name]
    f[name] = np.arange(float(size)) + 1
    f[name].make_scale(name)


def scales(f):
    """What H5DSiterate_scales finds, for each dimension."""
    found = [[] for _ in range(3)]
    for dimension in range(3):
        if h5py.h5ds.get_num_scales(f["v"].id, dimension):
            h5py.h5ds.iterate(f["v"].id, dimension, lambda scale: found[dimension].append(h5py.Dataset(scale)[0]))
    return found


def deleted_and_made_again(path):
    """A native file may give the new object the place of the old one, or not: the names are the judge."""
    make(path)
    with h5py.File(path, "r+") as f:
        again(f, "x")
        assert scales(f) == [[0.0], [1.0], [0.0]]
    with h5py.File(path, "r") as f:
        assert scales(f) == [[0.0], [1.0], [0.0]]
        assert [dimension.keys() for dimension in f["v"].dims] == [["y"], ["x"], ["g/z"]]
    with h5py.File(path, "r+") as f:
        f.move("y", "moved y")
        again(f, "x")
        again(f, "g/z")
        f["v"].dims[1].attach_scale(f["x"])  # reads the list and writes it
    with h5py.File(path, "r") as f:
        assert scales(f) == [[0.0], [1.0], [1.0]]
        assert [f[one[0]].name for one in f["v"].attrs["DIMENSION_LIST"]] == ["/moved y", "/x", "/g/z"]


def deleted(path):
    """What is gone is left out; the others are found as ever."""
    make(path)
    with h5py.File(path, "r+") as f:
        del f["x"], f["g"]
        assert scales(f) == [[0.0], [], []]
    with h5py.File(path, "r") as f:
        assert scales(f) == [[0.0], [], []]
        assert [len(one) for one in f["v"].attrs["DIMENSION_LIST"]] == [1, 0, 0]


@pytest.mark.parametrize("value", ["zarr", "zarr format=3", "zarr container=file", "zarr dialect=hdmf"])
@pytest.mark.parametrize("work", [deleted_and_made_again, deleted], ids=lambda work: work.__name__)
def test_scales(tmp_path, work, value):
    status, said = run_once(with_connector(value), work, str(tmp_path / "s"))
    assert status == 0, said
