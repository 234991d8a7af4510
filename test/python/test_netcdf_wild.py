"""Stores that geoscience has are netCDF-4 files for xarray's engines of HDF5, netCDF4 and h5netcdf: they show what xr.open_zarr shows."""

import functools
import json
import os
import shutil

import h5py
import pytest

import netcdf_samples
import netcdf_stores
from netcdf_judge import by_hdf5, by_zarr, difference, different_lines, for_engine, header, said, verdict, without_layout
from places import files

pytest.importorskip("xarray")
pytest.importorskip("netCDF4")
pytest.importorskip("h5netcdf")
pytestmark = pytest.mark.filterwarnings("ignore")

ENGINES = ["h5netcdf", "netcdf4"]

# Differences that are meant: a pattern of "CHECK GROUP CASE", and the reason.
IN_FORMAT_2 = "xr.open_zarr does not decode this spelling of `_FillValue` in format 2, and shows the text"
EXPECTED = [
    ("* virtualizarr_v2", IN_FORMAT_2),
    ("header / nczarr_groups", "NCZarr's declarations say types of attributes, and which dimensions are unlimited; xarray looks at neither"),
    ("header / nc_nczarr.zarr", "as above"),
    ("* nczarr_in_xarray_mode", "`_scalar_` is NCZarr's word for a scalar; without its other declarations the array has one element, and no dimension"),
    ("* zarrita.zarr", "an attribute that is an object is its text of JSON, as HDF5 has no objects; netCDF files of xarray have none either"),
    ("header / time_bounds *", "xarray leaves the units of bounds out of a file that it writes"),
]


def as_meant(name, store):
    """NCZarr always writes a fill value, and its `_FillValue` alone says that values are missing; xarray would mask a good 255 or -127."""
    copy = store.with_name("meant." + store.name)
    if not name.startswith(("nczarr", "nc_")) or copy.exists():
        return copy if copy.exists() else store
    shutil.copytree(store, copy)
    (copy / ".zmetadata").unlink(missing_ok=True)
    for document in copy.rglob(".zarray"):
        if "_FillValue" not in json.loads(document.with_name(".zattrs").read_text()):
            document.write_text(json.dumps({**json.loads(document.read_text()), "fill_value": None}))
    return copy


# A store that is looked at twice, as it is and after `h5zarr convert`, is opened by xarray once.
expected_of = functools.cache(by_zarr)


@functools.cache
def file_of(meant, group):
    """Of the file that xarray makes of a group: the undecoded data, the header, and what is not in it."""
    made = meant.parent / f"made.{meant.name}.nc"
    data = without_layout(by_zarr(meant, group, raw=True))
    left_out = [each for each, v in data.variables.items() if v.dtype.kind in "Sc"]
    data.drop_vars(left_out).to_netcdf(made, engine="netcdf4")
    return data, header(made), left_out


def looked_at(name, store, groups, shown=None):
    """{check: difference} of a store that xr.open_zarr opens. What HDF5 programs open is the store, or the file `shown`."""
    found, meant = {}, as_meant(name, store)
    for group in groups:
        expected = expected_of(meant, group)
        complex_numbers = [name for name, v in expected.variables.items() if v.dtype.kind == "c"]  # netCDF has none
        seen = {engine: lambda engine=engine: by_hdf5(shown or for_engine(store, engine), engine, group) for engine in ENGINES}
        found[f"h5netcdf {group}"] = said(lambda: difference(expected, seen["h5netcdf"]()))
        found[f"netcdf4 {group}"] = said(lambda: difference(expected.drop_vars(complex_numbers), seen["netcdf4"]().drop_vars(complex_numbers)))
        found[f"header {group}"] = said(lambda: header_of(shown or for_engine(store, "netcdf4"), meant, group))
    return found


def of_group(lines, group):
    """The lines of a header that tell of a group, with the dimensions of those above it."""
    found, inside = {}, group.strip("/") + "/" if group != "/" else ""
    for above in [inside[:i] for i in range(len(inside) + 1) if i == 0 or inside[i - 1] == "/"]:
        here = {key.removeprefix(above): value for key, value in lines.items() if key.startswith(above) and "/" not in key.removeprefix(above).split(":")[0]}
        found = {key: value for key, value in found.items() if key.endswith(" =")} | here
    return found


