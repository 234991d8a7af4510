"""Asynchronous reads and writes through event sets: values as h5py's own calls see them, and round trips that a server counts."""

import pathlib
import subprocess
import sys

import h5py
import numpy as np
import pytest
import zarr

from event_set import EventSet, best_of_three, check_rounds
from file_server import FileServer

DATASETS, CONNECTIONS, TOGETHER = 100, 60, 80  # 64 requests are under way at once


@pytest.fixture
def server(tmp_path):
    (tmp_path / "served").mkdir()
    running = FileServer(tmp_path / "served")
    yield running
    running.stop()


def make_far(path, consolidated, zarr_format=2):
    """By zarr-python: a hundred arrays of one chunk, and one more."""
    root = zarr.open_group(str(path), mode="w", zarr_format=zarr_format)
    for i in range(DATASETS + 1):
        root.create_array(f"d{i}", data=np.arange(1000, dtype="i4") * i, chunks=(1000,))
    if consolidated:
        zarr.consolidate_metadata(str(path), zarr_format=zarr_format)


def is_right(values):
    return all((row == np.arange(1000) * i).all() for i, row in enumerate(values))


@pytest.mark.parametrize("consolidated", [False, True])
@best_of_three
def test_round_trips_of_a_hundred_datasets(server, consolidated):
    make_far(server.root / "far.zarr", consolidated)
    values = np.full((DATASETS, 1000), -1, dtype="i4")
    with h5py.File(f"{server.url}/far.zarr", "r") as file:
        datasets = [file[f"d{i}"] for i in range(DATASETS)]
        server.clear(together=TOGETHER)
        events = EventSet()
        for dataset, row in zip(datasets, values):
            assert events.read(dataset, row) >= 0
        assert events.count() == DATASETS
        assert events.wait() == (0, False)
        assert is_right(values)
        assert len(server.log) == DATASETS, server.log
        check_rounds(server.rounds(), 4, server.log)
        assert events.close() >= 0


