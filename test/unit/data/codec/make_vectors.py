#!/usr/bin/env python3
"""Writes vectors.json: chunks as numcodecs (where it has no say, Python and the zstd tool) store them.

Run by hand with numcodecs 0.15 or later, msgpack and the zstd command; the result is committed. A vector is a chain in Zarr v2's
spelling, the chunk it decodes to ("raw"), and the stored bytes. "exact": our encoder must give the very same bytes,
from "given" where the chain is lossy, else from "raw".
"""

import base64
import bz2
import gzip
import json
import lzma
import pathlib
import pickle
import subprocess
import sys
import types
import zlib

import numcodecs
import numpy as np
from numcodecs.registry import get_codec

rng = np.random.default_rng(20)
COUNT = 48


def b64(data):
    return base64.b64encode(bytes(data)).decode()


def numbers(dtype):
    """Data that compress a little, with the extremes of the type in it."""
    dt = np.dtype(dtype)
    if dt.kind == "b":
        return rng.integers(0, 2, COUNT).astype(dt)
    if dt.kind in "iu":
        info = np.iinfo(dt)
        a = np.arange(COUNT).astype(dt)
        a[5], a[6], a[20:24] = info.min, info.max, rng.integers(info.min, info.max, 4, dtype=dt.newbyteorder("="))
        return a
    if dt.kind == "f":
        a = (np.arange(COUNT) / 4).astype(dt)
        a[3], a[30:34] = -0.0, rng.standard_normal(4)
        return a
    if dt.kind == "c":
        return (np.arange(COUNT) + 1j * rng.standard_normal(COUNT)).astype(dt)
    if dt.kind in "SU":
        return np.array(["ab%d" % (i % 7) for i in range(COUNT)]).astype(dt)
    if dt.kind in "mM":
        return np.arange(COUNT).astype("<i8").view(dt)
    a = np.zeros(COUNT, dt)
    a["a"], a["b"] = np.arange(COUNT), np.arange(COUNT) / 3
    return a


RECORD = [("a", "<i2"), ("b", "<f8")]
WIDE = [("a", "<i2"), ("b", "<f8"), ("c", "S300")]
DTYPES = ["|b1", "|i1", "|u1", "<i2", ">i2", "<u2", "<i4", ">i4", "<u4", "<i8", ">i8", "<u8", "<f2", ">f2", "<f4",
          ">f4", "<f8", ">f8", "<c8", "<c16", "|S5", "<U3", "<M8[ns]", RECORD]

raws, vectors = {}, []


def add_raw(name, array):
    """The chunk's bytes; a long run of 4-byte integers 0, 1, 2 ... only by its length."""
    if name not in raws:
        raws[name] = {"element_size": array.dtype.itemsize, "bytes": b64(array.tobytes())}
        if name.startswith("range"):
            raws[name] = {"element_size": 4, "range": len(array)}
    return name


def add(name, raw, filters, compressor, stored, exact=False, given=None, shape=None, record=None):
    vectors.append({"name": name, "raw": raw, "filters": filters, "compressor": compressor, "exact": exact,
                    "given": given, "stored": b64(stored), **({"shape": shape} if shape is not None else {}), **({"record": record} if record else {})})


def run(array, filters, compressor):
    """Encodes as zarr-python does: each codec gets what the one before it returned."""
    data = array
    for config in (filters or []) + ([compressor] if compressor else []):
        data = get_codec(dict(config)).encode(data)
    return data if isinstance(data, (bytes, bytearray)) else np.ascontiguousarray(data).tobytes()


EXACT = {"shuffle", "delta", "fletcher32", "vlen-utf8", "vlen-bytes", "vlen-array", "categorize", "json2", "msgpack2"}


def chain(name, raw, array, filters, compressor):
    ids = {c["id"] for c in (filters or []) + ([compressor] if compressor else [])}
    add(name, raw, filters, compressor, run(array, filters, compressor), exact=ids <= EXACT)


