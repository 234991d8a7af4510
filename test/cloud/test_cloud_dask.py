"""Worker processes of dask.distributed write one store in a bucket: it is the one that a single process writes, object for object, and
zarr-python's values are Dask's. And what tasks ask for."""

import os

import numpy as np
import pytest
import zarr

import dask_work
from dask_work import WHOLE, make
from interpreter import Interpreter

FORMATS = {"v2": "format=2", "v3": "format=3", "shards": "format=3;shards=4K"}


@pytest.fixture(scope="module")
def dask(proxy):
    with dask_work.interpreter() as running:
        yield running


@pytest.fixture(params=FORMATS)
def options(request):
    return FORMATS[request.param]


@pytest.fixture(params=["v2", "v3"])
def options_of_chunks(request):
    """Each chunk is an object."""
    return FORMATS[request.param]


def same_store(dask, judge, place, work, *arguments, scheme="", **keywords):
    """Made by workers and by one process: {key: ETag} are equal. The URL of the former."""
    many, one = place / "many.zarr", place / "one.zarr"
    dask_work.both(dask, work, scheme + many, scheme + one, arguments, keywords)
    assert judge.keys(many) == judge.keys(one) != {}
    return many


@pytest.mark.parametrize("of", [(32, 64), (13, 9)], ids=["chunks", "across"])
def test_store(dask, judge, place, options, of):
    url = same_store(dask, judge, place, dask_work.store, options, of=of, **WHOLE)
    np.testing.assert_array_equal(judge.group(url)["g/x"][:], dask_work.values(WHOLE["shape"]) + 1)


def test_blocks_that_share_chunks(dask, judge, place, options):
    """72 blocks over 24 objects, no lock of Dask's: each chunk is put on the condition that nobody else changed it."""
    url = place / "x.zarr"
    make(dask, url, options)
    assert dask.run(dask_work.store_again, url, (11, 9), 2) is None
    np.testing.assert_array_equal(judge.group(url)["g/x"][:], dask_work.values(WHOLE["shape"]) * 3)


def test_to_hdf5(dask, judge, place, options):
    url = same_store(dask, judge, place, dask_work.to_hdf5, options)
    np.testing.assert_array_equal(judge.group(url)["a/x"][:], dask_work.values((60, 40)))


def test_anndata(dask, judge, place, options):
    url = same_store(dask, judge, place, dask_work.write_h5ad, options)
    dense = dask_work.values((100, 30))
    np.testing.assert_array_equal(judge.group(url)["X"][:], dense)
    assert dask.run(dask_work.read_lazy, url) == (dense.sum(), (dense % 7 * (dense % 5 == 0)).sum(), 2 * dense[:, :3].sum())


def test_anndata_whose_x_workers_write(dask, judge, place, options):
    url = same_store(dask, judge, place, dask_work.write_h5ad_and_x, options)
    group = judge.group(url)
    np.testing.assert_array_equal(group["X"][:], dask_work.values((100, 30)))
    names = group["obs/_index"]
    if isinstance(names, zarr.Group):  # anndata 0.13: texts, and which of them are missing
        names = names["values"]
    assert group.attrs["encoding-type"] == "anndata" and names[99] == "c99"


@pytest.mark.parametrize("compute", [True, False])
def test_xarray(dask, judge, place, options, compute):
    """It takes s3:// for a name of its own, zarr+s3:// not."""
    url = same_store(dask, judge, place, dask_work.to_netcdf, options, scheme="zarr+", compute=compute)
    np.testing.assert_array_equal(judge.group(url)["t"][:], dask_work.values((70, 40)))


def is_document(path):
    return path.rpartition("/")[2].startswith((".z", "zarr.json"))


