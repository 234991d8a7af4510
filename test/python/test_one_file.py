"""One-file stores: what makes one, in the place of what, user blocks, and who takes it for what."""

import io
import os
import shutil
import stat
import subprocess
import zipfile

import h5py
import numpy as np
import pytest
import zarr

from interpreter import Failed, Interpreter, run_once
from places import with_connector

SIGNATURE = b"\x89HDF\r\n\x1a\n\xff vol-zarr one-file store: "


@pytest.fixture(scope="module")
def writer():
    """A connector that makes one-file stores of *.h5 and *.h5ad, directories of *.zarr, zips of *.z, and else HDF5 files."""
    interpreter = Interpreter(with_connector("zarr create=*.zarr:directory,*.h5:file , *.h5ad:file,*.z:zip,[a,b].auto,odd:name"))
    yield interpreter
    interpreter.stop()


def make(path, mode="w", **more):
    with h5py.File(path, mode, **more) as f:
        f["x"] = np.arange(1000)
        f["g/y"] = ["a", "b"]
        f.attrs["a"] = 1


def add(path, mode="r+"):
    with h5py.File(path, mode) as f:
        f["added"] = [1, 2, 3]


def names(path):
    with h5py.File(path, "r") as f:
        return sorted(f)


def kind(path):
    """What is there, by looking at it alone."""
    if os.path.isdir(path):
        return "directory"
    with open(path, "rb") as f:
        start = f.read(len(SIGNATURE))
    return "file" if start == SIGNATURE else "zip" if start[:2] == b"PK" else "HDF5" if start[:8] == SIGNATURE[:8] else start


