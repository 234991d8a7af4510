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

from interpreter import Failed
from test_one_file import SIGNATURE, add, kind, make, names, writer  # noqa: F401


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
