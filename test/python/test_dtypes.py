"""Arrays that zarr-python wrote in v2, each data type with each codec, fill value, order and separator, read by h5py."""

import json

import h5py
import numcodecs
import numpy as np
import pytest
import zarr

pytestmark = pytest.mark.filterwarnings("ignore")

N = np.arange(60)
WORDS = np.array(["", "a", "ä", "three", "日本", "x" * 50] * 10)
RECORD = np.dtype([("n", "<i2"), ("x", ">f8"), ("b", "?"), ("s", "S3")])
NESTED = np.dtype([("id", "<u4"), ("pos", [("x", "<f4"), ("y", "<f4")])])
TYPES = {
    **{t: (N * 3 - 70).astype(t) for t in ("<i2", "<i4", "<i8", ">i2", ">i4", ">i8", "|i1")},
    **{t: (N * 4).astype(t) for t in ("|u1", "<u2", ">u2", "<u4", "<u8", ">u8")},
    **{t: (N / 7 - 3).astype(t) for t in ("<f2", "<f4", "<f8", ">f2", ">f4", ">f8")},
    **{t: (N + 1j * N[::-1]).astype(t) for t in ("<c8", "<c16", ">c8", ">c16")},
    "|b1": N % 3 == 0,
    "|S5": np.array([b"", b"a", b"bc", b"\xff\x00x", b"12345", b"z"] * 10, "S5"),
    "<U7": WORDS.astype("<U7"),
    ">U3": WORDS.astype(">U3"),
    "record": np.array([(i, i / 3, i % 2, f"r{i}") for i in N], RECORD),
    "nested": np.array([(i, (i, -i)) for i in N], NESTED),
    "raw": np.array([bytes([i, 255 - i, 7]) for i in N]).astype("V3"),
    "time": (N * 10**9).astype("<M8[ns]"),
    "days": N.astype("<M8[D]"),
    "difference": N.astype("<m8[s]"),
}
CODECS = {
    "none": (None, None),
    "zlib": (None, numcodecs.Zlib(4)),
    "gzip": (None, numcodecs.GZip(4)),
    "bz2": (None, numcodecs.BZ2(5)),
    "lzma": (None, numcodecs.LZMA()),
    "zstd": (None, numcodecs.Zstd(3)),
    "zstd checksum": (None, numcodecs.Zstd(3, checksum=True)),
    "lz4": (None, numcodecs.LZ4(2)),
    **{f"blosc {name} {shuffle}": (None, numcodecs.Blosc(name, 5, shuffle))
       for name in ("lz4", "lz4hc", "blosclz", "zstd", "zlib") for shuffle in (0, 1, 2)},
    "blosc uncompressed": (None, numcodecs.Blosc("lz4", 0)),
    "shuffle": (["shuffle"], numcodecs.Zlib()),
    "shuffle alone": (["shuffle"], None),
    "fletcher32": ([numcodecs.Fletcher32()], None),
    "shuffle, fletcher32": (["shuffle", numcodecs.Fletcher32()], numcodecs.Zstd()),
    "zlib as a filter": ([numcodecs.Zlib()], None),
}


def filters_for(filters, dtype):
    return [numcodecs.Shuffle(dtype.itemsize) if f == "shuffle" else f for f in filters or []] or None


def make(path, data, codec="none", chunks=(17,), **more):
    filters, compressor = CODECS[codec] if isinstance(codec, str) else codec
    array = zarr.create_array(path, shape=data.shape, dtype=data.dtype, chunks=chunks, zarr_format=2, compressors=compressor,
                              filters=filters_for(filters, data.dtype), overwrite=True, **more)
    array[...] = data
    return array


def as_numpy(shown, dtype):
    """HDF5 has no UTF-32: such text is shown as variable UTF-8, everything else has the very dtype."""
    if dtype.kind == "U":
        return np.array([s.decode() for s in shown.ravel()], dtype).reshape(shown.shape)
    assert shown.dtype == dtype
    return shown


@pytest.fixture(scope="module")
def types(tmp_path_factory):
    path = tmp_path_factory.mktemp("types") / "s.zarr"
    root = zarr.open_group(path, mode="w", zarr_format=2)
    for codec in CODECS:
        root.create_group(codec)
        for name, data in TYPES.items():
            make(path / codec / name, data, codec)
    with h5py.File(path) as f:
        yield f


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("name", TYPES)
def test_type_and_codec(types, name, codec):
    np.testing.assert_array_equal(as_numpy(types[codec][name][...], TYPES[name].dtype), TYPES[name])
    np.testing.assert_array_equal(as_numpy(types[codec][name][15:40:3], TYPES[name].dtype), TYPES[name][15:40:3])


@pytest.mark.parametrize("name", [t for t in TYPES if t[1:2] in "iuf" and t[0] in "<>|"])
def test_delta(tmp_path, name):
    data = TYPES[name]
    make(tmp_path / "a", data, ([numcodecs.Delta(data.dtype)], numcodecs.Zlib()))
    expected = zarr.open(tmp_path / "a", mode="r")[...]
    with h5py.File(tmp_path / "a") as f:
        np.testing.assert_array_equal(f["a"][...], expected)


FILLS = [
    ("<i4", 7), ("<i8", -2**63), ("<u8", 2**64 - 1), ("<f4", "NaN"), ("<f8", "Infinity"), ("<f8", "-Infinity"), ("<f8", 0.1),
    ("|b1", True), ("<c16", [1.5, -2.0]), ("<c8", ["NaN", 0.0]), ("|S4", "YWIAAA=="), ("<U4", "éb"), ("<M8[s]", 12345), ("<i2", None),
    ("|V2", "AQI="), ([["a", "<i2"], ["b", "<f4"]], "AQAAAIA/"), (">i4", 5), ("<f2", -0.0),
]


