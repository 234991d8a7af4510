"""h5Seurat (seurat.py lays one out): native -> Zarr -> native by h5repack, and what plain zarr-python sees in between."""

import h5py
import numpy as np
import pytest

import seurat
from places import by_zarr

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", params=[2, 3], ids=["v2", "v3"])
def repacked(request, tmp_path_factory, tool):
    where = tmp_path_factory.mktemp("seurat")
    seurat.write(where / "native.h5seurat")
    tool("h5repack", "--dst-vol-name=zarr", where / "native.h5seurat", where / "store.zarr", VOL_ZARR_FORMAT=str(request.param))
    return where


def same_files(tool, one, other):
    tool("h5diff", one, other)
    dumps = [tool("h5dump", path).replace(str(path), "") for path in (one, other)]
    assert dumps[0] == dumps[1] and len(dumps[0].splitlines()) > 800


def test_back_to_native_all_is_as_it_was(repacked, tool):
    tool("h5repack", "--src-vol-name=zarr", "--dst-vol-name=native", repacked / "store.zarr", repacked / "back.h5seurat")
    same_files(tool, repacked / "native.h5seurat", repacked / "back.h5seurat")
    with h5py.File(repacked / "native.h5seurat") as a, h5py.File(repacked / "back.h5seurat") as b:
        for name in ("meta.data/percent.mt", "meta.data/nFeature_RNA", "reductions/pca/cell.embeddings", "cell.names"):
            assert b[name].maxshape == (None,) * b[name].ndim and b[name].compression_opts == 4
            assert a[name].dtype == b[name].dtype and a[name].chunks == b[name].chunks
        bits = [f["meta.data/percent.mt"][()].view("u8").tolist() for f in (a, b)]
        assert bits[0] == bits[1] and bits[0][5] == 0x7FF00000000007A2  # R's NA is a NaN like no other


def test_written_through_the_connector(tmp_path, connector, tool):
    seurat.write(tmp_path / "native.h5seurat")
    connector.run(seurat.write, str(tmp_path / "store.zarr"))
    same_files(tool, tmp_path / "native.h5seurat", tmp_path / "store.zarr")


def test_zarr_python_sees_matrices_as_they_lie_in_the_file(repacked):
    f = by_zarr(repacked / "store.zarr")
    for name, in_r in (("assays/RNA/scale.data", seurat.matrix(2, 3, 12)), ("assays/ATAC/data", seurat.matrix(3, 4, 12)),
                       ("reductions/pca/cell.embeddings", seurat.matrix(4, 12, 5)),
                       ("reductions/pca/feature.loadings", seurat.matrix(5, 3, 5))):
        assert f[name].shape == in_r.shape[::-1]
        np.testing.assert_array_equal(f[name][()].T, in_r)
    assert f["images/slice1/image"].shape == (3, 8, 9) and f["reductions/pca/jackstraw/empirical.p.values"].shape == (0, 0)
    assert f["tools/run/b/cube"][()].tolist() == np.arange(24.0).reshape(4, 3, 2).tolist()


def test_zarr_python_builds_the_sparse_matrices(repacked):
    sparse = pytest.importorskip("scipy.sparse")
    f = by_zarr(repacked / "store.zarr")
    for name, in_r in (("assays/RNA/counts", seurat.counts()), ("assays/RNA/data", np.log1p(seurat.counts())),
                       ("graphs/RNA_nn", np.eye(12))):
        g = f[name]
        made = sparse.csc_matrix((g["data"][()], g["indices"][()], g["indptr"][()]), shape=g.attrs["dims"])
        assert g["indices"].dtype == g["indptr"].dtype == "i4"
        np.testing.assert_array_equal(made.toarray(), in_r)


def test_zarr_python_sees_factors_logicals_and_frames(repacked):
    f = by_zarr(repacked / "store.zarr")
    frame = f["meta.data"]
    ident = frame["orig.ident"]
    assert [ident["levels"][()][i - 1] for i in ident["values"][()]] == ["pbmc", "größer"] * 6
    assert frame["cluster/values"][:3].tolist() == [1, 2, seurat.NA_INTEGER] and frame.attrs["_index"] == ["_index"]
    assert frame["is.doublet"].dtype == "i4" and frame["is.doublet"][()].tolist() == [0, 1, 2] * 4
    assert frame["nFeature_RNA"][3] == seurat.NA_INTEGER
    assert frame["percent.mt"][()].view("u8")[5] == 0x7FF00000000007A2
    assert frame["note"][()].tolist() == ["", "b", "ñ"] * 4
    assert frame.attrs["logicals"] == ["is.doublet"] and frame.attrs["colnames"][0] == "orig.ident"
    features = f["assays/RNA/meta.features"]
    assert features.dtype.names == ("gene", "mean", "n", "variable") and features.attrs["logicals"] == ["variable"]
    assert features[()].tolist() == [(gene, 0.5 * i, i, i % 3) for i, gene in enumerate(seurat.GENES)]
    assert f["cell.names"][()].tolist() == seurat.CELLS


def test_zarr_python_sees_classes_lists_and_commands(repacked):
    f = by_zarr(repacked / "store.zarr")
    assert [f.attrs[name] for name in ("project", "active.assay", "version")] == [["SeuratProject"], ["RNA"], ["3.1.5.9900"]]
    assert f["assays/ATAC"].attrs["s4class"] == ["Signac:ChromatinAssay"] and f["tools/run"].attrs["s3class"] == ["outcome", "list"]
    assert f["reductions/pca"].attrs["global"] == [0] and f["graphs/RNA_nn"].attrs["assay.used"] == ["RNA"]
    assert sorted(f["tools/run/b"].array_keys()) == ["b1", "b2", "cube", "flags"] and list(f["misc"].keys()) == []
    assert f["tools/run"].attrs["names"] == ["a", "b"] and f["tools/run/a__names__"][()].tolist() == ["x", "y", "z"]
    assert f["tools/run/b/flags"][()].tolist() == [1, 0, 2] and f["tools/run/b/flags"].attrs["s3class"] == ["logical"]
    log = f["commands/FindNeighbors.RNA.pca"]
    assert log.attrs["call.string"] == ["FindNeighbors(object = pbmc, ", "    dims = 1:10)"]
    assert log["dims"][()].tolist() == list(range(1, 11)) and log["reduction"][()].tolist() == ["pca"]
