"""Reference files: JSON in which each key of a store is bytes, or a range of another file. The judges are native HDF5 on the original
file, and zarr-python over fsspec's reader; what the file names is served by a server that counts."""

import base64
import json
import os

import fsspec
import h5py
import numpy as np
import pytest
import zarr

from interpreter import Failed, Interpreter
from places import unpacked
from test_name_policy import Server
from test_one_file_programs import DOORWAY

GROUP = {".zgroup": '{"zarr_format": 2}'}


def array(shape, chunks, dtype="|u1", **more):
    return json.dumps({"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": dtype, "fill_value": 7, "order": "C", "filters": None,
                       "compressor": None, **more})


def write(path, refs, version=1, **more):
    path.write_text(json.dumps({"version": version, "refs": refs, **more} if version else refs))
    return path


def by_fsspec(path):
    """zarr-python's group. Relative names count from the working directory there."""
    storage = fsspec.filesystem("reference", fo=str(path), asynchronous=True, remote_protocol="file", remote_options={"asynchronous": True})
    return zarr.open_group(zarr.storage.FsspecStore(storage, read_only=True), mode="r", zarr_format=2, use_consolidated=False)


def values(path, key="x"):
    with h5py.File(path, "r") as f:
        return f[key][...]


def fails(path, *said, key="x"):
    """Reading fails, never shows the fill value, and says where and why."""
    with h5py.File(path, "r") as f:
        with pytest.raises(OSError) as failure:
            f[key][...]
    for text in said:
        assert text in str(failure.value), str(failure.value)


def does_not_open(path, *said):
    with pytest.raises(OSError) as failure:
        h5py.File(path, "r")
    for text in said:
        assert text in str(failure.value), str(failure.value)


# ---- what other programs wrote ----

@pytest.fixture(scope="module")
def wild(tmp_path_factory):
    return unpacked("wild/stores-2026-11.tar.gz", tmp_path_factory.mktemp("wild"))


def datasets(f):
    found = {}
    f.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
    return found


# Dimension scales without a variable and empty text are not in these files.
@pytest.mark.parametrize("name, original", [("kerchunk.json", "src.nc"), ("vz.json", "src.nc"), ("t.kerchunk.json", "t.nwb")])
def test_same_as_the_original(wild, name, original):
    with h5py.File(wild / name, "r") as f, h5py.File(wild / original, "r") as judge:
        ours, theirs = datasets(f), datasets(judge)
        assert set(ours) <= set(theirs)
        compared = 0
        for path, dataset in ours.items():
            if theirs[path].dtype.kind not in "iufb" or theirs[path].shape != dataset.shape:
                continue
            np.testing.assert_array_equal(dataset[...], theirs[path][...], err_msg=path)
            compared += 1
        assert compared >= 6


def test_all_that_kerchunk_wrote(wild, monkeypatch):
    monkeypatch.chdir(wild)
    judge = by_fsspec(wild / "kerchunk.json")
    with h5py.File(wild / "kerchunk.json", "r") as f:
        names = [name for name, _ in judge.arrays()]
        assert sorted(names) == sorted(f)
        for name in names:
            expected = judge[name][...]
            if expected.dtype.kind in "iuf":
                np.testing.assert_array_equal(f[name][...], expected, err_msg=name)


# ---- grammar ----

BYTES = bytes(range(16))