@pytest.mark.parametrize("zarr_format, consolidated, count, rounds",
                         [(2, True, DATASETS, 4), (2, False, CONNECTIONS // 2, 4), (3, False, CONNECTIONS, 4), (2, False, DATASETS, 7), (3, False, DATASETS, 6)])
@best_of_three
def test_opened_read_and_closed_one_by_one(server, zarr_format, consolidated, count, rounds):
    """With consolidated metadata each is opened while the ones before it are read. Without, the documents of all are one round, as are their
    chunks, while there are connections for all (64): format 2 has two documents for each array. A hundred take 5 and 4 where nothing is late."""
    make_far(server.root / "far.zarr", consolidated, zarr_format)
    values = np.full((count + 1, 1000), -1, dtype="i4")
    values[0] = 0
    with h5py.File(f"{server.url}/far.zarr", "r") as file:
        assert file["d0"].shape == (1000,)
        events = EventSet()
        server.clear(together=TOGETHER)
        for i in range(1, count + 1):
            dataset = events.open(file, f"d{i}")
            assert dataset > 0 and events.read(dataset, values[i]) >= 0
            assert events.close_dataset(dataset) >= 0
        assert events.wait() == (0, False) and is_right(values)
        check_rounds(server.rounds(), rounds, server.log)
        events.close()


@best_of_three
def test_many_parts_of_one_dataset(server):
    """They are read beside each other, also where they have chunks in common; a part that goes into memory of another one comes after it."""
    rows = np.arange(100_000, dtype="i4").reshape(100, 1000)
    root = zarr.open_group(str(server.root / "parts.zarr"), mode="w", zarr_format=3)
    root.create_array("plain", data=rows, chunks=(2, 1000))
    root.create_array("sharded", data=rows, chunks=(2, 100), shards=(20, 1000))
    got = np.full_like(rows, -1)
    with h5py.File(f"{server.url}/parts.zarr", "r") as file:
        for name in "plain", "sharded":
            dataset, events = file[name], EventSet()
            server.clear(together=TOGETHER)
            for i, row in enumerate(got):
                space = h5py.h5s.create_simple(rows.shape)
                space.select_hyperslab((i, 0), (1, 1000))
                assert events.read(dataset, row, space=space) >= 0
            assert events.wait() == (0, False)
            np.testing.assert_array_equal(got, rows)
            check_rounds(server.rounds(), 4, server.log)
            for i in 3, 4:
                space.select_hyperslab((i, 0), (1, 1000))
                assert events.read(dataset, got[0], space=space) >= 0
            assert events.wait() == (0, False) and (got[0] == rows[4]).all()
            got[:] = -1
            events.close()


def open_what_is_not_there(url):
    """HDF5 has it before it is known; its requests tell, and so does each call that uses it."""
    row = np.full(1000, -1, dtype="i4")
    with h5py.File(url, "r") as file:
        assert file["d0"].shape == (1000,)
        events, other = EventSet(), EventSet()
        missing, there = events.open(file, "nothing"), other.open(file, "d3")
        assert missing > 0 and events.read(missing, row) >= 0 and other.read(there, row) >= 0
        assert other.wait() == (0, False) and (row == np.arange(1000) * 3).all()
        assert events.wait()[1]
        events.wait()
        texts = events.errors()
        assert texts and all("far.zarr" in text and "nothing" in text for text in texts), texts
        lost = h5py.h5d.DatasetID(missing)
        for use in lambda: lost.shape, lambda: h5py.h5a.exists(lost, b"x"), lambda: h5py.h5o.get_info(lost), lambda: h5py.h5d.open(lost, b"d1"):
            with pytest.raises(Exception, match="nothing"):
                use()
        del lost
        assert events.close_dataset(there) >= 0
        assert events.close() >= 0 and other.close() >= 0
        assert (file["d7"][...] == np.arange(1000) * 7).all()


def test_a_dataset_that_is_not_there(server):
    """In a process of its own: after a failure nothing goes on there."""
    make_far(server.root / "far.zarr", False)
    code = f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r}); from test_event_sets import *; open_what_is_not_there({server.url + '/far.zarr'!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr


def test_looked_at_before_it_is_open(server):
    make_far(server.root / "far.zarr", False)
    with h5py.File(f"{server.url}/far.zarr", "r") as file:
        assert file["d0"].shape == (1000,)
        events = EventSet()
        datasets = [h5py.h5d.DatasetID(events.open(file, f"d{i}")) for i in range(1, 6)]
        server.clear(together=TOGETHER)
        assert [dataset.shape for dataset in datasets] == [(1000,)] * 5 and server.rounds() <= 2, server.log  # a busy machine may let the first one go alone
        assert [h5py.h5i.get_name(dataset) for dataset in datasets] == [f"/d{i}".encode() for i in range(1, 6)]
        assert events.wait() == (0, False) and events.close() >= 0
        assert [int(h5py.Dataset(dataset)[1]) for dataset in datasets] == [1, 2, 3, 4, 5]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s.zarr"


def make_local(path, chunk=1000, length=4000):
    """A few arrays by zarr-python, and what they hold."""
    rows = np.arange(8 * length, dtype="i4").reshape(8, length)
    root = zarr.open_group(str(path), mode="w", zarr_format=2)
    for i, row in enumerate(rows):
        root.create_array(f"d{i}", data=row, chunks=(chunk,))
    return rows


def damage(path, key):
    (path / key).write_bytes(b"no chunk")


def test_a_failure_reaches_the_set(path):
    rows = make_local(path)
    damage(path, "d3/2")
    got = np.full_like(rows, -1)
    with h5py.File(path, "r") as file:
        events, other = EventSet(), EventSet()
        for i in range(8):
            assert events.read(file[f"d{i}"], got[i]) >= 0
        while True:
            left, failed = events.wait()
            if failed or not left:
                break
        assert failed
        events.wait()
        for i in {0, 1, 2, 4, 5, 6, 7}:
            np.testing.assert_array_equal(got[i], rows[i])
        text, = events.errors()
        assert str(path) in text and "d3" in text and "damaged" in text
        refused = np.full(4000, -7, dtype="i4")
        assert events.read(file["d0"], refused) < 0  # HDF5 refuses what comes after a failure
        refused[:] = -8
        assert other.read(file["d1"], refused) >= 0 and other.wait() == (0, False)
        np.testing.assert_array_equal(refused, rows[1])
        assert events.close() >= 0 and other.close() >= 0
        np.testing.assert_array_equal(file["d5"][:], rows[5])


def test_wrong_arguments_fail_in_the_call(path):
    make_local(path)
    with h5py.File(path, "r") as file:
        events = EventSet()
        space = h5py.h5s.create_simple((4000,))
        assert events.read(file["d0"], np.zeros(7, "i4"), space=space) < 0
        assert events.write(file["d0"], np.zeros(4000, "i4")) < 0  # it is open to be read
        assert events.count() == 0 and events.close() >= 0


def test_canceled_writes_are_whole_or_nothing(path):
    make_local(path, chunk=200_000, length=200_000)
    values = np.full((8, 200_000), 5, dtype="i4")
    values[:, ::3] = 7
    with h5py.File(path, "r+") as file:
        events = EventSet()
        for i in range(8):
            assert events.write(file[f"d{i}"], values[i]) >= 0
        going_on, failed = events.cancel()
        assert not failed and events.count() <= going_on
        assert events.wait() == (0, False) and events.close() >= 0
        written = [(file[f"d{i}"][:] == values[i]).all() for i in range(8)]
        untouched = [file[f"d{i}"][:].tolist() == list(range(i * 200_000, (i + 1) * 200_000)) for i in range(8)]
    assert all(a != b for a, b in zip(written, untouched)) and sum(written) <= going_on + 8


def test_closing_and_waiting_for_a_time(path):
    rows = make_local(path)
    file = h5py.File(path, "r+")
    events = EventSet()
    kept = [file[f"d{i}"].id for i in range(8)]
    for i in range(8):
        assert events.write(kept[i].id, rows[7 - i]) >= 0
    assert events.close() < 0 or events.id < 0  # HDF5 closes no set with operations under way
    del kept
    file.close()  # waits
    left, failed = events.wait(0)
    assert (left, failed) == (0, False)
    with h5py.File(path, "r") as file:
        for i in range(8):
            np.testing.assert_array_equal(file[f"d{i}"][:], rows[7 - i])
    assert events.close() >= 0


EXIT = """
import sys
sys.path.insert(0, {here!r})
import h5py, numpy, os
from event_set import EventSet, best_of_three, check_rounds
file = h5py.File({path!r}, "r+")
events = EventSet()
values = numpy.arange(32000, dtype="i4").reshape(8, 4000)[::-1].copy()
for i in range(8):
    assert events.write(file[f"d{{i}}"], values[i]) >= 0
{end}
"""
FORK = """
child = os.fork()
if child == 0:
    got = numpy.zeros(4000, dtype="i4")
    try:
        events.wait()
    finally:
        ok = (file["d2"][:].size, len(file)) == (4000, 8)
        os._exit(0 if ok else 3)
assert os.waitpid(child, 0)[1] == 0
assert events.wait() == (0, False)
"""


@pytest.mark.parametrize("end", ["", FORK])
def test_exit_and_fork_with_requests_under_way(path, end):
    rows = make_local(path)
    code = EXIT.format(here=str(pathlib.Path(__file__).parent), path=str(path), end=end)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    with h5py.File(path, "r") as file:
        for i in range(8):
            np.testing.assert_array_equal(file[f"d{i}"][:], rows[7 - i])


WAITING = """
import sys
sys.path.insert(0, {here!r})
import h5py, numpy, os
from event_set import EventSet, best_of_three, check_rounds
file = h5py.File({url!r}, "r")
assert file["d0"].shape == (1000,)
events, rows, kept = EventSet(), numpy.full((9, 1000), -1, dtype="i4"), []
def are_right():
    return all((rows[i] == numpy.arange(1000) * i).all() for i in range(1, 9))
for i in range(1, 9):
    dataset = events.open(file, f"d{{i}}")
    assert dataset > 0 and events.read(dataset, rows[i]) >= 0
    kept += [dataset] if i % 2 or events.close_dataset(dataset) < 0 else []
assert len(kept) == 4 and (rows[1] == -1).all()
{end}
"""
WAITED = "assert events.wait() == (0, False) and are_right()"
WAITING_ENDS = {
    "exit": "",
    "fork": f"""
child = os.fork()
if child == 0:
    done = False
    try:
        {WAITED}
        done = True
    finally:
        os._exit(0 if done else 3)
assert os.waitpid(child, 0)[1] == 0
{WAITED}
""",
    "closing": """
for dataset in kept:
    assert events.close_dataset(dataset) >= 0
file.close()
assert are_right() and events.wait() == (0, False) and events.close() >= 0
""",
    "polling": """
while events.wait(0)[0]:
    pass
assert are_right()
""",
    "canceling": f"assert not events.cancel()[1]\n{WAITED}",
    "set_closed": f"assert events.close() < 0\n{WAITED}",
}


@pytest.mark.parametrize("end", WAITING_ENDS)
def test_ends_of_datasets_that_wait_to_be_opened(server, end):
    make_far(server.root / "far.zarr", False, 3)
    code = WAITING.format(here=str(pathlib.Path(__file__).parent), url=f"{server.url}/far.zarr", end=WAITING_ENDS[end])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