def numeric():
    for dtype in DTYPES:
        a = numbers(dtype)
        key = a.dtype.str if a.dtype.kind != "V" else "record"
        add_raw(key, a)
        chain(f"none {key}", key, a, None, None)
        chain(f"blosc auto {key}", key, a, None,
              {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": -1, "blocksize": 0})
        chain(f"shuffle {key}", key, a, [{"id": "shuffle", "elementsize": a.dtype.itemsize}], None)
        chain(f"shuffle zlib {key}", key, a, [{"id": "shuffle", "elementsize": a.dtype.itemsize}],
              {"id": "zlib", "level": 4})


def compressors():
    key = "<i4"
    a = np.frombuffer(base64.b64decode(raws[key]["bytes"]), "<i4")
    for cname in ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]:
        for shuffle in [-1, 0, 1, 2]:
            c = {"id": "blosc", "cname": cname, "clevel": 5, "shuffle": shuffle, "blocksize": 0}
            chain(f"blosc {cname} shuffle {shuffle}", key, a, None, c)
        c = {"id": "blosc", "cname": cname, "clevel": 9, "shuffle": 1, "blocksize": 4096}
        big = np.arange(20000, dtype="<i4")
        chain(f"blosc {cname} blocks", add_raw("range20000", big), big, None, c)
    chain("blosc level 0", key, a, None, {"id": "blosc", "cname": "lz4", "clevel": 0, "shuffle": 1, "blocksize": 0})
    chain("blosc typesize", key, a, None,
          {"id": "blosc", "cname": "zstd", "clevel": 1, "shuffle": 1, "blocksize": 0, "typesize": 8})
    chain("blosc defaults", key, a, None, {"id": "blosc"})
    wide = numbers(WIDE)
    chain("blosc wide element", add_raw("wide", wide[:3]), wide[:3], None, {"id": "blosc", "shuffle": 1})
    for codec, levels in [("zlib", [-1, 0, 1, 9]), ("gzip", [0, 1, 9]), ("zstd", [-5, 0, 3, 22, 100]), ("bz2", [1, 9])]:
        for level in levels:
            chain(f"{codec} level {level}", key, a, None, {"id": codec, "level": level})
        chain(f"{codec} defaults", key, a, None, {"id": codec})
    chain("zstd checksum", key, a, None, {"id": "zstd", "level": 1, "checksum": True})
    chain("lz4", key, a, None, {"id": "lz4", "acceleration": 1})
    chain("lz4 fast", key, a, None, {"id": "lz4", "acceleration": 100})
    chain("lz4 odd acceleration", key, a, None, {"id": "lz4", "acceleration": -3})
    for config in [{}, {"preset": 0}, {"preset": 9}, {"check": lzma.CHECK_NONE}, {"check": lzma.CHECK_CRC32},
                   {"check": lzma.CHECK_SHA256}, {"format": lzma.FORMAT_ALONE},
                   {"format": lzma.FORMAT_RAW, "filters": [{"id": lzma.FILTER_LZMA2, "preset": 1}]},
                   {"format": lzma.FORMAT_RAW, "filters": [{"id": lzma.FILTER_LZMA1, "dict_size": 65536, "lc": 1}]},
                   {"format": lzma.FORMAT_RAW,
                    "filters": [{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "preset": 6}]},
                   {"filters": [{"id": lzma.FILTER_X86},
                                {"id": lzma.FILTER_LZMA2, "mode": 1, "mf": 3, "nice_len": 8}]}]:
        full = {"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None, **config}
        chain(f"lzma {config}", key, a, None, full)


def big_ranges():
    big = np.arange(20000, dtype="<i4")
    shuffled = [{"id": "shuffle", "elementsize": 4}]
    for compressor in [{"id": "zlib", "level": 9}, {"id": "gzip", "level": 9}, {"id": "zstd", "level": 9},
                       {"id": "lz4"}, {"id": "bz2", "level": 9}, {"id": "lzma"}]:
        chain(f"range shuffle {compressor['id']}", "range20000", big, shuffled, compressor)
        chain(f"range delta {compressor['id']}", "range20000", big, [{"id": "delta", "dtype": "<i4"}], compressor)


def deltas():
    pairs = [(t, t) for t in DTYPES if isinstance(t, str) and t[1] in "iuf"]
    pairs += [("<i4", "<i2"), ("<u2", "<i4"), ("<u8", "<i1"), (">i4", "<i8"), ("<i8", ">i4"), ("<f8", "<f4"),
              ("<f4", "<f8"), ("<f8", "<f2"), ("<f2", "<f4"), (">f4", "<i2"), ("<i2", "<f4"), ("<u4", "<f8")]
    for dtype, astype in pairs:
        a = numbers(dtype)
        if dtype != astype and (dtype[1] + astype[1]).strip("f"):  # out-of-range conversions are nobody's to define
            a = (20 + np.cumsum(rng.integers(0 if dtype[1] == "u" else -2, 3, COUNT))).astype(dtype)
        filters = [{"id": "delta", "dtype": dtype, "astype": astype}]
        stored = run(a, filters, None)
        decoded = np.ascontiguousarray(get_codec(dict(filters[0])).decode(stored))
        name = f"delta {dtype} {astype}"
        given = add_raw(f"{name} given", a) if decoded.tobytes() != a.tobytes() else None
        add(f"delta {dtype} as {astype}", add_raw(name, decoded), filters, None, stored, exact=True, given=given)
    a = numbers("<i4")
    key = add_raw("<i4 delta", a)
    for compressor in [{"id": "blosc", "shuffle": 1}, {"id": "zlib"}]:
        chain(f"delta <i8 {compressor['id']}", key, a, [{"id": "delta", "dtype": "<i4", "astype": "<i8"}], compressor)
    chain("delta default astype", key, a, [{"id": "delta", "dtype": "<i4"}], None)


def lossy():
    """Filters that change values: what they decode to, and what was given to them."""
    f8, f4, f2 = 1000 + np.cumsum(rng.standard_normal(COUNT)), numbers("<f4"), numbers("<f2")
    i4 = (np.arange(COUNT) * 37 - 300).astype("<i4")
    text = np.array(["male", "female", "", "häus", "other"] * 9).astype("<U6")
    scale = {"id": "fixedscaleoffset"}
    categories = {"id": "categorize", "labels": ["female", "male", "häus", "too long to fit"], "dtype": "<U6"}
    cases = [
        (f8, {**scale, "offset": 1000, "scale": 10, "dtype": "<f8", "astype": "<i2"}),
        (f8, {**scale, "offset": 1000.5, "scale": 0.3, "dtype": "<f8", "astype": ">i4"}),
        (f8.astype("<f4"), {**scale, "offset": 999.9, "scale": 7.7, "dtype": "<f4", "astype": "<i4"}),
        (f8.astype("<f4"), {**scale, "offset": 999.9, "scale": 7.7, "dtype": "<f4", "astype": "<f4"}),
        (i4, {**scale, "offset": -300, "scale": 2, "dtype": "<i4", "astype": "<i4"}),
        (i4, {**scale, "offset": 0.25, "scale": 0.1, "dtype": "<i4", "astype": "|i1"}),
        (f8, {"id": "quantize", "digits": 1, "dtype": "<f8", "astype": "<f8"}),
        (f8, {"id": "quantize", "digits": 3, "dtype": "<f8", "astype": "<f4"}),
        (f4, {"id": "quantize", "digits": 2, "dtype": "<f4", "astype": "<f4"}),
        (f2, {"id": "quantize", "digits": 1, "dtype": "<f2", "astype": "<f2"}),
        (f8, {"id": "quantize", "digits": -2, "dtype": "<f8", "astype": "<f8"}),
        *((a, {"id": "bitround", "keepbits": k}) for a in (f8, f4, f2) for k in (0, 1, 5, 10)),
        (i4, {"id": "astype", "encode_dtype": "<i2", "decode_dtype": "<i4"}),
        (i4, {"id": "astype", "encode_dtype": ">f8", "decode_dtype": "<i4"}),
        (f8, {"id": "astype", "encode_dtype": "<f4", "decode_dtype": "<f8"}),
        (f8, {"id": "astype", "encode_dtype": "<i4", "decode_dtype": "<f8"}),
        (numbers("|b1"), {"id": "packbits"}),
        (numbers("|b1")[:13], {"id": "packbits"}),
        (text, {**categories, "astype": "|u1"}),
        (text, {**categories, "astype": "<i2"}),
        (f8, {"id": "base64"}),
        (f8, {"id": "jenkins_lookup3", "initval": 0, "prefix": None}),
        (numbers("|S5")[:5], {"id": "jenkins_lookup3", "initval": 77, "prefix": None}),
    ]
    for number, (a, config) in enumerate(cases):
        stored = run(a, [config], None)
        decoded = np.frombuffer(np.ascontiguousarray(get_codec(dict(config)).decode(stored)).tobytes(), a.dtype)
        name = f"lossy {number}"
        given = add_raw(f"{name} given", a) if decoded.tobytes() != a.tobytes() else None
        add(f"{number} {config}", add_raw(name, decoded), [config], None, stored, exact=True, given=given)


def chains():
    a = np.frombuffer(base64.b64decode(raws["<f8"]["bytes"]), "<f8")
    key, shuffle, sum32 = "<f8", {"id": "shuffle", "elementsize": 8}, {"id": "fletcher32"}
    chain("fletcher32", key, a, [sum32], None)
    chain("shuffle zlib fletcher32", key, a, [shuffle, {"id": "zlib", "level": 1}, sum32], None)
    chain("fletcher32 shuffle zlib", key, a, [sum32, {"id": "shuffle", "elementsize": 4}], {"id": "zlib"})
    chain("zlib in filters, blosc on top", key, a, [{"id": "zlib", "level": 4}], {"id": "blosc", "cname": "lz4"})
    chain("three compressors", key, a, [{"id": "bz2"}, {"id": "lzma"}, {"id": "gzip"}], {"id": "zstd"})
    chain("blosc after shuffle", key, a, [shuffle], {"id": "blosc", "shuffle": -1})
    chain("shuffle of 1", key, a, [{"id": "shuffle", "elementsize": 1}], None)
    chain("shuffle default", key, a, [{"id": "shuffle"}], None)
    chain("shuffle of 3", key, a, [{"id": "shuffle", "elementsize": 3}], None)
    odd = numbers("|S5")[:3]
    chain("fletcher32 odd", add_raw("odd", odd), odd, [sum32], None)
    big = np.arange(20000, dtype="<i4")
    add("fletcher32 long", "range20000", [{"id": "zlib", "level": 9}, sum32], None,
        run(big, [{"id": "zlib", "level": 9}, sum32], None))


def unsized(data):
    """A zstd frame that does not tell its size."""
    command = ["zstd", "-q", "-c", "--no-content-size"]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def foreign():
    """What other writers may store under these ids."""
    raw = base64.b64decode(raws["<i4"]["bytes"])
    half = len(raw) // 3
    one, two = raw[:half], raw[half:]
    zeros = b"\0" * 100
    gz = lambda data: gzip.compress(data, mtime=0)
    named = b"\x1f\x8b\x08\x18" + b"\0\0\0\0\x02\xff" + b"name\0comment\0" + gz(raw)[10:]
    add("gzip members", "<i4", None, {"id": "gzip"}, gz(one) + gz(two))
    add("gzip padded members", "<i4", None, {"id": "gzip"}, gz(one) + zeros + gz(two) + zeros)
    add("gzip with a name", "<i4", None, {"id": "gzip"}, named)
    add("bz2 streams", "<i4", None, {"id": "bz2"}, bz2.compress(one) + bz2.compress(two))
    add("xz streams", "<i4", None, {"id": "lzma"}, lzma.compress(one) + lzma.compress(two))
    add("lzma auto xz", "<i4", None, {"id": "lzma", "format": 0}, lzma.compress(raw))
    add("lzma auto alone", "<i4", None, {"id": "lzma", "format": 0}, lzma.compress(raw, lzma.FORMAT_ALONE))
    add("zstd without size", "<i4", None, {"id": "zstd"}, unsized(raw))
    add("zstd frames", "<i4", None, {"id": "zstd"}, unsized(one) + bytes(get_codec({"id": "zstd"}).encode(two)))
    add("zstd without size of zlib", "<i4", [{"id": "zlib"}], {"id": "zstd"}, unsized(zlib.compress(raw)))
    add("gzip members of zlib", "<i4", [{"id": "zlib"}], {"id": "gzip"},
        gz(zlib.compress(raw)[:20]) + gz(zlib.compress(raw)[20:]))


def objects():
    texts = ["", "a", "Grüße", "日本語", "🙂", "nul\0inside", "x" * 70, None, "end"] * 2
    octets = [None if t is None else t.encode("utf-16-le") for t in texts]
    arrays = [np.arange(i % 5, dtype="<i4") for i in range(18)]
    big = [np.arange(i % 3, dtype=">f8") for i in range(18)]

    def raw_items(name, items):
        raws[name] = {"element_size": 0, "items": [b64(b"" if i is None else i) for i in items]}
        return name

    text_key = raw_items("texts", [None if t is None else t.encode() for t in texts])
    byte_key = raw_items("octets", octets)
    kinds = [(text_key, np.array(texts, object), {"id": "vlen-utf8"}),
             (byte_key, np.array(octets, object), {"id": "vlen-bytes"})]
    for name, items, dtype in [("arrays <i4", arrays, "<i4"), ("arrays >f8", big, ">f8")]:
        holder = np.empty(len(items), object)
        holder[:] = items
        kinds.append((raw_items(name, [i.tobytes() for i in items]), holder, {"id": "vlen-array", "dtype": dtype}))
    words = ["yes", "", "no", "perhaps", "häus"] * 4
    kinds.append((raw_items("words", [w.encode() for w in words]), np.array(words, object),
                  {"id": "categorize", "labels": ["no", "yes", "perhaps", "häus"], "dtype": "|O", "astype": "<u2"}))
    for key, array, codec in kinds:
        chain(f"{codec['id']} {key}", key, array, [codec], None)
    blosc = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
    for compressor in [blosc] + [{"id": i} for i in ("zlib", "gzip", "zstd", "lz4", "bz2", "lzma")]:
        chain(f"vlen-utf8 {compressor['id']}", text_key, kinds[0][1], [{"id": "vlen-utf8"}], compressor)
    payload = run(kinds[0][1], [{"id": "vlen-utf8"}], None)
    chain("vlen-utf8 zlib blosc", text_key, kinds[0][1], [{"id": "vlen-utf8"}, {"id": "zlib"}], blosc)
    add("vlen-utf8 zstd without size", text_key, [{"id": "vlen-utf8"}], {"id": "zstd"}, unsized(payload))
    add("vlen-utf8 gzip members", text_key, [{"id": "vlen-utf8"}], {"id": "gzip"},
        gzip.compress(payload[:50], mtime=0) + gzip.compress(payload[50:], mtime=0))


def json_items(name, values):
    """Objects that are decoded to JSON texts."""
    texts = [json.dumps(v, separators=(",", ":"), ensure_ascii=False) for v in values]
    raws[name] = {"element_size": 0, "items": [b64(t.encode()) for t in texts]}
    return name


def object_array(values, shape=None):
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape if shape is not None else len(values))


REFERENCE = {"object_id": None, "path": "/general/a b", "source": ".", "source_object_id": "0c5e"}
VALUES = [REFERENCE, 0, None, True, False, -5, 255, 256, 65536, -(2**31), 2**31, 2**40, -(2**63), 2**64 - 1, 1.5, -0.25,
          float("nan"), float("-inf"), "text", "", "Grüße \u2028 日本 🙂 \x7f \"q\" \\ \n\x01", "x" * 300, [], {}, [1, "x", [2.5, None]],
          {"a": {"b": [1, {}]}, "z": [[]]}, REFERENCE]


def json_objects():
    key = json_items("values", VALUES)
    array = object_array(VALUES)
    chain("json2 values", key, array, [{"id": "json2"}], None)
    full = {"id": "json2", "encoding": "utf-8", "skipkeys": False, "ensure_ascii": True, "check_circular": True,
            "allow_nan": True, "indent": None, "separators": [",", ":"], "sort_keys": True, "strict": True}
    chain("json2 as zarr-python writes it", key, array, [full], {"id": "blosc"})
    chain("json2 not only ASCII", key, array, [{**full, "ensure_ascii": False, "sort_keys": False}], None)
    add("json2 indented", key, [{**full, "indent": 2, "separators": [", ", ": "]}], None,
        run(array, [{**full, "indent": 2, "separators": [", ", ": "]}], None))
    for name, shape in [("grid", (2, 3)), ("column", (3, 1)), ("row", (1, 4)), ("cube", (2, 1, 2)), ("scalar", ())]:
        values = [REFERENCE, "b", 3, [4, 5], None, 0.5][: int(np.prod(shape))]
        key = json_items(name, values)
        stored = run(object_array(values, shape), [{"id": "json2"}], None)
        add(f"json2 {name}", key, [{"id": "json2"}], None, stored, exact=True, shape=list(shape))
    flat = json.dumps(["a", "b", "c", "d", "|O", [2, 2]]).encode()
    add("json2 flat", json_items("flat", list("abcd")), [{"id": "json2"}], None, flat, shape=[2, 2])


class ZarrReference(dict):
    """As hdmf_zarr.utils has it, so that its pickles can be made and read here."""


def be_hdmf_zarr():
    sys.modules["hdmf_zarr"] = types.ModuleType("hdmf_zarr")
    sys.modules["hdmf_zarr.utils"] = module = types.ModuleType("hdmf_zarr.utils")
    ZarrReference.__module__, module.ZarrReference = "hdmf_zarr.utils", ZarrReference


def plain(value):
    """What JSON says of an unpickled value."""
    if isinstance(value, np.void):
        return [plain(value[name]) for name in value.dtype.names] if value.dtype.names else plain(value.tobytes())
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"__bytes__": b64(value)}
    return value


