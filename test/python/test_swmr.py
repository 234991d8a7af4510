"""Single writer, multiple readers: one process writes, others follow; step by step, and as native HDF5 does it."""

import ctypes
import os
import subprocess

import h5py
import numpy as np
import pytest
import zarr

from alike import outcome
from interpreter import Interpreter
from places import COMMAND, by_zarr, with_connector

OPEN = {}


def begin(path):
    f = OPEN["f"] = h5py.File(path, "w", libver="latest")
    d = f.create_dataset("rows", (0, 3), "f8", chunks=(4, 3), maxshape=(None, 3), fillvalue=-1)
    d.attrs["written"] = 0
    f.create_dataset("other", data=np.zeros(5, "i4"))
    f.flush()


def start(path):
    OPEN["f"].swmr_mode = True
    return OPEN["f"].swmr_mode, OPEN["f"].mode


def append(count):
    d = OPEN["f"]["rows"]
    old = d.shape[0]
    d.resize(old + count, axis=0)
    d[old:] = np.arange(old, old + count)[:, None]
    d.flush()
    return d.shape


def write_other():
    OPEN["f"]["other"][2] = 7


def count_written():
    d = OPEN["f"]["rows"]
    d.attrs["written"] = d.shape[0]
    d.flush()


def follow(path):
    f = OPEN["f"] = h5py.File(path, "r", swmr=True)
    OPEN["rows"] = f["rows"]
    return f.swmr_mode, f.mode


def seen():
    d = OPEN["rows"]
    before = d.shape
    d.refresh()
    return before, d.shape, d[...].tolist(), int(d.attrs["written"])


def end():
    OPEN.pop("f").close()
    OPEN.clear()


def story(path, writer, readers):
    """What all of them saw, in order."""
    told = []
    writer.run(begin, path)
    told.append(writer.run(start, path))
    for reader in readers:
        told.append(reader.run(follow, path))
    for count in (1, 2, 5):
        told.append(writer.run(append, count))
        told += [reader.run(seen) for reader in readers]
    writer.run(count_written)
    told += [reader.run(seen) for reader in readers]
    writer.run(end)
    told += [reader.run(seen) for reader in readers]
    for reader in readers:
        reader.run(end)
    return told


def let_go():
    if "f" in OPEN:
        end()


@pytest.fixture(scope="module")
def interpreters():
    """Three interpreters for each environment, for all tests of this module."""
    of_environment = {}
    yield of_environment
    for trio in of_environment.values():
        for interpreter in trio:
            interpreter.stop()


@pytest.fixture
def three(interpreters):
    """A function that gives three interpreters under some environment; they hold no file when the test begins."""
    used = []

    def give_them(environment):
        key = tuple(sorted((name, value) for name, value in environment.items() if name != "PYTEST_CURRENT_TEST"))
        trio = interpreters.setdefault(key, [Interpreter(environment) for _ in range(3)])
        used.extend(trio)
        return trio[0], trio[1:]

    yield give_them
    for interpreter in used:
        if interpreter.process:
            interpreter.run(let_go)


FORMS = {
    "ours.zarr": "zarr",
    "one.zarr": "zarr create=*.zarr:file",
    "one3.zarr": "zarr create=*.zarr:file;format=3",
    "synced.zarr": "zarr create=*.zarr:file;sync=1",
    "ours.zarr.zip": "zarr",
}


@pytest.mark.parametrize("name", FORMS)
def test_readers_follow_a_writer(name, three, tmp_path):
    native = story(str(tmp_path / "native.h5"), *three(dict(os.environ)))
    ours = story(str(tmp_path / name), *three(with_connector(FORMS[name])))
    assert ours == native
    assert by_zarr_here(tmp_path / name)["rows"][...].tolist() == [[i] * 3 for i in range(8)]


def by_zarr_here(path):
    """What zarr-python reads of a directory, or of one file."""
    return by_zarr(zarr.storage.ZipStore(path, mode="r") if path.is_file() else path)


def follow_object(path):
    OPEN["f"] = h5py.File(open(path, "rb"), "r")
    OPEN["rows"] = OPEN["f"]["rows"]


def test_a_file_object_is_followed_too(three, tmp_path):
    path = str(tmp_path / "one.zarr")
    writer, (reader, _) = three(with_connector("zarr create=*.zarr:file"))
    writer.run(begin, path)
    writer.run(start, path)
    reader.run(follow_object, path)
    for count in (2, 3):
        shape = writer.run(append, count)
        assert reader.run(seen)[1] == shape
    writer.run(end)
    assert reader.run(seen)[2] == [[i] * 3 for i in range(5)]


def write_without_locks(path, value):
    with h5py.File(path, "r+", locking=False) as f:
        f["rows"][0] = value


