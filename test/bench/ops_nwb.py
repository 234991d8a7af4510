"""NWB: pynwb on HDF5 files, whichever connector h5py uses, and hdmf-zarr. The interpreter is the one with hdmf-zarr."""

import datetime
import uuid

import numpy as np
import pynwb

from . import data


def warm(job):
    if job.get("backend"):
        import hdmf_zarr  # noqa: F401


def io(job, mode):
    if job.get("backend"):
        from hdmf_zarr import NWBZarrIO

        return NWBZarrIO(job["path"], mode=mode)
    return pynwb.NWBHDF5IO(job["path"], mode=mode)


def wrapped(job, values):
    """A recording in chunks of 1 MiB without compression, in either backend."""
    chunks = (8192, values.shape[1])
    if job.get("backend"):
        from hdmf_zarr import ZarrDataIO

        return ZarrDataIO(values, chunks=chunks, compressor=False)
    return pynwb.H5DataIO(values, chunks=chunks)


def session(job):
    began = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    made = pynwb.NWBFile("a session", str(uuid.UUID(int=7)), began)
    if job.get("recording"):
        values = data.kept(job["source"], lambda: np.random.default_rng(6).integers(-500, 500, (job["count"], 64), dtype="i2"))
        made.add_acquisition(pynwb.TimeSeries("recording", data=wrapped(job, values), unit="V", rate=30000.0))
        return made
    for i in range(job["count"]):
        made.add_acquisition(pynwb.TimeSeries(f"series{i:04d}", data=np.arange(i, i + 100, dtype="f4"), unit="V", rate=30.0))
    return made


def nwb_write(job):
    warm(job)
    made = session(job)
    yield
    with io(job, "w") as file:
        file.write(made)


def nwb_read(job):
    warm(job)
    yield
    with io(job, "r") as file:
        session_ = file.read()
        return [np.asarray(session_.acquisition[name].data[:]) for name in sorted(session_.acquisition)]
