"""Libraries on top of HDF5, as their users use them: the same work on a native file and on a store gives the same values.

What their own checks refuse is here too, with the place in their source that refuses it.
"""

import os
import warnings

import h5py
import numpy as np
import pytest

import view
from interpreter import Failed, Interpreter
from places import by_zarr, needs_extended_attributes, with_connector

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def on_stores():
    """An interpreter of its own: it loads the HDF5 libraries of PyTables and netCDF4 too."""
    interpreter = Interpreter(with_connector())
    yield interpreter
    interpreter.stop()


@pytest.fixture(scope="module")
def native():
    interpreter = Interpreter({**os.environ, "HDF5_PLUGIN_PATH": "/nonexistent"})
    yield interpreter
    interpreter.stop()


@pytest.fixture
def both(on_stores, native, tmp_path):
    def run(function, name="s.zarr", **arguments):
        """What the function gives for a store, after it was seen to be what it gives for a native file."""
        stores, files = tmp_path / name, tmp_path / "native.h5"
        expected = native.run(function, str(files), *arguments.values())
        assert on_stores.run(function, str(stores), *arguments.values()) == expected
        assert h5py.is_hdf5(files) and not h5py.is_hdf5(stores)
        return stores, files

    return run


# ---- xarray and h5netcdf ----


def weather():
    import pandas as pd
    import xarray as xr

    values = np.arange(60, dtype="f4").reshape(5, 3, 4)
    values[0, 0, 0] = np.nan
    return xr.Dataset(
        {
            "t": (("time", "y", "x"), values, {"units": "K", "levels": [1, 2]}),
            "station": (("x",), ["a", "b", "ü", ""]),
            "count": (("y",), np.arange(3, dtype="i2")),
            "flag": (("y",), [True, False, True]),
            "z": (("x",), np.arange(4) + 1j),
            "one": ((), 2.5),
        },
        coords={"x": [10.0, 20, 30, 40], "y": [1, 2, 3], "time": pd.date_range("2024-02-28", periods=5)},
        attrs={"title": "weather", "n": 7},
    )


def write_and_read_by_xarray(path):
    import xarray as xr

    warnings.simplefilter("ignore")
    data = weather()
    encoding = {"t": {"zlib": True, "complevel": 4, "shuffle": True, "chunksizes": (2, 3, 4)}, "count": {"_FillValue": -1}}
    data.to_netcdf(path, engine="h5netcdf", encoding=encoding, unlimited_dims=["time"], invalid_netcdf=True)
    data[["t"]].rename(t="t2").to_netcdf(path, engine="h5netcdf", mode="a", invalid_netcdf=True)
    data.to_netcdf(path, engine="h5netcdf", mode="a", group="more/inside", invalid_netcdf=True)
    with xr.open_dataset(path, engine="h5netcdf") as back:
        xr.testing.assert_identical(back.drop_vars("t2").load(), data)
        part = back["t"].isel(time=slice(1, 4), x=[3, 0]).values.tolist()
    with xr.open_dataset(path, engine="h5netcdf", group="more/inside") as back:
        xr.testing.assert_identical(back.load(), data)
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        groups = sorted(tree.groups)
    return part, groups


def test_xarray_by_h5netcdf(both):
    pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    store, native = both(write_and_read_by_xarray)
    ours, theirs = view.file_tree(store), view.file_tree(native)
    assert ours == theirs and len(ours) > 15
    assert np.array_equal(by_zarr(store)["t"][...], weather()["t"].values, equal_nan=True)


def work_of_h5netcdf(path):
    import h5netcdf
    import h5netcdf.legacyapi

    with h5netcdf.File(path, "w") as f:
        f.dimensions = {"x": 5, "u": None}
        v = f.create_variable("hello", ("x",), float)
        v[:] = np.arange(5)
        v.attrs["a"] = 1
        w = f.create_variable("/g/grown", ("u", "x"), "i4", chunks=(2, 5), fillvalue=-9)
        f.resize_dimension("u", 3)
        w[:2] = np.arange(10).reshape(2, 5)
        f.create_variable("/g/x", ("x",), data=np.arange(5.0) * 2)  # a coordinate: a dimension scale
    with h5netcdf.File(path, "r+") as f:
        f["hello"][1] = 9
        f.resize_dimension("u", 4)
    with h5netcdf.legacyapi.Dataset(path, "r") as f:
        g = f.groups["g"]
        return f["hello"][:].tolist(), g["grown"][:].tolist(), g["grown"].dimensions, f.dimensions["u"].size, g["x"][:].tolist()


