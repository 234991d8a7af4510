#!/usr/bin/env python3
"""zarr34_codecs.py OUT.tar.xz - makes a store whose arrays have the codecs scale_offset and cast_value. For zarr-python 3.4 with
cast-value-rs 0.5; no compressor, so that chunks can be compared byte by byte.

Beside the store lie expected.npz (given-NAME: what was written, read-NAME: what zarr-python reads again) and refused.json: codecs and
values that zarr-python does not write."""

import itertools
import json
import pathlib
import sys
import tarfile
import tempfile

import numpy as np
import zarr
from cast_value_rs import cast_array
from zarr.codecs import BytesCodec

TYPES = {"int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8", "uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8",
         "float16": "f2", "float32": "f4", "float64": "f8"}
ROUNDING = ["nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"]


def candidates(kind):
    """Numbers of a type: its limits and their neighbours, ties, and what others cannot hold."""
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        some = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 0.49, 0.51, -0.51, 1e-8, -1e-8, 1e-46, 6e-8, 127.5, 128, -128.5, 255.5, 65504, 65519,
                65520, 32767.5, 2 ** 24 + 1, 2 ** 31 - 0.5, 2 ** 31, 2 ** 32, 2 ** 53 + 1, 2 ** 63, -2 ** 63, 2 ** 64, 1e10, -1e10, 3.4028235e38,
                3.4028235677973366e38, 1e300, np.inf, -np.inf, np.nan, info.max, info.min, info.tiny, info.smallest_subnormal]
        with np.errstate(over="ignore"):
            return np.array(some).astype(dtype)
    info = np.iinfo(dtype)
    some = [0, 1, -1, 2, 127, 128, -128, -129, 255, 256, 2047, 2049, 2051, 32767, 32768, -32768, 65504, 65519, 65520, 65535, 65536, 70000,
            2 ** 24 + 1, 2 ** 24 + 3, -(2 ** 24 + 1), 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 53 + 1, 2 ** 53 + 3, 2 ** 62 + 1, 2 ** 63 - 1, 2 ** 63,
            2 ** 64 - 1, info.max, info.min]
    return np.array([v for v in some if info.min <= v <= info.max], dtype)


def cast(value, to, configuration):
    return cast_array(value, target_dtype=np.dtype(to), rounding_mode=configuration.get("rounding", "nearest-even"),
                      out_of_range_mode=configuration.get("out_of_range"), scalar_map_entries=None)


def survives(value, source, target, configuration):
    try:
        cast(cast(value, target, configuration), source, configuration)
        return True
    except ValueError:
        return False


