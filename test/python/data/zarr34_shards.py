#!/usr/bin/env python3
"""zarr34_shards.py OUT.tar.xz - makes a store whose arrays have shards of different shapes (the chunk grid "rectilinear"). For zarr-python
3.4. Beside the store lies expected.npz: the elements of each array, as zarr-python reads them."""

import json
import pathlib
import sys
import tarfile
import tempfile

import numpy as np
import zarr
from zarr.codecs import BytesCodec, Crc32cCodec, ShardingCodec, TransposeCodec

zarr.config.set({"array.rectilinear_chunks": True})


def sharding(chunks, codecs=None, **members):
    return ShardingCodec(chunk_shape=chunks, codecs=codecs or [BytesCodec()], **members)


class Maker:
    def __init__(self, where):
        self.where = where / "shards.zarr"
        self.group = zarr.open_group(self.where, mode="w", zarr_format=3)
        self.names = []

    def add(self, name, values, chunks, shards, respell=None, parts=(...,), compressors=None, **members):
        """respell: what stands for the lengths in the document afterwards; zarr-python reads it again."""
        inner = {"chunks": chunks, "shards": shards} if chunks else {"chunks": shards}
        array = self.group.create_array(name, shape=values.shape, dtype=values.dtype, compressors=compressors, **inner, **members)
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
        grid = np.arange(96, dtype="i4").reshape(12, 8)
        cube = random.standard_normal((8, 9, 4))
        self.add("line", np.arange(24, dtype="i2"), (2,), [[4, 2, 18]])
        self.add("grid", grid, (2, 2), [[4, 8], [2, 6]])
        self.add("runs", grid, (2, 2), [[4, 4, 4], [2, 6]], respell=[[[4, 3]], [2, [6, 1]]])
        self.add("mixed", grid, (2, 1), [[4, 8], [4, 4]], respell=[[4, 8], 4])
        self.add("beyond", grid, (2, 2), [[4, 8], [2, 6]], respell=[[4, 8, [6, 2]], [[2, 1], 6, 4]])
        zarr.open_group(self.where)["beyond"].resize((9, 5))
        self.add("cube", cube, (2, 3, 1), [[2, 4, 2], [6, 3], [3, 1]])
        self.add("zstd", cube, (2, 3, 4), [[6, 2], [3, 6], [4]], compressors="auto")
        self.add("missing", grid, (2, 2), [[4, 8], [2, 6]], fill_value=-5, parts=((slice(4, 6), slice(0, 2)), (slice(11, 12), slice(7, 8))))
        self.add("first", grid, None, [[4, 8], [2, 6]], serializer=sharding((2, 2), index_location="start"))
        self.add("behind", grid, None, [[4, 8], [2, 6]], serializer=sharding((2, 2)), compressors=[Crc32cCodec()])
        self.add("turned", random.standard_normal((8, 10, 6)), None, [[2, 6], [4, 4, 2], [4, 2]], filters=[TransposeCodec(order=(2, 0, 1))],
                 serializer=sharding((2, 1, 2)))
        self.add("levels", grid, None, [[4, 8], [4, 4]], serializer=sharding((4, 2), [sharding((2, 1))]))
        self.add("index", grid, None, [[4, 8], [2, 6]],
                 serializer=sharding((2, 2), index_codecs=[TransposeCodec(order=(2, 1, 0)), BytesCodec(endian="big"), Crc32cCodec()]))
        lengths = [int(n) * 3 for n in random.integers(1, 11, 300)]
        self.add("ragged", random.integers(0, 99, sum(lengths)).astype("u1"), (3,), [lengths])


def main():
    with tempfile.TemporaryDirectory() as directory:
        where = pathlib.Path(directory) / "zarr34-shards"
        where.mkdir()
        maker = Maker(where)
        maker.make()
        group = zarr.open_group(maker.where, mode="r")
        np.savez(where / "expected.npz", **{name: group[name][...] for name in maker.names})
        with tarfile.open(sys.argv[1], "w:xz", preset=9) as archive:
            archive.add(where, where.name)


main()
