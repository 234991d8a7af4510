"""Lists of users of a dimension scale, written while names change: the names that they lead to are those of the native file, and the paths
that are stored are the names of then."""

import json

import h5py
import numpy as np
import pytest

from interpreter import Interpreter
from places import with_connector

COUNT = 20  # users before the first change: long lists become text when they are written


def attach(f, name):
    v = f.create_dataset(name, shape=(4,), dtype="f4", track_order=True)
    v.dims[0].attach_scale(f[scale_of(f)])
    f.flush()


def scale_of(f):
    return next(name for name in ("x", "y", "top/y") if name in f)


def rename_variable(f):
    f.move("v3", "renamed")


def reuse_name(f):
    f.move("v4", "elsewhere")
    attach(f, "v4")


def move_group(f):
    f.move("g", "h")


def move_into_group(f):
    f.move("v10", "h/v10")


def rename_scale(f):
    f.move("x", "y")


def move_scale(f):
    f.create_group("top", track_order=True)
    f.move("y", "top/y")


def link_and_unlink(f):
    f["hard"] = f["v6"]
    del f["v6"]


def detach_and_delete(f):
    f["v7"].dims[0].detach_scale(f[scale_of(f)])
    del f["v7"]


def detach_first(f):
    f["v0"].dims[0].detach_scale(f[scale_of(f)])


CHANGES = [rename_variable, reuse_name, move_group, move_into_group, rename_scale, move_scale, link_and_unlink, detach_and_delete, detach_first]


def users(f):
    return [(f[reference].name, int(axis)) for reference, axis in f[scale_of(f)].attrs["REFERENCE_LIST"]]


def program(path):
    """The users after each change, and after the last flush of it."""
    found = []
    with h5py.File(path, "w", track_order=True) as f:
        f.create_group("g", track_order=True)
        f.create_dataset("x", data=np.arange(4.0), track_order=True).make_scale("x")
        for i in range(COUNT):
            attach(f, f"g/v{i}" if i % 4 == 1 else f"v{i}")
        for number, change in enumerate(CHANGES):
            change(f)
            f.flush()
            found.append(users(f))
            attach(f, f"later{number}")
            found.append(users(f))
    return found


def read(path):
    with h5py.File(path, "r") as f:
        return users(f)


def stored_paths(value):
    """Paths of users in a document, whatever texts of JSON they stand in."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return stored_paths(json.loads(value))
        except ValueError:
            return []
    if isinstance(value, dict):
        if set(value) == {"dataset", "dimension"}:
            return [value["dataset"]["path"]]
        value = list(value.values())
    return [path for item in value for path in stored_paths(item)] if isinstance(value, list) else []


@pytest.mark.parametrize("options", ["zarr", "zarr format=3", "zarr container=file", "zarr container=file;format=3"])
def test_users_follow_names(options, tmp_path):
    native = program(tmp_path / "a.h5")
    writer = Interpreter(with_connector(options))
    written = writer.run(program, str(tmp_path / "a.zarr"))
    writer.stop()
    assert written == native
    reader = Interpreter(with_connector())
    assert reader.run(read, str(tmp_path / "a.zarr")) == native[-1]
    reader.stop()
    if "file" in options:
        return
    documents = [json.loads(p.read_text()) for p in (tmp_path / "a.zarr").rglob("*") if p.name in (".zattrs", "zarr.json")]
    lists = [paths for paths in map(stored_paths, documents) if paths]
    assert lists and all(sorted(set(paths)) == sorted(name for name, _ in native[-1]) for paths in lists)
