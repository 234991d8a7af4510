"""The main job on real data: AnnData writes and reads a Zarr store through unmodified h5py."""

import json
import os
import pathlib

import pytest

anndata = pytest.importorskip("anndata")
zarr = pytest.importorskip("zarr")
from anndata.tests.helpers import assert_equal  # noqa: E402

import view  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def convert(source, target):
    anndata.read_h5ad(source).write_h5ad(target)


def read_both_names(path):
    """Read under HDF5_VOL_CONNECTOR too: both ways of coming to the store."""
    return anndata.read_h5ad(path)


@pytest.fixture(scope="module")
def store(tmp_path_factory, connector, real_data):
    path = tmp_path_factory.mktemp("main") / "out.zarr"
    connector.run(convert, real_data, str(path))
    return path


@pytest.fixture(scope="module")
def original(real_data):
    return anndata.read_h5ad(real_data)


def test_the_store_is_zarr_v2(store):
    assert json.loads((store / ".zgroup").read_text()) == {"zarr_format": 2}
    assert json.loads((store / "X" / ".zarray").read_text())["zarr_format"] == 2
    assert not list(store.rglob("zarr.json"))


def annotation(path):
    """What a node keeps for HDF5 beside the plain metadata; {} for nothing."""
    attributes = json.loads(path.read_text())
    return json.loads(attributes.get("_HDF5", "{}"))


def test_plain_metadata_says_nearly_all(store):
    """The root's mark, and which arrays can grow; every array names its type for hdmf-zarr."""
    assert annotation(store / ".zattrs") == {"v": 1}
    for path in store.rglob(".zattrs"):
        if path.parent != store:
            assert annotation(path) in ({}, {"s": {"max": [None]}}), path
    for path in store.rglob(".zarray"):
        assert "zarr_dtype" in json.loads((path.parent / ".zattrs").read_text()), path


def test_anndata_reads_it_as_zarr(store, original):
    assert_equal(anndata.read_zarr(store), original)


def test_anndata_reads_it_as_hdf5_without_the_variable(store, original):
    assert_equal(anndata.read_h5ad(store), original)


def test_anndata_reads_it_as_hdf5_with_the_variable(store, original, connector):
    assert_equal(connector.run(read_both_names, str(store)), original)


@pytest.fixture(scope="module")
def native(tmp_path_factory, real_data):
    """The same call without the connector."""
    path = tmp_path_factory.mktemp("main") / "out.h5ad"
    convert(real_data, path)
    return path


def test_hdf5_shows_what_it_shows_of_the_native_file(store, native):
    assert view.file_tree(store) == view.file_tree(native)


def test_plain_zarr_sees_every_object_of_the_native_file(store, native):
    root = zarr.open(store, mode="r")
    objects = view.file_tree(native)
    assert len(objects) > 60
    for name in objects.keys() - {"/"}:
        assert getattr(root[name], "shape", None) == objects[name].get("shape"), name


def test_a_store_written_by_anndata_opens_as_hdf5(tmp_path, original):
    with anndata.settings.override(zarr_write_format=2):
        original.write_zarr(tmp_path / "made.zarr")
    assert (tmp_path / "made.zarr" / ".zgroup").exists()
    assert_equal(anndata.read_h5ad(tmp_path / "made.zarr"), original)


def test_reading_leaves_no_trace(store):
    before = {p: p.stat().st_mtime_ns for p in pathlib.Path(store).rglob("*")}
    anndata.read_h5ad(store)
    assert {p: p.stat().st_mtime_ns for p in pathlib.Path(store).rglob("*")} == before


def test_nothing_temporary_is_left(store):
    assert [name for _, dirs, files in os.walk(store) for name in dirs + files if "partial" in name] == []


def write_without_raw(source, path):
    """Backed mode cannot write back a file with .raw: not on native files either."""
    a = anndata.read_h5ad(source)
    del a.raw
    a.write_h5ad(path)


def backed_edit(path):
    a = anndata.read_h5ad(path, backed="r+")
    a.X[3:5, :4] = 7
    seen = a.X[2:6, :5]
    a.obs["extra"] = range(a.n_obs)
    a.write()
    a.file.close()
    return seen


def test_backed_mode_edits_the_store(tmp_path, original, real_data, connector):
    path = str(tmp_path / "backed.zarr")
    connector.run(write_without_raw, real_data, path)
    seen = connector.run(backed_edit, path)
    expected = original.X.copy()
    expected[3:5, :4] = 7
    assert (seen == expected[2:6, :5]).all()
    after = anndata.read_zarr(path)
    assert (after.X == expected).all()
    assert list(after.obs["extra"]) == list(range(original.n_obs))
