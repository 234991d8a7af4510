"""Mode "w" and H5Fdelete on a directory that holds more than a Zarr store: refused with the name of what is in the way,
before anything is deleted. Judge: the files."""

import ctypes
import os

import h5py
import numpy as np
import pytest
import zarr

from places import files


def store(path, format):
    """Everything that a store may hold, by zarr-python."""
    root = zarr.open_group(path, mode="w", zarr_format=format)
    for separator in "./":
        key = {"chunk_key_encoding": {"name": "v2" if format == 2 else "default", "separator": separator}}
        root.create_array("a" if separator == "." else "nested", shape=(4, 6), chunks=(2, 3), dtype="i4", **key)[...] = 1
    root.create_array("scalar", shape=(), dtype="f8")[...] = 2
    root.create_group("g/deep/er").create_array("x", data=np.arange(9))
    if format == 3:
        root.create_array("sharded", shape=(8, 8), shards=(4, 4), chunks=(2, 2), dtype="u1")[...] = 3
        root.create_array("v2keys", shape=(4,), chunks=(2,), dtype="u1", chunk_key_encoding={"name": "v2", "separator": "."})[...] = 3
    zarr.consolidate_metadata(path)
    return path


def truncate(path):
    h5py.File(path, "w").close()


def delete(path):
    """H5Fdelete by the library that h5py has loaded."""
    library = next(line.split()[-1] for line in open("/proc/self/maps") if "libhdf5" in line and "_hl" not in line)
    h5 = ctypes.CDLL(library)
    h5.H5Fdelete.argtypes = [ctypes.c_char_p, ctypes.c_int64]
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    if h5.H5Fdelete(os.fsencode(path), fapl.id) < 0:
        raise OSError("H5Fdelete failed")


STRAYS = ["notes.txt", ".git/HEAD", "src/main.c", "a/notes", "a/plots/1.png", "g/.zgroup.bak", "2024", "g/2024", "nested/0/x", "sharded.zip",
          "g/deep/data.h5", "left/c1", "left/1..2", "left/3.", "a/.zarray~", "OME/other.xml", "x.partial", "Makefile", "c", "-> /etc/hostname", "-> nowhere", "-> ../elsewhere"]


@pytest.mark.parametrize("format", [2, 3])
@pytest.mark.parametrize("removes", [truncate, delete])
@pytest.mark.parametrize("stray", STRAYS)
def test_what_is_not_zarrs_is_in_the_way(tmp_path, connector, stray, removes, format):
    path = store(tmp_path / "s.zarr", format)
    (tmp_path / "elsewhere").mkdir()
    if stray.startswith("-> "):
        os.symlink(stray[3:], path / "link")
        name = "link"
    else:
        (path / stray).parent.mkdir(exist_ok=True)
        (path / stray).write_text("mine")
        name = stray
    before = files(path)
    with pytest.raises(Exception) as raised:
        connector.run(removes, str(path))
    if removes is truncate:
        assert f'"{name}"' in str(raised.value) and "not Zarr" in str(raised.value) and "errno = 17" in str(raised.value)
    assert files(path) == before and os.path.lexists(path / name)


TOLERATED = [".DS_Store", "a/._0.0", "g/Thumbs.db", "desktop.ini", "a/.nfs000000000001", "g/.fuse_hidden0001", "OME/METADATA.ome.xml", ".nczarr", "@eaDir/x",
             "a/.zarray.0123456789abcdef0123456789abcdef.partial", "a/0.0.0123456789abcdef0123456789abcdef.partial", "g/.zgroup.__lock",
             "host-1-2.partial/anything", "left/0.0", "left/c/1/2", "empty/e/"]


@pytest.mark.parametrize("format", [2, 3])
@pytest.mark.parametrize("removes", [truncate, delete])
def test_what_others_leave_goes_along(tmp_path, connector, removes, format):
    path = store(tmp_path / "s.zarr", format)
    other = store(tmp_path / "other.zarr", format)
    for name in TOLERATED:
        (path / name).parent.mkdir(exist_ok=True, parents=True)
        (path / name).mkdir() if name.endswith("/") else (path / name).write_text("x")
    os.symlink("../other.zarr/a", path / "member")
    before = files(other)
    connector.run(removes, str(path))
    assert files(other) == before
    if removes is delete:
        assert not path.exists()
    else:
        assert set(files(path)) - {".zmetadata"} <= {".zgroup", ".zattrs", "host-1-2.partial/anything"}


def make_store(path):
    with h5py.File(path, "w") as f:
        f["kept"] = 1


@pytest.mark.parametrize("format", [2, 3])
@pytest.mark.parametrize("removes", [truncate, delete])
@pytest.mark.parametrize("theirs", [False, True], ids=["ours", "hdmf-zarr's"])
def test_stores_in_a_directory_that_became_a_group(tmp_path, connector, removes, format, theirs):
    """A .zgroup in a directory of stores makes none of them a part of a store."""
    zarr.open_group(tmp_path, mode="w", zarr_format=format).create_group("g")
    inner = tmp_path / "g" / "inner.zarr"
    if theirs:
        zarr.open_group(inner, mode="w", zarr_format=format).attrs[".specloc"] = "specifications"
    else:
        connector.run(make_store, str(inner))
    before = files(tmp_path)
    with pytest.raises(Exception) as raised:
        connector.run(removes, str(tmp_path))
    if removes is truncate:
        assert '"g/inner.zarr" is a store of its own' in str(raised.value) and "errno = 17" in str(raised.value)
    assert files(tmp_path) == before


def copy_store(path, source):
    with h5py.File(source, "r") as old, h5py.File(path, "w") as f:
        old.copy("/", f, "copy")
        f["ref"] = f["copy"].ref
    h5py.File(path, "w").close()


def test_a_copy_of_a_store_in_another_is_a_part_of_it(tmp_path, connector):
    connector.run(make_with_references, str(tmp_path / "a.zarr"))
    connector.run(copy_store, str(tmp_path / "b.zarr"), str(tmp_path / "a.zarr"))


def make_with_references(path):
    with h5py.File(path, "w") as f:
        f["a"], f["b"] = 1, 2
        f["hard"] = f["a"]
        f.attrs["to"] = f["b"].ref
        f.flush()
        f.move("b", "c")


def make_all(path):
    with h5py.File(path, "w") as f:
        f["a"] = np.arange(5)
        f["odd\\name"] = 1
        f["x" * 250] = 2
        f.create_group("g", track_order=True)["d"] = "text"
        f["soft"] = h5py.SoftLink("/a")
        f["t"] = np.dtype("f8")
    h5py.File(path, "w").close()


@pytest.mark.parametrize("settings", [{}, {"VOL_ZARR_FORMAT": "3"}, {"VOL_ZARR_FORMAT": "3", "VOL_ZARR_SHARDS": "1K"}])
def test_our_own_stores_are_truncated(tmp_path, connector, settings):
    connector.run(make_with, str(tmp_path / "s.zarr"), settings)


def make_with(path, settings):
    os.environ.update(settings)
    try:
        make_all(path)
    finally:
        for name in settings:
            del os.environ[name]
