"""Opening and creating: modes, what is refused and with which exception, sharing and closing; as with native files."""

import os
import pathlib
import shutil

import h5py
import numpy as np
import pytest
import zarr

from alike import outcome
from interpreter import run_once
from places import with_connector


def opened(path, mode, *more, **options):
    with h5py.File(path, mode, *more, **options) as f:
        return f.mode, list(f)


def make(path):
    with h5py.File(path, "w") as f:
        f["x"] = [1, 2, 3]


def modes(where):
    """Each mode on a file that is there, on one that is not, and on what is no such file."""
    results = {}
    for mode in ("r", "r+", "a", "w", "w-", "x"):
        make(where / "there")
        results[mode, "there"] = outcome(lambda: opened(where / "there", mode))
        results[mode, "not there"] = outcome(lambda: opened(where / f"new {mode}", mode))
        results[mode, "no directory"] = outcome(lambda: opened(where / "none" / "x", mode))
        results[mode, "inside a file"] = outcome(lambda: opened(where / "text" / "x", mode))
        (where / "text").write_text("no such file")
        results[mode, "relative"] = outcome(lambda: opened(os.path.relpath(where / "there"), mode if mode in ("r", "r+", "a", "w") else "r"))
        results[mode, "bytes"] = outcome(lambda: opened(os.fsencode(where / f"b {mode}"), "w"))
    return results


def in_directory(function, where):
    pathlib.Path(where).mkdir()
    return function(pathlib.Path(where))


def test_modes(connector, tmp_path):
    native = in_directory(modes, tmp_path / "native")
    ours = connector.run(in_directory, modes, tmp_path / "ours")
    assert ours == native


CONTENTS = {"empty": b"", "zeros": bytes(5), "text": b"no such file " * 100, "netcdf 3": b"CDF\x01" + bytes(100)}


def write_into(path, mode):
    with h5py.File(path, mode) as f:
        f.attrs["k"] = 1
        f.create_group("g")
        again = None if str(path).endswith(".zip") else outcome(lambda: opened(path, "r+"))  # a zip file is written at its close
        return f.mode, again


def no_hdf5_files(where, name):
    """Each mode on regular files that are neither: what came of it, and what another opening finds."""
    results = {}
    for kind, content in CONTENTS.items():
        for mode in ("r", "r+", "a", "w", "w-", "x"):
            path = where / f"{kind} {mode} {name}"
            path.write_bytes(content)
            result = outcome(lambda: opened(path, "r") if mode == "r" else write_into(path, mode))
            unchanged = path.is_file() and path.read_bytes() == content
            results[kind, mode] = result, unchanged, outcome(lambda: opened(path, "r"))
    (where / "link").symlink_to(where / "behind")
    (where / "behind").touch()
    results["link"] = outcome(lambda: write_into(where / "link", "a")), (where / "link").is_symlink(), opened(where / "behind", "r")
    return results


@pytest.mark.parametrize("name", ["f.zarr", "f.zip", "f.h5"])
def test_files_that_are_no_hdf5(connector, tmp_path, name):
    native = in_directory_with(tmp_path / "native", no_hdf5_files, name)
    assert connector.run(in_directory_with, tmp_path / "ours", no_hdf5_files, name) == native
    assert native["empty", "r+"][0][0] == "r+" and native["text", "a"] == (("raised", "OSError", None), True, ("raised", "OSError", None))


def in_directory_with(where, function, *arguments):
    where.mkdir()
    return function(where, *arguments)


def temporary_file(mode):
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".h5") as t:
        inode = os.stat(t.name).st_ino
        write_into(t.name, mode)
        inside = t.read(4)
        return inode == os.stat(t.name).st_ino, oct(os.stat(t.name).st_mode), inside, opened(t.name, "r")


@pytest.mark.parametrize("mode", ["a", "r+", "w"])
def test_a_temporary_file_stays_itself_where_files_are_native(mode):
    """With a pattern for stores, every other name is a file of HDF5's own, in the very file that the program made."""
    native = temporary_file(mode)
    status, said = run_once(with_connector("zarr create=*.zarr"), print_temporary_file, mode)
    assert (status, said.strip()) == (0, repr(native))
    assert native[0] and native[2] == b"\x89HDF"


def print_temporary_file(mode):
    print(temporary_file(mode))


