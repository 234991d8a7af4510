"""What netCDF libraries write through the connector, opened by xr.open_zarr, is identical to xr.open_dataset of the
native file. What is read back through HDF5 is what was written."""

import functools
import json
import pathlib

import h5py
import numpy as np
import pytest

from interpreter import WithOptions

xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")
pytest.importorskip("h5netcdf")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(int(zarr.__version__.split(".")[0]) < 3, reason="the stores are opened by zarr-python 3"),
]

OPTIONS = ["", "format=3", "format=3;shards=64K", "container=file", "format=3;container=file"]
BOOKKEEPING = {"_HDF5", "_nc_hdf5", "CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates",
               "zarr_dtype"}
TIMES = np.array(["2000-01-01", "2000-01-02", "2000-01-03"], "M8[ns]")


def coordinates():
    t = np.array([[290.0, np.nan], [300, 310], [1, 0]])
    return xarray.Dataset({"t": (("time", "x"), t, {"units": "K", "n": 7, "l": [1, 2], "f": np.float32(1.5), "s": ["a"]})},
                          coords={"time": TIMES, "x": [0.0, 1.0]}, attrs={"title": "a", "one": 1}), {}


def kinds():
    x = {"x": [1, 2, 3]}
    return xarray.Dataset({"b": ("x", [True, False, True]), "n": ("x", [0, 1, 2]), "t": ("x", TIMES),
                           "s": ("x", np.array(["a", "", "c"], object)), "d": ("x", np.array([0, 1, 2], "m8[s]"))}, x), {}


def packed():
    data = {"n": (("time", "x"), np.array([[1, np.nan], [3, 4], [0, 0]])),
            "t": (("time", "x"), np.array([[290.0, np.nan], [300, 310], [1, 2]]))}
    encoding = {"n": {"dtype": "i4", "_FillValue": -1},
                "t": {"dtype": "i2", "scale_factor": 0.01, "add_offset": 345.0, "_FillValue": -32767}}
    return xarray.Dataset(data, coords={"time": TIMES, "x": [1, 2]}), {"encoding": encoding}


def numbers():
    types = "i1 i2 i4 i8 u1 u2 u4 u8 f4 f8".split()
    data = {k: ("x", np.array([0, 1, 5], k)) for k in types}
    data |= {f"missing_{k}": ("x", np.array([0, 1, 5], k), {}, {"_FillValue": np.dtype(k).type(5)}) for k in types}
    return xarray.Dataset(data, {"x": [1, 2, 3]}), {}


def scalars():
    return xarray.Dataset({"s": 5, "f": 1.5, "t": "abc"}, attrs={"l": ["a", "b"], "e": ""}), {}


def without_variables():
    return xarray.Dataset({"n": ("x", [1, 2, 3]), "v": (("y", "x"), np.arange(6.0).reshape(2, 3))},
                          coords={"lat": (("y", "x"), np.ones((2, 3)))}), {}


def texts():
    return xarray.Dataset({"s": ("x", np.array([b"ab", b"c"])), "u": ("x", np.array(["ä", "bc"], object))}), {}


def unlimited():
    data = {"t": (("time", "x"), np.arange(6.0).reshape(3, 2)), "e": ("none", np.zeros(0))}
    return xarray.Dataset(data, coords={"time": TIMES, "x": [1, 2]}), {"unlimited_dims": ["time"]}


DATASETS = [coordinates, kinds, packed, numbers, scalars, without_variables, texts, unlimited]


def write(make, engine, path):
    dataset, options = make()
    dataset.to_netcdf(path, engine=engine, **options)


def attributes(path):
    """{object: {name: (type, shape, value)}} of a file through HDF5."""
    found = {}
    with h5py.File(path, "r") as f:
        def visit(name, o):
            found[name] = {k: (o.attrs.get_id(k).dtype.str, o.attrs.get_id(k).shape, str(o.attrs[k])) for k in o.attrs
                           if k not in ("DIMENSION_LIST", "REFERENCE_LIST")}
        f.visititems(visit)
        visit("/", f)
    return found


@pytest.fixture(scope="module", params=OPTIONS)
def writer(request, connector):
    return WithOptions(connector, request.param)


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    """native(make, engine): the file that the engine writes without the connector, and what it shows."""
    where = tmp_path_factory.mktemp("native")

    @functools.cache
    def written(make, engine):
        path = where / f"{make.__name__}.{engine}.nc"
        write(make, engine, path)
        with xarray.open_dataset(path, engine=engine) as found:
            return path, found.load()

    return written


