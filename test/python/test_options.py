"""Options in HDF5_VOL_CONNECTOR: what they do, and that a wrong one stops no program from starting."""

import json

import h5py
import numpy as np
import pytest

from interpreter import run_once
from places import with_connector

WRONG = ["zarr format", "zarr colour=red", "zarr threads=many", "zarr threads=-1", "zarr format=9", "zarr =", "zarr ;;;;x", "zarr compress=zippy", "zarr \x01",
         "zarr " + "x" * 5000, "zarr dialect=french", "zarr create=*.zarr format=3", "zarr create=*.zarr *.h5ad", "zarr create=a=b"]


def try_all(path):
    """Each mode is tried, whatever the one before said."""
    results = {}
    for mode in ("w", "a", "r"):
        try:
            h5py.File(path, mode).close()
            results[mode] = ["opened", ""]
        except Exception as error:
            results[mode] = [type(error).__name__, str(error)]
    print(json.dumps(results))


@pytest.mark.parametrize("value", WRONG, ids=[w[:30] for w in WRONG])
def test_wrong_option_is_reported_at_the_first_open(value, tmp_path):
    status, said = run_once(with_connector(value), try_all, str(tmp_path / "s.zarr"))
    assert status == 0, said
    results = json.loads(said.strip().splitlines()[-1])
    for mode in "wa":
        kind, text = results[mode]
        assert kind in ("OSError", "ValueError"), results
        assert "threads" in text and "compress" in text, "the message lists the options there are"
    assert not (tmp_path / "s.zarr").exists()


RIGHT = {
    "zarr": "blosc", "zarr ": "blosc", "zarr compress=none": None, "zarr compress=zstd": "zstd", "zarr threads=1": "blosc", "zarr threads=1;compress=none": None,
    "zarr format=2": "blosc",
}


def write(path):
    with h5py.File(path, "w") as f:
        f["x"] = np.arange(1000)
    with h5py.File(path, "r") as f:
        assert (f["x"][...] == np.arange(1000)).all()


@pytest.mark.parametrize("value", RIGHT)
def test_option(value, tmp_path):
    status, said = run_once(with_connector(value), write, str(tmp_path / "s.zarr"))
    assert status == 0, said
    compressor = json.loads((tmp_path / "s.zarr" / "x" / ".zarray").read_text())["compressor"]
    assert (compressor and compressor["id"]) == RIGHT[value]


def list_keys(path):
    with h5py.File(path, "w") as f:
        f["x"] = [1, 2]
    with h5py.File(path, "r") as f:
        print(f["x"][...].tolist())
        try:
            print(list(f))
        except (RuntimeError, ValueError):
            print("refused")


@pytest.mark.parametrize("value, answer", [("zarr gateway=1", "['x']"), ("zarr gateway=0", "refused")])
def test_gateway(value, answer, tmp_path):
    """Without the gateway we are a plain connector: h5py writes and reads, but cannot list."""
    status, said = run_once(with_connector(value), list_keys, str(tmp_path / "s.zarr"))
    assert status == 0, said
    assert said.strip().splitlines() == ["[1, 2]", answer]
