"""One-file stores, zip files, reference files and HDF5 files on a web server, whatever they are called: with h5zarr and with h5py over the
connector, against the same file on the disk. In buckets: test_cloud_looks."""

import json
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest
import zarr

from converting import run
from file_server import FileServer
from places import with_connector
from serving import served

pytestmark = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 reads what is served")
KINDS = {"file": ["--container=file", "--to=zarr"], "zip": ["--container=zip", "--to=zarr"], "references": None, "hdf5": None}
NAMES = ["x.zarr", "plain", "x.dat"]
DATA = np.arange(600.0).reshape(30, 20)
# Twice, and first without opening it, as programs ask what a name is.
READ = """
import sys, h5py, numpy as np
for url in sys.argv[1:]:
    for _ in range(2):
        assert h5py.h5f.is_hdf5(url.encode())
        with h5py.File(url, "r") as f:
            assert np.array_equal(f["g/a"][5:], np.arange(600.0).reshape(30, 20)[5:]), url
            assert f["g"].attrs["unit"] == "V" and sorted(f) == ["g"], url
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = FileServer(tmp_path_factory.mktemp("served"))
    with h5py.File(running.root / "source.h5", "w") as f:
        f.create_dataset("g/a", data=DATA, chunks=(10, 10), compression="gzip")
        f["g"].attrs["unit"] = "V"
    source = running.root / "source.h5"
    for kind, options in KINDS.items():
        made = source if kind == "hdf5" else running.root / f"{kind}.json"
        if options:
            run("convert", "-q", *options, source, made)
        elif kind == "references":
            run("virtual", "-q", source, made)
            made.write_text(made.read_text().replace(json.dumps(str(source)), '"source.h5"'))
        (running.root / kind).mkdir()
        shutil.copy2(source, running.root / kind / "source.h5")  # with its time, which references have
        for name in NAMES:
            shutil.copyfile(made, running.root / kind / name)
    yield running
    running.stop()


@pytest.mark.parametrize("kind", KINDS)
def test_the_connector(server, kind):
    urls = [f"{server.url}/{kind}/{name}" for name in NAMES]
    done = subprocess.run([sys.executable, "-c", READ, *urls], env=with_connector(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def shown(name):
    said = json.loads(run("show", "--json", name)[0])
    return {key: said.get(key) for key in ("shape", "type", "values", "statistics")}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_commands(server, tmp_path, kind, name):
    there, here, source = f"{server.url}/{kind}/{name}", server.root / kind / name, server.root / "source.h5"
    assert shown(f"{there}/g/a") == shown(here / "g/a") == shown(source / "g/a")
    assert json.loads(run("show", "--json", f"{there}/g/a[29, -2:]")[0])["values"][0]["values"] == [598, 599]
    run("diff", there, source)
    assert len(json.loads(run("report", "--json", there)[0])["nodes"]) == 3
    if kind == "hdf5":
        assert "HDF5 file" in run("cp", there, tmp_path / "copy.zarr", expect=1)[1]
        return
    assert [each["name"] for each in json.loads(run("ls", "-r", "--json", there)[0])] == ["g", "g/a"]
    assert json.loads(run("info", "--json", f"{there}/g/a")[0])["node"]["shape"] == [30, 20]
    assert json.loads(run("check", "--json", there)[0])["findings"] == []
    run("cp", there, tmp_path / "copy.zarr")
    assert np.array_equal(zarr.open_array(tmp_path / "copy.zarr" / "g" / "a", mode="r")[...], DATA)
    with served(there) as other:
        assert np.array_equal(zarr.open_array(other.url + "g/a", mode="r")[...], DATA)


def test_values_that_no_server_lists(server):
    """What is stored is not known there: no size is shown, and nothing counts as damaged."""
    made = zarr.open_group(server.root / "many.zarr", mode="w", zarr_format=3)
    made.create_array("g/a", data=DATA, chunks=(10, 10))
    zarr.consolidate_metadata(server.root / "many.zarr")
    url = f"{server.url}/many.zarr"
    server.clear(heads=True)
    tree = run("tree", url, LC_ALL="C")[0]
    assert "a  (30, 20)  float64  chunks (10, 10)" in tree and tree.endswith("2 groups, 1 array\n")
    assert "(30, 20)" in run("ls", "-lr", url)[0] and "stored" not in json.loads(run("info", "--json", f"{url}/g/a")[0])["node"]
    assert "a check where no keys are listed" in run("check", url, expect=1)[1]
    said = json.loads(run("report", "--json", url)[0])
    assert said["check"]["text"].startswith("Not checked") and said["totals"]["unreadable"] == 0
    said = json.loads(run("report", "--json", f"{url}/g", expect=1)[0])  # it has no consolidated metadata of its own
    assert said["check"]["text"].startswith("Not checked") and "cannot be listed" in said["nodes"][0]["notes"][0] and not said["check"]["findings"]
    assert "Not checked: a check where no keys are listed" in json.loads(run("report", "--check", "--json", url)[0])["check"]["text"]


def test_a_doorway_there(server):
    """It is not followed, and said to be one also where a path goes on behind it."""
    run("door", server.root / "file" / "x.zarr", server.root / "door.h5")
    for name in "door.h5", "door.h5/g/a":
        for command in "show", "info", "ls":
            assert "a redirect file, which is followed only where it lies in the file system" in run(command, f"{server.url}/{name}", expect=1)[1]


def test_nothing_there(server):
    """What is missing is said to be missing, by either kind of name."""
    for name in "gone.zarr", "gone", "gone.dat", "file/gone.zarr/g/a":
        assert "No such file" in run("show", f"{server.url}/{name}", expect=1)[1]
    assert os.listdir(server.root / "file") and "No such" in run("ls", f"{server.url}/file/gone.zarr", expect=1)[1]
