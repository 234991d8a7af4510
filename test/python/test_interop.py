"""Zarr programs that share no code with zarr-python: tensorstore, zarrs, GDAL, and xarray on top of zarr-python.

Ours open in each of them, theirs open through h5py. GDAL runs in an interpreter of its own that does not see the plugin:
rasterio brings an HDF5 along.
"""

import os

import h5py
import numpy as np
import pytest
import zarr

from interpreter import Interpreter
from places import with_connector

pytestmark = pytest.mark.filterwarnings("ignore")

WRITERS = {
    "v2": ("zarr", {}),
    "v2 gzip": ("zarr", {"compression": "gzip"}),  # with shuffle=True neither tensorstore nor GDAL opens it
    "v2 none": ("zarr compress=none", {}),
    "v3": ("zarr format=3", {}),
    "v3 gzip": ("zarr format=3", {"compression": "gzip"}),
    "v3 shards": ("zarr format=3;shards=512", {}),
}
TYPES = ["?", "i1", "u1", "i2", ">u2", "i4", ">i4", "u4", "i8", "u8", "f2", "f4", ">f4", "f8", ">f8", "c8", "c16"]
SHAPES = {"line": ((11,), (4,)), "plane": ((7, 9), (3, 4)), "cube": ((5, 6, 7), (2, 4, 3)), "whole": ((4, 6), None)}


def values(dtype, shape):
    """Neighbours differ; negative numbers where the type has some."""
    dtype, count = np.dtype(dtype), np.arange(np.prod(shape)).reshape(shape)
    if dtype.kind == "b":
        return count % 3 == 1
    if dtype.kind == "c":
        return (count - 20.5 - 1j * count).astype(dtype)
    return (count % 100 - (20 if dtype.kind in "if" else 0)).astype(dtype)


def expected():
    return {f"{dtype}-{name}": values(dtype, shape) for dtype in TYPES for name, (shape, _) in SHAPES.items()}


# ---- what the other interpreters run ----

def write_all(path, keywords):
    with h5py.File(path, "w") as f:
        for dtype in TYPES:
            for name, (shape, chunks) in SHAPES.items():
                more = {"chunks": chunks, **keywords} if chunks else {}
                f.create_dataset(f"{dtype}-{name}", data=values(dtype, shape), **more)


def by_gdal(path, names):
    """What GDAL's raster model says: a plane is a band, a cube is one subdataset for each of its planes."""
    import rasterio

    found = {}
    for name in names:
        if name.endswith("cube"):
            with rasterio.open(f'ZARR:"{path}":/{name}:1') as d:
                found[name] = d.read(1)
        else:
            with rasterio.open(f'ZARR:"{path}":/{name}') as d:
                found[name] = d.read(1)
    return found


def written_by_gdal(path, dtype, version, compress):
    import rasterio

    with rasterio.open(path, "w", driver="Zarr", width=9, height=7, count=1, dtype=dtype, FORMAT=f"ZARR_V{version}",
                       COMPRESS=compress, BLOCKSIZE="3,4") as d:
        d.write(values(dtype, (1, 7, 9)))


@pytest.fixture(scope="module", params=WRITERS)
def ours(request, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("ours") / "s.zarr")
    options, keywords = WRITERS[request.param]
    interpreter = Interpreter(with_connector(options))
    try:
        interpreter.run(write_all, path, keywords)
    finally:
        interpreter.stop()
    return request.param, path


@pytest.fixture(scope="module")
def gdal():
    environment = {name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"}
    pytest.importorskip("rasterio")
    interpreter = Interpreter(environment)
    yield interpreter
    interpreter.stop()


@pytest.fixture
def zarrs():
    """zarr-python with the codecs and the reading of zarrs (Rust), which is not to fall back silently."""
    pytest.importorskip("zarrs")
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True}):
        yield


def agree(found, wanted):
    assert found.shape == wanted.shape and found.dtype.newbyteorder("=") == wanted.dtype.newbyteorder("=")
    np.testing.assert_array_equal(found, wanted)


# ---- what h5py wrote ----

def by_tensorstore(path, name, version):
    tensorstore = pytest.importorskip("tensorstore")
    spec = {"driver": "zarr" if version == 2 else "zarr3", "kvstore": {"driver": "file", "path": f"{path}/{name}"}}
    return tensorstore.open(spec).result().read().result()


def test_tensorstore_reads(ours):
    kind, path = ours
    for name, wanted in expected().items():
        agree(by_tensorstore(path, name, int(kind[1])), wanted)


