"""Three HDF5 libraries in one process (h5py's, PyTables', netCDF4's), each of which loads the plugin when it is imported."""

import importlib
import itertools
import re

import h5py
import numpy as np
import pytest

import view
from interpreter import run_once
from places import by_zarr, with_connector

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


def in_order(order, path):
    for name in order:
        globals()[name] = __import__(name)
    print(len(libraries()), "libraries")
    work(path)
    import tables
    import netCDF4

    native = path + ".h5"
    with tables.open_file(native, "w", driver="H5FD_CORE") as t:
        t.create_array("/", "x", np.arange(3))
    try:
        with netCDF4.Dataset(path + ".nc", "w", diskless=True) as n:
            n.createDimension("d", 3)
            n.createVariable("v", "f4", ("d",))[:] = 1
    except Exception as error:
        print("netCDF4:", error)
    work(path + "2")
    print("done")


@pytest.mark.parametrize("order", list(itertools.permutations(MODULES)), ids="-".join)
def test_main_work_in_any_order(order, tmp_path):
    path = str(tmp_path / "s.zarr")
    status, said = run_once(with_connector(), load_and_work, order, path)
    assert status == 0, said
    assert said.splitlines()[0] == "3 libraries" and said.splitlines()[-1] == "done", said
    for store in (path, path + "2"):
        assert by_zarr(store)["g/x"][...].sum() == 499500
        assert view.file_tree(store)["g/x"]["shape"] == (1000,)


def load_and_work(order, path):
    in_order(order, path)


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
