"""write_h5ad with format=3, with and without shards, as a directory and as a zip; backed work on such stores."""

import h5py
import numpy as np
import pytest
import zarr

from interpreter import Interpreter
from places import with_connector

anndata = pytest.importorskip("anndata")
from anndata.tests.helpers import assert_equal  # noqa: E402
from scipy import sparse  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", params=["format=3", "format=3;shards=64k"])
def options(request):
    return request.param


@pytest.fixture(scope="module")
def writer(options):
    interpreter = Interpreter(with_connector(f"zarr {options}"))
    yield interpreter
    interpreter.stop()


def by_zarr(path):
    return zarr.storage.ZipStore(path, mode="r") if path.suffix == ".zip" else path


def copy(source, target):
    anndata.read_h5ad(source).write_h5ad(target)


def write_two(dense, csr):
    anndata.AnnData(np.arange(600, dtype="f4").reshape(30, 20)).write_h5ad(dense, compression="gzip")
    with h5py.File(dense, "r+") as f:  # chunks smaller than a shard
        whole, attributes = f["X"][()], dict(f["X"].attrs)
        del f["X"]
        f.create_dataset("X", data=whole, chunks=(4, 5)).attrs.update(attributes)
    anndata.AnnData(sparse.random(30, 20, 0.3, "csr", dtype="f4", random_state=1)).write_h5ad(csr)


def change_backed(dense, csr):
    data = anndata.read_h5ad(dense, backed="r+")
    data.X[3:7, 2:8] = -1
    data.X[29] = 5
    data.obs["n"] = np.arange(30.0)
    data.write()
    data.file.close()
    data = anndata.read_h5ad(csr, backed="r+")
    data.X.append(sparse.csr_matrix(np.full((2, 20), 3, "f4")))
    data.file.close()


@pytest.mark.parametrize("name", ["out.zarr", "out.zarr.zip"])
def test_real_data(name, tmp_path, writer, options, real_data):
    path = tmp_path / name
    writer.run(copy, real_data, str(path))
    expected = anndata.read_h5ad(real_data)
    assert_equal(anndata.read_zarr(by_zarr(path)), expected)
    assert_equal(anndata.read_h5ad(path), expected)
    root = zarr.open_group(by_zarr(path), mode="r")
    assert root.metadata.zarr_format == 3 and root.metadata.consolidated_metadata
    assert (root["obs/n_counts"].shards is not None) == ("shards" in options)


@pytest.mark.parametrize("suffix", [".zarr", ".zarr.zip"])
def test_backed(suffix, tmp_path, writer, options):
    dense, csr = tmp_path / f"dense{suffix}", tmp_path / f"csr{suffix}"
    writer.run(write_two, str(dense), str(csr))
    before = anndata.read_h5ad(csr).X.toarray()
    for path in (dense, csr):
        lazy, whole = anndata.read_h5ad(path, backed="r"), anndata.read_h5ad(path).to_df().to_numpy()
        assert np.array_equal(lazy[10:20, 5:9].to_memory().to_df().to_numpy(), whole[10:20, 5:9])
        lazy.file.close()
    writer.run(change_backed, str(dense), str(csr))

    expected = np.arange(600, dtype="f4").reshape(30, 20)
    expected[3:7, 2:8], expected[29] = -1, 5
    root = zarr.open_group(by_zarr(dense), mode="r")
    assert np.array_equal(root["X"][...], expected) and root["obs/n"][29] == 29
    assert (root["X"].shards is not None) == ("shards" in options)
    root = zarr.open_group(by_zarr(csr), mode="r")["X"]
    stored = sparse.csr_matrix((root["data"][...], root["indices"][...], root["indptr"][...]), shape=(32, 20))
    assert np.array_equal(stored.toarray(), np.vstack([before, np.full((2, 20), 3, "f4")]))
