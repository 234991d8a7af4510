"""Arrays with numcodecs' filters, written by zarr-python and read and changed through HDF5."""

import h5py
import numcodecs
import numpy as np
import pytest
import zarr

from interpreter import Failed

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


V3_CASES = {
    "short names": ([{"name": "numcodecs.delta", "configuration": {"dtype": "<i4"}}], (12,), np.arange(120, dtype="i4") ** 2, {}),
    "long names": ([{"name": "numcodecs.delta", "configuration": {"dtype": "int32", "astype": "int64"}}], (12,), np.arange(120, dtype="i4") ** 2, {}),
    "long names of reals": ([{"name": "numcodecs.fixedscaleoffset", "configuration": {"dtype": "float64", "astype": "int16", "offset": 1000, "scale": 10}}],
                            (100,), X, {}),
    "before a transpose": ([{"name": "numcodecs.astype", "configuration": {"encode_dtype": "<i2", "decode_dtype": "<f8"}},
                            {"name": "transpose", "configuration": {"order": [1, 0]}}], (4, 5), np.arange(120.0).reshape(8, 15), {}),
    "before shards": ([{"name": "numcodecs.astype", "configuration": {"encode_dtype": "<i2", "decode_dtype": "<f8"}}], (8, 10),
                      np.arange(240.0).reshape(16, 15), {"serializer": zarr.codecs.ShardingCodec(chunk_shape=(4, 5))}),
}


def change(path):
    with h5py.File(path, "r+") as f:
        x = f["x"]
        x[3:5] = x[6:8]
        x[0] = 7
        return x[...]


@pytest.mark.parametrize("name", V3_CASES)
@pytest.mark.filterwarnings("ignore")
def test_filter_of_format_3(name, tmp_path, connector):
    filters, chunks, values, others = V3_CASES[name]
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3)
    array = group.create_array("x", shape=values.shape, dtype=values.dtype, chunks=chunks, filters=filters, compressors=None, **others)
    array[:8] = values[:8]  # chunks are missing
    with h5py.File(tmp_path / "a.zarr") as f:
        assert np.array_equal(f["x"][...], array[...])
    before = (tmp_path / "a.zarr/x/zarr.json").read_bytes()
    changed = connector.run(change, str(tmp_path / "a.zarr"))
    assert np.array_equal(changed, array[...]) and changed[0].max() == 7 and np.array_equal(changed[4], array[7])
    assert (tmp_path / "a.zarr/x/zarr.json").read_bytes() == before


@pytest.mark.filterwarnings("ignore")
def test_filters_before_shards_that_change_the_fill_value(tmp_path, reader):
    """Missing chunks of a shard would be what the filters make of it."""
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3)
    group.create_array("x", shape=(8,), dtype="f8", chunks=(8,), fill_value=0.5, serializer=zarr.codecs.ShardingCodec(chunk_shape=(4,)),
                       filters=[{"name": "numcodecs.astype", "configuration": {"encode_dtype": "<i2", "decode_dtype": "<f8"}}])
    with pytest.raises(Failed, match="(?s)a.zarr.*x.*fill value.*sharding_indexed"):
        reader.run(read, str(tmp_path / "a.zarr"))


def read(path):
    with h5py.File(path) as f:
        return f["x"][...]
