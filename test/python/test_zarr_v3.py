"""Zarr v3: stores of zarr-python 3 through h5py, ours in zarr-python, shards written and read in random pieces."""

import json
import os
import pathlib

import h5py
import numpy as np
import pytest
import zarr
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec, ZstdCodec
from zarr.codecs.numcodecs import BZ2, LZ4, CRC32, Adler32, Delta, Fletcher32, Shuffle, Zlib

from interpreter import Failed, Interpreter
from places import with_connector

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def writer():
    """Creates stores of format 3."""
    interpreter = Interpreter(with_connector("zarr format=3"))
    yield interpreter
    interpreter.stop()


@pytest.fixture(scope="module")
def shard_writer():
    interpreter = Interpreter(with_connector("zarr format=3;shards=600;threads=2"))
    yield interpreter
    interpreter.stop()


# ---- what the other interpreters run ----

def read_fills(path):
    with h5py.File(path) as f:
        return [f[str(i)].asstr()[()] if f[str(i)].dtype == object else f[str(i)][()] for i in range(len(FILLS))], f["hex"][()].view("u4")


def change_array(path):
    with h5py.File(path, "r+") as f:
        f["a"].attrs["unit"] = "m"
        f["a"].resize((6,))


def read_first(path):
    with h5py.File(path) as f:
        assert list(f) == ["a", "b"] and f["b"][0] == 1
        return f["a"][0]


def write_whole(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("d", data=np.arange(1200, dtype="i2").reshape(30, 40), chunks=(5, 10))
        return sorted(pathlib.Path(path).parent.glob(".w.zarr*.partial/*/c/*"))  # nothing waits in memory for the close


def change_parts(path, names):
    with h5py.File(path, "r+") as f:
        for name in names:
            f[name][1:4, 1:5] = -5
            f[name].resize((6, 4))
            f[name].resize((7, 6))


def read_all(path):
    with h5py.File(path) as f:
        return f["a"][()]


def copy_anndata(source, target):
    import anndata
    anndata.read_h5ad(source).write_h5ad(target)


# ---- stores of zarr-python ----

RECORD = np.dtype([("a", "<i4"), ("b", "<f8"), ("s", "S3")])
DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "S5", "U4", "M8[ns]",
          "m8[25s]", "V6", RECORD, str]
CHAINS = {
    "plain": dict(compressors=None),
    "zstd": dict(compressors=[ZstdCodec(level=3, checksum=True)]),
    "gzip": dict(compressors=[GzipCodec(level=1)]),
    "blosc": dict(compressors=[BloscCodec(cname="lz4", shuffle="bitshuffle")]),
    "crc32c": dict(compressors=[Crc32cCodec()]),
    "transposed": dict(filters=[TransposeCodec(order=(1, 0))], compressors=[ZstdCodec(), Crc32cCodec()]),
    "dots": dict(chunk_key_encoding={"name": "default", "separator": "."}),
    "v2 keys": dict(chunk_key_encoding={"name": "v2", "separator": "/"}),
    "shards": dict(shards=(4, 6)),
    "shards, plain": dict(shards=(6, 3), compressors=None),
    "shards, blosc": dict(shards=(2, 9), compressors=[BloscCodec(), Crc32cCodec()]),
}
NUMCODECS = {
    "zlib": dict(compressors=[Shuffle(elementsize=4), Zlib(level=3)]),
    "bz2": dict(compressors=[BZ2(level=2)]),
    "lz4": dict(compressors=[LZ4()]),
    "fletcher32": dict(compressors=[Fletcher32()]),
    "crc32": dict(compressors=[CRC32()]),
    "adler32": dict(compressors=[Adler32()]),
    "delta": dict(filters=[Delta(dtype="<i4")], compressors=[ZstdCodec()]),
}


def values_of(dtype):
    if dtype is str:
        return np.array(["", "größe", "x" * 40, "日本"] * 9 + [""] * 6, dtype=object).reshape(7, 6)
    dtype = np.dtype(dtype)
    data = np.zeros((7, 6), dtype)
    if dtype.names:
        data["a"], data["b"], data["s"] = np.arange(42).reshape(7, 6), np.arange(42).reshape(7, 6) / 4, b"ab"
        return data
    raw = np.random.default_rng(5).integers(0, 256, data.nbytes, dtype="u1")
    if dtype.kind in "SV":
        return np.where(raw == 0, 1, raw).astype("u1").view(dtype).reshape(7, 6)
    return (raw[:42].astype("i8") - 100 * (dtype.kind in "ifcmM")).reshape(7, 6).astype(dtype)


