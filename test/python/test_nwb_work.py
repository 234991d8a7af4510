"""Work on NWB files through the connector: adding to them, links between files, names, references=pickle."""

import json
import os
import pathlib

import h5py
import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")
pytest.importorskip("hdmf_zarr")

import nwb_compare
import nwb_sample
from interpreter import Failed, Interpreter
from places import with_connector


@pytest.fixture(scope="module")
def hdmf_zarr():
    interpreter = Interpreter({**os.environ, "NUMCODECS_ALLOW_UNSAFE_PICKLE_DECODE": "1"})
    yield interpreter
    interpreter.stop()


def add(path, mode):
    """A session of its own: new series linked to old ones, rows of a table, a column of references."""
    with pynwb.NWBHDF5IO(path, mode) as io:
        nwb = io.read()
        old = nwb.acquisition["a"]
        ids = iter(range(1, 100))
        added = pynwb.TimeSeries(name="added", data=np.arange(10.0), unit="n", timestamps=np.arange(10.0))
        linked = pynwb.TimeSeries(name="linked", data=old.data, unit="n", timestamps=added)
        table = pynwb.core.DynamicTable(name="columns", description="d", columns=[
            pynwb.core.VectorData(name="series", description="d", data=[old, added])])
        for item in (added, linked, table, *table.columns, table.id):
            item._AbstractContainer__object_id = f"00000000-0000-4000-9000-{next(ids):012}"
        nwb.add_acquisition(added)
        nwb.add_acquisition(linked)
        nwb.add_scratch(table)
        group = nwb.electrode_groups["shank1"]
        nwb.add_electrode(group=group, location="CA3", x=9.0, y=2.0, z=np.nan, imp=-1.0, filtering="none")
        io.write(nwb)


@pytest.mark.parametrize("mode", ["r+", "a"])
def test_adding(mode, tmp_path, connector):
    native, store = str(tmp_path / "native.h5"), str(tmp_path / "store.nwb")
    nwb_sample.write(native, ["trials", "ecephys"], positions=False)
    connector.run(nwb_sample.write, store, ["trials", "ecephys"], False)
    add(native, mode)
    connector.run(add, store, mode)
    assert nwb_compare.besides_extensions(nwb_compare.hdf5_differences(native, store)) == []
    assert nwb_compare.object_differences(nwb_compare.by_pynwb(native), nwb_compare.by_hdmf_zarr(store)) == []
    assert nwb_compare.rule_breaks(store) == []


def test_adding_to_a_store_of_hdmf_zarr(tmp_path, connector, hdmf_zarr):
    native, store = str(tmp_path / "native.h5"), str(tmp_path / "store.nwb.zarr")
    nwb_sample.write(native, ["trials", "ecephys"], positions=False)
    hdmf_zarr.run(nwb_sample.write_by_hdmf_zarr, store, ["trials", "ecephys"])
    add(native, "r+")
    connector.run(add, store, "r+")
    before = nwb_compare.by_pynwb(native)
    assert nwb_compare.object_differences(before, nwb_compare.by_pynwb(store)) == []
    assert nwb_compare.object_differences(before, hdmf_zarr.run(nwb_compare.by_hdmf_zarr, store)) == []
    assert nwb_compare.object_differences(before, hdmf_zarr.run(nwb_compare.by_hdmf_zarr, store, "r+")) == []


def test_hdmf_zarr_adds_to_a_store_of_ours(tmp_path, connector, hdmf_zarr):
    store = str(tmp_path / "store.nwb")
    connector.run(nwb_sample.write, store, ["series"])
    hdmf_zarr.run(add_by_hdmf_zarr, store)
    with pynwb.NWBHDF5IO(store, "r") as io:
        nwb = io.read()
        assert nwb.acquisition["later"].data[:].tolist() == [1.0, 2.0]
        assert nwb.acquisition["same_times"].timestamps[:].tolist() == nwb.acquisition["first"].timestamps[:].tolist()


def add_by_hdmf_zarr(path):
    from hdmf_zarr.nwb import NWBZarrIO

    with NWBZarrIO(path, "r+") as io:
        nwb = io.read()
        nwb.add_acquisition(pynwb.TimeSeries(name="later", data=[1.0, 2.0], unit="n", rate=1.0))
        io.write(nwb)


