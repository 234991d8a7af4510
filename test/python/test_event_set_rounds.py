"""What an event set needs of a remote store is fetched together, while the program computes: documents and chunks of datasets, groups,
attributes, questions. A server counts round trips, and tells what was asked for before anybody waited. One by one the objects of a test would take more
than a hundred. The bounds are two more than docs/limits.md has: a busy machine may keep the program waiting between two calls."""

import pathlib
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest
import zarr

from event_set import EventSet, best_of_three, check_rounds
from file_server import FileServer

TOGETHER, COUNT = 80, 60  # 64 requests are under way at once


@pytest.fixture
def server(tmp_path):
    (tmp_path / "served").mkdir()
    running = FileServer(tmp_path / "served")
    yield running
    running.stop()


def values(i, length=1000):
    return np.arange(length, dtype="i4") * i


def make(path, zarr_format, groups=False, length=1000):
    """By zarr-python: arrays d0, d1 ... of chunks of 1,000 elements with an attribute, or (groups) g0/d, g1/d ... in groups that have one."""
    root = zarr.open_group(str(path), mode="w", zarr_format=zarr_format)
    for i in range(COUNT):
        above = root.create_group(f"g{i}", attributes={"number": i}) if groups else root
        above.create_array("d" if groups else f"d{i}", data=values(i, length), chunks=(1000,), attributes={"number": i})
    if groups:
        root.create_array("d0", data=values(0), chunks=(1000,))


def asked(server):
    return [path.split()[0] for _, _, _, path in server.log]


def wait_for(server, key):
    """No call of HDF5 is made meanwhile."""
    for _ in range(200):
        if any(path.endswith(key) for path in asked(server)):
            return
        time.sleep(0.1)
    raise AssertionError(f"{key} was not asked for: {asked(server)}")


@pytest.mark.parametrize("zarr_format, chunk", [(2, "/d7/0"), (3, "/d7/c/0")])
def test_a_block_comes_while_the_program_computes(server, zarr_format, chunk):
    """A dataset is opened and read by the set, and its chunk is there before the program calls HDF5 again. So is one of an open dataset."""
    make(server.root / "far.zarr", zarr_format)
    got = np.full((2, 1000), -1, dtype="i4")
    with h5py.File(f"{server.url}/far.zarr", "r") as file:
        assert file["d0"].shape == (1000,)
        events = EventSet()
        server.clear()
        dataset = events.open(file, "d7")
        assert dataset > 0 and events.read(dataset, got[0]) >= 0 and events.close_dataset(dataset) >= 0
        wait_for(server, chunk)
        count = len(server.log)
        assert events.wait() == (0, False) and len(server.log) == count, asked(server)
        server.clear()
        assert events.read(file["d0"], got[1]) >= 0
        wait_for(server, chunk.replace("7", "0"))
        assert events.wait() == (0, False) and events.close() >= 0
    assert (got[0] == values(7)).all() and (got[1] == 0).all()


def test_parts_that_are_read_come_and_no_more(server):
    """Of a selection its chunks are fetched, each once, and none is remembered: the next read asks again."""
    make(server.root / "far.zarr", 3, length=9000)
    got = np.full(1500, -1, dtype="i4")
    with h5py.File(f"{server.url}/far.zarr", "r") as file:
        assert file["d0"].shape == (9000,)
        for value in values(5, 9000), values(11, 9000):
            events = EventSet()
            server.clear()
            space = h5py.h5s.create_simple((9000,))
            space.select_hyperslab((2800,), (1500,))
            dataset = events.open(file, "d5")
            assert events.read(dataset, got, space=space) >= 0 and events.close_dataset(dataset) >= 0
            assert events.wait() == (0, False) and events.close() >= 0
            np.testing.assert_array_equal(got, value[2800:4300])
            chunks = sorted(path for path in asked(server) if "/c/" in path)
            assert chunks == [f"/far.zarr/d5/c/{i}" for i in (2, 3, 4)], asked(server)
            zarr.open_array(str(server.root / "far.zarr/d5"), mode="r+")[:] = values(11, 9000)


@pytest.mark.parametrize("zarr_format, rounds", [(2, 5), (3, 3)])
@pytest.mark.parametrize("by_name", [False, True])
@best_of_three
def test_attributes_of_many_datasets(server, zarr_format, rounds, by_name):
    """They come with the documents of their datasets, which are fetched together: format 2 has two or three for each."""
    make(server.root / "far.zarr", zarr_format)
    got = np.full(COUNT, -1, dtype="i8")
    there = np.full((COUNT, 2), 7, dtype="u1")
    with h5py.File(f"{server.url}/far.zarr", "r") as file:
        assert file["d0"].shape == (1000,)
        events = EventSet()
        server.clear(together=TOGETHER)
        for i in range(COUNT):
            path = f"d{i}" if by_name else None
            dataset = file if by_name else events.open(file, f"d{i}")
            attribute = events.open_attribute(dataset, "number", path)
            assert attribute > 0 and events.read_attribute(attribute, got[i : i + 1]) >= 0 and events.close_attribute(attribute) >= 0
            assert events.attribute_exists(dataset, "number", there[i, :1], path) >= 0
            assert events.attribute_exists(dataset, "nothing", there[i, 1:], path) >= 0
            assert by_name or events.close_dataset(dataset) >= 0
        assert events.wait() == (0, False)
        assert got.tolist() == list(range(COUNT)) and (there == [1, 0]).all()
        check_rounds(server.rounds(), rounds, server.log)
        assert events.close() >= 0
        assert file["d9"].attrs["number"] == 9 and (file["d9"][...] == values(9)).all()