FORMS = {
    "range": lambda d: {"x/0": ["data.bin", 0, 4], "x/1": ["data.bin", 8, 4]},
    "dot": lambda d: {"x/0": ["./data.bin", 0, 4], "x/1": ["./data.bin", 4, 4]},
    "absolute": lambda d: {"x/0": [f"{d}/data.bin", 1, 4], "x/1": [f"file://{d}/data.bin", 5, 4]},
    "whole": lambda d: {"x/0": ["four.bin"], "x/1": ["data.bin", 12, 4]},
    "text": lambda d: {"x/0": "abcd", "x/1": "\0\0\0\1"},
    "controls": lambda d: {"x/0": "\n\t\\\"", "x/1": "\u00e9\u00e8"},
    "base64": lambda d: {"x/0": "base64:" + base64.b64encode(b"\xff\xfe\0\1").decode(), "x/1": "base64:YWJjZA=="},
    "once": lambda d: {"x/0": "base64:" + base64.b64encode(b"abc ").decode(), "x/1": "    "},
    "absent": lambda d: {"x/1": ["data.bin", 0, 4]},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("version", [0, 1])
def test_forms(tmp_path, monkeypatch, form, version):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.bin").write_bytes(BYTES)
    (tmp_path / "four.bin").write_bytes(b"four")
    path = write(tmp_path / "x.json", {**GROUP, "x/.zarray": array([8], [4]), **FORMS[form](tmp_path)}, version)
    expected = by_fsspec(path)["x"][...]
    np.testing.assert_array_equal(values(path), expected)
    assert len(set(expected.tolist())) > 1


def test_templates(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.bin").write_bytes(BYTES)
    refs = {**GROUP, "x/.zarray": array([8], [4]), "x/0": ["{{u1}}", 0, 4], "x/1": ["{{d}}.bin", 4, 4]}
    path = write(tmp_path / "x.json", refs, templates={"u1": "data.bin", "d": "data"}, generationMetadata={"by": "hand"})
    np.testing.assert_array_equal(values(path), by_fsspec(path)["x"][...])
    blanks = write(tmp_path / "blanks.json", {**refs, "x/0": ["{{ u1 }}", 0, 4]}, templates={"u1": "data.bin", "d": "data"})
    assert values(blanks).tolist() == list(BYTES[:8])


def test_documents_as_objects(tmp_path):
    refs = {".zgroup": {"zarr_format": 2}, "x/.zarray": json.loads(array([2], [2])), "x/0": "ab", "x/.zattrs": {"unit": "m"}}
    path = write(tmp_path / "x.json", refs)
    with h5py.File(path, "r") as f:
        assert f["x"][...].tolist() == [97, 98] and f["x"].attrs["unit"] == "m"


def test_names_count_from_the_file(tmp_path, monkeypatch):
    """fsspec counts from the working directory: nobody moves a file with its data then."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "data.bin").write_bytes(b"above")
    (tmp_path / "sub" / "data.bin").write_bytes(b"below")
    path = write(tmp_path / "sub" / "x.json", {**GROUP, "x/.zarray": array([5], [5]), "x/0": ["data.bin"]})
    for where in (tmp_path, tmp_path / "sub"):
        monkeypatch.chdir(where)
        assert values(os.path.relpath(path)).tobytes() == b"below"


def test_the_last_of_equal_keys_counts(tmp_path, monkeypatch):
    text = json.dumps({"version": 1, "refs": {**GROUP, "x/.zarray": array([2], [2]), "x/0": "ab"}})
    (tmp_path / "x.json").write_text(text.replace('"x/0": "ab"', '"x/0": "ab", "x/0": "cd"'))
    assert values(tmp_path / "x.json").tobytes() == bytes(by_fsspec(tmp_path / "x.json")["x"][...]) == b"cd"


def test_scalars(tmp_path):
    """kerchunk writes "name/0", VirtualiZarr "name/"."""
    refs = {**GROUP, "k/.zarray": array([], []), "k/0": "a", "v/.zarray": array([], []), "v/": "b"}
    with h5py.File(write(tmp_path / "x.json", refs), "r") as f:
        assert (f["k"][()], f["v"][()]) == (97, 98)


def test_shards(tmp_path):
    """Format 3, and ranges within the range of a file: what zarr-python wrote, behind other bytes."""
    data = np.arange(4096, dtype="i4").reshape(64, 64)
    store = tmp_path / "s.zarr"
    zarr.create_array(store, name="x", shape=data.shape, dtype="i4", shards=(32, 64), chunks=(8, 8), zarr_format=3)[...] = data
    refs, pack = {}, b"ahead"
    for file in sorted(p for p in store.rglob("*") if p.is_file()):
        key = str(file.relative_to(store))
        if key.endswith("zarr.json"):
            refs[key] = file.read_text()
        else:
            refs[key] = ["pack.bin", len(pack), file.stat().st_size]
            pack += file.read_bytes() + b"between"
    if "zarr.json" not in refs:
        refs["zarr.json"] = '{"zarr_format": 3, "node_type": "group"}'
    (tmp_path / "pack.bin").write_bytes(pack)
    path = write(tmp_path / "x.json", refs)
    with h5py.File(path, "r") as f:
        np.testing.assert_array_equal(f["x"][...], data)
        np.testing.assert_array_equal(f["x"][3:40:5, 7], data[3:40:5, 7])


def test_groups_and_listings(tmp_path):
    refs = {**GROUP, "a/.zgroup": GROUP[".zgroup"], "a/b/.zgroup": GROUP[".zgroup"], "a-b/.zgroup": GROUP[".zgroup"], "a/b/x/.zarray": array([1], [1]),
            "a/b/x/0": "z"}
    path = write(tmp_path / "x.json", refs)
    with h5py.File(path, "r") as f:
        assert sorted(f) == ["a", "a-b"] and list(f["a"]) == ["b"] and list(f["a/b"]) == ["x"]
    assert values(f"{path}/a/b").tolist() == [122]


def test_how_it_is_found(tmp_path):
    """By its content, whatever its name; through a doorway; nothing else that is JSON."""
    refs = {**GROUP, "x/.zarray": array([2], [2]), "x/0": "ab"}
    for name in ("x.json", "x.lindi.json", "x", "x.h5"):
        assert values(write(tmp_path / name, refs)).tobytes() == b"ab"
    (tmp_path / "marked.json").write_bytes(b"\xef\xbb\xbf \n" + (tmp_path / "x.json").read_bytes())
    assert values(tmp_path / "marked.json").tobytes() == b"ab"
    (tmp_path / "door.h5").write_bytes(DOORWAY + b'{"store": "x.json"}\n')
    assert values(tmp_path / "door.h5").tobytes() == b"ab"
    for text in ("{}", '{"a": 1}', "[1, 2]", '{"type": "FeatureCollection", "features": []}', "{", '{"zarr_format": 3, "node_type": "group"}'):
        (tmp_path / "other.json").write_text(text)
        assert not h5py.is_hdf5(tmp_path / "other.json")
        does_not_open(tmp_path / "other.json")


def test_is_read_only(tmp_path):
    path = write(tmp_path / "x.json", {**GROUP, "x/.zarray": array([2], [2]), "x/0": "ab"})
    before = path.read_bytes()
    for mode in ("r+", "a"):
        with pytest.raises(OSError, match="a reference file can only be read"):
            h5py.File(path, mode)
    assert path.read_bytes() == before


# ---- what is wrong ----

def test_nothing_becomes_the_fill_value(tmp_path):
    (tmp_path / "data.bin").write_bytes(BYTES)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    cases = {
        "there.bin": (["there.bin", 0, 4], "there.bin", "No such file"),
        "past the end": (["data.bin", 10, 99], "data.bin", "16 bytes", "up to byte 109"),
        "behind the end": (["data.bin", 99, 4], "data.bin", "16 bytes"),
        "short": (["data.bin", 0, 3], "3 bytes, must have 4"),
        "long": ("abcdef", "6 bytes do not fit into 4"),
        "nothing": (["data.bin", 0, 0], "0 bytes, must have 4"),
        "folder": (["folder", 0, 4], "folder", "no regular file"),
        "fifo": (["fifo", 0, 4], "fifo", "no regular file"),
        "device": (["/dev/zero", 0, 4], "/dev/zero"),
        "negative": (["data.bin", -4, 4], "offset and size"),
        "huge": (["data.bin", 2**63, 2**63], "offset and size"),
        "null": ([None, 0, 4], "[name, offset, size]"),
        "two": (["data.bin", 0], "[name, offset, size]"),
        "number": (12, "no reference"),
        "template": (["{{u}}", 0, 4], "template"),
        "memory": (["memory://x", 0, 4], "memory://x"),
        "chain": (["simplecache::s3://b/x", 0, 4], "simplecache", "a chain of file systems"),
        "member": (["zip://x.nc::file:///data.zip", 0, 4], "zip://x.nc", "a chain of file systems"),
        "damaged": ("base64:a", "base64"),
    }
    for what, (reference, *said) in cases.items():
        path = write(tmp_path / "x.json", {**GROUP, "x/.zarray": array([4], [4]), "x/0": reference})
        fails(path, "x.json", "x/0", *said)


def test_what_does_not_open(tmp_path):
    refs = {**GROUP, "x/.zarray": array([4], [4])}
    path = tmp_path / "x.json"
    write(path, refs, gen=[{"key": "x/{{i}}", "url": "data.bin", "dimensions": {"i": {"stop": 3}}}])
    does_not_open(path, "x.json", "gen")
    does_not_open(write(path, refs, version=2), "version 2")
    does_not_open(write(path, {**refs, "../x": "a"}), '"../x"')
    does_not_open(write(path, {**refs, "/x": "a"}), '"/x"')
    path.write_text(json.dumps({"refs": refs}))
    does_not_open(path, 'without a "version"')
    path.write_text(json.dumps({"version": 1, "refs": refs})[:-9])
    does_not_open(path)
    write(path, {**refs, "x/0": ["{{f(c='a')}}", 0, 4]}, templates={"f": "{{c}}.bin"})
    fails(path, "template")


# ---- at a server ----

@pytest.fixture(scope="module")
def served(tmp_path_factory):
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def server(served):
    server = Server(served)
    yield server
    server.shutdown()


@pytest.fixture(scope="module")
def asking(server):
    """An interpreter for which files may lead to this machine, where the tests' server is."""
    interpreter = Interpreter({**os.environ, "VOL_ZARR_TARGETS": "anywhere"})
    yield interpreter
    interpreter.stop()


COUNT, SIZE = 32, 100


@pytest.fixture(scope="module")
def data(served):
    data = np.random.default_rng(1).integers(0, 256, COUNT * SIZE, dtype="u1")
    (served / "data.bin").write_bytes(data.tobytes())
    return data


def refs_to(url):
    return {**GROUP, "x/.zarray": array([COUNT * SIZE], [SIZE]), **{f"x/{i}": [url, i * SIZE, SIZE] for i in range(COUNT)}}


def look(path):
    """All that can be known without an element."""
    with h5py.File(path, "r") as f:
        return {name: (f[name].shape, f[name].dtype.str, f[name].chunks, dict(f[name].attrs)) for name in f}


def read_after_look(path):
    """(without an element, the elements, a part of them)"""
    return look(path), values(path), values(path)[150:260]


def test_near_ranges_are_one_request(tmp_path, server, asking, data):
    path = str(write(tmp_path / "x.json", refs_to(server.url("127.0.0.1", "data.bin"))))
    server.take_log()
    assert asking.run(look, path) == {"x": ((COUNT * SIZE,), "|u1", (SIZE,), {})}
    assert server.take_log() == []
    np.testing.assert_array_equal(asking.run(values, path), data)
    assert [file for _, file, _ in server.take_log()] == ["data.bin"]


def test_many_files_are_one_round(tmp_path, server, served, asking):
    """A chunk in each file, a part of them here: each is read once."""
    refs = {**GROUP, "x/.zarray": array([400], [4])}
    for i in range(100):
        ((served if i % 4 else tmp_path) / f"f{i}.bin").write_bytes(bytes([i] * 4))
        refs[f"x/{i}"] = [server.url("127.0.0.1", f"f{i}.bin") if i % 4 else f"f{i}.bin"]
    path = str(write(tmp_path / "x.json", refs))
    server.take_log()
    np.testing.assert_array_equal(asking.run(values, path), np.repeat(np.arange(100, dtype="u1"), 4))
    assert sorted(file for _, file, _ in server.take_log()) == sorted(f"f{i}.bin" for i in range(100) if i % 4)


@pytest.mark.parametrize("padding", [0, 3 << 20])
def test_a_file_from_a_server(server, served, asking, data, padding):
    """Names count from it: what lies below it is asked as the file itself."""
    write(served / "x.json", refs_to("data.bin"), padding=" " * padding)
    server.take_log()
    seen, read, _ = asking.run(read_after_look, server.url("127.0.0.1", "x.json"))
    assert list(seen) == ["x"]
    np.testing.assert_array_equal(read, data)
    files = [file for _, file, _ in server.take_log()]
    assert set(files) == {"x.json", "data.bin"} and files.count("data.bin") == 2  # it was opened three times, read twice


def test_shards_at_a_server(tmp_path, server, served, asking):
    """The index of a shard, then its chunks: two rounds within the range of a file."""
    values_of = np.arange(4096, dtype="i4").reshape(64, 64)
    zarr.create_array(tmp_path / "s.zarr", name="x", shape=(64, 64), dtype="i4", shards=(32, 64), chunks=(8, 8), zarr_format=3)[...] = values_of
    refs = {"zarr.json": '{"zarr_format": 3, "node_type": "group"}', "x/zarr.json": (tmp_path / "s.zarr" / "x" / "zarr.json").read_text()}
    pack = b"ahead"
    for key in ("x/c/0/0", "x/c/1/0"):
        shard = (tmp_path / "s.zarr" / key).read_bytes()
        refs[key] = [server.url("127.0.0.1", "pack.bin"), len(pack), len(shard)]
        pack += shard + b"between"
    (served / "pack.bin").write_bytes(pack)
    np.testing.assert_array_equal(asking.run(values, str(write(tmp_path / "x.json", refs))), values_of)


def test_absent_at_the_server(tmp_path, server, asking, data):
    refs = refs_to(server.url("127.0.0.1", "data.bin"))
    del refs["x/3"]
    expected = data.copy()
    expected[300:400] = 7
    path = str(write(tmp_path / "x.json", refs))
    np.testing.assert_array_equal(asking.run(values, path), expected)
    none = server.url("127.0.0.1", "none.bin")
    for reference in ([none, 0, 100], [none], [server.url("127.0.0.1", "data.bin"), 3150, 100], [server.url("127.0.0.1", "data.bin"), 9999, 100]):
        write(tmp_path / "x.json", {**refs, "x/3": reference})
        with pytest.raises(Failed) as failure:
            asking.run(values, path)
        assert "x.json: x/" in str(failure.value) and reference[0] in str(failure.value), str(failure.value)


def test_nobody_is_asked_for_documents(tmp_path, server, served, asking):
    (served / "array").write_text(array([4], [4]))
    path = write(tmp_path / "x.json", {**GROUP, "x/.zarray": [server.url("127.0.0.1", "array")], "x/0": "abcd", "y/.zarray": array([1], [1]), "y/0": "a"})
    server.take_log()
    assert asking.run(values, str(path), "y").tolist() == [97]
    with pytest.raises(Failed, match="metadata that the reference file itself does not have"):
        asking.run(values, str(path), "x")
    assert server.take_log() == []
