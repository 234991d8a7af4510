#!/usr/bin/env python3
"""zarr34_zfpy.py OUT.tar.xz - makes arrays of both formats with the codec "zfpy". For zarr-python 3.4, numcodecs 0.17 and zfpy 1.0.1.
Beside the store lies expected.npz: what was written (given-NAME) and what zarr-python reads of it (read-NAME)."""

import pathlib
import sys
import tarfile
import tempfile
import warnings

import numcodecs
import numpy as np
import zarr
import zarr.codecs.numcodecs as codecs_v3
from zarr.codecs import TransposeCodec, ZstdCodec

warnings.simplefilter("ignore")
MODES = {"exact": {}, "tolerance": {"mode": 4, "tolerance": 1e-3}, "rate": {"mode": 2, "rate": 12.5}, "precision": {"mode": 3, "precision": 20}}


def main():
    with tempfile.TemporaryDirectory() as directory:
        where = pathlib.Path(directory) / "zarr34-zfpy"
        expected, random = {}, np.random.default_rng(0)
        groups = {2: zarr.open_group(where / "v2.zarr", mode="w", zarr_format=2), 3: zarr.open_group(where / "v3.zarr", mode="w", zarr_format=3)}

        def add(version, name, values, chunks, **members):
            array = groups[version].create_array(name, shape=values.shape, chunks=chunks, dtype=values.dtype, **members)
            array[...] = values
            expected[f"given-v{version}-{name}"], expected[f"read-v{version}-{name}"] = values, array[...]

        smooth = np.cumsum(np.cumsum(random.standard_normal((9, 20)), 0), 1)
        for mode, options in MODES.items():
            for dtype in ("f4", "f8", "i4", "i8"):
                if mode == "tolerance" and dtype[0] == "i":
                    continue
                values = smooth.astype(dtype)
                add(3, f"{mode}-{dtype}", values, (4, 7), serializer=codecs_v3.ZFPY(**options), compressors=None)
                add(2, f"{mode}-{dtype}", values, (4, 7), compressors=numcodecs.ZFPY(**options))
        for shape, chunks in (((30,), (8,)), ((5, 6, 7), (2, 3, 7)), ((3, 4, 2, 5), (2, 4, 2, 3))):
            add(3, f"rank-{len(shape)}", random.standard_normal(shape).cumsum(-1), chunks, serializer=codecs_v3.ZFPY(mode=4, tolerance=0.01), compressors=None)
        add(3, "zstd", smooth, (4, 7), serializer=codecs_v3.ZFPY(mode=4, tolerance=0.01), compressors=[ZstdCodec()])
        add(3, "turned", smooth, (4, 7), filters=[TransposeCodec(order=(1, 0))], serializer=codecs_v3.ZFPY(mode=3, precision=18), compressors=None)
        add(3, "cast", smooth.astype("f8"), (4, 7), filters=[{"name": "cast_value", "configuration": {"data_type": "float32"}}],
            serializer=codecs_v3.ZFPY(), compressors=None)
        add(3, "shards", smooth[:8], (4, 10), shards=(8, 20), serializer=codecs_v3.ZFPY(mode=4, tolerance=0.01), compressors=None)
        np.savez(where / "expected.npz", **expected)
        with tarfile.open(sys.argv[1], "w:xz", preset=9) as archive:
            archive.add(where, where.name)


main()
