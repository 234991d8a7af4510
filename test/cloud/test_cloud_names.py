"""What programs make of a name before HDF5 sees it, each as its users write it (the table of docs/s3.md)."""

import os
import pathlib
import subprocess
import sys

import anndata
import anndata.tests.helpers
import h5py
import numpy as np
import pytest

DATA = np.arange(12.0).reshape(3, 4)
HDMF = os.environ.get("VZ_PY_HDMF", "")


def make(url):
    with h5py.File(url, "w") as f:
        f.create_dataset("m", data=DATA)
        f.create_group("g").attrs["x"] = "y"


@pytest.fixture
def url(place, connector):
    connector.run(make, place / "x.h5")
    return place / "x.h5"


def forms(url):
    folded = url.replace("://", ":/")
    return {"url": url, "folded": folded, "path": pathlib.Path(url), "absolute": f"{os.getcwd()}/{folded}", "prefix": f"zarr+{url}",
            "prefix folded": f"{os.getcwd()}/zarr+{folded}", "slashes": url.replace("/x.h5", "//x.h5/")}


def test_h5py(url):
    for form, name in forms(url).items():
        with h5py.File(name) as f:
            np.testing.assert_array_equal(f["m"][:], DATA, err_msg=form)
    assert not h5py.is_hdf5(url)


def write_forms(names):
    for i, name in enumerate(names):
        with h5py.File(name, "w") as f:
            f["i"] = i
        with h5py.File(name, "a") as f:
            f["j"] = i


def test_h5py_writes(place, connector, judge):
    names = list(forms(place / "x.h5").values())
    connector.run(write_forms, names)
    assert judge.group(place / "x.h5")["j"][()] == len(names) - 1
    assert not os.path.exists("s3:")


def test_a_file_of_that_name_comes_first(tmp_path, monkeypatch, bucket):
    """s3:/... can be a path."""
    monkeypatch.chdir(tmp_path)
    os.makedirs(f"s3:/{bucket}")
    with h5py.File(f"s3:/{bucket}/own.h5", "w") as f:
        f["here"] = 1
    with h5py.File(f"s3:/{bucket}/own.h5") as f:
        assert f["here"][()] == 1


def test_tools_of_hdf5(url, tmp_path, proxy):
    for name in str(url), url.replace("://", ":/"):
        assert "3, 4, 5" in run("h5dump", "-d", "/m", name) or "4, 5, 6, 7" in run("h5dump", "-d", "/m", name)
        assert "Dataset {3, 4}" in run("h5ls", name)
    assert "Dataset {3, 4}" in run("h5ls", url + "/m") or "m" in run("h5ls", url)


def test_tools_of_hdf5_2(url):
    """VZ_HDF5_2 has the tools of an HDF5 2.x, which setup.sh does not build. They take s3:// for a name of their own driver."""
    if "VZ_HDF5_2" not in os.environ:
        pytest.skip("no tools of HDF5 2.x")
    folded = url.replace("://", ":/")
    assert "0, 1, 2, 3" in run("h5dump", "-d", "/m", folded, under="VZ_HDF5_2")
    assert "Dataset {3, 4}" in run("h5ls", "-r", folded, under="VZ_HDF5_2")


def test_h5repack(url, place, judge):
    run("h5repack", "-l", "m:CHUNK=2x2", url, place / "packed.h5", HDF5_VOL_CONNECTOR="zarr")
    packed = judge.group(place / "packed.h5")
    np.testing.assert_array_equal(packed["m"][:], DATA)
    assert packed["m"].chunks == (2, 2) and packed["g"].attrs["x"] == "y"


def run(name, *arguments, under="VZ_HDF5", **environment):
    result = subprocess.run([f"{os.environ[under]}/bin/{name}", *map(str, arguments)], capture_output=True, text=True, timeout=100,
                            env={**os.environ, **environment})
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def cells():
    return anndata.AnnData(DATA, obs={"kind": list("abc")}, uns={"title": "three cells"})


def write_cells(url):
    cells().write_h5ad(url)


def test_anndata(place, connector, judge):
    """write_h5ad goes through pathlib, which folds the slashes."""
    url = place / "cells.h5ad"
    connector.run(write_cells, url)
    assert not os.path.exists("s3:")
    anndata.tests.helpers.assert_equal(anndata.io.read_elem(judge.group(url)), cells())
    for name in url, pathlib.Path(url):
        anndata.tests.helpers.assert_equal(anndata.read_h5ad(name), cells())
    backed = anndata.read_h5ad(url, backed="r")
    np.testing.assert_array_equal(backed.X[1:], DATA[1:])
    backed.file.close()