def pickled(name, array, protocol, record=None):
    """Ours have no memo, so the bytes differ."""
    values = plain(list(array.reshape(-1, order="A")))
    stored = pickle.dumps(array, protocol)
    add(f"pickle {name}", json_items(f"pickle {name}", values), [{"id": "pickle", "protocol": protocol}], None, stored,
        shape=list(array.shape), record=record)


def pickles():
    be_hdmf_zarr()
    reference = ZarrReference(source=".", path="/general/é", object_id=None, source_object_id="0c5e")
    numpy_values = [np.int8(-3), np.uint64(2**64 - 1), np.float32(0.5), np.float64(-0.0), np.bool_(True),
                    np.str_("näh"), np.bytes_(b"ascii"), np.array([[1, 2], [3, 4]], ">i2"), np.array(7, "<u4"),
                    np.asfortranarray(np.array([[1.5, 2], [3, 4], [5, 6]])), object_array(["a", [1]])]
    row = np.zeros(2, [("n", "<i4"), ("s", "S3"), ("u", "<U2"), ("x", [("f", ">f8"), ("b", "?")]), ("a", "<i2", (2, 2))])
    row["n"], row["s"], row["u"], row["a"] = [1, -2], [b"ab", b""], ["é", "zz"], [[[1, 2], [3, 4]]] * 2
    values = [v for v in VALUES if isinstance(v, float) and v == v or not isinstance(v, float)]
    for protocol in (2, 3, 4, 5):
        pickled(f"values {protocol}", object_array(values + [b"bytes", b"\xff\0", (1, "t")]), protocol)
        pickled(f"references {protocol}", object_array([reference, 0, dict(reference), reference, None]), protocol)
    pickled("numpy values", object_array(numpy_values + [row[0], row[1]]), 4)
    grid = object_array([reference, "b", 3, [4, 5], None, 0.5], (2, 3))
    pickled("grid", grid, 5)
    pickled("grid of order F", np.asfortranarray(grid), 5)
    pickled("scalar", object_array([reference], ()), 5)
    pickled("many", object_array([{"i": i} for i in range(1100)]), 5)
    spelling = [["idx", "<i4"], ["w", "<f8"], ["ok", "|b1"], ["s", "|S4"], ["u", "<U3"], ["ref", "|O"]]
    rows = np.zeros(3, [tuple(field) for field in spelling])
    rows[0], rows[1] = (1, 2.5, True, b"ab", "é", reference), (-2, 0, False, b"", "", reference)
    pickled("rows", rows, 5, spelling)
    pickled("rows of protocol 4", rows, 4, spelling)
    nested = np.zeros(1, [("p", [("x", "<f4"), ("r", "O")]), ("a", "<i2", (2,))])
    nested[0] = ((1.5, reference), [3, 4])
    for chunk in json.loads(pathlib.Path(__file__).with_name("hdmf_chunks.json").read_text()):
        stored = base64.b64decode(chunk["stored"])
        array = pickle.loads(stored)
        add(f"hdmf-zarr {chunk['name']}", json_items(chunk["name"], plain(list(array.reshape(-1)))),
            [{"id": "pickle", "protocol": 5}], None, stored, shape=list(array.shape), record=chunk["record"])


