"""Forks, workers and threads over one store: a child has connections of its own, and the parent's stay the parent's."""

import multiprocessing
import os
import threading

import h5py
import numpy as np
import pytest

VALUES = np.arange(10000.0).reshape(100, 100)


@pytest.fixture(scope="module")
def store(bucket, judge):
    import zarr

    url = f"s3://{bucket}/processes.zarr"
    group = judge.group(url, mode="w", zarr_format=3)
    group.create_array("m", data=VALUES, chunks=(10, 10))
    zarr.consolidate_metadata(group.store)
    return url


def read_rows(url, start):
    with h5py.File(url, "r") as f:
        return f["m"][start:start + 10].sum()


def in_child(work):
    """What work() returns in a forked child, which is a number."""
    source, target = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(target, repr(float(work())).encode())
            os._exit(0)
        except BaseException as error:  # noqa: BLE001
            os.write(target, f"failed: {error!r}".encode())
            os._exit(1)
    os.close(target)
    with os.fdopen(source) as answer:
        text = answer.read()
    assert os.waitpid(pid, 0)[1] == 0, text
    return float(text)


def test_a_forked_child_reads(store):
    with h5py.File(store, "r") as f:
        data = f["m"]
        assert data[:10].sum() == VALUES[:10].sum()
        assert in_child(lambda: data[10:20].sum()) == VALUES[10:20].sum()
        assert in_child(lambda: read_rows(store, 20)) == VALUES[20:30].sum()
        assert data[30:40].sum() == VALUES[30:40].sum()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers(store, method):
    read_rows(store, 0)
    with multiprocessing.get_context(method).Pool(3) as pool:
        sums = pool.starmap_async(read_rows, [(store, start) for start in range(0, 100, 10)]).get(timeout=120)
    assert sums == [VALUES[start:start + 10].sum() for start in range(0, 100, 10)]


def test_fork_in_the_middle_of_a_transfer(store, proxy):
    """The parent's transfer goes on, the child's begins anew."""
    proxy.latency(100)
    with h5py.File(store, "r") as f:
        data, read = f["m"], []
        reader = threading.Thread(target=lambda: read.append(data[:].sum()))
        reader.start()
        children = [os.fork() for _ in range(3)]
        if 0 in children:
            os._exit(0)
        for child in children:
            assert os.waitpid(child, 0)[1] == 0
        reader.join(timeout=60)
        assert read == [VALUES.sum()]
    proxy.clear()
    assert in_child(lambda: read_rows(store, 50)) == VALUES[50:60].sum()


def write_and_fork(url):
    """Chunks are put while the program goes on: some are under way when it forks, more wait."""
    with h5py.File(url, "w") as f:
        data = f.create_dataset("m", data=VALUES, chunks=(10, 10))
        for _ in range(3):
            pid = os.fork()
            if pid == 0:
                os._exit(0 if (data[:] == VALUES).all() else 1)
            data[:10] = VALUES[:10]
            assert os.waitpid(pid, 0)[1] == 0


def test_fork_while_chunks_are_put(place, proxy, connector, judge):
    url = place / "x.zarr"
    proxy.latency(100)
    connector.run(write_and_fork, url)
    np.testing.assert_array_equal(judge.group(url)["m"][:], VALUES)


def write_part(url, part):
    with h5py.File(url, "r+") as f:
        f["m"][part * 10:part * 10 + 10] = part
        f.attrs[f"part{part}"] = part


def write_by_workers(url):
    with h5py.File(url, "w") as f:
        f.create_dataset("m", shape=(50, 6), dtype="i4", chunks=(7, 6))
    with multiprocessing.get_context("fork").Pool(3) as pool:
        pool.starmap(write_part, [(url, part) for part in range(5)])


def test_workers_write(place, connector, judge):
    """Parts of the same chunks."""
    url = place / "x.zarr"
    connector.run(write_by_workers, url)
    group = judge.group(url, use_consolidated=False)
    np.testing.assert_array_equal(group["m"][:], np.repeat(np.arange(5), 10)[:, None] * np.ones(6))
    assert {name: value for name, value in group.attrs.items() if name != "_HDF5"} == {f"part{i}": i for i in range(5)}
