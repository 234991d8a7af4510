"""Annotations of netCDF arrays: they stand in their group's, readers of plain Zarr meet none, and what they say of dimensions counts for
the names and the rank for which it was written. The judges are zarr-python and xr.open_zarr."""

import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

from interpreter import WithOptions
from netcdf_judge import by_hdf5, by_zarr, difference, for_engine, without_layout
from places import COMMAND, unpack

xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")
pytest.importorskip("h5netcdf")
pytest.importorskip("netCDF4")
pytestmark = pytest.mark.filterwarnings("ignore")
if int(zarr.__version__.split(".")[0]) < 3:
    pytest.skip("xarray's Zarr engine wants zarr-python 3", allow_module_level=True)

ENGINES = ["h5netcdf", "netcdf4"]

@pytest.fixture(scope="module")
def writers(connector):
    return {form: WithOptions(connector, f"create=*.zarr;format={form}") for form in (2, 3)}


def dataset():
    square = np.arange(9.0).reshape(3, 3)
    return xarray.Dataset({"d": (("x", "y"), square, {"units": "K", "f": np.float32(1.5)}), "n": (("y", "x"), square.astype("i4")),
                           "w": (("time", "nv"), np.arange(4.0).reshape(2, 2))},
                          {"x": [1, 2, 3], "y": [10, 20, 30], "time": np.array(["2000-01-01", "2000-01-02"], "M8[ns]")}, {"title": "a"})


def write(engine, path):
    dataset().to_netcdf(path, engine=engine, unlimited_dims=["time"])


# ---- copies ----

def change_none(name, names, data):
    return name, names, data


def turn(name, names, data):
    return name, names[::-1], data.T


def rename(name, names, data):
    return {"x": "lon"}.get(name, name), [{"x": "lon"}.get(each, each) for each in names], data


def rename_dimension(name, names, data):
    return name, [{"x": "lon"}.get(each, each) for each in names], data


def cut(name, names, data):
    return (name, names[1:], data[0]) if name == "d" else (name, names, data)


def grow(name, names, data):
    return (name, ["more", *names], data[None]) if name == "d" else (name, names, data)


def copy_by_zarr(source, target, form, change):
    """A copy that zarr-python makes, with all attributes; the documents' other members go along, as in a copy of files."""
    shutil.rmtree(target, ignore_errors=True)
    old, new = zarr.open_group(source, mode="r"), zarr.open_group(target, mode="w", zarr_format=form)
    new.attrs.update(dict(old.attrs))
    for name, array in old.arrays():
        attributes = dict(array.attrs)
        before = attributes.pop("_ARRAY_DIMENSIONS", []) if form == 2 else list(array.metadata.dimension_names or [])
        name, names, data = change(name, before, np.asarray(array[...]))
        made = new.create_array(name, data=data, fill_value=array.fill_value, **({"dimension_names": names} if form == 3 else {}))
        made.attrs.update(attributes | ({"_ARRAY_DIMENSIONS": names} if form == 2 else {}))
        keep_members(pathlib.Path(source, array.basename), pathlib.Path(target, name), form)


def keep_members(source, target, form):
    document = target / ("zarr.json" if form == 3 else ".zarray")
    old, new = json.loads((source / document.name).read_text()), json.loads(document.read_text())
    document.write_text(json.dumps({**{k: v for k, v in old.items() if k == "_HDF5" or k == "fill_value"}, **{k: v for k, v in new.items() if k != "fill_value"}}))


def check(store):
    for engine in ENGINES:
        found = by_hdf5(for_engine(store, engine), engine).reset_coords()
        assert not difference(by_zarr(store, consolidated=False).reset_coords(), found), engine


CHANGES = [change_none, turn, rename, rename_dimension, cut, grow]


@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize("engine", ENGINES)
def test_copies_by_zarr_python(writers, tmp_path, engine, form):
    writers[form].run(write, engine, tmp_path / "a.zarr")
    check(tmp_path / "a.zarr")
    for change in CHANGES:
        copy_by_zarr(tmp_path / "a.zarr", tmp_path / f"{change.__name__}.zarr", form, change)
        check(tmp_path / f"{change.__name__}.zarr")


@pytest.fixture(scope="module")
def earlier(tmp_path_factory):
    """Stores that version 0.1 made of `dataset` (commit d29fd273)."""
    return pathlib.Path(unpack(pathlib.Path(__file__).parent / "data" / "netcdf-of-vol-zarr-0.1.tar.xz", tmp_path_factory.mktemp("old")))