# ---- two files ----


def write_pair(directory, suffix):
    """raw and a second file, in a directory beside it, that links to raw's data and timestamps."""
    raw, other = os.path.join(directory, "raw" + suffix), os.path.join(directory, "sub", "other" + suffix)
    os.makedirs(os.path.dirname(other))
    nwb_sample.write(raw, ["series"])
    manager = pynwb.get_manager()
    with pynwb.NWBHDF5IO(raw, "r", manager=manager) as source:
        first = source.read().acquisition["first"]
        nwb = nwb_sample.nwb_file(["plain"])
        nwb.add_acquisition(first)
        nwb.add_acquisition(pynwb.TimeSeries(name="derived", data=first.data, unit="n", timestamps=first.timestamps))
        with pynwb.NWBHDF5IO(other, "w", manager=manager) as io:
            io.write(nwb, link_data=True)
    return raw, other


def linked_values(path):
    with pynwb.NWBHDF5IO(path, "r") as io:
        nwb = io.read()
        return {name: (item.data[:].tolist(), item.timestamps[:].tolist()) for name, item in nwb.acquisition.items()}


def linked_values_by_hdmf_zarr(path):
    from hdmf_zarr.nwb import NWBZarrIO

    with NWBZarrIO(path, "r") as io:
        nwb = io.read()
        return {name: (np.asarray(item.data[:]).tolist(), np.asarray(item.timestamps[:]).tolist()) for name, item in nwb.acquisition.items()}


def test_links_between_files(tmp_path, connector):
    (tmp_path / "native").mkdir()
    (tmp_path / "zarr").mkdir()
    _, native = write_pair(str(tmp_path / "native"), ".nwb")
    _, store = connector.run(write_pair, str(tmp_path / "zarr"), ".nwb")
    lines = nwb_compare.hdf5_differences(native, store)
    assert [line for line in nwb_compare.besides_extensions(lines) if "object_id" not in line] == []
    expected = linked_values(native)
    assert set(expected) == {"first", "derived"}
    assert linked_values(store) == expected
    assert linked_values_by_hdmf_zarr(store) == expected
    assert nwb_compare.rule_breaks(store) == []


def test_links_between_files_of_hdmf_zarr(tmp_path, hdmf_zarr):
    raw, other = str(tmp_path / "raw.nwb.zarr"), str(tmp_path / "other.nwb.zarr")
    hdmf_zarr.run(nwb_sample.write_by_hdmf_zarr, raw, ["series"])
    hdmf_zarr.run(link_by_hdmf_zarr, raw, other)
    assert linked_values(other) == hdmf_zarr.run(linked_values_by_hdmf_zarr, other)
    with h5py.File(other, "r") as file:
        link = file["acquisition"].get("first", getlink=True)
        assert isinstance(link, h5py.ExternalLink) and link.path == "/acquisition/first"


def link_by_hdmf_zarr(raw, other):
    from hdmf_zarr.nwb import NWBZarrIO

    manager = pynwb.get_manager()
    with NWBZarrIO(raw, "r", manager=manager) as source:
        first = source.read().acquisition["first"]
        nwb = nwb_sample.nwb_file(["plain"])
        nwb.add_acquisition(first)
        with NWBZarrIO(other, "w", manager=manager) as io:
            io.write(nwb)


# ---- references=pickle ----

PICKLED = ["trials", "icephys", "tables", "extension", "compounds_of_extension"]


def filters(store):
    return {f["id"] for path in pathlib.Path(store).rglob(".zarray") for f in json.loads(path.read_text())["filters"] or []}


