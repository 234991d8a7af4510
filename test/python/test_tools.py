"""HDF5's own tools on stores: h5dump, h5ls, and h5repack to Zarr and back, judged by h5diff and by what they say of native files."""

import re

import h5py
import numpy as np
import pytest
import zarr

import view
from places import shared

# Without the variable h5repack must be told: it copies by H5Ocopy what it takes to be of one connector.
TO_ZARR, FROM_ZARR = "--dst-vol-name=zarr", "--src-vol-name=zarr"


def fill(path):
    """What the tools meet: every kind of type, layout and filter that this format keeps exactly."""
    rng = np.random.default_rng(5)
    with h5py.File(path, "w") as f:
        numbers = f.create_group("numbers")
        for t in ("i1", "u2", "i4", "u8", ">i4", ">f8", "f4", "f2"):
            numbers[t] = np.arange(12).reshape(3, 4).astype(t)
        numbers["flags"] = np.arange(7) % 2 == 0
        numbers["complex"] = np.arange(5) + 1j
        numbers["scalar"] = 1.25
        numbers["empty"] = np.zeros((0, 3), "i2")
        numbers["null"] = h5py.Empty("f4")
        text = f.create_group("text")
        text["variable"] = ["α", "b", ""]
        text["fixed"] = np.array([b"abc", b"d"], "S5")
        text["scalar"] = "one"
        more = f.create_group("more/inner")
        more["record"] = np.array([(1, 2.5, b"x"), (2, 3.5, b"y")], [("n", "<i4"), ("x", "<f8"), ("s", "S1")])
        more.create_dataset("enum", data=[0, 1, 2], dtype=h5py.enum_dtype({"RED": 0, "GREEN": 1, "BLUE": 2}, basetype="u1"))
        more.create_dataset("ragged", (2,), dtype=h5py.vlen_dtype("i4"))[:] = [np.array([1, 2, 3]), np.array([4])]
        more["opaque"] = np.array([b"12", b"34"]).astype("V2")
        stored = f.create_group("stored")
        data = rng.integers(0, 9, (50, 40)).astype("i4")
        stored.create_dataset("gzip", data=data, chunks=(10, 7), compression="gzip", shuffle=True, maxshape=(None, 40))
        stored.create_dataset("fletcher32", data=data, chunks=(50, 40), fletcher32=True)
        stored.create_dataset("filled", (9, 9), "f8", chunks=(4, 4), fillvalue=-1.5)[2:4, 3:5] = 7
        f.attrs["title"] = "a file"
        f.attrs["numbers"] = np.arange(3, dtype="i8")
        f["numbers/i4"].attrs.update({"unit": "m", "scale": 0.5, "flag": True, "names": ["p", "q"], "nothing": h5py.Empty("f4")})


@pytest.fixture(scope="module")
def where(tmp_path_factory, connector):
    path = tmp_path_factory.mktemp("tools")
    fill(path / "native.h5")
    connector.run(fill, str(path / "store.zarr"))
    return path


def test_h5dump_prints_what_it_prints_of_the_native_file(where, tool):
    ours, native = tool("h5dump", where / "store.zarr"), tool("h5dump", where / "native.h5")
    assert ours.replace("store.zarr", "native.h5") == native


def test_h5ls_lists_the_same(where, tool):
    ours, native = tool("h5ls", "-r", where / "store.zarr"), tool("h5ls", "-r", where / "native.h5")
    assert ours == native and len(native.splitlines()) > 25


def test_h5diff_finds_no_difference(where, tool):
    tool("h5diff", where / "store.zarr", where / "native.h5")
    tool("h5diff", where / "native.h5", where / "store.zarr")


def test_h5diff_finds_the_one_difference(where, tool, tmp_path, connector):
    connector.run(fill, str(tmp_path / "other.zarr"))
    array = zarr.open(tmp_path / "other.zarr" / "numbers" / "u2", mode="r+")
    array[1, 2] = 99
    said = tool("h5diff", where / "native.h5", tmp_path / "other.zarr", expect=1)
    assert "/numbers/u2" in said and "1 differences found" in said


def test_h5dump_of_a_store_that_zarr_python_made(tmp_path, tool):
    root = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=2)
    root.create_array("a", shape=(4,), dtype="i4", chunks=(3,))[...] = [1, -2, 3, 4]
    root.attrs["note"] = "grün"
    printed = tool("h5dump", tmp_path / "s.zarr")
    assert re.search(r"\(0\): 1, -2, 3, 4", printed)
    assert '"gr\\37777777703\\37777777674n"' in printed or '"gr\\303\\274n"' in printed
    assert re.search(r"^/a +Dataset \{4/Inf\}$", tool("h5ls", "-r", tmp_path / "s.zarr"), re.M)


