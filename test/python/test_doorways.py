"""Doorways: small regular files that name a store. What programs see through them is in test_one_file_programs.py; here is what modes, deletion and
hostile ones do. The connector says why; with the plugin's path alone they fail without harm."""

import ctypes
import os
import shutil

import h5py
import pytest

from interpreter import Failed, Interpreter
from places import with_connector
from test_one_file_programs import DOORWAY


def interpreter_with(value):
    interpreter = Interpreter(with_connector(value))
    yield interpreter
    interpreter.stop()


@pytest.fixture(scope="module")
def writer():
    yield from interpreter_with("zarr create=*.zarr:directory,*.h5:file,*.z:zip")


@pytest.fixture(scope="module")
def bold():
    yield from interpreter_with("zarr doorways=anywhere")


def make(path, name="x"):
    with h5py.File(path, "w") as f:
        f[name] = [1, 2, 3]


def add(path, mode):
    with h5py.File(path, mode) as f:
        f["added"] = [1, 2, 3]


def names(path):
    with h5py.File(path, "r") as f:
        return sorted(f)


def links(path):
    with h5py.File(path, "r") as f:
        return sorted(f["elsewhere"]), f.filename


def make_link(path):
    with h5py.File(path, "w") as f:
        f["elsewhere"] = h5py.ExternalLink("other.zarr", "/")


def delete(path):
    hdf5 = ctypes.CDLL([line.split()[-1] for line in open("/proc/self/maps") if "libhdf5-" in line or "libhdf5.so" in line][0])
    hdf5.H5Fdelete.argtypes = [ctypes.c_char_p, ctypes.c_int64]
    return hdf5.H5Fdelete(os.fsencode(path), 0)


def door(path, name, behind=b""):
    path.write_bytes(DOORWAY + b'{"store": "%s"}\n' % os.fsencode(name) + behind)
    return str(path)


def test_modes(tmp_path, writer):
    """The doorway stays, and the store behind it is what is read, changed and replaced."""
    store, d = tmp_path / "deep" / "s.zarr", tmp_path / "d.h5"
    store.parent.mkdir()
    path = door(d, "deep/s.zarr")
    before = d.read_bytes()
    with pytest.raises(Failed, match="d.h5, a doorway to deep/s.zarr: .*No such file") as failed:
        writer.run(names, path)
    assert failed.value.kind == "FileNotFoundError"
    writer.run(make, path)  # as through a link that dangles
    assert store.is_dir() and names(path) == ["x"]
    writer.run(add, path, "a")
    assert names(path) == names(str(store)) == ["added", "x"]
    writer.run(make, path, "new")
    assert store.is_dir() and names(path) == ["new"], "the pattern speaks of the doorway's name"
    with pytest.raises(Failed, match="File exists"):
        writer.run(add, path, "x")
    assert d.read_bytes() == before and h5py.is_hdf5(d)


@pytest.mark.parametrize("kind", ["s.zarr", "s.h5", "s.z"])
def test_deletion_is_the_doorways(tmp_path, writer, kind):
    store = tmp_path / kind
    writer.run(make, str(store))
    path, link = door(tmp_path / "d.h5", kind), tmp_path / "link"
    assert writer.run(delete, path) == 0
    assert not os.path.exists(path) and names(str(store)) == ["x"]
    door(tmp_path / "d.h5", kind)
    link.symlink_to("d.h5")
    assert writer.run(delete, str(link)) == 0
    assert sorted(os.listdir(tmp_path)) == [kind]
    for name in ("nowhere", "/etc"):  # HDF5 asks first whether it can be opened
        door(tmp_path / "d.h5", name)
        assert writer.run(delete, path) < 0 and os.path.exists(path)
    door(tmp_path / "d.h5", kind)
    os.remove(path)
    assert names(str(store)) == ["x"]


def test_native_truncation_is_the_doorways(tmp_path, writer):
    """A name that the option `create` does not take becomes an HDF5 file; so it does without the connector."""
    writer.run(make, str(tmp_path / "s.zarr"))
    for make_native in (make, lambda path, name: writer.run(make, path, name)):
        path = door(tmp_path / "native", "s.zarr")
        make_native(path, "n")
        assert os.path.getsize(path) > 500 and names(path) == ["n"]
        assert names(str(tmp_path / "s.zarr")) == ["x"]


