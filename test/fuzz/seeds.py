#!/usr/bin/env python3
"""seeds.py DIRECTORY - writes what the fuzz targets begin with, a directory for each target.

Chunks are those of test/unit/data/codec/vectors.json; documents and zip files are made here."""

import base64
import hashlib
import io
import json
import pathlib
import struct
import sys
import zipfile

ROOT = pathlib.Path(__file__).parent
VECTORS = json.loads((ROOT.parent / "unit/data/codec/vectors.json").read_text())
OUT = pathlib.Path(sys.argv[1])


def seed(target, data):
    path = OUT / target / hashlib.sha1(data).hexdigest()[:16]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def stored(vector):
    return base64.b64decode(vector["stored"])


def chunks():
    for vector in VECTORS["vectors"]:
        codec = (vector["filters"] or [{}])[0].get("id")
        raw = VECTORS["raws"][vector["raw"]]
        if codec not in ("json2", "msgpack2", "pickle") or vector["compressor"] or len(stored(vector)) > 4096:
            continue
        texts = [base64.b64decode(item) for item in raw["items"]]
        target = "fuzz_pickle_rows" if vector.get("record") else f"fuzz_{codec}"
        seed(target, struct.pack("<H", len(texts)) + stored(vector))
        for text in texts:
            seed("fuzz_json", text)


DTYPES = ["|b1", "<i4", ">u8", "<f8", "<c16", "|S5", "<U3", "|V7", "<M8[ns]", "|O", [["a", "<i4"], ["b", "|O"]],
          [["a", ">i2"], ["n", [["x", "<f4"], ["y", "|S3", [2]]]]]]
FILLS = [0, None, "", "NaN", -1.5, [1.0, "Infinity"], "gAVLAC4=", "AAAA", True, []]


def documents():
    for number, vector in enumerate(VECTORS["vectors"]):
        raw = VECTORS["raws"][vector["raw"]]
        if number % 5 or len(stored(vector)) > 2048:
            continue
        size = raw["element_size"]
        count = len(raw["items"]) if not size else raw.get("range", len(base64.b64decode(raw.get("bytes", ""))) // size)
        document = {"zarr_format": 2, "shape": [count], "chunks": [count], "dtype": f"|V{size}" if size else "|O",
                    "order": "C", "fill_value": None, "filters": vector["filters"], "compressor": vector["compressor"]}
        seed("fuzz_zarray", json.dumps(document).encode() + b"\0" + stored(vector))
    for dtype in DTYPES:
        for fill in FILLS:
            document = {"zarr_format": 2, "shape": [3, 2], "chunks": [2, 2], "dtype": dtype, "order": "F",
                        "fill_value": fill, "filters": [{"id": "pickle"}] if "|O" in str(dtype) else None,
                        "compressor": None, "dimension_separator": "/"}
            seed("fuzz_zarray", json.dumps(document).encode() + b"\0" + bytes(64))


TYPES = ["bool", "int8", "uint64", "float16", "complex128", "string", "variable_length_bytes", "r24",
         {"name": "fixed_length_utf32", "configuration": {"length_bytes": 12}},
         {"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 1}},
         {"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int32"}]}},
         {"name": "structured", "configuration": {"fields": [["a", "int32"], ["b", "float64"]]}}]
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}


def sharded(location, checksum):
    index = [BYTES] + ([{"name": "crc32c"}] if checksum else [])
    return {"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 2], "codecs": [BYTES, {"name": "gzip"}],
                                                          "index_codecs": index, "index_location": location}}


def documents_v3():
    chains = [[BYTES], [{"name": "vlen-utf8"}], [BYTES, {"name": "zstd", "configuration": {"level": 0}}],
              [{"name": "transpose", "configuration": {"order": [1, 0]}}, BYTES, {"name": "crc32c"}],
              [sharded("end", True)], [sharded("start", False)]]
    for data_type in TYPES:
        for codecs in chains:
            for fill in (0, "NaN", "", False, "0x00", [0, 0], {"a": 1}):
                document = {"zarr_format": 3, "node_type": "array", "shape": [4, 4], "data_type": data_type,
                            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 4]}},
                            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
                            "fill_value": fill, "codecs": codecs, "attributes": {}}
                seed("fuzz_zarr_json", json.dumps(document).encode() + b"\0" + bytes(64))


def zips():
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        for comment in (b"", b"comment"):
            for flush in (False, True):
                out = io.BytesIO()
                with zipfile.ZipFile(out, "w", compression) as archive:
                    archive.writestr(".zgroup", '{"zarr_format": 2}')
                    archive.writestr("a/.zarray", "{}" * 20)
                    archive.writestr("a/0.0", bytes(range(200)))
                    archive.writestr("ä/", b"")
                    with archive.open("b/c", "w", force_zip64=flush) as entry:
                        entry.write(b"x" * 500)
                    archive.comment = comment
                seed("fuzz_zip", out.getvalue())


def texts():
    for text in ['{"a":[1,-2.5e10,NaN,-Infinity,18446744073709551616,true,null]}', '"\\ud83d\\ude00\\u0000\\ud800"',
                 '{"\\u0000":{"b":[[[[]]]]}}', "\ufeff[1]", '{"a":1,"a":2}']:
        seed("fuzz_json", text.encode())


chunks()
documents()
documents_v3()
zips()
texts()
