"""Whole AnnData objects that hold all that they can: in each form of store, written by us and by AnnData itself, and read by both."""

import os

import h5py
import pytest
import zarr

anndata = pytest.importorskip("anndata")
pd = pytest.importorskip("pandas")
sparse = pytest.importorskip("scipy.sparse")
import numpy as np  # noqa: E402
from anndata.tests.helpers import assert_equal  # noqa: E402

from elements import AWKWARD, MAPPINGS, NAMED, RECORDS, TEXT, frame  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def everything():
    rows, columns = 5, 4
    x = sparse.random(rows, columns, 0.6, "csr", random_state=1, dtype="f4")
    names = [f"gene {i}" for i in range(columns)]
    var = pd.DataFrame({"n": range(columns), "kind": pd.Categorical(list("abca"))}, index=names)
    a = anndata.AnnData(x, obs=frame(), var=var)
    a.raw = anndata.AnnData(sparse.random(rows, 7, 0.5, "csr", random_state=2), obs=a.obs[[]], var=pd.DataFrame({"m": range(7)}, index=[f"r{i}" for i in range(7)]))
    a.layers["dense"], a.layers["csc"], a.layers["bool"] = x.toarray(), x.tocsc(), x.toarray() > 0.5
    a.obsm["array"], a.obsm["frame"], a.obsm["sparse"], a.obsm["cube"] = np.ones((rows, 2)), frame(), x * 2, np.zeros((rows, 2, 3))
    a.varm["array"], a.varm["frame"] = np.arange(columns * 3.0).reshape(columns, 3), var.copy()
    a.obsp["near"], a.obsp["dense"] = sparse.eye(rows, format="csr"), np.eye(rows)
    a.varp["near"] = sparse.eye(columns, format="csc")
    if AWKWARD:
        a.obsm["awkward"], a.uns["awkward"] = AWKWARD["awkward ragged"][[0, 1, 2, 0, 1]], AWKWARD["awkward records"]
    a.uns.update({**MAPPINGS, "records": RECORDS, "named": NAMED, "text": TEXT, "colors": ["#fff", "#000"], "none": None, "flag": np.bool_(True), "n": np.int32(7)})
    return a


def nothing():
    return anndata.AnnData()


def without_x():
    return anndata.AnnData(obs=frame(), var=pd.DataFrame(index=["v"]))


def without_rows():
    a = everything()[:0].copy()
    del a.raw  # read_zarr leaves out a .raw without rows
    return a


OBJECTS = {made.__name__: made for made in (everything, nothing, without_x, without_rows)}


def write(path, name, options=None, **keywords):
    anndata.settings.allow_write_nullable_strings = True
    os.environ.update(options or {})
    try:
        OBJECTS[name]().write_h5ad(path, **keywords)
    finally:
        for key in options or {}:
            del os.environ[key]


def write_with(path, name, options, keywords):
    write(path, name, options, **keywords)


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    where = tmp_path_factory.mktemp("native")
    for name in OBJECTS:
        write(where / name, name)
    return {name: anndata.read_h5ad(where / name) for name in OBJECTS}


def as_zarr(path):
    return zarr.storage.ZipStore(path, mode="r") if path.suffix == ".zip" else path


V3 = {"VOL_ZARR_FORMAT": "3"}
SHARDS = {**V3, "VOL_ZARR_SHARDS": "64k"}
OURS = {
    "v2 lzf": ("x.h5ad", {}, {"compression": "lzf"}), "v2 gzip zip": ("x.zarr.zip", {}, {"compression": "gzip", "compression_opts": 9}),
    "v3 gzip": ("x.zarr", V3, {"compression": "gzip"}), "v3 shards zip": ("x.zip", SHARDS, {}), "v2 as_dense": ("x.h5ad", {}, {"as_dense": ["X", "raw/X"]}),
}


