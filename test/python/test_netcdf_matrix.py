"""What xarray, h5netcdf and netCDF4 write through the connector: opened by xr.open_zarr it is what xr.open_dataset shows of the native file.

Documents of arrays have no word but Zarr's.

Each sample (netcdf_samples.py) is written by both engines, in formats 2 and 3 and in shards, as a directory and as a one-file store.
VZ_NETCDF=all takes all that; else each engine writes a sample in one form, so that the forms and both containers are each met by a third of
the samples.
"""

import functools
import os
import shutil

import pytest

import netcdf_samples
from interpreter import WithOptions
from netcdf_judge import by_hdf5, by_zarr, difference, different_lines, for_engine, header, said, unknown_words, verdict, without_layout

pytest.importorskip("xarray")
pytest.importorskip("netCDF4")
pytest.importorskip("h5netcdf")
pytestmark = pytest.mark.filterwarnings("ignore")

FORMS = {"v2": "format=2", "v3": "format=3", "shards": "format=3;shards=512"}
CONTAINERS = {"directory": "zarr", "file": "one"}

# Differences that are meant: a pattern of "CHECK SAMPLE ENGINE FORM CONTAINER GROUP", and the reason.
EXPECTED = [
    ("copy characters netcdf4 *", "xr.open_zarr joins characters along the one dimension that they have, as in every store; netCDF4 does not"),
    ("open_zarr / packed_in_32_bits *", "JSON has no 32 bits for `scale_factor`, by which xarray decides: float64 then, as in stores of xarray's own"),
]


def cases():
    everything = os.environ.get("VZ_NETCDF") == "all"
    for number, (name, function) in enumerate(netcdf_samples.SAMPLES.items()):
        for which, engine in enumerate(function.engines):
            turn = number + which
            for form in FORMS if everything else [[*FORMS][turn % 3]]:
                for container in CONTAINERS if everything else [[*CONTAINERS][turn // 3 % 2]]:
                    yield name, engine, form, container


@pytest.fixture(scope="module")
def writers(connector):
    return {form: WithOptions(connector, f"create=*.zarr,*.one:file;{options}") for form, options in FORMS.items()}


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    """native(sample, engine): the file that the engine writes without the connector."""
    where = tmp_path_factory.mktemp("native")

    def made(name, engine):
        path = where / f"{name}.{engine}.nc"
        if not path.exists():
            netcdf_samples.write(name, path, engine)
        return path

    return made


def through_netcdf(found, engine, where):
    """xr.open_zarr(store).to_netcdf() takes what it found."""
    found = without_layout(found.copy())
    found.to_netcdf(where, engine=engine)
    return difference(found, by_hdf5(where, engine))


def turned(found, engine, form, where):
    """A copy that xarray makes by itself, with dimensions in another order and one of another name."""
    found = without_layout(found.copy())
    dimensions = list(found.dims)
    copy = found.transpose(*reversed(dimensions)).rename({name: "renamed" for name in dimensions[:1]})
    shutil.rmtree(where, ignore_errors=True)
    copy.to_zarr(where, zarr_format=2 if form == "v2" else 3)
    return difference(by_zarr(where), by_hdf5(for_engine(where, engine), engine))


@pytest.mark.parametrize("name, engine, form, container", [*cases()], ids=lambda word: word)
def test_written(writers, native, tmp_path, name, engine, form, container):
    expected, store = native(name, engine), tmp_path / f"a.{CONTAINERS[container]}"
    writers[form].run(netcdf_samples.write, name, store, engine)
    assert store.is_dir() == (container == "directory")
    path, found = for_engine(store, engine), {}
    of_zarr, of_file = functools.cache(lambda group: by_zarr(store, group)), functools.cache(lambda group: by_hdf5(expected, engine, group))
    for group in netcdf_samples.SAMPLES[name].groups:
        found |= {f"{check} {group}": said(run) for check, run in {
            "open_zarr": lambda: difference(of_file(group), of_zarr(group)),
            "undecoded": lambda: difference(by_hdf5(expected, engine, group, raw=True), by_zarr(store, group, raw=True)),
            "to_netcdf": lambda: through_netcdf(of_zarr(group), engine, tmp_path / "again.nc"),
            "read back": lambda: difference(of_file(group), by_hdf5(path, engine, group)),
        }.items()}
    found["header"] = said(lambda: different_lines(header(expected), header(for_engine(store, "netcdf4"))))
    if container == "directory":
        found["documents"] = said(lambda: unknown_words(store))
        found["copy"] = said(lambda: turned(of_zarr(netcdf_samples.SAMPLES[name].groups[0]), engine, form, tmp_path / "copy.zarr"))
    verdict(f"{name} {engine} {form} {container}", found, EXPECTED)
