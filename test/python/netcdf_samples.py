"""Datasets as geoscience has them, each written by the engine that is asked for: write(name, path, engine).

Engines are xarray's: "h5netcdf" and "netcdf4". What xarray has no word for (a dimension without a variable, a variable shorter than
its unlimited dimension) is written by the library itself; both have netCDF4's interface.
"""

import numpy as np

from netcdf_judge import for_engine

SAMPLES = {}  # name: function(path, engine), with `groups` and `engines`


def sample(groups=("/",), engines=("h5netcdf", "netcdf4")):
    def add(function):
        function.groups, function.engines = groups, engines
        SAMPLES[function.__name__] = function
        return function

    return add


def write(name, path, engine):
    import warnings

    warnings.simplefilter("ignore")
    SAMPLES[name](str(path), engine)


def put(path, engine, variables, coords=None, attrs=None, encoding=None, **more):
    import xarray

    data = xarray.Dataset(variables, coords, attrs)
    data.to_netcdf(path, engine=engine, encoding=encoding or {}, **more)


def library(path, engine, mode="w", **more):
    """netCDF4.Dataset, or h5netcdf's in the same words."""
    if engine == "netcdf4":
        import netCDF4

        return netCDF4.Dataset(path, mode, **more)
    import h5netcdf.legacyapi

    return h5netcdf.legacyapi.Dataset(path, mode, **more)


def days(count):
    return np.datetime64("2000-01-30", "ns") + np.arange(count) * np.timedelta64(1, "D")


# ---- types ----


@sample()
def integers(path, engine):
    kinds = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
    put(path, engine, {kind: ("x", np.array([0, 1, np.iinfo(kind).max, np.iinfo(kind).min], kind)) for kind in kinds}, {"x": np.arange(4)})


@sample()
def floats(path, engine):
    numbers = np.array([0, np.nan, -np.inf, 1.5])
    put(path, engine, {"f4": ("x", numbers.astype("f4")), "f8": ("x", numbers)}, {"x": ("x", np.arange(4.0), {"axis": "X"})})


@sample()
def big_endian(path, engine):
    put(path, engine, {"a": ("x", np.array([1, 0, 3], ">i4")), "b": ("x", np.array([1, np.nan, 3], ">f8"))}, {"x": [1, 2, 3]},
        encoding={"a": {"endian": "big"}, "b": {"endian": "big"}} if engine == "netcdf4" else {})


@sample()
def strings(path, engine):
    put(path, engine, {"s": ("x", np.array(["a", "", "ü"], object)), "u": ("x", ["one", "", "three"]), "n": ("x", [1.0, 2, 3])})


@sample()
def string_coordinate(path, engine):
    put(path, engine, {"n": ("station", [0, 1, 2])}, {"station": ["Oslo", "Reykjavík", ""], "code": ("station", np.array([b"ab", b"cde", b""]))})


@sample()
def characters(path, engine):
    put(path, engine, {"s": (("x", "y"), np.array([[b"a", b"bcd"], [b"", b"xyz"]])), "one": ("x", np.array([b"p", b"q"]))},
        encoding={"s": {"char_dim_name": "letters"}})


@sample()
def booleans(path, engine):
    put(path, engine, {"b": ("x", [True, False, True]), "one": ((), False)}, {"x": [0, 1, 2]})


# ---- missing values and packing ----


@sample()
def fill_values(path, engine):
    put(path, engine, {"i4": ("x", [1, np.nan, 3]), "u1": ("x", [0, np.nan, 254]), "f4": ("x", np.array([0, np.nan, 1], "f4")), "f8": ("x", [0, np.nan, 2.5])},
        encoding={"i4": {"dtype": "i4", "_FillValue": -1}, "u1": {"dtype": "u1", "_FillValue": 255}, "f4": {"_FillValue": np.float32(-999)}, "f8": {"_FillValue": 1e20}})


@sample()
def fill_value_zero(path, engine):
    put(path, engine, {"i2": ("x", [1, np.nan, 3]), "f8": ("x", [7, np.nan, 2.5])}, encoding={"i2": {"dtype": "i2", "_FillValue": 0}, "f8": {"_FillValue": 0.0}})


