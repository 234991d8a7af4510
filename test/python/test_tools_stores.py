"""HDF5's tools on stores that zarr-python wrote, and on the shared files: as many objects come out as went in, with their values."""

import re

import h5py
import numcodecs
import numpy as np
import pytest
import zarr

import view
from places import SHARED, shared

VARIABLE = {"HDF5_VOL_CONNECTOR": "zarr create=*.zarr"}
CODECS = {
    "blosc lz4": numcodecs.Blosc("lz4", 5, numcodecs.Blosc.SHUFFLE),
    "blosc zstd": numcodecs.Blosc("zstd", 3, numcodecs.Blosc.BITSHUFFLE),
    "blosc zlib": numcodecs.Blosc("zlib", 1, numcodecs.Blosc.NOSHUFFLE),
    "zstd": numcodecs.Zstd(3),
    "bz2": numcodecs.BZ2(5),
    "lz4": numcodecs.LZ4(),
    "zlib": numcodecs.Zlib(4),
    "gzip": numcodecs.GZip(4),
    "lzma": numcodecs.LZMA(),
    "none": None,
}
TYPES = ["|b1", "|i1", "<u2", ">i4", "<i8", "<f2", "<f4", ">f8", "<c16", "|S5", "<U4", "<M8[s]"]


def some(dtype):
    numbers = np.arange(24).reshape(6, 4) % 7
    return (numbers.astype("S5") if dtype == "|S5" else numbers.astype("i8")).astype(dtype)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "s.zarr"
    root = zarr.open_group(path, mode="w", zarr_format=2)
    root.attrs.update({"text": "grün", "number": 7, "list": [1.5, 2], "mapping": {"a": [1, {"b": None}]}, "yes": True, "nothing": None})
    for name, codec in CODECS.items():
        group = root.create_group(f"codecs/{name}")
        for kind in ("<i4", "<f8", "|S5"):
            group.create_array(kind[1:], shape=(6, 4), chunks=(4, 3), dtype=kind, compressors=codec)[...] = some(kind)
    types = root.create_group("types")
    for kind in TYPES:
        types.create_array(kind[1:3] if kind[0] != ">" else "be" + kind[1:], shape=(6, 4), chunks=(4, 3), dtype=kind)[...] = some(kind)
    types.create_array("struct", shape=(5,), chunks=(2,), dtype=[("a", "<i4"), ("b", "<f8"), ("c", "S3")])[...] = np.zeros(
        5, [("a", "<i4"), ("b", "<f8"), ("c", "S3")])
    more = root.create_group("more")
    more.create_array("text", shape=(3,), chunks=(2,), dtype=str)[...] = np.array(["α", "", "three"], object)
    more.create_array("scalar", shape=(), dtype="f8")[...] = 1.5
    more.create_array("empty", shape=(0, 3), chunks=(1, 3), dtype="i2")
    more.create_array("part", shape=(100,), chunks=(10,), dtype="i4", fill_value=-3)[20:25] = 1
    more.create_array("fortran", shape=(6, 4), chunks=(4, 3), dtype="i4", order="F")[...] = some("<i4")
    more.create_array("delta", shape=(50,), chunks=(20,), dtype="i4", filters=[numcodecs.Delta("i4")])[...] = np.arange(50)
    more.create_group("nothing in it")
    return path


def arrays_of(path):
    return sorted(p.parent.relative_to(path).as_posix() for p in path.rglob(".zarray"))


def groups_of(path):
    return sorted(p.parent.relative_to(path).as_posix() for p in path.rglob(".zgroup"))


def listed(tool, path):
    return re.findall(r"^/(\S.*?) +(Group|Dataset)\b", tool("h5ls", "-r", path).replace("\\ ", " "), re.M)


def test_h5ls_lists_every_node(store, tool):
    found = listed(tool, store)
    assert sorted(name for name, kind in found if kind == "Dataset") == arrays_of(store)
    assert sorted(name for name, kind in found if kind == "Group") == [g for g in groups_of(store) if g != "."]


