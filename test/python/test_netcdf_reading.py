"""Zarr stores that xarray and zarr-python wrote, read as netCDF: xr.open_dataset through the connector against xr.open_zarr."""

import base64
import json
import os
import struct

import h5py
import numpy as np
import pytest

from converting import convert, run
from places import COMMAND
import subprocess

xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")
if int(zarr.__version__.split(".")[0]) < 3:
    pytest.skip("zarr-python 2 does not write these", allow_module_level=True)

PHANTOM = "This is a netCDF dimension but not a netCDF variable."


def dataset():
    time = np.array(["2000-01-01", "2000-01-02", "2000-01-05"], "M8[ns]")
    return xarray.Dataset(
        {
            "t": (("time", "lat", "lon"), np.arange(24.0).reshape(3, 2, 4), {"units": "K"}),
            "packed": (("lat", "lon"), np.array([[1.5, np.nan, 2, 3], [4, 5, 6, 7]])),
            "bounds": (("lat", "nv"), np.arange(4).reshape(2, 2)),
            "flag": (("lat",), np.array([True, False])),
            "name": (("lat",), np.array(["a", "bcd"], object)),
            "byte": (("lon",), np.arange(4, dtype="u1")),
            "scalar": ((), np.float32(2.5)),
            "empty": (("none",), np.zeros(0)),
        },
        {"time": time, "lat": [10.0, 20.0], "lon": np.arange(4, dtype="i4"), "area": (("lat", "lon"), np.ones((2, 4)))},
        {"title": "x", "number": 3, "list": [1, 2, 3]},
    )


ENCODING = {"packed": {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -99}, "byte": {"_FillValue": 255}}


def text(variable):
    return variable.dtype.kind in "OSUT"


def values_of(variable):
    if text(variable):
        return [v.decode() if isinstance(v, bytes) else v for v in variable.values.ravel()]
    return variable.values


def check_same(wanted, found):
    assert set(found.variables) == set(wanted.variables)
    assert set(found.coords) == set(wanted.coords)
    assert dict(found.sizes) == dict(wanted.sizes)
    for name, variable in wanted.variables.items():
        other = found[name].variable
        assert other.dims == variable.dims, name
        assert text(variable) or other.dtype == variable.dtype, name
        np.testing.assert_array_equal(values_of(other), values_of(variable), name)
        check_attributes(variable.attrs, other.attrs)
    check_attributes(wanted.attrs, found.attrs)


def check_attributes(wanted, found):
    assert set(found) == set(wanted)
    for name, value in wanted.items():
        np.testing.assert_array_equal(found[name], value, name)


def check_store(path, group=None):
    with xarray.open_zarr(path, group=group, consolidated=False) as wanted:
        with xarray.open_dataset(path, engine="h5netcdf", group=group) as found:
            check_same(wanted.load(), found.load())


def documents(path):
    return {
        os.path.join(above, name): open(os.path.join(above, name), "rb").read() for above, _, names in os.walk(path) for name in names
    }


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("consolidated", [False, True])
def test_dataset(tmp_path, zarr_format, consolidated):
    pytest.importorskip("h5netcdf")
    path = str(tmp_path / "x.zarr")
    dataset().to_zarr(path, zarr_format=zarr_format, consolidated=consolidated, encoding=ENCODING)
    before = documents(path)
    check_store(path)
    assert documents(path) == before


def test_netcdf_library(tmp_path):
    netcdf = pytest.importorskip("netCDF4")
    path, door = str(tmp_path / "x.zarr"), str(tmp_path / "x.nc")
    dataset().to_zarr(path, zarr_format=3, encoding=ENCODING)
    subprocess.run([COMMAND, "door", path, door], check=True)
    with xarray.open_zarr(path) as wanted, xarray.open_dataset(door, engine="netcdf4") as found:
        check_same(wanted.load(), found.load())
    with netcdf.Dataset(door, "a") as f:  # netCDF-C asks for the order of links
        f.title = "changed"
    assert xarray.open_zarr(path).attrs["title"] == "changed"
    check_store(path)
    assert zarr.open(path)["t"].attrs.asdict().keys() == {"units", "coordinates", "_FillValue"}


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_tree(tmp_path, zarr_format):
    pytest.importorskip("h5netcdf")
    path = str(tmp_path / "x.zarr")
    inner = xarray.Dataset({"d": (("x", "z"), np.ones((3, 2))), "own": (("y",), np.arange(5))})
    outer = xarray.Dataset({"u": (("x", "w"), np.zeros((3, 4)))}, {"x": [1, 2, 3]})
    outer.to_zarr(path, zarr_format=zarr_format, consolidated=False)
    inner.to_zarr(path, group="a", mode="a", zarr_format=zarr_format, consolidated=False)
    check_store(path)
    with h5py.File(path) as f:
        x = f["x"]
        assert f[f["a/d"].attrs["DIMENSION_LIST"][0][0]] == x
        assert "x" not in f["a"] and "z" in f["a"]
        assert f["a/d"].dims[1][0] == f["a/z"]
    with xarray.open_dataset(path, engine="h5netcdf", group="a") as found:
        assert found.d.dims == ("x", "z")