@sample()
def no_fill_value(path, engine):
    put(path, engine, {"f4": ("x", np.array([0, np.nan, 1], "f4")), "i4": ("x", [0, 0, 1])}, encoding={"f4": {"_FillValue": None}})


@sample()
def missing_value(path, engine):
    put(path, engine, {"t": ("x", [1, np.nan, 3])}, encoding={"t": {"_FillValue": -99.0, "missing_value": -99.0, "dtype": "f4"}})


@sample()
def packed(path, engine):
    put(path, engine, {"t": (("time", "x"), [[290.25, np.nan], [300.5, 310.0]]), "u": ("x", [0.5, 100.0])}, {"time": days(2), "x": [0.0, 1.0]},
        encoding={"t": {"dtype": "i2", "scale_factor": 0.25, "add_offset": 300.0, "_FillValue": -32767}, "u": {"dtype": "u1", "scale_factor": 0.5}})


@sample()
def packed_in_32_bits(path, engine):
    put(path, engine, {"t": ("x", [1.5, np.nan, 3])}, encoding={"t": {"dtype": "i2", "scale_factor": np.float32(0.5), "_FillValue": np.int16(-1)}})


@sample()
def unsigned_by_attribute(path, engine):
    put(path, engine, {"t": ("x", [1, 200, np.nan])}, encoding={"t": {"dtype": "u1", "_FillValue": 255, "_Unsigned": "true"}})


@sample()
def flags(path, engine):
    meaning = {"flag_values": np.array([0, 1, 2], "i1"), "flag_meanings": "good bad ugly", "valid_range": np.array([0, 2], "i1"), "flag_masks": np.int8(3)}
    put(path, engine, {"quality": ("x", np.array([0, 1, 2], "i1"), meaning)})


@sample()
def never_written(path, engine):
    """netCDF's default fill values, in chunks that are not there."""
    with library(path, engine) as f:
        f.createDimension("x", 10)
        for kind in ("i4", "f4", "i8", "u1"):
            f.createVariable(kind, kind, ("x",), chunksizes=(3,))[3:5] = [0, 1]
        f.createVariable("asked", "i2", ("x",), chunksizes=(4,), fill_value=-5)[0] = 0


@sample()
def empty_text(path, engine):
    with library(path, engine) as f:
        f.createDimension("x", 4)
        f.createVariable("s", str, ("x",), chunksizes=(2,))[0] = "a"


@sample(engines=("netcdf4",))
def without_fill(path, engine):
    with library(path, engine) as f:
        f.createDimension("x", 3)
        f.createVariable("n", "i4", ("x",), fill_value=False)[:] = [0, 5, 6]


# ---- times ----


@sample()
def times(path, engine):
    put(path, engine, {"n": ("time", [0, 1, 2]), "seen": ("time", np.array(["2000-01-01T12:00", "NaT", "2001-01-01"], "M8[ns]"))}, {"time": days(3)},
        encoding={"seen": {"units": "hours since 1999-01-01", "dtype": "f8"}})


@sample()
def times_from_zero(path, engine):
    put(path, engine, {"n": ("time", [0.0, 1, 2])}, {"time": days(3)}, encoding={"time": {"units": "days since 2000-01-30", "dtype": "i4"}})


@sample()
def timedeltas(path, engine):
    put(path, engine, {"lag": ("x", np.array([0, 3, 5], "m8[h]").astype("m8[ns]"))}, {"x": [0, 1, 2]})


@sample()
def time_bounds(path, engine):
    put(path, engine, {"time_bnds": (("time", "bnds"), np.stack([days(3), days(3) + np.timedelta64(1, "D")], 1)), "n": ("time", [1.5, 2.5, 3.5])},
        {"time": ("time", days(3), {"bounds": "time_bnds"})}, unlimited_dims=["time"])


def in_calendar(calendar):
    def write_calendar(path, engine):
        import xarray

        put(path, engine, {"n": ("time", [0, 1, 2])}, {"time": xarray.date_range("2000-02-27", periods=3, calendar=calendar, use_cftime=True)})

    write_calendar.__name__ = f"calendar_{calendar}"
    return sample()(write_calendar)


for each in ("standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day"):
    in_calendar(each)