def same(shown, expected):
    if expected.dtype.kind in "UOT":
        return shown.ravel().tolist() == expected.ravel().tolist()
    if expected.dtype.kind in "mM":  # NaT is not equal to itself
        return np.array_equal(shown.view("i8"), expected.view("i8"))
    if expected.dtype.kind in "V" and not expected.dtype.names:
        return shown.tobytes() == expected.tobytes()
    return shown.dtype.newbyteorder("=") == expected.dtype.newbyteorder("=") and np.array_equal(shown, expected)


def shown_by_h5py(path):
    with h5py.File(path) as f:
        text = [name for name in f if h5py.check_string_dtype(f[name].dtype) and f[name].dtype.kind == "O"]
        return {name: (f[name].chunks, f[name].asstr()[()] if name in text else f[name][()],
                       f[name].asstr()[1:6, 2:5] if name in text else f[name][1:6, 2:5]) for name in f}


@pytest.fixture(scope="module")
def python_store(tmp_path_factory):
    path = tmp_path_factory.mktemp("v3") / "all.zarr"
    group, expected = zarr.open_group(path, mode="w", zarr_format=3), {}

    def add(name, dtype, options):
        data = values_of(dtype)
        array = group.create_array(name, shape=data.shape, chunks=(2, 3), dtype=dtype, **options)
        array[:5] = data[:5]
        expected[name] = array[...]

    for chain, options in CHAINS.items():
        for dtype in DTYPES:
            if "shards" in options and dtype is not str and np.dtype(dtype).kind == "V":
                continue  # zarr-python 3.1 cannot write these
            add(f"{chain} {dtype}", dtype, options)
    for chain, options in NUMCODECS.items():
        add(f"numcodecs {chain}", "i4", options)
    inner = ShardingCodec(chunk_shape=(2, 3), codecs=[BytesCodec(), ZstdCodec()], index_location="start")
    for name, options in {"start": dict(codecs=[BytesCodec(endian="big"), ZstdCodec()], index_location="start"),
                          "nested": dict(codecs=[inner]),
                          "without checksum": dict(codecs=[BytesCodec()], index_codecs=[BytesCodec()])}.items():
        shape = (4, 6) if name == "nested" else (2, 3)
        array = zarr.create(shape=(7, 6), dtype="i4", chunks=(8, 12), store=group.store, path=f"shards {name}", zarr_format=3,
                            codecs=[ShardingCodec(chunk_shape=shape, **options)])
        array[:5] = values_of("i4")[:5]
        expected[f"shards {name}"] = array[...]
    return path, expected


def test_stores_of_zarr_python(python_store, reader):
    path, expected = python_store
    shown = reader.run(shown_by_h5py, str(path))
    assert set(shown) == set(expected)
    for name, data in expected.items():
        chunks, whole, part = shown[name]
        assert chunks == (2, 3), name
        assert same(whole, data) and same(part, data[1:6, 2:5]), name


FILLS = [("f8", np.nan), ("f4", -np.inf), ("c16", complex(1, np.nan)), ("S4", b"ab"), ("U2", "é"), ("V3", b"\0\xff\1"),
         ("i2", -7), ("?", True), (str, "größe"), ("u8", 2**64 - 1)]


def test_fill_values(tmp_path, reader):
    group, expected = zarr.open_group(tmp_path / "f.zarr", mode="w", zarr_format=3), []
    for i, (dtype, fill) in enumerate(FILLS):
        fill = np.void(fill) if dtype == "V3" else fill
        expected.append(group.create_array(str(i), shape=(3,), chunks=(2,), dtype=dtype, fill_value=fill)[...])
    hex_fill = group.create_array("hex", shape=(2,), chunks=(2,), dtype="f4")
    document = tmp_path / "f.zarr" / "hex" / "zarr.json"
    document.write_text(document.read_text().replace('"fill_value": 0.0', '"fill_value": "0x7fc00123"'))

    shown, bits = reader.run(read_fills, str(tmp_path / "f.zarr"))
    for got, want in zip(shown, expected):
        assert got.tobytes() == want.tobytes() or got.tolist() == want.tolist()
    assert bits.tolist() == [0x7fc00123] * 2
    assert hex_fill.shape == (2,)


# ---- ours ----

def write_everything(path):
    with h5py.File(path, "w", track_order=False) as f:
        f.attrs["title"], f.attrs["n"] = "ü", np.int32(4)
        for i, dtype in enumerate(("?", "i1", ">i4", "u8", "f2", ">f8", "c8", "S4", "V5")):
            f[f"d{i}"] = np.zeros(4, dtype) if dtype == "V5" else np.arange(4).astype(dtype)
        f["text"], f["scalar"] = ["a", "größe"], 2.5
        f["record"] = np.array([(1, 2.5, b"a")], dtype=[("i", ">i2"), ("f", ">f8"), ("s", "S2")])
        f.create_dataset("gzip", data=np.arange(100.), chunks=(10,), compression="gzip", shuffle=True, fletcher32=True)
        f.create_dataset("grow", (3, 4), maxshape=(None, 4), chunks=(2, 4), dtype="i4", fillvalue=7)
        f["group/sub/x"] = np.arange(6).reshape(2, 3)
        f["soft"], f["hard"], f["weird\\name"], f["gone"] = h5py.SoftLink("/group"), f["d0"], 1, 1
    with h5py.File(path, "r+") as f:
        f["grow"].resize((9, 4))
        f["grow"][5:] = 1
        del f["gone"], f.attrs["n"]
        f.move("scalar", "moved")
        f["d2"].attrs["unit"] = "m"
    with h5py.File(path) as f:
        return dict(f.attrs), sorted(f), f["grow"][()], f["gzip"].compression, f["hard"] == f["d0"], f["record"].dtype, f["d2"].dtype


