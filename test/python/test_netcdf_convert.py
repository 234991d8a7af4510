"""`h5zarr convert store.zarr x.nc`: the file shows what xr.open_zarr shows of the store, and its header is that of the file that xr.open_zarr(x).to_netcdf() makes."""

import re

import h5py
import numpy as np
import pytest

import netcdf_stores
from converting import convert
from netcdf_judge import by_hdf5, by_zarr, difference, for_engine, verdict
from test_netcdf_wild import EXPECTED, WILD, as_meant, expected_of, looked_at

xarray = pytest.importorskip("xarray")
netCDF4 = pytest.importorskip("netCDF4")
pytest.importorskip("h5netcdf")
pytestmark = pytest.mark.filterwarnings("ignore")


# ---- the rules of netCDF-Java, which does not run here ----

# Names as its NetcdfFileFormat.isValidNetcdfObjectName and netCDF-C's NC_check_name want them; types of netCDF-4's data model, without those that
# the libraries leave out (opaque elements, references) or end at (half floats); filters that each of its versions has.
NAME = re.compile(r"^(?:[A-Za-z0-9_]|[^\x00-\x7f])(?:[^\x00-\x1f/\x7f]*[^\x00-\x20/\x7f])?$")
SCALES = {"DIMENSION_LIST", "REFERENCE_LIST"}
FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}


def is_known(kind):
    """Is it a type of netCDF-4? A string of fixed length, an enumeration, and compounds and sequences of such are."""
    if isinstance(kind, h5py.h5t.TypeFloatID):
        return kind.get_size() in (4, 8)
    if isinstance(kind, h5py.h5t.TypeCompoundID):
        return all(NAME.match(kind.get_member_name(i).decode()) and is_known(kind.get_member_type(i)) for i in range(kind.get_nmembers()))
    if isinstance(kind, h5py.h5t.TypeVlenID):
        return is_known(kind.get_super())
    return isinstance(kind, (h5py.h5t.TypeIntegerID, h5py.h5t.TypeStringID, h5py.h5t.TypeEnumID))


def against_the_rules(path):
    found = []

    def look(name, thing):
        last = name.rsplit("/", 1)[-1]
        if name and not NAME.match(last):
            found.append(f"{name}: no name of netCDF's")
        for key in thing.attrs:
            kind = h5py.h5a.open(thing.id, key.encode()).get_type()
            if not NAME.match(key) or (key not in SCALES and not is_known(kind)):
                found.append(f"{name}:{key}: no attribute of netCDF's")
        if isinstance(thing, h5py.Dataset):
            plist = thing.id.get_create_plist()
            filters = {plist.get_filter(i)[0] for i in range(plist.get_nfilters())}
            if not is_known(thing.id.get_type()) or filters - FILTERS or thing.shape is None:
                found.append(f"{name}: {thing.dtype} {filters} {thing.shape}")
            if not thing.is_scale and thing.ndim and not all(len(axis) == 1 and axis[0].name for axis in thing.dims):
                found.append(f"{name}: not one dimension on each axis")

    with h5py.File(path) as f:
        look("", f)
        f.visititems(look)
    return found


WITHOUT_DIMENSION = {"nczarr_in_xarray_mode", "nc_zarr.zarr"}  # NCZarr's scalars of its mode `zarr` have one element: docs/limits.md


def converted(name, store, groups, tmp_path):
    convert(store, tmp_path / "x.nc")
    verdict(name, looked_at(name, store, groups, tmp_path / "x.nc"), EXPECTED)
    broken = against_the_rules(tmp_path / "x.nc")
    assert [line for line in broken if name not in WITHOUT_DIMENSION or "not one dimension" not in line] == []


@pytest.mark.parametrize("name", netcdf_stores.STORES)
def test_made_here(made_here, tmp_path, name):
    converted(name, *made_here(name), tmp_path)


@pytest.mark.parametrize("name", WILD)
def test_wild(wild, tmp_path, name):
    converted(name, wild / name, WILD[name], tmp_path)


def test_rules_tell(tmp_path):
    """What a file of h5py breaks is told, so that the test above could fail."""
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f["half"] = np.ones(2, "f2")
        f.create_dataset(" a", data=[1, 2], compression="lzf")
        f["c"] = np.array([b"a"], "V1")
    assert {line.split(":")[0] for line in against_the_rules(tmp_path / "x.h5")} == {"half", " a", "c"}


# ---- types ----


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_booleans(tmp_path, zarr_format):
    """As to_netcdf makes them: bytes, and the attribute by which xarray knows them."""
    values = np.array([True, False, True])
    data = xarray.Dataset({"b": ("x", values, {"long_name": "b"}), "one": ((), False), "n": ("x", [1.5, 2, 3])}, {"x": [1, 2, 3]})
    data.to_zarr(tmp_path / "s.zarr", zarr_format=zarr_format)
    data.to_netcdf(tmp_path / "meant.nc", engine="netcdf4")
    convert("--verify", tmp_path / "s.zarr", tmp_path / "x.nc")
    with netCDF4.Dataset(tmp_path / "x.nc") as found, netCDF4.Dataset(tmp_path / "meant.nc") as meant:
        for name in ("b", "one"):
            assert found[name].dtype == meant[name].dtype == np.dtype("i1")
            assert found[name].getncattr("dtype") == meant[name].getncattr("dtype") == "bool"
            np.testing.assert_array_equal(found[name][...], meant[name][...])
    for engine in ("h5netcdf", "netcdf4"):
        seen = by_hdf5(tmp_path / "x.nc", engine)
        assert seen["b"].dtype == bool and difference(by_zarr(tmp_path / "s.zarr"), seen) == ""


def test_no_filter_over_text(tmp_path):
    """netCDF's libraries have none there, and netCDF-Java 4.2 does not read it; numbers are compressed."""
    netcdf_stores.plain_v3(tmp_path / "s.zarr")
    convert("--verify", tmp_path / "s.zarr", tmp_path / "x.nc")
    with h5py.File(tmp_path / "x.nc") as f:
        assert f["name"].compression is None and not f["name"].shuffle and f["t"].compression == "gzip"
        assert h5py.check_string_dtype(f["name"].dtype).length is None


@pytest.mark.parametrize("name", ["packed_v2", "packed_v3", "sharded_v3", "tree_v3", "in_a_zip", "by_hand_v3", "nczarr_groups"])
@pytest.mark.parametrize("container, zarr_format", [("file", 2), ("file", 3), ("directory", 3), ("zip", 2)])
def test_into_another_store(made_here, tmp_path, name, container, zarr_format):
    """A copy of the store is for HDF5 programs what the store is, and for xr.open_zarr, too."""
    (store, groups), copy = made_here(name), tmp_path / ("copy.zip" if container == "zip" else "copy.zarr")
    convert(store, copy, f"--container={container}", f"--format={zarr_format}")
    for group in groups:
        expected = expected_of(as_meant(name, store), group)
        assert difference(expected, by_hdf5(copy, "h5netcdf", group)) == ""
        assert difference(expected, by_hdf5(for_engine(copy, "netcdf4"), "netcdf4", group)) == ""
        assert difference(expected, by_zarr(copy, group)) == ""
