"""A zip file that cannot be written, and consolidated metadata that cannot: close and flush say why, what was there stays,
and the same call works once there is room. What killed writers leave. The judges: zipfile, zarr-python, the bytes."""

import ctypes
import json
import os
import resource
import signal
import stat
import subprocess
import time
import zipfile

import h5py
import numpy as np
import pytest
import zarr

from interpreter import run_once
from places import by_zarr, files, with_connector

OLD = np.random.default_rng(1).random(100_000)  # 800 kB, which no codec makes smaller
LIMIT = 400_000  # bytes: less than the zip file, more than what is added to it


def by_zarr_zip(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
    return zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")


def make_old(path):
    with h5py.File(path, "w") as f:
        f["old"] = OLD


@pytest.fixture
def old(tmp_path, connector):
    path = tmp_path / "d" / "a.zarr.zip"
    path.parent.mkdir()
    connector.run(make_old, str(path))
    return path


def holds(path, **expected):
    """Exactly that is in the file, and nothing lies beside it."""
    z = by_zarr_zip(path)
    assert sorted(z) == sorted(expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(z[name][...], values)
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]


def run(function, *arguments, status=0, connector="zarr"):
    """What the function prints, in an interpreter of its own."""
    got, said = run_once(with_connector(connector), function, *arguments)
    assert got == status, said
    return said


def error_of(call):
    try:
        call()
    except Exception as error:
        return str(error)
    return None


# ---- what makes writing fail, until it ends ----


class NoLargeFiles:
    """As a full disk, for each file."""

    reason = "File too large"

    def __init__(self, path, limit=LIMIT):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    def end(self):
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


class NoDescriptors:
    reason = "Too many open files"

    def __init__(self, path):
        self.held = []
        self.limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, self.limits[1]))
        while not error_of(lambda: self.held.append(os.open("/dev/null", os.O_RDONLY))):
            pass

    def end(self):
        for held in self.held:
            os.close(held)
        resource.setrlimit(resource.RLIMIT_NOFILE, self.limits)


class FullDisk:
    reason = "No space left on device"

    def __init__(self, path):
        self.ballast = os.path.dirname(path) + "/ballast"
        with open(self.ballast, "wb", buffering=0) as ballast:
            while not error_of(lambda: ballast.write(bytes(4096))):
                pass

    def end(self):
        os.remove(self.ballast)


FAILURES = {kind.__name__: kind for kind in (NoLargeFiles, NoDescriptors, FullDisk)}


@pytest.fixture
def small_disk(tmp_path):
    where = tmp_path / "disk"
    where.mkdir()
    if os.getuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", where], capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield where
    subprocess.run(["umount", "-l", where], check=True)


@pytest.fixture(params=list(FAILURES))
def failing(request, tmp_path, connector):
    """A zip file, and the name of what will make writing it fail."""
    where = request.getfixturevalue("small_disk") if request.param == "FullDisk" else tmp_path
    path = where / "d" / "a.zarr.zip"
    path.parent.mkdir()
    connector.run(make_old, str(path))
    return path, request.param


def add(f):
    f["new"] = np.arange(7)
    f["old"][5] = -1


ADDED = {"old": np.concatenate([OLD[:5], [-1], OLD[6:]]), "new": np.arange(7)}


def close_twice(path, kind):
    with open(path, "rb") as file:
        before = file.read()
    f = h5py.File(path, "r+")
    add(f)
    failure = FAILURES[kind](path)
    errors = [error_of(f.flush), error_of(f.close)]
    readable = f["new"][3] == 3
    failure.end()
    with open(path, "rb") as file:
        same = file.read() == before
    print(json.dumps([failure.reason, errors, bool(readable), same]))
    f.close()
    assert not f.id.valid


def test_close_fails_and_works_again(failing):
    path, kind = failing
    reason, errors, readable, same = json.loads(run(close_twice, str(path), kind).splitlines()[-1])
    assert all(error and reason in error and str(path) in error for error in errors), errors
    assert readable and same
    holds(path, **ADDED)


def flush_after_close(path, kind):
    f = h5py.File(path, "r+")
    add(f)
    failure = FAILURES[kind](path)
    assert failure.reason in error_of(f.close)
    failure.end()
    f.flush()
    os._exit(0)


def test_flush_after_a_failed_close(failing):
    path, kind = failing
    run(flush_after_close, str(path), kind)
    holds(path, **ADDED)


def with_statement(path, kind):
    try:
        with h5py.File(path, "r+") as f:
            add(f)
            failure = FAILURES[kind](path)
    except Exception as error:
        print(error)
    f.close()  # nothing changed since: what cannot be written is given up
    assert not f.id.valid
    failure.end()
    with h5py.File(path, "r+") as f:
        f["later"] = 1


def test_given_up_at_the_second_close(failing):
    path, kind = failing
    assert FAILURES[kind].reason in run(with_statement, str(path), kind)
    holds(path, old=OLD, later=1)


def leave_open(path, kind):
    f = h5py.File(path, "r+")
    add(f)
    globals()["kept"] = f
    globals()["failure"] = FAILURES[kind](path)


