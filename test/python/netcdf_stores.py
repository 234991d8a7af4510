"""Stores as programs of geoscience write them, made by xarray or, in the layouts of rioxarray, NCZarr and VirtualiZarr, by zarr-python.

STORES has a function of a path for each; what the function returns are the groups that hold datasets.
"""

import base64
import json
import struct

import numpy as np

STORES = {}


def store(function):
    STORES[function.__name__] = function
    return function


def weather():
    """One dataset with packed, missing, text, time, boolean and scalar variables."""
    import xarray

    times = np.datetime64("2000-01-30", "ns") + np.arange(6) * np.timedelta64(12, "h")
    t = 280 + np.arange(24.0).reshape(6, 2, 2) / 4
    t[1, 0, 1] = np.nan
    return xarray.Dataset(
        {"t": (("time", "lat", "lon"), t, {"units": "K", "cell_methods": "time: mean"}),
         "count": (("time",), np.arange(6, dtype="i4")),
         "seen": (("lat",), [1.0, np.nan]),
         "name": (("lon",), ["a", ""]),
         "code": (("lon",), np.array([b"ab", b"c"])),
         "mask": (("lat", "lon"), [[True, False], [False, False]]),
         "lag": (("lat",), np.array([0, 90], "m8[m]").astype("m8[ns]")),
         "at": (("lat",), np.array(["2000-01-01", "NaT"], "M8[ns]")),
         "crs": ((), 0, {"grid_mapping_name": "latitude_longitude"})},
        {"time": times, "lat": ("lat", [50.5, 51.5], {"units": "degrees_north"}), "lon": ("lon", [0.0, 1.0], {"units": "degrees_east"}),
         "height": ((), 2.0, {"units": "m"})},
        {"Conventions": "CF-1.11", "realization": 1, "levels": [1, 2, 3], "authors": ["a", "b"], "factor": 1.5, "empty": ""})


PACKED = {"t": {"dtype": "i2", "scale_factor": 0.25, "add_offset": 280.0, "_FillValue": -32767}, "seen": {"dtype": "i4", "_FillValue": -1},
          "time": {"units": "hours since 2000-01-01", "calendar": "standard"}}


@store
def plain_v2(path):
    weather().to_zarr(path, zarr_format=2)


@store
def plain_v3(path):
    weather().to_zarr(path, zarr_format=3, consolidated=False)


@store
def packed_v2(path):
    weather().to_zarr(path, zarr_format=2, encoding=PACKED)


@store
def packed_v3(path):
    weather().to_zarr(path, zarr_format=3, encoding=PACKED)


@store
def without_copy_of_documents_v2(path):
    weather().to_zarr(path, zarr_format=2, consolidated=False)


@store
def sharded_v3(path):
    weather().to_zarr(path, zarr_format=3, encoding={"t": {"chunks": (1, 2, 2), "shards": (6, 2, 2)}})


def appended(path, zarr_format):
    data = weather().drop_vars(["lat", "lon"])
    data.isel(time=slice(0, 4)).to_zarr(path, zarr_format=zarr_format)
    data.isel(time=slice(4, 6)).drop_vars([name for name in data.variables if "time" not in data[name].dims]).to_zarr(path, append_dim="time")


@store
def appended_v2(path):
    appended(path, 2)


@store
def appended_v3(path):
    appended(path, 3)


def tree(path, zarr_format):
    import xarray

    inner = xarray.Dataset({"n": (("lat", "y"), np.arange(6).reshape(2, 3))}, {"y": [1, 2, 3]})
    xarray.DataTree.from_dict({"/": weather(), "/a": inner, "/a/b": xarray.Dataset({"z": ("w", [0, 1])})}).to_zarr(path, zarr_format=zarr_format)
    return ["/", "/a", "/a/b"]


@store
def tree_v2(path):
    return tree(path, 2)


@store
def tree_v3(path):
    return tree(path, 3)


@store
def in_a_zip(path):
    import zarr

    with zarr.storage.ZipStore(path, mode="w") as inside:
        weather().to_zarr(inside, zarr_format=3)


def raster(path, zarr_format):
    """As rioxarray writes one: a band, a scalar that holds the reference system, bounds of the grid in its attributes."""
    import xarray

    reference = {"crs_wkt": 'GEOGCS["WGS 84"]', "spatial_ref": 'GEOGCS["WGS 84"]', "GeoTransform": "0.0 1.0 0.0 52.0 0.0 -1.0"}
    image = np.arange(12, dtype="f4").reshape(1, 3, 4)
    image[0, 0, 0] = np.nan
    data = xarray.Dataset({"band_data": (("band", "y", "x"), image, {"AREA_OR_POINT": "Area", "scale_factor_of": 1.0})},
                          {"band": [1], "x": np.arange(4) + 0.5, "y": 51.5 - np.arange(3), "spatial_ref": ((), 0, reference)})
    data["band_data"].encoding = {"grid_mapping": "spatial_ref", "_FillValue": np.float32(-9999)}
    data.to_zarr(path, zarr_format=zarr_format)


