"""`h5zarr convert store.zarr x.nc`: the file shows what xr.open_zarr shows of the store, and its header is that of the file that xr.open_zarr(x).to_netcdf() makes."""

import h5py
import pytest

import netcdf_stores
from converting import convert
from netcdf_judge import by_hdf5, by_zarr, difference, for_engine, verdict
from test_netcdf_wild import EXPECTED, WILD, as_meant, looked_at, wild  # noqa: F401

xarray = pytest.importorskip("xarray")
netCDF4 = pytest.importorskip("netCDF4")
pytest.importorskip("h5netcdf")
pytestmark = pytest.mark.filterwarnings("ignore")


def converted(name, store, groups, tmp_path):
    convert(store, tmp_path / "x.nc")
    verdict(name, looked_at(name, store, groups, tmp_path / "x.nc"), EXPECTED)


@pytest.mark.parametrize("name", netcdf_stores.STORES)
def test_made_here(tmp_path, name):
    store = tmp_path / ("s.zip" if name == "in_a_zip" else "s.zarr")
    converted(name, store, netcdf_stores.STORES[name](store) or ["/"], tmp_path)


@pytest.mark.parametrize("name", WILD)
def test_wild(wild, tmp_path, name):  # noqa: F811
    converted(name, wild / name, WILD[name], tmp_path)


def test_no_filter_over_text(tmp_path):
    """netCDF's libraries have none there, and netCDF-Java 4.2 does not read it; numbers are compressed."""
    netcdf_stores.plain_v3(tmp_path / "s.zarr")
    convert("--verify", tmp_path / "s.zarr", tmp_path / "x.nc")
    with h5py.File(tmp_path / "x.nc") as f:
        assert f["name"].compression is None and not f["name"].shuffle and f["t"].compression == "gzip"
        assert h5py.check_string_dtype(f["name"].dtype).length is None


@pytest.mark.parametrize("name", ["packed_v2", "packed_v3", "sharded_v3", "tree_v3", "in_a_zip", "by_hand_v3", "nczarr_groups"])
@pytest.mark.parametrize("container, zarr_format", [("file", 2), ("file", 3), ("directory", 3), ("zip", 2)])
def test_into_another_store(tmp_path, name, container, zarr_format):
    """A copy of the store is for HDF5 programs what the store is, and for xr.open_zarr, too."""
    store, copy = tmp_path / ("s.zip" if name == "in_a_zip" else "s.zarr"), tmp_path / ("copy.zip" if container == "zip" else "copy.zarr")
    groups = netcdf_stores.STORES[name](store) or ["/"]
    convert(store, copy, f"--container={container}", f"--format={zarr_format}")
    for group in groups:
        expected = by_zarr(as_meant(name, store), group)
        assert difference(expected, by_hdf5(copy, "h5netcdf", group)) == ""
        assert difference(expected, by_hdf5(for_engine(copy, "netcdf4"), "netcdf4", group)) == ""
        assert difference(expected, by_zarr(copy, group)) == ""
