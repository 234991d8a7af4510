"""What users write with the wheel: users_lines.py NAME runs one of them, in a process of its own (test/wheel/clean_root.sh)."""

import subprocess
import sys
from datetime import datetime, timezone


def h5py():
    import h5py
    import vol_zarr

    with vol_zarr.enable("create=*.zarr", compress="zstd"), h5py.File("cells.zarr", "w") as file:
        file["x"] = range(5)
        file["x"].attrs["unit"] = "reads"


def h5py_reads():
    import h5py

    with h5py.File("cells.zarr") as file:
        assert list(file["x"][1:3]) == [1, 2] and file["x"].attrs["unit"] == "reads"


def anndata():
    import anndata
    import numpy
    import vol_zarr
    from scipy.sparse import csr_matrix

    vol_zarr.enable("create=*.zarr")
    data = anndata.AnnData(csr_matrix(numpy.eye(6, 4, dtype="f4")))
    data.obs["kind"] = ["a", "b", "a", "b", "a", "b"]
    data.obs["kind"] = data.obs["kind"].astype("category")
    data.obsm["X_pca"] = numpy.arange(12.0).reshape(6, 2)
    data.write_h5ad("anndata.zarr")
    for back in (anndata.read_h5ad("anndata.zarr"), anndata.read_zarr("anndata.zarr")):
        assert (back.X.toarray() == data.X.toarray()).all() and (back.obsm["X_pca"] == data.obsm["X_pca"]).all()
        assert list(back.obs["kind"]) == list(data.obs["kind"])


def pynwb():
    import vol_zarr
    from pynwb import NWBHDF5IO, NWBFile, TimeSeries

    vol_zarr.enable("create=*.zarr")
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
    nwb = NWBFile("a session", "vol-zarr", start)
    nwb.add_acquisition(TimeSeries(name="trace", data=[1.0, 2.0, 3.0], unit="V", rate=10.0))
    with NWBHDF5IO("session.nwb.zarr", "w") as io:
        io.write(nwb)
    with NWBHDF5IO("session.nwb.zarr", "r") as io:
        assert list(io.read().acquisition["trace"].data[:]) == [1.0, 2.0, 3.0]


def one_file():
    """PyTables and netCDF4 want a regular file; all three have an HDF5 of their own, in one process. netCDF4 keeps its filters."""
    import netCDF4
    import tables

    import h5py  # noqa: I001
    import vol_zarr

    with vol_zarr.enable("create=*.h5:file"), h5py.File("one.h5", "w") as file:
        file["x"] = range(5)
    with tables.open_file("one.h5") as file:
        assert list(file.root.x[:]) == [0, 1, 2, 3, 4]
    with netCDF4.Dataset("one.h5") as file:
        assert list(file["x"][:]) == [0, 1, 2, 3, 4]
    if not netCDF4.__has_zstandard_support__:  # the wheels for Python 3.9 have no filters
        return
    with netCDF4.Dataset("zstd.nc", "w") as file:
        file.createDimension("n", 100)
        file.createVariable("v", "i4", ("n",), compression="zstd")[:] = range(100)
    with netCDF4.Dataset("zstd.nc") as file:
        assert file["v"].filters()["zstd"] and file["v"][99] == 99


def other_programs():
    text = "import netCDF4; f = netCDF4.Dataset('nc.zarr', 'w'); f.createDimension('n', 3); f.createVariable('v', 'f8', ('n',))[:] = 7; f.close()"
    subprocess.run([sys.executable, "-m", "vol_zarr", "run", "create=*.zarr", "--", sys.executable, "-c", text], check=True)
    subprocess.run([sys.executable, "-m", "vol_zarr", "check", "nc.zarr"], check=True)


def judge():
    import zarr

    assert list(zarr.open_group("cells.zarr", mode="r")["x"][:]) == [0, 1, 2, 3, 4]
    assert list(zarr.open_group("session.nwb.zarr", mode="r")["acquisition/trace/data"][:]) == [1.0, 2.0, 3.0]
    assert list(zarr.open_group("nc.zarr", mode="r")["v"][:]) == [7.0, 7.0, 7.0]
    assert list(zarr.open_group(zarr.storage.ZipStore("one.h5", mode="r"), mode="r")["x"][:]) == [0, 1, 2, 3, 4]
    print(f"zarr-python {zarr.__version__} reads what was written")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
