"""Zarr v3: shards beside other codecs, what the index went through, filters of numbers before big-endian bytes. zarr-python and
tensorstore make the stores and read them after h5py changed them."""

import h5py
import numpy as np
import pytest
import zarr
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec, VLenUTF8Codec, ZstdCodec
from zarr.codecs.numcodecs import CRC32, AsType, BitRound, Delta, FixedScaleOffset, PackBits, Quantize

from interpreter import Failed, Interpreter
from places import with_connector

pytestmark = pytest.mark.filterwarnings("ignore")

PLAIN, ZSTD, CRC = BytesCodec(), ZstdCodec(), Crc32cCodec()


def shards(shape=(2, 3), codecs=(PLAIN, ZSTD), **options):
    return ShardingCodec(chunk_shape=shape, codecs=list(codecs), **options)


CHAINS = {
    "transposed": [TransposeCodec(order=(1, 0)), shards((2, 2))],
    "transposed twice": [TransposeCodec(order=(1, 0)), shards((2, 2), [TransposeCodec(order=(1, 0)), BytesCodec(endian="big")])],
    "checksum": [shards(), CRC],
    "compressed": [shards(codecs=[PLAIN]), ZSTD, CRC],
    "index first": [shards(codecs=[PLAIN], index_location="start"), GzipCodec()],
    "blosc": [shards(codecs=[PLAIN]), BloscCodec(typesize=1)],
    "nested, inner": [shards((4, 6), [shards(), CRC])],
    "nested, outer": [shards((4, 6), [shards()]), ZSTD],
    "nested, both": [shards((4, 6), [shards(), GzipCodec()]), ZSTD],
    "index as it is": [shards(index_codecs=[PLAIN])],
    "index big-endian": [shards(index_codecs=[BytesCodec(endian="big"), CRC])],
    "index transposed": [shards(index_codecs=[TransposeCodec(order=(2, 1, 0)), PLAIN, CRC])],
    "index transposed twice": [TransposeCodec(order=(1, 0)), shards((2, 2), index_location="start", index_codecs=[
        TransposeCodec(order=(1, 2, 0)), TransposeCodec(order=(0, 2, 1)), BytesCodec(endian="big")])],
    "index with two checksums": [shards(index_codecs=[PLAIN, CRC, CRC32()], index_location="start")],
}
DATA = np.arange(13 * 17, dtype="i4").reshape(13, 17)
CHANGED = (slice(3, 12), slice(5, 14))


def read_parts(path, names):
    with h5py.File(path) as f:
        return {name: (f[name].chunks, f[name][()], f[name][3:9, 2:15], f[name][::4, ::5]) for name in names}


def change_parts(path, names):
    with h5py.File(path, "r+") as f:
        for name in names:
            f[name][3:12, 5:14] = -5
            before = f[name][2:4, 4:6]
            f.flush()
            f[name][0, 0] = 99
            assert f[name][3, 5] == -5 and (f[name][2:4, 4:6] == before).all()
    with h5py.File(path) as f:
        return {name: f[name][()] for name in names}


def create(path, name, codecs, data=DATA, filled=10):
    array = zarr.create(shape=data.shape, dtype=data.dtype, chunks=(8, 12), store=path, path=name, zarr_format=3, codecs=codecs,
                        fill_value=7)
    array[:filled] = data[:filled]
    return array[...]


def changed(data):
    data = data.copy()
    data[CHANGED], data[0, 0] = -5, 99
    return data


def test_shards_beside_other_codecs(tmp_path, reader, connector):
    path = str(tmp_path / "s.zarr")
    zarr.open_group(path, mode="w", zarr_format=3)
    expected = {name: create(path, name, codecs) for name, codecs in CHAINS.items()}

    shown = reader.run(read_parts, path, list(CHAINS))
    for name, data in expected.items():
        chunks, whole, part, steps = shown[name]
        assert chunks == ((2, 2) if name.startswith("transposed") or "twice" in name else (2, 3)), name
        assert np.array_equal(whole, data) and np.array_equal(part, data[3:9, 2:15]) and np.array_equal(steps, data[::4, ::5]), name

    again = connector.run(change_parts, path, list(CHAINS))
    for name, data in expected.items():
        assert np.array_equal(again[name], changed(data)), name
        assert np.array_equal(zarr.open_array(path, path=name)[...], changed(data)), name


