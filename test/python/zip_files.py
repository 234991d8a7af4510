"""A zip file with something in it, what makes writing it fail until that ends, and what is in it afterwards."""

import ctypes
import os
import resource
import signal
import zipfile

import h5py
import numpy as np
import pytest
import zarr

from interpreter import run_once
from places import with_connector

OLD = np.random.default_rng(1).random(100_000)  # 800 kB, which no codec makes smaller
LIMIT = 400_000  # bytes: less than the zip file, more than what is added to it


def by_zarr_zip(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
    return zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")


def make_old(path):
    with h5py.File(path, "w") as f:
        f["old"] = OLD


@pytest.fixture
def old(tmp_path, connector):
    path = tmp_path / "d" / "a.zarr.zip"
    path.parent.mkdir()
    connector.run(make_old, str(path))
    return path


def values_in(path):
    """What any reader of zip files finds."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def holds(path, **expected):
    """Exactly that is in the file, and nothing lies beside it."""
    z = by_zarr_zip(path)
    assert sorted(z) == sorted(expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(z[name][...], values)
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]


def run(function, *arguments, status=0, connector="zarr"):
    """What the function prints, in an interpreter of its own."""
    got, said = run_once(with_connector(connector), function, *arguments)
    assert got == status, said
    return said


def error_of(call):
    try:
        call()
    except Exception as error:
        return str(error)
    return None


def add(f):
    f["new"] = np.arange(7)
    f["old"][5] = -1


ADDED = {"old": np.concatenate([OLD[:5], [-1], OLD[6:]]), "new": np.arange(7)}


def weak(path):
    """Opened so that objects outlive the file, as is HDF5's default, but not h5py's."""
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    fapl.set_fclose_degree(h5py.h5f.CLOSE_WEAK)
    return h5py.File(h5py.h5f.open(path.encode(), h5py.h5f.ACC_RDWR, fapl))


CLOSING = {"old": "H5Dclose", "g": "H5Gclose", "t": "H5Tclose", "a": "H5Aclose"}


def library():
    """HDF5 itself: h5py closes its objects by H5Idec_ref, other programs by H5Dclose."""
    with open("/proc/self/maps") as maps:
        names = {line.split()[-1] for line in maps if "/libhdf5-" in line or "/libhdf5.so" in line}
    hdf5 = ctypes.CDLL(names.pop())
    for name in ("H5Fclose", "H5Idec_ref", "H5Oclose", *CLOSING.values()):
        getattr(hdf5, name).argtypes = [ctypes.c_int64]
    return hdf5


# ---- what makes writing fail, until it ends ----


class NoLargeFiles:
    """As a full disk, for each file."""

    reason = "File too large"

    def __init__(self, path, limit=LIMIT):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    def end(self):
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


class NoDescriptors:  # a file that is changed in place needs none
    reason = "Too many open files"

    def __init__(self, path):
        self.held = []
        self.limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, self.limits[1]))
        while not error_of(lambda: self.held.append(os.open("/dev/null", os.O_RDONLY))):
            pass

    def end(self):
        for held in self.held:
            os.close(held)
        resource.setrlimit(resource.RLIMIT_NOFILE, self.limits)


class FullDisk:
    reason = "No space left on device"

    def __init__(self, path):
        self.ballast = os.path.dirname(path) + "/ballast"
        with open(self.ballast, "wb", buffering=0) as ballast:
            while not error_of(lambda: ballast.write(bytes(4096))):
                pass

    def end(self):
        os.remove(self.ballast)


FAILURES = {kind.__name__: kind for kind in (NoLargeFiles, FullDisk)}
