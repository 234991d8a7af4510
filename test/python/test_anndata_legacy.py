"""The forms that AnnData 0.5 to 0.7 and other languages write, kept as they are on their way into a store: AnnData reads the store
as it reads the native file, and for what it ever wrote to Zarr itself, read_zarr does too."""

import h5py
import numpy as np
import pytest

from interpreter import Interpreter
from places import by_zarr, shared, with_connector

anndata = pytest.importorskip("anndata")
sparse = pytest.importorskip("scipy.sparse")
from anndata.tests.helpers import assert_equal  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

TEXT = h5py.string_dtype("utf-8")


# ---- real files, object by object ----

def copy_attributes(source, target, root):
    for name, value in source.attrs.items():
        if isinstance(value, h5py.Reference):
            target.attrs[name] = root[source.file[value].name].ref
        elif isinstance(value, h5py.Empty):
            target.attrs[name] = value
        else:
            target.attrs.create(name, value, dtype=source.attrs.get_id(name).dtype)


def copy(source, target):
    """As h5repack does, but with h5py's filters: some of the files have lzf."""
    with h5py.File(source) as f, h5py.File(target, "w") as g:
        objects = []
        f.visititems(lambda name, node: objects.append((name, node)))
        for name, node in objects:
            if isinstance(node, h5py.Group):
                g.require_group(name)
            elif node.shape is None:
                g.create_dataset(name, data=h5py.Empty(node.dtype))
            else:
                g.create_dataset(name, data=node[()], dtype=node.dtype, chunks=node.chunks, maxshape=node.maxshape if node.chunks else None)
        for name, node in [("/", f), *objects]:
            copy_attributes(node, g[name], g)


@pytest.fixture(scope="module", params=["format=2", "format=3"])
def writer(request):
    interpreter = Interpreter(with_connector(f"zarr {request.param}"))
    yield interpreter
    interpreter.stop()


@pytest.mark.parametrize("name", ["anndata-v0.5.0", "anndata-v0.7.0", "anndata-v0.7.8", "anndata-v0.11.4", "anndataR-example", "zellkonverter-example"])
def test_real_files(name, writer, tmp_path):
    source, store = shared(f"anndata/{name}.h5ad"), tmp_path / "store.zarr"
    writer.run(copy, str(source), str(store))
    expected = anndata.read_h5ad(source)
    assert_equal(anndata.read_h5ad(store), expected)
    if name != "anndata-v0.5.0":  # obsm is a compound of arrays there, which zarr-python opens from 3.4 on, and AnnData not at all
        assert_equal(text_as_objects(anndata.read_zarr(store)), text_as_objects(expected))


def text_as_objects(a):
    """AnnData 0.13 reads columns of text as objects from Zarr, and as pandas' str from HDF5."""
    for frame in (a.obs, a.var):
        for column in frame.columns:
            if str(frame[column].dtype) in ("str", "string"):
                frame[column] = frame[column].astype(object)
    return a


# ---- references to categories ----

def test_references_to_categories(writer, tmp_path):
    """Text in Zarr, references in HDF5, also after the frame was moved."""
    source, store = shared("anndata/anndata-v0.7.8.h5ad"), tmp_path / "store.zarr"
    writer.run(copy, str(source), str(store))
    assert by_zarr(store)["obs/obs_cat"].attrs["categories"] == "__categories/obs_cat"
    assert by_zarr(store)["raw/varm/df/cat"].attrs["categories"] == "__categories/cat"
    with h5py.File(store, "r+") as f:
        f.move("obs", "moved")
        f["moved/obs_cat"].attrs["other"] = f["moved/__categories/obs_cat"].ref  # of any other name: in full
        f["moved/cat_ordered"].attrs["categories"] = f["moved/__categories/obs_cat"].ref
    with h5py.File(store) as f:
        for column in ("moved/obs_cat", "moved/cat_ordered"):
            reference = f[column].attrs["categories"]
            assert isinstance(reference, h5py.Reference) and f[column].attrs.get_id("categories").dtype == h5py.ref_dtype
            assert f[reference].name == "/moved/__categories/obs_cat" and f[reference] == f["moved/__categories/obs_cat"]
        assert f[f["var/var_cat"].attrs["categories"]].name == "/var/__categories/var_cat"
    root = by_zarr(store)
    assert root["moved/cat_ordered"].attrs["categories"] == "__categories/obs_cat"
    assert root["moved/obs_cat"].attrs["other"]["value"]["path"] == "/moved/__categories/obs_cat"


def test_references_elsewhere_are_kept_in_full(writer, tmp_path):
    store = tmp_path / "store.zarr"
    writer.run(make_odd_references, str(store))
    with h5py.File(store) as f:
        assert [f[f[name].attrs["categories"]].name for name in ("far", "g/far", "group")] == ["/g/__categories/a", "/g/__categories/deep/b", "/__categories/a"]
        assert f["x"].attrs["categories"] == "__categories/a" and isinstance(f["x"].attrs["categories"], str)
        assert not f["null"].attrs["categories"]
        f_x = f["first"].attrs["categories"]
        assert f[f_x].name == "/__categories/a"
    assert by_zarr(store)["first"].attrs["categories"] == "__categories/a"