def test_shards_of_tensorstore_behind_a_transpose(tmp_path, reader, connector):
    """zarr-python refuses shapes that fit only once they are transposed."""
    tensorstore = pytest.importorskip("tensorstore")
    path = tmp_path / "t.zarr"
    zarr.open_group(path, mode="w", zarr_format=3)
    bytes_, crc = {"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}
    inner = {"name": "sharding_indexed", "configuration": {
        "chunk_shape": [3, 1, 2], "codecs": [{"name": "transpose", "configuration": {"order": [2, 0, 1]}}, bytes_],
        "index_codecs": [bytes_, crc]}}
    metadata = {"shape": [9, 7, 11], "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 6, 8]}}, "data_type": "int16",
                "codecs": [{"name": "transpose", "configuration": {"order": [1, 2, 0]}}, inner]}
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path / "a")}, "metadata": metadata}
    array = tensorstore.open(spec, create=True).result()
    data = np.arange(9 * 7 * 11, dtype="i2").reshape(9, 7, 11)
    array[...].write(data).result()

    def opened():
        return tensorstore.open({"driver": "zarr3", "kvstore": spec["kvstore"]}).result().read().result()

    assert reader.run(read_cube, str(path))[0] == (2, 3, 1) and np.array_equal(reader.run(read_cube, str(path))[1], data)
    connector.run(change_cube, str(path))
    data[1:5, 2:, ::3] = -1
    assert np.array_equal(opened(), data)


def read_cube(path):
    with h5py.File(path) as f:
        assert np.array_equal(f["a"][1:6, 2:5, 3:9], f["a"][()][1:6, 2:5, 3:9])
        return f["a"].chunks, f["a"][()]


def change_cube(path):
    with h5py.File(path, "r+") as f:
        f["a"][1:5, 2:, ::3] = -1
        f["a"].attrs["unit"] = "m"


def change_text(path):
    with h5py.File(path, "r+") as f:
        before = f["t"].asstr()[()]
        f["t"][3] = "größer"
        return before


def test_text_in_shards_with_a_checksum_behind(tmp_path, connector):
    path = str(tmp_path / "t.zarr")
    group = zarr.open_group(path, mode="w", zarr_format=3)
    array = zarr.create(shape=(10,), dtype=str, chunks=(6,), store=group.store, path="t", zarr_format=3,
                        codecs=[ShardingCodec(chunk_shape=(2,), codecs=[VLenUTF8Codec()]), ZSTD, CRC])
    texts = [str(i) * i for i in range(10)]
    array[:] = np.array(texts)
    assert connector.run(change_text, path).tolist() == texts
    texts[3] = "größer"
    assert array[...].tolist() == texts


def test_copies_and_new_shapes_keep_the_codecs(tmp_path, connector):
    path = str(tmp_path / "c.zarr")
    zarr.open_group(path, mode="w", zarr_format=3)
    expected = {name: create(path, name, codecs) for name, codecs in CHAINS.items()}
    connector.run(copy_and_grow, path, list(CHAINS))
    for name, data in expected.items():
        copy, array = zarr.open_array(path, path=f"copy of {name}"), zarr.open_array(path, path=name)
        assert np.array_equal(copy[...], data) and copy.metadata.codecs == array.metadata.codecs, name
        assert array.shape == (20, 9) and np.array_equal(array[:13], data[:, :9]) and (array[13:] == 7).all(), name


def copy_and_grow(path, names):
    with h5py.File(path, "r+") as f:
        for name in names:
            f.copy(name, f"copy of {name}")
            f[name].resize((20, 9))