@pytest.mark.parametrize("zarr_format, rounds", [(2, 7), (3, 5)])
@pytest.mark.parametrize("how", ["groups", "paths"])
@best_of_three
def test_datasets_in_groups(server, zarr_format, rounds, how):
    """A group and the dataset in it are opened, and read, in the rounds that datasets alone take, though nobody looked into the group before."""
    make(server.root / "far.zarr", zarr_format, groups=True)
    got, numbers = np.full((COUNT, 1000), -1, dtype="i4"), np.full(COUNT, -1, dtype="i8")
    with h5py.File(f"{server.url}/far.zarr", "r") as file:
        assert file["d0"].shape == (1000,)
        events = EventSet()
        server.clear(together=TOGETHER)
        for i in range(COUNT):
            group = events.open_group(file, f"g{i}") if how == "groups" else None
            dataset = events.open(group or file, "d" if group else f"g{i}/d")
            attribute = events.open_attribute(group or dataset, "number")
            assert min(dataset, attribute) > 0 and events.read(dataset, got[i]) >= 0 and events.read_attribute(attribute, numbers[i : i + 1]) >= 0
            assert events.close_attribute(attribute) >= 0 and events.close_dataset(dataset) >= 0
            assert not group or events.close_group(group) >= 0
        assert events.wait() == (0, False)
        assert all((got[i] == values(i)).all() for i in range(COUNT)) and numbers.tolist() == list(range(COUNT))
        check_rounds(server.rounds(), rounds, server.log)
        assert events.close() >= 0


@pytest.mark.parametrize("zarr_format, rounds", [(2, 9), (3, 6)])
@best_of_three
def test_questions_about_names(server, zarr_format, rounds):
    """Of a name that is not there the documents of both formats are asked for, five of them."""
    make(server.root / "far.zarr", zarr_format)
    there = np.full((COUNT, 2), 7, dtype="u1")
    with h5py.File(f"{server.url}/far.zarr", "r") as file:
        assert file["d0"].shape == (1000,)
        events = EventSet()
        server.clear(together=TOGETHER)
        for i in range(COUNT):
            assert events.exists(file, f"d{i}", there[i, :1]) >= 0 and events.exists(file, f"none{i}", there[i, 1:]) >= 0
        assert events.wait() == (0, False) and (there == [1, 0]).all()
        check_rounds(server.rounds(), rounds, server.log)
        server.clear()
        assert events.exists(file, "none3", there[3, :1]) >= 0 and events.exists(file, "d3", there[3, 1:]) >= 0
        assert events.wait() == (0, False) and there[3].tolist() == [0, 1] and not server.log  # both are known
        assert (file["d3"][...] == values(3)).all() and events.close() >= 0


def use_what_is_not_there(url):
    with h5py.File(url, "r") as file:
        assert file["d0"].shape == (1000,)
        there, number = np.zeros(1, "u1"), np.zeros(1, "i8")
        wanted = {"no/such": lambda events: events.open_group(file, "no/such"),
                  "nothing": lambda events: events.open_attribute(file, "nothing", "d2"),
                  "d5": lambda events: events.open_group(file, "d5"),
                  "lost": lambda events: events.attribute_exists(file, "number", there, "lost")}
        sets = {}
        for name, use in wanted.items():
            sets[name] = EventSet()
            assert use(sets[name]) >= 0
        more = EventSet()
        group = more.open_group(file, "gone")
        inner, attribute = more.open(group, "d"), more.open_attribute(group, "number")
        assert inner > 0 and more.read_attribute(attribute, number) >= 0
        for name, events in sets.items():
            while not events.wait()[1]:
                pass
            text, = events.errors()
            assert name in text and "far.zarr" in text, (name, text)
        while not more.wait()[1]:
            pass
        with pytest.raises(Exception, match="gone"):
            len(h5py.h5g.GroupID(group))
        with pytest.raises(Exception, match="gone"):
            h5py.h5a.AttrID(attribute).shape


def test_what_is_not_there(server):
    """In a process of its own: after a failure nothing goes on there."""
    make(server.root / "far.zarr", 3)
    here = str(pathlib.Path(__file__).parent)
    code = f"import sys; sys.path.insert(0, {here!r}); from test_event_set_rounds import *; use_what_is_not_there({server.url + '/far.zarr'!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
