#!/usr/bin/env python3
"""zarr34_grids.py OUT.tar.xz - makes a store whose arrays have the chunk grid "rectilinear". For zarr-python 3.4. Beside the store lies
expected.npz: the elements of each array, as zarr-python reads them."""

import json
import pathlib
import sys
import tarfile
import tempfile

import numpy as np
import zarr
from zarr.codecs import BytesCodec, GzipCodec, TransposeCodec, ZstdCodec

zarr.config.set({"array.rectilinear_chunks": True})


class Maker:
    def __init__(self, where):
        self.where = where / "grids.zarr"
        self.group = zarr.open_group(self.where, mode="w", zarr_format=3)
        self.names = []

    def add(self, name, values, chunks, respell=None, parts=(...,), compressors=None, **members):
        """respell: what stands for the lengths in the document afterwards; zarr-python reads it again."""
        array = self.group.create_array(name, shape=values.shape, chunks=chunks, dtype=values.dtype, compressors=compressors, **members)
        for part in parts:
            array[part] = values[part]
        if respell:
            document = self.where / name / "zarr.json"
            content = json.loads(document.read_text())
            content["chunk_grid"]["configuration"]["chunk_shapes"] = respell
            document.write_text(json.dumps(content))
        self.names.append(name)

    def make(self):
        random = np.random.default_rng(0)
        grid = np.arange(60, dtype="i4").reshape(10, 6)
        cube = random.standard_normal((7, 9, 5))
        self.add("line", np.arange(20, dtype="i2"), [[3, 1, 9, 7]])
        self.add("grid", grid, [[3, 3, 4], [2, 4]])
        self.add("runs", grid, [[3, 3, 4], [2, 4]], respell=[[[3, 2], 4], [[2, 1], 4]])
        self.add("mixed", grid, [[3, 7], [2, 2, 2]], respell=[[3, 7], 2])
        self.add("beyond", np.arange(120, dtype="i4").reshape(15, 8), [[3, 3, 4, 5], [2, 2, 4]], respell=[[3, 3, [4, 1], [5, 3], 2], [2, 2, 4]])
        zarr.open_group(self.where)["beyond"].resize((9, 5))
        self.add("cube", cube, [[1, 2, 4], [5, 4], [2, 3]])
        self.add("zstd", cube, [[6, 1], [1, 8], [4, 1]], compressors=[ZstdCodec(level=3)])
        self.add("gzip", grid, [[9, 1], [1, 5]], compressors=[GzipCodec()])
        self.add("turned", cube, [[1, 2, 4], [5, 4], [2, 3]], filters=[TransposeCodec(order=(2, 0, 1))])
        self.add("big", grid.astype(">i4"), [[1, 9], [6]], serializer=BytesCodec(endian="big"))
        self.add("scaled", cube, [[1, 2, 4], [5, 4], [2, 3]], filters=[{"name": "scale_offset", "configuration": {"offset": 1, "scale": 2}}])
        self.add("texts", np.array(["z", "a", "bb", "ccc", "dd", "e", "é"] * 3, dtype="T"), [[1, 8, 12]])
        self.add("missing", grid, [[3, 3, 4], [2, 4]], fill_value=-5, parts=((slice(3, 6), slice(0, 2)), (slice(9, 10), slice(5, 6))))
        lengths = [int(n) for n in random.integers(1, 11, 500)]
        self.add("ragged", random.integers(0, 99, sum(lengths)).astype("u1"), [lengths])
        self.add("one", np.array([7], dtype="i8"), [[1]])


def main():
    with tempfile.TemporaryDirectory() as directory:
        where = pathlib.Path(directory) / "zarr34-grids"
        where.mkdir()
        maker = Maker(where)
        maker.make()
        group = zarr.open_group(maker.where, mode="r")
        expected = {name: group[name][...] for name in maker.names}
        np.savez(where / "expected.npz", **{name: np.array(values.tolist()) if values.dtype.kind == "T" else values for name, values in expected.items()})
        with tarfile.open(sys.argv[1], "w:xz", preset=9) as archive:
            archive.add(where, where.name)


main()
