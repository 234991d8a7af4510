"""Where what is not finished stands: beside the store, in a directory that nobody enters who may not enter the store."""

import os
import pathlib
import shutil
import stat
import struct
import tempfile

import h5py
import numpy as np
import pytest

import stopping
from places import by_zarr
from test_leases import kill, look, named, start

FORMS = {"v2": "", "v3": ";format=3"}
OTHER_USER = 4321


def make(path):
    with h5py.File(path, "w") as f:
        f["old/x"] = np.arange(10)


def add(path):
    with h5py.File(path, "r+") as f:
        f["new/y"] = np.arange(20)
        f["old/x"][3] = 5


def stop_while(work, made, place):
    return stopping.stop_everywhere(made, work, place)


@pytest.mark.parametrize("form", FORMS)
def test_a_writer_that_is_stopped_shows_nothing_unfinished(stopped, tmp_path, form):
    """Not for a moment: zarr-python warns of any name in a group that is no node."""
    made = str(tmp_path / "made.zarr")
    stopped(form).run(make, made)
    for path in stopped(form).run(stop_while, add, made, str(tmp_path)):
        assert set(look(path)) - {"new", "new/y"} == {"old", "old/x"}


def stage_of(path):
    stage, = path.parent.glob(f".{path.name}*.partial")
    return stage


@pytest.mark.parametrize("rights", [0o700, 0o750, 0o755, 0o770])
def test_the_stage_lets_nobody_in_whom_the_store_keeps_out(tmp_path, connector, rights):
    path = tmp_path / "s.zarr"
    connector.run(make, str(path))
    path.chmod(rights)
    process = start(add_and_wait, str(path))
    assert process.stdout.readline() == "busy\n"
    assert stat.S_IMODE(stage_of(path).stat().st_mode) & ~rights == 0
    kill(process)
    connector.run(add, str(path))
    assert named(path) == [] and (by_zarr(path)["new/y"][...] == np.arange(20)).all()


def add_and_wait(path):
    f = h5py.File(path, "r+")
    f["new/y"] = np.arange(20)
    f["new"].create_dataset("z", (100, 100), "i4", chunks=(10, 10))[...] = 1
    print("busy", flush=True)
    input()


def test_what_is_published_inherits_from_the_store(tmp_path, connector):
    """A group that the directory hands down, though the directory beside it does not."""
    path = tmp_path / "s.zarr"
    connector.run(make, str(path))
    group = OTHER_USER if os.getuid() == 0 else next((g for g in os.getgroups() if g != os.getegid()), os.getegid())
    for directory in (path, path / "old"):
        os.chown(directory, -1, group)
        directory.chmod(0o2770)
    connector.run(add, str(path))
    for name in ("new", "new/y", "new/y/.zarray", "new/y/0"):
        assert (path / name).stat().st_gid == group, name
    assert stat.S_IMODE((path / "new").stat().st_mode) & stat.S_ISGID
    assert named(path) == []


def access_list(*more):
    """Of a directory, in the kernel's form: version 2, then (tag, rights, id) of each entry."""
    entries = [(1, 7, -1), *more, (4, 5, -1), (16, 7, -1), (32, 5, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


@pytest.mark.parametrize("kind", ["access", "default"])
def test_access_lists(tmp_path, connector, kind):
    """What says who may enter is not beside the store; what is handed down reaches what is published."""
    if os.environ.get("VZ_PRESET") == "portable":
        pytest.skip("the portable build knows no access lists of Linux")
    path = tmp_path / "s.zarr"
    connector.run(make, str(path))
    try:
        os.setxattr(path, f"system.posix_acl_{kind}", access_list((2, 7, 4321)))
    except OSError as error:
        pytest.skip(f"no access lists on this file system: {error.strerror}")
    process = start(add_and_wait, str(path))
    assert process.stdout.readline() == "busy\n"
    assert any(pathlib.Path(p).is_relative_to(path) for p in named(path)) == (kind == "access")
    kill(process)
    connector.run(add, str(path))
    assert ("system.posix_acl_access" in os.listxattr(path / "new")) == (kind == "default") and named(path) == []


def test_a_directory_above_that_cannot_be_written():
    """The stage is in the root then, and goes all the same."""
    place = pathlib.Path(tempfile.mkdtemp())  # pytest's own directories let no other user pass
    path = place / "above" / "s.zarr"
    path.parent.mkdir()
    try:
        assert start(make, str(path)).wait() == 0
        if os.getuid() == 0:
            place.chmod(0o711)
            for each in (path, *path.rglob("*")):
                os.chown(each, OTHER_USER, OTHER_USER)
        path.parent.chmod(0o555)
        process = start(add_as_other_user, str(path))
        assert process.stdout.readline() == "busy\n"
        assert named(path) and all(pathlib.Path(p).is_relative_to(path) for p in named(path))
        kill(process)
        process = start(add_as_other_user, str(path))
        assert process.stdout.readline() == "busy\n"
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.wait() == 0
        assert named(path) == [] and (by_zarr(path)["again"][...] == np.arange(20)).all()
    finally:
        path.parent.chmod(0o755)
        shutil.rmtree(place)


def add_as_other_user(path):
    """Root may write everywhere."""
    h5py.File(path, "r").close()  # loads the plugin
    if os.getuid() == 0:
        os.setresgid(OTHER_USER, OTHER_USER, OTHER_USER)
        os.setresuid(OTHER_USER, OTHER_USER, OTHER_USER)
    f = h5py.File(path, "r+")
    f.require_dataset("again", (20,), "i8", chunks=(5,))[...] = np.arange(20)
    f.create_dataset(None, (20,), "i8", chunks=(5,))[...] = 1
    print("busy", flush=True)
    input()
    f.close()
