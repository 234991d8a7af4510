"""What a creation that was killed leaves is no hindrance: mode "a" creates there, as native does in an empty file; "w-" stays exclusive, and of
two programs that create one store, one wins."""

import os
import subprocess
import sys
import time

import h5py
import pytest
import zarr

from interpreter import run_once
from places import with_connector

OPTIONS = ["zarr", "zarr format=3", "zarr create=*.zarr", "zarr locking=1", "zarr sync=1"]


def add(path, mode):
    with h5py.File(path, mode) as f:
        f["x"] = [1, 2, 3]


@pytest.mark.parametrize("value", OPTIONS)
@pytest.mark.parametrize("mode", ["a", "r+"])
def test_in_an_empty_directory(tmp_path, value, mode):
    path = tmp_path / "s.zarr"
    path.mkdir(mode=0o750)
    status, said = run_once(with_connector(value), add, str(path), mode)
    assert status == 0, said
    assert list(zarr.open_group(path, mode="r")["x"][:]) == [1, 2, 3]
    assert path.stat().st_mode & 0o777 == 0o750


def refusals(path):
    for mode in ("w-", "x", "r"):
        try:
            h5py.File(path, mode)
            print(mode, "opened")
        except OSError as error:
            print(mode, type(error).__name__)


def test_what_stays_refused(tmp_path):
    """Exclusive creation, reading, and directories in which something is."""
    (tmp_path / "empty.zarr").mkdir()
    status, said = run_once(with_connector("zarr"), refusals, str(tmp_path / "empty.zarr"))
    assert status == 0 and said.split() == ["w-", "FileExistsError", "x", "FileExistsError", "r", "FileNotFoundError"], said
    assert os.listdir(tmp_path / "empty.zarr") == []
    (tmp_path / "full.zarr").mkdir()
    (tmp_path / "full.zarr/notes.txt").write_text("mine")
    status, said = run_once(with_connector("zarr"), add, str(tmp_path / "full.zarr"), "a")
    assert status != 0 and "FileExistsError" in said
    assert os.listdir(tmp_path / "full.zarr") == ["notes.txt"]
    (tmp_path / "one.h5ad").mkdir()
    status, said = run_once(with_connector("zarr create=*.h5ad:file"), add, str(tmp_path / "one.h5ad"), "a")
    assert status != 0 and os.listdir(tmp_path / "one.h5ad") == []


RACE = """
import sys, time, h5py
path, mode, name, start = sys.argv[1:]
while time.time() < float(start):
    pass
try:
    with h5py.File(path, mode) as f:
        f[name] = [1, 2]
    print("made")
except FileExistsError:
    print("exists")
"""


@pytest.mark.parametrize("value", ["zarr", "zarr format=3"])
def test_of_two_creators_one_wins(tmp_path, value):
    """One makes the directory, exclusively or not; the others take it for what a killed creation left, for as long as it is empty."""
    for number, modes in enumerate([("w-", "a", "r+"), ("a", "a", "a"), ("w-", "w-", "a")]):
        path = tmp_path / f"s{number}.zarr"
        if number == 1:
            path.mkdir()
        start = time.time() + 1.5
        runs = [subprocess.Popen([sys.executable, "-c", RACE, path, mode, f"{mode}{i}", str(start)], env=with_connector(value), text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) for i, mode in enumerate(modes)]
        said = [run.communicate(timeout=100) for run in runs]
        made = [f"{mode}{i}" for i, (mode, (out, _)) in enumerate(zip(modes, said)) if out.strip() == "made"]
        for mode, (out, error) in zip(modes, said):
            assert out.strip() in ("made", "exists") or (mode == "r+" and "FileNotFoundError" in error), (said, modes)
        assert sum(name.startswith("w-") for name in made) <= 1
        assert made, said  # h5py's "a" creates exclusively where it found nothing: a later one may get the error that the store exists
        with h5py.File(path, "r") as f:
            assert sorted(f) == sorted(made) and all(list(f[name][:]) == [1, 2] for name in made)
        assert sorted(name for name in os.listdir(tmp_path) if name.startswith(".")) == []