class Maker:
    def __init__(self, where):
        self.group = zarr.open_group(where / "codecs.zarr", mode="w", zarr_format=3)
        self.expected, self.refused = {}, []

    def add(self, name, values, codecs, **members):
        array = self.group.create_array(name, shape=values.shape, chunks=members.pop("chunks", (max(1, len(values) // 2 + 1),) + values.shape[1:]),
                                        dtype=values.dtype, filters=codecs, compressors=None, **{"serializer": BytesCodec(endian="little"), **members})
        array[...] = values
        self.expected[f"given-{name}"], self.expected[f"read-{name}"] = values, array[...]

    def refuse(self, value, dtype, codecs):
        array = zarr.create_array(zarr.storage.MemoryStore(), shape=(1,), chunks=(1,), dtype=dtype, filters=codecs, compressors=None,
                                  serializer=BytesCodec(endian="little"))
        try:
            array[0] = np.array(value, dtype)
        except ValueError:
            self.refused.append([value if np.isfinite(value) else str(value), dtype, codecs])
            return
        raise SystemExit(f"zarr-python writes {value} by {codecs}")

    def pairs(self):
        ways = itertools.cycle(itertools.product(ROUNDING, [None, "clamp", "wrap"]))
        for (source, s), (target, t) in itertools.product(TYPES.items(), TYPES.items()):
            for _ in range(4):
                rounding, out_of_range = next(ways)
                if out_of_range == "wrap" and "f" in target:
                    out_of_range = "clamp"
                configuration = {"data_type": target, "rounding": rounding, **({"out_of_range": out_of_range} if out_of_range else {})}
                values = candidates(s)
                values = values[[survives(values[i:i + 1], s, t, configuration) for i in range(len(values))]]
                name = f"{source}-{target}-{rounding}-{out_of_range}"
                if f"read-{name}" not in self.expected:
                    self.add(name, values, [{"name": "cast_value", "configuration": configuration}])

    def others(self):
        x = np.cumsum(np.random.default_rng(0).standard_normal(60))
        scale = lambda **c: {"name": "scale_offset", "configuration": c}
        to = lambda data_type, **c: {"name": "cast_value", "configuration": {"data_type": data_type, **c}}
        self.add("scale_offset", x, [scale(offset=1.5, scale=10.0)])
        self.add("scale_alone", x.astype("f4"), [scale(scale=0.1)])
        self.add("nothing", x, [{"name": "scale_offset"}])
        self.add("texts", x, [scale(offset="0.1", scale="3")])
        self.add("half", (10 * x).astype("f2"), [scale(offset=0.3, scale=7)])
        self.add("integers", np.arange(-60, 60, dtype="i2"), [scale(offset=-1000, scale=-9)])
        self.add("unsigned", np.arange(2 ** 63, 2 ** 63 + 50, dtype="u8"), [scale(offset=9223372036854775808, scale=5)], fill_value=2 ** 63)
        self.add("packed", x, [scale(offset=-20, scale=100), to("int16", out_of_range="clamp")])
        self.add("nan", np.where(x > 0, x, np.nan), [scale(offset=-20, scale=4.5), to("uint8", scalar_map={"encode": [["NaN", 0]], "decode": [[0, "NaN"]]})],
                 fill_value=np.nan)
        self.add("numpy", np.array([np.nan, np.inf, -np.inf, 300.7, -1.5, 1e10]), [to("uint8", rounding="towards-zero", out_of_range="wrap", scalar_map={
            "encode": [["NaN", 0], ["Infinity", 0], ["-Infinity", 0]]})])
        self.add("map", np.arange(8, dtype="i4"), [to("uint8", scalar_map={"encode": [[3, 200], [0, 7]], "decode": [[7, 0], [200, 3], [1, -1]]})])
        self.add("chain", np.arange(60, dtype="u2"), [to("float64"), scale(offset=3, scale=2), to("int8", rounding="towards-negative")])
        self.add("big", x, [scale(offset=-20, scale=100), to("int32")], serializer=BytesCodec(endian="big"))
        self.add("turned", np.arange(24.0).reshape(4, 6), [scale(offset=1), {"name": "transpose", "configuration": {"order": [1, 0]}}, to("int16")], chunks=(2, 3))

    def errors(self):
        to = lambda data_type, **c: [{"name": "cast_value", "configuration": {"data_type": data_type, **c}}]
        scale = lambda **c: [{"name": "scale_offset", "configuration": c}]
        for value, dtype, codecs in [(300.0, "float64", to("uint8")), (-1.0, "float64", to("uint8")), (np.nan, "float64", to("int16", out_of_range="clamp")),
                                     (np.inf, "float64", to("int16", out_of_range="clamp")), (np.inf, "float32", to("int64", out_of_range="wrap")),
                                     (1e40, "float64", to("float32")), (65520, "int32", to("float16")), (-1, "int8", to("uint64")),
                                     (2 ** 63, "uint64", to("int64")), (100, "int8", scale(scale=2)), (2 ** 20, "int32", scale(scale=2 ** 12))]:
            self.refuse(value, dtype, codecs)


def main():
    with tempfile.TemporaryDirectory() as directory:
        where = pathlib.Path(directory) / "zarr34-codecs"
        where.mkdir()
        maker = Maker(where)
        maker.pairs()
        maker.others()
        maker.errors()
        np.savez(where / "expected.npz", **maker.expected)
        (where / "refused.json").write_text(json.dumps(maker.refused))
        with tarfile.open(sys.argv[1], "w:xz", preset=9) as archive:
            archive.add(where, where.name)


main()
