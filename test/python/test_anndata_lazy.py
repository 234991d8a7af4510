"""AnnData's work that never holds all data: dask arrays written by threads, read_lazy, concat_on_disk; each as on native files."""

import os
import pathlib

import h5py
import numpy as np
import pytest

from places import by_zarr

anndata = pytest.importorskip("anndata")
da = pytest.importorskip("dask.array")
pytest.importorskip("xarray")
pd = pytest.importorskip("pandas")
sparse = pytest.importorskip("scipy.sparse")
from anndata.experimental import concat_on_disk, read_lazy  # noqa: E402
from anndata.io import read_elem, write_elem  # noqa: E402
from anndata.tests.helpers import assert_equal  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

FORMS = {"v2": {}, "v3 shards": {"VOL_ZARR_FORMAT": "3", "VOL_ZARR_SHARDS": "4k"}}
DENSE = np.arange(97 * 53, dtype="f4").reshape(97, 53)


def sample(seed=0, rows=40, columns=25, kind="csr"):
    """Some genes are common to all seeds, some are not."""
    draw = np.random.default_rng(seed)
    x = sparse.random(rows, columns, 0.2, kind, random_state=seed, dtype="f4")
    obs = pd.DataFrame({"g": pd.Categorical(np.array(["a", "b", "c"])[np.arange(rows) % (seed % 3 + 1)]), "n": np.arange(rows), "text": [f"t{i % 7}ü" for i in range(rows)],
                        "maybe": pd.array([None, 1, 2, 3] * (rows // 4), dtype="Int32"), "flag": pd.array([None, True] * (rows // 2), dtype="boolean")},
                       index=[f"{seed}-{i}" for i in range(rows)])
    a = anndata.AnnData(x, obs=obs, var=pd.DataFrame({"m": np.arange(float(columns))}, index=[f"v{i + seed * 2}" for i in range(columns)]))
    a.layers["dense"], a.layers["other"] = draw.random((rows, columns)), x * 2
    a.obsm["X_pca"], a.obsm["frame"] = draw.random((rows, 3)), obs[["n"]].copy()
    a.varm["PCs"], a.obsp["near"], a.uns["note"] = draw.random((columns, 2)), sparse.eye(rows, format="csr"), {"k": [1, 2], "t": "text"}
    return a


# ---- dask arrays are written by several threads, in blocks that are not our chunks ----

def dask_dense(path):
    lazy = da.from_array(DENSE, chunks=(10, 7))
    a = anndata.AnnData(lazy, layers={"l": lazy + 1, "bool": lazy > 9})
    a.obsm["o"] = lazy[:, :5].rechunk((13, 2))
    a.write_h5ad(path)
    with h5py.File(f"{path}.more", "w") as f:
        write_elem(f, "packed", lazy, dataset_kwargs={"chunks": (16, 16), "compression": "gzip", "shuffle": True})
        write_elem(f, "lzf", lazy.astype("i8"), dataset_kwargs={"chunks": (9, 50), "compression": "lzf"})
        write_elem(f, "columns", lazy.rechunk((97, 1)), dataset_kwargs={"chunks": (97, 4)})
    with h5py.File(f"{path}.more") as f:
        return read_elem(f["packed"]), read_elem(f["lzf"]), read_elem(f["columns"]), anndata.read_h5ad(path)


def dask_sparse(path):
    csr = sparse.random(97, 53, 0.3, "csr", random_state=3)
    rows = da.from_array(csr, chunks=(10, 53))
    columns = da.from_array(csr.tocsc(), chunks=(97, 11))
    with h5py.File(path, "w") as f:
        write_elem(f, "rows", rows)
        write_elem(f, "columns", columns, dataset_kwargs={"compression": "gzip"})
    with h5py.File(path) as f:
        return read_elem(f["rows"]), read_elem(f["columns"]), dict(f["rows"].attrs)["shape"].tolist()


# ---- read_lazy opens the file anew for every block ----

def lazily(path):
    sample().write_h5ad(path, compression="gzip")
    a = read_lazy(path)
    seen = [a.shape, a.X[3:9].compute().toarray(), a.layers["dense"][::3, [1, 5]].compute(), a.obsm["X_pca"].compute(), a.obs["n"].values.sum(),
            list(a.obs["g"].values[:5]), [pd.isna(v) for v in a.obs["maybe"].values[:4]], a[a.obs["n"] > 30].to_memory(), a.to_memory()]
    a.file.close()
    with h5py.File(path) as f:
        b = read_lazy(f, load_annotation_index=False)
        seen += [np.asarray(b.obs["text"].values[:3]).tolist(), b.layers["other"].compute().toarray()]
    return seen


def lazily_concatenated(path):
    paths = [f"{path}.{seed}.h5ad" for seed in range(2)]
    for seed, name in enumerate(paths):
        sample(seed).write_h5ad(name)
    files = [h5py.File(name) for name in paths]
    whole = anndata.concat([read_lazy(f) for f in files], join="outer").to_memory()
    for f in files:
        f.close()
    return whole


# ---- concat_on_disk ----

def concatenated(path, kinds=("csr", "csr", "csr"), **options):
    paths = [f"{path}.{seed}.h5ad" for seed in range(len(kinds))]
    for seed, (name, kind) in enumerate(zip(paths, kinds)):
        a = sample(seed, kind=kind.removeprefix("dense beside "))
        if kind.startswith("dense"):
            a.X = a.layers["dense"]
        if options.get("axis") == 1:
            a.obs_names = [f"o{i}" for i in range(a.n_obs)]
        a.write_h5ad(name)
    concat_on_disk([pathlib.Path(name) for name in paths], pathlib.Path(f"{path}.all.h5ad"), **options)
    return anndata.read_h5ad(f"{path}.all.h5ad")


def concat_outer(path):
    return concatenated(path, join="outer", label="batch", keys=["x", "y", "z"], index_unique="-", max_loaded_elems=200)


def concat_inner(path):
    return concatenated(path, uns_merge="same", merge="same")


def concat_columns(path):
    return concatenated(path, kinds=("csc", "csc"), axis=1, join="outer")


def concat_dense(path):
    return (concatenated(path, kinds=("dense beside csr",) * 2, join="outer", fill_value=-1),
            concatenated(f"{path}.columns", kinds=("dense beside csc",) * 2, axis=1))


def concat_one(path):
    return concatenated(path, kinds=("csr",))


CASES = {case.__name__: case for case in (dask_dense, dask_sparse, lazily, lazily_concatenated, concat_outer, concat_inner, concat_columns, concat_dense,
                                          concat_one)}


def same(ours, native):
    if isinstance(native, (list, tuple)):
        assert len(ours) == len(native)
        for a, b in zip(ours, native):
            same(a, b)
    else:
        assert_equal(ours, native)


def run(path, name, options=None):
    os.environ.update(options or {})
    try:
        return CASES[name](path)
    finally:
        for key in options or {}:
            del os.environ[key]


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    known = {}

    def answer(name):
        if name not in known:
            known[name] = run(str(tmp_path_factory.mktemp("native") / "x.h5ad"), name)
        return known[name]

    return answer


@pytest.mark.parametrize("name, form", [*((name, "v2") for name in CASES), *((name, "v3 shards") for name in ("dask_dense", "dask_sparse", "lazily", "concat_outer"))])
def test_as_on_native_files(name, form, connector, tmp_path, native):
    same(connector.run(run, str(tmp_path / "x.h5ad"), name, FORMS[form]), native(name))
    for store in tmp_path.iterdir():  # what was written so is a store for AnnData too
        if store.suffix == ".h5ad" and "sparse" not in name:
            assert_equal(anndata.read_zarr(store), anndata.read_h5ad(store))
        assert by_zarr(store).metadata.zarr_format == (3 if "3" in form else 2)


def test_read_lazy_of_what_anndata_wrote_to_zarr(tmp_path):
    """By its name: read_lazy takes a path for HDF5 if it ends in .h5ad."""
    for zarr_format in (2, 3):
        with anndata.settings.override(zarr_write_format=zarr_format, auto_shard_zarr_v3=True):
            sample().write_zarr(tmp_path / f"{zarr_format}.h5ad")
        a = read_lazy(tmp_path / f"{zarr_format}.h5ad")
        assert a.file.is_open
        assert_equal(a.to_memory(), anndata.read_zarr(tmp_path / f"{zarr_format}.h5ad"))
        a.file.close()
