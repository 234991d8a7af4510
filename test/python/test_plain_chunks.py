"""Datasets that asked for no filter: a chunk that gains little by the store's own compressor is stored as Blosc stores a copy. Judges:
numcodecs, zarr-python, tensorstore. What asks for blosc itself is compressed as ever."""

import json

import h5py
import numcodecs
import numpy as np
import pytest
import zarr

HEAD = 16  # of a Blosc buffer
SHAPE, CHUNKS = (700, 1000), (300, 1000)


def data_of(kind, dtype="f4"):
    """mixed: the first row of chunks is noise, the others compress."""
    data = np.random.default_rng(3).normal(size=SHAPE)
    if kind == "mixed":
        data[CHUNKS[0]:] = np.arange(SHAPE[1])
    return data.astype(dtype)


def write(path, kind, dtype, creation):
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=data_of(kind, dtype), chunks=CHUNKS, **creation)


def write_asked(path):
    import hdf5plugin
    write(path, "noise", "f4", dict(hdf5plugin.Blosc("lz4", 5, 1)))


def append(path):
    """Resized before anything is written."""
    with h5py.File(path, "w") as f:
        x = f.create_dataset("x", (0, SHAPE[1]), "f4", maxshape=(None, SHAPE[1]), chunks=CHUNKS)
        for row in range(0, SHAPE[0], 100):
            x.resize(row + 100, axis=0)
            x[row:] = data_of("noise")[row:row + 100]


def change(path):
    with h5py.File(path, "r+") as f:
        f["x"][10:20, 5:900] = 7
        f["x"][650] = np.random.default_rng(9).normal(size=SHAPE[1])
        return f["x"][...]


def is_plain(path, key):
    bytes_ = (path / "x" / key).read_bytes()
    size = int.from_bytes(bytes_[4:8], "little")
    plain = bool(bytes_[2] & 2)
    assert plain == (len(bytes_) == size + HEAD)
    assert len(numcodecs.Blosc().decode(bytes_)) == size
    return plain


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f4"])
@pytest.mark.parametrize("kind", ["noise", "mixed"])
def test_read_by_others(connector, tmp_path, kind, dtype):
    path = tmp_path / "a.zarr"
    connector.run(write, path, kind, dtype, {})
    data = data_of(kind, dtype)
    assert json.loads((path / "x" / ".zarray").read_text())["compressor"]["id"] == "blosc"
    assert [is_plain(path, key) for key in ("0.0", "1.0", "2.0")] == [True, kind == "noise", False]  # the last one is mostly fill
    assert (zarr.open(path, mode="r")["x"][...] == data).all()
    tensorstore = pytest.importorskip("tensorstore")
    opened = tensorstore.open({"driver": "zarr", "kvstore": {"driver": "file", "path": str(path / "x")}}).result()
    assert (opened[...].read().result() == data).all()
    with h5py.File(path) as f:
        assert f["x"].compression is None and not f["x"]._filters
        assert (f["x"][...] == data).all()
        rows = [0, 3, 4, 299, 300, 301, 699]
        assert (f["x"][rows] == data[rows]).all() and (f["x"][:, 17] == data[:, 17]).all()


def test_who_asks_for_blosc_gets_it(connector, tmp_path):
    pytest.importorskip("hdf5plugin")
    path = tmp_path / "a.zarr"
    connector.run(write_asked, path)
    assert not is_plain(path, "0.0") and (path / "x" / "0.0").stat().st_size < 4 * CHUNKS[0] * CHUNKS[1] * 0.97
    assert (zarr.open(path, mode="r")["x"][...] == data_of("noise")).all()


def test_appended_and_changed(connector, tmp_path):
    path = tmp_path / "a.zarr"
    connector.run(append, path)
    assert is_plain(path, "0.0") and is_plain(path, "1.0")
    assert (zarr.open(path, mode="r")["x"][...] == data_of("noise")).all()
    shown = connector.run(change, path)
    assert is_plain(path, "0.0") and (shown[10:20, 5:900] == 7).all()
    assert (zarr.open(path, mode="r")["x"][...] == shown).all()


def test_plain_chunks_of_others(tmp_path):
    """numcodecs stores what it cannot compress, and all at level 0, in the same form."""
    data = np.random.default_rng(4).integers(0, 256, SHAPE, "u1")
    x = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2).create_array(
        "x", shape=SHAPE, chunks=CHUNKS, dtype="u1", filters=None, compressors=numcodecs.Blosc("zstd", 5, 1))
    x[...] = data
    assert is_plain(tmp_path / "a.zarr", "0.0")
    with h5py.File(tmp_path / "a.zarr") as f:
        assert (f["x"][...] == data).all()
        for row in 5, 299, 300, 699:
            assert (f["x"][row] == data[row]).all() and (f["x"][row, 5:70] == data[row, 5:70]).all()