def header_of(shown, meant, group):
    """That of a file, held against that of the file that xarray makes of the store.

    netCDF adds `_FillValue` to real numbers, and has characters where Zarr has text of a fixed size. Booleans are an enumeration.
    """
    data, lines, left_out = file_of(meant, group)
    expected, found = dict(lines), of_group(header(shown), group)
    for key in [*expected]:
        variable = key.removesuffix(":_FillValue")
        if variable != key and key not in found and data[variable].dtype.kind == "f" and expected[key][1] == "nan":
            del expected[key]
        elif key in data.variables and data[key].dtype.kind == "b" and found[key][0].startswith("_AnonymousEnum"):
            found[key] = expected[key]
    used = {dimension for value in expected.values() if isinstance(value[1], tuple) for dimension in value[1]}
    unneeded = lambda key: key.split(":")[0] in left_out or key.endswith(" =") and key[:-2] not in used
    return different_lines(*({key: value for key, value in lines.items() if not unneeded(key)} for lines in (expected, found)))


@pytest.mark.parametrize("name", netcdf_stores.STORES)
def test_made_here(made_here, name):
    store, groups = made_here(name)
    before = files(store) if store.is_dir() else store.read_bytes()
    found = looked_at(name, store, groups)
    assert before == (files(store) if store.is_dir() else store.read_bytes())
    verdict(name, found, EXPECTED)


def of_samples():
    for name, function in netcdf_samples.SAMPLES.items():
        for number, engine in enumerate(function.engines):
            for zarr_format in (2, 3) if os.environ.get("VZ_NETCDF") == "all" else [2 + number % 2]:
                yield name, engine, zarr_format


@pytest.mark.parametrize("name, engine, zarr_format", [*of_samples()])
def test_samples(tmp_path, name, engine, zarr_format):
    """Of the netCDF file that each sample is, xarray makes a store."""
    groups = netcdf_samples.SAMPLES[name].groups
    netcdf_samples.write(name, tmp_path / "a.nc", engine)
    for group in groups:
        without_layout(by_hdf5(tmp_path / "a.nc", engine, group)).to_zarr(tmp_path / "s.zarr", mode="a", group=group if group != "/" else None, zarr_format=zarr_format)
    verdict(f"{name} v{zarr_format}", looked_at(name, tmp_path / "s.zarr", groups), EXPECTED)


WILD = {"xr_append_v2.zarr": ["/"], "xr_append_v3.zarr": ["/"], "xr_enc_v2.zarr": ["/"], "xr_enc_v3.zarr": ["/"], "xr_nocons_v2.zarr": ["/"],
        "xr_plain_v2.zarr": ["/"], "xr_plain_v3.zarr": ["/"], "xr_shard_v3.zarr": ["/"], "xr_tree_v2.zarr": ["/", "/a", "/a/b"], "xr_v3.zarr.zip": ["/"],
        "rio_v3.zarr": ["/"], "nc_nczarr.zarr": ["/"], "nc_zarr.zarr": ["/"], "zarrita.zarr": ["/"]}


@pytest.mark.parametrize("name", WILD)
def test_wild(wild, name):
    verdict(name, looked_at(name, wild / name, WILD[name]), EXPECTED)


@pytest.mark.parametrize("name", ["kerchunk.json", "vz.json"])
def test_reference_files(wild, monkeypatch, name):
    """xarray reads them by fsspec's file system of references, whose names are relative."""
    import xarray

    monkeypatch.chdir(wild)
    with xarray.open_dataset("reference://", engine="zarr", backend_kwargs={"consolidated": False, "storage_options": {"fo": name}}) as expected:
        verdict(name, {"h5netcdf /": said(lambda: difference(expected.load(), by_hdf5(name, "h5netcdf")))}, EXPECTED)


def shown(path):
    """All names, types, shapes and attributes that HDF5 programs see."""
    found = {}

    def look(name, node):
        found[name] = getattr(node, "dtype", None), getattr(node, "shape", None), {key: repr(node.attrs[key]) for key in node.attrs}

    with h5py.File(path) as f:
        f.visititems(look)
        look("/", f)
    return found


@pytest.mark.parametrize("name", ["anndata_v3.zarr", "mudata_v3.zarr", "ome_v04.ome.zarr", "ome_v05.ome.zarr", "plate_v04.ome.zarr", "blobs.sdata.zarr"])
def test_other_conventions(wild, monkeypatch, name):
    """They show what they show where nothing is taken for netCDF's."""
    found = shown(wild / name)
    monkeypatch.setenv("VOL_ZARR_NETCDF", "never")
    assert found == shown(wild / name) and len(found) > 3