def race_for_empty(path):
    """Two processes open one empty file for appending at the same moment."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    start = context.Barrier(2)
    workers = [context.Process(target=append_group, args=(path, name, start)) for name in ("a", "b")]
    [w.start() for w in workers]
    [w.join() for w in workers]
    print([w.exitcode for w in workers], opened(path, "r"))


def append_group(path, name, start):
    start.wait()
    try:
        with h5py.File(path, "a") as f:
            f.create_group(name)
    except BlockingIOError:
        os._exit(11)
    except OSError:
        os._exit(1)


def test_two_who_meet_an_empty_file(tmp_path):
    """Whoever was told that it worked finds its group."""
    for i in range(6):
        path = tmp_path / f"{i}.zarr"
        path.touch()
        status, said = run_once(with_connector(), race_for_empty, str(path))
        codes, (mode, names) = eval(said.strip().replace("] (", "], ("))
        assert status == 0 and names == [name for name, code in zip("ab", codes) if code == 0], said


def test_a_file_that_somebody_has_locked_is_not_replaced(connector, tmp_path):
    import fcntl

    path = tmp_path / "f"
    make(path)
    before = path.read_bytes()
    with open(path, "r+b") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert connector.run(overwrite, str(path)) == ("raised", "BlockingIOError", 11)
    assert path.read_bytes() == before
    assert connector.run(overwrite, str(path)) == ["r+", []]


def open_files(where):
    p = where / "f"
    out = []
    with h5py.File(p, "w") as f:
        f["x"] = [1]
        out += [outcome(lambda: opened(p, m))[:1] for m in ("r", "r+", "w", "x", "a")]
    with h5py.File(p, "r") as f:
        out += [outcome(lambda: opened(p, m))[:1] for m in ("r", "r+", "w", "x", "a")]
    with h5py.File(p, "r+") as a, h5py.File(p, "r+") as b:
        a["y"] = 5
        a["x"][0] = 9
        b["y"].attrs["k"] = "v"
        out += [b["y"][()], b["x"][0], a["y"].attrs["k"], a == b, a["x"] == b["x"], hash(a["x"]) == hash(b["x"])]
    out.append(opened(p, "r"))
    return out


def test_one_file_opened_twice(connector, tmp_path):
    native = in_directory(open_files, tmp_path / "native")
    assert connector.run(in_directory, open_files, tmp_path / "ours") == native


def closing(where):
    f = h5py.File(where / "f", "w")
    d = f.create_dataset("x", data=[1, 2])
    g = f.create_group("g")
    f.close()
    seen = [bool(f), bool(d), bool(g), outcome(lambda: d[...]), outcome(lambda: list(g)), outcome(lambda: f["x"]), repr(f), repr(d)]
    f.close()
    f = h5py.File(where / "f", "r+")
    d = f["x"]
    d[0] = 7
    f.flush()
    f.id.close()  # the dataset keeps the file open
    seen += [bool(f), d[...], d.file.mode]
    del d
    return seen, opened(where / "f", "r")


def test_closing(connector, tmp_path):
    native = repr(in_directory(closing, tmp_path / "native"))
    assert repr(connector.run(in_directory, closing, tmp_path / "ours")) == native


def flush_and_read(path):
    f = h5py.File(path, "w")
    f["x"] = np.arange(1000)
    f.attrs["a"] = "b"
    f.flush()
    root = zarr.open_group(path, mode="r", use_consolidated=False)
    seen = root["x"][...].sum(), root.attrs["a"]
    f["x"][0] = 5
    f.close()
    return seen


def test_flush_shows_everything_to_others(connector, tmp_path):
    assert connector.run(flush_and_read, str(tmp_path / "s.zarr")) == (999 * 500, "b")
    assert zarr.open_group(tmp_path / "s.zarr", mode="r")["x"][0] == 5


def overwrite(path):
    return outcome(lambda: opened(path, "w"))


@pytest.mark.parametrize("victim", ["directory with files", "empty directory", "store", "hdf5 file", "link to a store"])
def test_what_mode_w_replaces(connector, tmp_path, victim):
    path = tmp_path / "x"
    if victim == "directory with files":
        path.mkdir()
        (path / "thesis.txt").write_text("ten years of work")
    elif victim == "empty directory":
        path.mkdir()
    elif victim == "hdf5 file":
        make(path)
    else:
        connector.run(make, str(path))
    if victim == "link to a store":
        path.rename(tmp_path / "real")
        path.symlink_to(tmp_path / "real")
    result = connector.run(overwrite, str(path))
    if victim == "directory with files":
        assert result[0] == "raised"
        assert (path / "thesis.txt").read_text() == "ten years of work"
    else:
        assert result == ["r+", []]
        assert list(zarr.open_group(path, mode="r")) == []
    assert path.is_symlink() == (victim == "link to a store")


def test_store_moves_as_a_directory(connector, tmp_path):
    connector.run(make, str(tmp_path / "a"))
    shutil.move(tmp_path / "a", tmp_path / "b")
    with h5py.File(tmp_path / "b") as f:
        assert f["x"][...].tolist() == [1, 2, 3]
        assert f.filename == str(tmp_path / "b")


def deeper(path):
    with h5py.File(path, "w") as f:
        f["a/b/x"] = 5
    with h5py.File(path / "a", "r+") as f:
        f["b/y"] = 6
        f.attrs["k"] = 1
        return list(f), list(f["b"]), f["b/x"].name


def test_a_group_of_a_store_opens_as_a_file(connector, tmp_path):
    assert connector.run(deeper, tmp_path / "s.zarr") == (["b"], ["x", "y"], "/b/x")
    root = zarr.open_group(tmp_path / "s.zarr", mode="r", use_consolidated=False)
    assert root["a/b/y"][()] == 6 and root["a"].attrs["k"] == 1


def test_a_root_array_shows_as_one_dataset(tmp_path):
    zarr.save_array(tmp_path / "numbers.zarr", np.arange(5), zarr_format=2)
    with h5py.File(tmp_path / "numbers.zarr") as f:
        (name,) = f
        assert f[name][...].tolist() == [0, 1, 2, 3, 4]


def test_zarr_edits_between_two_openings(connector, tmp_path):
    connector.run(make, str(tmp_path / "s"))
    root = zarr.open_group(tmp_path / "s", mode="r+", use_consolidated=False)
    root["x"][1] = 77
    root.create_array("new", shape=(2,), dtype="i2")
    assert connector.run(read_back, str(tmp_path / "s")) == {"x": [1, 77, 3], "new": [0, 0]}


def read_back(path):
    with h5py.File(path) as f:
        return {name: f[name][...].tolist() for name in f}


def touched_by(path):
    """Does each kind of change show in the time of what os.path.getmtime looks at? And does reading not?"""
    import time

    with h5py.File(path, "w") as f:
        f.create_dataset("a/b/x", (100, 100), "i4", chunks=(10, 10))
        f["a/b/x"][:, 3] = 1
    seen = []

    def changes(mode, work):
        before = os.stat(path).st_mtime_ns
        time.sleep(0.02)
        with h5py.File(path, mode) as f:
            work(f)
            flushed = os.stat(path).st_mtime_ns
        seen.append((flushed > before, os.stat(path).st_mtime_ns > before))

    changes("r", lambda f: f["a/b/x"][...])
    changes("r+", lambda f: f["a/b/x"].__setitem__((5, 5), 7))
    changes("r+", lambda f: (f["a/b/x"].__setitem__((slice(10), slice(10)), 7), f.flush()))
    changes("r+", lambda f: (f["a/b/x"].__setitem__((6, 6), 8), f["a/b/x"].flush()))
    changes("r+", lambda f: f["a/b"].attrs.__setitem__("k", 1))
    changes("r+", lambda f: f["a/b"].__delitem__("x"))
    return [closed for _, closed in seen], seen[2][0]


def test_a_change_shows_in_the_time(connector, tmp_path):
    native = touched_by(tmp_path / "f.h5")
    assert tuple(connector.run(touched_by, tmp_path / "f.zarr")) == native
    assert native == ([False] + [True] * 5, True)


def descriptor_as_8_bytes(path):
    import ctypes

    library = ctypes.CDLL(h5py.h5f.__file__)
    with h5py.File(path, "w") as f:
        f["x"] = 1
        f.flush()
        pointer = ctypes.c_void_p()
        assert library.H5Fget_vfd_handle(ctypes.c_int64(f.id.id), ctypes.c_int64(0), ctypes.byref(pointer)) >= 0
        number = ctypes.cast(pointer, ctypes.POINTER(ctypes.c_uint64))[0]
        os.fsync(number)
        return os.fstat(number).st_ino == os.stat(path).st_ino, number == f.id.get_vfd_handle()


def test_the_descriptor_can_be_read_as_8_bytes(connector, tmp_path):
    """PyTables does so, and syncs it."""
    native = descriptor_as_8_bytes(tmp_path / "f.h5")
    assert tuple(connector.run(descriptor_as_8_bytes, tmp_path / "f.zarr")) == native == (True, True)