def test_zarrs_reads(ours, zarrs):
    """Its pipeline gives up arrays of v2 that are big-endian, whoever wrote them."""
    kind, path = ours
    group = zarr.open_group(path, mode="r")
    for name, wanted in expected().items():
        if kind.startswith("v3") or not name.startswith(">"):
            agree(group[name][()], wanted)


def test_gdal_reads(ours, gdal):
    """GDAL 3.10 reads v2, no complex numbers there, and takes booleans for bytes."""
    kind, path = ours
    if kind.startswith("v3"):
        pytest.skip("GDAL 3.10 does not know the codec \"bytes\", zarr-python's stores neither")
    wanted = {name: data for name, data in expected().items() if not name.startswith("c")}
    for name, found in gdal.run(by_gdal, path, list(wanted)).items():
        plane = wanted[name][1] if wanted[name].ndim == 3 else np.atleast_2d(wanted[name])
        np.testing.assert_array_equal(found, plane)


@pytest.mark.parametrize("version", [2, 3])
def test_xarray_reads(version, tmp_path):
    xarray = pytest.importorskip("xarray")
    path = str(tmp_path / "x.zarr")
    interpreter = Interpreter(with_connector(f"zarr format={version};dims=always"))
    interpreter.run(write_all, path, {})
    interpreter.stop()
    with xarray.open_zarr(path, mask_and_scale=False) as data:
        assert set(data) == set(expected())
        for name, wanted in expected().items():
            agree(data[name].values, wanted)


# ---- what they wrote ----

def shown_by_h5py(path, name):
    with h5py.File(path) as f:
        data = f[name]
        part = tuple(slice(1, n - 1) for n in data.shape)
        np.testing.assert_array_equal(data[part], data[()][part])
        return data[()]


BLOSC = {"id": "blosc", "cname": "lz4", "clevel": 3, "shuffle": 2, "blocksize": 0}
V2_FORMS = {
    "plain": {"compressor": None}, "zlib": {"compressor": {"id": "zlib", "level": 2}}, "blosc": {"compressor": BLOSC},
    "bz2": {"compressor": {"id": "bz2", "level": 1}}, "zstd": {"compressor": {"id": "zstd", "level": 3}},
    "order F": {"order": "F"}, "slashes": {"dimension_separator": "/"}, "fill": {"fill_value": None},
}


@pytest.mark.parametrize("form", V2_FORMS)
def test_tensorstore_writes_v2(form, tmp_path):
    tensorstore = pytest.importorskip("tensorstore")
    for dtype in ("?", "i1", ">u2", "i4", "u8", ">f4", "f8", "c8"):
        for name, (shape, chunks) in SHAPES.items():
            data = values(dtype, shape)
            more = V2_FORMS[form] if name != "line" or form != "order F" else {}  # one dimension has no order there
            metadata = {"shape": shape, "chunks": chunks or shape, "dtype": data.dtype.str, **more}
            file = {"driver": "file", "path": str(tmp_path / f"{dtype}-{name}")}
            store = tensorstore.open({"driver": "zarr", "kvstore": file, "metadata": metadata}, create=True).result()
            store[...] = data
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
    for dtype in ("?", "i1", ">u2", "i4", "u8", ">f4", "f8", "c8"):
        for name, (shape, _) in SHAPES.items():
            agree(shown_by_h5py(tmp_path, f"{dtype}-{name}"), values(dtype, shape))


BYTES, BIG = {"name": "bytes", "configuration": {"endian": "little"}}, {"name": "bytes", "configuration": {"endian": "big"}}
ZSTD, GZIP = {"name": "zstd", "configuration": {"level": 3}}, {"name": "gzip", "configuration": {"level": 1}}
TURNED = {"name": "transpose", "configuration": {"order": [1, 0]}}


def shards(chunk, codecs, where="end", index=(BYTES, {"name": "crc32c"})):
    return {"name": "sharding_indexed", "configuration": {
        "chunk_shape": chunk, "codecs": codecs, "index_codecs": list(index), "index_location": where}}