def msgpacks():
    values = [v for v in VALUES]
    key = json_items("values packed", values)
    full = {"id": "msgpack2", "raw": False, "use_single_float": False, "use_bin_type": True}
    chain("msgpack2", key, object_array(values), [full], None)
    chain("msgpack2 blosc", key, object_array(values), [{"id": "msgpack2"}], {"id": "blosc"})
    add("msgpack2 raw", key, [{**full, "raw": True}], None, run(object_array(values), [full], None))
    floats = json_items("single floats", [0.5, -1.25, {"a": [2.5]}])
    add("msgpack2 single", floats, [{**full, "use_single_float": True}], None,
        run(object_array([0.5, -1.25, {"a": [2.5]}]), [{**full, "use_single_float": True}], None), exact=True)
    octets = [b"text", b"\xff\xfe", {"k": b"\x80"}]
    add("msgpack2 bytes", json_items("packed bytes", plain(octets)), [full], None,
        run(object_array(octets), [full], None))
    long = [list(range(300)), {str(i): i for i in range(70)}, "y" * 300, {"a": {"b": "z" * 40}}]
    chain("msgpack2 long", json_items("long", long), object_array(long), [{"id": "msgpack2"}], {"id": "zstd"})
    grid = [1, "b", 3, [4, 5], None, 0.5]
    add("msgpack2 grid", json_items("packed grid", grid), [full], None, run(object_array(grid, (2, 3)), [full], None),
        exact=True, shape=[2, 3])


numeric()
compressors()
big_ranges()
deltas()
chains()
foreign()
objects()
json_objects()
pickles()
msgpacks()
lossy()
used = {v["raw"] for v in vectors} | {v["given"] for v in vectors if v["given"]}
assert used == set(raws), set(raws) - used
lines = ["{", f'"made_by": "numcodecs {numcodecs.__version__}, numpy {np.__version__}",', '"raws": {']
lines += [",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in raws.items()), "},", '"vectors": [']
lines += [",\n".join(json.dumps(v) for v in vectors), "]", "}"]
path = pathlib.Path(__file__).with_name("vectors.json")
path.write_text("\n".join(lines) + "\n")
print(f"{len(vectors)} vectors, {path.stat().st_size} bytes")