@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4"])
@pytest.mark.parametrize("make", DATASETS)
def test_identical(make, engine, writer, native, tmp_path):
    if engine == "netcdf4":
        pytest.importorskip("netCDF4")
    store = tmp_path / "a.zarr"
    writer.run(write, make, engine, str(store))
    read = writer.run(attributes, str(store))
    file, expected = native(make, engine)
    ours = xarray.open_zarr(store) if store.is_dir() else xarray.open_zarr(zarr.storage.ZipStore(store, mode="r"))
    xarray.testing.assert_identical(ours.load(), expected)
    for name, variable in ours.variables.items():
        assert not BOOKKEEPING & set(variable.attrs), name
    assert not BOOKKEEPING & set(ours.attrs)
    ours.to_netcdf(tmp_path / "copy.nc", engine="h5netcdf")
    assert read == attributes(file)


def make_late(path):
    with h5py.File(path, "w") as f:
        x = f.create_dataset("x", data=[1, 2, 3])
        x.make_scale("x")
        for name, fill in (("zero", None), ("seven", 7)):
            d = f.create_dataset(name, shape=(3,), chunks=(1,), dtype="i4", fillvalue=fill)
            d.dims[0].attach_scale(x)
            d[1] = 5
        missing = f.create_dataset("missing", shape=(3,), chunks=(1,), dtype="i4", fillvalue=7)
        missing.attrs["_FillValue"] = np.array([5], "i4")
        missing.dims[0].attach_scale(x)
        missing[1] = 5


def fills(path):
    with h5py.File(path, "r") as f:
        return {k: (int(f[k].fillvalue), f[k][()].tolist()) for k in ("zero", "seven", "missing")}


@pytest.mark.parametrize("options", OPTIONS[:2])
def test_chunks_never_written(options, connector, tmp_path):
    """Format 2 has no fill value that xarray does not take for missing: then every chunk is there."""
    writer = WithOptions(connector, options)
    writer.run(make_late, str(tmp_path / "a.zarr"))
    read = writer.run(fills, str(tmp_path / "a.zarr"))
    assert read == {"zero": (0, [0, 5, 0]), "seven": (7, [7, 5, 7]), "missing": (7, [7, 5, 7])}
    ours = xarray.open_zarr(tmp_path / "a.zarr")
    assert ours["zero"].dtype == "i4" and ours["zero"].values.tolist() == [0, 5, 0]
    assert ours["seven"].dtype == "i4" and ours["seven"].values.tolist() == [7, 5, 7]
    np.testing.assert_array_equal(ours["missing"].values, [7, np.nan, 7])
    if not options:
        fill = {k: json.loads((tmp_path / "a.zarr" / k / ".zarray").read_text())["fill_value"] for k in read}
        assert fill == {"zero": None, "seven": None, "missing": 5}


def make_by_library(path):
    """Unlimited dimensions with and without a variable, variables of other lengths, a variable called as a dimension."""
    import netCDF4

    with netCDF4.Dataset(path, "w") as f:
        for name, length in (("time", None), ("x", 3), ("unused", 9), ("c", 3)):
            f.createDimension(name, length)
        for name, kind, dimensions in (("a", "f4", ("time", "x")), ("b", "i2", ("time",)), ("c", "f8", ("x",)),
                                       ("cc", "f8", ("c",)), ("never", "i4", ("x",))):
            f.createVariable(name, kind, dimensions)
        f["a"][0:2] = np.arange(6).reshape(2, 3)
        f["b"][0:4] = range(4)
        f["c"][:] = [0, 1, 2]
        f["cc"][:] = 5


def dimensions(path):
    import h5netcdf

    with h5netcdf.File(path, "r") as f:
        return {k: (d.size, d.isunlimited()) for k, d in f.dimensions.items()}, {k: v.dimensions for k, v in f.variables.items()}


def test_dimensions(writer, tmp_path):
    pytest.importorskip("netCDF4")
    store = tmp_path / "a.zarr"
    writer.run(make_by_library, str(store))
    make_by_library(tmp_path / "a.nc")
    native = xarray.open_dataset(tmp_path / "a.nc", engine="netcdf4")
    ours = xarray.open_zarr(store) if store.is_dir() else xarray.open_zarr(zarr.storage.ZipStore(store, mode="r"))
    xarray.testing.assert_identical(ours.load(), native.load())
    assert writer.run(dimensions, str(store)) == dimensions(tmp_path / "a.nc")
    if store.is_dir():
        assert {p.name for p in store.iterdir() if p.is_dir()} == {"a", "b", "c", "cc", "never"}


@pytest.mark.parametrize("options", OPTIONS[:2])
def test_appended(options, connector, tmp_path):
    """xarray appends to our store and adds a variable. It erases the annotation of the group."""
    store = tmp_path / "a.zarr"
    child = WithOptions(connector, options)
    child.run(write, unlimited, "h5netcdf", str(store))
    first = xarray.open_zarr(store).load()
    xarray.Dataset({"t": first["t"]}).assign_coords(time=TIMES + np.timedelta64(3, "D")).drop_vars("x").to_zarr(store, append_dim="time")
    xarray.Dataset({"more": ("x", [7, 8])}).to_zarr(store, mode="a")
    ours = xarray.open_zarr(store).load()
    read = child.run(elements, str(store))
    assert ours["t"].shape == (6, 2) and ours["more"].values.tolist() == [7, 8]
    assert read == (ours["t"].values.tolist(), [7, 8])