V3_CODECS = {
    "plain": [BYTES], "big": [BIG], "gzip": [BYTES, GZIP], "zstd, crc32c": [BYTES, ZSTD, {"name": "crc32c"}],
    "blosc": [BYTES, {"name": "blosc", "configuration": {"cname": "zstd", "clevel": 3, "shuffle": "bitshuffle"}}],
    "transposed": [TURNED, BIG, ZSTD],
    "shards": [shards([2, 3], [BYTES, ZSTD])],
    "shards, index first": [shards([3, 2], [TURNED, BYTES, GZIP], "start")],
    "shards, bare index": [shards([6, 1], [BIG], "end", [BYTES])],
    "shards in shards": [shards([3, 3], [shards([1, 3], [BYTES, ZSTD])])],
}


@pytest.mark.parametrize("form", V3_CODECS)
def test_tensorstore_writes_v3(form, tmp_path):
    tensorstore = pytest.importorskip("tensorstore")
    types = {"bool": "?", "int16": "i2", "uint64": "u8", "float16": "f2", "float64": "f8", "complex64": "c8"}
    (tmp_path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    for name, dtype in types.items():
        metadata = {"shape": [7, 9], "data_type": name, "codecs": V3_CODECS[form],
                    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [6, 6]}}}
        file = {"driver": "file", "path": str(tmp_path / name)}
        store = tensorstore.open({"driver": "zarr3", "kvstore": file, "metadata": metadata}, create=True).result()
        store[...] = values(dtype, (7, 9))
        store[0, :] = 0  # some chunks and inner chunks hold the fill value in places
    for name, dtype in types.items():
        wanted = values(dtype, (7, 9))
        wanted[0] = 0
        agree(shown_by_h5py(tmp_path, name), wanted)


@pytest.mark.parametrize("version, keywords", [(2, {}), (3, {}), (3, {"shards": (4, 6)})], ids=["v2", "v3", "shards"])
def test_zarrs_writes(version, keywords, tmp_path, zarrs):
    group = zarr.open_group(tmp_path, mode="w", zarr_format=version)
    types = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8"]
    for dtype in types:
        group.create_array(dtype, data=values(dtype, (7, 9)), chunks=(2, 3), **keywords)
    for dtype in types:
        agree(shown_by_h5py(tmp_path, dtype), values(dtype, (7, 9)))


@pytest.mark.parametrize("version, compress", [(2, "NONE"), (2, "ZLIB"), (2, "GZIP"), (2, "BLOSC"), (2, "ZSTD"),
                                               (3, "NONE"), (3, "GZIP"), (3, "BLOSC")])
def test_gdal_writes(version, compress, tmp_path, gdal):
    """Its v3 is not quite v3: `codecs` lacks \"bytes\" or is not there, `fill_value` is null. zarr-python opens none of it."""
    for dtype in ("uint8", "int16", "uint32", "float32", "float64", "complex64"):
        path = tmp_path / f"{dtype}.zarr"
        gdal.run(written_by_gdal, str(path), dtype, version, compress)
        agree(shown_by_h5py(path, dtype), values(dtype, (7, 9)))
    with h5py.File(path, "r+") as f:  # what we change, GDAL still opens
        f[dtype].attrs["unit"], f[dtype][0, 0] = "m", 99
    assert shown_by_h5py(path, dtype)[0, 0] == 99
    assert gdal.run(by_gdal, str(path), [dtype])[dtype][0, 0] == 99


@pytest.mark.parametrize("version", [2, 3])
def test_xarray_writes(version, tmp_path):
    xarray = pytest.importorskip("xarray")
    times = np.array(["2024-02-29", "2025-01-01"], "M8[ns]")
    data = xarray.Dataset(
        {"t": (("time", "x"), values("f4", (2, 5)), {"units": "K"}), "n": ("x", values("i2", (5,))),
         "name": ("x", np.array(["a", "ß", "", "dd", "e"], object)), "ok": ("x", np.arange(5) % 2 == 0), "one": ((), 2.5)},
        {"time": times, "x": np.arange(5.0)}, {"title": "a set"})
    data.to_zarr(tmp_path / "x.zarr", zarr_format=version)
    with h5py.File(tmp_path / "x.zarr") as f:
        # as netCDF-C stores ASCII text, which h5py gives as bytes
        assert set(f) == {"t", "n", "name", "ok", "one", "time", "x"} and f.attrs["title"] == b"a set"
        assert f["t"].attrs["units"] == b"K" and f["one"][()] == 2.5
        for name in ("t", "n", "ok", "x"):
            agree(f[name][()], data[name].values)
        assert f["name"].asstr()[()].tolist() == data["name"].values.tolist()
        assert f["time"].attrs["units"] == b"days since 2024-02-29 00:00:00" and f["time"][()].tolist() == [0, 307]
