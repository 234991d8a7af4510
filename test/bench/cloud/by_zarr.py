"""zarr-python, over obstore and over s3fs, and with zarrs as its codecs."""

import anndata
import numpy as np
import zarr

from . import data
from .places import ROOT, endpoint, fsspec_options


def obstore_group(url, mode="r"):
    from judge import zarr_store

    return zarr.open_group(zarr_store(url, endpoint(), read_only=mode == "r"), mode=mode)


def s3fs_group(url, mode="r"):
    from zarr.storage import FsspecStore

    return zarr.open_group(FsspecStore.from_url(url, storage_options=fsspec_options(), read_only=mode == "r"), mode=mode)


def reading(row, group):
    def array(name):
        return group(f"{ROOT}{name}.zarr")["m"]

    def inner_chunks():
        one = array("sharded")
        return np.stack([one[y:y + 100, x:x + 100] for y, x in data.places()])

    return {"open": lambda: group(f"{ROOT}cells.zarr") and None,
            "AnnData": lambda: anndata.read_zarr(group(f"{ROOT}cells.zarr")),
            "dense": lambda: array("dense")[:],
            "rows": lambda: array("dense")[500:600],
            "rows of shards": lambda: array("sharded")[1000:1200],
            "random rows": lambda: array("sharded").oindex[data.few_rows(), :],
            "inner chunks": inner_chunks,
            "tree": lambda: sorted(name for name, _ in group(f"{ROOT}tree.zarr").members(max_depth=None))}.get(row)


def writing(row, group, url, count):
    if row == "write dense":
        values = data.values("dense")
        return lambda: group(url, "w").create_array("m", data=values, chunks=data.CHUNKS) and None
    if row == "write AnnData":
        made = data.cells()
        return lambda: anndata.io.write_elem(group(url, "w"), "/", made)
    if row != "write small datasets":
        return None
    few = [data.small(i) for i in range(count)]

    def work():
        target = group(url, "w")
        for i, each in enumerate(few):
            target.create_array(f"d{i}", data=each)

    return work


def with_store(row, group, url, count):
    return reading(row, group) or writing(row, group, url, count)


def obstore(row, url, count):
    return with_store(row, obstore_group, url, count)


def s3fs(row, url, count):
    return with_store(row, s3fs_group, url, count)


def zarrs(row, url, count):
    import zarrs  # noqa: F401 # registers itself

    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
    return reading(row, obstore_group) if row in ("dense", "rows", "rows of shards", "random rows", "inner chunks") else None
