"""The operations by zarr-python 3; `pipeline` in the job chooses what codecs run in."""

import os

import numcodecs
import numpy as np
import zarr

from . import data
from .ops_h5py import TREE_ELEMENTS, batches, store

PIPELINES = {"fused": "zarr.core.codec_pipeline.FusedCodecPipeline", "zarrs": "zarrs.ZarrsCodecPipeline"}


def prepare(job):
    if job.get("pipeline") == "zarrs":
        import zarrs  # noqa: F401
    if job.get("pipeline"):
        zarr.config.set({"codec_pipeline.path": PIPELINES[job["pipeline"]]})
    zarr.config.set({"threading.max_workers": os.cpu_count()})


warm = prepare


def codec(job):
    """Keywords of create_array, format 2."""
    compressor = {"none": None, "gzip": numcodecs.Zlib(4), "zstd": numcodecs.Zstd(3), "blosc": numcodecs.Blosc("lz4", 5, job["shuffle"])}[job["codec"]]
    shuffle = job.get("shuffle") and job["codec"] != "blosc"
    return {"filters": [numcodecs.Shuffle(4)] if shuffle else None, "compressors": compressor}


def zip_or(job, mode, path=None):
    path = path or job["path"]
    return zarr.storage.ZipStore(path, mode=mode) if job.get("zip") else path


def create(job, shape, chunks, dtype, name="x", group=None):
    if group is None:
        group = zarr.open_group(zip_or(job, "w"), mode="w", zarr_format=3 if job.get("shards") else 2)
    if job.get("shards"):
        # Format 3's own default is zstd; level 3 as everybody else's here.
        return group.create_array(name, shape=shape, chunks=chunks, shards=tuple(job["shards"]), dtype=dtype,
                                  compressors=zarr.codecs.ZstdCodec(level=3))
    return group.create_array(name, shape=shape, chunks=chunks, dtype=dtype, fill_value=0, **codec(job))


def opened(job):
    return zarr.open_group(zip_or(job, "r"), mode="r")


def opened_array(job):
    """Not by the group above it, which tensorstore does not make."""
    return zarr.open_array(zip_or(job, "r"), path="x", mode="r")


def array_write(job):
    array = data.load(job["source"], job["shape"])
    prepare(job)
    yield
    x = create(job, array.shape, tuple(job["chunk"]), array.dtype)
    x[...] = array
    if job.get("zip"):
        x.store.close()


def array_read(job):
    prepare(job)
    yield
    return opened_array(job)[...]


def array_boxes(job):
    boxes = np.fromfile(job["boxes"], "i8").reshape(-1, 4).tolist()
    prepare(job)
    yield
    x = opened_array(job)
    return [x[y : y + h, z : z + w] for y, z, h, w in boxes]


def array_fancy(job):
    rows = data.fancy_rows(job["shape"], job["count"])
    prepare(job)
    yield
    return opened_array(job).oindex[rows]


def csr_write(job):
    matrix = data.sparse(*job["shape"])
    prepare(job)
    yield
    group = zarr.open_group(job["path"], mode="w", zarr_format=2)
    for name in "data", "indices", "indptr":
        values = getattr(matrix, name)
        create(job, values.shape, (min(job["chunk"][0], len(values)),), values.dtype, name, group)[...] = values


def csr_read(job):
    prepare(job)
    yield
    group = opened(job)
    return [group[name][...] for name in ("data", "indices", "indptr")]


def csr_batches(job):
    starts = np.random.default_rng(2).integers(0, job["shape"][0] - 64, job["count"]).tolist()
    prepare(job)
    yield
    group = opened(job)
    return batches(group["indptr"][...], group["data"], group["indices"], starts)


def compounds_write(job):
    values = data.compounds(job["count"])
    prepare(job)
    yield
    group = zarr.open_group(job["path"], mode="w", zarr_format=2)
    group.create_array("x", shape=values.shape, chunks=(min(65536, len(values)),), dtype=values.dtype, **codec(job))[...] = values


def compounds_read(job):
    prepare(job)
    yield
    return opened(job)["x"][...]


