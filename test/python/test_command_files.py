"""h5zarr on one-file stores, compact, and doorways."""

import json
import os
import subprocess
import sys
import zipfile

import h5py
import numpy as np
import pytest
import zarr

from places import COMMAND, with_connector
from test_command_check import check, make, told  # noqa: F401 (a fixture)
from test_command_repair import done

pytestmark = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores")


def make_file(path):
    with h5py.File(path, "w") as f:
        f["a"] = np.arange(1000.0)
        f["g/b"] = np.arange(10)
        f["g"].attrs["unit"] = "m"


def by_zip(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
    group = zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")
    return {name: np.asarray(node[...]).tolist() for name, node in group.members(max_depth=None) if isinstance(node, zarr.Array)}


@pytest.fixture
def one(tmp_path):
    path = tmp_path / "one.h5"
    subprocess.run([sys.executable, "-c", "import sys, test_command_files as t; t.make_file(sys.argv[1])", path], check=True,
                   cwd=os.path.dirname(__file__), env=with_connector("zarr container=file"))
    return path


def test_one_file(h5zarr, check, one):  # noqa: F811
    assert check(one)["findings"] == []
    assert [e["name"] for e in json.loads(h5zarr("ls", "-r", "--json", one).stdout)] == ["a", "g", "g/b"]
    told_of = json.loads(h5zarr("info", "--json", f"{one}/g/b").stdout)
    assert told_of["store"]["by_vol_zarr"] and told_of["node"]["shape"] == [10]
    assert "g" in h5zarr("tree", one).stdout
    h5zarr("consolidate", one)
    assert check(one)["findings"] == [] and by_zip(one)["g/b"] == list(range(10))


@pytest.mark.parametrize("cut", [1, 30, 500, 5000])
def test_one_file_cut(h5zarr, one, cut):
    """Whatever is missing at its end: an answer, and no crash."""
    data = one.read_bytes()
    one.write_bytes(data[:-cut])
    for command in ("ls", "tree", "info", "check", "repair"):
        result = subprocess.run([COMMAND, command, one], capture_output=True, text=True)
        assert result.returncode in (0, 1) and "Sanitizer" not in result.stderr, (command, result)
        assert result.returncode == 0 or result.stdout or result.stderr.startswith("h5zarr: ")


FLUSHED = """
import h5py, os, signal, sys
f = h5py.File(sys.argv[1], "r+")
f["late"] = range(10)
f.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_writer_that_died_after_a_flush(h5zarr, check, one):  # noqa: F811
    before = by_zip(one)
    killed = subprocess.run([sys.executable, "-c", FLUSHED, one], env=with_connector(), capture_output=True)
    assert killed.returncode == -9
    found = check(one, wrong=1)
    assert [t for t in told(found) if t[0] != "space"] == [("leftover", str(one))]  # room for more was taken, too
    assert done(h5zarr("repair", "--json", "--dry-run", one)) == [("made whole", str(one))]
    assert done(h5zarr("repair", "--json", one)) == [("made whole", str(one))]
    assert check(one)["findings"] == []
    assert by_zip(one) == {**before, "late": list(range(10))}


def grow(path):
    for i in range(4):
        with h5py.File(path, "r+") as f:
            f["a"][:] = i
            f["big"] = np.random.default_rng(i).random(300_000)
        with h5py.File(path, "r+") as f:
            del f["big"]


@pytest.mark.parametrize("kind", ["one", "zip"])
def test_compact(h5zarr, check, connector, tmp_path, one, kind):  # noqa: F811
    path = one
    if kind == "zip":
        path = tmp_path / "z.zarr.zip"
        connector.run(make_file, str(path))
    connector.run(grow, str(path))
    before, size, mode = by_zip(path), path.stat().st_size, path.stat().st_mode
    assert size > 2_000_000 and told(check(path)) == [("space", "")]
    assert str(path) in h5zarr("compact", path).stdout
    assert path.stat().st_size < 100_000 and path.stat().st_mode == mode
    assert by_zip(path) == before and check(path)["findings"] == []
    assert "not supported: compacting" in h5zarr("compact", make(tmp_path, "v2"), expect=1).stderr


def look(path):
    with h5py.File(path) as f:
        return sorted(f), f["a"].shape


def test_door(h5zarr, reader, tmp_path):
    path = make(tmp_path, "v2")
    door, away = tmp_path / "door.h5", tmp_path / "sub" / "away.h5"
    (tmp_path / "sub").mkdir()
    assert h5zarr("door", path, door).stderr == ""
    assert h5py.is_hdf5(door) and door.stat().st_size < 4096
    assert reader.run(look, str(door)) == (["a", "g", "scalar", "text"], (40, 30))
    assert [e["name"] for e in json.loads(h5zarr("ls", "--json", door).stdout)] == ["a", "g", "scalar", "text"]
    (tmp_path / "both").mkdir()
    path.rename(tmp_path / "both" / path.name)
    door.rename(tmp_path / "both" / "door.h5")
    assert reader.run(look, str(tmp_path / "both" / "door.h5"))[1] == (40, 30)
    path = tmp_path / "both" / path.name
    assert "doorways=anywhere" in h5zarr("door", path, away).stderr
    assert "h5zarr: " in h5zarr("ls", away, expect=1).stderr
    assert h5zarr("ls", away, VOL_ZARR_DOORWAYS="anywhere").stdout
    for store, file, what in ((path, away, "exist"), (tmp_path, tmp_path / "n.h5", "no Zarr store"), (away, tmp_path / "n.h5", ""),
                              (tmp_path / "nothing", tmp_path / "n.h5", "no Zarr store")):
        result = h5zarr("door", store, file, expect=1)
        assert result.stderr.startswith("h5zarr: ") and what in result.stderr and not (tmp_path / "n.h5").exists()