def make_odd_references(path):
    with h5py.File(path, "w") as f:
        for name in ("__categories/a", "g/__categories/a", "g/__categories/deep/b", "far", "g/far", "x", "null", "first"):
            f[name] = np.arange(3)
        f.create_group("group")
        f["far"].attrs["categories"] = f["g/__categories/a"].ref
        f["g/far"].attrs["categories"] = f["g/__categories/deep/b"].ref
        f["group"].attrs["categories"] = f["__categories/a"].ref
        f["x"].attrs["categories"] = f["__categories/a"].ref
        f["x"].attrs["categories"] = "__categories/a"  # text after a reference is text
        f["null"].attrs.create("categories", None, shape=(), dtype=h5py.ref_dtype)
        f["first"].attrs["categories"] = "__categories/a"
        f["first"].attrs["categories"] = f["__categories/a"].ref


# ---- 0.6: nothing says what it is ----

def old_sparse(f, name, matrix):
    g = f.create_group(name)
    g.attrs["h5sparse_format"], g.attrs["h5sparse_shape"] = matrix.format, np.array(matrix.shape)
    for part in ("data", "indices", "indptr"):
        g.create_dataset(part, data=getattr(matrix, part), maxshape=(None,), chunks=True, compression="gzip")


def old_frame(f, name, rows, *columns):
    """The index is the first member; categories are numbers, explained in uns."""
    kind = np.dtype([("index", "S12"), *((column, values.dtype) for column, values in columns)])
    table = np.zeros(len(rows), kind)
    table["index"] = rows
    for column, values in columns:
        table[column] = values
    f.create_dataset(name, data=table, chunks=True, compression="gzip")


def write_old(path):
    x = sparse.random(30, 20, 0.2, "csr", random_state=1, dtype="f4")
    with h5py.File(path, "w") as f:
        old_sparse(f, "X", x)
        old_frame(f, "obs", [f"cell{i}" for i in range(30)], ("n", np.arange(30)), ("group", np.arange(30, dtype="i1") % 3), ("x", np.linspace(0, 1, 30)))
        old_frame(f, "var", [f"gene{i}" for i in range(20)], ("mean", np.arange(20, dtype="f4")))
        obsm = np.zeros(30, [("X_pca", "f4", (5,)), ("X_umap", "f8", (2,)), ("X_wide", "f4", (50,))])
        obsm["X_pca"], obsm["X_umap"], obsm["X_wide"] = np.ones((30, 5)), np.arange(60).reshape(30, 2), np.arange(1500).reshape(30, 50)
        f.create_dataset("obsm", data=obsm, chunks=True, compression="gzip")
        f.create_dataset("varm", data=np.zeros(20, [("PCs", "f4", (5,))]))
        old_sparse(f, "raw.X", x * 2)
        old_frame(f, "raw.var", [f"gene{i}" for i in range(20)], ("mean", np.arange(20, dtype="f4")))
        f.create_dataset("raw.varm", data=np.zeros(20, [("PCs", "f4", (5,))]))
        f["uns/group_categories"] = np.array([b"a", b"b", b"cc"])
        f["uns/title"], f["uns/number"] = np.array([b"a title"]), np.array([7])
        f["uns/nested/list"] = np.array([b"x", b"yy"])
        old_sparse(f, "uns/neighbors/connectivities", sparse.random(30, 30, 0.1, "csc", random_state=2))


def read(path):
    return anndata.read_h5ad(path)


def test_files_of_0_6(writer, tmp_path):
    write_old(tmp_path / "native.h5ad")
    writer.run(write_old, str(tmp_path / "store.zarr"))
    expected = read(tmp_path / "native.h5ad")
    assert expected.raw.shape == (30, 20) and list(expected.obs["group"].cat.categories) == ["a", "b", "cc"]
    assert_equal(read(tmp_path / "store.zarr"), expected)
    assert_equal(writer.run(read, str(tmp_path / "store.zarr")), expected)


# ---- other languages: attributes of fixed length, other widths ----

def foreign_attributes(node):
    for name in ("encoding-type", "encoding-version", "_index"):
        if name in node.attrs:
            node.attrs[name] = np.bytes_(node.attrs[name])
    if "column-order" in node.attrs and len(node.attrs["column-order"]):
        node.attrs["column-order"] = np.array(node.attrs["column-order"], "S20")
    if "ordered" in node.attrs:
        node.attrs["ordered"] = np.int8(node.attrs["ordered"])
    if "shape" in node.attrs:
        node.attrs["shape"] = node.attrs["shape"].astype("i4")


def write_foreign(path):
    import pandas as pd

    a = anndata.AnnData(sparse.random(6, 4, 0.5, "csr", random_state=1), obs=pd.DataFrame({"c": pd.Categorical(list("abcabc"), ordered=True), "n": range(6)}, index=list("uvwxyz")))
    a.uns["text"], a.uns["none"], a.uns["flag"] = "some", None, True
    a.write_h5ad(path)
    with h5py.File(path, "r+") as f:
        foreign_attributes(f)
        f.visititems(lambda _, node: foreign_attributes(node))


def test_attributes_of_other_languages(writer, tmp_path):
    write_foreign(tmp_path / "native.h5ad")
    writer.run(write_foreign, str(tmp_path / "store.zarr"))
    expected = read(tmp_path / "native.h5ad")
    assert_equal(read(tmp_path / "store.zarr"), expected)
    assert_equal(anndata.read_zarr(tmp_path / "store.zarr"), expected)
