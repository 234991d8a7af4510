"""What is written into a file that is there leaves it the file that it is: one-file stores."""

import os
import stat
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
import pytest

from interpreter import Failed, run_once
from test_one_file import SIGNATURE, add, kind, make, members, names, writer  # noqa: F401


def what(path):
    s = os.stat(path)
    return s.st_ino, stat.S_IMODE(s.st_mode), s.st_nlink, s.st_uid, s.st_gid


@pytest.mark.parametrize("mode, old", [("w", "file"), ("w", "HDF5"), ("w", "empty"), ("w", "text"), ("w", "zip"), ("r+", "file"), ("r+", "empty"), ("a", "file"), ("a", "empty")])
def test_the_inode_stays(tmp_path, writer, mode, old):
    """Mode, owner, hard links and who has it open stay, whatever is written into the file."""
    path, link = tmp_path / "s.h5", tmp_path / "link"
    if old == "file":
        writer.run(make, str(path))
    elif old == "HDF5":
        make(path)
    elif old == "zip":
        writer.run(make, str(tmp_path / "s.z"))
        os.rename(tmp_path / "s.z", path)
    else:
        path.write_bytes(b"" if old == "empty" else b"text" * 1000)
    os.chmod(path, 0o604)
    os.link(path, link)
    if os.getuid() == 0:
        os.chown(path, 12345, 54321)
    before = what(path)
    with open(path, "rb") as descriptor:
        writer.run(add, str(path), mode)
        assert what(path) == before
        assert names(path) == (["added", "g", "x"] if mode != "w" and old == "file" else ["added"])
        assert names(str(link)) == names(path)
        assert kind(path) == "file"
        assert descriptor.read() == path.read_bytes()


@pytest.mark.parametrize("old", ["s.h5", "s.z"])
def test_the_inode_stays_for_hdf5(tmp_path, writer, old):
    """A store in one file whose name is not in `create` becomes an HDF5 file, as any file does."""
    writer.run(make, str(tmp_path / old))
    path = tmp_path / "native"
    os.rename(tmp_path / old, path)
    before = what(path)
    writer.run(add, str(path), "w")
    assert what(path) == before and kind(path) == "HDF5" and names(path) == ["added"]


def through_temporary_file():
    with tempfile.NamedTemporaryFile(suffix=".h5") as file:
        mode = stat.S_IMODE(os.stat(file.name).st_mode)
        with h5py.File(file.name, "w") as f:
            f["x"] = [1, 2, 3]
        assert stat.S_IMODE(os.stat(file.name).st_mode) == mode == 0o600
        data = file.read()
        with h5py.File(file.name) as f:
            assert f["x"][:].tolist() == [1, 2, 3]
        return data, file.name


def test_temporary_file(tmp_path, writer):
    data, name = writer.run(through_temporary_file)
    assert data.startswith(SIGNATURE) and not os.path.exists(name)
    path = tmp_path / "s"
    path.write_bytes(data)
    assert names(path) == ["x"]




# ---- locks ----


@pytest.mark.parametrize("mode, locking", [("r", True), ("r+", True), ("r+", None)])
def test_who_has_it_open_is_not_truncated(tmp_path, writer, mode, locking):
    """As native refuses to: another process that has locked the file, or is writing into it."""
    path = tmp_path / "s.h5"
    writer.run(make, str(path))
    ready, go = tmp_path / "ready", tmp_path / "go"
    code = f"""
import h5py, pathlib, time
with h5py.File({str(path)!r}, {mode!r}, locking={locking!r}) as f:
    if {mode != "r"}:
        f["mine"] = 1
        f.flush()
    pathlib.Path({str(ready)!r}).touch()
    while not pathlib.Path({str(go)!r}).exists():
        time.sleep(0.01)
    f["x"][0] if {mode == "r"} else f.create_dataset("more", data=2)
"""
    other = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    try:
        while not ready.exists() and other.poll() is None:
            time.sleep(0.01)
        with pytest.raises(Failed, match="locked|writing|unable to lock|Resource temporarily"):
            writer.run(make_locked, str(path), "w", locking)
    finally:
        go.touch()
        said = other.communicate(timeout=60)[1]
    assert other.returncode == 0, said
    assert names(path) == (["g", "x"] if mode == "r" else ["g", "mine", "more", "x"])
    writer.run(make, str(path))
    assert names(path) == ["g", "x"]


def make_locked(path, mode, locking):
    with h5py.File(path, mode, locking=locking) as f:
        f["y"] = 1


def add_unlocked(path, then_elsewhere, locking):
    """What failed, if anything did; in between the file is changed by a process of its own."""
    with h5py.File(path, "r+", locking=locking) as f:
        f["first"] = 1
        f.flush()
        flushed = open(path, "rb")  # so that no other file gets its inode
        f["second"] = 2
        if then_elsewhere:
            subprocess.run([sys.executable, "-c", then_elsewhere, path], check=True)
        try:
            f.flush()
        except Exception as error:
            os.write(1, str(error).encode())
            os._exit(3)
        f["third"] = 3
    assert not os.path.samestat(os.stat(path), os.fstat(flushed.fileno()))


ANOTHER = 'import h5py, sys\nwith h5py.File(sys.argv[1], "r+") as f: f["another"] = 9'


@pytest.mark.parametrize("name", ["s.h5", "s.z"])
@pytest.mark.parametrize("value, locking", [("FALSE", None), (None, False)])
def test_without_locks_it_is_written_anew(tmp_path, writer, name, value, locking):
    """Nobody is kept out then, so no byte of what others read is changed; and what somebody else wrote is not lost."""
    path, link = tmp_path / name, tmp_path / "link"
    writer.run(make, str(path))
    os.link(path, link)
    before, unlocked = link.read_bytes(), {"HDF5_USE_FILE_LOCKING": value} if value else {}
    status, said = run_once({**os.environ, **unlocked}, add_unlocked, str(path), None, locking)
    assert status == 0, said
    assert names(str(path)) == ["first", "g", "second", "third", "x"] and link.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == sorted([name, "link"]) and "second/.zarray" in members(path)
    os.unlink(link)
    for elsewhere in (ANOTHER, 'import os; os.environ["HDF5_USE_FILE_LOCKING"] = "TRUE"\n' + ANOTHER):
        writer.run(make, str(path), "w")
        status, said = run_once({**os.environ, **unlocked}, add_unlocked, str(path), elsewhere, locking)
        assert status == 3 and "somebody else changed the zip file" in said, (status, said)
        assert names(str(path)) == ["another", "first", "g", "x"]
