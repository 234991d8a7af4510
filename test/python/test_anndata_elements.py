"""Every kind of AnnData element (elements.py), in each form of store: written through the connector, and by anndata's own Zarr writer."""

import json
import os

import pytest

anndata = pytest.importorskip("anndata")
pytest.importorskip("scipy.sparse")
import h5py  # noqa: E402
import numpy as np  # noqa: E402
import zarr  # noqa: E402
from anndata.io import read_elem, write_elem  # noqa: E402
from anndata.tests.helpers import assert_equal  # noqa: E402

import view  # noqa: E402
from elements import ELEMENTS, HDF5_ONLY, REFUSED, ZARR_ONLY  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

OURS = {"ours2": {}, "ours3": {"VOL_ZARR_FORMAT": "3"}, "ours3-shards": {"VOL_ZARR_FORMAT": "3", "VOL_ZARR_SHARDS": "64k"}}
THEIRS = {"theirs2": 2, "theirs3-shards": 3}


def write_all(target, elements=ELEMENTS):
    """The names of what AnnData refuses to write."""
    refused = []
    anndata.settings.allow_write_nullable_strings = True
    for name, element in elements.items():
        try:
            write_elem(target, name, element)
        except Exception:
            refused.append(name)
    return refused


def write_hdf5(path, options=None):
    os.environ.update(options or {})
    try:
        return write_groups(path)
    finally:
        for name in options or {}:
            del os.environ[name]


def write_groups(path):
    with h5py.File(path, "w") as f:
        return write_all(f), write_all(f.create_group("refused"), {**ZARR_ONLY, **REFUSED})


def write_hdf5_only(path):
    with h5py.File(path, "w") as f:
        return write_all(f, HDF5_ONLY)


def write_zarr(path, zarr_format, shards):
    with anndata.settings.override(auto_shard_zarr_v3=shards, zarr_write_format=zarr_format):
        return write_all(zarr.open_group(path, mode="w", zarr_format=zarr_format), {**ELEMENTS, **ZARR_ONLY})


@pytest.fixture(scope="module")
def places(tmp_path_factory, connector):
    where = tmp_path_factory.mktemp("elements")
    assert write_hdf5(where / "native") == ([], [*ZARR_ONLY, *REFUSED])
    for name, options in OURS.items():
        assert connector.run(write_hdf5, str(where / name), options) == ([], [*ZARR_ONLY, *REFUSED])
    for name, zarr_format in THEIRS.items():
        assert write_zarr(where / name, zarr_format, "shards" in name) == (["array masked"] if zarr_format == 3 else [])
    return where


def through_zarr(path):
    return zarr.open_group(path, mode="r", use_consolidated=False)


@pytest.fixture(scope="module")
def native(places):
    with h5py.File(places / "native") as f:
        return {name: read_elem(f[name]) for name in ELEMENTS}


def same_array(got, expected):
    """Text is text in whatever array, and v3 knows no byte order; else all is equal, NaN and NaT too."""
    assert got.shape == expected.shape and got.dtype.names == expected.dtype.names
    if expected.dtype.names:
        for name in expected.dtype.names:
            same_array(np.asarray(got)[name], np.asarray(expected)[name])
    elif expected.dtype.kind in "OTU":
        assert got.dtype.kind in "OTU" and got.astype(object).tolist() == expected.astype(object).tolist()
    else:
        assert got.dtype.newbyteorder("=") == expected.dtype.newbyteorder("=")
        np.testing.assert_array_equal(got, expected)


def same(got, expected):
    assert type(got) is type(expected) or isinstance(expected, np.ndarray)
    if isinstance(expected, (float, complex, np.ndarray)):
        same_array(np.asarray(got), np.asarray(expected))
    else:
        assert_equal(got, expected)


def differences(found, expected):
    """{name: what is wrong}"""
    wrong = {}
    for name, value in expected.items():
        try:
            same(read_elem(found[name]), value)
        except Exception as error:
            wrong[name] = f"{type(error).__name__}: {error}"[:300]
    return wrong


@pytest.mark.parametrize("store", OURS)
def test_ours_through_hdf5(places, native, store):
    with h5py.File(places / store) as f:
        assert differences(f, native) == {}


