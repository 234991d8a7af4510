"""pynwb on NWB files that are one-file stores, and on directories through doorways: with the plugin's path alone, in the functions that look at
a file before they open it. zarr-python 2.18 reads the one-file store as a zip."""

import os

import numpy as np
import pytest
import zarr

pynwb = pytest.importorskip("pynwb")

import nwb_sample
from interpreter import Interpreter
from places import with_connector
from test_one_file_programs import DOORWAY


@pytest.fixture(scope="module")
def programs():
    running = [Interpreter(with_connector("zarr create=*.zarr:directory,*:file")), Interpreter(dict(os.environ))]
    yield running
    for interpreter in running:
        interpreter.stop()


def look(path):
    """What pynwb's ways to open a file say of it."""
    read = pynwb.read_nwb(path)
    said = sorted(read.acquisition), pynwb.NWBHDF5IO.can_read(path)
    read.get_read_io().close()
    errors = pynwb.validate(path=path)
    return said, [str(error) for error in (errors[0] if isinstance(errors, tuple) else errors)]


def add(path):
    with pynwb.NWBHDF5IO(path, "a") as io:
        nwb = io.read()
        nwb.add_acquisition(pynwb.TimeSeries(name="added", data=np.arange(10.0), unit="n", timestamps=np.arange(10.0)))
        io.write(nwb)


@pytest.mark.parametrize("form", ["one file", "doorway"])
def test_pynwb(tmp_path, programs, form):
    writer, user = programs
    path, native = str(tmp_path / "s.nwb"), str(tmp_path / "native.nwb")
    user.run(nwb_sample.write, native, ["plain", "series"])
    if form == "doorway":
        writer.run(nwb_sample.write, str(tmp_path / "s.nwb.zarr"), ["plain", "series"])
        (tmp_path / "s.nwb").write_bytes(DOORWAY + b'{"store": "s.nwb.zarr"}\n')
    else:
        writer.run(nwb_sample.write, path, ["plain", "series"])
    assert os.path.isfile(path)
    for file in (path, native):
        user.run(add, file)
    if form == "one file":
        store = zarr.ZipStore(path, mode="r") if zarr.__version__.startswith("2.") else zarr.storage.ZipStore(path, mode="r")
        assert "added" in zarr.open_group(store, mode="r")["acquisition"]
    assert user.run(look, path) == user.run(look, native)
