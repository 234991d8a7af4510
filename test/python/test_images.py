"""Images of files in memory (H5Pset_file_image, H5LTopen_file_image, netCDF4's memory=), of one-file stores and of HDF5 files, with
the connector named and by the plugin's path alone. The judge is native HDF5 on an image of its own."""

import os

import h5py
import numpy as np
import pytest

from alike import outcome
from drivers import run
from interpreter import Interpreter
from places import with_connector

X = np.arange(20_000).reshape(100, 200)
DONT_COPY, DONT_RELEASE = 2, 4  # H5LT_FILE_IMAGE_*, which h5py passes on, and has no names for
FLAGS = {"copied": 0, "written": h5py.h5f.FILE_IMAGE_OPEN_RW, "shared": DONT_COPY | DONT_RELEASE}


def make(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=X, chunks=(10, 200))
        f.attrs["unit"] = "mV"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """One of each kind."""
    made = {}
    where = tmp_path_factory.mktemp("images")
    for name, connector in (("native.h5", None), ("one.h5", "zarr create=*.h5:file"), ("zip.zarr.zip", "zarr")):
        interpreter = Interpreter(with_connector(connector) if connector else dict(os.environ))
        interpreter.run(make, str(where / name))
        interpreter.stop()
        made[name] = str(where / name)
    assert open(made["one.h5"], "rb").read(20)[8:] == b"\xff vol-zarr o"
    return made


def work(path, flags):
    """What is read of the image, what is written to it, and whether it is still what it was."""
    image = open(path, "rb").read()
    before = bytes(bytearray(image))
    with h5py.File(h5py.h5f.open_file_image(image, flags)) as f:
        told = [f.mode, f.attrs["unit"], (f["x"][...] == X).all(), f["x"][7, 3:6].tolist()]
        told.append(outcome(lambda: f.create_dataset("new", data=[1, 2]) is not None) is True)
        f.flush()
        told += [sorted(f), f["new"][...].tolist() if "new" in f else None]
    return told + [image == before]


@pytest.mark.parametrize("connector", ["zarr", ""])
@pytest.mark.parametrize("how", FLAGS)
def test_images_open_as_native_ones_do(connector, how, files):
    environment = with_connector(connector) if connector else {k: v for k, v in os.environ.items() if k != "HDF5_VOL_CONNECTOR"}
    interpreter = Interpreter(environment)
    try:
        told = {name: interpreter.run(work, path, FLAGS[how]) for name, path in files.items()
                if how != "written" or not name.endswith(".zip") or connector}
    finally:
        interpreter.stop()
    native = told.pop("native.h5")
    assert native[:4] == ["r+" if how == "written" else "r", "mV", True, X[7, 3:6].tolist()]
    for name, seen in told.items():
        assert seen == native, name


TWICE = """
image = open(sys.argv[1], "rb").read()
flags = 2 | 4  # H5LT_FILE_IMAGE_DONT_COPY, _DONT_RELEASE
before = ids()
first, second = h5py.File(h5py.h5f.open_file_image(image, flags)), h5py.File(h5py.h5f.open_file_image(image, flags))
assert (first["x"][:] == second["x"][:]).all()
first.close()
assert second["x"][5, 7] == 5 * 200 + 7
second.close()
assert ids() == before
"""


@pytest.mark.parametrize("connector", ["zarr", None])
def test_an_image_opened_twice_is_released_twice(connector, files):
    run(TWICE, files["one.h5"], connector=connector)


NETCDF = """
import netCDF4
name = sys.argv[1]
if len(sys.argv) > 2:
    with netCDF4.Dataset(name, "w") as d:
        d.createDimension("x", 3)
        d.createVariable("v", "i4", ("x",))[:] = [1, 2, 3]
with netCDF4.Dataset("mem", memory=open(name, "rb").read()) as d:
    assert d["v"][:].tolist() == [1, 2, 3]
    assert d["v"].dimensions == ("x",)
"""


def test_netcdf4_reads_memory(tmp_path):
    pytest.importorskip("netCDF4")
    run(NETCDF, tmp_path / "a.nc", "make", connector="zarr create=*.nc:file")
    assert (tmp_path / "a.nc").read_bytes()[8:9] == b"\xff"
    run(NETCDF, tmp_path / "a.nc")
    run(NETCDF, tmp_path / "a.nc", connector="zarr")


def image_of(path, mode):
    """What a program gets as the image while it writes, or reads, as another one reads it."""
    with h5py.File(path, mode) as f:
        if mode == "r+":
            f["x"][7, 3] = -1
            f["added"] = [1, 2]
        f.flush()
        image = f.id.get_file_image()
        again = f.id.get_file_image()
    with h5py.File(h5py.h5f.open_file_image(image)) as f:
        return sorted(f), f["x"][7, 3:5].tolist(), len(again) == len(image)


@pytest.mark.parametrize("mode", ["r+", "r"])
def test_the_image_of_an_open_file(mode, tmp_path):
    told = []
    for name, connector in (("native.h5", "native"), ("one.h5", "zarr create=*.h5:file"), ("a.zarr.zip", "zarr")):
        interpreter = Interpreter(with_connector(connector))
        path = str(tmp_path / name)
        interpreter.run(make, path)
        told.append(interpreter.run(image_of, path, mode))
        interpreter.stop()
    assert told[0] == told[1] == told[2]


def test_a_directory_has_no_image(tmp_path):
    interpreter = Interpreter(with_connector())
    path = str(tmp_path / "a.zarr")
    interpreter.run(make, path)
    told = interpreter.run(refused_image, path)
    interpreter.stop()
    assert "store that is no file" in told


def refused_image(path):
    with h5py.File(path, "r") as f:
        try:
            return len(f.id.get_file_image())
        except Exception as error:
            return str(error)