@pytest.mark.parametrize("store", OURS)
def test_ours_through_zarr(places, native, store):
    assert differences(through_zarr(places / store), native) == {}


@pytest.mark.parametrize("store", THEIRS)
def test_theirs_through_hdf5(places, native, store):
    root = through_zarr(places / store)
    expected = {name: read_elem(root[name]) for name in root}
    with h5py.File(places / store) as f:
        assert sorted(f) == sorted(expected)
        assert differences(f, expected) == {}


def test_what_only_hdf5_holds(tmp_path, connector):
    assert write_hdf5_only(tmp_path / "native") == connector.run(write_hdf5_only, str(tmp_path / "ours")) == []
    with h5py.File(tmp_path / "ours") as f:
        assert differences(f, HDF5_ONLY) == {}


@pytest.mark.parametrize("store", OURS)
def test_hdf5_view_equals_native(places, store):
    ours, native = view.file_tree(places / store), view.file_tree(places / "native")
    assert ours.keys() == native.keys()
    assert {name: ours[name] for name in ours if ours[name] != native[name]} == {}


# ---- what plain Zarr sees: what anndata's own writer would have written ----

def documents(store):
    """{path: (array metadata or None, attributes)}, from the documents themselves."""
    found = {}
    for path in store.rglob("*"):
        name = str(path.parent.relative_to(store))
        if path.name == "zarr.json":
            document = json.loads(path.read_text())
            found[name] = document if document["node_type"] == "array" else None, document.get("attributes", {})
        elif path.name in (".zarray", ".zgroup"):
            attributes = path.parent / ".zattrs"
            found[name] = json.loads(path.read_text()) if path.name == ".zarray" else None, json.loads(attributes.read_text()) if attributes.exists() else {}
    return found


def kind(path, metadata):
    """What of an array does not depend on who chose its chunks and codecs, on how a zarr-python spells records and AnnData counts the
    text in them (bytes), or on what it takes for None (a bool; h5py a float)."""
    if metadata is None or path.endswith("none"):
        return metadata is None
    described = metadata.get("dtype") or metadata["data_type"]
    if "records" in path:
        fields = described["configuration"]["fields"] if isinstance(described, dict) else described
        described = [field["name"] if isinstance(field, dict) else field[0] for field in fields]
    return metadata["shape"], described, metadata.get("order", "C")


@pytest.mark.parametrize("ours, theirs", [("ours2", "theirs2"), ("ours3", "theirs3-shards")])
def test_nothing_but_what_anndata_writes(places, ours, theirs):
    """Beside the attributes of AnnData: zarr_dtype in v2, a mark on the root, and that sparse matrices can grow."""
    mine, expected, odd = documents(places / ours), documents(places / theirs), []
    for path in mine:
        metadata, attributes = mine[path]
        annotation = json.loads(attributes.pop("_HDF5", "{}"))
        named = attributes.pop("zarr_dtype", None)
        if path == ".":
            allowed = [{"v": 1}]
        elif path.endswith(("/data", "/indices", "/indptr")):
            allowed = [{}, {"s": {"max": [None]}}]
        else:
            allowed = [{}]
        if (annotation not in allowed and path != "array >c16") or (named is None) != (metadata is None or ours == "ours3"):
            odd.append((path, annotation, named))
        elif path in expected and path != "array masked" and (attributes, kind(path, metadata)) != (expected[path][1], kind(path, expected[path][0])):
            odd.append((path, attributes, expected[path][1], kind(path, metadata), kind(path, expected[path][0])))
    assert odd == []
    assert {p for p in expected if p.split("/")[0] in ELEMENTS} == {p for p in mine if p.split("/")[0] in ELEMENTS}


@pytest.mark.parametrize("store", OURS)
def test_zarr_lists_all_of_it(places, store):
    """Node by node, and from the consolidated metadata that we wrote."""
    found = dict(through_zarr(places / store).members(max_depth=None))
    assert sorted(found) == sorted(dict(zarr.open_consolidated(places / store).members(max_depth=None)))
    assert sorted(found) == sorted(p for p in documents(places / store) if p != ".")
    assert all(node[...] is not None for node in found.values() if isinstance(node, zarr.Array))
