"""AnnData's own reading and writing: of HDF5 files by h5py, whichever connector it uses, and by its Zarr backend."""

import os

import anndata
import h5py
import numpy as np

from . import data


def is_zarr_backend(job):
    return bool(job.get("backend"))


def warm(job):
    import scipy.sparse  # noqa: F401

    if is_zarr_backend(job):
        import zarr  # noqa: F401


def zarr_source(job):
    import zarr

    return zarr.open_group(zarr.storage.ZipStore(job["path"], mode="r"), mode="r") if job.get("zip") else job["path"]


def load_filters(job):
    """What reads HDF5's compressed file; without it nobody needs them."""
    if job.get("filtered"):
        import hdf5plugin  # noqa: F401


def cells(job):
    if job.get("real"):
        return anndata.read_h5ad(os.environ["VZ_DATA"])
    return data.kept(job["source"], lambda: data.anndata_object(*job["shape"], job["dense"]))


def compressed(write, store, key, value, dataset_kwargs, iospec):
    """Of write_dispatched: Blosc for arrays of numbers, by which hdf5plugin's fails on texts. Chunks are those that h5py makes then."""
    import hdf5plugin

    numbers = getattr(value, "dtype", None) is not None and value.dtype.kind in "iuf" and getattr(value, "ndim", 0) > 0
    write(store, key, value, dataset_kwargs=dict(hdf5plugin.Blosc(cname="lz4", clevel=5, shuffle=1)) if numbers else {})


def cells_write(job):
    warm(job)
    made = cells(job)
    if is_zarr_backend(job):
        anndata.settings.zarr_write_format = 2
    yield
    if is_zarr_backend(job):
        made.write_zarr(job["path"])
    elif job.get("filtered"):
        with h5py.File(job["path"], "w") as file:
            anndata.experimental.write_dispatched(file, "/", made, compressed)
    else:
        made.write_h5ad(job["path"])


def parts(found):
    """What is compared: numbers and texts of every kind of element."""
    matrix = found.X
    arrays = [matrix.data, matrix.indices.astype("i8"), matrix.indptr.astype("i8")] if hasattr(matrix, "indptr") else [matrix]
    texts = [str(text) for frame in (found.obs, found.var) for text in frame.index]
    columns = [str(value) for name in sorted(found.obs.columns) for value in found.obs[name]]
    return [*arrays, *(found.obsm[name] for name in sorted(found.obsm)), texts + columns]


def cells_read(job):
    warm(job)
    load_filters(job)
    yield
    found = anndata.read_zarr(zarr_source(job)) if is_zarr_backend(job) else anndata.read_h5ad(job["path"])
    yield found
    return parts(found)


def cells_backed(job):
    """Opened, its matrix left in the file."""
    yield
    found = anndata.read_h5ad(job["path"], backed="r")
    yield found
    return [np.array(found.shape), [str(name) for name in found.obs_names]]


def cells_rows(job):
    """Random rows of a backed object."""
    rows = data.fancy_rows(job["shape"], job["count"])
    load_filters(job)
    yield
    matrix = anndata.read_h5ad(job["path"], backed="r").X[rows]
    yield matrix
    return [matrix.data, matrix.indices.astype("i8")] if hasattr(matrix, "indptr") else [np.asarray(matrix)]