@pytest.mark.parametrize("codecs, message", [
    ([shards(index_codecs=[PLAIN, CRC])], "index_codecs"),  # zarr-python makes none with a compressor: it is put in afterwards
    ([Delta(dtype="<i4"), shards()], "numcodecs.delta"),
])
def test_refused_by_name(tmp_path, connector, codecs, message):
    path = str(tmp_path / "r.zarr")
    zarr.open_group(path, mode="w", zarr_format=3)
    create(path, "a", codecs, filled=0)  # zarr-python makes the second one, too, but cannot write to it
    document = tmp_path / "r.zarr" / "a" / "zarr.json"
    document.write_text(document.read_text().replace('"crc32c"', '"gzip"'))
    with pytest.raises(Failed, match=message):
        connector.run(read_parts, path, ["a"])


def test_damage_behind_shards_is_told(tmp_path, connector):
    path = tmp_path / "d.zarr"
    zarr.open_group(path, mode="w", zarr_format=3)
    create(str(path), "a", CHAINS["checksum"])
    for chunk in (path / "a" / "c").rglob("*"):
        if chunk.is_file():
            chunk.write_bytes(b"\1" + chunk.read_bytes()[1:])
    with pytest.raises(Failed, match="crc32c"):
        connector.run(read_parts, str(path), ["a"])


# ---- filters of numbers before big-endian bytes ----

VALUES = [1, 2.5, 3, -4, 300]
FILTERS = {"delta": ("i4", Delta(dtype="<i4")), "wide delta": ("i4", Delta(dtype="<i4", astype="<i8")),
           "scaled": ("f8", FixedScaleOffset(scale=10, offset=1, dtype="<f8", astype="<i2")),
           "cast": ("f8", AsType(encode_dtype="<f4", decode_dtype="<f8")), "rounded": ("f4", BitRound(keepbits=10)),
           "quantized": ("f4", Quantize(digits=2, dtype="<f4")), "bits": ("?", PackBits())}


def swap_values(path, names):
    with h5py.File(path, "r+") as f:
        before = {name: f[name][()] for name in names}
        for name in names:
            f[name][...] = before[name][::-1]
        return before


@pytest.mark.parametrize("endian", ["little", "big"])
def test_filters_before_bytes(tmp_path, connector, endian):
    """zarr-python reads its own big-endian data wrongly there, but what it writes is right: its bytes are compared with ours."""
    path, other = tmp_path / "f.zarr", tmp_path / "o.zarr"
    for store, values in ((path, VALUES), (other, VALUES[::-1])):
        zarr.open_group(store, mode="w", zarr_format=3)
        for name, (dtype, codec) in FILTERS.items():
            array = zarr.create(shape=(5,), chunks=(5,), dtype=dtype, store=store, path=name, zarr_format=3,
                                codecs=[codec, BytesCodec(endian=endian), ZSTD])
            array[:] = np.array(values).astype(dtype)

    shown = connector.run(swap_values, str(path), list(FILTERS))
    for name, (dtype, _) in FILTERS.items():
        assert shown[name].tolist() == np.array(VALUES).astype(dtype).tolist(), name
        ours, theirs = ((store / name / "c" / "0").read_bytes() for store in (path, other))
        assert ZSTD._zstd_codec.decode(ours) == ZSTD._zstd_codec.decode(theirs), name


# ---- random pieces ----

def random_work(path, name, seed):
    """Changes an array of somebody else's in random pieces; numpy holds what must be there."""
    rng = np.random.default_rng(seed)
    f = h5py.File(path, "r+")
    d = f[name]
    model = d[()]
    for step in range(30):
        rows, columns = (slice(*sorted(rng.integers(0, n + 1, 2))) for n in model.shape)
        if step % 8 == 7:
            new = tuple(int(n) for n in rng.integers(1, 40, 2))
            grown = np.full(new, 7, "i4")
            kept = tuple(slice(0, min(a, b)) for a, b in zip(new, model.shape))
            grown[kept] = model[kept]
            model = grown
            d.resize(new)
        elif step % 3 == 2:
            assert np.array_equal(d[rows, columns], model[rows, columns]), (name, step)
        else:
            model[rows, columns] = rng.integers(0, 2, model[rows, columns].shape) if step % 2 else 7
            d[rows, columns] = model[rows, columns]
        if step % 10 == 5:
            f.flush()
        if step == 20:
            f.close()
            f = h5py.File(path, "r+")
            d = f[name]
    assert np.array_equal(d[()], model)
    f.close()
    return model