def members(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return archive.namelist()


# ---- what is made ----


@pytest.mark.parametrize("name, made", [("s.zarr", "directory"), ("s.h5", "file"), ("s.h5ad", "file"), ("s.z", "zip"), ("a.auto", "directory"), ("odd:name", "directory"),
                                        ("other", "HDF5")])
def test_the_pattern_says_what_is_made(tmp_path, writer, name, made):
    path = str(tmp_path / name)
    writer.run(make, path)
    assert kind(path) == made
    assert names(path) == ["g", "x"]
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("value, name, made", [
    ("zarr container=file", "s.zip", "file"), ("zarr container=zip", "s", "zip"), ("zarr container=directory", "s.zip", "directory"),
    ("zarr create=*:auto;container=zip", "s", "directory"), ("zarr create=" + "x" * 300 + ",s;container=zip", "s", "zip")])
def test_container(tmp_path, value, name, made):
    path = str(tmp_path / name)
    status, said = run_once(with_connector(value), make, path)
    assert status == 0, said
    assert kind(path) == made


def test_container_in_the_environment(tmp_path):
    status, said = run_once(with_connector("zarr", VOL_ZARR_CONTAINER="file"), make, str(tmp_path / "s"))
    assert (status, kind(tmp_path / "s")) == (0, "file"), said


def test_wrong_container(tmp_path):
    status, said = run_once(with_connector("zarr container=tar"), make, str(tmp_path / "s"))
    assert status != 0 and "option container" in said and "directory, zip, file" in said


def test_it_is_a_zip_of_the_store(tmp_path, writer):
    path = tmp_path / "s.h5"
    writer.run(make, str(path))
    writer.run(add, str(path))
    assert h5py.is_hdf5(path) and zipfile.is_zipfile(path)
    assert {".zgroup", "x/.zarray", "added/0"} <= set(members(path))
    z = zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")
    np.testing.assert_array_equal(z["x"][:], np.arange(1000))
    assert z["added"][:].tolist() == [1, 2, 3] and z.attrs["a"] == 1
    with open(path, "rb") as f:
        assert b"which HDF5 programs read with the plugin vol-zarr\n" in f.read(200)


def test_go_reads_it(tmp_path, writer):
    """Each entry to its end, with its checksum."""
    path = tmp_path / "s.h5"
    writer.run(make, str(path))
    writer.run(add, str(path))
    if not os.environ.get("VZ_GO_MEMBERS"):
        pytest.skip("no program in Go here")
    result = subprocess.run([os.environ["VZ_GO_MEMBERS"], path], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, result.stdout + result.stderr
    assert sorted(result.stdout.split()) == sorted(members(path))


def test_libzip_reads_it(tmp_path, writer):
    """ziptool and zipcmp, which are libzip's: each entry is what the file of that name was given."""
    path, copy = tmp_path / "s.h5", tmp_path / "copy"
    writer.run(make, str(path))
    writer.run(add, str(path))
    for program in ("ziptool", "zipcmp"):
        if not shutil.which(program):
            pytest.skip(f"no {program} here")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(copy)
        count = len(archive.namelist())
    quiet = {"capture_output": True, "text": True, "timeout": 60, "stdin": subprocess.DEVNULL}
    said = subprocess.run(["ziptool", path, "get_num_entries", "0"], **quiet)
    assert said.returncode == 0 and said.stdout.startswith(f"{count} entries"), said
    said = subprocess.run(["zipcmp", path, copy], **quiet)
    differences = [line for line in said.stdout.splitlines() if line[:1] in "+-" and not line.startswith(("---", "+++"))]
    assert all(line.split("'")[1].endswith("/") for line in differences), said  # directories, which the store has no entries for


@pytest.mark.parametrize("program", ["unzip -tq", "7z t", "bsdtar tf", "java"])
def test_readers_of_zips(tmp_path, writer, program):
    path = tmp_path / "s.h5"
    writer.run(make, str(path))
    command = program.split()
    if not shutil.which(command[0]):
        pytest.skip(f"no {command[0]} here")
    if program == "java":
        source = tmp_path / "Look.java"
        source.write_text("""public class Look { public static void main(String[] a) throws Exception {
            try (java.util.zip.ZipFile z = new java.util.zip.ZipFile(a[0])) { System.out.println(z.getEntry("x/.zarray") != null); } } }""")
        command = ["java", str(source)]
    result = subprocess.run([*command, str(path)], capture_output=True, text=True, timeout=60)
    if program == "java" and "no compiler" in (result.stdout + result.stderr).lower():
        pytest.skip("no java here")
    assert result.returncode == 0, result.stdout + result.stderr
    assert program not in ("bsdtar tf", "java") or ".zgroup" in result.stdout or "true" in result.stdout


def test_other_hdf5_leaves_it_alone(tmp_path, writer, tool):
    """Native HDF5 that has no plugin: it says what the docs say, and changes no byte."""
    path = tmp_path / "s.h5"
    writer.run(make, str(path))
    before = path.read_bytes()
    said = subprocess.run([f"{os.environ['VZ_HDF5']}/bin/h5dump", str(path)], capture_output=True, text=True, env={**os.environ, "HDF5_PLUGIN_PATH": "/nowhere"})
    assert said.returncode != 0 and "unable to open file" in said.stderr
    assert path.read_bytes() == before
    assert 'ATTRIBUTE "a"' in tool("h5dump", "-A", path)
    assert path.read_bytes() == before


# ---- files do what files do ----


def test_like_any_file(tmp_path, writer):
    path, copy, moved = (str(tmp_path / name) for name in ("s.h5", "copy.h5", "moved"))
    writer.run(make, path)
    shutil.copy(path, copy)
    os.rename(path, moved)
    assert names(copy) == names(moved) == ["g", "x"]
    with h5py.File(f"{moved}/g") as f:  # a path goes on inside of it
        assert list(f) == ["y"]
    os.remove(copy)
    assert sorted(os.listdir(tmp_path)) == ["moved"]


def make_with_umask(path, umask):
    old = os.umask(umask)
    make(path)
    os.umask(old)


def test_a_new_file_has_the_umasks_mode(tmp_path, writer):
    for umask in (0o022, 0o077, 0o002):
        path = tmp_path / f"{umask}.h5"
        writer.run(make_with_umask, str(path), umask)
        assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


def test_exclusive_and_append(tmp_path, writer):
    path = str(tmp_path / "s.h5")
    writer.run(make, path, "a")
    for mode in ("x", "w-"):
        with pytest.raises(Failed, match="File exists"):
            writer.run(make, path, mode)
    assert kind(path) == "file" and names(path) == ["g", "x"]
    writer.run(make, str(tmp_path / "new.h5"), "x")
    assert kind(tmp_path / "new.h5") == "file"


# ---- mode "w" makes what the pattern says ----


@pytest.mark.parametrize("new", ["directory", "file", "zip", "HDF5"])
@pytest.mark.parametrize("old", ["directory", "file", "zip", "HDF5"])
def test_what_was_there_does_not_matter(tmp_path, writer, old, new):
    suffix = {"directory": "s.zarr", "file": "s.h5", "zip": "s.z", "HDF5": "s"}
    path = str(tmp_path / suffix[new])
    writer.run(make, str(tmp_path / suffix[old]))
    os.rename(tmp_path / suffix[old], path)
    writer.run(add, path, "w")
    assert kind(path) == new and names(path) == ["added"]
    assert os.listdir(tmp_path) == [suffix[new]]


def over_an_open_one(path, other, opened):
    with h5py.File(path, "w") as f:
        f["x"] = 1
        os.rename(path, other)
        try:
            h5py.File(other, "w").close()
        except OSError as error:
            message = str(error)
        else:
            message = "opened"
        f["y"] = 2
    return message


@pytest.mark.parametrize("old, new", [("s.zarr", "s.h5"), ("s.h5", "s.zarr"), ("s.h5", "t.h5"), ("s.z", "s.h5"), ("s.h5", "s")])
def test_what_is_open_is_refused(tmp_path, writer, old, new):
    assert "is open" in writer.run(over_an_open_one, str(tmp_path / old), str(tmp_path / new), None)
    assert os.path.exists(tmp_path / new)


def test_a_directory_of_others_stays(tmp_path, writer):
    path = tmp_path / "s.h5"
    path.mkdir()
    with pytest.raises(Failed, match="Is a directory"):
        writer.run(make, str(path))
    (path / "mine.txt").write_text("x")
    with pytest.raises(Failed, match="not replaced"):
        writer.run(make, str(path))
    (path / "mine.txt").unlink()
    path.rmdir()
    writer.run(make, str(tmp_path / "s.zarr"))
    os.rename(tmp_path / "s.zarr", path)
    (path / "mine.txt").write_text("x")
    with pytest.raises(Failed, match="mine.txt"):
        writer.run(make, str(path))
    assert names(path) == ["g", "x"]


# ---- user blocks ----


def make_with_block(path, size):
    make(path, userblock_size=size)
    with h5py.File(path) as f:
        return f.userblock_size


@pytest.mark.parametrize("size", [512, 1024, 8192, 1 << 20])
def test_user_block(tmp_path, connector, size):
    path = tmp_path / "s.any"
    assert connector.run(make_with_block, str(path), size) == size
    block = bytes(range(256)) * (size // 256)
    with open(path, "br+") as f:
        f.write(block)
    assert h5py.is_hdf5(path) and "x/0" in members(path)
    with h5py.File(path) as f:
        assert f.userblock_size == size and f["x"][5] == 5
    connector.run(add, str(path))
    assert names(path) == ["added", "g", "x"] and "added/0" in members(path)
    data = path.read_bytes()
    assert data[:size] == block and data[size:].startswith(SIGNATURE)
    with h5py.File(path, "a", userblock_size=size) as f:
        assert f.userblock_size == size
    with pytest.raises(ValueError, match="userblock"):
        h5py.File(path, "a", userblock_size=2 * size)


def make_with_alignment(path, interval):
    with h5py.File(path, "w", userblock_size=512, alignment_threshold=1, alignment_interval=interval) as f:
        return f.userblock_size


def test_user_block_and_alignment(tmp_path, connector):
    """HDF5 refuses a user block that is no multiple of the alignment, and so do we."""
    for do in (make_with_alignment, lambda *arguments: connector.run(make_with_alignment, *arguments)):
        assert do(str(tmp_path / "a.h5"), 256) == 512
        with pytest.raises((OSError, Failed), match="userblock size must be an integral multiple"):
            do(str(tmp_path / "b.h5"), 3)


@pytest.mark.parametrize("name", ["s.zarr", "s.z"])
def test_user_block_of_what_has_none(tmp_path, writer, name):
    with pytest.raises(Failed, match="option container=(directory|zip): the program asks for a user block of 512 bytes"):
        writer.run(make_with_block, str(tmp_path / name), 512)
    assert not os.listdir(tmp_path)


# ---- damaged ones ----


def try_to_open(path):
    with h5py.File(path):
        pass


def test_header_without_a_store(tmp_path, connector):
    """Nobody else's file: we say what is wrong with it."""
    path = tmp_path / "s.h5"
    connector.run(make_with_block, str(path), 512)
    data = path.read_bytes()
    for size in (640, 4096, len(data) - 1, len(data) - 22):
        path.write_bytes(data[:size])
        with pytest.raises(Failed, match="central directory"):
            connector.run(try_to_open, str(path))
        assert h5py.is_hdf5(path)
        for opened in (path, io.BytesIO(data[:size])):  # by the plugin's path alone
            with pytest.raises(OSError, match="central directory") as raised:
                h5py.File(opened)
            assert str(path) in str(raised.value) or opened != path
    with pytest.raises(Failed):
        path.write_bytes(data[:530])  # the line is cut: not known to be ours
        connector.run(try_to_open, str(path))


def test_erased_flash_is_not_ours(tmp_path, connector):
    path = tmp_path / "s.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + b"\xff" * 100000)
    with pytest.raises(Failed, match="superblock"):
        connector.run(try_to_open, str(path))


def test_a_zip_in_an_hdf5_file(tmp_path, writer, connector):
    """A file of HDF5's whose last bytes are a zip stays one."""
    inner, path = tmp_path / "s.z", tmp_path / "native"
    writer.run(make, str(inner))
    data = np.frombuffer(inner.read_bytes(), "u1")
    with h5py.File(path, "w", libver="latest") as f:
        f["first"] = 1
        f.create_dataset("zip", data=data)
    with open(path, "ab") as f:  # where HDF5 puts it is HDF5's: behind it, it is the last in any case
        f.write(data.tobytes())
    assert zipfile.is_zipfile(path)
    assert connector.run(names, str(path)) == names(path) == ["first", "zip"]


# ---- how large it is ----


def sizes(path):
    with h5py.File(path, "r+") as f:
        told = [(f.id.get_filesize(), os.path.getsize(path))]
        f["more"] = np.arange(1000.0)
        f.flush()
        told.append((f.id.get_filesize(), os.path.getsize(path)))
    return told


@pytest.mark.parametrize("name", ["s.h5", "s.z", "native"])
def test_file_size(tmp_path, writer, name):
    """What h5py tells is the size of the file, as of an HDF5 file."""
    path = str(tmp_path / name)
    writer.run(make, path)
    for told, there in writer.run(sizes, path):
        assert told == there


# ---- zips that somebody put something before ----


@pytest.mark.parametrize("offsets", ["of the zip", "of the file"])
@pytest.mark.parametrize("before, behind", [(b"#!/bin/sh\nexit 0\n", b""), (b"MZ" + bytes(100000), b""), (b"x", b""), (b"", b"\n"), (b"", bytes(1000)), (b"#!/bin/sh\n", b"\n"),
                                            (b"MZ" + bytes(100000), bytes(1000))])
def test_more_than_the_zip(tmp_path, writer, connector, before, behind, offsets):
    inner, path = tmp_path / "s.z", tmp_path / "self-extracting"
    if offsets == "of the zip":
        writer.run(make, str(inner))
        path.write_bytes(before + inner.read_bytes() + behind)
    else:
        path.write_bytes(before)
        writer.run(make, str(inner))
        with zipfile.ZipFile(inner) as old, zipfile.ZipFile(path, "a") as new:
            for name in old.namelist():
                new.writestr(name, old.read(name))
        with open(path, "ab") as f:
            f.write(behind)
    assert names(path) == ["g", "x"]
    with h5py.File(path) as f:
        np.testing.assert_array_equal(f["x"][:], np.arange(1000))
    connector.run(add, str(path))
    assert names(path) == ["added", "g", "x"] and "added/0" in members(path)
    assert path.read_bytes().startswith(before)


def test_other_files_are_not_zips(tmp_path, connector):
    path = tmp_path / "other"
    for data in (b"x" * 21, b"PK\5\6".rjust(22), b"text" + b"PK\5\6" + bytes(18) + b"more", b"PK\5\6" * 1000, b"PK\5\6" + b"\xff" * 18):
        path.write_bytes(data)
        with pytest.raises(Failed):
            connector.run(try_to_open, str(path))
