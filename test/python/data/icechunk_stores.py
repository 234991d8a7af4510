#!/usr/bin/env python3
"""icechunk_stores.py OUT.tar.xz [VERSION] - makes Icechunk repositories of that format version. For icechunk 1.1 and 2.3 with zarr-python 3.4.

Beside the repositories lies expected.npz: for each reference and array the elements that zarr-python reads through icechunk, named
REPOSITORY|REFERENCE|PATH; and expected.json, with attributes, the snapshots' ids and the names of nodes."""

import json
import pathlib
import sys
import tarfile
import tempfile

import icechunk
import numpy as np
import xarray
import zarr
from icechunk.xarray import to_icechunk

NAME = pathlib.Path(sys.argv[1]).name.split(".tar")[0]
VERSION = int(sys.argv[2]) if len(sys.argv) > 2 else 1


class Maker:
    def __init__(self, where):
        self.where, self.values, self.facts = where, {}, {}

    def new(self, name, **config):
        settings = icechunk.RepositoryConfig.default()
        for key, value in config.items():
            setattr(settings, key, value)
        storage = icechunk.local_filesystem_storage(str(self.where / name))
        more = {"spec_version": VERSION} if icechunk.__version__ >= "2" else {}
        return icechunk.Repository.create(storage, config=settings, **more)

    def expect(self, name, repository, reference, **which):
        store = repository.readonly_session(**which).store
        root = zarr.open(store, mode="r")
        facts = self.facts.setdefault(f"{name}|{reference}", {})
        if isinstance(root, zarr.Array):
            self.values[f"{name}|{reference}|"] = root[...]
            return
        facts[""] = dict(root.attrs)
        for path, node in root.members(max_depth=None):
            facts[path] = dict(node.attrs)
            if isinstance(node, zarr.Array):
                values = node[...]
                self.values[f"{name}|{reference}|{path}"] = np.array(values.tolist()) if values.dtype.kind in "OT" else values

    def save(self):
        np.savez_compressed(self.where / "expected.npz", **self.values)
        (self.where / "expected.json").write_text(json.dumps(self.facts, indent=1))


def split(size):
    parts = {icechunk.ManifestSplitCondition.AnyArray(): {icechunk.ManifestSplitDimCondition.Any(): size}}
    return icechunk.ManifestConfig(splitting=icechunk.ManifestSplittingConfig.from_dict(parts))


def fill(root):
    random = np.random.default_rng(1)
    root.attrs.update({"title": "a repository", "numbers": [1, 2.5], "nested": {"a": None}})
    grid = root.create_array("grid", shape=(40, 30), chunks=(10, 10), dtype="f8", dimension_names=("y", "x"), attributes={"units": "m"})
    grid[...] = random.standard_normal((40, 30))
    root.create_array("tiny", shape=(7,), chunks=(3,), dtype="i4")[...] = np.arange(7)
    root.create_array("scalar", shape=(), dtype="f4")[...] = 2.5
    root.create_array("empty", shape=(5, 5), chunks=(2, 2), dtype="i2", fill_value=9)
    sparse = root.create_array("a/b/sparse", shape=(2000, 12), chunks=(100, 5), dtype="u2", fill_value=4, compressors=None)
    sparse[300:420, 6:11] = random.integers(0, 60000, (120, 5))
    sparse[1999, 11] = 5
    shards = root.create_array("a/shards", shape=(64, 48), chunks=(8, 8), shards=(32, 16), dtype="i8")
    shards[3:60, 5:47] = random.integers(-1000, 1000, (57, 42))
    root.create_array("a/shards-of-zeros", shape=(16,), chunks=(4,), shards=(8,), dtype="i4")
    text = root.create_array("a/text", shape=(5,), chunks=(2,), dtype=str)
    text[...] = np.array(["", "one", "zwölf", "日本", "x" * 900], dtype=object)
    root.create_array("a-b", shape=(2, 3, 4), chunks=(1, 2, 3), dtype="c8")[...] = random.standard_normal((2, 3, 4)) * (1 + 2j)
    root.create_group("a/nothing", attributes={"n": 1})
    root.create_array("c/c", shape=(12,), chunks=(1,), dtype="u1", compressors=None)[...] = np.arange(12)


def history(maker):
    name = "history"
    repository = maker.new(name, inline_chunk_threshold_bytes=64, manifest=split(4))
    session = repository.writable_session("main")
    fill(zarr.group(session.store))
    first = session.commit("first")
    repository.create_tag("v1", snapshot_id=first)
    repository.create_tag("gone", snapshot_id=first)
    repository.delete_tag("gone")
    repository.create_branch("dev", snapshot_id=first)
    repository.create_branch("left", snapshot_id=first)
    repository.delete_branch("left")
    session = repository.writable_session("main")
    root = zarr.open_group(session.store)
    root["grid"][5:25, 3:17] = -1
    root["tiny"].resize((9,))
    root["tiny"][8] = 100
    del root["a/text"]
    second = session.commit("second")
    session = repository.writable_session("dev")
    root = zarr.open_group(session.store)
    root["grid"][...] = 7
    root.create_array("only-dev", shape=(3,), chunks=(3,), dtype="i4")[...] = 1
    del root["c"]
    session.commit("dev")
    if VERSION == 2:
        session = repository.rearrange_session("main")
        session.move("/a/shards", "/shards")
        session.move("/c", "/d")
        session.commit("moved")
    for reference, which in (("@branch.main", {"branch": "main"}), ("@branch.dev", {"branch": "dev"}), ("@tag.v1", {"tag": "v1"}),
                             (f"@{second}", {"snapshot_id": second})):
        maker.expect(name, repository, reference, **which)


def others(maker):
    repository = maker.new("array")
    session = repository.writable_session("main")
    zarr.create_array(session.store, shape=(6, 4), chunks=(2, 2), dtype="i4")[...] = np.arange(24).reshape(6, 4)
    session.commit("an array")
    maker.expect("array", repository, "@branch.main", branch="main")
    maker.new("new")
    repository = maker.new("many", inline_chunk_threshold_bytes=0, manifest=split(1000))
    session = repository.writable_session("main")
    zarr.create_array(session.store, name="many", shape=(60, 50), chunks=(1, 25), dtype="u1", compressors=None)[...] = 3
    session.commit("many")
    maker.expect("many", repository, "@branch.main", branch="main")


def weather(maker):
    """As xarray writes it."""
    repository = maker.new("weather")
    session = repository.writable_session("main")
    temperature = np.random.default_rng(2).standard_normal((4, 3, 5))
    dataset = xarray.Dataset({"temperature": (("time", "y", "x"), temperature, {"units": "K"}), "flag": (("station",), np.arange(2, dtype="i1"))},
                               {"time": np.arange(4.0), "y": np.arange(3), "x": np.arange(5)})
    if icechunk.__version__ >= "2":
        to_icechunk(dataset, session)
    else:  # whose to_icechunk this xarray has left behind
        dataset.to_zarr(session.store, zarr_format=3, consolidated=False)
    session.commit("weather")
    maker.expect("weather", repository, "@branch.main", branch="main")


def main():
    with tempfile.TemporaryDirectory() as directory:
        where = pathlib.Path(directory) / NAME
        where.mkdir()
        maker = Maker(where)
        history(maker)
        others(maker)
        weather(maker)
        maker.save()
        with tarfile.open(sys.argv[1], "w:xz") as archive:
            archive.add(where, NAME, filter=lambda entry: entry.replace(uid=0, gid=0, uname="", gname="", deep=False))


if __name__ == "__main__":
    main()