@pytest.mark.parametrize("part", PICKLED)
def test_references_as_pickle(part, tmp_path, hdmf_zarr):
    """hdmf-zarr's own form: its numcodecs wants to be told that pickle is allowed."""
    native, store = str(tmp_path / "native.h5"), str(tmp_path / "store.nwb")
    nwb_sample.write(native, [part])
    pickler = Interpreter(with_connector("zarr references=pickle"))
    try:
        pickler.run(nwb_sample.write, store, [part])
    finally:
        pickler.stop()
    assert "pickle" in filters(store)
    assert nwb_compare.besides_extensions(nwb_compare.hdf5_differences(native, store)) == []
    assert nwb_compare.object_differences(nwb_compare.by_pynwb(native), hdmf_zarr.run(nwb_compare.by_hdmf_zarr, store)) == []
    hdmf_zarr.run(nwb_sample.write_by_hdmf_zarr, str(tmp_path / "theirs.nwb"), [part])
    errors = [hdmf_zarr.run(nwb_compare.errors_by_hdmf_zarr, str(tmp_path / name)) for name in ("store.nwb", "theirs.nwb")]
    assert errors[0] == errors[1]  # the validator has some for whatever hdmf-zarr wrote
    assert nwb_compare.rule_breaks(store, pickle=True) == []
    refusing = Interpreter({name: value for name, value in os.environ.items() if name != "NUMCODECS_ALLOW_UNSAFE_PICKLE_DECODE"})
    try:
        with pytest.raises(Failed, match="(?i)pickle"):
            refusing.run(nwb_compare.by_hdmf_zarr, store)
    finally:
        refusing.stop()


@pytest.mark.parametrize("part", PICKLED)
def test_no_pickle_by_default(part, tmp_path, connector):
    connector.run(nwb_sample.write, str(tmp_path / "store.nwb"), [part])
    assert "pickle" not in filters(tmp_path / "store.nwb") and "json2" in filters(tmp_path / "store.nwb")


# ---- other kinds of stores ----

ALL = [part for part in nwb_sample.PARTS if "compounds" not in part]


def test_in_a_zip_file(tmp_path, connector):
    """It is a file, so that pynwb's own choice of a reader takes it for HDF5; hdmf-zarr reads it too."""
    native, store = str(tmp_path / "native.h5"), str(tmp_path / "store.nwb.zip")
    nwb_sample.write(native, ALL)
    connector.run(nwb_sample.write, store, ALL)
    expected = nwb_compare.by_pynwb(native)
    nwb = pynwb.read_nwb(store)
    assert isinstance(nwb.read_io, pynwb.NWBHDF5IO)
    nwb.read_io.close()
    assert nwb_compare.object_differences(expected, nwb_compare.by_pynwb(store)) == []
    assert nwb_compare.object_differences(expected, nwb_compare.by_hdmf_zarr(store)) == []


def test_in_zarr_v3(tmp_path):
    """hdmf-zarr up to 0.13 knows v2 only; pynwb through us reads what it wrote."""
    native, store = str(tmp_path / "native.h5"), str(tmp_path / "store.nwb")
    nwb_sample.write(native, list(nwb_sample.PARTS))
    writer = Interpreter(with_connector("zarr format=3"))
    try:
        writer.run(nwb_sample.write, store, list(nwb_sample.PARTS))
    finally:
        writer.stop()
    assert os.path.exists(os.path.join(store, "zarr.json"))
    assert nwb_compare.besides_extensions(nwb_compare.hdf5_differences(native, store)) == []
    assert nwb_compare.object_differences(nwb_compare.by_pynwb(native), nwb_compare.by_pynwb(store)) == []


def copy_file(source, target):
    """As HDF5IO.copy_file of hdmf 3: members by H5Ocopy, attributes of the root one by one, the reference to the specifications too."""
    with h5py.File(source, "r") as f, h5py.File(target, "w") as out:
        for name in f:
            f.copy(name, out, name=name, expand_external=False, expand_refs=False, expand_soft=False, shallow=False, without_attrs=False)
        for name in f.attrs:
            out.attrs[name] = f.attrs[name]


def test_copy_file(tmp_path, connector):
    native, store = str(tmp_path / "native.h5"), str(tmp_path / "store.nwb")
    nwb_sample.write(native, ["trials", "ecephys"], positions=False)
    connector.run(nwb_sample.write, store, ["trials", "ecephys"], False)
    copy_file(native, str(tmp_path / "copy.h5"))
    connector.run(copy_file, store, str(tmp_path / "copy.nwb"))
    specifications = json.loads((tmp_path / "copy.nwb" / ".zattrs").read_text())[".specloc"]
    assert specifications == "specifications"
    with h5py.File(tmp_path / "copy.nwb") as f, h5py.File(tmp_path / "copy.h5") as same:
        assert f[f.attrs[".specloc"]].name == "/specifications"
        assert sorted(f) == sorted(same) and sorted(f.attrs) == sorted(same.attrs)