@pytest.mark.parametrize("form", OURS)
def test_ours(form, tmp_path, connector, native):
    name, options, keywords = OURS[form]
    connector.run(write_with, str(tmp_path / name), "everything", options, keywords)
    expected = native["everything"].copy()
    if "as_dense" in keywords:
        expected.raw = anndata.AnnData(expected.raw.X.toarray(), obs=expected.obs[[]], var=expected.raw.var)
        expected.X = expected.X.toarray()
    assert_equal(anndata.read_h5ad(tmp_path / name), expected)
    assert_equal(anndata.read_zarr(as_zarr(tmp_path / name)), expected)


@pytest.mark.parametrize("name", [name for name in OBJECTS if name != "everything"])
@pytest.mark.parametrize("options", [{}, SHARDS], ids=["v2", "v3 shards"])
def test_ours_with_little_in_it(name, options, tmp_path, connector, native):
    connector.run(write, str(tmp_path / "x.zarr"), name, options)
    assert_equal(anndata.read_h5ad(tmp_path / "x.zarr"), native[name])
    assert_equal(anndata.read_zarr(tmp_path / "x.zarr"), native[name])


def read_whole(path):
    return anndata.read_h5ad(path)


def read_parts(path):
    backed = anndata.read_h5ad(path, backed="r")
    part = backed[1:4, ["gene 0", "gene 3"]]
    seen = part.X.toarray(), part.layers["dense"], part.obs, backed.raw.X[1:3].toarray()
    backed.file.close()
    return seen


THEIRS = {"v2": (2, False, False, "everything"), "v3 zip": (3, False, True, "everything"), "v3 shards": (3, True, False, "everything"),
          "v2 zip without rows": (2, False, True, "without_rows"), "v3 shards without X": (3, True, False, "without_x"), "v2 of nothing": (2, False, False, "nothing")}


@pytest.mark.parametrize("zarr_format, shards, zipped, name", THEIRS.values(), ids=THEIRS)
def test_theirs(zarr_format, shards, zipped, name, tmp_path, connector):
    path = tmp_path / ("x.zarr.zip" if zipped else "x.zarr")
    anndata.settings.allow_write_nullable_strings = True
    with anndata.settings.override(zarr_write_format=zarr_format, auto_shard_zarr_v3=shards):
        store = zarr.storage.ZipStore(path, mode="w") if zipped else path
        OBJECTS[name]().write_zarr(store)
        if zipped:
            store.close()
    expected = anndata.read_zarr(as_zarr(path))
    assert_equal(anndata.read_h5ad(path), expected)
    assert_equal(connector.run(read_whole, str(path)), expected)
    if name == "everything":
        x, dense, obs, raw = read_parts(path)
        part = expected[1:4, ["gene 0", "gene 3"]]
        assert np.array_equal(x, part.X.toarray()) and np.array_equal(dense, part.layers["dense"])
        assert_equal(obs, part.obs)
        assert np.array_equal(raw, expected.raw.X[1:3].toarray())


def test_a_consolidated_store_is_never_stale(tmp_path, connector):
    """AnnData reads the consolidated copy: after a change of ours it must be the new one."""
    with anndata.settings.override(zarr_write_format=3, allow_write_nullable_strings=True):
        everything().write_zarr(tmp_path / "x.zarr")
    connector.run(replace, str(tmp_path / "x.zarr"))
    after = anndata.read_zarr(tmp_path / "x.zarr")
    assert "text" not in after.uns and list(after.uns["new"]["deep"]) == [1, 2] and after.obs["added"].tolist() == [1, 2, 3, 4, 5]
    assert_equal(anndata.read_h5ad(tmp_path / "x.zarr"), after)


def replace(path):
    from anndata.io import read_elem, write_elem

    anndata.settings.allow_write_nullable_strings = True
    with h5py.File(path, "r+") as f:
        del f["uns/text"]
        write_elem(f["uns"], "new", {"deep": [1, 2], "frame": frame()})
        write_elem(f, "obs", read_elem(f["obs"]).assign(added=[1, 2, 3, 4, 5]))
