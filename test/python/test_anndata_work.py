"""What people do with AnnData files beyond reading and writing: backed mode, appending, overwriting, concatenation, wide frames."""

import numpy as np
import pytest

anndata = pytest.importorskip("anndata")
pd = pytest.importorskip("pandas")
sparse = pytest.importorskip("scipy.sparse")
import h5py  # noqa: E402
from anndata.io import read_elem, sparse_dataset, write_elem  # noqa: E402
from anndata.tests.helpers import assert_equal  # noqa: E402

from alike import outcome  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def sample(rows=60, columns=25, seed=0, kind="csr"):
    x = sparse.random(rows, columns, 0.2, kind, random_state=seed, dtype="f4")
    obs = pd.DataFrame({"g": pd.Categorical(np.array(["a", "b", "c"])[np.arange(rows) % 3]), "n": np.arange(rows)}, index=[f"{seed}-{i}" for i in range(rows)])
    a = anndata.AnnData(x, obs=obs, var=pd.DataFrame(index=[f"v{i}" for i in range(columns)]))
    a.layers["dense"] = np.arange(rows * columns, dtype="f8").reshape(rows, columns)
    a.obsm["X_pca"] = np.ones((rows, 3), "f4")
    return a


def backed_reading(path):
    sample().write_h5ad(path)
    b = anndata.read_h5ad(path, backed="r")
    seen = [b.X[3:9].toarray(), b.X[5, 7], b[10:20, 3:9].X.toarray(), b[b.obs["g"] == "b"].to_memory().X.toarray(), b[:5].layers["dense"],
            [chunk.sum() for chunk, _, _ in b.chunked_X(17)], b.isbacked, list(b.obs_names[:3])]
    b.file.close()
    return seen


def backed_writing(path):
    a = sample()
    a.X = a.X.toarray()
    a.write_h5ad(path)
    b = anndata.read_h5ad(path, backed="r+")
    b.X[4:8] = 5
    b.X[[1, 20], 3] = 6
    b.obs["new"] = "text"
    del b.layers["dense"]
    b.write()
    b.file.close()
    return anndata.read_h5ad(path)


def as_dense(path):
    sample().write_h5ad(path, as_dense=["X"])
    with h5py.File(path) as f:
        return f["X"].shape, f["X"][...], list(f)


def compressed(path):
    sample().write_h5ad(path, compression="gzip", compression_opts=5)
    with h5py.File(path) as f:
        return anndata.read_h5ad(path), f["layers/dense"].compression, f["layers/dense"].compression_opts, f["X/data"].chunks


def appending(path):
    with h5py.File(path, "w") as f:
        write_elem(f, "x", sample(seed=1).X)
        for seed in range(2, 6):
            sparse_dataset(f["x"]).append(sample(seed=seed).X)
    with h5py.File(path) as f:
        return read_elem(f["x"]).toarray(), f["x/data"].maxshape, list(f["x"].attrs["shape"])


def overwriting(path):
    a = sample()
    a.write_h5ad(path)
    with h5py.File(path, "r+") as f:
        write_elem(f, "obs", a.obs.assign(extra=1.5))
        write_elem(f["obsm"], "X_umap", np.zeros((60, 2)))
        write_elem(f["obsm"], "X_pca", np.full((60, 5), 2.0))
        write_elem(f, "X", a.layers["dense"])
        write_elem(f["uns"], "new", {"deep": {"k": [1, 2], "s": "text"}})
    first = anndata.read_h5ad(path)
    sample(seed=9, rows=5).write_h5ad(path)
    return first, anndata.read_h5ad(path)


def whole_root(path):
    with h5py.File(path, "w") as f:
        write_elem(f, "/", sample(seed=1))
        write_elem(f, "/", sample(seed=2))
    return anndata.read_h5ad(path)


def concatenation(path):
    from anndata.experimental import concat_on_disk

    sources = []
    for seed in range(3):
        sources.append(f"{path}.{seed}.h5ad")
        a = sample(seed=seed)
        del a.layers["dense"], a.obsm["X_pca"]  # dense ones need dask
        a.write_h5ad(sources[-1])
    concat_on_disk(sources, f"{path}.all.h5ad")
    return anndata.read_h5ad(f"{path}.all.h5ad")


def wide_frame(path):
    frame = pd.DataFrame({f"column {i}": [i, i + 1] for i in range(5001)}, index=["a", "b"])
    with h5py.File(path, "w") as f:
        write_elem(f, "frame", frame)
    with h5py.File(path) as f:
        back = read_elem(f["frame"])  # not compared column by column: that takes half a minute
        return back.equals(frame), list(back.columns)[4990:], len(f["frame"]), list(f["frame"])[:3]


def partly(path):
    sample().write_h5ad(path)
    with h5py.File(path) as f:
        from anndata._core.sparse_dataset import sparse_dataset

        x = sparse_dataset(f["X"])
        return [x[2:5].toarray(), x[[1, 3, 50]].toarray(), x[np.arange(60) % 7 == 0].toarray(), x.to_memory().toarray(), f["layers/dense"][10:20, [1, 5]], x.shape]


def two_handles(path):
    sample().write_h5ad(path)
    with h5py.File(path, "r+") as f, h5py.File(path, "r+") as g:
        write_elem(f["uns"], "a", 1)
        write_elem(g["uns"], "b", [1, 2])
        return read_elem(g["uns/a"]), read_elem(f["uns/b"])


def strings_to_categoricals(path):
    a = sample()
    a.obs["text"] = ["few", "values"] * 30
    a.obs["many"] = [f"t{i}" for i in range(60)]
    a.write_h5ad(path)
    b = anndata.read_h5ad(path)
    return str(b.obs["text"].dtype), str(b.obs["many"].dtype), b


def missing(path):
    return outcome(lambda: anndata.read_h5ad(path)), outcome(lambda: anndata.read_h5ad(path, backed="r+"))


CASES = {case.__name__: case for case in (backed_reading, backed_writing, as_dense, compressed, appending, overwriting, whole_root, concatenation, wide_frame, partly,
                                          two_handles, strings_to_categoricals, missing)}


def same(ours, native):
    if isinstance(native, (list, tuple)):
        assert len(ours) == len(native)
        for a, b in zip(ours, native):
            same(a, b)
    else:
        assert_equal(ours, native)


def run(path, name):
    return CASES[name](path)


@pytest.mark.parametrize("name", CASES)
def test_as_on_native_files(name, connector, tmp_path):
    (tmp_path / "native").mkdir()
    (tmp_path / "ours").mkdir()
    same(connector.run(run, str(tmp_path / "ours" / "x.h5ad"), name), run(str(tmp_path / "native" / "x.h5ad"), name))



def test_what_was_changed_opens_as_zarr(connector, tmp_path):
    changed = connector.run(run, str(tmp_path / "x.h5ad"), "overwriting")[1]
    assert_equal(anndata.read_zarr(tmp_path / "x.h5ad"), changed)
    backed = connector.run(run, str(tmp_path / "y.h5ad"), "backed_writing")
    assert_equal(anndata.read_zarr(tmp_path / "y.h5ad"), backed)
