"""Chunks that nobody wrote, of arrays with dimension scales in format 2: they are put only where none is. The judges are zarr-python and boto3."""

import time
from concurrent.futures import ThreadPoolExecutor

import h5py
import pytest

COUNT = 300


def make(url, count):
    with h5py.File(url, "w") as f:
        x = f.create_dataset("x", shape=(count,), maxshape=(None,), chunks=(count,), dtype="i4")
        x.make_scale("x")
        d = f.create_dataset("d", shape=(count,), maxshape=(None,), chunks=(1,), dtype="i4", compression="gzip")
        d.dims[0].attach_scale(x)
        d[1] = 5


def grow(url, count):
    """The array is one that others know by now."""
    with h5py.File(url, "r+") as f:
        f["x"].resize((count,))
        f["d"].resize((count,))


def wait_for(event):
    end = time.monotonic() + 60
    while not event():
        assert time.monotonic() < end
        time.sleep(0.01)


def stored_at(judge, place, chunk):
    return judge.client.head_object(Bucket=place.bucket, Key=f"{place.key('a.zarr')}/d/{chunk}")["LastModified"]


@pytest.mark.parametrize("at", [0, 2, 5])
def test_a_chunk_put_meanwhile_stays(place, judge, proxy, writers, at):
    """Another process stores one after ours has listed the array, and before ours puts fill there."""
    url = place / "a.zarr"
    writers("zarr").run(make, url, 2)
    theirs = judge.get(url, "d/1")
    proxy.rules({"fault": "gate", "kind": "PUT", "path": f"/d/{at + 2}$"})
    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(writers("zarr").run, grow, url, 9)
        try:
            wait_for(lambda: work.done() or proxy.held())
            assert not work.done(), "no chunk was put"
            judge.put(url, f"d/{at + 2}", theirs)
            written = stored_at(judge, place, at + 2)
        finally:
            proxy.clear()
        work.result(timeout=60)
    array = judge.array(f"{url}/d")
    expected = [0, 5] + [5 if i == at else 0 for i in range(7)]
    assert array.fill_value is None and array[:].tolist() == expected
    assert stored_at(judge, place, at + 2) == written


def test_rounds(place, judge, proxy, writers):
    """They are put together, not one after the other."""
    url = place / "a.zarr"
    writers("zarr").run(make, url, COUNT)
    more = proxy.counted(lambda: writers("zarr").run(grow, url, 2 * COUNT), ms=20)
    assert judge.array(f"{url}/d")[:].tolist() == [0, 5] + [0] * (2 * COUNT - 2)
    assert more.rounds() < 60, more.rounds()
