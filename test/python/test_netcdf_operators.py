"""ncdump, NCO and CDO on stores of xarray: they print and compute what they do of the netCDF file that xarray makes of the store.

Where libnetcdf has HDF5 1.14 or newer (Debian 13). `make netcdf-test`, which is a part of `make reach`, has a Debian 13 for them, and sets
VZ_NETCDF_PROGRAMS: there they are not skipped.
"""

import os
import re
import shutil
import subprocess

import pytest

import netcdf_stores
from converting import convert
from netcdf_judge import by_hdf5, by_zarr, difference, for_engine, without_layout
from places import with_connector

pytest.importorskip("xarray")
pytest.importorskip("netCDF4")
pytestmark = pytest.mark.filterwarnings("ignore")

NOT_FOR_OPERATORS = ["name", "code", "mask", "lag", "at"]  # CDO leaves out what is no number


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """program(name, argument...) -> what it printed."""
    probe = tmp_path_factory.mktemp("probe")
    netcdf_stores.plain_v3(probe / "s.zarr")

    def run(name, *arguments, **environment):
        if not shutil.which(name) and not os.environ.get("VZ_NETCDF_PROGRAMS"):
            pytest.skip(f"no {name} here")
        done = subprocess.run([name, *map(str, arguments)], capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
        if "HDF error" in done.stderr and not os.environ.get("VZ_NETCDF_PROGRAMS"):
            pytest.skip(f"this {name} has an HDF5 without such plugins")
        assert done.returncode == 0, f"{name} {arguments}: {done.stdout[-1000:]}{done.stderr[-2000:]}"
        return done.stdout

    run("ncdump", "-h", for_engine(probe / "s.zarr", "netcdf4"))
    return run


FORMS = {"packed_v2": (2, {}), "packed_v3": (3, {}), "sharded_v3": (3, {"chunks": (1, 2, 2), "shards": (6, 2, 2)})}


def made(form, where):
    """A name by which netCDF-C opens a store of numbers, and the netCDF file that xarray makes of it."""
    zarr_format, layout = FORMS[form]
    data = netcdf_stores.weather().drop_vars(NOT_FOR_OPERATORS)
    encoding = {**netcdf_stores.PACKED, "t": {**netcdf_stores.PACKED["t"], **layout}}
    for name in data.variables:  # programs take over the compressor, and libnetcdf finds the filter of zstd elsewhere
        encoding[name] = {**encoding.get(name, {}), "compressors": None}
    data.to_zarr(where / "s.zarr", zarr_format=zarr_format, encoding=encoding)
    without_layout(by_zarr(where / "s.zarr", raw=True)).to_netcdf(where / "native.nc", engine="netcdf4")
    return for_engine(where / "s.zarr", "netcdf4"), where / "native.nc"


def lines(text):
    """What ncdump and ncks print, without names of files, the order of attributes, and what netCDF adds."""
    ended = (line.strip(" \t,;") for line in text.splitlines() if not line.startswith("netcdf "))
    return sorted(re.sub(r", chunksize = [0-9]+|, chunked\? (yes|no)", "", line) for line in ended if "_NCProperties" not in line and not line.endswith(":_FillValue = NaN"))


@pytest.mark.parametrize("command", [["ncdump", "-v", "time,t,seen"], ["ncdump", "-h", "-v", "t"], ["ncks", "--cdl", "-v", "t"], ["ncks", "-C", "-H", "-v", "t"],
                                     ["ncks", "--trd", "-m", "-v", "time"], ["cdo", "-s", "infon", "-selname,t,seen"], ["cdo", "-s", "griddes", "-selname,t"],
                                     ["cdo", "-s", "outputtab,date,time,lon,lat,value", "-selname,t"]], ids=" ".join)
@pytest.mark.parametrize("store", FORMS)
def test_prints(program, tmp_path, store, command):
    opened, native = made(store, tmp_path)
    assert lines(program(*command, opened)) == lines(program(*command, native))


@pytest.mark.parametrize("store", FORMS)
def test_prints_of_the_converted_file(program, tmp_path, store):
    _, native = made(store, tmp_path)
    convert(tmp_path / "s.zarr", tmp_path / "converted.nc")
    assert lines(program("ncdump", tmp_path / "converted.nc")) == lines(program("ncdump", native))


COMPUTED = {"ncks part": ["ncks", "--no_tmp_fl", "-d", "time,1,3", "-v", "t"], "ncwa": ["ncwa", "--no_tmp_fl", "-a", "lat", "-v", "t"],
            "timmean": ["cdo", "-s", "-O", "-f", "nc4", "timmean", "-selname,t"], "copy": ["cdo", "-s", "-O", "-f", "nc4", "copy", "-selname,t"]}


@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.parametrize("store", ["packed_v2", "packed_v3"])
def test_computes(program, tmp_path, store, name):
    """Of the store, of the netCDF file, and of the file into a store."""
    opened, native = made(store, tmp_path)
    program(*COMPUTED[name], opened, tmp_path / "of_store.nc")
    program(*COMPUTED[name], native, tmp_path / "of_file.nc")
    options = f"zarr create=*.zarr;format={store[-1]}"
    program(*COMPUTED[name], native, tmp_path / "out.zarr", HDF5_VOL_CONNECTOR=options)
    # CDO writes a scale factor of 32 bits, which JSON has not: xarray then unpacks to 64.
    expected, found, written = (opened.drop_attrs(deep=False).astype("f8") for opened in (
        by_hdf5(tmp_path / "of_file.nc", "netcdf4"), by_hdf5(tmp_path / "of_store.nc", "netcdf4"), by_zarr(tmp_path / "out.zarr")))
    assert difference(expected, found) == "" and difference(expected, written) == ""


@pytest.mark.parametrize("options", ["format=2", "format=3"])
def test_ncgen_and_nccopy(program, tmp_path, options):
    native = tmp_path / "native.nc"
    netcdf_stores.weather().to_netcdf(native, engine="netcdf4", encoding=netcdf_stores.PACKED)
    expected = by_hdf5(native, "netcdf4")
    (tmp_path / "native.cdl").write_text(program("ncdump", native))
    connector = with_connector(f"zarr create=*.zarr;{options}")["HDF5_VOL_CONNECTOR"]
    program("ncgen", "-4", "-o", tmp_path / "a.zarr", tmp_path / "native.cdl", HDF5_VOL_CONNECTOR=connector)
    program("nccopy", native, tmp_path / "b.zarr", HDF5_VOL_CONNECTOR=connector)
    for name in "a.zarr", "b.zarr":
        assert difference(expected, by_zarr(tmp_path / name)) == "", name
