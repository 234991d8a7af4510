"""Stores of pynwb and stores of hdmf-zarr 0.14, whose NWBZarrIO has Zarr format 3 and whose NWBZarrV2IO reads format 2.

In an environment of its own (VZ_PY_HDMF14): hdmf-zarr 0.14 needs Python 3.12 and zarr-python 3.
"""

import os

import pytest

pytest.importorskip("pynwb")
if not hasattr(pytest.importorskip("hdmf_zarr"), "NWBZarrV2IO"):
    pytest.skip("an hdmf-zarr before 0.14", allow_module_level=True)

import nwb_compare
import nwb_sample
from interpreter import Interpreter
from places import with_connector

PARTS = list(nwb_sample.PARTS)
# Its reader of format 2 opens no array of objects that a reference leads to, in stores of hdmf-zarr 0.13 neither, and takes
# compounds of extensions pickled alone.
NOT_BY_V2 = {"trials": "bad link to object /intervals/epochs/timeseries", "icephys": "", "compounds_of_extension": "",
             "text_compounds_of_extension": ""}


def by_v2(path):
    from hdmf_zarr.nwb_zarrv2 import NWBZarrV2IO

    with NWBZarrV2IO(os.fspath(path), "r") as io:
        return nwb_compare.objects(io.read())


def writer(zarr_format):
    interpreter = Interpreter(with_connector(f"zarr create=*.zarr;format={zarr_format}"))
    yield interpreter
    interpreter.stop()


@pytest.fixture(scope="module")
def third():
    yield from writer(3)


@pytest.fixture(scope="module")
def second():
    yield from writer(2)


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    where, seen = tmp_path_factory.mktemp("native"), {}

    def objects(part, positions=True):
        if (part, positions) not in seen:
            path = where / f"{part}-{positions}.nwb"
            nwb_sample.write(path, [part], positions)
            seen[part, positions] = nwb_compare.by_pynwb(path)
        return seen[part, positions]

    return objects


@pytest.mark.parametrize("part", PARTS)
def test_format_3(part, third, native, tmp_path):
    third.run(nwb_sample.write, str(tmp_path / "x.nwb.zarr"), [part])
    assert nwb_compare.object_differences(native(part), nwb_compare.by_hdmf_zarr(tmp_path / "x.nwb.zarr")) == []
    assert nwb_compare.object_differences(native(part), nwb_compare.by_pynwb(tmp_path / "x.nwb.zarr")) == []


@pytest.mark.parametrize("part", PARTS)
def test_format_2(part, second, native, tmp_path):
    second.run(nwb_sample.write, str(tmp_path / "x.nwb.zarr"), [part])
    if part not in NOT_BY_V2:
        assert nwb_compare.object_differences(native(part), by_v2(tmp_path / "x.nwb.zarr")) == []
        return
    try:
        assert nwb_compare.object_differences(native(part), by_v2(tmp_path / "x.nwb.zarr")) != []
    except Exception as error:
        assert NOT_BY_V2[part] in str(error)


@pytest.mark.parametrize("part", [part for part in PARTS if part != "written_in_pieces"])  # H5DataIO is HDF5's
def test_written_by_hdmf_zarr(part, tmp_path):
    store = tmp_path / "x.nwb.zarr"
    nwb_sample.write_by_hdmf_zarr(store, [part])
    assert nwb_compare.object_differences(nwb_compare.by_hdmf_zarr(store), nwb_compare.by_pynwb(store)) == []


def add_by_pynwb(path):
    from pynwb import NWBHDF5IO, TimeSeries

    with NWBHDF5IO(path, "r+") as io:
        nwb = io.read()
        nwb.add_acquisition(TimeSeries(name="added", data=[1.0, 2.0], unit="n", timestamps=[0.0, 1.0]))
        io.write(nwb)


def add_by_hdmf_zarr(path):
    from hdmf_zarr.nwb import NWBZarrIO
    from pynwb import TimeSeries

    with NWBZarrIO(path, "r+") as io:
        nwb = io.read()
        nwb.add_acquisition(TimeSeries(name="added", data=[1.0, 2.0], unit="n", timestamps=[0.0, 1.0]))
        io.write(nwb)


@pytest.mark.parametrize("adds", [add_by_pynwb, add_by_hdmf_zarr], ids=lambda adds: adds.__name__)
@pytest.mark.parametrize("made_by", ["pynwb", "hdmf-zarr"])
def test_adding(adds, made_by, third, tmp_path):
    store = str(tmp_path / "x.nwb.zarr")
    if made_by == "pynwb":
        third.run(nwb_sample.write, store, ["series", "trials"])
    else:
        nwb_sample.write_by_hdmf_zarr(store, ["series", "trials"])
    before = nwb_compare.by_pynwb(store)
    adds(store)
    for seen in (nwb_compare.by_pynwb(store), nwb_compare.by_hdmf_zarr(store)):
        assert "added" in {each["name"] for each in seen.values()}
        kept = {identity: seen[identity] for identity in before}
        changed = [line for line in nwb_compare.object_differences(before, kept) if "NWBFile" not in line]
        assert changed == []