@store
def raster_v2(path):
    raster(path, 2)


@store
def raster_v3(path):
    raster(path, 3)


# ---- layouts that xarray does not write ----


def array(group, name, values, dimensions, fill_value=None, **attributes):
    found = group.create_array(name, shape=np.shape(values), dtype=np.asarray(values).dtype, chunks=tuple(max(1, n) for n in np.shape(values)), fill_value=fill_value)
    if found.size:
        found[...] = values
    found.attrs.put({**({"_ARRAY_DIMENSIONS": dimensions} if dimensions is not None else {}), **attributes})


def nczarr(references, **types):
    return {"_nczarr_array": {"dimension_references": references, "storage": "chunked"}, "_nczarr_attr": {"types": types}}


@store
def nczarr_groups(path):
    """NCZarr's declarations. Arrays of a group that use a dimension of its parent name none by `_ARRAY_DIMENSIONS`."""
    import zarr

    root = zarr.open_group(path, mode="w", zarr_format=2)
    root.attrs.put({"title": "nczarr", "_NCProperties": "version=2,netcdf=4.9.3,nczarr=2.0.0", "_nczarr_superblock": {"version": "2.0.0"},
                    "_nczarr_group": {"dimensions": {"time": {"size": 3, "unlimited": 1}, "x": 2, "unused": 7}, "arrays": ["time", "n", "f"], "groups": ["g"]},
                    "_nczarr_attr": {"types": {"title": ">S1"}}})
    array(root, "time", np.arange(3.0), ["time"], units="days since 2000-01-01", **nczarr(["/time"], units=">S1"), fill_value=9.969209968386869e36)
    array(root, "n", np.arange(6, dtype="i4").reshape(3, 2), ["time", "x"], **nczarr(["/time", "/x"]), fill_value=-2147483647)
    array(root, "f", np.array([0, 5], "i2"), ["x"], _FillValue=5, step=3, **nczarr(["/x"], _FillValue="<i2", step="<i2"), fill_value=5)
    inner = root.create_group("g")
    inner.attrs.put({"_nczarr_group": {"dimensions": {"y": 2}, "arrays": ["a"], "groups": []}})
    array(inner, "a", np.arange(4, dtype="i4").reshape(2, 2), ["y", "y2"], fill_value=-2147483647)
    inner["a"].attrs.put(nczarr(["/g/y", "/x"]))
    return ["/"]


@store
def nczarr_in_xarray_mode(path):
    """What `mode=zarr` writes: names of dimensions, and nothing else of NCZarr."""
    import zarr

    root = zarr.open_group(path, mode="w", zarr_format=2)
    root.attrs.put({"_NCProperties": "version=2,netcdf=4.9.3,nczarr=2.0.0"})
    array(root, "x", np.arange(3.0), ["x"], fill_value=9.969209968386869e36)
    array(root, "n", np.arange(3, dtype="i4"), ["x"], fill_value=-2147483647)
    array(root, "one", np.array([7], "i4"), ["_scalar_"], fill_value=-2147483647)


@store
def virtualizarr_v2(path):
    """Format 2 with `_FillValue` as format 3 spells it, as VirtualiZarr's references have it."""
    import zarr

    root = zarr.open_group(path, mode="w", zarr_format=2)
    spelled = base64.b64encode(struct.pack("<d", -999.0)).decode()
    array(root, "x", np.arange(3), ["x"])
    array(root, "t", np.array([1.5, -999, 0], "f4"), ["x"], _FillValue=spelled)


@store
def by_hand_v3(path):
    """Dimensions of every kind, of plain zarr-python: no variable, a variable of another dimension, two dimensions of one name's variable."""
    import zarr

    root = zarr.open_group(path, mode="w", zarr_format=3)

    def put(name, values, dimensions):
        root.create_array(name, data=np.asarray(values), dimension_names=dimensions)

    put("d", np.arange(6.0).reshape(2, 3), ["c", "x"])
    put("c", np.arange(3), ["x"])
    put("y", np.arange(4).reshape(2, 2), ["y", "z"])
    put("scalar", np.float32(1), [])


def documents(path):
    """{name: document} of a store, to see that reading it changed nothing."""
    return {str(p.relative_to(path)): json.loads(p.read_bytes()) for p in sorted(path.rglob("*")) if p.name in (".zattrs", ".zarray", ".zgroup", ".zmetadata", "zarr.json")}