def test_h5netcdf(both):
    pytest.importorskip("h5netcdf")
    store, native = both(work_of_h5netcdf)
    assert view.file_tree(store) == view.file_tree(native)


# ---- PyTables and pandas: on zip files, as tables/utils.py:check_file_access wants "a regular file" to open one again ----


def work_of_pytables(path):
    import tables

    with tables.open_file(path, "w", title="zoo") as f:
        f.create_array("/", "a", np.arange(5))
        g = f.create_group("/", "g", "a group")
        f.create_carray(g, "c", obj=np.arange(100).reshape(10, 10), filters=tables.Filters(5, "zlib", shuffle=True, fletcher32=True))
        table = f.create_table(g, "t", {"n": tables.Int32Col(), "s": tables.StringCol(5), "x": tables.Float64Col((2, 2)), "b": tables.BoolCol()})
        for i in range(100):
            row = table.row
            row["n"], row["s"], row["x"], row["b"] = i, str(i), i / 2, i % 2
            row.append()
        table.flush()
        v = f.create_vlarray(g, "v", tables.Int32Atom())
        v.append([1, 2])
        v.append([])
        e = f.create_earray(g, "e", tables.Float64Atom(), (0, 3))
        e.append(np.ones((4, 3)))
        f.create_soft_link("/", "soft", "/g/c")
        f.create_hard_link("/", "hard", "/g/c")
        o = f.create_vlarray("/", "objects", tables.ObjectAtom())
        o.append({"k": [1, 2]})
        f.root.a.attrs.x = [1, "two"]
        f.root.a.attrs.y = np.arange(3)
    with tables.open_file(path, "a") as f:
        more = np.zeros(5, f.root.g.t.dtype)
        more["n"], more["s"] = np.arange(100, 105), b"new"
        f.root.g.t.append(more)
        f.root.g.t.cols.n.create_index()
        f.root.g.t.modify_column(0, 1, column=[b"zero"], colname="s")
        f.root.g.t.remove_rows(5, 8)
        f.root.a[1] = 9
        f.move_node("/g/e", "/", "moved")
        f.copy_node("/g/c", "/", "copied")
        f.remove_node("/hard")
    with tables.open_file(path, "r") as f:
        assert tables.is_hdf5_file(path)
        table = f.root.g.t
        return (
            sorted(node._v_pathname for node in f.walk_nodes("/")),
            f.title,
            {name: table.col(name).tolist() for name in table.colnames},
            table.read_where("(n > 90) & ~b")["n"].tolist(),
            f.root.soft().read().tolist(),
            f.root.copied[2:4, ::3].tolist(),
            [x.tolist() for x in f.root.g.v.read()],
            f.root.objects.read(),
            f.root.moved.read().tolist(),
            (f.root.a.read().tolist(), f.root.a.attrs.x, f.root.a.attrs.y.tolist()),
        )


def test_pytables(both):
    pytest.importorskip("tables")
    store, native = both(work_of_pytables, "s.zarr.zip")
    with h5py.File(store) as f:
        assert f["g/t"]["n"].tolist()[:7] == [0, 1, 2, 3, 4, 8, 9]
    import zarr

    assert zarr.open_group(zarr.storage.ZipStore(store, mode="r"), mode="r")["copied"][3, 3] == 33


def work_of_pandas(path):
    import pandas as pd

    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", None], "c": [0.5, np.nan, 1]}, index=pd.date_range("2020", periods=3))
    frame.to_hdf(path, key="fixed", mode="w")
    frame.to_hdf(path, key="table", mode="a", format="table", data_columns=True, complib="zlib", complevel=5)
    frame.to_hdf(path, key="table", mode="a", format="table", append=True)
    with pd.HDFStore(path) as store:
        store.put("series", pd.Series([1.5, 2], index=["p", "q"]))
        store.append("multi", frame.assign(k=["u", "v", "w"]).set_index("k", append=True)[["a", "c"]])
        store.get_storer("series").attrs.note = {"unit": "m"}
        store.remove("table", where="a == 2")
        keys, note = store.keys(), store.get_storer("series").attrs.note
    found = [pd.read_hdf(path, "fixed"), pd.read_hdf(path, "table", where="a > 1"), pd.read_hdf(path, "series"), pd.read_hdf(path, "multi")]
    pd.testing.assert_frame_equal(found[0], frame, check_freq=False)
    return keys, note, [f.to_csv() for f in found]