# ---- dimensions ----


@sample()
def without_variables(path, engine):
    put(path, engine, {"a": (("x", "y"), np.arange(6).reshape(2, 3)), "b": ("y", [0.0, 1, 2])})


@sample()
def empty_dimension(path, engine):
    put(path, engine, {"a": (("x", "y"), np.zeros((0, 3))), "n": ("x", np.zeros(0, "i4")), "s": ("x", np.zeros(0, object))}, {"y": [1, 2, 3]})


@sample()
def unlimited(path, engine):
    put(path, engine, {"t": (("time", "x"), np.arange(6.0).reshape(3, 2)), "n": ("time", [0, 1, 2])}, {"time": days(3), "x": [0, 1]}, unlimited_dims=["time"])


@sample()
def unlimited_and_empty(path, engine):
    with library(path, engine) as f:
        f.createDimension("time", None)
        f.createDimension("x", 2)
        f.createVariable("time", "f8", ("time",)).units = "days since 2000-01-01"
        f.createVariable("t", "f4", ("time", "x"))
        f.createVariable("x", "i4", ("x",))[:] = [0, 1]


@sample()
def unlimited_without_variable(path, engine):
    with library(path, engine) as f:
        f.createDimension("u", None)
        f.createDimension("v", None)
        f.createVariable("a", "i4", ("u", "v"))[:2, :3] = np.arange(6).reshape(2, 3)
        f.createVariable("b", "i4", ("u",))[:2] = [0, 9]


@sample()
def shorter_than_its_dimension(path, engine):
    with library(path, engine) as f:
        f.createDimension("time", None)
        f.createDimension("x", 3)
        f.createVariable("whole", "i4", ("time", "x"))[:2] = np.arange(6).reshape(2, 3)
        f.createVariable("part", "i4", ("time", "x"), fill_value=-7)[:1] = np.arange(3).reshape(1, 3)
        f.createVariable("real", "f4", ("time",))
        f.createVariable("text", str, ("time",))[:1] = np.array(["a"], object)


@sample()
def unused_dimension(path, engine):
    with library(path, engine) as f:
        f.createDimension("unused", 5)
        f.createDimension("x", 2)
        f.createVariable("n", "i4", ("x",))[:] = [0, 1]


@sample()
def named_as_a_dimension(path, engine):
    with library(path, engine) as f:
        f.createDimension("c", 3)
        f.createDimension("x", 2)
        f.createVariable("c", "i4", ("x",))[:] = [0, 1]
        f.createVariable("d", "f4", ("c", "x"))[:] = np.arange(6).reshape(3, 2)


@sample()
def coordinate_of_two_dimensions(path, engine):
    with library(path, engine) as f:
        f.createDimension("y", 2)
        f.createDimension("x", 3)
        f.createVariable("y", "i4", ("y", "x"))[:] = np.arange(6).reshape(2, 3)
        f.createVariable("d", "f4", ("y", "x"))[:] = np.arange(6).reshape(2, 3)


@sample()
def multidimensional_coordinates(path, engine):
    put(path, engine, {"t": (("time", "y", "x"), np.arange(12.0).reshape(2, 2, 3)), "crs": ((), 0, {"grid_mapping_name": "rotated_latitude_longitude"})},
        {"lat": (("y", "x"), np.arange(6.0).reshape(2, 3)), "lon": (("y", "x"), np.arange(6.0).reshape(2, 3)), "time": days(2), "height": 2.0})


@sample()
def square(path, engine):
    put(path, engine, {"d": (("x", "y"), np.arange(9).reshape(3, 3)), "e": (("y", "x"), np.arange(9.0).reshape(3, 3))}, {"x": [1, 2, 3], "y": [10, 20, 30]})


@sample()
def four_dimensions(path, engine):
    compressed = {"zlib": True, "complevel": 4, "shuffle": True, "chunksizes": (1, 2, 3, 2)}
    put(path, engine, {"t": (("time", "lev", "lat", "lon"), np.arange(120, dtype="f4").reshape(2, 3, 4, 5))},
        {"lev": [1000.0, 500, 200], "lat": np.arange(4.0), "lon": np.arange(5.0), "time": days(2)}, encoding={"t": compressed})


