"""Programs that want a regular HDF5 file, unmodified and with HDF5_PLUGIN_PATH alone: they read and change one-file stores, and, through
doorways, directories."""

import os
import pathlib
import shutil
import subprocess
import zipfile

import h5py
import numpy as np
import pytest

from interpreter import Interpreter, run_once
from places import with_connector

DOORWAY = b"\x89HDF\r\n\x1a\n\xff vol-zarr doorway: this names a Zarr store, which HDF5 programs read with the plugin vol-zarr\n"


@pytest.fixture(scope="module")
def writer():
    interpreter = Interpreter(with_connector("zarr create=*.zarr:directory,*:file"))
    yield interpreter
    interpreter.stop()


@pytest.fixture(scope="module")
def user():
    """A process of its own, with the plugin's path alone: in pytest's own other tests may have left files open."""
    interpreter = Interpreter(dict(os.environ))
    yield interpreter
    interpreter.stop()


@pytest.fixture(params=["one file", "doorway"])
def made(request, tmp_path, writer):
    """made(function) -> the path of what the function wrote: of a one-file store, or of a doorway to a directory."""

    def make(function):
        path = tmp_path / "s.h5"
        if request.param == "one file":
            writer.run(function, str(path))
        else:
            writer.run(function, str(tmp_path / "s.zarr"))
            path.write_bytes(DOORWAY + b'{"store": "s.zarr"}\n')
            assert (tmp_path / "s.zarr").is_dir()
        assert path.is_file()
        return str(path)

    return make


def by_h5py(path):
    with h5py.File(path, "w") as f:
        f["x"] = np.arange(10)
        f.create_dataset("g/deep", data=np.arange(60.0).reshape(6, 10), chunks=(3, 5), compression="gzip")
        f["g/text"] = "häuser"
        f.attrs["units"] = "mV"


# ---- PyTables and pandas ----


def with_pytables(path):
    import tables

    assert tables.is_hdf5_file(path)
    for mode, name in (("r+", "first"), ("a", "second")):
        with tables.open_file(path, mode) as f:
            f.create_array("/", name, [1, 2, 3])
            f.create_table("/g", name, {"n": tables.Int32Col(), "s": tables.StringCol(5)}).append([(1, "a"), (2, "b")])
    with tables.open_file(path, "r") as f:
        assert f.root.g.deep[2:4, 3].tolist() == [23.0, 33.0]
        return sorted(node._v_pathname for node in f.walk_nodes("/")), f.root.second.read(), f.root.g.first.read_where("n > 1")["s"].tolist(), f.root._v_attrs.units


def test_pytables(made, user):
    pytest.importorskip("tables")
    names, second, found, units = user.run(with_pytables, made(by_h5py))
    assert names == ["/", "/first", "/g", "/g/deep", "/g/first", "/g/second", "/g/text", "/second", "/x"]
    assert (second, found, units) == ([1, 2, 3], [b"b"], "mV")


ROWS = [[1, "x", 0.5], [2, "y", -1.0], [3, "z", 1.0]]


def frame():
    import pandas as pd

    return pd.DataFrame({"a": [1, 2, 3], "b": list("xyz"), "c": [0.5, np.nan, 1]})


def with_pandas(path):
    import pandas as pd

    with pd.HDFStore(path, "a") as store:
        store.put("fixed", frame())
        store.append("rows", frame())
    with pd.HDFStore(path, "r+") as store:
        store.append("rows", frame())
    with pd.HDFStore(path, "r") as store:
        keys = sorted(store.keys())
    fixed, table = pd.read_hdf(path, "fixed"), pd.read_hdf(path, "rows")
    return keys, fixed.fillna(-1).values.tolist(), table.fillna(-1).values.tolist()


def test_pandas(made, user):
    pytest.importorskip("tables")
    assert user.run(with_pandas, made(by_h5py)) == (["/fixed", "/rows"], ROWS, ROWS + ROWS)


# ---- netCDF4 and xarray ----


def by_netcdf4(path):
    import netCDF4

    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("time", None)
        f.createDimension("x", 4)
        f.createVariable("x", "f8", ("x",))[:] = np.arange(4) * 1.5
        f.createVariable("v", "f4", ("time", "x"), zlib=True)[:] = np.arange(12).reshape(3, 4)
        f.title = "t"


def with_netcdf4(path):
    import netCDF4

    with netCDF4.Dataset(path, "a") as f:
        f["v"][3] = 7
        f.createVariable("new", "i4", ("x",))[:] = 5
    with netCDF4.Dataset(path, "r") as f:
        return sorted(f.variables), f["v"][:].tolist(), f["new"][:].tolist(), f.title


def test_netcdf4(made, user):
    pytest.importorskip("netCDF4")
    names, v, new, title = user.run(with_netcdf4, made(by_netcdf4))
    assert names == ["new", "v", "x"] and v == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [7] * 4] and (new, title) == ([5] * 4, "t")


def with_xarray(path):
    import xarray

    answers = []
    for engine in ({}, {"engine": "h5netcdf"}):
        with xarray.open_dataset(path, **engine) as d:
            answers.append((dict(d.sizes), d["v"].sel(x=4.5).values.tolist(), d.attrs["title"]))
    return answers


