"""h5zarr show, report, diff and serve in buckets: what they say there is what they say of the same files on the disk, and that is numpy's; zarr-python
reads what is served. Azurite stands in MinIO's place in test_cloud_azure."""

import json
import os
import pathlib
import subprocess

import h5py
import numpy as np
import pytest
import zarr

from places import COMMAND, unpack
from serving import served

ARCHIVES = pathlib.Path(__file__).parent.parent / "python" / "data"
ENVIRONMENT = {"VOL_ZARR_HDF5": os.environ.get("VZ_HDF5", "")}
FORMS = {"x.zarr": [], "three.zarr": ["--format=3"], "x.zip": [], "one.h5": ["--container=file"], "x.json": None, "x.lindi.json": None, "x.h5": None,
         "one.zarr": ["--container=file"], "zip.zarr": ["--container=zip"]}


def run(*words):
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, env={**os.environ, **ENVIRONMENT}, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), (words, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory):
    """An HDF5 file, and stores of every kind of its content."""
    where = tmp_path_factory.mktemp("looks")
    with h5py.File(where / "x.h5", "w") as f:
        f.create_dataset("holes", (60, 40), chunks=(20, 20), dtype="i4", fillvalue=-1, compression="gzip")[:20, 20:] = np.arange(400).reshape(20, 20)
        f["line"] = np.sin(np.arange(300.0) / 20)
        f["line"].attrs["unit"] = "V"
        f["g/rows"] = np.array([(1, 2.5), (3, 4.5)], dtype=[("a", "i4"), ("b", "f8")])
    for name, options in FORMS.items():
        if options is not None:
            run("convert", "-q", *options, where / "x.h5", where / name)
    for name in "x.json", "x.lindi.json":
        run("virtual", "-q", where / "x.h5", where / name)
    for path in where.glob("*.json"):  # the file beside them
        path.write_text(path.read_text().replace(json.dumps(str(where / "x.h5")), '"x.h5"'))
    return where


def put(judge, path, url):
    """As it lies on the disk."""
    if path.is_file():
        judge.put(url, "", path.read_bytes())
    for each in path.rglob("*") if path.is_dir() else ():
        if each.is_file():
            judge.put(url, str(each.relative_to(path)), each.read_bytes())


def shown(name):
    """An array in a bucket is opened by itself, and shows how it is stored also where its store says that HDF5 has no filter for it."""
    return {key: value for key, value in json.loads(run("show", "--json", name)).items() if key not in ("file", "path", "filters", "chunk")}


def nodes(name, *more):
    return json.loads(run("report", "--json", *more, name))["nodes"]


def compare(looked_at, judge, place, form):
    url = place / form
    if form.endswith("json"):
        put(judge, looked_at / "x.h5", place / "x.h5")
    put(judge, looked_at / form, url)
    said = shown(f"{url}/holes")
    assert said["statistics"]["least"] == 0 and said["statistics"]["greatest"] == 399 and said["statistics"]["absent_chunks"] == 5
    assert said["chunks"]["stored"] == 1 and [[cell[1] for cell in row] for row in said["chunks"]["map"]] == [[0, 1], [0, 0], [0, 0]]
    assert shown(f"{url}/g/rows")["table"]["head"] == [[1, 2.5], [3, 4.5]]
    assert json.loads(run("show", "--json", f"{url}/line[-2:]"))["values"][0]["values"] == list(np.sin(np.arange(298.0, 300) / 20))
    for array in "holes", "line", "g/rows":
        assert shown(f"{url}/{array}") == shown(f"{looked_at / form}/{array}")
    there, here = (json.dumps(nodes(name)).replace(str(name), "") for name in (url, looked_at / form))
    assert there == here and '"picture"' in there and '"table"' in there
    assert [node["name"] for node in nodes(f"{url}/g")][1:] == ["rows"]
    if form != "x.lindi.json":  # LINDI does not keep how far a dataset may grow
        run("diff", url, looked_at / "x.h5")
    if form != "x.h5":
        with served(url) as server:
            holes = zarr.open_array(server.url + "holes", mode="r")[...]
        assert (holes[:20, 20:] == np.arange(400).reshape(20, 20)).all() and (holes == -1).sum() == 2000


@pytest.mark.parametrize("form", FORMS)
def test_what_they_say_there(looked_at, judge, place, form):
    compare(looked_at, judge, place, form)


def a_store_and_a_file(looked_at, judge, place):
    """A test of test_cloud_azure."""
    for form in "x.zarr", "x.h5", "one.zarr":
        compare(looked_at, judge, place, form)


def test_a_repository(judge, place, tmp_path):
    where = unpack(ARCHIVES / "icechunk-2.tar.xz", tmp_path) / "icechunk-2"
    with np.load(where / "expected.npz") as expected:
        values = expected["history|@branch.main|a/b/sparse"]
    put(judge, where / "history", place / "history")
    said = shown(f"{place / 'history'}/a/b/sparse")
    assert said["shape"] == list(values.shape) and said["statistics"]["greatest"] <= values.max()
    assert shown(f"{where / 'history'}/a/b/sparse") == said
    assert nodes(place / "history") == nodes(where / "history")
