"""Stores behind drivers of HDF5's, in programs of their own: what matters is also how they end."""

import os
import subprocess
import sys

import h5py
import numpy as np

import range_server
from places import with_connector

X = np.arange(100_000).reshape(100, 1000)
Z = np.random.default_rng(0).random((300, 300))

# What programs begin with: ids(), the number of HDF5's ids of each type, in the very library that h5py uses.
BEGIN = """
import ctypes, io, os, sys
import h5py
import numpy as np
library = next(line.split()[-1] for line in open("/proc/self/maps") if "libhdf5" in line and "_hl" not in line)
library = ctypes.CDLL(library)
def ids():
    count, all_ = ctypes.c_ulonglong(), []
    for type_ in range(1, 16):
        library.H5Inmembers(type_, ctypes.byref(count))
        all_.append(count.value)
    return all_
X = np.arange(100_000).reshape(100, 1000)
Z = np.random.default_rng(0).random((300, 300))
def check(f):
    assert f["x"][5, 7] == 5007 and (f["x"][:] == X).all() and (f["z"][:] == Z).all()
    assert f.attrs["unit"] == "reads" and [n.decode() for n in f["names"][:]] == ["Ann", "Bo"]
"""


def make_store(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=X, chunks=(10, 1000))
        f.create_dataset("z", data=Z, chunks=(30, 30), compression="gzip")
        f.attrs["unit"] = "reads"
        f["names"] = ["Ann", "Bo"]


def run(code, *arguments, connector=None, **environment):
    """What the program printed; it must end well, and say nothing of errors."""
    environment = {**(with_connector(connector) if connector else os.environ), **environment}
    result = subprocess.run([sys.executable, "-c", BEGIN + code, *map(str, arguments)], capture_output=True, text=True,
                            timeout=120, env=environment)
    assert (result.returncode, result.stderr) == (0, ""), (result.returncode, result.stdout, result.stderr)
    return result.stdout


def read_here(program, path, connector):
    """The program reads a zip or one-file store through fsspec's object of a file on this machine."""
    assert path.read_bytes()[:4] == (b"\x89HDF" if path.name.startswith("one.") else b"PK\3\4")
    run(program, f"file://{path}", connector=connector)


def read_by_http(program, path, connector):
    with range_server.serve(path.parent) as (address, asked):
        run(program, f"{address}/{path.name}", connector=connector)
        assert any(method == "GET" for method, _, _ in asked)