def test_xarray(made, user):
    pytest.importorskip("netCDF4")
    pytest.importorskip("h5netcdf")
    assert user.run(with_xarray, made(by_netcdf4)) == [({"time": 3, "x": 4}, [3.0, 7.0, 11.0], "t")] * 2


# ---- AnnData and MuData ----


def by_anndata(path):
    import anndata

    anndata.AnnData(np.arange(15.0).reshape(5, 3), obs={"n": list("abcde")}).write_h5ad(path)


def with_anndata(path):
    import anndata

    backed = anndata.read_h5ad(path, backed="r+")
    backed.X[0, 0] = 99
    backed.file.close()
    return anndata.read_h5ad(path).X[:2].tolist()


@pytest.mark.filterwarnings("ignore")
def test_anndata(made, user):
    pytest.importorskip("anndata")
    assert user.run(with_anndata, made(by_anndata)) == [[99.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def by_mudata(path):
    import anndata
    import mudata

    parts = {name: anndata.AnnData(np.full((4, size), size * 1.0)) for name, size in (("rna", 3), ("atac", 2))}
    for name, part in parts.items():
        part.var_names = [f"{name}{i}" for i in range(part.n_vars)]
    mudata.MuData(parts).write_h5mu(path)


def with_mudata(path):
    import mudata

    return mudata.read_h5mu(path)["rna"].X[0].tolist()


@pytest.mark.filterwarnings("ignore")
def test_mudata(tmp_path, writer, user):
    """It asks for a user block of 512 bytes, and writes them itself when the file is closed."""
    pytest.importorskip("mudata")
    path = tmp_path / "s.h5mu"
    writer.run(by_mudata, str(path))
    data = path.read_bytes()
    assert data.startswith(b"MuData (format-version=") and data[512:].startswith(DOORWAY[:9]) and zipfile.ZipFile(path).testzip() is None
    assert user.run(with_mudata, str(path)) == [3.0, 3.0, 3.0]
    with h5py.File(path, "r+") as f:
        assert f.userblock_size == 512
        f["mod/rna/X"][0, 0] = 7
    assert user.run(with_mudata, str(path)) == [7.0, 3.0, 3.0]
    assert path.read_bytes().startswith(data[:600])


# ---- HDF5's own ----


def test_tools_of_hdf5(made, tool):
    path = made(by_h5py)
    assert "57, 58, 59\n" in tool("h5dump", "-d", "/g/deep", path)
    assert "text" in tool("h5ls", "-r", path)
    assert tool("h5diff", path, path) == ""


def test_h5py(made):
    path = made(by_h5py)
    assert h5py.is_hdf5(path)
    with h5py.File(path, "a") as f:
        f["more"] = 1
    with h5py.File(pathlib.Path(path)) as f:
        assert sorted(f) == ["g", "more", "x"] and f.filename == path


@pytest.mark.parametrize("program", ["ncdump", "cdo"])
def test_programs_of_debian(made, program):
    """Where libnetcdf is built with HDF5 1.14 (Debian 13); older ones know no plugins like ours."""
    if not shutil.which(program):
        pytest.skip(f"no {program} here")
    command = ["ncdump", "-h"] if program == "ncdump" else ["cdo", "-s", "infon"]
    said = subprocess.run([*command, made(by_netcdf4)], capture_output=True, text=True, timeout=60)
    if "HDF error" in said.stderr and not os.environ.get("VZ_NETCDF_PROGRAMS"):
        pytest.skip(f"this {program} has an HDF5 without such plugins")
    assert said.returncode == 0, said.stderr


# ---- zarr's ways to a zip ----


def test_tensorstore(tmp_path, writer):
    tensorstore = pytest.importorskip("tensorstore")
    path = tmp_path / "s.h5"
    writer.run(by_h5py, str(path))
    kvstore = {"driver": "zip", "base": {"driver": "file", "path": str(path)}, "path": "g/deep/"}
    assert tensorstore.open({"driver": "zarr", "kvstore": kvstore}).result()[5, 9].read().result() == 59


@pytest.mark.parametrize("options", ["format=2", "format=3"])
def test_zarrs(tmp_path, options):
    """The codecs of zarrs (Rust), which are not to fall back silently, on what zarr-python takes from the zip."""
    pytest.importorskip("zarrs")
    import zarr

    path = tmp_path / "s.h5"
    status, said = run_once(with_connector(f"zarr container=file;{options}"), by_h5py, str(path))
    assert status == 0, said
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True}):
        group = zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")
        assert group["g/deep"][:].tolist() == np.arange(60.0).reshape(6, 10).tolist() and group["x"][3] == 3


def by_gdal(path):
    import rasterio

    with rasterio.open(f'ZARR:"/vsizip/{{{path}}}":/g/deep') as d:
        return d.read(1).tolist()


def test_gdal(tmp_path, writer):
    pytest.importorskip("rasterio")
    path = tmp_path / "s.h5"
    writer.run(by_h5py, str(path))
    status, said = run_once({name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"}, print_of, by_gdal.__name__, str(path))
    assert status == 0, said
    assert str(np.arange(60.0).reshape(6, 10).tolist()) in said


def print_of(name, path):
    print(globals()[name](path))
