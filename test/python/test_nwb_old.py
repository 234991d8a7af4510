"""Stores of older versions of hdmf-zarr (data/, made by data/old_nwb.py) opened in pynwb: what was written into them."""

import json
import pathlib
import sys

import h5py
import pytest

pynwb = pytest.importorskip("pynwb")

import nwb_compare
from places import unpack

DATA = pathlib.Path(__file__).parent / "data"
sys.path.append(str(DATA))

import old_nwb

VERSIONS = ["0.1.0", "0.2.0", "0.5.0", "0.8.0", "0.10.0", "0.11.1", "0.14.0"]


each = pytest.mark.parametrize("old", [(version, store) for version in VERSIONS for store in ("written", "exported")], ids="-".join, indirect=True)
some = pytest.mark.parametrize("old", [("0.1.0", "written"), ("0.5.0", "written"), ("0.10.0", "exported"), ("0.14.0", "written")], ids="-".join, indirect=True)


@pytest.fixture
def old(request, tmp_path):
    version, name = request.param
    unpack(DATA / f"hdmf-zarr-{version}.tar.gz", tmp_path)
    return tmp_path / f"{name}.nwb.zarr", json.loads((tmp_path / "facts.json").read_text())


def differing(found, expected):
    return {key: (found[key], expected[key]) for key in expected if found[key] != expected[key]}


@each
def test_read(old):
    store, facts = old
    with pynwb.NWBHDF5IO(store, "r") as io:
        assert differing(old_nwb.facts(io.read()), facts) == {}


@some
def test_to_native(old, tool, tmp_path):
    """h5repack does not translate references in compounds: the columns of time series are left out of the comparison."""
    store, facts = old
    tool("h5repack", store, tmp_path / "native.h5", HDF5_VOL_CONNECTOR="zarr create=*.zarr")
    with h5py.File(tmp_path / "native.h5", "r") as file:
        group = file["general/extracellular_ephys/electrodes/group"]
        assert [file[reference].name.rpartition("/")[2] for reference in group[:]] == [name for name, _ in facts["groups"]]
    lines = nwb_compare.hdf5_differences(store, tmp_path / "native.h5")
    assert [line for line in lines if "/timeseries: value" not in line] == []


@some
def test_append(old, connector):
    """A store of an old version takes what today's pynwb adds to it."""
    store, facts = old
    connector.run(append, str(store))
    with pynwb.NWBHDF5IO(store, "r") as io:
        nwb = io.read()
        assert nwb.acquisition["added"].data[:].tolist() == [1.0, 2.0] and nwb.acquisition["added"].timestamps is not None
        assert differing(old_nwb.facts(nwb), facts) == {}


def append(path):
    with pynwb.NWBHDF5IO(path, "r+") as io:
        nwb = io.read()
        nwb.add_acquisition(pynwb.TimeSeries(name="added", data=[1.0, 2.0], unit="n", timestamps=[0.0, 1.0]))
        io.write(nwb)