def test_tasks_that_change_no_document_write_none(dask, judge, place, proxy, options_of_chunks):
    url = place / "x.zarr"
    make(dask, url, options_of_chunks)
    counts = {}
    for lines in 16, 8:  # 6 tasks of 4 whole chunks, 12 of 4 halves
        log = proxy.counted(lambda: dask.run(dask_work.put_rows, url, lines))
        changes = [entry["path"] for entry in log if entry["kind"] not in ("GET", "RANGE", "HEAD", "LIST")]
        assert len(changes) >= 24 and not any(map(is_document, changes)), changes
        counts[lines] = log.kinds()
    assert counts[16]["PUT"] == 24 and sum(counts[16].values()) <= 6 * (4 + 15), counts
    assert sum(counts[8].values()) <= 12 * (4 * 5 + 14), counts
    np.testing.assert_array_equal(judge.group(url)["g/x"][:, 0], np.arange(96) // 8 * 8)


def test_who_closes_last_and_changed_no_document_writes_none(dask, judge, place, proxy, options_of_chunks):
    """The copy that those left who changed some stays, and has all."""
    url = place / "x.zarr"
    make(dask, url, options_of_chunks)
    dask.run(dask_work.hold, url)
    dask.run(dask_work.add_all, url, 4)
    log = proxy.counted(lambda: dask.run(dask_work.write_held, 7))
    changes = [entry["path"] for entry in log if entry["kind"] not in ("GET", "RANGE", "HEAD", "LIST")]
    assert len(changes) >= 4 and not any(map(is_document, changes)), changes
    group = judge.group(url, use_consolidated=True)
    assert sorted(group["tasks"]) == sorted(map(str, range(4))) and (group["g/x"][:8] == 7).all()


def test_a_task_that_changes_documents_copies_them_once(dask, judge, place, proxy):
    """One after the other, so that none meets another's."""
    url = place / "x.zarr"
    make(dask, url, "format=2")
    for number in range(3):
        log = proxy.counted(lambda: dask.run(dask_work.add, url, number))
        kinds = [entry["kind"] for entry in log if entry["path"].endswith("/.zmetadata")]
        assert kinds.count("PUT") == 1 and kinds.count("DELETE") <= 1, kinds
    assert sorted(judge.group(url, use_consolidated=True)["tasks"]) == ["0", "1", "2"]


def test_tasks_that_change_documents(dask, judge, place, options):
    """The last one leaves the copy of all documents, with everything in it."""
    url = place / "x.zarr"
    make(dask, url, options)
    dask.run(dask_work.add_all, url, 9)
    for use in True, False:
        group = judge.group(url, use_consolidated=use)
        assert {name: value for name, value in group.attrs.items() if name != "_HDF5"} == {f"task{i}": i for i in range(9)}
        assert sorted(group["tasks"]) == sorted(map(str, range(9)))
        assert [list(group[f"tasks/{i}/result"][:]) for i in range(9)] == [[i] * 3 for i in range(9)]


def test_a_task_tells_what_fails(dask, place, proxy):
    """Nobody closes what was sent to a worker: so a write waits until the bucket has it, and is an error where it does not take it."""
    url = place / "x.zarr"
    make(dask, url, "format=2")
    proxy.rules({"kind": "PUT", "path": "/x.zarr/g/x/", "fault": "answer", "status": 403, "body": "<Error><Code>AccessDenied</Code></Error>"})
    said = dask.run(dask_work.fail_later, url)
    proxy.clear()
    assert said and "g/x/" in said and "AccessDenied" in said, said


def test_options_go_along(dask, place, proxy):
    """Where a process has no settings, those of who sends the dataset count."""
    url = place / "x.zarr"
    make(dask, url, "format=2")
    endpoint = os.environ["AWS_ENDPOINT_URL_S3"]
    sent = dask.run(dask_work.pickled, url, f"endpoint={endpoint}")
    environment = dask_work.with_workers()
    del environment["AWS_ENDPOINT_URL_S3"]
    other = Interpreter(environment)
    assert other.run(dask_work.total_of, sent) == (dask_work.values(WHOLE["shape"]) + 1).sum()
    other.stop()