def test_our_stores(tmp_path, writer):
    path = tmp_path / "ours.zarr"
    attributes, names, grown, compression, hard, record, big = writer.run(write_everything, str(path))
    assert attributes == {"title": "ü"} and hard and compression == "gzip"
    assert record == np.dtype([("i", ">i2"), ("f", ">f8"), ("s", "S2")]) and big == ">i4"
    group = zarr.open_group(path, mode="r")
    assert group.metadata.zarr_format == 3 and group.attrs["title"] == "ü"
    assert np.array_equal(group["grow"][...], grown) and grown[4].tolist() == [7] * 4 and grown[5].tolist() == [1] * 4
    assert group["text"][...].tolist() == ["a", "größe"] and group["moved"][()] == 2.5
    assert group["record"][...].tolist() == [(1, 2.5, b"a")]
    assert np.array_equal(group["gzip"][...], np.arange(100.)) and np.array_equal(group["d2"][...], np.arange(4))
    assert not list(path.rglob(".z*")) and "gone" not in names
    plain = json.loads((path / "d1" / "zarr.json").read_text())
    assert plain["attributes"] == {} and plain["codecs"] == [{"name": "bytes"}, {"name": "zstd", "configuration": {"level": 0, "checksum": False}}]


def test_others_members_are_kept(tmp_path, connector):
    path = tmp_path / "k.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    group.create_array("a", shape=(4,), chunks=(2,), dtype="i4", dimension_names=["x"])[:] = 1
    zarr.consolidate_metadata(path)
    for document in (path / "a" / "zarr.json", path / "zarr.json"):
        document.write_text(json.dumps({**json.loads(document.read_text()), "extra": {"must_understand": False, "v": 1}}))

    connector.run(change_array, str(path))
    array, root = (json.loads((path / p / "zarr.json").read_text()) for p in ("a", "."))
    assert array["extra"] == root["extra"] == {"must_understand": False, "v": 1}
    assert array["dimension_names"] == ["x"] and array["shape"] == [6] and array["attributes"]["unit"] == "m"
    assert "consolidated_metadata" not in root
    assert zarr.open_array(path / "a").shape == (6,)  # its groups have no place for unknown members


@pytest.mark.parametrize("change, message", [
    ({"storage_transformers": [{"name": "indirect"}]}, "indirect"),
    ({"chunk_grid": {"name": "rectilinear", "configuration": {}}}, "rectilinear"),
    ({"codecs": [{"name": "bytes"}, {"name": "zfpy"}]}, "zfpy"),
    ({"data_type": "float24"}, "float24"),
    ({"mystery": 5}, "mystery"),
])
def test_refused_by_name(tmp_path, connector, change, message):
    path = tmp_path / "r.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    group.create_array("a", shape=(4,), chunks=(2,), dtype="i1")[:] = 1
    group.create_array("b", shape=(4,), chunks=(2,), dtype="i1")[:] = 1
    document = path / "a" / "zarr.json"
    document.write_text(json.dumps({**json.loads(document.read_text()), **change}))

    with pytest.raises(Failed, match=message):
        connector.run(read_first, str(path))


# ---- shards ----

def random_work(path, seed):
    """Writes, resizes and reads in random pieces; numpy holds what must be there."""
    rng = np.random.default_rng(seed)
    shape, chunks = (int(rng.integers(5, 40)), int(rng.integers(5, 30))), (int(rng.integers(1, 6)), int(rng.integers(1, 6)))
    model = np.full(shape, 3, "i2")
    with h5py.File(path, "w") as f:
        d = f.create_dataset("d", shape, "i2", chunks=chunks, maxshape=(None, None), fillvalue=3)
        for step in range(40):
            rows, columns = (slice(*sorted(rng.integers(0, n + 1, 2))) for n in model.shape)
            if step % 9 == 8:
                new = tuple(int(n) for n in rng.integers(1, 45, 2))
                grown = np.full(new, 3, "i2")
                kept = tuple(slice(0, min(a, b)) for a, b in zip(new, model.shape))
                grown[kept] = model[kept]
                model = grown
                d.resize(new)
            elif step % 3 == 2:
                assert np.array_equal(d[rows, columns], model[rows, columns]), step
            else:
                model[rows, columns] = rng.integers(-9, 9, model[rows, columns].shape)
                d[rows, columns] = model[rows, columns]
            if step % 10 == 5:
                f.flush()
            if step == 20:
                f.close()
                f = h5py.File(path, "r+")
                d = f["d"]
        assert np.array_equal(d[()], model)
    with h5py.File(path) as f:
        assert np.array_equal(f["d"][()], model) and f["d"].chunks == chunks
    return model


