"""The new zip file takes the old one's place with its mode, owner and lock, unless somebody else was there before; what killed writers left
beside it goes. The judges: zipfile, zarr-python, the bytes."""

import json
import os
import stat
import time
import zipfile

import h5py

from interpreter import run_once
from places import with_connector
from zip_files import ADDED, OLD, add, error_of, holds, make_old, old, run  # noqa: F401


def overtaken(path, other):
    f = h5py.File(path, "r+")
    add(f)
    os.replace(other, path)
    print(json.dumps([error_of(f.flush), error_of(f.close), error_of(f.close), f.id.valid]))


def test_replaced_by_another(old, tmp_path, connector):
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr(".zgroup", '{"zarr_format": 2}')
    theirs = other.read_bytes()
    first, second, third, valid = json.loads(run(overtaken, str(old), str(other)).splitlines()[-1])
    assert "somebody else changed the zip file" in first and "somebody else changed the zip file" in second
    assert third is None and not valid
    assert old.read_bytes() == theirs and os.listdir(old.parent) == [old.name]


def deleted(path):
    f = h5py.File(path, "r+")
    os.remove(path)
    add(f)
    f.close()


def test_deleted_by_another(old):
    """Then there is nothing that would be lost."""
    run(deleted, str(old))
    holds(old, **ADDED)


# ---- leftovers, rights, locks ----


def test_leftovers_of_killed_writers(old, connector):
    for name, age in (("a.zarr.zip.0123456789abcdef.partial", 0), ("a.zarr.zip.host-4711-17.partial", 86400)):
        leftover = old.parent / name
        leftover.write_bytes(bytes(1000))
        os.utime(leftover, (time.time() - age,) * 2)
    connector.run(add_attribute, str(old))
    holds(old, old=OLD)


def add_attribute(path):
    with h5py.File(path, "r+") as f:
        f.attrs["n"] = 1


def test_mode_and_owner(old, connector):
    os.chmod(old, 0o640)
    if os.getuid() == 0:
        os.chown(old, 4711, 4712)
    for function in (add_attribute, make_old):
        connector.run(function, str(old))
        status = os.stat(old)
        assert stat.S_IMODE(status.st_mode) == 0o640
        assert os.getuid() != 0 or (status.st_uid, status.st_gid) == (4711, 4712)


def hold_lock(path, ready, go):
    f = h5py.File(path, "r+")
    f["new"] = 1
    f.flush()
    ready.write_text("")
    while not go.exists():
        time.sleep(0.01)
    f["later"] = 2
    f.close()


def test_lock_goes_with_the_file(old, tmp_path):
    """locking=1: after a flush the file is another one, and locked as the first one was."""
    import multiprocessing

    ready, go = tmp_path / "ready", tmp_path / "go"
    os.environ["HDF5_VOL_CONNECTOR"] = "zarr locking=1"
    try:
        context = multiprocessing.get_context("spawn")
        holder = context.Process(target=hold_lock, args=(str(old), ready, go))
        holder.start()
    finally:
        del os.environ["HDF5_VOL_CONNECTOR"]
    try:
        while not ready.exists():
            assert holder.is_alive()
            time.sleep(0.01)
        status, said = run_once(with_connector("zarr locking=1"), add_attribute, str(old))
        assert status != 0 and "locked the store" in said
    finally:
        go.write_text("")
        holder.join()
    assert holder.exitcode == 0
    holds(old, old=OLD, new=1, later=2)
    status, said = run_once(with_connector("zarr locking=1"), add_attribute, str(old))
    assert status == 0, said


def encrypted(path):
    print(error_of(lambda: h5py.File(path, "r+")))


def test_encrypted_entries_are_not_packed_anew(old):
    """Their flags and times are part of how they are read: a copy would be of no use to anybody."""
    data = bytearray(old.read_bytes())
    data[data.rindex(b"PK\1\2") + 8] |= 1
    old.write_bytes(data)
    assert "encrypted entries" in run(encrypted, str(old))
    assert old.read_bytes() == data
