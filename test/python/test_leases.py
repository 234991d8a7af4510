"""What is not finished: seen by no reader of the store, never taken from a living writer, removed when the writer is dead."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import warnings

import h5py
import numpy as np
import pytest

import interpreter
from places import by_zarr, with_connector

KEPT = []


def named(path, suffix=".partial"):
    """Everything in or beside a store that is not finished."""
    path = pathlib.Path(path)
    return sorted(str(p) for p in path.parent.rglob("*") if suffix in p.name)


def start(function, *arguments, value="zarr", before=()):
    code = (f"import sys; sys.path.insert(0, {str(interpreter.HERE)!r}); import {function.__module__} as t; "
            f"t.{function.__name__}(*{arguments!r})")
    return subprocess.Popen([*before, sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            env=with_connector(value))


def say(word):
    print(word, flush=True)


def wait_for_line():
    sys.stdin.readline()


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


def look(path):
    """What zarr-python sees, without a word of warning, with and without consolidated metadata."""
    import zarr

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seen = {name: getattr(node, "shape", "group") for name, node in by_zarr(path).members(max_depth=None)}
        plain = zarr.open_group(str(path), mode="r", use_consolidated=False)
        assert {name: getattr(node, "shape", "group") for name, node in plain.members(max_depth=None)} == seen
    return seen


# ---- a writer at work ----

def be_busy(path):
    """All that can be unfinished at one time: new nodes with chunks, unnamed ones, deleted ones that are held, wider text."""
    text = np.dtype([("k", "i4"), ("s", h5py.string_dtype())])
    with h5py.File(path, "w") as f:
        f["old/x"] = np.arange(10)
        f["held"] = np.arange(1000)
        f.create_dataset("records", data=np.array([(i, "t") for i in range(50)], text), chunks=(10,))
        f.flush()
        held = f["held"]
        del f["held"]
        new = f.create_dataset("new/group/array", (40, 40), "i4", chunks=(10, 10))
        new[...] = 7
        f.create_dataset("flat", data=np.arange(100), chunks=(10,))
        unnamed = f.create_dataset(None, (100,), "i4", chunks=(10,))
        unnamed[...] = 1
        held[0] = 5
        f["records"][0] = (0, "longer " * 50)
        KEPT.extend([held, unnamed])
        say("busy")
        wait_for_line()
        f["named"] = unnamed
    say("closed")


@pytest.fixture(params=["zarr", "zarr format=3"], ids=["v2", "v3"])
def busy(request, tmp_path):
    path = tmp_path / "s.zarr"
    process = start(be_busy, str(path), value=request.param)
    assert process.stdout.readline() == "busy\n"
    yield path, process
    if process.poll() is None:
        kill(process)


FLUSHED = {"old": "group", "old/x": (10,), "records": (50,)}


def test_nothing_unfinished_is_seen_while_a_writer_works(busy):
    path, process = busy
    assert named(path) and look(path) == FLUSHED
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "closed\n" and process.wait() == 0
    assert named(path) == []
    assert look(path) == {**FLUSHED, "new": "group", "new/group": "group", "new/group/array": (40, 40), "flat": (100,), "named": (100,)}
    root = by_zarr(path)
    assert (root["new/group/array"][...] == 7).all() and (root["named"][...] == 1).all()


def append(path):
    with h5py.File(path, "r+") as f:
        f["after"] = 1


def test_nothing_unfinished_is_seen_after_a_kill(busy, connector):
    path, process = busy
    kill(process)
    assert named(path) and look(path) == FLUSHED
    connector.run(append, str(path))
    assert named(path) == [] and look(path) == {**FLUSHED, "after": ()}


def test_a_living_writer_keeps_what_it_has(busy, connector):
    """Other writers come and go, and list everything."""
    path, process = busy
    before = named(path)
    connector.run(append_and_list, str(path))
    assert named(path) == before
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "closed\n" and process.wait() == 0
    root = by_zarr(path)
    assert (root["new/group/array"][...] == 7).all() and (root["named"][...] == 1).all() and root["after"][()] == 1


def append_and_list(path):
    with h5py.File(path, "r+") as f:
        f["after"] = 1
        f.visititems(lambda name, item: None)
        list(f)


def begins(*command):
    return shutil.which(command[0]) is not None and subprocess.run([*command, "true"], capture_output=True).returncode == 0


# A /proc of the namespace's own can be mounted where the root directory is a mount point; in a chroot it is not.
CONTAINER = ["unshare", "-pf", "--mount-proc"] if begins("unshare", "-pf", "--mount-proc") else ["unshare", "-pf"]


@pytest.mark.skipif(not begins(*CONTAINER),
                    reason="no process namespaces can be made here")
def test_writers_of_two_containers(tmp_path, connector):
    """One host name, different process namespaces: neither sees a process under the other's number."""
    path = tmp_path / "s.zarr"
    process = start(be_busy, str(path), before=CONTAINER)
    assert process.stdout.readline() == "busy\n"
    before = named(path)
    connector.run(append_and_list, str(path))
    other = start(append_again, str(path), before=CONTAINER)
    assert other.stdout.readline() == "done\n" and other.wait() == 0
    assert named(path) == before
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "closed\n" and process.wait() == 0
    root = by_zarr(path)
    assert (root["named"][...] == 1).all() and (root["new/group/array"][...] == 7).all() and root["again"][()] == 2


