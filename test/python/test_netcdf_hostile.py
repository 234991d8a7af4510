"""Stores that say something wrong, too much, or misleading of dimensions (netcdf_hostile.py): what is stored is read, in bounded time, and the
dimensions are those that xr.open_zarr finds, or none. Nothing ends the program.
"""

import fnmatch
import os
import time

import h5py
import numpy as np
import pytest

import netcdf_hostile
from interpreter import Interpreter
from netcdf_judge import by_hdf5, by_zarr
from places import files

xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")
pytest.importorskip("h5netcdf")
if int(zarr.__version__.split(".")[0]) < 3:
    pytest.skip("zarr-python 2 does not read these", allow_module_level=True)
pytestmark = pytest.mark.filterwarnings("ignore")

SECONDS = 60  # of a processor
NOT_READ = {"of_every_rank": {"b"}, "not_understood_of_the_name": {"c"}, "endless": {"a", "b"}}  # arrays that HDF5 has no rank or size for
# xarray takes long for them; has no such arrays; looks at a fill value that is wrong for no array; reads NCZarr's declarations elsewhere
WITHOUT_JUDGE = "many_* deep of_every_rank endless not_understood_* missing_values_* nczarr_*"
# Names that no dataset of HDF5 can have, or two arrays of which one would have the other's.
NONE_IN_HDF5 = ["names_*_" + word for word in ("half", "slash", "dots", "above", "nul", "nul_inside", "surrogate", "numbers")] + [
    "as_netcdf_would_show_it", "prefix_alone", "a_group_of_the_name"]


def said_by(read):
    try:
        return read(), None
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def elements(dataset):
    return dataset[tuple(slice(0, 2) for _ in dataset.shape)].tolist()


def attributes(node):
    """Those that cannot be read are named."""
    return {str(name): said_by(lambda name=name: node.attrs[name] is None)[1] for name in node.attrs}


def walk(path, mode):
    """{path of an array: its elements}, errors, seconds. All names, attributes, scales and elements of a file are looked at; mode a: one is changed."""
    began, found, errors = time.process_time(), {}, {}
    with h5py.File(path, mode) as f:
        names = []
        f.visit(names.append)
        for name in ["/", *names]:
            node, error = said_by(lambda: f[name])
            if node is not None:
                errors |= {f"{name}@{key}": text for key, text in attributes(node).items() if text}
            if isinstance(node, h5py.Dataset):
                found[name], error = said_by(lambda: elements(node))
                errors |= {f"{name} scales": text for text in [said_by(lambda: [[scale.name for scale in axis.values()] for axis in node.dims])[1]] if text}
            if error:
                errors[name] = error
        if mode == "a":
            f.attrs["changed"] = 1
    return found, errors, time.process_time() - began


@pytest.fixture(scope="module")
def reader():
    found = Interpreter(dict(os.environ))
    yield found
    found.stop()


def arrays(store):
    """{path: the first elements} of what a case stored; an array of one chunk."""
    found = {}
    for key, data in store.items():
        path = key.rpartition("/c/")[0] if "/c/" in key else key.removesuffix("/c") if key.endswith("/c") else None
        path = path or (key.rpartition("/")[0] if key.rpartition("/")[2].replace(".", "").isdigit() else None)
        if path:
            found[path] = data
    return found


def as_netcdf(name):
    """Where a dimension has the name of an array that is not its own: as netCDF-C shows it."""
    above, _, last = name.rpartition("/")
    return f"{above}/_nc4_non_coord_{last}".lstrip("/")


@pytest.mark.parametrize("name", netcdf_hostile.CASES)
def test_hostile(reader, tmp_path, name):
    path = tmp_path / "s.zarr"
    store = netcdf_hostile.write(name, path)
    before = files(path)
    found, errors, seconds = reader.run(walk, path, "r")
    assert files(path) == before
    left_out = NOT_READ.get(name, set())
    assert set(errors) == left_out, errors
    for array, data in arrays(store).items():
        if array not in left_out:
            seen = found.get(as_netcdf(array), found.get(array))
            assert seen is not None and np.ravel(seen)[0] == data[0], array
    again, errors, more = reader.run(walk, path, "a")
    assert again == found and set(errors) == left_out
    assert max(seconds, more) < SECONDS


def dimensions(data):
    return {name: variable.dims for name, variable in data.variables.items()}


@pytest.mark.parametrize("name", [name for name in netcdf_hostile.CASES if not any(fnmatch.fnmatch(name, pattern) for pattern in WITHOUT_JUDGE.split())])
def test_as_xarray(tmp_path, name):
    """The dimensions that xr.open_zarr finds, if it finds some and HDF5 has such names. Else none are made up."""
    path = tmp_path / "s.zarr"
    netcdf_hostile.write(name, path)
    expected, refused = said_by(lambda: dimensions(by_zarr(path, raw=True)))
    found = dimensions(by_hdf5(path, "h5netcdf", raw=True))
    none = all(dimension.startswith("phony_dim_") for names in found.values() for dimension in names)
    if refused or any(fnmatch.fnmatch(name, pattern) for pattern in NONE_IN_HDF5):
        assert none, (refused, found)
    else:
        assert found == expected


@pytest.mark.parametrize("name", ["scales_by_attributes", "nczarr_types_ranges"])
def test_attributes_with_names_of_scales_stay(tmp_path, name):
    """HDF5 sees its own CLASS and NAME, the document keeps those that it has, also when it is changed."""
    path = tmp_path / "s.zarr"
    netcdf_hostile.write(name, path)
    before = {array: zarr.open_group(path)[array].attrs.asdict() for array in ("x", "a")}
    with h5py.File(path, "a") as f:
        assert f["x"].is_scale and f["x"].attrs["NAME"] == b"x" and not f["a"].is_scale
        assert f["a"].dims[1][0] == f["x"]
        for array in before:
            f[array].attrs["new"] = 7
    for array, attributes in before.items():
        assert zarr.open_group(path)[array].attrs.asdict() == {**attributes, "new": 7}
