"""The table of docs/s3.md: each program with a name of a bucket, the same with its slashes folded, and a doorway. What a program refuses by itself is a
row, too, so that it shows when that changes."""

import os
import pathlib
import subprocess

import anndata
import h5py
import numpy as np
import pytest
from interpreter import Failed, Interpreter
from places import COMMAND

HERE = os.path.dirname(__file__)
DATA = np.arange(12.0).reshape(3, 4)


# ---- what is read ----


def make_array(name):
    with h5py.File(name, "w") as f:
        f.create_dataset("m", data=DATA)


def make_cells(name):
    anndata.AnnData(DATA, obs={"kind": list("abc")}).write_h5ad(name)


def make_netcdf(name):
    import h5netcdf

    with h5netcdf.File(name, "w") as f:
        f.dimensions = {"y": 3, "x": 4}
        f.create_variable("m", ("y", "x"), data=DATA)


def make_frame(name):
    """pandas writes files of this machine; h5zarr brings them into the bucket."""
    import pandas

    pandas.DataFrame(DATA, columns=list("abcd")).to_hdf("frame.h5", key="m", format="table")
    subprocess.run([COMMAND, "convert", "frame.h5", name], check=True, capture_output=True, env={**os.environ, "VOL_ZARR_HDF5": os.environ["VZ_HDF5"]})


def h5py_file(name):
    with h5py.File(name) as f:
        return f["m"][:]


def h5py_path(name):
    return h5py_file(pathlib.Path(name))


def h5py_asked(name):
    return DATA if h5py.is_hdf5(name) else DATA[:0]


def read_h5ad(name):
    return anndata.read_h5ad(name).X


def read_h5ad_path(name):
    """What scanpy's read and read_10x_h5 do."""
    return anndata.read_h5ad(pathlib.Path(name)).X


def read_by_scanpy(name):
    import scanpy

    assert np.array_equal(scanpy.read(name).X, DATA)
    assert np.array_equal(scanpy.read_h5ad(name, backed="r").X[:], DATA)
    return scanpy.read_h5ad(name).X


def read_backed(name):
    cells = anndata.read_h5ad(name, backed="r")
    try:
        return cells.X[:]
    finally:
        cells.file.close()


def read_lazily(name):
    return anndata.experimental.read_lazy(name).X.compute()


def h5netcdf_file(name):
    import h5netcdf

    with h5netcdf.File(name, "r") as f:
        return f["m"][:]


def open_dataset(name, **how):
    import xarray

    with xarray.open_dataset(name, **how) as data:
        return data["m"].values


def xarray_h5netcdf(name):
    return open_dataset(name, engine="h5netcdf")


def xarray_sec2(name):
    return open_dataset(name, engine="h5netcdf", driver="sec2")


def xarray_netcdf4(name):
    return open_dataset(name, engine="netcdf4")


def xarray_guess(name):
    return open_dataset(name)


def netcdf4_dataset(name):
    import netCDF4

    with netCDF4.Dataset(name) as f:
        return f["m"][:].data


def pytables_file(name):
    import tables

    with tables.open_file(name) as f:
        return f.root.m[:]


def pandas_read(name):
    import pandas

    return pandas.read_hdf(name, "m").values


def pandas_store(name):
    import pandas

    with pandas.HDFStore(name, "r") as f:
        return f["m"].values


# Which of (URL, folded, doorway) lead there.
CLIENTS = [
    (h5py_file, make_array, "x.zarr", "url folded doorway"),
    (h5py_path, make_array, "x.zarr", "url folded doorway"),
    (h5py_asked, make_array, "x.zarr", "doorway"),
    (read_h5ad, make_cells, "x.h5ad", "url folded doorway"),
    (read_h5ad_path, make_cells, "x.h5ad", "url folded doorway"),
    (read_by_scanpy, make_cells, "x.h5ad", "url folded doorway"),
    (read_backed, make_cells, "x.h5ad", "url folded doorway"),
    (read_lazily, make_cells, "x.h5ad", "url folded doorway"),
    (h5netcdf_file, make_netcdf, "x.nc", "url folded doorway"),
    (xarray_h5netcdf, make_netcdf, "x.nc", "folded doorway"),
    (xarray_sec2, make_netcdf, "x.nc", "url folded doorway"),
    (xarray_netcdf4, make_netcdf, "x.nc", "doorway"),
    (xarray_guess, make_netcdf, "x.nc", "doorway"),
    (netcdf4_dataset, make_netcdf, "x.nc", "doorway"),
    (pytables_file, make_array, "x.zarr", "doorway"),
    (pandas_read, make_frame, "x.zarr", "doorway"),
    (pandas_store, make_frame, "x.zarr", "doorway"),
]