def test_h5dump_and_h5stat_meet_every_node(store, tool):
    printed = tool("h5dump", store)
    assert len(re.findall(r"^ +DATASET ", printed, re.M)) == len(arrays_of(store))
    assert len(re.findall(r"^ *GROUP ", printed, re.M)) == len(groups_of(store))
    counted = tool("h5stat", store)
    assert f"# of unique datasets: {len(arrays_of(store))}\n" in counted
    assert f"# of unique groups: {len(groups_of(store))}\n" in counted


@pytest.mark.parametrize("filters", [None, "NONE", "GZIP=1"])
@pytest.mark.parametrize("environment", [{}, VARIABLE], ids=["told", "variable"])
def test_h5repack_to_native(store, filters, environment, tool, tmp_path):
    options = [] if filters is None else ["-f", filters]
    out = tmp_path / "out.h5"
    tool("h5repack", *options, *([] if environment else ["--src-vol-name=zarr"]), store, out, **environment)
    assert h5py.is_hdf5(out)
    tool("h5diff", store, out)
    assert listed(tool, out) == listed(tool, store)
    if filters:  # else blosc, zstd ... are in the file, which not every h5py has
        assert view.file_tree(out).keys() == view.file_tree(store).keys()
        compare(store, out)


@pytest.mark.parametrize("environment", [{"HDF5_VOL_CONNECTOR": "zarr"}], ids=["variable"])
def test_h5repack_and_h5copy_to_another_store(store, environment, tool, tmp_path):
    tool("h5repack", store, tmp_path / "again.zarr", **environment)
    tool("h5copy", "-s", "/", "-d", "/copy", "-i", store, "-o", tmp_path / "copy.zarr", **environment)
    assert arrays_of(tmp_path / "again.zarr") == arrays_of(store)
    assert arrays_of(tmp_path / "copy.zarr") == [f"copy/{name}" for name in arrays_of(store)]
    for made, root in ((tmp_path / "again.zarr", ""), (tmp_path / "copy.zarr", "copy/")):
        for name in arrays_of(store):
            ours, theirs = zarr.open_array(made / root / name, mode="r")[...], zarr.open_array(store / name, mode="r")[...]
            assert np.array_equal(ours, theirs), name


def compare(store, out):
    with h5py.File(out) as f:
        for name in arrays_of(store):
            ours, theirs = f[name][...], zarr.open_array(store / name, mode="r")[...]
            if theirs.dtype.kind in "UTO":
                ours = f[name].asstr()[...]
            assert np.array_equal(ours, theirs), name


# ---- the shared files ----

FILES = [p.relative_to(SHARED).as_posix() for p in sorted([*SHARED.glob("10x/*.h5"), *SHARED.glob("anndata/*.h5ad"), *SHARED.glob("nwb/*.nwb")])]
LZF = {"anndata/anndata-v0.7.0.h5ad", "anndata/anndata-v0.7.8.h5ad"}  # h5py's own filter: HDF5's tools do not read it from any file


def dump(tool, path):
    return tool("h5dump", path).replace(str(path), "FILE").replace(path.name, "FILE")


@pytest.mark.parametrize("name", [name for name in FILES if name not in LZF] or ["shared data"])
def test_shared_file_to_zarr_and_back(name, tool, tmp_path):
    source, there, back, native = (shared(name), *(tmp_path / n for n in ("there.zarr", "back.hdf5", "other.hdf5")))
    tool("h5repack", source, native)
    tool("h5repack", source, there, **VARIABLE)
    tool("h5repack", there, back, **VARIABLE)
    assert (there / ".zgroup").exists() and h5py.is_hdf5(back)
    expected = dump(tool, native)
    for copy in (there, back):
        tool("h5diff", source, copy)
        assert tool("h5ls", "-r", copy) == tool("h5ls", "-r", native)
        assert dump(tool, copy) == expected
    assert view.file_tree(back) == view.file_tree(source)
