#!/usr/bin/env python3
"""parquet_references.py OUT.tar.xz - makes an HDF5 file, and directories of Parquet files with references to it: by kerchunk with fastparquet
and pyarrow, and with pages as other writers have them. fsspec and zarr-python read the first one. Needs kerchunk, fastparquet, pyarrow,
zarr and h5py. VirtualiZarr writes by fsspec, as kerchunk does."""

import os
import pathlib
import sys
import tarfile
import tempfile

import fsspec
import h5py
import numpy as np
import pyarrow.parquet
import zarr
from fsspec.implementations.reference import LazyReferenceMapper
from kerchunk.df import refs_to_dataframe
from kerchunk.hdf import SingleHdf5ToZarr


def make_file(path):
    random = np.random.default_rng(1)
    with h5py.File(path, "w") as f:
        f.create_dataset("big", data=random.standard_normal((60, 50)), chunks=(1, 25), compression="gzip", shuffle=True)
        f.create_dataset("g/ints", data=np.arange(1000, dtype="i4").reshape(10, 100), chunks=(5, 10))
        f.create_dataset("flat", data=np.arange(300, dtype="i8"))
        f.create_dataset("small", data=np.arange(5, dtype="i2"))
        sparse = f.create_dataset("sparse", shape=(40,), chunks=(4,), dtype="f4", fillvalue=7)
        sparse[5], sparse[33] = 1, 2
        f.create_dataset("scalar", data=2.5)
        f.attrs["title"], f["big"].attrs["units"] = "x", "m"


def by_pyarrow(refs, path):
    out = LazyReferenceMapper.create(str(path), record_size=100, engine="pyarrow")
    for key, value in sorted(refs["refs"].items(), key=lambda item: ".z" not in item[0]):
        out[key] = value
    out.flush()


def again(made, path, **options):
    """The same rows in pages of another form."""
    for file in sorted(made.rglob("*")):
        target = path / file.relative_to(made)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".parq" and file.is_file():
            pyarrow.parquet.write_table(pyarrow.parquet.read_table(file), target, **options)
        elif file.is_file():
            target.write_bytes(file.read_bytes())


def main():
    with tempfile.TemporaryDirectory() as directory:
        where = pathlib.Path(directory) / "parquet"
        where.mkdir()
        os.chdir(where)
        make_file("source.h5")
        refs = SingleHdf5ToZarr("source.h5", inline_threshold=50).translate()
        refs_to_dataframe(refs, str(where / "kerchunk.parq"), record_size=100)
        by_pyarrow(refs, where / "pyarrow.parq")
        again(where / "kerchunk.parq", where / "pages.parq", compression="zstd", data_page_version="2.0", use_dictionary=False, row_group_size=7)
        again(where / "kerchunk.parq", where / "plain.parq", compression="none", data_page_version="2.0", data_page_size=64, write_batch_size=9)
        group = zarr.open_group(fsspec.get_mapper("reference://", fo=str(where / "kerchunk.parq"), remote_protocol="file"), mode="r", zarr_format=2)
        with h5py.File("source.h5") as f:  # of absent chunks fsspec 2026.9 with pandas 3.1 fails
            assert all(np.array_equal(group[name][...], f[name][...]) for name in ("big", "g/ints", "flat", "small", "scalar"))
        with tarfile.open(sys.argv[1], "w:xz", preset=9) as archive:
            archive.add(where, where.name)


if __name__ == "__main__":
    main()
