"""The journal of a writer that was killed: without it nobody tells where names lead, nothing removes it unread, and it counts no
more when the store that it tells of is gone."""

import os

import h5py
import numpy as np
import pytest

import stopping
from interpreter import Failed
from places import by_zarr
from test_truncate import delete

TOO_LARGE = 257 << 20


def make(path):
    with h5py.File(path, "w") as f:
        f["a"] = np.arange(3, dtype="i4")
        f.create_group("g")["second"] = f["a"]
        f.attrs["to"] = f["a"].ref


def end_while(change, path):
    assert stopping.one_child(change, path) == 0


def move(path):
    f = h5py.File(path, "r+")
    f.move("a", "b")
    f.move("b", "g/b")
    os._exit(0)


def names(path, mode="r"):
    with h5py.File(path, mode) as f:
        return sorted(f["g"]), f["g/second"][...].tolist(), f[f.attrs["to"]].name


def write_anew(path):
    with h5py.File(path, "w") as f:
        f["a"] = np.arange(2, dtype="i4")
        f["second"] = f["a"]
        f.attrs["to"] = f["a"].ref
    with h5py.File(path) as f:
        return sorted(f), f["second"][...].tolist(), f[f.attrs["to"]].name


@pytest.fixture
def killed(connector, tmp_path):
    path = tmp_path / "s.zarr"
    connector.run(make, str(path))
    connector.run(end_while, move, str(path))
    return path


def journal_of(path):
    return path.parent / f".{path.name}.partial" / "journal"


def fill(journal):
    """It is larger than what is read; its size before."""
    size = journal.stat().st_size
    os.truncate(journal, TOO_LARGE)
    return size


@pytest.mark.parametrize("mode", ["r", "r+"])
def test_unread_journal(connector, killed, mode):
    size = fill(journal_of(killed))
    for _ in range(2):
        with pytest.raises(Failed, match=r"s\.zarr: \.s\.zarr\.partial/journal: \d+ bytes, more than the \d+ that are read"):
            connector.run(names, str(killed), mode)
    os.truncate(journal_of(killed), size)
    assert connector.run(names, str(killed), mode) == (["b", "second"], [0, 1, 2], "/g/b")
    assert connector.run(names, str(killed)) == (["b", "second"], [0, 1, 2], "/g/b")
    assert journal_of(killed).exists() == (mode == "r")


@pytest.mark.parametrize("mode", ["r", "r+"])
@pytest.mark.parametrize("is_at", ["g/b", "b", "a"])
def test_names_that_a_power_failure_took_back(connector, killed, mode, is_at):
    """The journal was on the disk before the names: the last move, or both, did not happen."""
    os.rename(killed / "g/b", killed / is_at)
    group = ["b", "second"] if is_at == "g/b" else ["second"]
    for _ in range(2):
        assert connector.run(names, str(killed), mode) == (group, [0, 1, 2], f"/{is_at}")
    assert connector.run(names, str(killed)) == (group, [0, 1, 2], f"/{is_at}")
    assert by_zarr(killed)[is_at][...].tolist() == [0, 1, 2]


def test_where_a_store_takes_the_place(connector, killed):
    fill(journal_of(killed))
    assert connector.run(write_anew, str(killed)) == (["a", "second"], [0, 1], "/a")
    assert os.listdir(killed.parent) == [killed.name]
    assert by_zarr(killed)["a"][...].tolist() == [0, 1]
    assert "mv" not in by_zarr(killed).attrs["_HDF5"]


def test_deleted_store(connector, killed):
    connector.run(delete, str(killed))
    assert os.listdir(killed.parent) == []


def test_store_that_others_removed(connector, killed):
    os.rename(killed, killed.parent / "away")
    assert connector.run(write_anew, str(killed)) == (["a", "second"], [0, 1], "/a")
    assert "mv" not in by_zarr(killed).attrs["_HDF5"]
