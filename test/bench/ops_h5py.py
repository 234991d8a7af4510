"""The operations by h5py, whichever connector it uses. Each is a generator: it prepares, yields, works, and returns what was read."""

import os

import h5py
import numpy as np

from . import data

TREE_ELEMENTS = 8


def warm(job):
    import hdf5plugin  # noqa: F401


def codec(job):
    """Keywords of create_dataset."""
    import hdf5plugin

    keywords = {
        "none": {},
        "gzip": {"compression": "gzip", "compression_opts": 4},
        "zstd": dict(hdf5plugin.Zstd(3)),
        "blosc": dict(hdf5plugin.Blosc(cname="lz4", clevel=5, shuffle=job["shuffle"])),
    }[job["codec"]]
    if job.get("shuffle") and job["codec"] != "blosc":
        keywords = {**keywords, "shuffle": True}
    return keywords


def sync(job):
    """What the connector does if it is asked to (option `sync`), natively the program does."""
    for path in (job["path"], os.path.dirname(job["path"])) if job.get("sync") and job["suffix"] == ".h5" else ():
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def array_write(job):
    array, keywords = data.load(job["source"], job["shape"]), codec(job)
    yield
    with h5py.File(job["path"], "w") as file:
        file.create_dataset("x", data=array, chunks=tuple(job["chunk"]), **keywords)
    sync(job)


def array_read(job):
    codec(job)
    out = np.ones(job["shape"], "f4") if job["direct"] else None
    yield
    with h5py.File(job["path"], "r") as file:
        if out is None:
            return file["x"][...]
        file["x"].read_direct(out)
        return out


def array_boxes(job):
    codec(job)
    boxes = np.fromfile(job["boxes"], "i8").reshape(-1, 4).tolist()
    yield
    with h5py.File(job["path"], "r") as file:
        x = file["x"]
        return [x[y : y + h, z : z + w] for y, z, h, w in boxes]


def array_fancy(job):
    codec(job)
    rows = data.fancy_rows(job["shape"], job["count"])
    yield
    with h5py.File(job["path"], "r") as file:
        return file["x"][rows]


def csr_write(job):
    matrix, keywords = data.sparse(*job["shape"]), codec(job)
    yield
    with h5py.File(job["path"], "w") as file:
        for name in "data", "indices", "indptr":
            values = getattr(matrix, name)
            file.create_dataset(name, data=values, chunks=(min(job["chunk"][0], len(values)),), **keywords)


def csr_read(job):
    codec(job)
    yield
    with h5py.File(job["path"], "r") as file:
        return [file[name][...] for name in ("data", "indices", "indptr")]


def csr_batches(job):
    """As a training loop takes them: so many rows that follow each other, somewhere."""
    codec(job)
    starts = np.random.default_rng(2).integers(0, job["shape"][0] - 64, job["count"]).tolist()
    yield
    with h5py.File(job["path"], "r") as file:
        return batches(file["indptr"][...], file["data"], file["indices"], starts)


def batches(indptr, values, indices, starts):
    found = []
    for row in starts:
        begin, end = int(indptr[row]), int(indptr[row + 64])
        found += [values[begin:end], indices[begin:end]]
    return found


def compounds_write(job):
    values, keywords = data.compounds(job["count"]), codec(job)
    yield
    with h5py.File(job["path"], "w") as file:
        file.create_dataset("x", data=values, chunks=(min(65536, len(values)),), **keywords)


def compounds_read(job):
    codec(job)
    yield
    with h5py.File(job["path"], "r") as file:
        return file["x"][...]


def strings_write(job):
    """Without a filter: natively it would see references into a heap, at which hdf5plugin's blosc divides by zero."""
    texts = np.array(data.strings(job["count"]), object)
    yield
    with h5py.File(job["path"], "w") as file:
        file.create_dataset("x", data=texts, dtype=h5py.string_dtype(), chunks=(min(65536, len(texts)),))


def strings_read(job):
    yield
    with h5py.File(job["path"], "r") as file:
        return list(file["x"][...])


def rows_append(job):
    keywords = codec(job)
    rows = [np.arange(i, i + 500, dtype="f4") for i in range(job["count"])]
    yield
    with h5py.File(job["path"], "w") as file:
        x = file.create_dataset("x", (0, 500), "f4", maxshape=(None, 500), chunks=(1000, 500), **keywords)
        for i, row in enumerate(rows):
            x.resize(i + 1, axis=0)
            x[i] = row


