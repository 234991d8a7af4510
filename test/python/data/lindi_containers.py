#!/usr/bin/env python3
"""lindi_containers.py OUT.tar.xz - makes an HDF5 file, and a tar file and a directory of LINDI's, which refer to it and have chunks of their
own. LINDI reads both before they are kept. Needs lindi, h5py and zarr 2."""

import os
import pathlib
import shutil
import sys
import tarfile
import tempfile

import h5py
import lindi
import numpy as np


def make(name):
    with lindi.LindiH5pyFile.from_hdf5_file("source.h5", url="source.h5") as made:
        made.write_lindi_file(name)
    with lindi.LindiH5pyFile.from_lindi_file(name, mode="r+") as f:
        f.create_dataset("new", data=np.arange(30000, dtype="f8").reshape(300, 100), chunks=(100, 100))
        f["g"].create_dataset("inline", data=np.arange(10000, dtype="i4"))
        f.create_dataset("tiny", data=np.arange(3))
        f["g"].attrs["x"] = "y"
    with lindi.LindiH5pyFile.from_lindi_file(name, mode="r") as f, h5py.File("source.h5") as judge:
        assert np.array_equal(f["new"][...], np.arange(30000, dtype="f8").reshape(300, 100))
        assert np.array_equal(f["g/inline"][...], np.arange(10000)) and f["g"].attrs["x"] == "y"
        assert np.array_equal(f["big"][...], judge["big"][...])


def main():
    with tempfile.TemporaryDirectory() as directory:
        where = pathlib.Path(directory) / "lindi"
        where.mkdir()
        os.chdir(where)
        with h5py.File("source.h5", "w") as f:
            f.create_dataset("big", data=np.random.default_rng(0).standard_normal((100, 50)), chunks=(10, 50), compression="gzip")
            f["small"], f["t"], f["g/x"] = np.arange(5), "text", np.arange(2000, dtype="i4")
            f.attrs["a"], f["g"].attrs["r"] = 1, f["small"].ref
            f["s"] = h5py.SoftLink("/g/x")
        make("x.lindi.tar")
        make("x.lindi.d")
        shutil.copy("source.h5", "x.lindi.d/source.h5")  # names count from lindi.json
        with tarfile.open(sys.argv[1], "w:xz", preset=9) as archive:
            archive.add(where, where.name)


main()
