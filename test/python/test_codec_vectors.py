"""What our codecs write, numcodecs reads: each chain over each type of data, and objects.

The C tests do the other direction (data that numcodecs wrote); here unit/tool_codec encodes, numcodecs is the judge."""

import json
import lzma
import os
import pathlib
import struct
import subprocess

import numpy as np
import pytest
from numcodecs.registry import get_codec

RNG = np.random.default_rng(3)


def tool():
    build = os.environ.get("VZ_PLUGIN_DIR")
    if not build:
        pytest.skip("VZ_PLUGIN_DIR does not tell where the build is")
    return pathlib.Path(build).parent / "test" / "tool_codec"


def run(verb, filters, compressor, element_size, count, data):
    command = [tool(), verb, json.dumps(filters), json.dumps(compressor), str(element_size), str(count)]
    result = subprocess.run(command, input=data, capture_output=True)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout


def undo(filters, compressor, stored):
    data = stored
    for config in reversed((filters or []) + ([compressor] if compressor else [])):
        data = get_codec(dict(config)).decode(data)
    return data


def sample(dtype, count=3000):
    dt = np.dtype(dtype)
    if dt.kind == "f" or dt.kind == "c":
        return np.cumsum(RNG.standard_normal(count)).astype(dt)
    if dt.kind in "SU":
        return np.array([f"name{i % 90}" for i in range(count)]).astype(dt)
    if dt.kind == "V":
        a = np.zeros(count, dt)
        for name in dt.names:
            a[name] = np.arange(count) % 100
        return a
    return (np.arange(count) // 3 % 120).astype(dt)


DTYPES = ["|b1", "|i1", "<u2", ">i4", "<i8", "<f2", "<f4", ">f8", "<c16", "|S7", "<U4", [("a", "<i2"), ("b", "<f8")]]

COMPRESSORS = [
    None,
    *({"id": "blosc", "cname": c, "clevel": 5, "shuffle": s, "blocksize": 0}
      for c in ("blosclz", "lz4", "lz4hc", "zlib", "zstd") for s in (-1, 0, 1, 2)),
    {"id": "blosc", "cname": "lz4", "clevel": 0, "shuffle": 1, "blocksize": 0},
    {"id": "blosc", "cname": "zstd", "clevel": 9, "shuffle": 1, "blocksize": 1024},
    *({"id": c, "level": n} for c in ("zlib", "gzip") for n in (-1, 0, 1, 6, 9)),
    *({"id": "zstd", "level": n, "checksum": k} for n, k in ((-7, False), (0, True), (3, False), (22, False))),
    {"id": "lz4", "acceleration": 1},
    {"id": "lz4", "acceleration": 50},
    {"id": "bz2", "level": 1},
    {"id": "bz2", "level": 9},
    {"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None},
    {"id": "lzma", "format": 1, "check": lzma.CHECK_SHA256, "preset": 1, "filters": None},
    {"id": "lzma", "format": 2, "check": -1, "preset": 2, "filters": None},
    {"id": "lzma", "format": 3, "check": -1, "preset": None,
     "filters": [{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "preset": 1}]},
]

FILTERS = [
    ("<i4", [{"id": "delta", "dtype": "<i4"}]),
    ("<i4", [{"id": "delta", "dtype": "<i4", "astype": "<i2"}]),
    (">u2", [{"id": "delta", "dtype": ">u2", "astype": "<i4"}]),
    ("<f8", [{"id": "delta", "dtype": "<f8"}]),
    ("<f4", [{"id": "shuffle", "elementsize": 4}]),
    ("<f8", [{"id": "shuffle", "elementsize": 8}, {"id": "fletcher32"}]),
    ("|S7", [{"id": "shuffle", "elementsize": 7}]),
    ("<i8", [{"id": "delta", "dtype": "<i8"}, {"id": "shuffle", "elementsize": 8}, {"id": "zlib", "level": 1}]),
    ("<i2", [{"id": "fletcher32"}]),
]


@pytest.mark.parametrize("compressor", COMPRESSORS, ids=lambda c: json.dumps(c))
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_numcodecs_reads_compressors(dtype, compressor):
    a = sample(dtype)
    stored = run("encode", None, compressor, a.dtype.itemsize, len(a), a.tobytes())
    assert bytes(undo(None, compressor, stored)) == a.tobytes()
    assert run("decode", None, compressor, a.dtype.itemsize, len(a), stored) == a.tobytes()


@pytest.mark.parametrize("compressor", [None, {"id": "blosc"}, {"id": "zlib"}, {"id": "zstd"}], ids=str)
@pytest.mark.parametrize("dtype,filters", FILTERS, ids=str)
def test_numcodecs_reads_filters(dtype, filters, compressor):
    a = sample(dtype)
    stored = run("encode", filters, compressor, a.dtype.itemsize, len(a), a.tobytes())
    decoded = np.frombuffer(bytes(undo(filters, compressor, stored)), dtype)
    if a.dtype.kind == "f":
        np.testing.assert_allclose(decoded, a, rtol=1e-9)  # differences of reals do not always add up again
    else:
        assert decoded.tobytes() == a.tobytes()
    theirs = a
    for config in filters + ([compressor] if compressor else []):
        theirs = get_codec(dict(config)).encode(theirs)
    assert run("decode", filters, compressor, a.dtype.itemsize, len(a), bytes(theirs)) == decoded.tobytes()


LOSSY = [
    ("<f8", {"id": "fixedscaleoffset", "offset": 3, "scale": 25.5, "dtype": "<f8", "astype": "<i4"}),
    (">f4", {"id": "fixedscaleoffset", "offset": 0.1, "scale": 1000, "dtype": ">f4", "astype": "<f8"}),
    ("<u2", {"id": "fixedscaleoffset", "offset": 2, "scale": 3, "dtype": "<u2", "astype": "<u4"}),
    ("<f8", {"id": "quantize", "digits": 2, "dtype": "<f8", "astype": "<f4"}),
    ("<f4", {"id": "bitround", "keepbits": 7}),
    ("<i8", {"id": "astype", "encode_dtype": ">u2", "decode_dtype": "<i8"}),
    ("|b1", {"id": "packbits"}),
    ("<U4", {"id": "categorize", "labels": ["name", "nam"], "dtype": "<U4", "astype": "|u1"}),
    (">U4", {"id": "categorize", "labels": ["name", "nam"], "dtype": ">U4", "astype": "<i2"}),
    ("<i4", {"id": "base64"}),
    ("<i4", {"id": "jenkins_lookup3", "initval": 5, "prefix": None}),
]


@pytest.mark.parametrize("dtype,config", LOSSY, ids=str)
def test_same_bytes_as_numcodecs(dtype, config, monkeypatch):
    a = sample(dtype)
    if dtype.startswith(">"):
        monkeypatch.setenv("BIG_ENDIAN", "1")
    theirs = np.ascontiguousarray(get_codec(dict(config)).encode(a)).tobytes()
    assert run("encode", [config], None, a.dtype.itemsize, len(a), a.tobytes()) == theirs
    decoded = np.ascontiguousarray(get_codec(dict(config)).decode(theirs)).tobytes()
    assert run("decode", [config], None, a.dtype.itemsize, len(a), theirs) == decoded


def test_bitround_of_big_endian(monkeypatch):
    """numcodecs refuses these: what it does to the same values of this machine's order is right for them too."""
    monkeypatch.setenv("BIG_ENDIAN", "1")
    a = sample("<f8")
    config = {"id": "bitround", "keepbits": 20}
    ours = run("encode", [config], None, 8, len(a), a.astype(">f8").tobytes())
    np.testing.assert_array_equal(np.frombuffer(ours, ">i8"), get_codec(config).encode(a).view("<i8"))


def items(values):
    return b"".join(struct.pack("<Q", len(v)) + v for v in values)


@pytest.mark.parametrize("compressor", [None, {"id": "blosc"}, {"id": "zlib"}, {"id": "gzip"}, {"id": "zstd"},
                                        {"id": "lz4"}, {"id": "bz2"}, {"id": "lzma"}], ids=str)
def test_numcodecs_reads_objects(compressor):
    texts = ["", "plain", "Ärger", "日本", "🙂", "nul\0", "long " * 200] * 40
    raw = [t.encode() for t in texts]
    stored = run("encode", [{"id": "vlen-utf8"}], compressor, 0, len(raw), items(raw))
    assert list(undo([{"id": "vlen-utf8"}], compressor, stored)) == texts
    assert run("decode", [{"id": "vlen-utf8"}], compressor, 0, len(raw), stored) == items(raw)
    stored = run("encode", [{"id": "vlen-bytes"}], compressor, 0, len(raw), items(raw))
    assert list(undo([{"id": "vlen-bytes"}], compressor, stored)) == raw
    rows = [np.arange(i % 7, dtype="<i4").tobytes() for i in range(200)]
    codec = [{"id": "vlen-array", "dtype": "<i4"}]
    stored = run("encode", codec, compressor, 0, len(rows), items(rows))
    assert [r.tobytes() for r in undo(codec, compressor, stored)] == rows


@pytest.mark.parametrize("shuffle", [-1, 0, 1, 2])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_blosc_is_told_what_numcodecs_tells_it(dtype, shuffle):
    """Element size and shuffle in the header of the buffer (bytes 3 and 2) are numcodecs' choice."""
    a = sample(dtype)
    config = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": shuffle, "blocksize": 0}
    ours = run("encode", None, config, a.dtype.itemsize, len(a), a.tobytes())
    theirs = get_codec(dict(config)).encode(a)
    assert ours[3] == theirs[3]
    assert ours[2] & 5 == theirs[2] & 5
