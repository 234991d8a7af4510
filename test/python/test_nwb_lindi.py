"""pynwb opens the reference file that LINDI made of an NWB file, as it opens that file. LINDI opens those that h5zarr virtual makes."""

import json
import shutil

import h5py
import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")
lindi = pytest.importorskip("lindi")

from converting import run
from lindi.LindiH5pyFile.LindiH5pyReference import LindiH5pyReference
from places import shared, unpacked


def test_pynwb(tmp_path):
    wild = unpacked("wild/stores-2026-11.tar.gz", tmp_path)
    with pynwb.NWBHDF5IO(str(wild / "t.nwb.lindi.json"), "r") as io, pynwb.NWBHDF5IO(str(wild / "t.nwb"), "r") as judge:
        ours, theirs = io.read(), judge.read()
        assert str(ours.electrodes.to_dataframe().drop(columns="group")) == str(theirs.electrodes.to_dataframe().drop(columns="group"))
        for name, series in theirs.acquisition.items():
            np.testing.assert_array_equal(ours.acquisition[name].data[...], series.data[...])
        assert ours.units.to_dataframe().shape == theirs.units.to_dataframe().shape


# ---- h5zarr virtual IN OUT.lindi.json: LINDI's own reader shows what it shows of its own conversion ----

def plain(value):
    if isinstance(value, LindiH5pyReference):
        return "->", json.dumps(value._obj, sort_keys=True)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufb":
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, (np.ndarray, list, tuple)):
        return [plain(x) for x in value]
    value = value.item() if isinstance(value, np.generic) else value
    return "nan" if value != value else value


def elements(dataset):
    if dataset.dtype.names:  # LINDI has such elements by member alone
        return {name: plain(dataset[name][:]) for name in dataset.dtype.names}
    return plain(dataset[()] if dataset.ndim == 0 else dataset[:])


def shown(group, path=""):
    """All that LINDI shows of a file: {path: facts}."""
    found = {path or "/": ({name: plain(value) for name, value in group.attrs.items()}, sorted(group.keys()))}
    for name in group.keys():
        link, item = group.get(name, getlink=True), group[name]
        if hasattr(link, "path"):
            found[f"{path}/{name}"] = "soft", link.path
        elif isinstance(item, h5py.Group):
            found |= shown(item, f"{path}/{name}")
        else:
            found[f"{path}/{name}"] = ({name: plain(value) for name, value in item.attrs.items()}, item.shape, str(item.dtype),
                                       elements(item))
    return found


def by_lindi(source):
    store = lindi.LindiH5ZarrStore.from_file(str(source), url=str(source))
    return lindi.LindiH5pyFile.from_reference_file_system(store.to_reference_file_system())


RECORD = np.dtype([("id", "i4"), ("x", "f8"), ("to", h5py.ref_dtype), ("s", "S3"), ("b", "?")])


def make(path):
    """What LINDI has a form for."""
    with h5py.File(path, "w") as f:
        g = f.create_group("g")
        f.attrs["object_id"], g.attrs["object_id"] = "of the file", "of g"
        f["x"], g["soft"], g["self"] = np.arange(5), h5py.SoftLink("/x"), h5py.SoftLink("/g")
        f["records"] = np.array([(1, 2.5, g.ref, b"abc", True), (2, np.nan, f["x"].ref, b"", False)], RECORD)
        f.create_dataset("numbers", data=np.array([(1, 2, .5), (3, 4, np.inf)] * 400, [("a", "u4"), ("b", "i2"), ("w", "f4")]), chunks=(90,))
        f["references"] = np.array([g.ref, f["x"].ref], h5py.ref_dtype)
        f["texts"], f["square"] = np.array(["a", "é"], object), np.array([["a", "é"], ["", "z"]], object)
        f["text"], f["long"], f["empty"], f["none"] = "é", "long é " * 900, "", np.zeros((0, 3))
        f["fixed"], f["bytes"], f["number"], f["flags"], f["flag"] = np.array([b"ab", b"c"]), np.bytes_(b"abc"), 2.5, np.array([True, False]), np.bool_(True)
        for name, data, how in (("many", np.arange(3000.0), {"chunks": (2,), "compression": "gzip"}), ("big", np.arange(3000, dtype=">i4"), {}),
                                ("gzip", np.arange(3000.0), {"chunks": (200,), "compression": "gzip", "shuffle": True}),
                                ("wide", np.arange(1_300_000, dtype="f4").reshape(13, 100_000), {})):
            f.create_dataset(name, data=data, **how)
        for name, value in {"i": np.int8(3), "f": np.float32(.1), "nan": np.nan, "inf": np.array([1, np.inf, -np.inf]), "fixed": np.bytes_(b"fix"), "ref": g.ref,
                            "b": True, "bs": np.array([True, False]), "texts": ["p", "q"], "square": np.arange(6).reshape(2, 3), "none": ""}.items():
            f.attrs[name] = value


