#!/usr/bin/env python3
"""zarr34_packbits.py OUT.tar.xz - makes a store whose arrays have the codec packbits of zarr-extensions. For zarrista 0.1 (over zarrs, which
is the one library that has the codec) with ml_dtypes; no compressor, so that chunks can be compared byte by byte.

Beside the store lies expected.npz: given-NAME, what was written, as bytes of one element each; read-NAME, what zarrista reads again, as
numbers of numpy (those of few bits as float32 or integers of 8 bits, by ml_dtypes)."""

import json
import pathlib
import sys
import tarfile
import tempfile

import ml_dtypes
import numpy as np
from zarrista import Array
from zarrista.store import FilesystemStore

SHAPE, CHUNK = (7, 5), (3, 4)
NARROW = {"int2": 2, "int4": 4, "uint2": 2, "uint4": 4, "float4_e2m1fn": 4, "float6_e2m3fn": 6, "float6_e3m2fn": 6, "float8_e4m3": 8,
          "float8_e5m2": 8, "bfloat16": 16}
PLAIN = {"int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8", "uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8",
         "float16": "f2", "float32": "f4", "float64": "f8", "complex64": "c8", "complex128": "c16"}
RNG = np.random.default_rng(35)


def bits_of(name):
    return 1 if name == "bool" else NARROW[name] if name in NARROW else 8 * np.dtype(PLAIN[name]).itemsize // (2 if "complex" in name else 1)


def values_of(name):
    if name == "bool":
        return RNG.random(SHAPE) < 0.5
    if name in NARROW:
        dtype = np.dtype(getattr(ml_dtypes, name))
        codes = RNG.integers(0, 1 << NARROW[name], SHAPE).astype(f"u{dtype.itemsize}")
        if name in ("int2", "int4"):  # a byte has the sign in all bits above
            half = 1 << (NARROW[name] - 1)
            codes = ((codes ^ half).astype("i1") - half).view("u1")
        elif "float" in name:  # a NaN has many codes
            codes[np.isnan(codes.view(dtype).astype("f4"))] = 1
        return codes.view(dtype)
    dtype = np.dtype(PLAIN[name])
    if dtype.kind in "fc":
        parts = RNG.normal(size=(*SHAPE, 2)) * 100
        return (parts[..., 0] + 1j * parts[..., 1]).astype(dtype) if dtype.kind == "c" else parts[..., 0].astype(dtype)
    return np.frombuffer(RNG.bytes(35 * dtype.itemsize), dtype).reshape(SHAPE)


def parts_of(name):
    """Configurations. Of zarrs alone: it extends the sign to the end of a byte, not of the number, so parts that end below the last byte
    of a signed number are left out."""
    bits = bits_of(name)
    yield "all", {}
    for padding in "first_byte", "last_byte", "none":
        yield padding, {"padding_encoding": padding}
    ranges = [(0, bits - 2), (1, bits - 1), (1, bits - 2), (bits - 1, bits - 1), (None, bits // 2), (bits // 2, None)]
    for first, last in dict.fromkeys(ranges):
        end = bits - 1 if last is None else last
        if bits == 1 or (first or 0) > end or (name in ("int16", "int32", "int64") and end < bits - 8):
            continue
        yield f"{first}-{last}", {"padding_encoding": "last_byte", "first_bit": first, "last_bit": last}


class Maker:
    def __init__(self, where):
        self.root, self.expected = where / "packbits.zarr", {}
        self.root.mkdir(parents=True)
        (self.root / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')

    def add(self, title, name, values, codecs):
        (self.root / title).mkdir()
        fill = [0.0, 0.0] if "complex" in name else False if name == "bool" else 0
        (self.root / title / "zarr.json").write_text(json.dumps({
            "zarr_format": 3, "node_type": "array", "shape": SHAPE, "data_type": name, "attributes": {}, "fill_value": fill,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": CHUNK if codecs[0]["name"] != "sharding_indexed" else SHAPE}},
            "chunk_key_encoding": {"name": "default"}, "codecs": codecs}))
        array = Array.open(FilesystemStore(self.root), f"/{title}")
        everything = tuple(slice(0, size) for size in SHAPE)
        array.store_array_subset(everything, values.tobytes())
        read = read_chunks(array, values.dtype)
        self.expected[f"given-{title}"] = wide(name, values)
        self.expected[f"read-{title}"] = wide(name, read)


def read_chunks(array, dtype):
    """Chunk by chunk: where zarrs decodes a part of a chunk it does not shift bits back to first_bit."""
    rows, columns = array.chunk_grid_shape
    out = np.zeros((3 * rows, 4 * columns) if rows * columns > 1 else SHAPE, dtype)
    for i in range(rows):
        for j in range(columns):
            shape = array.chunk_shape([i, j])
            part = np.frombuffer(array.retrieve_chunk([i, j]).buffer(), dtype).reshape(shape)
            out[i * shape[0]:(i + 1) * shape[0], j * shape[1]:(j + 1) * shape[1]] = part
    return out[:SHAPE[0], :SHAPE[1]]


def wide(name, values):
    if name not in NARROW:
        return values
    return values.astype("f4" if "float" in name else "i1" if name.startswith("int") else "u1")


def main():
    with tempfile.TemporaryDirectory() as top:
        where = pathlib.Path(top) / "zarr34-packbits"
        maker = Maker(where)
        for name in ["bool", *NARROW, *PLAIN]:
            for part, configuration in parts_of(name):
                maker.add(f"{name}.{part}", name, values_of(name), [{"name": "packbits", "configuration": configuration}])
        for name in "bool", "int4", "uint16":
            pack = {"name": "packbits", "configuration": {"padding_encoding": "first_byte", "last_bit": bits_of(name) - 1}}
            maker.add(f"{name}.turned", name, values_of(name), [{"name": "transpose", "configuration": {"order": [1, 0]}}, pack])
            maker.add(f"{name}.gzip", name, values_of(name), [pack, {"name": "gzip", "configuration": {"level": 5}}])
            maker.add(f"{name}.shards", name, values_of(name), [{"name": "sharding_indexed", "configuration": {
                "chunk_shape": [7, 1], "codecs": [pack], "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}}])
        np.savez(where / "expected.npz", **maker.expected)
        with tarfile.open(sys.argv[1], "w:xz") as archive:
            archive.add(where, where.name)


if __name__ == "__main__":
    main()