@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize("engine", ENGINES)
def test_stores_of_version_0_1(earlier, tmp_path, engine, form):
    store = earlier / f"{engine}_{form}.zarr"
    native = dataset()
    native.attrs["title"], native.d[:] = "old", native.d + 1
    for reader in ENGINES:
        assert not difference(native, by_hdf5(for_engine(store, reader), reader)), reader
    for change in CHANGES:
        copy_by_zarr(store, tmp_path / f"{change.__name__}.zarr", form, change)
        seen = {reader: by_hdf5(for_engine(tmp_path / f"{change.__name__}.zarr", reader), reader) for reader in ENGINES}
        expected = {name: v.dims for name, v in zarr_names(tmp_path / f"{change.__name__}.zarr", form).items() if name != "nv"}
        for reader, found in seen.items():
            assert {name: found[name].dims for name in expected} == expected, (change, reader)


class Names:
    def __init__(self, dims):
        self.dims = tuple(dims)


def zarr_names(store, form):
    return {name: Names(array.attrs["_ARRAY_DIMENSIONS"] if form == 2 else array.metadata.dimension_names) for name, array in zarr.open_group(store, mode="r").arrays()}


def test_copies_of_0_1_by_xarray(earlier, tmp_path):
    """xarray copies the attributes of version 0.1, which it shows. It opens those of format 2 alone."""
    form = 2
    found = xarray.open_zarr(earlier / "h5netcdf_2.zarr", decode_cf=False, mask_and_scale=False)
    found = without_layout(found[["d", "n", "x", "y"]].load())
    for name, change in {"t": lambda d: d.transpose("y", "x"), "r": lambda d: d.rename(x="lon"), "s": lambda d: d.isel(x=slice(0, 2)),
                         "i": lambda d: d.isel(x=0, drop=True)}.items():
        change(found).to_zarr(tmp_path / f"{name}.zarr", zarr_format=form)
        copy = by_zarr(tmp_path / f"{name}.zarr", decode_cf=False, mask_and_scale=False)
        for engine in ENGINES:
            seen = by_hdf5(for_engine(tmp_path / f"{name}.zarr", engine), engine, raw=True)
            for each in copy.variables:
                assert seen[each].dims == copy[each].dims, (name, engine, each)
                np.testing.assert_array_equal(seen[each].values, copy[each].values)


# ---- the group's annotation goes ----

def unlimited(path):
    import h5netcdf

    with h5netcdf.File(path, "r") as f:
        return {name for name, dimension in f.dimensions.items() if dimension.isunlimited()}


@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize("engine", ENGINES)
def test_append(writers, tmp_path, engine, form):
    """to_zarr(append_dim=...) erases the group's annotation, and with it which dimensions are unlimited: never names or values."""
    store = tmp_path / "a.zarr"
    writers[form].run(write, engine, store)
    before = by_hdf5(store, "h5netcdf")
    assert writers[form].run(unlimited, store) == {"time"}
    more = without_layout(by_zarr(store)[["w"]].assign_coords(time=dataset().time + np.timedelta64(2, "D")))
    more.to_zarr(store, append_dim="time")
    assert "_nc_hdf5" not in zarr.open_group(store, mode="r").attrs
    check(store)
    after = by_hdf5(store, "h5netcdf")
    assert {name: v.dims for name, v in after.variables.items()} == {name: v.dims for name, v in before.variables.items()}
    np.testing.assert_array_equal(after.w.values, np.concatenate([before.w.values] * 2))
    np.testing.assert_array_equal(after.d.values, before.d.values)
    assert writers[form].run(unlimited, store) == set()


# ---- h5zarr check ----

def told(store):
    done = subprocess.run([COMMAND, "check", "--json", store], capture_output=True, text=True)
    return {(finding["object"], finding["text"]) for finding in json.loads(done.stdout)["findings"] if finding["kind"] == "dimension"}


@pytest.mark.parametrize("form", [2, 3])
def test_check_tells_of_contradictions(writers, tmp_path, form):
    store = tmp_path / "a.zarr"
    writers[form].run(write, "h5netcdf", store)
    assert told(store) == set()
    copy_by_zarr(store, tmp_path / "renamed.zarr", form, rename_dimension)
    assert {name for name, text in told(tmp_path / "renamed.zarr") if "other names" in text} == {"d", "n", "x"}
    zarr.open_group(store)["w"].resize((5, 2))
    assert {(name, "time" in text and "5" in text and "2" in text) for name, text in told(store)} == {("w", True)}


def put(group, form, name, shape, names):
    array = group.create_array(name, shape=shape, chunks=shape, dtype="i4", **({"dimension_names": names} if form == 3 and names is not None else {}))
    if form == 2 and names is not None:
        array.attrs["_ARRAY_DIMENSIONS"] = names


