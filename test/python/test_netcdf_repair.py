"""`h5zarr repair` on stores of version 0.1: xr.open_zarr then shows what xr.open_dataset shows of the native file, and HDF5 programs see
what they saw. A repair that is killed at any moment is done by the next one."""

import json
import os
import pathlib
import shutil
import subprocess

import h5py
import pytest

import netcdf_samples
import stopping
from netcdf_judge import by_hdf5, by_zarr, difference, different_lines, for_engine, header, unknown_words
from places import COMMAND, files, unpack
from test_netcdf_notes import dataset

xarray = pytest.importorskip("xarray")
pytest.importorskip("h5netcdf")
pytest.importorskip("netCDF4")
pytestmark = pytest.mark.filterwarnings("ignore")

ENGINES, FORMS = ["h5netcdf", "netcdf4"], [2, 3]


@pytest.fixture(scope="module")
def earlier(tmp_path_factory):
    """Stores that version 0.1 made of `dataset` (commit d29fd273)."""
    return pathlib.Path(unpack(pathlib.Path(__file__).parent / "data" / "netcdf-of-vol-zarr-0.1.tar.xz", tmp_path_factory.mktemp("old")))


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    """{engine: what it shows of the file that it made of the same}."""
    where, found = tmp_path_factory.mktemp("native"), {}
    data = dataset()
    data.attrs["title"], data.d[:] = "old", data.d + 1
    for engine in ENGINES:
        data.to_netcdf(where / f"{engine}.nc", engine=engine, unlimited_dims=["time"])
        found[engine] = by_hdf5(where / f"{engine}.nc", engine)
    return found


@pytest.fixture
def store(earlier, tmp_path, engine, form):
    return pathlib.Path(shutil.copytree(earlier / f"{engine}_{form}.zarr", tmp_path / "a.zarr"))


def run(*words, **more):
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, **more)


def found(store):
    return json.loads(run("check", "--json", store).stdout)["findings"]


def seen(store):
    """Names in their order, with types, shapes and attributes, as HDF5 programs see them."""
    lines = []
    with h5py.File(store, "r") as f:
        for name in f:
            d = f[name]
            lines.append((name, d.dtype.str, d.shape, d.maxshape, d.chunks, d.fillvalue.tobytes(), d.is_scale, [[s.name for s in axis.values()] for axis in d.dims],
                          [(key, d.attrs.get_id(key).dtype.str, d.attrs.get_id(key).shape) for key in d.attrs], d[...].tobytes()))
        return lines, [(key, f.attrs.get_id(key).dtype.str) for key in f.attrs]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("engine", ENGINES)
def test_renewed(store, native, engine, form):
    before, lines = seen(store), header(for_engine(store, "netcdf4"))
    assert {finding["kind"] for finding in found(store)} == {"earlier"}
    dry = run("repair", "--dry-run", "--json", store)
    assert {line["action"] for line in json.loads(dry.stdout)["done"]} == {"renewed"} and seen(store) == before
    assert run("repair", store).returncode == 0
    assert difference(native[engine], by_zarr(store)) == "" and "nv" not in by_zarr(store).variables
    assert difference(native[engine].drop_vars([]), by_zarr(store, consolidated=False)) == ""
    assert unknown_words(store) == "" and not (store / "nv").exists()
    assert seen(store) == before and different_lines(lines, header(for_engine(store, "netcdf4"))) == ""
    assert found(store) == []
    stored = files(store)
    assert json.loads(run("repair", "--json", store).stdout)["done"] == [] and files(store) == stored


@pytest.fixture(scope="module")
def earlier_groups(tmp_path_factory):
    """Stores with groups that version 0.1 made of netcdf_samples.py (commit d29fd273)."""
    return pathlib.Path(unpack(pathlib.Path(__file__).parent / "data" / "netcdf-groups-of-vol-zarr-0.1.tar.xz", tmp_path_factory.mktemp("old")))


def names(store):
    """All names in their order, with their types."""
    found = []
    with h5py.File(store, "r") as f:
        f.visititems(lambda name, node: found.append((name, node.dtype.str if isinstance(node, h5py.Dataset) else None, [*node.attrs])))
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name, engine", [("groups", "h5netcdf"), ("deep_groups", "netcdf4"), ("tree", "netcdf4")])
def test_groups(earlier_groups, tmp_path, name, engine, form):
    """Groups whose variables use dimensions of groups above: read as they were, told of by check, renewed by repair."""
    store, native = shutil.copytree(earlier_groups / f"{name}_{engine}_{form}.zarr", tmp_path / "a.zarr"), tmp_path / "a.nc"
    netcdf_samples.write(name, native, engine)
    groups = {group: by_hdf5(native, engine, group) for group in netcdf_samples.SAMPLES[name].groups}

    def as_native():
        assert different_lines(header(native), header(for_engine(store, "netcdf4"))) == ""
        for group, expected in groups.items():
            for reader in [engine] if name == "deep_groups" else ENGINES:  # h5netcdf looks for dimensions of the root in the group between
                assert difference(expected, by_hdf5(for_engine(store, reader), reader, group)) == "", (reader, group)

    as_native()
    before = names(store)
    told = {finding["kind"] for finding in found(store)}
    assert "earlier" in told and told <= {"earlier", "dimension"}  # an array may be shorter than its unlimited dimension
    assert run("repair", store).returncode == 0
    as_native()
    assert names(store) == before and found(store) == [] and unknown_words(store) == ""
    for group, expected in groups.items():
        assert difference(expected, by_zarr(store, group)) == difference(expected, by_zarr(store, group, consolidated=False)) == "", group


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("engine", ENGINES[1:])
def test_killed(store, native, engine, form, tmp_path):
    before = seen(store)
    environment = {**os.environ, "LD_PRELOAD": str(stopping.library(tmp_path))}
    for n in range(400):
        copy = shutil.copytree(store, tmp_path / f"{n}.zarr")
        status = run("repair", "--quick", copy, env={**environment, "STOPPING_AFTER": str(n)}).returncode
        assert status in (0, stopping.STOPPED)
        assert seen(copy) == before, n
        assert run("repair", "--quick", copy).returncode == 0
        assert seen(copy) == before and difference(native[engine], by_zarr(copy)) == "", n
        shutil.rmtree(copy)
        if status == 0:
            break
    assert 5 < n < 399


def test_stores_of_today_stay(tmp_path):
    """Neither what plain h5py wrote with scales nor another program's store is renewed."""
    dataset().to_zarr(tmp_path / "x.zarr", zarr_format=3)
    assert not any(finding["kind"] == "earlier" for finding in found(tmp_path / "x.zarr"))
