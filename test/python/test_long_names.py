"""Names as long as the system takes them, and longer: of members, of stores, and of all together. What it refuses is an
error when it is asked for, and leaves nothing behind."""

import errno
import os

import h5py
import numpy as np
import pytest

from alike import outcome
from places import by_zarr

LENGTHS = [239, 240, 241, 247, 254, 255, 256, 1000, 65000]
SUFFIXES = {"directory": ".zarr", "zip": ".zip"}


def fill(f):
    for length in LENGTHS:
        f["n" * length] = [length]
        f["g/" + "\u00e9" * (length // 2) + "x" * (length % 2)] = length
        f["n" * length].attrs["a" * min(length, 60000)] = length
    f["m" * 247 + ".partial"] = 1
    f.move("n" * 255, "o" * 255)
    f.copy("n" * 254, "p" * 254)
    del f["n" * 256]


def shown(f):
    found = {name: int(np.ravel(item[()])[0]) for name, item in f.items() if isinstance(item, h5py.Dataset)}
    return found | {f"g/{name}": int(item[()]) for name, item in f["g"].items()}


def members(path, mode="w"):
    with h5py.File(path, mode) as f:
        if mode == "w":
            fill(f)
        return shown(f)


def by_directories(path):
    root = by_zarr(path)
    return sorted(int(np.ravel(a[...])[0]) for g in (root, root["g"]) for _, a in g.arrays())


@pytest.mark.parametrize("length", [50, 255])
@pytest.mark.parametrize("kind", SUFFIXES)
def test_long_names_of_members_and_of_the_store(tmp_path, connector, kind, length):
    name = "s" * (length - len(SUFFIXES[kind])) + SUFFIXES[kind]
    native = members(str(tmp_path / "native.h5"))
    for mode in ("w", "r", "r+", "w"):
        assert connector.run(members, str(tmp_path / name), mode) == native, mode
    assert sorted(os.listdir(tmp_path)) == sorted([name, "native.h5"])
    if kind == "directory":
        assert by_directories(tmp_path / name) == sorted(native.values())
        assert not [n for _, directories, files in os.walk(tmp_path / name) for n in directories + files if "partial" in n and "%2E" not in n]


def too_long(path, mode):
    return outcome(lambda: h5py.File(path, mode))


@pytest.mark.parametrize("mode", ["w", "x", "a", "r", "r+"])
@pytest.mark.parametrize("suffix", SUFFIXES.values())
def test_a_name_that_no_store_can_have(tmp_path, connector, mode, suffix):
    path = str(tmp_path / ("s" * (256 - len(suffix)) + suffix))
    assert connector.run(too_long, path, mode) == too_long(path, mode) == ("raised", "OSError", errno.ENAMETOOLONG)
    assert not os.listdir(tmp_path)


def go_down(path, length):
    """As deep as it goes; what the next level said."""
    with h5py.File(path, "w") as f:
        g = f
        depth, refused = 0, None
        while not refused:
            try:
                g = g.create_group("d" * length)
                depth += 1
            except Exception as error:
                refused = str(error)
        said = [outcome(lambda: g.create_dataset("d" * length, data=1))[0], outcome(lambda: f.copy(f["d" * length], g, "d" * length))[0]]
        g["x"] = np.arange(3)
        f["end"] = 1
        return depth, refused, said


def at(path, depth, length):
    with h5py.File(path, "r") as f:
        return f["/".join(["d" * length] * depth + ["x"])][()].tolist(), sorted(f), list(f["/".join(["d" * length] * depth)])


@pytest.mark.parametrize("length", [240, 100, 30])
def test_a_path_that_is_too_long_is_refused_when_it_is_made(tmp_path, connector, length):
    path = str(tmp_path / "s.zarr")
    depth, refused, said = connector.run(go_down, path, length)
    assert depth * (length + 1) < 4096 < (depth + 1) * (length + 1) + 128
    assert "File name too long" in refused and "s.zarr" in refused
    assert said == ["raised", "raised"]
    assert connector.run(at, path, depth, length) == ([0, 1, 2], ["d" * length, "end"], ["x"])
    if len(path) + depth * (length + 1) < 4000:  # zarr-python has the path of the store in front
        assert by_zarr(path)["/".join(["d" * length] * depth)]["x"][...].tolist() == [0, 1, 2]
    assert os.listdir(tmp_path) == ["s.zarr"]


def move_down(path):
    """A group goes where the paths of what it holds are longer than any the system takes."""
    with h5py.File(path, "w") as f:
        for below in ("a", "b"):
            f["/".join([below + "x" * 99] * 30 + ["data"])] = np.arange(5)
    with h5py.File(path, "r+") as f:
        f.move("b" + "x" * 99, "/".join(["a" + "x" * 99] * 30 + ["b" + "x" * 99]))
    with h5py.File(path, "r") as f:
        return outcome(lambda: f["/".join(["a" + "x" * 99] * 30 + ["b" + "x" * 99] * 30 + ["data"])][()])


def bring_back(path):
    with h5py.File(path, "r+") as f:
        f.move("/".join(["a" + "x" * 99] * 30 + ["b" + "x" * 99]), "b")
    with h5py.File(path, "r") as f:
        return f["/".join(["b"] + ["b" + "x" * 99] * 29 + ["data"])][()].tolist()


def test_what_was_moved_too_deep_is_an_error_not_fill_and_can_be_brought_back(tmp_path, connector):
    path = str(tmp_path / "s.zarr")
    assert connector.run(move_down, path)[0] == "raised"
    assert connector.run(bring_back, path) == list(range(5))