def test_xarray_and_h5netcdf(place, connector):
    import h5netcdf
    import xarray

    url = place / "x.nc"
    connector.run(make_netcdf, url)
    with h5netcdf.File(url, "r") as f:
        np.testing.assert_array_equal(f["t"][:], DATA)
    with xarray.open_dataset(url.replace("://", ":/"), engine="h5netcdf") as data:
        np.testing.assert_array_equal(data["t"], DATA)
    with xarray.open_dataset("zarr+" + url, engine="h5netcdf") as data:
        np.testing.assert_array_equal(data["t"], DATA)


def make_netcdf(url):
    import h5netcdf

    with h5netcdf.File(url, "w") as f:
        f.dimensions = {"y": 3, "x": 4}
        f.create_variable("t", ("y", "x"), data=DATA)


def test_those_that_look_first(url):
    """They refuse a name that is no file: a doorway is for them."""
    import tables

    with pytest.raises(OSError):
        tables.open_file(url)


NWB = """
import datetime, h5py, os, sys
from pynwb import NWBFile, NWBHDF5IO, TimeSeries
url = sys.argv[1]
file = NWBFile("a session", "id", datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc))
file.add_acquisition(TimeSeries("t", data=list(range(100)), unit="V", rate=10.0))
with NWBHDF5IO(url, "w") as io:
    io.write(file)
with NWBHDF5IO(file=h5py.File(url, "r"), mode="r") as io:
    read = io.read()
    assert list(read.acquisition["t"].data[:]) == list(range(100)) and read.session_description == "a session"
assert not os.path.exists("s3:")
"""


@pytest.mark.skipif(not os.path.exists(HDMF), reason="VZ_PY_HDMF names no Python")
def test_pynwb(place, tmp_path):
    for name in place / "a.nwb", (place / "b.nwb").replace("://", ":/"):
        result = subprocess.run([HDMF, "-W", "ignore", "-c", NWB, name], capture_output=True, text=True, timeout=150, cwd=tmp_path,
                                env={**os.environ, "HDF5_VOL_CONNECTOR": "zarr create=*.nwb"})
        assert result.returncode == 0, result.stdout + result.stderr


def test_older_hdf5(url):
    """The HDF5 1.14 of another h5py, with the plugin's path alone."""
    code = "import h5py, sys; f = h5py.File(sys.argv[1], 'r'); assert f['m'].shape == (3, 4); print(f['m'][:].sum())"
    result = subprocess.run([os.environ["VZ_PY114"], "-c", code, url], capture_output=True, text=True, timeout=100)
    assert result.returncode == 0 and float(result.stdout) == DATA.sum(), result.stdout + result.stderr


def create_by_pattern(store, other):
    with h5py.File(store, "w") as f:
        f["a"] = 1
    try:
        h5py.File(other, "w")
    except OSError:
        return
    raise AssertionError("a native file in a bucket?")


def test_patterns(place, writers, judge):
    """What no pattern of create= names is left to HDF5, which knows no buckets; what was there stays."""
    judge.put(place / "x.dat", ".zgroup", b'{"zarr_format": 2}')
    writers("zarr create=*.zarr").run(create_by_pattern, place / "x.zarr", place / "x.dat")
    assert judge.group(place / "x.zarr")["a"][()] == 1
    assert list(judge.keys(place / "x.dat")) == [".zgroup"]


def test_public_data_without_keys(open_bucket, place, connector, judge, client):
    """Who may read but not list: what is missing is told from what is refused."""
    import zarr

    url = f"s3://{open_bucket}/x.zarr"
    group = judge.group(url, mode="w", zarr_format=2)
    group.create_array("m", shape=(4, 4), chunks=(2, 2), dtype="f8", fill_value=-1)[:2, :2] = 7
    zarr.consolidate_metadata(group.store, zarr_format=2)
    code = "import h5py, sys; print(h5py.File(sys.argv[1])['m'][:].sum())"
    keyless = {name: value for name, value in os.environ.items() if "ACCESS_KEY" not in name}
    result = subprocess.run([sys.executable, "-c", code, url], capture_output=True, text=True, timeout=100, env=keyless)
    assert result.returncode == 0 and float(result.stdout) == 4 * 7 - 12, result.stdout + result.stderr
