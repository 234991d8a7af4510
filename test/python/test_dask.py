"""Worker processes of dask.distributed write one store: it is the one that a single process writes, byte for byte, and zarr-python's
values are Dask's."""

import anndata
import numpy as np
import pytest
import zarr

import dask_work
from dask_work import WHOLE, make
from places import files

FORMATS = {"v2": "format=2", "v3": "format=3", "shards": "format=3;shards=4K"}


@pytest.fixture(scope="module")
def dask():
    with dask_work.interpreter() as running:
        yield running


@pytest.fixture(params=FORMATS)
def options(request):
    return FORMATS[request.param]


def same_store(dask, tmp_path, work, *arguments, **keywords):
    """Made by workers and by one process: {name: bytes} are equal. The path of the former."""
    many, one = tmp_path / "many.zarr", tmp_path / "one.zarr"
    dask_work.both(dask, work, many, one, arguments, keywords)
    assert files(many) == files(one)
    return many


@pytest.mark.parametrize("of", [(32, 64), (13, 9)], ids=["chunks", "across"])
def test_store(dask, tmp_path, options, of):
    """Blocks of whole chunks, and of parts of them."""
    path = same_store(dask, tmp_path, dask_work.store, options, of=of, **WHOLE)
    np.testing.assert_array_equal(zarr.open_group(path, mode="r")["g/x"][:], dask_work.values(WHOLE["shape"]) + 1)


def test_blocks_that_share_chunks(dask, tmp_path, options):
    """72 blocks over 24 chunks, no lock of Dask's, time and again: nothing of any is lost."""
    path = tmp_path / "x.zarr"
    make(dask, path, options)
    assert dask.run(dask_work.store_again, str(path), (11, 9), 3) is None
    np.testing.assert_array_equal(zarr.open_group(path, mode="r")["g/x"][:], dask_work.values(WHOLE["shape"]) * 4)


def test_to_hdf5(dask, tmp_path, options):
    path = same_store(dask, tmp_path, dask_work.to_hdf5, options)
    group, y = zarr.open_group(path, mode="r"), dask_work.values((90,))
    np.testing.assert_array_equal(group["a/x"][:], dask_work.values((60, 40)))
    np.testing.assert_array_equal(group["y"][:], y.sum() + y)


def test_anndata(dask, tmp_path, options):
    path = same_store(dask, tmp_path, dask_work.write_h5ad, options)
    dense = dask_work.values((100, 30))
    np.testing.assert_array_equal(zarr.open_group(path, mode="r")["X"][:], dense)
    assert dask.run(dask_work.read_lazy, str(path)) == (dense.sum(), (dense % 7 * (dense % 5 == 0)).sum(), 2 * dense[:, :3].sum())


def test_anndata_whose_x_workers_write(dask, tmp_path, options):
    path = same_store(dask, tmp_path, dask_work.write_h5ad_and_x, options)
    data = anndata.read_zarr(path)
    np.testing.assert_array_equal(data.X, dask_work.values((100, 30)))
    assert data.obs_names[99] == "c99" and data.var_names[29] == "g29"


@pytest.mark.parametrize("compute", [True, False])
def test_xarray(dask, tmp_path, options, compute):
    path = same_store(dask, tmp_path, dask_work.to_netcdf, options, compute=compute)
    group = zarr.open_group(path, mode="r")
    np.testing.assert_array_equal(group["t"][:], dask_work.values((70, 40)))
    np.testing.assert_array_equal(group["m"][:], dask_work.values((40,)))


def documents(path):
    """What would tell that one was written again."""
    found = [p for p in path.rglob("*") if p.name.startswith(".z") or p.name == "zarr.json"]
    return {p: (p.stat().st_ino, p.stat().st_mtime_ns) for p in found}


def test_tasks_that_change_no_document_write_none(dask, tmp_path, options):
    path = tmp_path / "x.zarr"
    make(dask, path, options)
    before = documents(path)
    assert dask.run(dask_work.put_rows, str(path), 12) == 8
    assert documents(path) == before and len(before) >= 3
    np.testing.assert_array_equal(zarr.open_group(path, mode="r")["g/x"][:, 0], np.arange(96) // 12 * 12)


def test_who_closes_last_and_changed_no_document_writes_none(dask, tmp_path, options):
    """The copy that those left who changed some stays, and has all."""
    path = tmp_path / "x.zarr"
    make(dask, path, options)
    dask.run(dask_work.hold, str(path))
    dask.run(dask_work.add_all, str(path), 4)
    before = documents(path)
    dask.run(dask_work.write_held, 7)
    assert documents(path) == before
    group = zarr.open_consolidated(path)
    assert sorted(group["tasks"]) == sorted(map(str, range(4))) and (group["g/x"][:8] == 7).all()


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_tasks_that_change_documents(dask, tmp_path, form):
    """The last one leaves the copy of all documents, with everything in it."""
    path = tmp_path / "x.zarr"
    make(dask, path, FORMATS[form])
    dask.run(dask_work.add_all, str(path), 12)
    copied = zarr.open_consolidated(path, zarr_format=int(form[1]))
    plain = zarr.open_group(path, mode="r", use_consolidated=False)
    for group in copied, plain:
        assert {name: value for name, value in group.attrs.items() if name != "_HDF5"} == {f"task{i}": i for i in range(12)}
        assert sorted(group["tasks"]) == sorted(map(str, range(12)))
        for i in range(12):
            assert list(group[f"tasks/{i}/result"][:]) == [i] * 3
