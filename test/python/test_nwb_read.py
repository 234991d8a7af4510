"""Stores of hdmf-zarr opened in pynwb.NWBHDF5IO: the objects that hdmf-zarr itself reads, and the values zarr-python 2 finds.

numcodecs decodes pickle only where an environment variable allows it: in the fixture `hdmf_zarr`, which writes and reads as hdmf-zarr does.
"""

import os

import h5py
import pytest

pynwb = pytest.importorskip("pynwb")
pytest.importorskip("hdmf_zarr")

import nwb_compare
import nwb_sample
from interpreter import Interpreter, run_once
from places import unpacked, with_connector

PARTS = [part for part in nwb_sample.PARTS if part != "written_in_pieces"]  # H5DataIO is HDF5's
OF_07 = ["o1.zarr", "o3.zarr", "e1.zarr", "e3.zarr", "e4.zarr"]  # the NWB files in the archive of hdmf-zarr 0.7's stores


@pytest.fixture(scope="module")
def hdmf_zarr():
    interpreter = Interpreter({**os.environ, "NUMCODECS_ALLOW_UNSAFE_PICKLE_DECODE": "1"})
    yield interpreter
    interpreter.stop()


@pytest.fixture(scope="module")
def stores_of_07(tmp_path_factory):
    return unpacked("hdmf-zarr/hdmf-zarr-0.7-stores.tar.gz", tmp_path_factory.mktemp("stores"))


def differences(hdmf_zarr, store):
    return nwb_compare.object_differences(hdmf_zarr.run(nwb_compare.by_hdmf_zarr, str(store)), nwb_compare.by_pynwb(store))


@pytest.fixture(scope="module", params=PARTS)
def written(request, hdmf_zarr, tmp_path_factory):
    store = tmp_path_factory.mktemp("written") / f"{request.param}.nwb.zarr"
    hdmf_zarr.run(nwb_sample.write_by_hdmf_zarr, str(store), [request.param])
    return store


def test_written(written, hdmf_zarr):
    assert differences(hdmf_zarr, written) == []


def test_values_of_written(written, hdmf_zarr):
    assert value_differences(hdmf_zarr, written) == []


@pytest.mark.parametrize("part", PARTS)
def test_exported_from_hdf5(part, hdmf_zarr, tmp_path):
    nwb_sample.write(tmp_path / "native.h5", [part], positions=False)
    store = tmp_path / "exported.nwb.zarr"
    hdmf_zarr.run(nwb_sample.export_by_hdmf_zarr, str(tmp_path / "native.h5"), str(store))
    assert differences(hdmf_zarr, store) == []
    assert nwb_compare.object_differences(nwb_compare.by_pynwb(tmp_path / "native.h5"), nwb_compare.by_pynwb(store)) == []
    assert value_differences(hdmf_zarr, store) == []


@pytest.mark.parametrize("name", OF_07)
def test_of_07(name, stores_of_07, hdmf_zarr):
    """Rows written as one record a field, which hdmf-zarr shows as they are, have value j in column j."""
    seen = hdmf_zarr.run(nwb_compare.by_hdmf_zarr, str(stores_of_07 / name))
    for item in seen.values():
        if item["name"] in ("pixel_mask", "voxel_mask") and item["(data)"] and isinstance(item["(data)"][0][0], list):
            item["(data)"] = [[record[j] for j, record in enumerate(row)] for row in item["(data)"]]
    assert nwb_compare.object_differences(seen, nwb_compare.by_pynwb(stores_of_07 / name)) == []


def test_of_07_written_by_hand(stores_of_07):
    """Its identifier is |S text, which hdmf-zarr refuses."""
    with pynwb.NWBHDF5IO(stores_of_07 / "golden.zarr", "r") as io:
        nwb = io.read()
        row = nwb.trials["timeseries"][0][0]
        assert (nwb.identifier, row.idx_start, row.count, row.timeseries.name) == ("id-1", 0, 3, "es")
        assert [group.name for group in nwb.electrodes["group"][:]] == ["shank0", "shank0"]
        assert nwb.electrodes["group"][1].device.name == "probe" and nwb.acquisition["es"].electrodes.table is nwb.electrodes


def test_to_native(written, tool, tmp_path):
    """An HDF5 file of it, which pynwb reads as it reads the store. h5repack does not translate references inside compounds."""
    native, variable = tmp_path / "native.h5", "zarr create=*.zarr"
    if nwb_compare.references_in_compounds(written):
        status, said = run_once(with_connector(variable), nwb_sample.export, str(written), str(native))
        assert status == 0, said
    else:
        tool("h5repack", written, native, HDF5_VOL_CONNECTOR=variable)
    assert native.is_file()
    assert nwb_compare.object_differences(nwb_compare.by_pynwb(written), nwb_compare.by_pynwb(native)) == []


# ---- values, without pynwb ----


def arrays(store):
    """{path: value in plain terms} of each array that zarr-python 2 lists."""
    import zarr

    view = {}
    zarr.open_group(store, mode="r").visititems(
        lambda name, item: view.update({f"/{name}": nwb_compare.found(item[...])}) if hasattr(item, "shape") else None)
    return view


def value_differences(hdmf_zarr, store):
    lines = []
    with h5py.File(store, "r") as file:
        for path, seen in hdmf_zarr.run(arrays, str(store)).items():
            expected = nwb_compare.stored(file, file[path])
            if expected != seen:
                lines.append(f"{path}: {str(seen)[:200]} != {str(expected)[:200]}")
    return lines