def user(f, name, length):
    d = f.create_dataset(name, shape=(length,), maxshape=(None,), chunks=(1,), dtype="i4")
    d.dims[0].attach_scale(f["time"])
    return d


def change_lengths(path):
    """Lengths of the arrays in the store after each flush of the file."""
    found = []
    with h5py.File(path, "w") as f:
        def flush():
            f.flush()
            found.append({name: json.loads((pathlib.Path(path) / name / ".zarray").read_text())["shape"][0] for name in f})

        time = f.create_dataset("time", shape=(2,), maxshape=(None,), chunks=(1,), dtype="i4")
        time.make_scale("time")
        a, b = user(f, "a", 2), user(f, "b", 1)
        flush()
        a.resize((3,))
        a.id.flush()  # by itself, and so is of no news when the file is flushed
        b.attrs["units"] = "K"
        flush()
        c = user(f, "c", 1)
        flush()
        for each in time, a, b, c:
            each.resize((1,))
        d = user(f, "d", 0)
        flush()
        user(f, "e", 4).id.flush()
        d.attrs["units"] = "K"
        flush()
        time.resize((6,))
        flush()
    return found


def test_lengths_at_each_flush(connector, tmp_path):
    """Arrays are as long as the longest user of their dimension, as netCDF-C sees it, whatever was changed since the flush before."""
    names = ["time", "a", "b"], ["time", "a", "b", "c"], ["time", "a", "b", "c", "d"], ["time", "a", "b", "c", "d", "e"]
    found = connector.run(change_lengths, str(tmp_path / "a.zarr"))
    assert found == [dict.fromkeys(names[which], length) for which, length in ((0, 2), (0, 3), (1, 3), (2, 1), (3, 4), (3, 6))]


def elements(path):
    with h5py.File(path, "r") as f:
        return f["t"][()].tolist(), f["more"][()].tolist()


# ---- elements of a dimension without a variable ----


def make_placeholder(path):
    """As netCDF makes a dimension, and as a program of HDF5 goes on with it: nobody but us knows where it stands meanwhile."""
    with h5py.File(path, "w") as f:
        for name, length in ("x", 6), ("y", 4), ("z", 3):
            scale = f.create_dataset(f"g/{name}", (length,), ">f4", chunks=(length,) if name == "z" else None)
            scale.make_scale(f"This is a netCDF dimension but not a netCDF variable.{length:10d}")
        for name, scales in ("v", "xy"), ("w", "z"):
            values = f.create_dataset(f"g/h/{name}", [f["g"][s].size for s in scales], "i2")
            for i, s in enumerate(scales):
                values.dims[i].attach_scale(f["g"][s])
        f.flush()
        f["g/y"][1:3] = 7  # after a flush, of which it is known that it has no elements


def write_placeholder(path):
    with h5py.File(path, "r+") as f:
        f["g/x"].attrs["a"] = 1
        f["g/x"][2:4] = 5
        f["g/x"][0] = 6
        f.flush()
        f["g/x"][5] = 1
        f["g/z"].id.write_direct_chunk((0,), np.arange(3, dtype=">f4").tobytes())
        f["g/h/v"][...] = 1


def placeholders(path):
    with h5py.File(path, "r") as f:
        names = []
        f.visit(names.append)
        return sorted(names), {name: f[name][...].tolist() for name in names if isinstance(f[name], h5py.Dataset)}, [
            [[scale.name for scale in dim.values()] for dim in f[name].dims] for name in ("g/h/v", "g/h/w")]


@pytest.mark.parametrize("closed", [False, True], ids=["in_one_session", "opened_again"])
def test_elements_of_a_dimension_without_a_variable(closed, writer, tmp_path):
    """They are stored, and the dimension is an array of the store from then on: its chunks lay where nobody found them."""
    native, store = tmp_path / "a.nc", tmp_path / "a.zarr"
    for path, run in (native, lambda work, path: work(path)), (str(store), writer.run):
        run(make_placeholder, path)
        if closed:
            assert run(placeholders, path)[1]["g/y"] == [0, 7, 7, 0]
        run(write_placeholder, path)
    assert writer.run(placeholders, str(store)) == placeholders(native)
    group = zarr.open_group(str(store) if store.is_dir() else zarr.storage.ZipStore(store, mode="r"), mode="r")
    assert group["g/x"][...].tolist() == [6, 0, 5, 5, 0, 1] and group["g/z"][...].tolist() == [0, 1, 2]
