"""NWB: pynwb through this connector, hdmf-zarr, and pynwb on an HDF5 file over fsspec. The interpreter is the one with hdmf-zarr."""

import h5py
import numpy as np
import pynwb

from . import data
from .places import BUCKET, ROOT, fsspec_options

SESSION = "session"  # of whom: what each one wrote is read by it


def read_all(io):
    acquisition = io.read().acquisition
    return np.stack([acquisition[f"t{i}"].data[:] for i in range(data.SERIES)])


def read_with(opened):
    def work():
        with opened() as io:
            return read_all(io)

    return work


def write_with(opened):
    def work():
        made = data.session()
        with opened() as io:
            io.write(made)

    return work


def connector(row, url, count):
    return {"write NWB": write_with(lambda: pynwb.NWBHDF5IO(url, "w")),
            "NWB": read_with(lambda: pynwb.NWBHDF5IO(file=h5py.File(url, "r"), mode="r"))}.get(row)


def hdmf_zarr(row, url, count):
    from hdmf_zarr import NWBZarrIO

    return {"write NWB": write_with(lambda: NWBZarrIO(url, "w", storage_options=fsspec_options())),
            "NWB": read_with(lambda: NWBZarrIO(url, "r", storage_options=fsspec_options()))}.get(row)


def fsspec(row, url, count):
    import fsspec as filesystems

    def whole():
        """An HDF5 file is written here, and sent in one piece."""
        made = data.session()
        with pynwb.NWBHDF5IO("session.nwb", "w") as io:
            io.write(made)
        filesystems.filesystem("s3", **fsspec_options()).put("session.nwb", f"{BUCKET}/session.nwb")

    def file():
        return pynwb.NWBHDF5IO(file=h5py.File(filesystems.open(f"{ROOT}session.nwb", **fsspec_options()).open(), "r"), mode="r")

    return {"write NWB": whole, "NWB": read_with(file)}.get(row)