def test_random_pieces_of_shards(tmp_path, shard_writer):
    sharded = 0
    for seed in range(12):
        path = tmp_path / f"{seed}.zarr"
        model = shard_writer.run(random_work, str(path), seed)
        assert np.array_equal(zarr.open_group(path, mode="r")["d"][...], model), seed
        sharded += zarr.open_group(path, mode="r")["d"].shards is not None
    assert sharded > 8


def test_whole_shards_are_written_once(tmp_path, shard_writer):
    path = tmp_path / "w.zarr"
    assert shard_writer.run(write_whole, str(path)) != []
    array = zarr.open_group(path, mode="r")["d"]
    assert array.shards is not None and np.array_equal(array[...], np.arange(1200).reshape(30, 40))


def test_parts_of_nested_shards(python_store, tmp_path, connector):
    """Changed through the connector, the others' shards stay what zarr-python reads."""
    import shutil
    path = tmp_path / "n.zarr"
    shutil.copytree(python_store[0], path)
    names = ["shards nested", "shards start", "shards without checksum", "shards i4", "shards, blosc f8"]
    names = [name for name in names if (path / name).exists()]

    connector.run(change_parts, str(path), names)
    group = zarr.open_group(path, mode="r")
    for name in names:
        expected = np.array(python_store[1][name])
        expected[1:4, 1:5] = -5
        expected[6:], expected[:, 4:] = 0, 0
        assert np.array_equal(group[name][...], expected), name


def test_damaged_shards(python_store, tmp_path, connector):
    import shutil
    source = python_store[0] / "shards i4"

    shard = (source / "c" / "0" / "0").read_bytes()
    rng = np.random.default_rng(1)
    damaged = [b"", shard[:10], shard[:-1], shard[:-5] + b"\0\0\0\0\0", b"\xff" * len(shard)]
    for _ in range(60):
        bytes_ = bytearray(shard)
        for _ in range(3):
            bytes_[rng.integers(len(bytes_))] = rng.integers(256)
        damaged.append(bytes(bytes_))
    for i, data in enumerate(damaged):
        path = tmp_path / f"{i}.zarr"
        zarr.open_group(path, mode="w", zarr_format=3)
        shutil.copytree(source, path / "a")
        (path / "a" / "c" / "0" / "0").write_bytes(data)
        try:
            connector.run(read_all, str(path))
        except Failed as error:
            assert error.kind == "OSError"
        else:
            assert i >= 5  # a changed byte of data may decode


# ---- AnnData ----

def test_anndata(tmp_path, writer):
    anndata = pytest.importorskip("anndata")
    from anndata.tests.helpers import assert_equal
    import pandas as pd
    from scipy import sparse
    frame = pd.DataFrame({"n": np.arange(30), "c": pd.Categorical(["a", "b", None] * 10), "t": [f"x{i}" for i in range(30)],
                          "b": np.arange(30) % 3 == 0, "i": pd.array([1, None, 3] * 10, dtype="Int64")},
                         index=[f"cell{i}" for i in range(30)])
    adata = anndata.AnnData(sparse.random(30, 20, 0.2, "csr", dtype="f4", random_state=1), obs=frame,
                            obsm={"X_pca": np.random.default_rng(2).random((30, 5))}, layers={"dense": np.zeros((30, 20), "i2")},
                            uns={"text": "größe", "n": 3, "list": ["a", "b"], "nested": {"flag": True, "x": np.arange(3.0)}})
    with anndata.settings.override(zarr_write_format=3):
        adata.write_zarr(tmp_path / "python.zarr")

    writer.run(copy_anndata, str(tmp_path / "python.zarr"), str(tmp_path / "ours.zarr"))
    expected = anndata.read_zarr(tmp_path / "python.zarr")
    assert json.loads((tmp_path / "ours.zarr" / "zarr.json").read_text())["zarr_format"] == 3
    assert_equal(anndata.read_zarr(tmp_path / "ours.zarr"), expected, exact=True)
    notes = [str(p) for p in (tmp_path / "ours.zarr").rglob("zarr.json") if "_HDF5" in p.read_text() and p.parent != tmp_path / "ours.zarr"]
    assert all("max" in open(p).read() for p in notes), notes