@pytest.mark.parametrize("how", ["packed", "without locks"])
def test_a_reader_follows_the_file_that_took_the_stores_place(how, three, tmp_path):
    path = str(tmp_path / "one.zarr")
    writer, (reader, other) = three(with_connector("zarr create=*.zarr:file"))
    writer.run(begin, path)
    writer.run(append, 2)
    writer.run(end)
    reader.run(follow, path)
    inode = os.stat(path).st_ino
    if how == "packed":
        other.run(plain_open, path, "r+")
        subprocess.run([COMMAND, "compact", path], check=True, capture_output=True)
    else:
        other.run(write_without_locks, path, 9)
    assert os.stat(path).st_ino != inode
    assert reader.run(seen)[2] == [[0 if how == "packed" else 9] * 3, [1] * 3]
    other.run(write_without_locks, path, 8)
    assert reader.run(seen)[2] == [[8] * 3, [1] * 3]


def add_member(name):
    OPEN["f"].create_group(name).attrs["of"] = name
    OPEN["f"].attrs["last"] = name
    OPEN["f"].flush()


def refreshed(function):
    """The members and the last attribute of the root, after a refresh by that function of HDF5's."""
    names = [line.split()[-1] for line in open("/proc/self/maps") if "libhdf5-" in line or "libhdf5.so" in line]
    group = OPEN["f"]["/"]
    assert getattr(ctypes.CDLL(names[0]), function)(ctypes.c_int64(group.id.id)) >= 0
    return sorted(group), group.attrs["last"]


@pytest.mark.parametrize("name", FORMS)
def test_groups_are_refreshed_by_each_function(name, three, tmp_path):
    """Native readers under SWMR see no new groups: the judge is what was written."""
    path = str(tmp_path / name)
    writer, (reader, _) = three(with_connector(FORMS[name]))
    writer.run(begin, path)
    writer.run(add_member, "first")
    reader.run(follow, path)
    for member, function in (("later", "H5Grefresh"), ("latest", "H5Orefresh")):
        writer.run(add_member, member)
        names, last = reader.run(refreshed, function)
        assert member in names and last == member
    writer.run(end)
    assert "latest" in reader.run(refreshed, "H5Grefresh")[0]


def test_flushing_a_dataset_shows_it_to_zarr(three, tmp_path):
    """Each step is whole for readers who know nothing of HDF5, and flushing one dataset writes no other."""
    path = str(tmp_path / "s.zarr")
    writer, _ = three(with_connector())
    writer.run(begin, path)
    writer.run(start, path)
    writer.run(write_other)
    for count in (3, 4):
        rows = writer.run(append, count)[0]
        assert by_zarr(path)["rows"][...].tolist() == [[i] * 3 for i in range(rows)]
    assert by_zarr(path)["other"][...].tolist() == [0] * 5
    writer.run(end)
    assert by_zarr(path)["other"][...].tolist() == [0, 0, 7, 0, 0]


def begin_with_scales(path):
    f = OPEN["f"] = h5py.File(path, "w", libver="latest")
    for name, length in ("time", 0), ("x", 3):
        f.create_dataset(name, (length,), "f8", maxshape=(None,), chunks=(2,)).make_scale(name)
    d = f.create_dataset("rows", (0, 3), "f8", chunks=(4, 3), maxshape=(None, 3))
    for axis, name in enumerate(("time", "x")):
        d.dims[axis].attach_scale(f[name])
    d.attrs["written"] = np.int16(0)
    f.flush()


def scales_seen():
    """After a refresh of each: lengths, scales, who uses them, and the type of an attribute."""
    f = OPEN["f"]
    for name in f:
        f[name].id.refresh()
    d = f["rows"]
    users = {name: [f[use["dataset"]].name for use in f[name].attrs.get("REFERENCE_LIST", [])] for name in ("time", "x")}
    return {name: f[name].shape for name in f}, [axis[0].name for axis in d.dims], users, str(d.attrs["written"].dtype)


def story_of_scales(path, writer, reader):
    writer.run(begin_with_scales, path)
    seen = [writer.run(start, path), reader.run(follow, path)]
    for count in (1, 2):
        seen += [writer.run(append, count), reader.run(scales_seen)]
    writer.run(lengthen_time)
    seen.append(reader.run(scales_seen))
    writer.run(end)
    return seen


def lengthen_time():
    time = OPEN["f"]["time"]
    time.resize((3,))
    time[...] = [10, 20, 30]
    time.flush()


@pytest.mark.parametrize("options", ["zarr", "zarr format=3"])
def test_scales_stay_while_an_array_is_longer(options, three, tmp_path):
    """An array that is flushed by itself is longer than its unlimited dimension, until that is flushed, too."""
    writer, readers = three(dict(os.environ))
    native = story_of_scales(str(tmp_path / "native.h5"), writer, readers[0])
    writer, readers = three(with_connector(options))
    assert story_of_scales(str(tmp_path / "s.zarr"), writer, readers[0]) == native
    rows = by_zarr(tmp_path / "s.zarr")["rows"]
    assert list(rows.attrs.get("_ARRAY_DIMENSIONS") or rows.metadata.dimension_names) == ["time", "x"]


