"""Three HDF5 libraries in one process (h5py's, PyTables', netCDF4's), each of which loads the plugin when it is imported.

PyTables opens stores again that are zip files, netCDF4 what is marked (docs/limits.md)."""

import importlib
import itertools
import re

import h5py
import numpy as np
import pytest

import view
from interpreter import run_once
from places import by_zarr, needs_extended_attributes, with_connector

MODULES = ["h5py", "tables", "netCDF4"]


@pytest.fixture(autouse=True)
def installed():
    for name in MODULES:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed here")


def libraries():
    """The HDF5 libraries in this process, from its own list of mapped files."""
    with open("/proc/self/maps") as maps:
        return set(re.findall(r"\S*/libhdf5[-.][^/\s]*so[^/\s]*", maps.read()))


def work(path):
    with h5py.File(path, "w") as f:
        f["g/x"] = np.arange(1000)
        f["g/text"] = ["a", "ü"]
        f.attrs["k"] = "v"
    with h5py.File(path) as f:
        assert list(f) == ["g"] and f["g/x"][5:8].tolist() == [5, 6, 7] and f["g"] == f["g"]
        assert f[f["g/x"].ref].name == "/g/x"
        with h5py.File(path) as again:
            assert again["g/x"] == f["g/x"]


def h5py_writes(path):
    with h5py.File(path, "a") as f:
        f["h5py"] = np.arange(10)
        f["h5py"].attrs["times"] = 1


def h5py_reads(path, name):
    with h5py.File(path) as f:
        return f[name][...].tolist(), int(np.ravel(f[name].attrs["times"])[0])


def tables_writes(path):
    import tables

    with tables.open_file(path, "a") as f:
        f.create_array("/", "tables", np.arange(10) * 2)
        f.root.tables.attrs["times"] = 2


def tables_reads(path, name):
    import tables

    with tables.open_file(path, "r") as f:
        return f.get_node("/", name)[:].tolist(), int(np.ravel(f.get_node("/", name).attrs["times"])[0])


def netCDF4_writes(path):
    import os

    import netCDF4

    with netCDF4.Dataset(path, "a" if os.path.exists(path) else "w") as f:
        f.createDimension("d", 10)
        f.createVariable("netCDF4", "i8", ("d",))[:] = np.arange(10) * 3
        f["netCDF4"].setncattr("times", 3)


def netCDF4_reads(path, name):
    import netCDF4

    with netCDF4.Dataset(path) as f:
        return f[name][:].tolist(), int(f[name].getncattr("times"))


def for_netcdf4(path):
    """netcdf-c passes to HDF5 what has its magic bytes, or is marked as a container of DAOS (docs/limits.md)."""
    import os

    os.setxattr(path, "user.daos", b".daos")


def values(name):
    times = MODULES.index(name) + 1
    return [n * times for n in range(10)], times


def in_order(order, path):
    """Each on a store of its own; then all on one, which each adds to and each reads."""
    for name in order:
        globals()[name] = __import__(name)
    print(len(libraries()), "libraries")
    work(path)
    own = [f"{path}.{name}.zip" for name in order]
    for name, store in zip(order, own):
        globals()[f"{name}_writes"](store)
        for_netcdf4(store)
    for name, store in zip(order, own):
        for reader in order:
            assert globals()[f"{reader}_reads"](store, name) == values(name)
    shared = path + ".shared.zip"
    h5py.File(shared, "w", track_order=True).close()  # netCDF4 writes into no file without it, nor into such a native one
    for i, name in enumerate(order):
        for_netcdf4(shared)  # a zip file is another one after each change
        globals()[f"{name}_writes"](shared)
        for_netcdf4(shared)
        for reader in order:
            for written in order[: i + 1]:
                assert globals()[f"{reader}_reads"](shared, written) == values(written)
    work(path + "2")
    print("done")


def together(path):
    """h5py and PyTables hold stores open at the same time, each its own; one reads what the other has closed."""
    import tables

    with h5py.File(path + ".1.zip", "w") as f, tables.open_file(path + ".2.zip", "w") as t:
        for i in range(5):
            f[f"a{i}"] = np.arange(1000) + i
            t.create_array("/", f"a{i}", np.arange(1000) - i)
            assert f[f"a{i}"][5] == 5 + i and t.get_node(f"/a{i}")[5] == 5 - i
    with h5py.File(path + ".2.zip") as f, tables.open_file(path + ".1.zip") as t:
        return [int(f[f"a{i}"][...].sum()) for i in range(5)] == [499500 - 1000 * i for i in range(5)] and t.root.a3[7] == 10


@pytest.mark.parametrize("order", list(itertools.permutations(MODULES)), ids="-".join)
def test_main_work_in_any_order(order, tmp_path):
    needs_extended_attributes(tmp_path)
    path = str(tmp_path / "s.zarr")
    status, said = run_once(with_connector(), in_order, order, path)
    assert status == 0, said
    assert said.splitlines()[0] == "3 libraries" and "done" in said.splitlines(), said
    for store in (path, path + "2"):
        assert by_zarr(store)["g/x"][...].sum() == 499500
        assert view.file_tree(store)["g/x"]["shape"] == (1000,)
    assert {"h5py", "tables", "netCDF4"} <= view.file_tree(path + ".shared.zip").keys()


def test_stores_open_at_the_same_time(tmp_path):
    status, said = run_once(with_connector(), print_together, str(tmp_path / "s"))
    assert status == 0 and said.splitlines()[-1] == "True", said


def print_together(path):
    print(together(path))


def anndata_too(source, path):
    import netCDF4  # noqa: F401
    import tables  # noqa: F401

    import anndata

    anndata.read_h5ad(source).write_h5ad(path)


@pytest.mark.filterwarnings("ignore")
def test_main_job_among_them(tmp_path, real_data):
    anndata = pytest.importorskip("anndata")
    status, said = run_once(with_connector(), anndata_too, real_data, str(tmp_path / "out.zarr"))
    assert status == 0, said
    from anndata.tests.helpers import assert_equal

    assert_equal(anndata.read_zarr(tmp_path / "out.zarr"), anndata.read_h5ad(real_data))