def test_copied_and_moved(tmp_path, writer):
    """A relative name counts from where the doorway is; links to it do not matter."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    writer.run(make, str(tmp_path / "a/s.zarr"), "in_a")
    writer.run(make, str(tmp_path / "b/s.zarr"), "in_b")
    path = door(tmp_path / "a/d", "s.zarr")
    shutil.copy(path, tmp_path / "b/d")
    (tmp_path / "link").symlink_to("b/d")
    assert names(path) == ["in_a"] and names(str(tmp_path / "b/d")) == names(str(tmp_path / "link")) == ["in_b"]
    os.chdir(tmp_path / "a")
    assert names("d") == ["in_a"]


def test_external_links_count_from_the_store(tmp_path, writer):
    (tmp_path / "deep").mkdir()
    writer.run(make_link, str(tmp_path / "deep/s.zarr"))
    writer.run(make, str(tmp_path / "deep/other.zarr"), "found")
    path = door(tmp_path / "d.h5", "deep/s.zarr")
    assert writer.run(links, path) == (["found"], path)


def test_doorways_anywhere(tmp_path, writer, bold):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/away").symlink_to("..")
    writer.run(make, str(tmp_path / "s.zarr"))
    for name in ("../s.zarr", str(tmp_path / "s.zarr"), "away/s.zarr", "./.././s.zarr"):
        path = door(tmp_path / "in/d.h5", name)
        with pytest.raises(Failed, match="option doorways=anywhere"):
            writer.run(names, path)
        with pytest.raises(OSError):
            h5py.File(path)
        assert bold.run(names, path) == ["x"]
    with pytest.raises(Failed, match="option doorways=anywhere"):
        writer.run(make, path)
    assert writer.run(delete, path) < 0 and bold.run(delete, path) == 0
    assert not os.path.exists(path) and names(str(tmp_path / "s.zarr")) == ["x"]


HOSTILE = {
    "itself": ("d.h5", "another doorway"), "another doorway": ("e.h5", "another doorway"), "a pipe": ("pipe", "not a Zarr store"), "a file": ("text", "not a Zarr store"),
    "an HDF5 file": ("native", "HDF5 file"), "empty": ("empty", "not a Zarr store"), "remote": ("ftp://host/x.zarr", "remote stores"), "a URL of a file": ("file:///etc", "remote stores"),
    "an empty directory": ("directory", "neither a Zarr store"), "long": ("x" * 5000, "more than the 4096"), "a long part": ("x" * 3000, "File name too long"),
    "behind a file": ("text/x", "Not a directory"), "a loop of links": ("loop", "Too many levels"), "no JSON": ('" x', "no JSON"), "NUL": ("s.zarr\\u0000", "names no store"),
    "more": ('s.zarr", "options": "sync=1', "options"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile(tmp_path, writer, case):
    name, message = HOSTILE[case]
    door(tmp_path / "e.h5", "s.zarr")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "text").write_text("text")
    (tmp_path / "empty").touch()
    (tmp_path / "directory").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    make(tmp_path / "native")
    writer.run(make, str(tmp_path / "s.zarr"))
    before = sorted(os.listdir(tmp_path))
    path = door(tmp_path / "d.h5", name)
    more = ((add, "a"), (make,)) if case != "an empty directory" else ()
    for run, *how in ((names,), (add, "r+"), *more):
        with pytest.raises(Failed, match=message) as failed:
            writer.run(run, path, *how)
        assert path in str(failed.value) and (len(name) > 200 or case in ("no JSON", "NUL", "more") or f"a doorway to {name}" in str(failed.value))
    with pytest.raises(OSError):
        h5py.File(path)
    assert sorted(os.listdir(tmp_path)) == sorted([*before, "d.h5"]) and names(str(tmp_path / "s.zarr")) == ["x"]


def test_without_rights(tmp_path, writer):
    if os.getuid() == 0:
        pytest.skip("root may read everything")
    (tmp_path / "locked/s.zarr").mkdir(parents=True)
    os.chmod(tmp_path / "locked", 0)
    paths = [door(tmp_path / "d.h5", "s.zarr"), door(tmp_path / "e.h5", "locked/s.zarr")]
    os.chmod(paths[0], 0)
    for path in paths:
        with pytest.raises(Failed, match="Permission denied"):
            writer.run(names, path)
    os.chmod(tmp_path / "locked", 0o700)