def users(path):
    """{scale: {(array, axis) that uses it}} as REFERENCE_LIST tells, of a file in which nobody looked at another group before."""
    with h5py.File(path) as f:
        names = []
        f.visititems(lambda name, node: names.append(name) if isinstance(node, h5py.Dataset) and node.is_scale else None)
    found = {}
    for name in names:
        with h5py.File(path) as f:
            found[name] = {(f[use["dataset"]].name, int(use["dimension"])) for use in f[name].attrs.get("REFERENCE_LIST", [])}
    return found


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_users_in_groups_below(tmp_path, zarr_format):
    """A scale tells of all that use it, as in the netCDF file that xarray makes of the same tree; so does a copy."""
    pytest.importorskip("h5netcdf")
    tree = xarray.DataTree.from_dict({
        "/": xarray.Dataset({"u": (("x", "w"), np.zeros((3, 4)))}, {"x": [1, 2, 3]}),
        "/a": xarray.Dataset({"d": (("x", "z"), np.ones((3, 2)))}),
        "/a/b": xarray.Dataset({"e": (("w", "x"), np.ones((4, 3))), "f": (("z",), np.ones(2))}),
        "/c": xarray.Dataset({"g": (("w",), np.ones(4))}),
    })
    tree.to_zarr(tmp_path / "s.zarr", zarr_format=zarr_format, consolidated=zarr_format == 2)
    tree.to_netcdf(tmp_path / "native.nc", engine="h5netcdf")
    expected = users(tmp_path / "native.nc")
    assert expected["x"] == {("/u", 0), ("/a/d", 0), ("/a/b/e", 1)} and users(tmp_path / "s.zarr") == expected
    convert(tmp_path / "s.zarr", tmp_path / "x.nc")
    assert users(tmp_path / "x.nc") == expected
    with h5py.File(tmp_path / "s.zarr") as f:
        assert h5py.h5ds.is_attached(f["a/b/e"].id, f["w"].id, 0) and not h5py.h5ds.is_attached(f["a/b/e"].id, f["w"].id, 1)


def test_users_in_groups_below_alone(tmp_path):
    """NCZarr's dimensions of the root, which no array there uses, as netCDF-C writes the like into a file."""
    netcdf = pytest.importorskip("netCDF4")
    with netcdf.Dataset(tmp_path / "native.nc", "w") as f:
        f.createDimension("time", None)
        f.createDimension("x", 2)
        f.createGroup("g").createVariable("a", "f8", ("time", "x"))[:] = np.ones((3, 2))
    root = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=2)
    root.attrs["_nczarr_group"] = {"dimensions": {"time": {"size": 3, "unlimited": 1}, "x": 2}, "arrays": [], "groups": ["g"]}
    root.create_group("g").create_array("a", data=np.ones((3, 2))).attrs["_nczarr_array"] = {"dimension_references": ["/time", "/x"], "storage": "chunked"}
    expected = {"time": {("/g/a", 0)}, "x": {("/g/a", 1)}}
    assert users(tmp_path / "native.nc") == users(tmp_path / "s.zarr") == expected
    with h5py.File(tmp_path / "native.nc") as native, h5py.File(tmp_path / "s.zarr") as f:
        assert {name: f[name].maxshape for name in expected} == {name: native[name].maxshape for name in expected} == {"time": (None,), "x": (2,)}
    convert(tmp_path / "s.zarr", tmp_path / "x.nc")
    assert users(tmp_path / "x.nc") == expected


def test_scales(tmp_path):
    path = str(tmp_path / "x.zarr")
    dataset().to_zarr(path, zarr_format=2)
    with h5py.File(path) as f:
        assert sorted(f) == sorted([*dataset().variables, "nv", "none"])
        nv = f["nv"]
        assert nv.dtype == ">f4" and nv.shape == (2,) and nv.maxshape == (2,) and nv.chunks is None
        assert nv.attrs["NAME"] == (PHANTOM + "%10d" % 2).encode()
        assert f["lat"].is_scale and f["lat"].maxshape == (2,)
        assert [f["t"].dims[i][0].name for i in range(3)] == ["/time", "/lat", "/lon"]
        uses = {(f[r["dataset"]].name, r["dimension"]) for r in f["lon"].attrs["REFERENCE_LIST"]}
        assert uses == {("/t", 2), ("/packed", 1), ("/byte", 0), ("/area", 1)}
        assert "_ARRAY_DIMENSIONS" not in f["t"].attrs
        assert f["/"].id.get_create_plist().get_link_creation_order() == 3
        assert f["t"].attrs["_FillValue"].shape == (1,)
        assert f["flag"].attrs["dtype"] == b"bool"


