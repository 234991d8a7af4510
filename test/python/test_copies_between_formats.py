"""H5Ocopy from a store of one Zarr format into a store of the other. The judge is native HDF5: the copy that it makes of the same objects
from one file into another. zarr-python reads the elements of what was copied."""

import os

import h5py
import numpy as np
import pytest
import zarr

import test_remote_hdf5
from hdf5_compare import attributes, link_of, text_of


def make(path, format):
    os.environ["VOL_ZARR_FORMAT"] = str(format)
    test_remote_hdf5.RNG = np.random.default_rng(1)
    with h5py.File(path, "w") as f:
        test_remote_hdf5.fill(f)
        f["g/gzip"].dims[0].detach_scale(f["scale"])  # native copies of references have addresses that mean nothing
        del f["references"], f["regions"]


def copy(source, target, format, flags):
    """Objects one by one, and all of them below a group."""
    os.environ["VOL_ZARR_FORMAT"] = str(format)
    with h5py.File(source, "r") as f, h5py.File(target, "w") as g:
        for name in ("g", "scalar", "texts", "record", "type", "of_type"):
            f.copy(name, g, **flags)
        f.copy("/", g, name="all", **flags)


def facts(path):
    """{name: what the object is}"""
    found = {}
    with h5py.File(path, "r") as f:

        def note(name, each):
            if isinstance(each, h5py.Dataset):
                what = (each.shape, each.maxshape, each.chunks, each.id.get_type().encode(), text_of(each[()], f))
            else:
                what = {child: link_of(each, child) for child in each} if isinstance(each, h5py.Group) else each.id.encode()
            found[name] = (type(each).__name__, what, attributes(each, f))

        f.visititems(note)
    return found


@pytest.mark.parametrize("flags", [{}, {"without_attrs": True}, {"expand_refs": True}], ids=lambda flags: next(iter(flags), "plain"))
@pytest.mark.parametrize("source, target", [(2, 3), (3, 2), (2, 2)])
def test_as_native_copies(tmp_path, connector, source, target, flags):
    make(tmp_path / "source.h5", source)
    copy(tmp_path / "source.h5", tmp_path / "target.h5", target, flags)
    connector.run(make, str(tmp_path / "source.zarr"), source)
    connector.run(copy, str(tmp_path / "source.zarr"), str(tmp_path / "target.zarr"), target, flags)
    got, wanted = facts(tmp_path / "target.zarr"), facts(tmp_path / "target.h5")
    assert sorted(got) == sorted(wanted) and len(got) > 80
    assert {name: got[name] for name in got if got[name] != wanted[name]} == {name: wanted[name] for name in got if got[name] != wanted[name]}
    read = zarr.open_group(tmp_path / "target.zarr", mode="r")
    assert read.metadata.zarr_format == target and read["g/gzip"][...].sum() > 0 and list(read["of_type"][...]) == [1, 2]
    np.testing.assert_array_equal(read["all/g/contiguous"][...], np.arange(3000).reshape(30, 100))
