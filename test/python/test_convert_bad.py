"""h5zarr convert on bad input and when it is stopped: it says what and where, and leaves nothing behind."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest

from converting import COMMAND, LIBRARIES, convert, left_behind, run

DISK = "24m"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "from.h5"
    with h5py.File(path, "w") as f:
        f.create_dataset("g/x", data=np.arange(1000), chunks=(100,), compression="gzip")
        f.attrs["a"] = 1
    return path


def fails(*arguments, status=1, **more):
    said = convert(*arguments, expect=status, **more)[1]
    assert said.count("\n") == 1, said
    return said


@pytest.mark.parametrize("arguments", [("a",), ("a", "b", "c"), ("a", "b", "--format", "4"), ("a", "b", "--chunks", "1,x"), ("a", "b", "--chunks", "0"),
                                       ("a", "b", "--compress", "best"), ("a", "b", "--compress", "/x:best"), ("a", "b", "--compress", "/x:"), ("a", "b", "--to", "tiff"), ("a", "b", "--to", "hdf5", "--format", "3"),
                                       ("a", "b", "--memory", "many"), ("a", "b", "--memory", "1"), ("a", "b", "-o", "nothing=1"), ("a", "b", "--wrong")])
def test_command_lines_that_are_wrong(arguments):
    assert "h5zarr: " in convert(*arguments, expect=2)[1]


def test_sources_that_are_none(tmp_path):
    (tmp_path / "text").write_text("no HDF5")
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    assert "No such file" in fails(tmp_path / "missing", tmp_path / "a.zarr")
    assert "neither an HDF5 file nor a Zarr store" in fails(tmp_path / "text", tmp_path / "a.zarr")
    assert "neither an HDF5 file nor a Zarr store" in fails(tmp_path / "empty", tmp_path / "a.zarr")
    assert "broken.h5" in fails(tmp_path / "broken.h5", tmp_path / "a.zarr")
    assert not left_behind(tmp_path, "text", "empty", "broken.h5")


def test_targets_that_are_taken(tmp_path, source):
    for name in ("a.zarr", "a.h5", "a.zarr.zip"):
        convert(source, tmp_path / name)
        before = (tmp_path / name).stat().st_ino
        assert "there already" in fails(source, tmp_path / name)
        assert (tmp_path / name).stat().st_ino == before
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter").write_text("dear")
    (tmp_path / "letter").write_text("dear")
    for name in ("home", "letter"):
        assert "not replaced" in fails(source, tmp_path / name, "--overwrite")
    (tmp_path / "a.zarr" / "letter").write_text("dear")
    assert "letter" in fails(source, tmp_path / "a.zarr", "--overwrite")
    assert (tmp_path / "a.zarr" / "letter").read_text() == (tmp_path / "home" / "letter").read_text() == "dear"
    assert "the same" in fails(source, source, "--overwrite")
    os.symlink(source, tmp_path / "again.h5")
    assert "the same" in fails(source, tmp_path / "again.h5", "--overwrite")
    assert "in the source" in fails(tmp_path / "a.zarr", tmp_path / "a.zarr" / "b.zarr")
    assert "in what would be replaced" in fails(tmp_path / "a.zarr" / "g", tmp_path / "a.zarr", "--overwrite")
    assert "nothing can be made in" in fails(source, tmp_path / "no" / "where.zarr")
    assert not left_behind(tmp_path, "from.h5", "a.zarr", "a.h5", "a.zarr.zip", "home", "letter", "again.h5")


@pytest.mark.parametrize("old", ["a.zarr", "a.h5"])
@pytest.mark.parametrize("new", [[], ["--to", "hdf5"], ["--container", "zip"], ["--container", "directory"]])
def test_overwriting_one_kind_with_another(tmp_path, source, old, new):
    convert(source, tmp_path / old)
    with h5py.File(source, "r+") as f:
        f["more"] = 2
    convert(source, tmp_path / old, "--overwrite", *new)
    assert not left_behind(tmp_path, "from.h5", old)
    with h5py.File(tmp_path / old) as f:
        assert f["more"][()] == 2 and f["g/x"][999] == 999


def test_overwriting_what_a_link_leads_to(tmp_path, source):
    (tmp_path / "data").mkdir()
    convert(source, tmp_path / "data" / "real.h5")
    os.symlink("data/real.h5", tmp_path / "link.h5")
    convert(source, tmp_path / "link.h5", "--overwrite")
    assert (tmp_path / "link.h5").is_symlink() and h5py.is_hdf5(tmp_path / "data" / "real.h5")
    assert not left_behind(tmp_path / "data", "real.h5")


def damage(path, dataset, chunk):
    with h5py.File(path, "r+") as f:
        info = f[dataset].id.get_chunk_info(chunk)
    with open(path, "r+b") as raw:
        raw.seek(info.byte_offset)
        raw.write(b"\xff" * info.size)


def test_a_damaged_chunk(tmp_path, source):
    convert(source, tmp_path / "there.h5")
    before = (tmp_path / "there.h5").read_bytes()
    damage(source, "g/x", 3)
    said = fails(source, tmp_path / "a.zarr", "--chunks", "50")
    assert "from.h5: /g/x: its elements cannot be read" in said
    for target in ("a.zarr", "a.h5"):  # where chunks are copied as they are
        assert "from.h5: /g/x: its elements cannot be read" in fails(source, tmp_path / target)
    fails(source, tmp_path / "there.h5", "--overwrite", "--compress", "none")
    assert (tmp_path / "there.h5").read_bytes() == before and not left_behind(tmp_path, "from.h5", "there.h5")


def test_a_damaged_chunk_of_a_store(tmp_path, source):
    convert(source, tmp_path / "a.zarr")
    (tmp_path / "a.zarr" / "g" / "x" / "4").write_bytes(b"no chunk")
    assert "/g/x" in fails(tmp_path / "a.zarr", tmp_path / "back.h5", "--chunks", "50")
    assert not left_behind(tmp_path, "from.h5", "a.zarr")


def test_a_filter_that_nobody_has(tmp_path):
    with h5py.File(tmp_path / "from.h5", "w") as f:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((4,))
        plist.set_filter(600, h5py.h5z.FLAG_OPTIONAL)
        d = h5py.h5d.create(f.create_group("g").id, b"x", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((4,)), plist)
        d.write_direct_chunk((0,), b"whatever", 0)
    for name in ("a.zarr", "a.h5"):
        said = fails(tmp_path / "from.h5", tmp_path / name)
        assert "from.h5: /g/x: " in said and "HDF5 filter 600" in said and "HDF5_PLUGIN_PATH" in said
    assert not left_behind(tmp_path, "from.h5")


def test_a_full_disk(small_disk, tmp_path):
    with h5py.File(tmp_path / "from.h5", "w") as f:
        f.create_dataset("noise", data=np.random.default_rng(1).integers(0, 256, (40 << 20,), dtype="u1"), chunks=(1 << 20,))
    for name in ("a.zarr", "a.zarr.zip", "a.h5"):
        said = fails(tmp_path / "from.h5", small_disk / name)
        assert "No space left" in said and name in said
        assert not left_behind(small_disk)


def test_no_library_and_no_plugin(tmp_path, source):
    assert "there is no HDF5 library" in fails(source, tmp_path / "a.zarr", "--hdf5", tmp_path / "none")
    (tmp_path / "libhdf5.so").write_text("no library")
    assert "libhdf5.so" in fails(source, tmp_path / "a.zarr", "--hdf5", tmp_path / "libhdf5.so")
    assert "libH5VLzarr.so" in fails(source, tmp_path / "a.zarr", "--plugin", tmp_path)
    assert not left_behind(tmp_path, "from.h5", "libhdf5.so")


def big_source(path):
    rng = np.random.default_rng(2)
    with h5py.File(path, "w") as f:
        for i in range(8):
            f.create_dataset(f"x{i}", data=rng.integers(0, 50, (4 << 20,), dtype="i4"), chunks=(1 << 18,))


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    path = tmp_path_factory.mktemp("big") / "from.h5"
    big_source(path)
    return path


@pytest.mark.parametrize("form", ["a.zarr", "a.zarr.zip", "a.h5"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped(big, tmp_path, form, number):
    if not COMMAND.exists():
        pytest.skip("the command was not built beside the plugin")
    environment = {**os.environ, "VOL_ZARR_HDF5": str(LIBRARIES["tools"] or LIBRARIES["wheel"])}
    shutil.copy(big, tmp_path / "old.h5")
    for target, options in ((form, []), ("old.h5", ["--overwrite"])):
        # Programs that a shell starts in the background ignore SIGINT, and what they start does, too.
        process = subprocess.Popen([COMMAND, "convert", big, tmp_path / target, "--compress", "zlib", *options], env=environment, cwd=tmp_path,
                                   preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
        while not left_behind(tmp_path, "old.h5"):
            assert process.poll() is None
            time.sleep(0.005)
        time.sleep(0.2)
        process.send_signal(number)
        assert process.wait(timeout=120) == -number
        assert not left_behind(tmp_path, "old.h5")
    with h5py.File(tmp_path / "old.h5") as f:
        assert len(f) == 8


def test_a_converter_that_crashes_leaves_nothing(big, tmp_path):
    """The process that has HDF5 is killed: the first one cleans up and says so."""
    environment = {**os.environ, "VOL_ZARR_HDF5": str(LIBRARIES["tools"] or LIBRARIES["wheel"])}
    process = subprocess.Popen([COMMAND, "convert", big, tmp_path / "a.zarr", "--compress", "zlib"], env=environment, stderr=subprocess.PIPE, text=True)
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not left_behind(tmp_path) or not children.read_text():
        assert process.poll() is None
        time.sleep(0.005)
    os.kill(int(children.read_text().split()[0]), signal.SIGSEGV)
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 1 and "signal 11" in said and not left_behind(tmp_path)


def test_dry_run_and_quiet(tmp_path, source):
    assert "1 dataset," in convert(source, tmp_path / "a.zarr", "--dry-run")[0]
    assert not left_behind(tmp_path, "from.h5")
    assert convert(source, tmp_path / "a.zarr", "--quiet") == ("", "")


def test_help_names_every_option():
    text = run("convert", "--help")[0]
    for option in ("--format", "--container", "--chunks", "--compress", "--shards", "--dialect", "--verify", "--overwrite", "--dry-run", "--hdf5"):
        assert option in text