def test_loss_at_exit_is_told(failing):
    """Nobody is there any more to be told by an exception."""
    path, kind = failing
    said = run(leave_open, str(path), kind)
    (path.parent / "ballast").unlink(missing_ok=True)
    told = [line for line in said.splitlines() if line.startswith("vol-zarr: ")]
    assert len(told) == 1 and str(path) in told[0] and FAILURES[kind].reason in told[0] and "is lost" in told[0], said
    holds(path, old=OLD)


def new_file(path):
    failure = NoLargeFiles(path)
    f = h5py.File(path, "w")
    result = error_of(lambda: f.create_dataset("old", data=OLD)), error_of(f.close)
    failure.end()
    print(json.dumps(result))
    f.close()


def test_new_file_is_a_store_from_the_beginning(tmp_path):
    """Half a dataset that could not be put: with room the rest of it is there, and so is the file."""
    path = tmp_path / "d" / "a.zarr.zip"
    path.parent.mkdir()
    errors = json.loads(run(new_file, str(path)).splitlines()[-1])
    assert any(error and "File too large" in error for error in errors), errors
    assert "old" in by_zarr_zip(path) or errors[0]
    assert os.listdir(path.parent) == [path.name]


def no_room_to_create(path):
    failure = NoLargeFiles(path, 10)
    print(error_of(lambda: h5py.File(path, "w")))
    failure.end()
    with h5py.File(path, "w") as f:
        f["old"] = OLD


def test_no_room_to_create(tmp_path):
    path = tmp_path / "d" / "a.zarr.zip"
    path.parent.mkdir()
    assert "File too large" in run(no_room_to_create, str(path))
    holds(path, old=OLD)


# ---- somebody else ----


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


# ---- who closes last ----


def weak(path):
    """Opened so that objects outlive the file, as is HDF5's default, but not h5py's."""
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    fapl.set_fclose_degree(h5py.h5f.CLOSE_WEAK)
    return h5py.File(h5py.h5f.open(path.encode(), h5py.h5f.ACC_RDWR, fapl))


CLOSING = {"old": "H5Dclose", "g": "H5Gclose", "t": "H5Tclose", "a": "H5Aclose"}


def library():
    """HDF5 itself: h5py closes its objects by H5Idec_ref, other programs by H5Dclose."""
    with open("/proc/self/maps") as maps:
        names = {line.split()[-1] for line in maps if "/libhdf5-" in line or "/libhdf5.so" in line}
    hdf5 = ctypes.CDLL(names.pop())
    for name in ("H5Fclose", "H5Idec_ref", "H5Oclose", *CLOSING.values()):
        getattr(hdf5, name).argtypes = [ctypes.c_int64]
    return hdf5


def dataset_last(path):
    f = weak(path)
    add(f)
    d = f["old"]
    hdf5 = library()
    assert hdf5.H5Fclose(f.id.id) == 0
    with zipfile.ZipFile(path) as archive:
        print(json.dumps("new/.zarray" in archive.namelist()))  # written when the file was closed
    d[6] = -2
    assert hdf5.H5Dclose(d.id.id) == 0
    os._exit(0)


def test_dataset_is_closed_last(old):
    assert "true" in run(dataset_last, str(old))
    values = ADDED["old"].copy()
    values[6] = -2
    holds(old, old=values, new=np.arange(7))


def dataset_last_fails(path, close, then):
    f = weak(path)
    d = f["old"]
    hdf5 = library()
    assert hdf5.H5Fclose(f.id.id) == 0
    d[6] = -2
    d.attrs["unit"] = "mV"
    failure = NoLargeFiles(path)
    # HDF5 drops its side of a dataset whatever it is told; where that is not H5Dclose, the id too only after a success.
    assert (getattr(hdf5, close)(d.id.id) < 0) == (close == "H5Dclose") and not d.id.valid
    again = h5py.File(path, "r+") if then == "fails again" else None
    assert not again or error_of(again.close)
    failure.end()
    if then == "replaced":
        with h5py.File(path, "w") as f:
            f["old"] = OLD[:7]
    elif then != "ends":
        with h5py.File(path, "r+") as f:
            assert f["old"][6] == -2
        if again:
            again.close()
        os._exit(0)


@pytest.mark.parametrize("close", ["H5Dclose", "H5Idec_ref", "H5Oclose"])
@pytest.mark.parametrize("then", ["opened", "fails again", "replaced", "ends"])
def test_last_close_of_a_dataset_fails(old, close, then):
    """Opening the file again, or the end of the program, has it written."""
    said = run(dataset_last_fails, str(old), close, then)
    assert ("File too large" in said and "tried again" in said) == (close != "H5Dclose")
    values = OLD[:7].copy() if then == "replaced" else OLD.copy()
    if then != "replaced":
        values[6] = -2
    holds(old, old=values)
    assert by_zarr_zip(old)["old"].attrs.get("unit") == (None if then == "replaced" else "mV")


def change_last(last):
    if isinstance(last, h5py.h5a.AttrID):
        last.write(np.array(2.0))
    else:
        h5py.h5a.create(last, b"b", h5py.h5t.NATIVE_INT32, h5py.h5s.create(h5py.h5s.SCALAR))