def test_pandas_hdfstore(both):
    pytest.importorskip("tables")
    both(work_of_pandas, "s.zarr.zip")


def test_what_pytables_refuses(on_stores, tmp_path):
    """It creates a directory, and then check_file_access does not let it be opened."""
    pytest.importorskip("tables")
    with pytest.raises(Failed, match=r"(?s)check_file_access.*is not a regular file"):
        on_stores.run(work_of_pytables, str(tmp_path / "s.zarr"))
    assert h5py.File(tmp_path / "s.zarr")["g/t"].shape == (100,)


# ---- netCDF4: netcdf-c looks for its file types in the first bytes of a file, and a store has others or none ----


def write_by_netcdf4(path):
    import netCDF4

    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 3)
        f.createDimension("time", None)
        v = f.createVariable("v", "f8", ("time", "x"), zlib=True, fill_value=-1)
        v[0:2] = np.arange(6).reshape(2, 3)
        v[3] = 7
        v.units = "K"
        s = f.createVariable("s", str, ("x",))
        s[:] = np.array(["a", "", "ü"], object)
        record = f.createCompoundType(np.dtype([("a", "i4"), ("b", "f8")]), "record")
        f.createVariable("r", record, ("x",))[:] = np.array([(1, 2.5)] * 3, np.dtype([("a", "i4"), ("b", "f8")]))
        colour = f.createEnumType(np.uint8, "colour", {"red": 0, "green": 1})
        f.createVariable("e", colour, ("x",))[:] = [0, 1, 1]
        f.title = "t"
        g = f.createGroup("g")
        g.createVariable("n", "i4", ("x",))[:] = [1, 2, 3]
        f.renameVariable("e", "f")
        f.sync()
        return v[:].tolist(), s[:].tolist(), f["r"][:].tolist(), f["f"][:].tolist(), g["n"][:].tolist(), v.ncattrs()


def test_netcdf4_writes_what_h5netcdf_reads(both):
    pytest.importorskip("netCDF4")
    store, native = both(write_by_netcdf4)
    ours, theirs = view.file_tree(store), view.file_tree(native)
    assert ours == theirs and "g/n" in ours
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset(store, engine="h5netcdf") as data, xarray.open_dataset(native, engine="h5netcdf") as expected:
        xarray.testing.assert_identical(data.load(), expected.load())


def open_by_netcdf4(path, mode="r"):
    import netCDF4

    with netCDF4.Dataset(path, mode) as f:
        return f.title


def write_and_open_by_netcdf4(path):
    import netCDF4
    import xarray as xr

    warnings.simplefilter("ignore")
    values = [write_by_netcdf4(path)]
    os.setxattr(path, "user.daos", b".daos")
    for mode in ("r", "a", "r+"):
        with netCDF4.Dataset(path, mode) as f:
            values += [f.disk_format, f["v"][:].tolist(), f["r"][:].tolist(), f["f"].datatype.enum_dict, f.dimensions["time"].isunlimited()]
            if mode == "a":
                f["v"][5] = [1, 2, 3]
                f.createVariable("w", "u2", ("time",), chunksizes=(2,))[:] = np.arange(6)
                f.setncattr("more", [1, 2])
                f.renameGroup("g", "h")
    weather().drop_vars("z").to_netcdf(path, engine="netcdf4", mode="a", group="weather")
    with xr.open_dataset(path, engine="netcdf4", group="weather") as data:
        xr.testing.assert_identical(data.load(), weather().drop_vars("z"))
    return values


def test_netcdf4_on_a_marked_store(both, tmp_path):
    needs_extended_attributes(tmp_path)
    pytest.importorskip("netCDF4")
    pytest.importorskip("xarray")
    store, native = both(write_and_open_by_netcdf4)
    assert view.file_tree(store) == view.file_tree(native)


@pytest.mark.parametrize("mode", ["r", "a"])
def test_what_netcdf4_refuses(on_stores, tmp_path, mode):
    """check_file_type in netcdf-c's libdispatch/dinfermodel.c cannot read the first bytes of a directory. isdaoscontainer beside it
    passes on to HDF5 what is marked as a container of DAOS."""
    pytest.importorskip("netCDF4")
    store = str(tmp_path / "s.zarr")
    on_stores.run(write_by_netcdf4, store)
    with pytest.raises(Failed, match="Unknown file format"):
        on_stores.run(open_by_netcdf4, store, mode)
    needs_extended_attributes(tmp_path)
    os.setxattr(store, "user.daos", b".daos")
    assert on_stores.run(open_by_netcdf4, store, mode) == "t"
