"""tensorstore's own S3 driver: arrays alone."""

import os

import numpy as np
import tensorstore

from . import data
from .places import BUCKET, ROOT, endpoint

CODECS = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 0, "checksum": False}}]


def array(url, **more):
    store = {"driver": "s3", "bucket": BUCKET, "path": url.removeprefix(ROOT) + "/m/", "aws_region": os.environ["AWS_REGION"],
             "endpoint": endpoint()}
    return tensorstore.open({"driver": "zarr3", "kvstore": store, **more}).result()


def write_dense(url):
    values = data.values("dense")
    metadata = {"shape": values.shape, "data_type": "float64", "codecs": CODECS,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": data.CHUNKS}}}
    return lambda: array(url, create=True, delete_existing=True, metadata=metadata).write(values).result()


def tensorstore_(row, url, count):
    def read(name, *index):
        one = array(f"{ROOT}{name}.zarr")
        return (one[index] if index else one).read().result()

    def inner_chunks():
        one = array(f"{ROOT}sharded.zarr")
        return np.stack([one[y:y + 100, x:x + 100].read().result() for y, x in data.places()])

    if row == "write dense":
        return write_dense(url)
    return {"dense": lambda: read("dense"), "rows": lambda: read("dense", slice(500, 600)),
            "rows of shards": lambda: read("sharded", slice(1000, 1200)), "random rows": lambda: read("sharded", data.few_rows()),
            "inner chunks": inner_chunks}.get(row)
