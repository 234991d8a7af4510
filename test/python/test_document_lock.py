"""The lock under which a document is looked at and replaced: what happens when somebody else holds it."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
import time

import h5py
import pytest
import zarr

import interpreter
from places import with_connector

HELD_SHORTLY, WRITERS, ROUNDS = 2, 3, 60
WAITED = 10  # seconds, once for a flush
MANY = 4
# On a busy machine a writer has the processor for so long that it seldom meets another, unless it pauses in between.
FLOCK_IS_NOTHING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int flock(int file, int operation) /* of a document: of a directory, that is; leases are files, and their writers live */
{
    struct stat status;
    return fstat(file, &status) == 0 && S_ISDIR(status.st_mode) ? 0 : (int)syscall(SYS_flock, file, operation);
}
int renameat(int from, const char *old, int to, const char *new)
{
    int (*next)(int, const char *, int, const char *) = dlsym(RTLD_NEXT, "renameat");
    usleep(1000);
    return next(from, old, to, new);
}
"""


def make(path, options=""):
    with h5py.File(path, "w") as f:
        f.create_group("g").attrs["old"] = "kept"


def attributes(path):
    for name in (".zattrs", "zarr.json"):
        if (path / "g" / name).exists():
            value = json.loads((path / "g" / name).read_text())
            return value["attributes"] if name == "zarr.json" else value


def hold(path):
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(directory, fcntl.LOCK_EX)
    return directory


def write_attribute(path):
    """Flushes as often as asked; what each flush said."""
    with h5py.File(path, "r+") as f:
        f["g"].attrs["new"] = 1
        print("ready", flush=True)
        for _ in sys.stdin:
            try:
                f.flush()
                print("flushed", flush=True)
            except Exception as error:
                print(" ".join(str(error).split()), flush=True)


def start(function, *arguments, **environment):
    code = (f"import sys; sys.path.insert(0, {str(interpreter.HERE)!r}); import test_document_lock as t; "
            f"t.{function.__name__}(*{arguments!r})")
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            env=with_connector(environment.pop("value", "zarr"), **environment))


def ask(process):
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


@pytest.fixture(params=["zarr", "zarr format=3"], ids=["v2", "v3"])
def writer(request, tmp_path):
    """A store, and a process with an unwritten attribute of its group."""
    path = tmp_path / "s.zarr"
    making = start(make, str(path), value=request.param)
    assert making.wait() == 0
    process = start(write_attribute, str(path))
    assert process.stdout.readline() == "ready\n"
    yield path, process
    process.stdin.close()
    assert process.wait() == 0


def test_writing_waits_for_the_lock(writer):
    path, process = writer
    directory = hold(path)
    seen = []

    def look_then_release():
        time.sleep(HELD_SHORTLY)
        seen.append(attributes(path))
        os.close(directory)

    thread = threading.Thread(target=look_then_release)
    thread.start()
    assert ask(process) == "flushed"
    thread.join()
    assert "new" not in seen[0] and attributes(path) == {"old": "kept", **{k: v for k, v in attributes(path).items() if k != "old"}}
    assert attributes(path)["new"] == 1


def test_a_lock_held_too_long_is_an_error(writer):
    path, process = writer
    directory = hold(path)
    before = attributes(path)
    said = ask(process)
    assert "lock" in said and str(path) in said and attributes(path) == before
    os.close(directory)
    assert ask(process) == "flushed" and attributes(path)["new"] == 1


def change_many(path):
    """A flush of several documents that cannot have the lock, and one that can."""
    with h5py.File(path, "r+") as f:
        for i in range(MANY):
            f.create_group(f"g/g{i}")
        f.flush()
        for i in range(MANY):
            f[f"g/g{i}"].attrs["new"] = i
        directory, begun = hold(path), time.monotonic()
        with pytest.raises(RuntimeError, match="lock"):
            f.flush()
        print(time.monotonic() - begun, flush=True)
        os.close(directory)
        f.flush()
        print([int(f[f"g/g{i}"].attrs["new"]) for i in range(MANY)], flush=True)


@pytest.mark.parametrize("value", ["zarr", "zarr format=3"], ids=["v2", "v3"])
def test_a_flush_waits_once_for_all_documents(value, tmp_path):
    path = tmp_path / "s.zarr"
    assert start(make, str(path), value=value).wait() == 0
    process = start(change_many, str(path), value=value)
    waited, written = process.communicate()[0].splitlines()
    assert WAITED <= float(waited) < (MANY - 1) * WAITED and written == str(list(range(MANY)))
    assert all(zarr.open_group(path, mode="r")[f"g/g{i}"].attrs["new"] == i for i in range(MANY))


def set_many(path, me):
    with h5py.File(path, "r+") as f:
        print("ready", flush=True)
        sys.stdin.readline()
        for i in range(ROUNDS):
            f["g"].attrs[f"w{me}_{i}"] = i
            f.flush()


def lost_updates(path, **environment):
    assert start(make, str(path)).wait() == 0
    writers = [start(set_many, str(path), me, **environment) for me in range(WRITERS)]
    assert [w.stdout.readline() for w in writers] == ["ready\n"] * WRITERS
    for w in writers:
        w.stdin.write("\n")
        w.stdin.flush()
    failed = sum(w.wait() != 0 for w in writers)
    there = attributes(path)
    return failed + sum(f"w{me}_{i}" not in there for me in range(WRITERS) for i in range(ROUNDS))


def test_no_update_is_lost(tmp_path):
    assert lost_updates(tmp_path / "s.zarr") == 0


def test_without_the_lock_updates_are_lost(tmp_path):
    """So the test above says something: with a flock that does nothing it fails. (A writer may fail then, too: each finds the other's lease free.)"""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler here")
    (tmp_path / "flock.c").write_text(FLOCK_IS_NOTHING)
    library = tmp_path / "flock.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, tmp_path / "flock.c", "-ldl"], check=True)
    preloaded = os.pathsep.join(filter(None, [os.environ.get("LD_PRELOAD"), str(library)]))
    assert any(lost_updates(tmp_path / f"{n}.zarr", LD_PRELOAD=preloaded) for n in range(5))
