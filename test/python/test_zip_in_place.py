"""Zip files and one-file stores that are changed in place, among other programs. The judges: zipfile, zarr-python, unzip, the bytes."""

import io
import os
import shutil
import subprocess
import warnings
import zipfile

import h5py
import numpy as np
import pytest
import zarr

import large_stores
from zip_files import by_zarr_zip, run, values_in

ONE_FILE = "zarr create=*.h5:file,*"


def make(path):
    with h5py.File(path, "w") as f:
        f["x"] = np.arange(1000.0)
        f["g/y"] = [1, 2, 3]


def add(path):
    with h5py.File(path, "r+") as f:
        f["new"] = np.arange(7)
        del f["g/y"]


def look(path):
    with h5py.File(path) as f:
        assert f["x"][5] == 5
        print(sorted(f), sorted(f["g"]))


@pytest.fixture(params=["a.zarr.zip", "a.h5"])
def store(request, tmp_path):
    path = tmp_path / request.param
    run(make, str(path), connector=ONE_FILE)
    return path


def changed(path):
    run(add, str(path), connector=ONE_FILE)
    assert "['g', 'new', 'x'] []" in run(look, str(path))
    z = by_zarr_zip(path)
    assert sorted(z) == ["g", "new", "x"] and z["new"][:].tolist() == list(range(7))
    if shutil.which("unzip"):
        assert subprocess.run(["unzip", "-tqq", path], capture_output=True, check=False).returncode in (0, 1)


def test_file_is_changed_in_place(store):
    before, entries = os.stat(store), values_in(store)
    other = store.parent / "link"
    os.link(store, other)
    with open(store, "rb") as held:
        changed(store)
        assert os.stat(store).st_ino == before.st_ino == os.stat(other).st_ino
        held.seek(0)
        with zipfile.ZipFile(held) as archive:  # the descriptor that was there before
            assert "new/0" in archive.namelist()
        with zipfile.ZipFile(other) as archive:
            assert archive.read("x/0") == entries["x/0"]


BEFORE = b"#!/bin/sh\nexec unzip $0\n" + bytes(1000)


@pytest.mark.parametrize("offsets", ["from the start of the file", "from the start of the zip"])
def test_something_stands_before_a_zip(tmp_path, connector, offsets):
    path, plain = tmp_path / "a.zarr.zip", tmp_path / "plain.zip"
    connector.run(make, str(plain))
    if offsets == "from the start of the zip":
        path.write_bytes(BEFORE + plain.read_bytes())
    else:
        path.write_bytes(BEFORE)
        with zipfile.ZipFile(path, "a") as archive:
            for name, data in values_in(plain).items():
                archive.writestr(name, data)
    assert "['g', 'x'] ['y']" in run(look, str(path))
    changed(path)
    assert path.read_bytes().startswith(BEFORE)


@pytest.mark.parametrize("behind", [b"\n", b"\0\r\n", bytes(300)])
def test_something_stands_behind_a_zip(tmp_path, connector, behind):
    path = tmp_path / "a.zarr.zip"
    connector.run(make, str(path))
    path.write_bytes(path.read_bytes() + behind)
    assert "['g', 'x'] ['y']" in run(look, str(path))
    changed(path)


def hold_a_zip(path, data):
    with h5py.File(path, "w") as f:
        f["x"] = np.arange(1000.0)
        f.create_dataset("zip", data=np.frombuffer(data, "u1"), chunks=(len(data),))
        f["g/y"] = 1


@pytest.mark.parametrize("name", ["a.zarr.zip", "a.h5"])
def test_a_chunk_that_holds_a_zip_is_not_taken_for_one(tmp_path, name):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(".zgroup", '{"zarr_format": 2}')
    path = tmp_path / name
    run(hold_a_zip, str(path), data.getvalue(), connector=ONE_FILE + ";compress=none")
    assert data.getvalue() in path.read_bytes()
    assert "['g', 'x', 'zip'] ['y']" in run(look, str(path))
    assert by_zarr_zip(path)["zip"][:].tobytes() == data.getvalue()


def kill(path):
    f = h5py.File(path, "r+")
    f["flushed"] = 1
    f.flush()
    f["lost"] = 2
    f.create_dataset("large", data=np.random.default_rng(1).random(1_000_000))
    os.kill(os.getpid(), 9)


def append(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name that is there twice
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("theirs/.zgroup", '{"zarr_format": 2}')


@pytest.mark.parametrize("killed", [False, True])
def test_another_program_appends(store, killed):
    """Its directory counts, whatever ours or a slot says; and we go on from there."""
    if killed:
        run(kill, str(store), connector=ONE_FILE, status=-9)
    append(store)
    said = run(look, str(store))
    assert "'theirs'" in said and "'lost'" not in said
    run(add, str(store), connector=ONE_FILE)
    append_again = run(look, str(store))
    assert "'theirs'" in append_again and "'new'" in append_again
    z = by_zarr_zip(store)
    assert "theirs" in z and "new" in z


def test_a_killed_writer_leaves_what_was_flushed(store):
    size = os.path.getsize(store)
    run(kill, str(store), connector=ONE_FILE, status=-9)
    assert "x/0" in values_in(store)  # a state that was, for everybody
    assert "['flushed', 'g', 'x'] ['y']" in run(look, str(store))
    run(reopen, str(store))
    z = by_zarr_zip(store)
    assert sorted(z) == ["flushed", "g", "x"] and z["flushed"][()] == 1
    assert os.path.getsize(store) < size + 1_000_000  # what was lost gave its room back, or was never in


def reopen(path):
    h5py.File(path, "r+").close()


def grow(path):
    with h5py.File(path, "r+") as f:
        for i in range(100):
            f.create_dataset(f"many/{i}", data=np.random.default_rng(i).random(30_000))


def test_large_entries_are_aligned(store):
    run(grow, str(store), connector=ONE_FILE + ";compress=none")
    with zipfile.ZipFile(store) as archive, open(store, "rb") as file:
        assert archive.testzip() is None
        large = [entry for entry in archive.infolist() if entry.file_size >= 32768]
        assert len(large) >= 100
        for entry in large:
            file.seek(entry.header_offset + 26)
            name, extra = (int.from_bytes(file.read(2), "little") for _ in range(2))
            assert (entry.header_offset + 30 + name + extra) % 4096 == 0


def written():
    """Bytes of all calls that write, copy_file_range and sendfile among them, of this process so far."""
    return int(dict(line.split(": ") for line in open("/proc/self/io"))["wchar"])


def add_1_mib(path):
    data = np.random.default_rng(1).integers(0, 256, 1 << 20, "u1")
    before = written()
    with h5py.File(path, "r+") as f:
        f["more"] = data
    print(written() - before)


@pytest.mark.parametrize("name", ["a.zarr.zip", "a.h5"])
def test_1_mib_more_in_4_gib(tmp_path, name):
    """What is there is not written again, nor read: 4 GiB of zeros, which are holes on the disk."""
    path = tmp_path / name
    run(large_stores.make, str(path), 4, 1 << 30, connector=f"{ONE_FILE};compress=none")
    assert path.stat().st_size > 4 << 30
    counted = int(run(add_1_mib, str(path)).split()[-1])
    assert 1 << 20 < counted < (1 << 20) + 40_000, counted
    assert path.stat().st_size > 4 << 30 and path.stat().st_blocks * 512 < 4 << 20
    z = zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")
    assert sorted(z) == ["more", "x"] and z["x"].shape == (4 << 30,) and z["more"][:].any()
