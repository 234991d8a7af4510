"""Parts of large blosc chunks that numcodecs made: only some blocks of a chunk are read, and only what is wanted of them is decoded, and that is what
zarr-python reads there."""

import h5py
import numcodecs
import numpy as np
import pytest
import zarr

ROWS, COLUMNS = 1200, 512
FORMS = {
    **{f"{name} {shuffle}": numcodecs.Blosc(name, 5, shuffle) for name in ("lz4", "zstd", "zlib", "blosclz", "lz4hc") for shuffle in (0, 1, 2)},
    "small blocks": numcodecs.Blosc("lz4", 5, 1, 4096), "odd blocks": numcodecs.Blosc("zstd", 1, 1, 100_000),
    "a copy": numcodecs.Blosc("lz4", 0),
}


@pytest.fixture(autouse=True)
def threads():
    """The library's threads put a chunk's blocks in any order."""
    before = numcodecs.blosc.set_nthreads(4)
    numcodecs.blosc.use_threads = True
    yield
    numcodecs.blosc.use_threads = None
    numcodecs.blosc.set_nthreads(before)


def make(path, rng, form, dtype):
    """Writes x, a matrix in that form, and returns it."""
    data = (rng.integers(0, 60, (ROWS, COLUMNS)) + np.arange(ROWS)[:, None] % 60).astype(dtype)
    x = zarr.open_group(path, mode="w", zarr_format=2).create_array(
        "x", shape=data.shape, chunks=(500, COLUMNS), dtype=dtype, filters=None, compressors=FORMS[form])
    x[...] = data
    return data


@pytest.mark.parametrize("dtype", ["f4", ">f8", "u1", "i2"])
@pytest.mark.parametrize("form", FORMS)
def test_parts(tmp_path, form, dtype):
    rng = np.random.default_rng(5)
    data = make(tmp_path / "a.zarr", rng, form, dtype)
    with h5py.File(tmp_path / "a.zarr") as f:
        for i, row in enumerate(rng.permutation(ROWS)[:120]):
            first, last = sorted(rng.integers(0, COLUMNS, 2))
            end = min(ROWS, row + (1, 1, 20)[i % 3])
            assert (f["x"][row:end, first:last + 1] == data[row:end, first:last + 1]).all()


@pytest.mark.parametrize("dtype", ["f4", ">f8", "u1", "i2"])
@pytest.mark.parametrize("form", FORMS)
def test_scattered_parts(tmp_path, form, dtype):
    """Many parts of each block at once: rows, every so many elements, points of a mask, a column."""
    rng = np.random.default_rng(7)
    data = make(tmp_path / "a.zarr", rng, form, dtype)
    chances = rng.random((ROWS, COLUMNS))
    with h5py.File(tmp_path / "a.zarr") as f:
        for count in 2, 40, 400:
            rows = np.sort(rng.permutation(ROWS)[:count])
            assert (f["x"][rows] == data[rows]).all()
            assert (f["x"][rows, 100:130] == data[rows, 100:130]).all()
        for rows, columns in (7, 3), (1, 200), (300, 1), (3, 40):
            assert (f["x"][::rows, ::columns] == data[::rows, ::columns]).all()
        for mask in chances < 0.001, chances < 0.01:  # of the second more than are told apart
            assert (f["x"][mask] == data[mask]).all()
        assert (f["x"][:, 77] == data[:, 77]).all()


@pytest.mark.parametrize("shuffle", [0, 1, 2])
@pytest.mark.parametrize("size", [129, 140, 200, 255])
def test_blocks_below_the_element(tmp_path, size, shuffle):
    """numcodecs makes such blocks where its block size is below the element's: an element lies in two or three of them."""
    dtype = np.dtype([("number", "<i8"), ("rest", f"S{size - 8}")])
    data = np.zeros(4000, dtype)
    data["number"] = np.arange(4000)
    data["rest"] = [str(i) * 9 for i in range(4000)]
    zarr.create_array(tmp_path / "a.zarr/x", shape=data.shape, chunks=data.shape, dtype=dtype, zarr_format=2, filters=None,
                      compressors=numcodecs.Blosc("lz4", 2, shuffle, blocksize=128))[...] = data
    zarr.open_group(tmp_path / "a.zarr", mode="a", zarr_format=2)
    for low, high in (10, 13), (1003, 1005), (3990, 3999), (0, 4000):
        with h5py.File(tmp_path / "a.zarr") as f:
            assert (f["x"][low:high] == data[low:high]).all()


def test_cut_chunk(tmp_path):
    """What is missing of a chunk is an error where it is wanted."""
    numcodecs.blosc.use_threads = False  # the last block is the last row's
    data = np.random.default_rng(6).integers(0, 60, (3000, COLUMNS)).astype("f4")
    x = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2).create_array(
        "x", shape=data.shape, chunks=(1500, COLUMNS), dtype="f4", filters=None, compressors=FORMS["lz4 1"])
    x[...] = data
    chunk = tmp_path / "a.zarr" / "x" / "0.0"
    whole = chunk.read_bytes()
    for size in len(whole) * 9 // 10, 100, 20, 10, 0:
        chunk.write_bytes(whole[:size])
        with h5py.File(tmp_path / "a.zarr") as f:
            with pytest.raises(OSError, match="0.0"):
                f["x"][1499]
            assert (f["x"][1500] == data[1500]).all()
