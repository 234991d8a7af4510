"""The operations on arrays by tensorstore."""

import os

import numpy as np
import tensorstore

from . import data

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


def warm(job):
    pass


def context(job):
    cores = {"limit": os.cpu_count()}
    return tensorstore.Context({"data_copy_concurrency": cores, "file_io_concurrency": cores, "file_io_sync": bool(job.get("sync"))})


def compressor(job):
    return {"none": None, "gzip": {"id": "zlib", "level": 4}, "zstd": {"id": "zstd", "level": 3},
            "blosc": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": job["shuffle"], "blocksize": 0}}[job["codec"]]


def spec(job):
    return {"driver": "zarr3" if job.get("shards") else "zarr", "kvstore": {"driver": "file", "path": f"{job['path']}/x"}}


def created(job):
    made = spec(job)
    if job.get("shards"):
        inner = {"chunk_shape": job["chunk"], "codecs": [LITTLE, {"name": "zstd", "configuration": {"level": 3}}],
                 "index_codecs": [LITTLE, {"name": "crc32c"}]}
        made["metadata"] = {"shape": job["shape"], "data_type": "float32", "fill_value": 0.0,
                            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": job["shards"]}},
                            "codecs": [{"name": "sharding_indexed", "configuration": inner}]}
    else:
        made["metadata"] = {"zarr_format": 2, "shape": job["shape"], "chunks": job["chunk"], "dtype": "<f4", "fill_value": 0, "order": "C",
                            "filters": None, "compressor": compressor(job)}
    return made


def opened(job):
    return tensorstore.open(spec(job), context=context(job), open=True, read=True).result()


def array_write(job):
    array = data.load(job["source"], job["shape"])
    yield
    store = tensorstore.open(created(job), context=context(job), create=True).result()
    store[...].write(array).result()


def array_read(job):
    yield
    return opened(job)[...].read().result()


def array_boxes(job):
    boxes = np.fromfile(job["boxes"], "i8").reshape(-1, 4).tolist()
    yield
    x = opened(job)
    return [x[y : y + h, z : z + w].read().result() for y, z, h, w in boxes]


def array_fancy(job):
    rows = data.fancy_rows(job["shape"], job["count"])
    yield
    return opened(job)[rows].read().result()
