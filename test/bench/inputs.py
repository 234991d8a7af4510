"""What rows read, and what others than the measured write: made once, kept while a row needs it."""

import json
import os
import shutil

from . import data
from .peers import PEERS, SUFFIX
from .rows import DEFAULTS

# By whom what is read is made, and by whom what was written is judged: never by us where somebody else can. Nobody else makes one-file
# stores; who reads zip files judges them.
MAKERS = {"ops_h5py": {"hdf5": "native", "zarr": "zarr", "file": "vol file"},
          "ops_anndata": {"hdf5": "native anndata", "zarr": "anndata zarr", "file": "vol file anndata"},
          "ops_nwb": {"hdf5": "native nwb", "zarr": "hdmf-zarr"},
          "work": {"hdf5": "native C", "zarr": "vol C"}}
# What of a job does not change the file that is made.
NOT_OF_FILE = {"array_write": {"kind", "count", "single", "cold"}, "tree_create": {"opens", "cold"}, "csr_write": {"count"},
               "cells_write": {"count", "cold"}}
OF_HDF5 = {"filtered"}  # changes HDF5's files alone
# The operations that write what takes long to make, and what of a job that depends on.
SOURCES = {"array_write": ("shape",), "cells_write": ("shape", "dense"), "nwb_write": ("recording", "count")}


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def forget(path):
    """The system keeps no bytes of these files in memory; names and places of files it may."""
    for each in [path, *(path.rglob("*") if path.is_dir() else ())]:
        if each.is_file():
            with open(each, "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def maker(row, kind):
    return MAKERS[PEERS[row.peers[0]].module][kind]


def judge(row, kind):
    """The reader of what was written, and what more it is given."""
    return (maker(row, "zarr"), {"zip": True}) if kind == "file" else (maker(row, kind), {})


def form(peer):
    """What of a peer's job changes the file that it reads."""
    return {key: value for key, value in peer.job.items() if key == "libver"}


def suffix(peer, row):
    return ".zip" if peer.kind == "zarr" and row.job.get("zip") else SUFFIX[peer.kind]


def file_job(row):
    left_out = NOT_OF_FILE.get(row.make, set())
    return {**DEFAULTS, **{key: value for key, value in row.job.items() if key not in left_out}}


def source_key(row):
    operation = next((name for name in (row.make, row.operation) if name in SOURCES), None)
    return operation and ("source", operation, json.dumps([row.job.get(key) for key in SOURCES[operation]]))


def file_key(row, peer):
    """Of what a peer of a row reads."""
    left_out = OF_HDF5 if peer.kind != "hdf5" else ()
    job = {key: value for key, value in {**file_job(row), **form(peer)}.items() if key not in left_out}
    return (maker(row, peer.kind), row.make, json.dumps(job, sort_keys=True), "")


def like_key(row):
    """Of the store that the floor of a row that writes writes once more."""
    return (row.like, row.operation, json.dumps(file_job(row), sort_keys=True), row.options)


def keys(row, peers):
    found = [source_key(row)] if source_key(row) else []
    if row.make:
        found += sorted({file_key(row, PEERS[name]) for name in peers})
    return found + ([like_key(row)] if row.like and "floor" in peers else [])


class Inputs:
    def __init__(self, directory, disk, run):
        """run(peer, operation, job, path, row, options) makes a file; what rows of the disk read lies in `disk`."""
        self.directory, self.disk, self.run = directory, disk, run
        self.made, self.users, self.number = {}, {}, 0

    def expect(self, row, peers):
        for key in keys(row, peers):
            self.users[key] = self.users.get(key, 0) + 1

    def release(self, row, peers):
        for key in keys(row, peers):
            self.users[key] -= 1
            if not self.users[key] and key in self.made:
                remove(self.made.pop(key))

    def get(self, key, row):
        if key in self.made:
            return self.made[key]
        path = self.directory / f"input{self.number}"
        self.number += 1
        if key[0] != "source":
            name, operation, job, options = key
            if json.loads(job).get("disk"):
                path = self.disk / path.name
            path = path.with_suffix(suffix(PEERS[name], row))
            self.run(name, operation, json.loads(job), path, row, options)
        elif key[1] == "array_write":
            data.smooth(path, row.job["shape"])  # others are made by who needs them first
        self.made[key] = path
        return path
