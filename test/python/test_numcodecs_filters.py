"""Arrays with numcodecs' filters, written by zarr-python and read and changed through HDF5."""

import h5py
import numcodecs
import numpy as np
import pytest
import zarr

X = 1000 + np.cumsum(np.random.default_rng(0).standard_normal(1000))

CASES = {
    "fixedscaleoffset": (X, numcodecs.FixedScaleOffset(1000, 10, "<f8", "<i2")),
    "quantize": (X, numcodecs.Quantize(2, "<f8")),
    "bitround": (X.astype("f4"), numcodecs.BitRound(5)),
    "packbits": (X > 1000, numcodecs.PackBits()),
    "astype": (X, numcodecs.AsType("<f4", "<f8")),
    "categorize": (np.array(["a", "bb", "?"] * 50, "<U2"), numcodecs.Categorize(["bb", "a"], "<U2")),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore")
def test_filter(name, tmp_path):
    values, codec = CASES[name]
    array = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2).create_array(
        "x", shape=values.shape, dtype=values.dtype, chunks=(100,), filters=[codec])
    array[:] = values

    def both():
        with h5py.File(tmp_path / "a.zarr", "r") as f:
            ours = f["x"].asstr()[:] if values.dtype.kind == "U" else f["x"][:]
        assert ours.tolist() == array[:].tolist()

    both()
    with h5py.File(tmp_path / "a.zarr", "r+") as f:
        f["x"][50:60] = f["x"][120:130]
    both()