def opens(open_store, *arguments, **more):
    try:
        open_store(*arguments, **more)
        return True
    except Exception:
        return False


TREES = {  # {path: (shape, names)}, and what is told of: (object, words)
    "alike": ({"time": ((3,), ["time"]), "g/n": ((3,), ["time"]), "g/h/m": ((3, 2), ["time", "y"])}, {}),
    "longer": ({"time": ((3,), ["time"]), "g/n": ((5,), ["time"])}, {"g/n": '"time" has length 5 here, and 3 in "time" of a group above'}),
    "two above": ({"a": ((3,), ["time"]), "g/h/n": ((2,), ["time"])}, {"g/h/n": '"time" has length 2 here, and 3 in "a" of a group above'}),
    "siblings": ({"g/n": ((3,), ["time"]), "h/n": ((5,), ["time"])}, {}),
    "nameless": ({"a": ((3,), ["x"]), "b": ((3,), None), "c": ((), None)}, {"b": "it names no dimensions"}),
    "two lengths": ({"a": ((3,), ["x"]), "b": ((4,), ["x"])}, {"b": '"x" has length 4 here, and 3 in "a"'}),
    "twice": ({"a": ((3, 3), ["x", "x"])}, {"a": 'dimensions 0 and 1 are both called "x"'}),
    "half": ({"a": ((3, 3), ["x", None])}, {"a": "dimension 1 has no name"}),
}
OPENS_ANYWAY = {"twice", "half"}  # xarray warns of the first, and calls a dimension None in format 3


@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize("case", TREES)
def test_check_tells_of_trees(tmp_path, case, form):
    """What xr.open_datatree does not open, check tells of."""
    store, (arrays, expected) = tmp_path / "a.zarr", TREES[case]
    root = zarr.open_group(store, mode="w", zarr_format=form)
    for path, (shape, names) in arrays.items():
        above, _, name = path.rpartition("/")
        put(root.require_group(above) if above else root, form, name, shape, names)
    found = dict(told(store))
    assert found.keys() == expected.keys() and all(words in found[name] for name, words in expected.items()), found
    if case not in OPENS_ANYWAY:
        assert opens(xarray.open_datatree, store, engine="zarr", consolidated=False) == (not expected)


def write_tree(path):
    import netCDF4

    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("time", None)
        f.createVariable("time", "f8", ("time",))[:3] = range(3)
        f.createGroup("g").createVariable("n", "i4", ("time",))[:2] = 1


@pytest.mark.parametrize("form", [2, 3])
def test_check_tells_of_unlimited_dimensions(writers, tmp_path, form):
    """A variable of a group that another program made shorter than its unlimited dimension."""
    store = tmp_path / "a.zarr"
    writers[form].run(write_tree, store)
    assert told(store) == set() and opens(xarray.open_datatree, store, engine="zarr", consolidated=False)
    zarr.open_group(store)["g/n"].resize((2,))
    assert {(name, "3" in text and "2" in text) for name, text in told(store)} == {("g/n", True)}
    assert not opens(xarray.open_datatree, store, engine="zarr", consolidated=False)


# ---- zarr-python 2 ----

ELEMENTS = """
import json, sys, numpy, zarr
group = zarr.open_group(sys.argv[1], mode="r")
print(json.dumps({name: [array.fill_value is None, numpy.asarray(array[...]).astype(float).ravel().tolist()] for name, array in group.arrays()}))
"""


def write_some(path):
    """An array of which a program wrote one chunk: the fill value of the others is no missing value."""
    import h5py

    with h5py.File(path, "w") as f:
        x = f.create_dataset("x", data=np.arange(4))
        x.make_scale("x")
        for name, fill in (("zero", 0), ("seven", 7)):
            d = f.create_dataset(name, shape=(4,), chunks=(1,), dtype="i4", fillvalue=fill)
            d.dims[0].attach_scale(x)
            d[1] = 5


def test_zarr_python_2_reads(writers, tmp_path):
    """Where `fill_value` is null it reads garbage for a chunk that is not there: all are."""
    python = os.environ.get("VZ_PY_HDMF")
    if not python:
        pytest.skip("VZ_PY_HDMF names no Python with zarr-python 2")
    writers[2].run(write_some, tmp_path / "a.zarr")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HDF5_")}
    done = subprocess.run([python, "-c", ELEMENTS, tmp_path / "a.zarr"], capture_output=True, text=True, check=True, env=plain)
    assert json.loads(done.stdout) == {"x": [True, [0, 1, 2, 3]], "zero": [True, [0, 5, 0, 0]], "seven": [True, [7, 5, 7, 7]]}
