"""Dimension scales as xarray wants them told: xr.open_zarr on the store against xr.open_dataset on the native file."""

import json

import h5py
import numpy as np
import pytest

from interpreter import Interpreter
from places import with_connector

xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")


def make(path):
    with h5py.File(path, "w") as f:
        x = f.create_dataset("x", data=np.arange(1.0, 5))
        y = f.create_dataset("g/y", data=np.arange(1, 4))
        x.make_scale()
        y.make_scale("why")
        d = f.create_dataset("g/d", data=np.ones((3, 4)))
        d.dims[0].attach_scale(y)
        d.dims[1].attach_scale(x)
        labelled = f.create_dataset("labelled", data=np.ones((4, 2, 4)))
        labelled.dims[1].label = "time"
        twice = f.create_dataset("twice", data=np.ones((4, 4)))
        twice.dims[0].attach_scale(x)
        twice.dims[1].attach_scale(x)
        below = f.create_dataset("below", data=np.ones(3))
        below.dims[0].attach_scale(y)  # a scale of another group means nothing here
        f["plain"] = np.ones(2)


def make_netcdf(path):
    h5netcdf = pytest.importorskip("h5netcdf")
    with h5netcdf.File(path, "w") as f:
        f.dimensions = {"time": None, "lat": 3, "lon": 4}
        f.create_variable("lat", ("lat",), "f4", data=np.arange(1.0, 4))
        v = f.create_variable("t", ("time", "lat", "lon"), "f8")
        f.resize_dimension("time", 2)
        v[...] = 1 + np.arange(24.0).reshape(2, 3, 4)
        v.attrs["units"] = "K"
        f.create_variable("crs", (), "i4", data=7)


def names(path):
    """{array: names of its dimensions, or None}, as the documents have them."""
    found = {}
    for document in path.rglob("zarr.json"):
        node = json.loads(document.read_text())
        if node["node_type"] == "array":
            found[str(document.parent.relative_to(path))] = node.get("dimension_names")
    for document in path.rglob(".zarray"):
        attributes = document.parent / ".zattrs"
        node = json.loads(attributes.read_text()) if attributes.exists() else {}
        found[str(document.parent.relative_to(path))] = node.get("_ARRAY_DIMENSIONS")
    return found


def attributes(path):
    with h5py.File(path, "r") as f:
        return {name: sorted(o.attrs) for name, o in walk(f)}


def walk(f):
    found = []
    f.visititems(lambda name, o: found.append((name, o)))
    return found


EXPECTED = {"x": ["x"], "g/y": ["y"], "g/d": ["y", "x"], "labelled": ["labelled_dim_0", "time", "labelled_dim_2"],
            "twice": ["x", "twice_dim_1"], "below": ["below_dim_0"], "plain": None}


@pytest.mark.parametrize("options", ["zarr", "zarr format=3"])
def test_names(options, tmp_path):
    writer = Interpreter(with_connector(options))
    writer.run(make, str(tmp_path / "a.zarr"))
    writer.stop()
    make(tmp_path / "a.h5")
    assert names(tmp_path / "a.zarr") == EXPECTED
    assert attributes(tmp_path / "a.zarr") == attributes(tmp_path / "a.h5")
    opened = xarray.open_zarr(tmp_path / "a.zarr", group="g", consolidated=False)
    assert opened["d"].dims == ("y", "x") and opened["d"].sizes == {"y": 3, "x": 4}


@pytest.mark.parametrize("options", ["zarr", "zarr format=3"])
@pytest.mark.filterwarnings("ignore")
def test_netcdf_in_xarray(options, tmp_path):
    writer = Interpreter(with_connector(options))
    writer.run(make_netcdf, str(tmp_path / "a.zarr"))
    writer.stop()
    make_netcdf(tmp_path / "a.nc")
    ours = xarray.open_zarr(tmp_path / "a.zarr", consolidated=False)
    native = xarray.open_dataset(tmp_path / "a.nc", engine="h5netcdf")
    for name in native.variables:
        assert ours[name].dims == native[name].dims, name
        np.testing.assert_array_equal(ours[name].values, native[name].values)
    assert ours["t"].attrs["units"] == "K"


def test_always_and_never(tmp_path):
    for option in ("always", "never"):
        writer = Interpreter(with_connector(f"zarr dims={option}"))
        writer.run(make, str(tmp_path / option))
        writer.stop()
    assert names(tmp_path / "always") == {**EXPECTED, "plain": ["plain_dim_0"]}
    assert set(names(tmp_path / "never").values()) == {None}


def rename(path):
    with h5py.File(path, "r+") as f:
        f["g/d"].dims[1].detach_scale(f["x"])
        assert "_ARRAY_DIMENSIONS" not in f["twice"].attrs
        f["twice"].attrs["_ARRAY_DIMENSIONS"] = ["mine", "too"]
    with h5py.File(path, "r+") as f:
        assert list(f["twice"].attrs["_ARRAY_DIMENSIONS"]) == ["mine", "too"]


def test_changes(tmp_path, connector):
    connector.run(make, str(tmp_path / "a.zarr"))
    connector.run(rename, str(tmp_path / "a.zarr"))
    assert names(tmp_path / "a.zarr") == {**EXPECTED, "g/d": ["y", "d_dim_1"], "twice": ["mine", "too"]}


def attach(path):
    with h5py.File(path, "r+") as f:
        assert f["v"].dims[0][0] == f["t"]  # as netCDF has it
        f["v"].attrs["more"] = 1


def test_what_xarray_wrote_stays(tmp_path, connector):
    path = tmp_path / "a.zarr"
    xarray.Dataset({"v": ("t", np.arange(1.0, 4))}).to_zarr(path, zarr_format=2, consolidated=False)
    connector.run(attach, str(path))
    assert names(path) == {"v": ["t"]}