def append_again(path):
    with h5py.File(path, "r+") as f:
        f["again"] = 2
        list(f)
    say("done")


# ---- what somebody removes all the same ----

def lose_a_dataset(path):
    with h5py.File(path, "w") as f:
        f["old"] = 1
        f.flush()
        unnamed = f.create_dataset(None, (100,), "i4", chunks=(10,))
        unnamed[...] = 1
        f.flush()
        say("busy")
        wait_for_line()
        try:
            f["named"] = unnamed
            say("linked")
        except Exception as error:
            say("error " + " ".join(str(error).split()))


def test_data_that_was_removed_is_an_error(tmp_path):
    """A name is never given to a dataset whose chunks are gone."""
    path = tmp_path / "s.zarr"
    process = start(lose_a_dataset, str(path))
    assert process.stdout.readline() == "busy\n"
    stage, = [pathlib.Path(p) for p in named(path) if pathlib.Path(p).parent in (path, tmp_path)]
    for below in stage.iterdir():
        if below.is_dir():
            shutil.rmtree(below)
    process.stdin.write("\n")
    process.stdin.flush()
    said = process.stdout.readline()
    assert said.startswith("error") and "not there any more" in said and str(path) in said
    process.wait()


# ---- leases ----

def write_chunks(path):
    with h5py.File(path, "r+") as f:
        say("busy")
        n = 0
        while True:
            f["a/x"][...] = n
            f["y"][...] = n
            n += 1