def attributes_write(job):
    yield
    with h5py.File(job["path"], "w", libver=job["libver"]) as file:
        for i in range(job["count"]):
            file.attrs[f"a{i:07d}"] = np.int64(i)


def attributes_read(job):
    yield
    with h5py.File(job["path"], "r") as file:
        values = dict(file.attrs)
    return np.array([sum(int(v) for v in values.values())])


def tree_create(job):
    yield
    with h5py.File(job["path"], "w", libver=job["libver"]) as file:
        for g in range(job["groups"]):
            group = file.create_group(f"g{g:05d}")
            for n in range(job["nodes"]):
                number = g * job["nodes"] + n
                x = group.create_dataset(f"d{n:05d}", data=np.arange(number, number + TREE_ELEMENTS))
                x.attrs["value"] = number
                x.attrs["unit"] = "mV"
    sync(job)


def tree_list(job):
    names = letters = 0
    yield
    for _ in range(job["opens"]):
        with h5py.File(job["path"], "r") as file:
            for group in list(file):
                found = list(file[group])
                names += len(found)
                letters += len(group) + sum(map(len, found))
    return np.array([names, letters, 0, 0, 0])


def tree_walk(job):
    found = [0, 0, 0, 0, 0]

    def each(name, item):
        if isinstance(item, h5py.Dataset):
            attributes = dict(item.attrs)
            found[0] += 1
            found[2] += int(attributes["value"])
            found[3] += len(attributes["unit"])

    yield
    with h5py.File(job["path"], "r") as file:
        file.visititems(each)
    return np.array(found)


def tree_read(job):
    names = total = 0
    yield
    with h5py.File(job["path"], "r") as file:
        for g in range(job["groups"]):
            group = file[f"g{g:05d}"]
            for n in range(job["nodes"]):
                total += int(group[f"d{n:05d}"][...].sum())
                names += 1
    return np.array([names, 0, 0, 0, total])


def tree_open(job):
    """opens: so often in one process."""
    total = 0
    yield
    for _ in range(job["opens"]):
        with h5py.File(job["path"], "r") as file:
            total += int(file["g00000/d00001"].attrs["value"])
    return np.array([total])


def objects(job):
    """A file of so many groups in a group, closed."""
    with h5py.File(job["path"], "w", libver=job["libver"]) as file:
        group = file.create_group("from")
        for i in range(job["count"]):
            group.create_group(f"d{i:06d}")


def objects_delete(job):
    objects(job)
    yield
    with h5py.File(job["path"], "r+", libver=job["libver"]) as file:
        group = file["from"]
        for i in range(job["count"] - 1):
            del group[f"d{i:06d}"]


def objects_rename(job):
    objects(job)
    yield
    with h5py.File(job["path"], "r+", libver=job["libver"]) as file:
        group = file["from"]
        for i in range(job["count"]):
            group.move(f"d{i:06d}", f"e{i:06d}")


def objects_move(job):
    objects(job)
    yield
    with h5py.File(job["path"], "r+", libver=job["libver"]) as file:
        file.create_group("to")
        for i in range(job["count"]):
            file.move(f"from/d{i:06d}", f"to/d{i:06d}")


def objects_left(job):
    yield
    with h5py.File(job["path"], "r") as file:
        return [[name, *sorted(file[name])] for name in sorted(file)]


def store(job, number):
    return f"{job['path']}/s{number:05d}{job['suffix']}"


def stores_create(job):
    yield
    for i in range(job["count"]):
        with h5py.File(store(job, i), "w", libver=job["libver"]) as file:
            file["x"] = np.arange(i, i + TREE_ELEMENTS)
            file["x"].attrs["value"] = i


def stores_open(job):
    opened = 0
    yield
    for i in range(job["count"]):
        with h5py.File(store(job, i), "r"):
            opened += 1
    return np.array([opened])


def stores_check(job):
    yield
    found = []
    for i in range(job["count"]):
        with h5py.File(store(job, i), "r") as file:
            found += [file["x"][...], np.array([file["x"].attrs["value"]])]
    return found