def plain_open(path, mode):
    with h5py.File(path, mode) as f:
        return f.mode


def why_not(path, mode):
    """What programs look for in the message (silx does), to try again as SWMR readers."""
    try:
        return plain_open(path, mode)
    except OSError as error:
        return "file is already open for write" in str(error)


def test_locks_let_readers_in(three, tmp_path):
    """locking=1: a writer is alone until it starts SWMR; then readers come, another writer does not."""
    path = str(tmp_path / "s.zarr")
    writer, (reader, other) = three(with_connector("zarr locking=1"))
    writer.run(begin, path)
    assert reader.run(outcome_of, follow, path)[:2] == ["raised", "BlockingIOError"]
    writer.run(start, path)
    assert reader.run(follow, path) == (True, "r")
    assert other.run(outcome_of, plain_open, path, "r+")[:2] == ["raised", "BlockingIOError"]
    assert writer.run(append, 2) == (2, 3)
    assert reader.run(seen)[1] == (2, 3)
    writer.run(end)
    assert other.run(plain_open, path, "r+") == "r+"  # the reader does not lock writers out
    reader.run(end)


def test_only_swmr_readers_join_a_swmr_writer(three, tmp_path):
    """Whatever is locked, as native does it; and whatever native does, nobody truncates."""
    told = []
    for name, environment in (("native.h5", dict(os.environ)), ("ours.zarr", with_connector())):
        path = str(tmp_path / name)
        writer, (reader, other) = three({**environment, "HDF5_USE_FILE_LOCKING": "FALSE"})
        writer.run(begin, path)
        writer.run(start, path)
        said = [other.run(why_not, path, mode) for mode in ("r", "r+", "a")]
        said.append(reader.run(follow, path))
        writer.run(append, 2)
        said.append(reader.run(seen)[:2])
        said.append(other.run(outcome_of, plain_open, path, "r")[0] == "raised")
        if name == "ours.zarr":
            assert other.run(outcome_of, plain_open, path, "w")[0] == "raised"
        writer.run(end)
        said.append(other.run(plain_open, path, "r"))
        reader.run(end)
        said.append(other.run(plain_open, path, "r+"))
        told.append(said)
    assert told[0] == told[1] and told[0][:3] == [True] * 3


def test_a_killed_swmr_writer_shuts_nobody_out(three, tmp_path):
    """Where a native file keeps its marks, until somebody clears them."""
    path = str(tmp_path / "s.zarr")
    writer, (reader, other) = three(with_connector())
    writer.run(begin, path)
    writer.run(start, path)
    assert other.run(outcome_of, plain_open, path, "r")[0] == "raised"
    writer.process.kill()
    writer.bury()
    assert other.run(plain_open, path, "r+") == "r+"


def hold(path, mode, locking):
    OPEN["f"] = h5py.File(path, mode, locking=locking)


def locked_open(path, mode, locking):
    with h5py.File(path, mode, locking=locking) as f:
        return f.mode


@pytest.mark.parametrize("held, tried, shared", [("r+", "r+", False), ("r+", "r", False), ("r", "r+", False), ("r", "r", True)])
def test_a_program_that_asks_for_locks_gets_them(held, tried, shared, three, tmp_path):
    """h5py's locking=True is H5Pset_file_locking; who does not ask is not asked."""
    said = []
    for name, environment in (("native.h5", dict(os.environ)), ("ours.zarr", with_connector())):
        path = str(tmp_path / name)
        holder, (other, third) = three(environment)
        holder.run(locked_open, path, "w", False)
        holder.run(hold, path, held, True)
        said.append([other.run(outcome_of, locked_open, path, tried, locking) for locking in (True, False)])
        holder.run(end)
        said[-1].append(other.run(locked_open, path, tried, True))
    assert said[1] == said[0]
    assert (said[0][0][0] == "raised") != shared
    assert third.run(locked_open, path, "r+", False) == "r+"


def test_nothing_is_locked_by_default_and_nothing_against_the_programs_word(three, tmp_path):
    path = str(tmp_path / "s.zarr")
    holder, (other, _) = three(with_connector())
    holder.run(begin, path)
    assert [other.run(locked_open, path, "r+", locking) for locking in (None, "best-effort")] == ["r+", "r+"]
    holder.run(end)
    holder, (other, _) = three(with_connector("zarr locking=1"))
    holder.run(hold, path, "r+", None)
    assert [other.run(outcome_of, locked_open, path, "r+", locking)[0] for locking in (None, False)] == ["raised", "r"]
    holder.run(end)


def outcome_of(function, *arguments):
    return list(outcome(lambda: function(*arguments)))