@pytest.mark.parametrize("dtype, fill", FILLS, ids=[f"{d} {f}" for d, f in FILLS])
def test_fill_value_of_missing_chunks(tmp_path, dtype, fill):
    metadata = {"zarr_format": 2, "shape": [6], "chunks": [4], "dtype": dtype, "fill_value": fill, "order": "C", "filters": None,
                "compressor": None}
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".zarray").write_text(json.dumps(metadata))
    expected = zarr.open(tmp_path / "a", mode="r")[...]
    with h5py.File(tmp_path / "a") as f:
        shown = as_numpy(f["a"][...], expected.dtype)
        np.testing.assert_array_equal(shown, expected)
        assert shown.tobytes() == expected.tobytes()


LAYOUTS = [(order, separator, chunks) for order in "CF" for separator in "./" for chunks in ((4, 3, 2), (7, 6, 5), (1, 6, 3), (9, 9, 9))]


@pytest.mark.parametrize("order, separator, chunks", LAYOUTS)
@pytest.mark.parametrize("dtype", ["<i4", ">f8", "record", "<U2"])
def test_order_and_separator(tmp_path, order, separator, chunks, dtype):
    data = np.zeros((7, 6, 5), TYPES[dtype].dtype if dtype in TYPES else dtype)
    data.reshape(-1)[:] = np.resize(WORDS if "U" in dtype else TYPES[dtype], data.size)
    make(tmp_path / "a", data, "blosc lz4 1", chunks, order=order, chunk_key_encoding={"name": "v2", "separator": separator})
    with h5py.File(tmp_path / "a") as f:
        for index in (np.s_[...], np.s_[2:6, 1::2, 3], np.s_[6], np.s_[..., 4]):
            np.testing.assert_array_equal(as_numpy(f["a"][index], data.dtype), data[index])


def text_array(path, values, dtype="|O", filters=({"id": "vlen-utf8"},), fill=""):
    """As zarr-python 2 wrote it, chunk by chunk with numcodecs."""
    path.mkdir()
    metadata = {"zarr_format": 2, "shape": [len(values)], "chunks": [4], "dtype": dtype, "fill_value": fill, "order": "C",
                "filters": list(filters), "compressor": None}
    (path / ".zarray").write_text(json.dumps(metadata))
    codec = numcodecs.get_codec(dict(filters[0]))
    for i in range(0, len(values), 4):
        part = np.empty(4, object)
        part[:] = (list(values[i:i + 4]) + [values[0]] * 4)[:4]
        (path / str(i // 4)).write_bytes(codec.encode(part))


@pytest.mark.parametrize("fill", ["", 0, None, "none"])
def test_variable_text(tmp_path, fill):
    text_array(tmp_path / "a", WORDS.tolist(), fill=fill)
    (tmp_path / "a" / "2").unlink()
    with h5py.File(tmp_path / "a") as f:
        expected = WORDS.astype(object)
        expected[8:12] = "none" if fill == "none" else ""
        assert f["a"].asstr()[...].tolist() == expected.tolist()
        assert f["a"].asstr()[3:30:5].tolist() == expected[3:30:5].tolist()


def test_variable_bytes(tmp_path):
    values = [b"", b"\x01\x7f", b"abc", bytes(range(256)), b"\xff", b"ab\0c"] * 3
    text_array(tmp_path / "a", values, filters=[{"id": "vlen-bytes"}])
    with h5py.File(tmp_path / "a") as f:
        shown = f["a"][...]
    assert [bytes(x) for x in shown] == values


def test_text_with_a_null_is_not_cut(tmp_path):
    """A C string cannot hold it."""
    text_array(tmp_path / "a", ["ab\0c", "x"], filters=[{"id": "vlen-utf8"}])
    with h5py.File(tmp_path / "a") as f, pytest.raises(OSError, match="NUL"):
        f["a"][...]


def test_variable_sequences(tmp_path):
    values = [np.arange(i, dtype="<i4") for i in (3, 0, 5, 1, 2, 9)]
    text_array(tmp_path / "a", values, filters=[{"id": "vlen-array", "dtype": "<i4"}])
    with h5py.File(tmp_path / "a") as f:
        shown = f["a"][...]
    assert [x.dtype for x in shown] == [np.dtype("<i4")] * 6
    assert [x.tolist() for x in shown] == [x.tolist() for x in values]


def test_storage_is_shown(tmp_path):
    expected = {"zlib": ("gzip", 4), "none": (None, None), "shuffle": ("gzip", 1), "lzma": (None, None)}
    for codec, (compression, level) in expected.items():
        make(tmp_path / codec, N.astype("<i4"), codec)
        with h5py.File(tmp_path / codec) as f:
            d = f[codec]
            assert (d.compression, d.compression_opts, d.shuffle) == (compression, level, codec == "shuffle")
            assert (d.chunks, d.maxshape, d.fillvalue) == ((17,), (None,), 0)


def test_missing_codec_is_named_and_hides_nothing(tmp_path):
    root = zarr.open_group(tmp_path / "s", mode="w", zarr_format=2)
    root.create_array("good", shape=(3,), dtype="i4")[...] = [1, 2, 3]
    make(tmp_path / "s" / "odd", N, "zlib")
    path = tmp_path / "s" / "odd" / ".zarray"
    path.write_text(path.read_text().replace('"zlib"', '"jpeg2k"'))
    with h5py.File(tmp_path / "s") as f:
        assert list(f) == ["good", "odd"]
        assert f["good"][...].tolist() == [1, 2, 3]
        with pytest.raises((OSError, KeyError, NotImplementedError), match="jpeg2k"):
            f["odd"][...]
