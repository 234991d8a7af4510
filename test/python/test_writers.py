"""Several processes that write into one store at once: what each wrote is there afterwards, by zarr-python."""

import subprocess
import sys

import h5py
import numpy as np
import pytest

import interpreter
from places import by_zarr, with_connector

WRITERS, ROUNDS = 4, 12


def make(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("common", (WRITERS * 100, 50), "i4", chunks=(10, 50), fillvalue=-1)
        f.create_group("group")
        f["group"].attrs["old"] = "kept"


def write_some(path, me):
    """Own datasets, groups, attributes and chunks, among those of the others; opened anew each round or kept open."""
    wait_for_start(path)
    for i in range(ROUNDS):
        with h5py.File(path, "r+") as f:
            f[f"own{me}/n{i}"] = np.full((20, 20), 1000 * me + i)
            f[f"group/d{me}_{i}"] = [me, i]
            f["group"].attrs[f"a{me}_{i}"] = i
            f.attrs[f"r{me}"] = i
            f["common"].attrs[f"c{me}_{i}"] = "text"
            f["common"][me * 100 + 8 * i:me * 100 + 8 * (i + 1)] = me
            if i % 3 == 0:
                f.flush()
                f["group"].attrs[f"after{me}_{i}"] = i


def keep_open(path, me):
    """The same without closing: flushes alone."""
    wait_for_start(path)
    with h5py.File(path, "r+") as f:
        for i in range(ROUNDS):
            f[f"own{me}/n{i}"] = np.full((20, 20), 1000 * me + i)
            f[f"group/d{me}_{i}"] = [me, i]
            for name, at in (("a", f["group"]), ("c", f["common"])):
                at.attrs[f"{name}{me}_{i}"] = i
            f.attrs[f"r{me}"] = i
            f["common"][me * 100 + 8 * i:me * 100 + 8 * (i + 1)] = me
            f.flush()


def wait_for_start(path):
    print("ready", flush=True)
    sys.stdin.readline()


def at_once(function, path):
    """WRITERS interpreters that begin together; none may say anything or fail."""
    code = ("import sys; sys.path.insert(0, sys.argv[1]); import test_writers; "
            "getattr(test_writers, sys.argv[2])(sys.argv[3], int(sys.argv[4]))")
    command = [sys.executable, "-c", code, str(interpreter.HERE), function.__name__, path]
    running = [subprocess.Popen([*command, str(me)], env=with_connector(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True) for me in range(WRITERS)]
    assert [process.stdout.readline() for process in running] == ["ready\n"] * WRITERS
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        said, _ = process.communicate(timeout=120)
        assert (process.returncode, said) == (0, "")


@pytest.mark.parametrize("function", [write_some, keep_open], ids=["opened anew", "kept open"])
def test_several_writers(connector, tmp_path, function):
    path = str(tmp_path / "s.zarr")
    connector.run(make, path)
    at_once(function, path)
    root = by_zarr(path)
    everybody = [(me, i) for me in range(WRITERS) for i in range(ROUNDS)]
    for me, i in everybody:
        assert root[f"own{me}/n{i}"][...].min() == root[f"own{me}/n{i}"][...].max() == 1000 * me + i
        assert root[f"group/d{me}_{i}"][...].tolist() == [me, i]
    assert {f"a{me}_{i}" for me, i in everybody} | {"old"} <= set(root["group"].attrs)
    assert {f"c{me}_{i}" for me, i in everybody} <= set(root["common"].attrs)
    assert [root.attrs[f"r{me}"] for me in range(WRITERS)] == [ROUNDS - 1] * WRITERS
    common = root["common"][...].reshape(WRITERS, 100, 50)
    for me in range(WRITERS):
        assert (common[me, :8 * ROUNDS] == me).all() and (common[me, 8 * ROUNDS:] == -1).all()
    with h5py.File(path, "r") as f:
        assert set(f["group"]) == {f"d{me}_{i}" for me, i in everybody}