def make_arrays(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("a/x", (64, 64), "f8", chunks=(8, 8))
        f.create_dataset("y", (64, 64), "f8", chunks=(8, 8))


@pytest.mark.parametrize("value", ["zarr", "zarr format=3"], ids=["v2", "v3"])
def test_partial_chunks_go_with_the_next_writer(tmp_path, connector, value):
    """No listing meets them: the lease says where they are."""
    path, left = tmp_path / "s.zarr", 0
    assert start(make_arrays, str(path), value=value).wait() == 0
    for n in range(8):
        process = start(write_chunks, str(path))
        assert process.stdout.readline() == "busy\n"
        time.sleep(0.15 + n * 0.013)
        kill(process)
        left += len(named(path)) > 1
        connector.run(append_attribute, str(path))
        assert named(path) == []
    print(left, "of 8 left partial chunks")


def append_attribute(path):
    with h5py.File(path, "r+") as f:
        f.attrs["n"] = f.attrs.get("n", 0) + 1


def test_a_held_lease_of_nobody_who_can_be_seen(tmp_path, connector):
    """The lock decides, whatever the process that holds it is called."""
    import fcntl

    path = tmp_path / "s.zarr"
    process = start(be_busy, str(path))
    assert process.stdout.readline() == "busy\n"
    lease, = tmp_path.glob(".s.zarr*.partial/lease")
    holder = os.open(lease, os.O_RDWR)
    kill(process)
    fcntl.flock(holder, fcntl.LOCK_EX)  # free as soon as its writer has gone
    before = named(path)
    connector.run(append, str(path))
    assert named(path) == before
    os.close(holder)
    connector.run(append_attribute, str(path))
    assert named(path) == []


@pytest.mark.parametrize("reach", ["none", "server"])
def test_a_lease_whose_lock_proves_nothing_stays(tmp_path, connector, reach):
    """Its writer had no lock, or one that does not reach here."""
    path = tmp_path / "s.zarr"
    process = start(be_busy, str(path))
    assert process.stdout.readline() == "busy\n"
    kill(process)
    lease, = tmp_path.glob(".s.zarr*.partial/lease")
    head, _, notes = lease.read_text().partition("\n")
    lease.write_text(" ".join(head.split()[:-1] + [reach]) + "\n" + notes)
    before = named(path)
    connector.run(append, str(path))
    assert named(path) == before and look(path) == {**FLUSHED, "after": ()}


def test_what_a_stranger_laid_beside_is_not_touched(tmp_path, connector):
    if os.getuid() != 0:
        pytest.skip("only root can make directories of several owners")
    path = tmp_path / "s.zarr"
    connector.run(make_arrays, str(path))
    victim = path / "y" / ("0" * 32 + "-1.partial")
    victim.write_text("of a living writer")
    stage = tmp_path / ".s.zarr.partial"
    stage.mkdir()
    (stage / "lease").write_text(f"vol-zarr lease 1 {'0' * 32} kernel\ny\n../..\n/\n")
    os.chown(stage, 12345, 12345)
    connector.run(append, str(path))
    assert victim.exists() and (stage / "lease").exists()
    os.chown(stage, 0, 0)  # the same by the store's owner is a leftover
    connector.run(append_attribute, str(path))
    assert not victim.exists() and not stage.exists()


def test_where_nothing_can_be_made_beside(tmp_path, connector):
    """In a group of another store the stage is in the root, and goes all the same."""
    import zarr

    zarr.open_group(str(tmp_path), mode="a", zarr_format=2)
    path = tmp_path / "s.zarr"
    process = start(be_busy, str(path))
    assert process.stdout.readline() == "busy\n"
    assert all(pathlib.Path(p).is_relative_to(path) for p in named(path))
    kill(process)
    connector.run(append_and_list, str(path))
    assert named(path) == [] and set(by_zarr(path)) == {"old", "records", "after"}


# ---- forked children ----

def leave_child(path):
    f = h5py.File(path, "w")
    f["x"] = np.arange(10)
    f.flush()
    d = f.create_dataset(None, (100,), "i4", chunks=(10,))
    d[...] = 1
    f.flush()
    child = os.fork()
    if child == 0:
        assert f["x"][3] == 3
        os._exit(0)  # a child that ends takes nothing with it
    os.waitpid(child, 0)
    f["named"] = d
    f.close()
    say("closed")


def test_a_child_that_ends_leaves_the_lease_alone(tmp_path):
    path = tmp_path / "s.zarr"
    process = start(leave_child, str(path))
    assert process.stdout.readline() == "closed\n" and process.wait() == 0
    assert named(path) == [] and (by_zarr(path)["named"][...] == 1).all()


# ---- two writers make the same ----

def make_same(path, me):
    with h5py.File(path, "r+") as f:
        g = f.create_group("same")
        g.attrs[f"a{me}"] = me
        g.create_dataset(f"d{me}", data=np.full(10, me))
        say("made")
        wait_for_line()


def test_two_writers_make_one_group(tmp_path, connector):
    path = tmp_path / "s.zarr"
    connector.run(make_arrays, str(path))
    writers = [start(make_same, str(path), me) for me in range(3)]
    assert [w.stdout.readline() for w in writers] == ["made\n"] * 3
    for w in writers:
        w.stdin.write("\n")
        w.stdin.flush()
    assert [w.wait() for w in writers] == [0] * 3
    group = by_zarr(path)["same"]
    assert dict(group.attrs) == {f"a{me}": me for me in range(3)}
    assert {name: set(array[...]) for name, array in group.arrays()} == {f"d{me}": {me} for me in range(3)}
    assert named(path) == []