@pytest.mark.parametrize("name", ["made", "wild", "1.1.2_nwbfile", "2.1.0_nwbfile_with_extension", "ecephys_and_ogen"])
def test_lindi_shows_what_it_makes_itself(tmp_path, name):
    source = tmp_path / "x.nwb"
    if name == "made":
        make(source)
    elif name == "wild":
        shutil.copy(unpacked("wild/stores-2026-11.tar.gz", tmp_path) / "t.nwb", source)
    else:
        shutil.copy(shared(f"nwb/{name}.nwb"), source)
    run("virtual", "--quiet", source, tmp_path / "x.lindi.json")
    ours, theirs = shown(lindi.LindiH5pyFile.from_lindi_file(str(tmp_path / "x.lindi.json"))), shown(by_lindi(source))
    assert sorted(ours) == sorted(theirs)
    for path, facts in theirs.items():
        assert ours[path] == facts, path
    if name == "made":
        refs = json.loads((tmp_path / "x.lindi.json").read_text())["refs"]
        assert {key for key in refs if isinstance(refs[key], list)} >= {"gzip/0", "gzip/14", "big/0", "wide/0.0"}
        assert "_EXTERNAL_ARRAY_LINK" in refs["many/.zattrs"] and "many/0" not in refs


@pytest.mark.parametrize("through", ["lindi", "h5py"])
def test_pynwb_opens_our_view(tmp_path, through):
    source, view = tmp_path / "x.nwb", str(tmp_path / "x.lindi.json")
    shutil.copy(shared("nwb/ecephys_and_ogen.nwb"), source)
    run("virtual", "--quiet", source, view)
    ours = {"file": lindi.LindiH5pyFile.from_lindi_file(view)} if through == "lindi" else {"path": view}
    with pynwb.NWBHDF5IO(str(source), "r") as judge, pynwb.NWBHDF5IO(**ours, mode="r") as io:
        theirs, ours = judge.read(), io.read()
        assert ours.objects.keys() == theirs.objects.keys() and len(theirs.objects) > 20
        for name, series in theirs.acquisition.items():
            np.testing.assert_array_equal(ours.acquisition[name].data[:], series.data[:])
        assert str(ours.electrodes.to_dataframe().drop(columns="group")) == str(theirs.electrodes.to_dataframe().drop(columns="group"))


def test_checksums_that_lindi_itself_cannot_read(tmp_path):
    """It pads compressed chunks, and then finds zeros where the checksum was: it gets these elements by HDF5."""
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f.create_dataset("x", data=np.arange(3000.0), chunks=(200,), compression="gzip", fletcher32=True)
    run("virtual", "--quiet", tmp_path / "x.h5", tmp_path / "x.lindi.json")
    np.testing.assert_array_equal(lindi.LindiH5pyFile.from_lindi_file(str(tmp_path / "x.lindi.json"))["x"][:], np.arange(3000.0))
    with pytest.raises(RuntimeError, match="checksum"):
        by_lindi(tmp_path / "x.h5")["x"][:]