@sample()
def scalars(path, engine):
    put(path, engine, {"n": 0, "f": 2.5, "s": "text", "empty": "", "t": np.datetime64("2001-02-03", "ns"), "b": True})


# ---- groups ----


@sample(groups=("/", "/child", "/other"))
def groups(path, engine):
    with library(path, engine) as f:
        f.createDimension("x", 2)
        f.createDimension("time", None)
        f.createVariable("x", "f8", ("x",))[:] = [0.5, 1.5]
        f.createVariable("n", "i4", ("time", "x"))[:3] = np.arange(6).reshape(3, 2)
        child = f.createGroup("child")
        child.title = "uses a dimension of its parent"
        child.createDimension("y", 3)
        child.createVariable("a", "i4", ("y", "x"))[:] = np.arange(6).reshape(3, 2)
        other = f.createGroup("other")
        other.createDimension("x", 4)  # hides that of the root
        other.createVariable("x", "i4", ("x",))[:] = np.arange(4)
        other.createVariable("c", "i4", ("x",))[:] = np.arange(4)


@sample(groups=("/", "/child/grand"), engines=("netcdf4",))  # h5netcdf looks for dimensions of the root in the group between
def deep_groups(path, engine):
    with library(path, engine) as f:
        f.createDimension("x", 2)
        f.createDimension("time", None)
        grand = f.createGroup("child/grand")
        f["child"].createDimension("y", 3)
        grand.createVariable("a", "f4", ("time", "x"))[:4] = np.arange(8).reshape(4, 2)
        grand.createVariable("b", "f4", ("x", "y"))[:] = np.arange(6).reshape(2, 3)
        f.createVariable("n", "i4", ("time",))[:2] = [0, 1]


@sample(groups=("/", "/a", "/a/b"))
def tree(path, engine):
    import xarray

    base = xarray.Dataset({"t": ("x", [1.0, np.nan])}, {"x": [0, 1]}, {"title": "base"})
    inner = xarray.Dataset({"n": (("x", "y"), np.arange(6).reshape(2, 3))}, {"y": ["a", "b", "c"]})
    xarray.DataTree.from_dict({"/": base, "/a": inner, "/a/b": xarray.Dataset({"z": ("w", [0, 1, 2])})}).to_netcdf(path, engine=engine)


# ---- attributes ----


@sample()
def attributes(path, engine):
    of = {kind: np.dtype(kind).type(3) for kind in ("i1", "u1", "i2", "i4", "i8", "f4", "f8")}
    lists = {"many": np.arange(3, dtype="i2"), "real": np.array([0.1, 0.2], "f4"), "one": np.array([7], "i4"), "texts": ["a", "b"], "text": "ü", "empty": "", "tenth": np.float32(0.1)}
    put(path, engine, {"v": ("x", [1.0, 2], {**of, **lists})}, attrs={**of, **lists, "Conventions": "CF-1.11"})


@sample()
def big_attributes(path, engine):
    put(path, engine, {"v": ("x", [1.0, 2], {"history": "line\n" * 20000})}, attrs={"history": "x" * 100000, "table": np.arange(20000.0)})


@sample()
def nothing_but_attributes(path, engine):
    put(path, engine, {}, attrs={"title": "empty"})


@sample()
def written_in_two_goes(path, engine):
    import xarray

    first = xarray.Dataset({"a": ("x", [0, 1])}, {"x": [5, 6]})
    first.to_netcdf(path, engine=engine)
    path = for_engine(path, engine)
    xarray.Dataset({"b": (("x", "y"), [[0.0], [1.0]])}, attrs={"later": 1}).to_netcdf(path, engine=engine, mode="a")


@sample()
def odd_names(path, engine):
    put(path, engine, {"ü v": ("dim-1", [0, 1]), "a.b": ("dim-1", [0.0, 1]), "_x": ("dim-1", [0, 1])}, {"dim-1": [3, 4]})


@sample(engines=("netcdf4",))
def classic_model(path, engine):
    put(path, engine, {"t": (("time", "x"), np.arange(6.0).reshape(3, 2))}, {"time": days(3)}, format="NETCDF4_CLASSIC", unlimited_dims=["time"])
