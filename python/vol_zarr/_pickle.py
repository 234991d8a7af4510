"""h5py's objects of a store can be sent to other processes: the path of the store and the object's name, opened there. A store, unlike
an HDF5 file, can be read and written by several processes at once. HDF5 files refuse as ever."""

import copyreg
import os
import pickle
import re

from . import _enable

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
ONE_FILE = b"\xff vol-zarr "
# Names of what is far away, as they are given, and as functions for paths leave them.
SCHEMES = "s3|gs|gcs|az|azure|abfss?|https?"
FAR = re.compile(rf"(.*/)?(zarr\+)?({SCHEMES}):/+[^/]", re.DOTALL)
URL = re.compile(rf"(zarr\+)?({SCHEMES})://")
# What another process writes has arrived when its write returns: nobody there closes what was sent, and sees it fail.
WRITTEN = "write_through=1"


def register():
    import h5py

    copyreg.pickle(h5py.File, _reduce_file)
    for kind in (h5py.Group, h5py.Dataset, h5py.Datatype):
        copyreg.pickle(kind, _reduce_object)


def register_distributed():
    """dask.distributed has a way of its own, which takes read-only files alone. Stores go as pickles, the others its way."""
    import h5py
    from distributed.protocol.serialize import dask_deserialize, dask_serialize

    for kind in (h5py.File, h5py.Group, h5py.Dataset):
        dask_serialize.register(kind, _send)
        dask_deserialize.register(kind, _receive)


def _send(obj):
    from distributed.protocol import h5py as distributed

    if _of_store(obj.file):
        return {"vol_zarr": pickle.dumps(obj)}, []
    return (distributed.serialize_h5py_file if hasattr(obj, "mode") else distributed.serialize_h5py_dataset)(obj)


def _receive(header, frames):
    from distributed.protocol import h5py as distributed

    if "vol_zarr" in header:
        return pickle.loads(header["vol_zarr"])
    return (distributed.deserialize_h5py_dataset if "name" in header else distributed.deserialize_h5py_file)(header, frames)


def _is_store(path):
    """A directory, a file that is not HDF5, or something far away: only such can h5py have open beside HDF5 files."""
    if os.path.isdir(path):
        return True
    if FAR.match(path) and not os.path.lexists(path):
        return True
    offset = 0
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            while offset < size:
                file.seek(offset)
                start = file.read(len(HDF5_SIGNATURE) + len(ONE_FILE))
                if start.startswith(HDF5_SIGNATURE):
                    return start[len(HDF5_SIGNATURE) :] == ONE_FILE
                offset = 2 * offset or 512
    except OSError:
        return False
    return True


def _of_store(file):
    return file.driver in ("sec2", "default") and _is_store(os.fsdecode(file.id.name))


def _file(obj):
    """Its path, its mode, and the options with which another process opens it."""
    file = obj.file
    if not _of_store(file):
        raise TypeError("h5py objects cannot be pickled, but those of Zarr stores")
    if file.mode != "r":
        file.flush()
    path = os.fsdecode(file.id.name)
    return path if URL.match(path) else os.path.abspath(path), file.mode, _enable.enabled_text()


def _reduce_file(file):
    return _open_file, _file(file)


def _reduce_object(obj):
    path, mode, options = _file(obj)
    if obj.name is None:
        raise TypeError("an object without a name cannot be pickled")
    return _open_object, (path, mode, options, obj.name)


def _open_file(path, mode, options):
    import h5py
    import vol_zarr  # a process that was started anew knows the connector by this

    vol_zarr.activate("h5py")
    if mode != "r":
        options = _enable.joined(_enable.of_environment(), options, WRITTEN)
    if not options:
        return h5py.File(path, mode)
    with _enable.here(options):
        return h5py.File(path, mode)


def _open_object(path, mode, options, name):
    return _open_file(path, mode, options)[name]