def make_arrays(path, arrays, zarr_format=3, **more):
    group = zarr.open_group(path, mode="w", zarr_format=zarr_format)
    for name, (dims, values) in arrays.items():
        array = group.create_array(name, data=np.asarray(values), dimension_names=dims if zarr_format == 3 else None, **more)
        if zarr_format == 2 and dims is not None:
            array.attrs["_ARRAY_DIMENSIONS"] = dims


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_text_of_a_fixed_size(tmp_path, zarr_format):
    """Bytes are strings of fixed length, code points are strings of variable length, single bytes with a dimension of their own are
    characters: the values that xr.open_zarr has, for h5netcdf in its types, too."""
    netcdf = pytest.importorskip("netCDF4")
    pytest.importorskip("h5netcdf")
    arrays = {"s": (["x"], np.array([b"ab", b"", b"xyz"])), "u": (["x"], np.array(["ä", "", "wxyz"])), "big": (["x"], np.array(["ä", "", "wxyz"], ">U4")),
              "table": (["x", "n"], np.array([[b"ab", b"c"], [b"", b"de"], [b"f", b""]])), "letters": (["x", "m"], np.array([[b"a", b"b"], [b"c", b""], [b"", b""]]))}
    path, door = str(tmp_path / "s.zarr"), str(tmp_path / "s.nc")
    make_arrays(path, arrays, zarr_format, **({"fill_value": None} if zarr_format == 2 else {}))  # else xarray takes "" for missing
    subprocess.run([COMMAND, "door", path, door], check=True)
    with xarray.open_zarr(path, consolidated=False) as wanted, xarray.open_dataset(path, engine="h5netcdf") as found:
        check_same(wanted.load(), found.load())
        for name in arrays:  # how wide text is, xarray says as it likes
            assert found[name].dtype == wanted[name].dtype if wanted[name].dtype.kind == "S" else found[name].dtype.kind == wanted[name].dtype.kind
        assert wanted["letters"].dtype == "S2" and wanted["letters"].dims == ("x",)
    with xarray.open_dataset(door, engine="netcdf4") as found:
        check_same(wanted, found.load())
    with h5py.File(path) as f:
        assert f["s"].dtype == "S3" and f["letters"].dtype == "S1" and h5py.check_string_dtype(f["u"].dtype) == ("utf-8", None)
    with netcdf.Dataset(door) as f:
        assert {name: f[name].dtype for name in arrays} == {"s": str, "u": str, "big": str, "table": str, "letters": np.dtype("S1")}


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_name_of_another_dimension(tmp_path, zarr_format):
    h5netcdf = pytest.importorskip("h5netcdf")
    path = str(tmp_path / "x.zarr")
    make_arrays(path, {"c": (["x"], [1, 2]), "d": (["c"], [3, 4, 5]), "y": (["y", "x"], np.ones((3, 2)))}, zarr_format)
    with h5netcdf.File(path) as f:
        assert {name: v.dimensions for name, v in f.variables.items()} == {"c": ("x",), "d": ("c",), "y": ("y", "x")}
        assert list(f["c"][...]) == [1, 2]
    netcdf = pytest.importorskip("netCDF4")
    door = str(tmp_path / "x.nc")
    subprocess.run([COMMAND, "door", path, door], check=True)
    with netcdf.Dataset(door) as f:
        assert {name: v.dimensions for name, v in f.variables.items()} == {"c": ("x",), "d": ("c",), "y": ("y", "x")}
        assert list(f["c"][...]) == [1, 2]


@pytest.mark.parametrize("arrays", [
    {"a": (["x"], [1, 2]), "b": (["x"], [1, 2, 3])},
    {"a": (["x"], [1, 2]), "b": (None, [1, 2, 3])},
    {"a": (["x"], [1, 2]), "b": ([None], [1, 2, 3])},
    {"a": (["x"], [1, 2]), "b": (["x/y"], [1, 2, 3])},
])
def test_what_does_not_qualify(tmp_path, arrays):
    path = str(tmp_path / "x.zarr")
    make_arrays(path, arrays)
    with h5py.File(path) as f:
        assert list(f) == ["a", "b"]
        assert not set(f["a"].attrs) - {"DIMENSION_LABELS"}  # test_labels.py
        assert f["/"].id.get_create_plist().get_link_creation_order() == 0