@pytest.fixture(scope="module")
def user(proxy):
    """With the plugin's path alone, and the user's word that doorways may lead to his buckets."""
    interpreter = Interpreter({**os.environ, "VOL_ZARR_DOORWAYS": "anywhere"}, f"import sys; sys.path.insert(0, {HERE!r})")
    yield interpreter
    interpreter.stop()


@pytest.mark.parametrize("read, make, suffix, ways", CLIENTS, ids=[each[0].__name__ for each in CLIENTS])
def test_names(place, connector, user, tmp_path, monkeypatch, read, make, suffix, ways):
    if read is read_by_scanpy:
        pytest.importorskip("scanpy")
    monkeypatch.chdir(tmp_path)
    url, door = place / suffix, tmp_path / f"door{pathlib.Path(suffix).suffix.replace('.zarr', '.h5')}"
    (connector.run if make is not make_frame else lambda function, name: function(name))(make, url)
    subprocess.run([COMMAND, "door", url, door], check=True, capture_output=True)
    for way, name in {"url": url, "folded": url.replace("://", ":/"), "doorway": str(door)}.items():
        if way in ways.split():
            np.testing.assert_array_equal(user.run(read, name), DATA, err_msg=way)
        elif read is h5py_asked:
            assert not len(user.run(read, name)), way
        else:
            with pytest.raises(Failed):
                user.run(read, name)


def concatenate(names, target):
    anndata.experimental.concat_on_disk(names, target)


def test_concat_on_disk(place, connector, tmp_path):
    """Reads them anywhere, and looks for the parent directory of what it writes."""
    for name in "one.h5ad", "two.h5ad":
        connector.run(make_cells, place / name)
    names = [place / "one.h5ad", place / "two.h5ad"]
    connector.run(concatenate, names, str(tmp_path / "both.h5ad"))
    assert connector.run(read_h5ad, str(tmp_path / "both.h5ad")).shape == (6, 4)
    with pytest.raises(Failed):
        connector.run(concatenate, names, place / "both.h5ad")


# ---- NWB ----

WRITE = """
import datetime, os, sys, pynwb
os.chdir(sys.argv[2])
made = pynwb.NWBFile("a session", "id", datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc))
made.add_acquisition(pynwb.TimeSeries("t", data=list(range(100)), unit="V", rate=10.0))
with pynwb.NWBHDF5IO(sys.argv[1], "w") as io:
    io.write(made)
"""
READ = """
import sys, pynwb, h5py
def told(read):
    assert list(read.acquisition["t"].data[:]) == list(range(100))
    return "read"
def io(name):
    with pynwb.NWBHDF5IO(name, "r") as opened:
        return told(opened.read())
def io_of_file(name):
    with pynwb.NWBHDF5IO(file=h5py.File(name, "r"), mode="r") as opened:
        return told(opened.read())
def read_nwb(name):
    return told(pynwb.read_nwb(name))
for name in sys.argv[1:]:
    for way in io, io_of_file, read_nwb:
        try:
            said = way(name)
        except Exception as error:
            said = "refused"
        print(way.__name__, said)
"""


@pytest.mark.skipif(not os.environ.get("VZ_PY_HDMF"), reason="VZ_PY_HDMF names no Python")
def test_pynwb(place, tmp_path):
    url, door = place / "x.nwb", tmp_path / "door.nwb"
    folded = url.replace("://", ":/")

    def run(code, *arguments, **environment):
        done = subprocess.run([os.environ["VZ_PY_HDMF"], "-W", "ignore", "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              env={**os.environ, "VOL_ZARR_DOORWAYS": "anywhere", **environment})
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    run(WRITE, url, tmp_path, HDF5_VOL_CONNECTOR="zarr create=*.nwb")
    run(WRITE, folded.replace("x.nwb", "y.nwb"), tmp_path, HDF5_VOL_CONNECTOR="zarr create=*.nwb")
    subprocess.run([COMMAND, "door", url, door], check=True, capture_output=True)
    for name in url, folded, url.replace("x.nwb", "y.nwb"):
        assert run(READ, name) == ["io", "refused", "io_of_file", "read", "read_nwb", "refused"], name
    assert run(READ, door) == ["io", "read", "io_of_file", "read", "read_nwb", "read"]
    assert not (tmp_path / "s3:").exists()