REPACK = [None, "anndata/anndata-v0.11.4.h5ad", "anndata/anndata-v0.5.0.h5ad", "anndata/anndataR-example.h5ad",
          "10x/filtered_feature_bc_matrix.h5"]


@pytest.mark.parametrize("name", REPACK)
def test_native_to_zarr_to_native(where, name, tool, tmp_path):
    source = shared(name) if name else where / "native.h5"
    tool("h5repack", TO_ZARR, source, tmp_path / "there.zarr")
    assert (tmp_path / "there.zarr" / ".zgroup").exists()
    tool("h5diff", source, tmp_path / "there.zarr")
    tool("h5repack", FROM_ZARR, tmp_path / "there.zarr", tmp_path / "back.h5")
    assert h5py.is_hdf5(tmp_path / "back.h5")
    tool("h5diff", source, tmp_path / "back.h5")
    assert view.file_tree(tmp_path / "back.h5") == view.file_tree(source)


@pytest.mark.parametrize("name", REPACK)
def test_repack_under_the_variable(where, name, tool, tmp_path):
    """Everything goes through the connector here, H5Ocopy between the two kinds too."""
    source = shared(name) if name else where / "native.h5"
    variable = {"HDF5_VOL_CONNECTOR": "zarr"}
    tool("h5repack", source, tmp_path / "there.zarr", **variable)
    tool("h5repack", tmp_path / "there.zarr", tmp_path / "again.zarr", **variable)
    zarr.open_group(tmp_path / "again.zarr", mode="r")
    for copy in ("there.zarr", "again.zarr"):
        tool("h5diff", source, tmp_path / copy)
        assert view.file_tree(tmp_path / copy) == view.file_tree(source)


@pytest.mark.parametrize("filters", ["GZIP=3", "SHUF", "FLET", "NONE"])
def test_repack_with_filters(where, filters, tool, tmp_path):
    asked = f"/stored/gzip,/stored/filled,/numbers/i4,/more/inner/record:{filters}"
    tool("h5repack", TO_ZARR, "-f", asked, where / "native.h5", tmp_path / "packed.zarr")
    tool("h5repack", "-f", asked, where / "native.h5", tmp_path / "packed.h5")
    tool("h5diff", where / "native.h5", tmp_path / "packed.zarr")
    with h5py.File(tmp_path / "packed.h5") as native, h5py.File(tmp_path / "packed.zarr") as ours:
        for name in ("stored/gzip", "stored/filled", "numbers/i4"):
            assert view.storage(ours[name]) == view.storage(native[name])
    zarr.open_array(tmp_path / "packed.zarr" / "stored" / "gzip", mode="r")[...]


def make_links(path):
    with h5py.File(path, "w") as f:
        f["g/d"] = [1, 2, 3]
        f["again"] = f["g/d"]
        f["g/around"] = f["g"]
        f["soft"] = h5py.SoftLink("/g/d")
        f["g/dangling"] = h5py.SoftLink("nowhere")
        f["external"] = h5py.ExternalLink("other.h5", "/x")
        f["g/missing"] = h5py.ExternalLink("none.h5", "/none")


def test_h5repack_keeps_links(tool, tmp_path):
    """H5Lcopy between the two kinds, both ways, as it copies soft and external links between native files."""
    make_links(tmp_path / "native.h5")
    check_there_and_back(tool, tmp_path / "native.h5", tmp_path)
    listed = tool("h5ls", "-r", tmp_path / "back.h5")
    assert listed.count("Soft Link") == 2 and listed.count("External Link") == 2 and listed.count("same as") == 2


@pytest.mark.parametrize("name", ["1.1.2_nwbfile.nwb", "2.1.0_nwbfile_with_extension.nwb", "ecephys_and_ogen.nwb"])
def test_h5repack_of_neurodata(tool, tmp_path, name):
    (tmp_path / "native.h5").write_bytes(shared(f"nwb/{name}").read_bytes())
    check_there_and_back(tool, tmp_path / "native.h5", tmp_path)


def check_there_and_back(tool, source, where):
    variable = {"HDF5_VOL_CONNECTOR": "zarr create=*.zarr"}
    tool("h5repack", source, where / "there.zarr", **variable)
    tool("h5repack", where / "there.zarr", where / "back.h5", **variable)
    assert h5py.is_hdf5(where / "back.h5")
    for copy in ("there.zarr", "back.h5"):
        tool("h5diff", source, where / copy)
        assert tool("h5ls", "-r", where / copy) == tool("h5ls", "-r", source)
