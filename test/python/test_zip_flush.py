"""What was flushed to a zip file survives a kill, and what did not change is not written. The judges: zipfile, zarr-python."""

import json
import os
import signal
import zipfile

import h5py
import numpy as np
import pytest

from zip_files import OLD, by_zarr_zip, holds, make_old, old, run  # noqa: F401


def flushed(path, call):
    f = h5py.File(path, "a")
    f["one"] = 1
    f.flush()
    address = h5py.h5o.get_info(f.id).addr
    f["two"] = 2
    d = f.create_dataset("grows", (0,), maxshape=(None,), chunks=(10,), dtype="i4")
    for i in range(5):
        d.resize((10 * i + 7,))
        d[10 * i :] = i
        f.flush() if call == "file" else d.flush()
    assert h5py.h5o.get_info(f.id).addr == address
    del f["one"]
    d[0] = 99
    with h5py.File(path, "r") as g:  # the same file, whatever number it has on the disk by now
        assert g == f and sorted(g) == ["grows", "old", "two"]
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("call", ["file", "dataset"])
def test_what_was_flushed_survives_a_kill(old, call):
    run(flushed, str(old), call, status=-signal.SIGKILL)
    grows = np.zeros(47, "i4")
    for i in range(5):
        grows[10 * i : 10 * i + 7] = i
    holds(old, old=OLD, one=1, two=2, grows=grows)


@pytest.mark.parametrize("options", ["zarr", "zarr format=3", "zarr format=3;shards=1M", "zarr sync=1"])
def test_flushed_in_every_form(tmp_path, options):
    path = tmp_path / "d" / "a.zarr.zip"
    path.parent.mkdir()
    run(flushed_new, str(path), status=-signal.SIGKILL, connector=options)
    holds(path, old=OLD)
    z = by_zarr_zip(path)
    assert z["old"].attrs["unit"] == "mV"


def flushed_new(path):
    f = h5py.File(path, "w")
    f["old"] = OLD
    f["old"].attrs["unit"] = "mV"
    f.flush()
    f["old"][...] = 0
    f["old"].attrs["unit"] = "A"
    f.flush()
    f["old"][...] = OLD
    f["old"].attrs["unit"] = "mV"
    f.flush()
    f["more"] = 1
    os.kill(os.getpid(), signal.SIGKILL)


def killed_at_once(path):
    f = h5py.File(path, "w")
    f["x"] = OLD
    os.kill(os.getpid(), signal.SIGKILL)


def test_killed_before_the_first_flush(tmp_path, connector):
    path = tmp_path / "d" / "a.zarr.zip"
    path.parent.mkdir()
    run(killed_at_once, str(path), status=-signal.SIGKILL)
    holds(path)
    connector.run(make_old, str(path))
    holds(path, old=OLD)


def test_empty_zip_file_is_replaced(tmp_path, connector):
    path = tmp_path / "d" / "a.zarr.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w"):
        pass
    connector.run(make_old, str(path))
    holds(path, old=OLD)


def nothing_changed(path):
    with h5py.File(path, "r+") as f:
        before = os.stat(path).st_ino
        f.flush()
        f["old"][...]
        f.flush()
    assert os.stat(path).st_ino == before
    with h5py.File(path, "r+") as f:
        f["new"] = 1
        f.flush()
        before = os.stat(path).st_ino
    assert os.stat(path).st_ino == before  # closing has nothing left to write, consolidated metadata included


def test_nothing_is_written_twice(old):
    run(nothing_changed, str(old))
    with zipfile.ZipFile(old) as archive:
        assert "new/.zarray" in json.loads(archive.read(".zmetadata"))["metadata"]