@pytest.mark.parametrize("attribute", [{"encoding-type": "dict"}, {"ome": {}}, {"multiscales": []}, {"nwb_version": "2"}])
def test_other_conventions(tmp_path, attribute):
    path = str(tmp_path / "x.zarr")
    make_arrays(path, {"a": (["x"], [1, 2])}, 2)
    zarr.open(path).attrs.update(attribute)
    zarr.open(path).create_group("g")
    make_arrays(path + "/g", {"b": (["y"], [1, 2])}, 2)
    with h5py.File(path) as f:
        assert list(f) == ["a", "g"] and list(f["g"]) == ["b"]
        assert list(f["a"].attrs) == ["_ARRAY_DIMENSIONS"]
        assert list(f["g/b"].attrs) == ["_ARRAY_DIMENSIONS"]


def test_missing_values_of_format_3(tmp_path):
    path = str(tmp_path / "x.zarr")
    make_arrays(path, {"f": (["x"], np.zeros(2, "f4")), "i": (["x"], np.zeros(2, "i2")), "s": (["x"], np.zeros(2))})
    group = zarr.open(path)
    group["f"].attrs["_FillValue"] = base64.b64encode(struct.pack("<d", -999)).decode()
    group["i"].attrs["_FillValue"] = -7
    group["s"].attrs["_FillValue"] = "not a number"
    with h5py.File(path, "r+") as f:
        assert f["f"].attrs["_FillValue"].tolist() == [-999] and f["f"].attrs["_FillValue"].dtype == "f4"
        assert f["i"].attrs["_FillValue"].tolist() == [-7] and f["i"].attrs["_FillValue"].dtype == "i2"
        assert f["s"].attrs["_FillValue"] == b"not a number"
        f["f"].attrs["more"] = 1  # its document is written anew
    said = json.load(open(path + "/f/zarr.json"))["attributes"]
    assert said["_FillValue"] == "AAAAAAA4j8A=" and "DIMENSION_LIST" not in json.dumps(said)


def test_option(tmp_path, monkeypatch):
    path, other = str(tmp_path / "x.zarr"), str(tmp_path / "other.zarr")
    for store in path, other:
        make_arrays(store, {"a": (["x"], [1, 2])})
    zarr.open(other).attrs["ome"] = {}
    names = {None: (["a", "x"], ["a"]), "never": (["a"], ["a"]), "always": (["a", "x"], ["a", "x"])}
    for option, expected in names.items():
        if option:
            monkeypatch.setenv("VOL_ZARR_NETCDF", option)
        with h5py.File(path) as f, h5py.File(other) as g:
            assert (list(f), list(g)) == expected
            assert len(f["a"].dims[0]) == len(expected[0]) - 1 and bool(list(f["a"].attrs)) == (option != "never")


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_convert_makes_a_netcdf_file(tmp_path, zarr_format):
    """With deflate, the only filter that every netCDF library has, in place of the store's."""
    netcdf4 = pytest.importorskip("netCDF4")
    dataset().drop_vars("empty").to_zarr(tmp_path / "s.zarr", zarr_format=zarr_format, encoding={k: v for k, v in ENCODING.items()})
    convert(tmp_path / "s.zarr", tmp_path / "x.nc")
    with netcdf4.Dataset(tmp_path / "x.nc") as file:
        assert {name: v.dimensions for name, v in file.variables.items()}["t"] == ("time", "lat", "lon")
        assert file["t"].filters()["zlib"]
    with xarray.open_dataset(tmp_path / "x.nc", engine="netcdf4") as found, xarray.open_zarr(tmp_path / "s.zarr") as wanted:
        check_same(wanted, found)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_convert_translates_types(tmp_path, zarr_format):
    """netCDF-C reads all of the file, and the command tells of each variable whose type is another one, or none of netCDF's."""
    netcdf4 = pytest.importorskip("netCDF4")
    arrays = {"half": np.array([1.5, 2, -3], "f2"), "complex": np.array([1 + 2j, 3, 4]), "flag": np.array([True, False, True]), "real": np.ones(3)}
    make_arrays(str(tmp_path / "s.zarr"), {name: (["x"], values) for name, values in arrays.items()}, zarr_format)
    said = run("convert", "--verify", tmp_path / "s.zarr", tmp_path / "x.nc")[1]
    for name in ("half", "complex"):
        assert f"/{name}: netCDF has no " in said
    assert "/real" not in said and "/flag" not in said
    with netcdf4.Dataset(tmp_path / "x.nc", auto_complex=True) as file:
        assert file["half"].dtype == "f4" and file["flag"].dtype == "i1"
        for name, values in arrays.items():
            np.testing.assert_array_equal(file[name][:], values)
    with xarray.open_dataset(tmp_path / "x.nc", engine="h5netcdf") as found:
        np.testing.assert_array_equal(found["complex"].values, arrays["complex"])
