"""Names of dimensions that another program wrote, as the labels of HDF5's high-level library. zarr-python wrote them, and reads what HDF5
programs made of them; native HDF5 says what labels are."""

import json

import h5py
import numpy as np
import pytest
import zarr

from converting import convert
from interpreter import Interpreter
from places import with_connector

pytestmark = pytest.mark.filterwarnings("ignore")

# Two lengths of "x", and an array without all names: no netCDF group.
ARRAYS = {"a": ((2, 3), ["y", "x"]), "b": ((4,), ["x"]), "c": ((2, 2), [None, "größe"]), "d": ((2,), None), "e": ((2,), [""])}
LABELS = {"a": ["y", "x"], "b": ["x"], "c": ["", "größe"], "d": [""], "e": [""]}


@pytest.fixture(scope="module")
def writer():
    """Creates stores of format 3."""
    interpreter = Interpreter(with_connector("zarr format=3"))
    yield interpreter
    interpreter.stop()


def make(path, **attributes):
    group = zarr.open_group(path, mode="w", zarr_format=3, attributes=attributes)
    for name, (shape, names) in ARRAYS.items():
        group.create_array(name, data=np.zeros(shape, "i4"), dimension_names=names, attributes={"unit": "m"})


# ---- what the other interpreters run ----

def labels(path):
    with h5py.File(path) as f:
        return {name: [dimension.label for dimension in f[name].dims] for name in f}, {name: sorted(f[name].attrs) for name in f}


def set_label(path, name, axis, label):
    with h5py.File(path, "r+") as f:
        f[name].dims[axis].label = label
        return [dimension.label for dimension in f[name].dims]


def delete_labels(path, name):
    with h5py.File(path, "r+") as f:
        del f[name].attrs["DIMENSION_LABELS"]


def change_unit(path):
    with h5py.File(path, "r+") as f:
        for name in f:
            f[name].attrs["unit"] = "km"


def create(path):
    with h5py.File(path, "w") as f:
        d = f.create_dataset("x", (2, 3), "i4", chunks=(2, 3))
        d.dims[0].label, d.dims[1].label = "time", "place"


def documents(path):
    return {name: json.loads((path / name / "zarr.json").read_text()) for name in ARRAYS}


def names(path):
    return {name: array.metadata.dimension_names for name, array in zarr.open_group(path, mode="r").arrays()}


# ---- reading ----

def test_names_are_labels(tmp_path, connector, tool):
    make(tmp_path / "s.zarr")
    before = documents(tmp_path / "s.zarr")
    shown, attributes = connector.run(labels, str(tmp_path / "s.zarr"))
    assert shown == LABELS == labels(str(tmp_path / "s.zarr"))[0]
    with_labels = ["DIMENSION_LABELS", "unit"]
    assert attributes == {"a": with_labels, "b": with_labels, "c": with_labels, "d": ["unit"], "e": ["unit"]}
    assert tool("h5dump", "-H", tmp_path / "s.zarr").count("DIMENSION_LABELS") == 3
    assert documents(tmp_path / "s.zarr") == before


def test_an_array_alone(tmp_path, connector):
    zarr.create_array(tmp_path / "s.zarr", data=np.zeros((2, 3)), dimension_names=["y", "x"], zarr_format=3)
    shown, _ = connector.run(labels, str(tmp_path / "s.zarr"))
    assert list(shown.values()) == [["y", "x"]]


def test_documents_never_have_them(tmp_path, connector):
    make(tmp_path / "s.zarr")
    before = documents(tmp_path / "s.zarr")
    connector.run(change_unit, str(tmp_path / "s.zarr"))
    for name, document in documents(tmp_path / "s.zarr").items():
        assert document.pop("attributes") == {"unit": "km"}
        before[name].pop("attributes")
        assert document == before[name]


@pytest.mark.parametrize("marks", [{"ome": {"version": "0.5"}}, {"encoding-type": "anndata", "encoding-version": "0.1.0"}, {"multiscales": []},
                                   {"neurodata_type": "NWBFile"}])
def test_other_conventions_show_what_they_did(marks, tmp_path, connector):
    make(tmp_path / "s.zarr", **marks)
    shown, attributes = connector.run(labels, str(tmp_path / "s.zarr"))
    assert all(names == ["unit"] for names in attributes.values()) and all(not any(texts) for texts in shown.values())


def test_where_netcdf_is_seen_there_are_scales_and_no_labels(tmp_path, connector):
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=3)
    group.create_array("a", data=np.zeros((2, 3)), dimension_names=["y", "x"])
    group.create_array("x", data=np.zeros(3), dimension_names=["x"])
    _, attributes = connector.run(labels, str(tmp_path / "s.zarr"))
    assert "DIMENSION_LIST" in attributes["a"] and not any("DIMENSION_LABELS" in names for names in attributes.values())


def test_netcdf_never_shows_nothing_either(tmp_path):
    make(tmp_path / "s.zarr")
    plain = Interpreter(with_connector("zarr netcdf=never"))
    try:
        assert plain.run(labels, str(tmp_path / "s.zarr"))[1]["a"] == ["unit"]
    finally:
        plain.stop()


# ---- writing ----

def test_a_label_that_changes_is_a_name(tmp_path, connector):
    make(tmp_path / "s.zarr")
    before = documents(tmp_path / "s.zarr")
    assert connector.run(set_label, str(tmp_path / "s.zarr"), "a", 1, "length") == ["y", "length"]
    assert connector.run(set_label, str(tmp_path / "s.zarr"), "c", 0, "first") == ["first", "größe"]
    after = documents(tmp_path / "s.zarr")
    assert names(tmp_path / "s.zarr") | {"d": None} == {"a": ("y", "length"), "b": ("x",), "c": ("first", "größe"), "d": None, "e": ("",)}
    for name, document in after.items():
        assert document["attributes"] == {"unit": "m"}
        before[name].pop("dimension_names", None), document.pop("dimension_names", None)
        assert document == before[name]
    assert connector.run(labels, str(tmp_path / "s.zarr"))[0] == {**LABELS, "a": ["y", "length"], "c": ["first", "größe"]}


def test_labels_that_are_deleted_are_no_names(tmp_path, connector):
    make(tmp_path / "s.zarr")
    connector.run(delete_labels, str(tmp_path / "s.zarr"), "a")
    assert names(tmp_path / "s.zarr")["a"] == (None, None) and documents(tmp_path / "s.zarr")["a"]["attributes"] == {"unit": "m"}
    assert connector.run(labels, str(tmp_path / "s.zarr"))[0]["a"] == ["", ""]


def test_labels_of_new_datasets_are_names(tmp_path, writer):
    writer.run(create, str(tmp_path / "s.zarr"))
    assert zarr.open_group(tmp_path / "s.zarr", mode="r")["x"].metadata.dimension_names == ("time", "place")
    create(str(tmp_path / "native.h5"))
    assert writer.run(labels, str(tmp_path / "s.zarr"))[0] == labels(str(tmp_path / "native.h5"))[0]


def test_there_and_back(tmp_path):
    make(tmp_path / "s.zarr")
    convert(tmp_path / "s.zarr", tmp_path / "x.h5", "--verify")
    assert labels(str(tmp_path / "x.h5"))[0] == LABELS
    convert(tmp_path / "x.h5", tmp_path / "back.zarr", "--verify", "--format", 3)
    back = names(tmp_path / "back.zarr")
    assert back["a"] == ("y", "x") and back["b"] == ("x",) and back["c"][1] == "größe"
    assert labels(str(tmp_path / "back.zarr"))[0] == LABELS
