"""Damaged and hostile stores: an error that names store and object, siblings stay readable, nothing is written, no crash."""

import json
import os

import h5py
import numpy as np
import pytest

import numcodecs
from places import files

GOOD = {"zarr_format": 2, "shape": [8, 6], "chunks": [4, 3], "dtype": "<f8", "fill_value": 0, "order": "C", "filters": None, "compressor": None}


def store(path, metadata, chunks=None):
    """A store with the array "bad" (text or a document) between two good ones."""
    path.mkdir()
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    for name, document in (("a good", GOOD), ("bad", metadata), ("z good", GOOD)):
        (path / name).mkdir()
        (path / name / ".zarray").write_text(document if isinstance(document, str) else json.dumps(document))
    for key, data in (chunks or {}).items():
        (path / "bad" / key).write_bytes(data)
    return path


def look(path):
    """Everything that a curious program does: what happened to the bad one, and what the siblings say."""
    with h5py.File(path, "r") as f:
        names = list(f)
        visited = []
        f.visit(visited.append)
        good = [f[name][...].sum() for name in names if "good" in name]
        try:
            d = f["bad"]
            if isinstance(d, h5py.Group):
                return names, visited, good, ("group", "")
            return names, visited, good, ("value", d[...])
        except Exception as error:
            return names, visited, good, (type(error).__name__, str(error))


def change(path):
    """Tries to write into the bad one, then does so to a good one."""
    with h5py.File(path, "r+") as f:
        try:
            f["bad"][0, 0] = 1
        except Exception as error:
            refused = type(error).__name__
        else:
            refused = None
        f["a good"][0, 0] = 5
    with h5py.File(path, "r") as f:
        return refused, f["a good"][0, 0]


def changed(**more):
    return {**GOOD, **more}


def without(key):
    return {name: value for name, value in GOOD.items() if name != key}


DOCUMENTS = {
    "empty": "", "not JSON": "{", "a list": "[]", "a number": "5", "null": "null", "text": '"x"', "binary": "\x00\x01\x02", "trailing comma": '{"a": 1,}',
    "deep": "[" * 100000, "cut": json.dumps(GOOD)[:60], "bad escape": '{"zarr_format": "\\ud800"}',
    **{f"no {key}": without(key) for key in ("shape", "chunks", "dtype", "zarr_format")},
    "shape negative": changed(shape=[-1, 6]), "shape float": changed(shape=[8.5, 6]), "shape text": changed(shape="8"), "shape nested": changed(shape=[[8], 6]),
    "shape null": changed(shape=None), "shape of flags": changed(shape=[True, 6]), "shape over 64 bit": changed(shape=[2**64, 6]), "shape over 10^30": changed(shape=[10**30, 6]),
    "shape times overflows": changed(shape=[2**40, 2**40], chunks=[2**40, 2**40]), "rank 100": changed(shape=[1] * 100, chunks=[1] * 100),
    "chunks negative": changed(chunks=[-4, 3]), "chunks zero": changed(chunks=[0, 3]), "chunks of other rank": changed(chunks=[4]), "chunks text": changed(chunks="43"),
    "chunks null": changed(chunks=None), "chunks over 64 bit": changed(chunks=[2**65, 3]), "chunks overflow": changed(chunks=[2**62, 2**62]),
    "dtype unknown": changed(dtype="<q9"), "dtype empty": changed(dtype=""), "dtype number": changed(dtype=8), "dtype null": changed(dtype=None),
    "dtype list": changed(dtype=[]), "dtype odd fields": changed(dtype=[["a"], 5]), "dtype huge": changed(dtype="|S99999999999999999999"), "dtype float 3": changed(dtype="<f3"),
    "dtype deep": '{"zarr_format":2,"shape":[8,6],"chunks":[4,3],"fill_value":null,"order":"C","filters":null,"compressor":null,"dtype":'
                  + '[["a",' * 5000 + '"<i4"' + "]]" * 5000 + "}",
    "dtype of a billion bytes": changed(dtype="|V4000000000"), "object without codec": changed(dtype="|O"),
    "order": changed(order="K"), "order number": changed(order=1), "format 4": changed(zarr_format=4), "format text": changed(zarr_format="2"),
    "compressor unknown": changed(compressor={"id": "unheard-of"}), "compressor text": changed(compressor="zlib"), "compressor without id": changed(compressor={}),
    "compressor level": changed(compressor={"id": "zlib", "level": "many"}), "blosc name": changed(compressor={"id": "blosc", "cname": "x"}),
    "filters text": changed(filters="shuffle"), "filters of text": changed(filters=["shuffle"]), "filters unknown": changed(filters=[{"id": "?"}]),
    "shuffle of 0": changed(filters=[{"id": "shuffle", "elementsize": 0}]), "shuffle negative": changed(filters=[{"id": "shuffle", "elementsize": -4}]),
    "delta of text": changed(filters=[{"id": "delta", "dtype": "|S3"}]), "fill text": changed(fill_value="seven"), "fill list": changed(fill_value=[1, 2]),
    "fill object": changed(fill_value={"a": 1}), "separator": changed(dimension_separator="-"), "separator number": changed(dimension_separator=5),
}
# Documents that zarr-python opens too, or that leave nothing doubtful; all others must be refused with a name.
HARMLESS = {"fill list", "fill object", "fill text", "order number", "order", "separator", "separator number", "format text", "shape of flags", "delta of text",
            "no zarr_format", "compressor level", "blosc name", "chunks null", "filters text", "dtype of a billion bytes", "shape times overflows", "chunks overflow",
            "bad escape", "shuffle of 0", "shuffle negative"}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_array_document(name, tmp_path, reader):
    path = store(tmp_path / "s.zarr", DOCUMENTS[name])
    before = files(path)
    names, visited, good, (kind, said) = reader.run(look, str(path))
    assert {"a good", "z good"} <= set(names) and {"a good", "z good"} <= set(visited)
    assert good == [0, 0]
    assert files(path) == before
    if name in HARMLESS and kind == "value":
        return
    assert kind in ("OSError", "KeyError", "NotImplementedError", "ValueError", "MemoryError"), (kind, said)
    assert "s.zarr" in said and "bad" in said, said