def strings_write(job):
    texts = np.array(data.strings(job["count"]), object)
    prepare(job)
    yield
    group = zarr.open_group(job["path"], mode="w", zarr_format=2)
    keywords = codec(job)
    x = group.create_array("x", shape=texts.shape, chunks=(min(65536, len(texts)),), dtype=str, compressors=keywords["compressors"],
                           fill_value="")
    x[...] = texts


def strings_read(job):
    prepare(job)
    yield
    return list(opened(job)["x"][...])


def rows_append(job):
    rows = [np.arange(i, i + 500, dtype="f4") for i in range(job["count"])]
    prepare(job)
    yield
    x = create(job, (0, 500), (1000, 500), "f4")
    for i, row in enumerate(rows):
        x.resize((i + 1, 500))
        x[i] = row


def attributes_write(job):
    prepare(job)
    yield
    zarr.open_group(job["path"], mode="w", zarr_format=2).update_attributes({f"a{i:07d}": i for i in range(job["count"])})


def attributes_read(job):
    prepare(job)
    yield
    values = dict(opened(job).attrs)
    return np.array([sum(v for k, v in values.items() if k.startswith("a0"))])


def tree_create(job):
    prepare(job)
    yield
    root = zarr.open_group(job["path"], mode="w", zarr_format=2)
    for g in range(job["groups"]):
        group = root.create_group(f"g{g:05d}")
        for n in range(job["nodes"]):
            number = g * job["nodes"] + n
            values = np.arange(number, number + TREE_ELEMENTS)
            x = create(job, values.shape, values.shape, values.dtype, f"d{n:05d}", group)
            x[...] = values
            x.attrs.update({"value": number, "unit": "mV"})
    if job.get("consolidated"):
        zarr.consolidate_metadata(job["path"], zarr_format=2)


def objects_delete(job):
    prepare(job)
    group = zarr.open_group(job["path"], mode="w", zarr_format=2).create_group("from")
    for i in range(job["count"]):
        group.create_group(f"d{i:06d}")
    yield
    for i in range(job["count"] - 1):
        del group[f"d{i:06d}"]


def objects_left(job):
    prepare(job)
    yield
    root = opened(job)
    return [[name, *sorted(root[name].keys())] for name in sorted(root.keys())]


def tree_list(job):
    prepare(job)
    names = letters = 0
    yield
    for _ in range(job["opens"]):
        root = opened(job)
        for group in root.keys():
            found = list(root[group].keys())
            names += len(found)
            letters += len(group) + sum(map(len, found))
    return np.array([names, letters, 0, 0, 0])


def tree_walk(job):
    prepare(job)
    found = [0, 0, 0, 0, 0]
    yield
    for _, item in opened(job).members(max_depth=None):
        if isinstance(item, zarr.Array):
            attributes = dict(item.attrs)
            found[0] += 1
            found[2] += attributes["value"]
            found[3] += len(attributes["unit"])
    return np.array(found)


def tree_read(job):
    prepare(job)
    names = total = 0
    yield
    root = opened(job)
    for g in range(job["groups"]):
        group = root[f"g{g:05d}"]
        for n in range(job["nodes"]):
            total += int(group[f"d{n:05d}"][...].sum())
            names += 1
    return np.array([names, 0, 0, 0, total])


def tree_open(job):
    prepare(job)
    total = 0
    yield
    for _ in range(job["opens"]):
        total += opened(job)["g00000/d00001"].attrs["value"]
    return np.array([total])


def stores_create(job):
    prepare(job)
    yield
    for i in range(job["count"]):
        group = zarr.open_group(store(job, i), mode="w", zarr_format=2)
        x = create(job, (TREE_ELEMENTS,), (TREE_ELEMENTS,), "i8", "x", group)
        x[...] = np.arange(i, i + TREE_ELEMENTS)
        x.attrs["value"] = i


def stores_open(job):
    prepare(job)
    opened_ = 0
    yield
    for i in range(job["count"]):
        zarr.open_group(store(job, i), mode="r")
        opened_ += 1
    return np.array([opened_])


def stores_check(job):
    prepare(job)
    yield
    found = []
    for i in range(job["count"]):
        x = zarr.open_group(zip_or(job, "r", store(job, i)), mode="r")["x"]
        found += [x[...], np.array([x.attrs["value"]])]
    return found
