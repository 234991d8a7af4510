"""Stores that earlier versions of this connector wrote (data/vol-zarr-*.tar.xz, made by data/old_stores.sh) are what they were: the
judges are the native files of the same content beside them, and h5diff and h5dump."""

import pathlib
import shutil

import h5py
import pytest
import zarr

from places import by_zarr, unpack
from test_zoo import diff, dump

DATA = pathlib.Path(__file__).parent / "data"
ARCHIVES = sorted(DATA.glob("vol-zarr-*.tar.xz"))
PARTS = ["types", "nested", "storage", "links"]
KINDS = ["v2.zarr", "v2.zarr.zip", "v3.zarr", "shards.zarr", "hdmf.zarr"]


@pytest.fixture(scope="module", params=ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.xz"))
def old(request, tmp_path_factory):
    return unpack(request.param, tmp_path_factory.mktemp("old")) / request.param.name.removesuffix(".tar.xz")


def test_there_are_archives():
    assert ARCHIVES


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", PARTS)
def test_shown_as_natively(old, part, kind, tool, tmp_path):
    store, native = old / f"{part}-{kind}", old / f"{part}.h5"
    assert dump(tool, store).replace(store.name, "FILE") == dump(tool, native)
    if part != "links":  # the zoo's soft links lead nowhere, which h5diff takes for an error
        same = shutil.copy(native, tmp_path / "same.h5")  # of one name twice h5diff does not compare all
        assert diff(tool, native, store) == diff(tool, native, same)


@pytest.mark.parametrize("kind", KINDS)
def test_changed_today(old, kind, tmp_path):
    """What is added to an old store stands beside what was there, for HDF5 and for zarr-python."""
    store = old / f"nested-{kind}"
    with h5py.File(store, "r+") as file:
        before = len(file)
        file["added"] = range(5)
        file["added"].attrs["unit"] = "m"
    with h5py.File(store, "r") as file:
        assert len(file) == before + 1 and file["added"][:].tolist() == [0, 1, 2, 3, 4] and file["added"].attrs["unit"] == "m"
    added = zarr.open_array(zarr.storage.ZipStore(store, mode="r"), path="added") if kind.endswith("zip") else by_zarr(store)["added"]
    assert added[:].tolist() == [0, 1, 2, 3, 4] and added.attrs["unit"] == "m"