RNG = np.random.default_rng(11)
DATA = RNG.integers(0, 1000, (4, 3)).astype("f8")
CODECS = {
    "none": None, "zlib": numcodecs.Zlib(), "gzip": numcodecs.GZip(), "bz2": numcodecs.BZ2(), "lzma": numcodecs.LZMA(), "zstd": numcodecs.Zstd(), "lz4": numcodecs.LZ4(),
    **{f"blosc {c}": numcodecs.Blosc(c) for c in ("lz4", "zstd", "zlib", "blosclz")},
}


def encoded(codec, data):
    return bytes(codec.encode(data)) if codec else data.tobytes()


def damages(good, codec):
    yield "empty", b""
    yield "one byte", good[:1]
    for size in {2, 5, 16, len(good) // 2, len(good) - 4, len(good) - 1}:
        yield f"cut to {size}", good[:size]
    yield "random", RNG.bytes(len(good))
    yield "zeros", bytes(len(good))
    yield "ones", b"\xff" * len(good)
    yield "half the data", encoded(codec, DATA[:2])
    yield "twice the data", encoded(codec, np.concatenate([DATA, DATA]))
    for i in range(0, min(len(good), 40), 3):
        yield f"bit {i}", good[:i] + bytes([good[i] ^ 0x81]) + good[i + 1:]


def look_at_all(paths):
    return {path: look(path) for path in paths}


@pytest.mark.parametrize("codec", CODECS)
def test_damaged_chunks(codec, tmp_path, reader):
    metadata = changed(compressor=CODECS[codec].get_config() if CODECS[codec] else None)
    cases = dict(damages(encoded(CODECS[codec], DATA), CODECS[codec]))
    for name, data in cases.items():
        store(tmp_path / f"{name}.zarr", metadata, {"0.0": data})
    for path, (_, _, good, (kind, said)) in reader.run(look_at_all, [str(tmp_path / f"{name}.zarr") for name in cases]).items():
        assert good == [0, 0]
        name = os.path.basename(path)[:-5]
        if kind == "value":  # a flipped bit may leave data that no format can tell from the real
            assert name.startswith("bit") or (codec == "none" and name in ("random", "zeros", "ones")), name
        else:
            assert kind == "OSError" and f"{name}.zarr" in said and "bad" in said and "0.0" in said, said


def test_a_damaged_chunk_does_not_hide_the_others(tmp_path):
    path = store(tmp_path / "s.zarr", GOOD, {"0.0": b"short", "1.1": np.full((4, 3), 7.0).tobytes()})
    with h5py.File(path) as f:
        with pytest.raises(OSError, match="0.0"):
            f["bad"][0, 0]
        assert (f["bad"][4:, 3:] == 7).all()
        with pytest.raises(OSError):
            f["bad"][...]
        assert f["bad"][5, 0] == 0


@pytest.mark.parametrize("name", ["cut", "dtype unknown", "shape negative"])
def test_writing_into_it_is_refused_and_changes_nothing(name, tmp_path, connector):
    path = store(tmp_path / "s.zarr", DOCUMENTS[name])
    document = (path / "bad" / ".zarray").read_bytes()
    refused, value = connector.run(change, str(path))
    assert refused is not None and value == 5
    assert files(path / "bad") == {".zarray": document}


STORES = {
    "empty directory": {}, "some files": {"a.txt": "x"}, "group document is text": {".zgroup": "x"}, "group format 9": {".zgroup": '{"zarr_format": 9}'},
    "group document is a list": {".zgroup": "[]"}, "only attributes": {".zattrs": "{}"},
}


def open_one(path, mode):
    with h5py.File(path, mode) as f:
        return list(f)


def try_open(path):
    try:
        return "opened", open_one(path, "r")
    except OSError as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("name", STORES)
@pytest.mark.parametrize("variable", [True, False], ids=["with the variable", "without"])
def test_what_is_no_store(name, variable, tmp_path, connector, reader):
    path = tmp_path / "thing"
    path.mkdir()
    for file, text in STORES[name].items():
        (path / file).write_text(text)
    before = files(path)
    kind, said = (connector if variable else reader).run(try_open, str(path))
    assert kind in ("OSError", "FileNotFoundError", "IsADirectoryError") and "thing" in said, (kind, said)
    assert files(path) == before


ATTRIBUTES = {"empty": "", "not JSON": "{", "list": "[1]", "number": "5", "cut": '{"a": "b', "deep": '{"a": ' + "[" * 50000}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_document(name, tmp_path, reader):
    path = store(tmp_path / "s.zarr", GOOD)
    (path / "bad" / ".zattrs").write_text(ATTRIBUTES[name])
    names, _, good, _ = reader.run(look, str(path))
    assert names == ["a good", "bad", "z good"] and good == [0, 0]
    kind, said = reader.run(attributes_of, str(path))
    assert kind in ("OSError", "KeyError", "RuntimeError") and "s.zarr" in said and "bad" in said and ".zattrs" in said, (kind, said)


def attributes_of(path):
    with h5py.File(path, "r") as f:
        try:
            return "value", str(dict(f["bad"].attrs))
        except Exception as error:
            return type(error).__name__, str(error)