def object_last_fails(path, name, close):
    with h5py.File(path, "r+") as f:
        f["t"] = np.dtype("i4")
        f.create_group("g").attrs["a"] = 1.0
    f = weak(path)
    last = h5py.h5a.open(f["g"].id, b"a") if name == "a" else f[name].id
    f["t"].attrs["n"] = 3
    hdf5 = library()
    failure = NoLargeFiles(path)
    assert hdf5.H5Fclose(f.id.id) < 0
    failure.end()
    assert hdf5.H5Fclose(f.id.id) == 0
    change_last(last)
    failure = NoLargeFiles(path)
    assert getattr(hdf5, close)(last.id) < 0 and last.valid
    failure.end()
    assert getattr(hdf5, close)(last.id) == 0 and not last.valid
    os._exit(0)


@pytest.mark.parametrize("name, close", [(name, close) for name in "gta" for close in ("close", "H5Idec_ref", "H5Oclose")
                                         if (name, close) != ("a", "H5Oclose")])
def test_last_close_of_another_object_fails(old, name, close):
    """HDF5 keeps the ids of all but datasets, and they can be closed again."""
    run(object_last_fails, str(old), name, CLOSING[name] if close == "close" else close)
    z = by_zarr_zip(old)
    assert z["g"].attrs["a"] == (2 if name == "a" else 1) and z["t"].attrs["n"] == 3
    assert name == "a" or "b" in z[name].attrs


def two_handles(path):
    f = h5py.File(path, "r+")
    before = os.stat(path).st_ino
    for i in range(3):
        with h5py.File(path, "r+") as g:
            g[f"n{i}"] = i
            assert f == g
    assert os.stat(path).st_ino == before  # written when the last of them is closed
    f.close()
    assert os.stat(path).st_ino != before


def test_written_with_the_last_handle(old):
    run(two_handles, str(old))
    holds(old, old=OLD, n0=0, n1=1, n2=2)


# ---- flush ----


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


# ---- consolidated metadata of directories ----

MANY = 60


def consolidate_and_fail(path, limit):
    f = h5py.File(path, "w")
    for i in range(MANY):
        f[f"g/d{i}"] = i
    f.flush()
    failure = NoLargeFiles(path, limit)
    error = error_of(f.close)
    print(json.dumps([error, [name for _, _, names in os.walk(path) for name in names if "partial" in name], copies(path)]))
    failure.end()
    f.close()


@pytest.mark.parametrize("form, options", [("v2", "zarr"), ("v3", "zarr format=3")])
def test_no_room_for_consolidated_metadata(tmp_path, form, options):
    """All other documents are smaller than the copy of all of them."""
    path = tmp_path / f"{form}.zarr"
    error, partial, copied = json.loads(run(consolidate_and_fail, str(path), 6000, connector=options).splitlines()[-1])
    assert error and "File too large" in error and str(path) in error
    assert partial == [] and copied == []
    z = zarr.open_consolidated(path)  # there was room for the second close
    assert len(z["g"]) == MANY and z["g/d7"][()] == 7
    assert not [name for name in files(path) if "partial" in name]


def consolidated_and_changed(path):
    """Closed with a dataset open, which changes more."""
    f = weak(path)
    d = f["g/d3"]
    d.attrs["a"] = 1
    hdf5 = library()
    assert hdf5.H5Fclose(f.id.id) == 0
    print(json.dumps(copies(path)))
    d.attrs["b"] = 2
    assert hdf5.H5Dflush(ctypes.c_int64(d.id.id)) == 0
    print(json.dumps(copies(path)))
    assert hdf5.H5Dclose(d.id.id) == 0
    os._exit(0)


def by_json(path):
    with open(path) as file:
        return json.load(file)


def copies(path):
    """The groups that have consolidated metadata."""
    found = []
    for directory, _, names in os.walk(path):
        group = "zarr.json" in names and by_json(directory + "/zarr.json").get("consolidated_metadata")
        if ".zmetadata" in names or group:
            found.append(os.path.relpath(directory, path))
    return sorted(found)


def make_many(path):
    with h5py.File(path, "w") as f:
        for i in range(MANY):
            f[f"g/d{i}"] = i


@pytest.mark.parametrize("form, options", [("v2", "zarr"), ("v3", "zarr format=3")])
def test_consolidated_after_the_file_was_closed(tmp_path, form, options):
    """The copy comes with the file's close, goes with the next change, and comes again; so does that of a group below."""
    path = tmp_path / f"{form}.zarr"
    run(make_many, str(path), connector=options)
    zarr.consolidate_metadata(path / "g")
    before = copies(path)
    assert before == [".", "g"]
    first, second = map(json.loads, run(consolidated_and_changed, str(path), connector=options).splitlines()[-2:])
    assert first == before and second == []
    assert copies(path) == before
    for z in (zarr.open_consolidated(path)["g"], zarr.open_consolidated(path / "g"), by_zarr(path)["g"]):
        assert (z["d3"].attrs["a"], z["d3"].attrs["b"]) == (1, 2)
