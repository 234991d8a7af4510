#!/usr/bin/env python3
"""seeds.py DIRECTORY - writes what the fuzz targets begin with, a directory for each target.

Chunks are those of test/unit/data/codec/vectors.json; annotations those of stores of 0.1.0; documents and zip files are made here."""

import base64
import hashlib
import io
import json
import pathlib
import struct
import sys
import tarfile
import zipfile
import zlib

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


def reference_files():
    array = {"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "|u1", "fill_value": 0, "order": "C", "filters": None, "compressor": None}
    refs = {".zgroup": '{"zarr_format": 2}', "a/.zarray": array, "a/0": "\0\1", "a/1": "base64:AAE=", "a-b/.zgroup": {}, "s/": "x", "n/0.0": ["x.bin"],
            "n/0.1": ["{{u}}", 3, 4], "n/1.0": ["s3://bucket/key", 0, 9], "n/1.1": ["file:///etc/none", 0, 0]}
    seed("fuzz_references", json.dumps(refs).encode())
    sources = {"x.bin": {"size": 9, "mtime_ns": -1}, "a.bin": {"size": 2**64 - 1, "mtime_ns": 2**63 - 1}, "b": [], "c": {"size": "9"}}
    for more in ({}, {"templates": {"u": "a.bin", "v": "{{w}}"}}, {"gen": []}, {"generationMetadata": {"x": [1]}},
                 {"generationMetadata": {"sources": sources}}):
        seed("fuzz_references", json.dumps({"version": 1, "refs": refs, **more}, indent=1 if more else None).encode())


def lindi_archive():
    """Heads of members are not looked at."""
    refs = {".zgroup": {"zarr_format": 2}, "a/.zarray": {"shape": [2], "chunks": [1]}, "a/0": ["./b/a/0"], "a/1": ["./b/a/0", 1, 2], "a/2": ["./none", 0, 1]}
    text, chunk = json.dumps({"version": 1, "refs": refs}).encode(), b"abcd"
    files = [{"n": "lindi.json", "o": 0, "d": 2560, "s": len(text)}, {"n": "b/a/0", "o": 0, "d": 2560 + len(text), "s": len(chunk)}]
    index = json.dumps({"files": files}).encode().ljust(1024)
    entry = json.dumps({"index": {"n": ".tar_index.json", "o": 0, "d": 1536, "s": len(index)}}).encode().ljust(1024)
    seed("fuzz_references", b".tar_entry.json".ljust(512, b"\0") + entry + index + text + chunk)


def repositories():
    """Each as it is; and with one of its files cut."""
    for where in sorted((ROOT.parent / "unit/data/icechunk").iterdir()):
        if where.is_dir():
            files = [(str(path.relative_to(where)), path.read_bytes()) for path in sorted(where.rglob("*")) if path.is_file()]
            for cut in [None, *range(len(files))]:
                seed("fuzz_icechunk", b"".join(f"{key} {len(data)}\n".encode() + (data[:len(data) // 2] if number == cut else data)
                                               for number, (key, data) in enumerate(files)))


def parquet_files():
    for path in sorted((ROOT.parent / "unit/data/parquet").glob("*.parq")):
        seed("fuzz_parquet", path.read_bytes())
    seed("fuzz_parquet", json.dumps({"metadata": {".zgroup": {}, "s/.zarray": {"shape": [], "chunks": []}}, "record_size": 3}).encode())


DTYPES = ["|b1", "<i4", ">u8", "<f8", "<c16", "|S5", "<U3", "|V7", "<M8[ns]", "|O", [["a", "<i4"], ["b", "|O"]],
          [["a", ">i2"], ["n", [["x", "<f4"], ["y", "|S3", [2]]]]]]
FILLS = [0, None, "", "NaN", -1.5, [1.0, "Infinity"], "gAVLAC4=", "AAAA", "0x7f", True, []]


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


TYPES = ["bool", "int8", "uint64", "float16", "complex128", "string", "variable_length_bytes", "r24", "bfloat16", "float8_e8m0fnu", "int4",
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


def grids_v3():
    for shapes in ([[3, 3, 2], [2, 4]], [[[3, 2], 4], [[2, 1], 4]], [3, [6]], [[[1, 2 ** 62]], [[2 ** 62, 2 ** 62], 1]], [[3, [5, 9]], 2]):
        for codecs in ([BYTES], [BYTES, {"name": "zstd", "configuration": {"level": 0}}], [{"name": "transpose", "configuration": {"order": [1, 0]}}, BYTES]):
            document = {"zarr_format": 3, "node_type": "array", "shape": [8, 6], "data_type": "int16", "chunk_grid": {"name": "rectilinear", "configuration": {
                "kind": "inline", "chunk_shapes": shapes}}, "chunk_key_encoding": {"name": "default"}, "fill_value": 1, "codecs": codecs, "attributes": {}}
            seed("fuzz_zarr_json", json.dumps(document).encode() + b"\0" + bytes(12))


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


KEYS = ["a/.zarray", "a/0", "a/b/c", "b/0", "c-d/0", ".zgroup", "b", "zarr.json"]  # as in fuzz_zip_pages.c, sorted as in a directory


def zip_pages():
    """Directories of all keys, and of some, as one page and as several."""
    places, at = {}, 4096
    for key in [".zgroup", "a/.zarray", "a/0", "a/b/c", "b", "b/0", "c-d/0", "zarr.json"]:
        places[key] = at
        at += 30 + 2 * len(key)
    for keys in (KEYS, KEYS[:5], KEYS[5:], KEYS[:1]):
        for most in (1, 3, 8):
            seed("fuzz_zip_pages", directory(keys, places, most))


def directory(keys, places, most):
    pages = [keys[first:first + most] for first in range(0, len(keys), most)]
    size = 4 + sum(30 + len(page[0]) for page in pages)
    records = {key: struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 0x32D, 20, 0, 0, 0, 33, zlib.crc32(key.encode()), len(key), len(key), len(key),
                                size + 4 if key == keys[-1] else 0, 0, 0, 0, 0, places[key]) + key.encode() for key in keys}
    records[keys[-1]] += struct.pack("<HH", 0x5A56, size)
    index = struct.pack("<I", len(pages))
    for page in pages:
        held = b"".join(records[key] for key in page)
        index += struct.pack("<HIIIQQ", len(page[0]), len(held), len(page), zlib.crc32(held), sum(30 + 2 * len(key) for key in page),
                             sum(map(len, page))) + page[0].encode()
    return struct.pack("<H", size) + b"".join(records.values()) + index


CODECS = ["blosc", "zstd", "zlib", "gzip", "lz4", "bz2", "lzma", "lzma", "lzma", "shuffle", "delta", "fletcher32", "crc32c", "crc32", "adler32", "jenkins_lookup3", "astype", "fixedscaleoffset",
          "quantize", "bitround", "packbits", "categorize", "base64", "", "", "vlen-utf8", "vlen-bytes", "vlen-array", "json2", "msgpack2", "pickle", "", "categorize", "zfpy", "", "", "", "", "scale_offset",
          "cast_value", "cast_value"]  # as in fuzz_decoders.c


def decoders():
    for vector in VECTORS["vectors"]:
        codecs = (vector["filters"] or []) + ([vector["compressor"]] if vector["compressor"] else [])
        raw, data = VECTORS["raws"][vector["raw"]], stored(vector)
        if len(codecs) != 1 or len(data) > 4096:
            continue
        size = raw["element_size"]
        count = len(raw["items"]) if not size else raw.get("range", len(base64.b64decode(raw.get("bytes", ""))) // size)
        for number, name in enumerate(CODECS):
            if name == codecs[0]["id"] and count < 65536:
                seed("fuzz_decoders", struct.pack("<BBH", number, max(size, 1).bit_length() - 1, count) + data)


def codecs():
    for vector in VECTORS["vectors"]:
        if len(stored(vector)) <= 1024:
            text = f'"filters":{json.dumps(vector["filters"])},"compressor":{json.dumps(vector["compressor"])}'
            seed("fuzz_codecs_v2", bytes([3 if not VECTORS["raws"][vector["raw"]]["element_size"] else 0]) + text.encode() + b"\0" + stored(vector))
    chains = [[BYTES], [{"name": "vlen-utf8"}], [BYTES, {"name": "zstd", "configuration": {"level": 0, "checksum": True}}], [BYTES, {"name": "blosc", "configuration": {
        "typesize": 4, "cname": "lz4", "clevel": 5, "shuffle": "shuffle", "blocksize": 0}}], [{"name": "transpose", "configuration": {"order": [1, 0]}}, BYTES, {"name": "crc32c"}],
        [{"name": "numcodecs.delta", "configuration": {"dtype": "<i4"}}, BYTES, {"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}, {"name": "gzip", "configuration": {"level": 5}}],
        [{"name": "scale_offset", "configuration": {"offset": 1, "scale": 3}}, {"name": "cast_value", "configuration": {"data_type": "float32", "rounding": "towards-zero",
            "out_of_range": "clamp", "scalar_map": {"encode": [[1, "NaN"]], "decode": [["NaN", 1]]}}}, BYTES],
        [{"name": "scale_offset", "configuration": {"offset": 1}}, sharded("end", True)],
        [sharded("end", True)], [sharded("start", False)], [BYTES, {"name": "numcodecs.lzma", "configuration": {"format": 3, "filters": [{"id": 33}]}}]]
    for number, chain in enumerate(chains):
        seed("fuzz_codecs_v3", bytes([3 if number == 1 else 0]) + json.dumps(chain).encode() + b"\0" + bytes(64))


def data_types():
    for fill in FILLS:
        for dtype in DTYPES:
            seed("fuzz_dtype_v2", f'{json.dumps(dtype)},"fill_value":{json.dumps(fill)}'.encode())
        for data_type in TYPES:
            seed("fuzz_dtype_v3", f'{json.dumps(data_type)},"fill_value":{json.dumps(fill)}'.encode())


def indexes():
    for form in range(4):
        for entry in ([0, 16], [2 ** 64 - 1] * 2, [2 ** 63, 2 ** 63]):
            body = struct.pack("<12Q" if form < 2 else ">12Q", *entry * 6)
            seed("fuzz_shard_index", bytes([form + 64]) + body + bytes(0 if form in (1, 2) else 4))


def options():
    for text in ("", "format=3;shards=4K", "compress=zstd;dialect=hdmf;references=pickle", "gateway=0;locking=1;sync=on;skip_fill=no", "threads=4;dirty_max=16M;create=*.zarr", "dims=never;consolidated=ignore",
                 "format=4", "under_vol=0;under_info={}", " format = 3 ; "):
        seed("fuzz_options", text.encode())


def annotations():
    """Those of stores of 0.1.0."""
    with tarfile.open(ROOT.parent / "python/data/vol-zarr-0.1.0.tar.xz") as archive:
        for member in archive:
            name = member.name.rpartition("/")[2]
            if not member.isfile() or name not in (".zattrs", "zarr.json"):
                continue
            document = json.load(archive.extractfile(member))
            attributes = document.get("attributes", {}) if name == "zarr.json" else document
            annotation = attributes.get("_HDF5")
            if not annotation:
                continue
            note = json.loads(annotation)
            if "L" in note or "nm" in note or "mv" in note:
                seed("fuzz_links", annotation.encode() + b"\0" + annotation.encode() + b"\0{}")
            if "t" in note:
                seed("fuzz_notes", json.dumps({"t": note["t"]}).encode())
            for key, entry in note.get("a", {}).items():
                if key in attributes:
                    seed("fuzz_notes", json.dumps({"v": attributes[key], "e": entry}).encode())
            for mapping in note.get("vds", []):
                seed("fuzz_notes", json.dumps({"r": mapping["v"]}).encode())
    for region in ("all", "none", {"points": [[3, 4, 5], [0, 0, 0]]}, {"blocks": [[0, 0, 0, 1, 1, 1]]}, {"start": [0], "stride": [2], "count": [2], "block": [1]}):
        seed("fuzz_notes", json.dumps({"r": region}).encode())
    for links in ([{"n": "s", "k": "soft", "to": "/d"}, {"n": "e", "k": "ext", "f": "x", "to": "/"}, {"n": "two", "k": "hard", "to": "/g"}, {"nb": "/w==", "k": "hard", "e": "d"}],
                  [{"n": "u", "k": "ud", "c": 70, "b": "AAAA"}, {"n": "d", "k": "hard", "i": 3}, {"n": "g", "k": "hard", "i": 1}]):
        root = {"v": 1, "L": links, "rf": 1, "hl": 1, "mv": [[1, "/a", "/d"], [2, "/d", "/e"], [3, "/g/x", None]]}
        seed("fuzz_links", json.dumps(root).encode() + b"\0" + json.dumps({"nm": ["/two"], "L": []}).encode() + b'\0{"nm":["/e"]}')


def datasets():
    """Arrays of format 2 of stores of 0.1.0, with their annotation, other attributes and a chunk; many annotations are alike."""
    seen = set()
    with tarfile.open(ROOT.parent / "python/data/vol-zarr-0.1.0.tar.xz") as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive if member.isfile() and member.size < 10_000}
    for name in sorted(files):
        directory, _, last = name.rpartition("/")
        attributes = json.loads(files.get(directory + "/.zattrs", b"{}")) if last == ".zarray" else {}
        annotation = attributes.pop("_HDF5", "")
        if last != ".zarray" or annotation in seen:
            continue
        seen.add(annotation)
        chunk = next((files[f"{directory}/{key}"] for key in ("0", "0.0", "0.0.0") if f"{directory}/{key}" in files), b"")
        seed("fuzz_datasets", b"\0".join([files[name], annotation.encode(), json.dumps(attributes).encode(), chunk]))


def headers():
    for text in ('{"store": "s"}', '{"store": "../x"}', '{"store": "door"}', '{"store": "away/x"}', '{"store": "s3://b/x"}', '{"store": "https://u:p@h/x?y"}', '{"store": "s3://b/x", "options": "endpoint=http://h;region=r;anonymous=1"}', '{"store": "s/./../s"}', '{"store": "\\u0000"}', "[]"):
        for choice in (1, 5):
            seed("fuzz_header", bytes([choice]) + text.encode() + b"\n")
    for choice in (0, 2, 6):
        out = io.BytesIO(bytes(4096))
        out.seek(4096)
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(".zgroup", '{"zarr_format": 2}')
        seed("fuzz_header", bytes([choice]) + out.getvalue()[1024 if choice else 0:])


def answers():
    for text in ("<Error><Code>NoSuchKey</Code><Message>m</Message><Region>r</Region></Error>", "<DeleteResult><Error><Key>k</Key><Code>InternalError</Code></Error></DeleteResult>",
                 "<CopyObjectResult><ETag>&quot;e&quot;</ETag></CopyObjectResult>", "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>",
                 "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><Contents><Key>a%2Fb+c</Key></Contents>"
                 "<CommonPrefixes><Prefix>g/</Prefix></CommonPrefixes><NextContinuationToken>t</NextContinuationToken></ListBucketResult>",
                 "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"):
        seed("fuzz_s3_answer", b"<?xml version='1.0'?>" + text.encode() if "DOCTYPE" not in text else text.encode())


def credentials():
    secret = "hunter2SECRET"
    keys = f"aws_access_key_id = A\naws_secret_access_key = {secret}\n"
    for text in (f"[default]\n{keys}\x01[profile x]\nrole_arn = a\nsource_profile = default\n[sso-session y]\nsso_region = r\n",
                 "[default]\nregion = a # b\n\x01[services default]\ns3 =\n  endpoint_url = http://h\n", f"[a]\n{secret}\n", "; c\n[profile \"a b\"]\nx=y\n z"):
        seed("fuzz_net_credentials", b"\0" + text.encode())
    answer = {"AccessKeyId": "A", "SecretAccessKey": secret, "Token": "T", "Expiration": "2999-01-01T00:00:00Z"}
    role = {"roleCredentials": {"accessKeyId": "A", "secretAccessKey": secret, "sessionToken": "T", "expiration": 32472144000000}}
    xml = f"<AccessKeyId>A</AccessKeyId><SecretAccessKey>{secret}</SecretAccessKey><SessionToken>T&amp;</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration>"
    for text in (json.dumps(answer), json.dumps(role), xml):
        seed("fuzz_net_credentials", b"\1" + text.encode())
    for text in ("/a/b 'c d' \"e\\\"f\" g\\ h", "2026-11-23T13:45:00.5+01:00"):
        seed("fuzz_net_credentials", b"\2" + text.encode())
    seed("fuzz_net_credentials", b"\3https://b.s3.amazonaws.com:443/a%20b//c?x=1&a=%2F\nx-amz-date: 1\nX-A:  b  c\nx-a: d")


def answers_over_http():
    for lines in (["HTTP/1.1 206 Partial Content", "Content-Range: bytes 0-9/100", "ETag: \"a\"", "Content-Length: 10"],
                  ["HTTP/1.1 503 Slow Down", "Retry-After: Wed, 21 Oct 2099 07:28:00 GMT"], ["Retry-After: 3", "content-range: bytes 5-5/*"],
                  ["https://host.example:9000/bucket/a%20key?list-type=2&prefix=a%2F"]):
        seed("fuzz_net_answer", "\r\n".join(lines).encode())


def texts():
    for text in ['{"a":[1,-2.5e10,NaN,-Infinity,18446744073709551616,true,null]}', '"\\ud83d\\ude00\\u0000\\ud800"',
                 '{"\\u0000":{"b":[[[[]]]]}}', "\ufeff[1]", '{"a":1,"a":2}']:
        seed("fuzz_json", text.encode())


def ranges():
    """Chunks of every chain of test/unit/support/codec_ranges.h, and Blosc's of some sizes of elements and blocks."""
    data = bytes(i * i // 7 % 256 for i in range(400))
    for chain in range(0, 256, 8):
        seed("fuzz_ranges", bytes([chain, 5, 7, 0, 0, 0, 200, 0, 0, 0]) + data)
    for inner in range(5):
        for shuffle in range(3):
            for size, block in ((1, 0), (4, 300), (8, 128), (140, 128), (255, 1000)):
                head = struct.pack("<BBHHHBB", 2 * inner + 1, 5 + 10 * shuffle + 90, size - 1, block, 900, size % 16, 0)
                seed("fuzz_ranges", head + data)


chunks()
ranges()
documents()
documents_v3()
grids_v3()
zips()
zip_pages()
reference_files()
lindi_archive()
parquet_files()
repositories()
headers()
answers()
answers_over_http()
credentials()
texts()
decoders()
codecs()
data_types()
indexes()
options()
annotations()
datasets()