def test_random_pieces(tmp_path, connector):
    path = str(tmp_path / "r.zarr")
    zarr.open_group(path, mode="w", zarr_format=3)
    for seed, (name, codecs) in enumerate(CHAINS.items()):
        create(path, name, codecs)
        model = connector.run(random_work, path, name, seed)
        assert np.array_equal(zarr.open_array(path, path=name)[...], model), name


# ---- whole shards, put as soon as they are full ----

def write_whole(path, data):
    with h5py.File(path, "a") as f:
        d = f["x"] if "x" in f else f.create_dataset("x", data.shape, data.dtype, chunks=(4, 4))
        d[...] = data


@pytest.mark.parametrize("shape", [(64, 96), (61, 94), (5, 50)])
def test_whole_writes(tmp_path, shape):
    """New, and over what is there: chunks of fill are left out, edges go with their shards."""
    path = str(tmp_path / "w.zarr")
    connector = Interpreter(with_connector("zarr format=3;shards=512;compress=none"))
    data = np.arange(1, 1 + shape[0] * shape[1], dtype="i4").reshape(shape)
    for turn in range(3):
        if turn == 1:
            data[::5, 3:30] = 0
            data[:, 40:48] = 0
        elif turn == 2:
            data[8:40] = 0
        connector.run(write_whole, path, data)
        array = zarr.open_array(path, path="x")
        assert array.shards is not None and np.array_equal(array[...], data), turn
    connector.stop()


def write_pieces(path, data):
    with h5py.File(path, "a") as f:
        for name in f.keys() or ["x"]:
            d = f[name] if name in f else f.create_dataset(name, data.shape, data.dtype, chunks=(100, 128))
            d[...] = data


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_whole_writes_in_pieces(tmp_path, codec):
    """Shards that are large enough to go to their files chunk by chunk: new, over what is there, and with the index first."""
    tensorstore = pytest.importorskip("tensorstore")
    path = str(tmp_path / "p.zarr")
    connector = Interpreter(with_connector(f"zarr format=3;shards=1M;compress={codec}"))
    data = np.random.default_rng(5).integers(0, 1 << 30, (870, 700), "i4")
    for turn in range(4):
        if turn == 1:
            data[90:420, 30:300] = 0
        elif turn == 2:
            data[::3] = turn
            first = [ShardingCodec(chunk_shape=(100, 128), codecs=[PLAIN, ZSTD], index_location="start")]
            zarr.create_array(path, name="first", shape=data.shape, chunks=(400, 256), dtype="i4", serializer=first[0], compressors=None, filters=None)
        connector.run(write_pieces, path, data)
        for name in ["x", "first"][:1 + (turn >= 2)]:
            kvstore = {"driver": "file", "path": f"{path}/{name}"}
            assert np.array_equal(zarr.open_array(path, path=name)[...], data), (turn, name)
            assert np.array_equal(tensorstore.open({"driver": "zarr3", "kvstore": kvstore}).result().read().result(), data), (turn, name)
    assert not list(tmp_path.rglob("*.partial"))
    connector.stop()


def open_and_read(path, names):
    global held
    held = h5py.File(path)
    return {name: held[name][()] for name in names}


def read_again(names):
    for name in names:
        held[name].id.refresh()
    return {name: (held[name][2:9, 3:14], held[name][()]) for name in names}


def test_what_is_remembered_of_shards_is_not_stale(tmp_path, reader):
    path = str(tmp_path / "h.zarr")
    zarr.open_group(path, mode="w", zarr_format=3)
    for name, codecs in CHAINS.items():
        create(path, name, codecs)
    reader.run(open_and_read, path, list(CHAINS))
    for add in (1, 1000):  # sizes stay the same, then they do not
        expected = {}
        for name in CHAINS:
            array = zarr.open_array(path, path=name)
            array[...] = array[...] + add
            expected[name] = array[...]
        shown = reader.run(read_again, list(CHAINS))
        for name, data in expected.items():
            assert np.array_equal(shown[name][0], data[2:9, 3:14]) and np.array_equal(shown[name][1], data), name
