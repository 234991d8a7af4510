"""Chunks as they are stored: what read_direct_chunk gives goes into a native dataset with the filters shown, and what
HDF5's filters made goes into the store by write_direct_chunk. Judges: native HDF5 with hdf5plugin, and zarr-python."""

import itertools
import shutil
import zlib

import h5py
import numcodecs
import numpy as np
import pytest
import zarr

pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(5)
ARRAYS = {
    "smooth": np.cumsum(RNG.normal(size=(37, 23)), 0).astype("f4"),
    "noise": RNG.integers(0, 256, (37, 23)).astype("u1"),
    "big-endian": (np.arange(37 * 23).reshape(37, 23) % 91).astype(">i2"),
}
CODECS = {
    "gzip": numcodecs.GZip(5), "zlib": numcodecs.Zlib(3), "lz4": numcodecs.LZ4(), "zstd": numcodecs.Zstd(3),
    "bz2": numcodecs.BZ2(2), "blosc": numcodecs.Blosc("zstd", 3, 1), "bitshuffle": numcodecs.Blosc("lz4", 5, 2),
}
BUILT_IN = {"gzip", "zlib"}  # the filters of the others are of hdf5plugin


def chains(size):
    for name, codec in CODECS.items():
        yield name, None, codec
        yield f"{name}-shuffle", [numcodecs.Shuffle(size)], codec
        yield f"{name}-checksum", [numcodecs.Shuffle(size), codec, numcodecs.Fletcher32()], None


def make_store(path):
    group = zarr.open_group(path, mode="w", zarr_format=2)
    names = {}
    for (kind, values), order in itertools.product(ARRAYS.items(), "CF"):
        for name, filters, compressor in chains(values.dtype.itemsize):
            key = f"{kind}-{name}-{order}"
            array = group.create_array(key, shape=values.shape, chunks=(10, 23 if order == "C" else 7), dtype=values.dtype,
                                       filters=filters, compressors=compressor, order=order, fill_value=0)
            array[...] = values
            names[key] = values
    return names



def native_like(file, name, dataset):
    return h5py.h5d.create(file.id, name.encode(), dataset.id.get_type(), dataset.id.get_space(),
                           dataset.id.get_create_plist())


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    path = tmp_path_factory.mktemp("direct") / "read.zarr"
    names = make_store(path)
    shutil.copytree(path, path.with_name("write.zarr"))
    return path, path.with_name("write.zarr"), names


@pytest.mark.parametrize("codec", CODECS)
def test_chunks_of_zarr_python_are_chunks_of_hdf5(stores, tmp_path, codec):
    if codec not in BUILT_IN:
        pytest.importorskip("hdf5plugin")
    read, write, names = stores
    with h5py.File(read) as store, h5py.File(write, "r+") as target, h5py.File(tmp_path / "n.h5", "w") as native:
        for key, values in names.items():
            if f"-{codec}-" not in key:
                continue
            dataset, copy = store[key], native_like(native, key, store[key])
            assert dataset.id.get_create_plist().get_nfilters() == 1 + ("-shuffle" in key) + 2 * ("-checksum" in key)
            for i in range(dataset.id.get_num_chunks()):
                info = dataset.id.get_chunk_info(i)
                mask, stored = dataset.id.read_direct_chunk(info.chunk_offset)
                assert (mask, len(stored)) == (info.filter_mask, info.size), key
                assert (mask == 0) == key.endswith("C"), key  # HDF5 has no chunks in F order: elements, no filter applied
                copy.write_direct_chunk(info.chunk_offset, stored, mask)
            assert np.array_equal(h5py.Dataset(copy)[...], values), key
            made = native_like(native, key + "'", dataset)
            h5py.Dataset(made)[...] = values[::-1]
            native.flush()
            for i in range(made.get_num_chunks()):
                offset = made.get_chunk_info(i).chunk_offset
                mask, stored = made.read_direct_chunk(offset)  # optional filters leave out what they cannot shrink
                target[key].id.write_direct_chunk(offset, stored, mask)
            assert np.array_equal(target[key][...], values[::-1]), key
    group = zarr.open_group(write, mode="r")
    for key, values in names.items():
        if f"-{codec}-" in key:
            assert np.array_equal(group[key][...], values[::-1]), key


def test_gzip_is_not_compressed_anew(tmp_path):
    values = ARRAYS["smooth"]
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=2)
    array = group.create_array("a", shape=values.shape, chunks=values.shape, dtype="f4", compressors=numcodecs.GZip(9),
                               fill_value=0)
    array[...] = values
    member = (tmp_path / "s.zarr/a/0.0").read_bytes()
    with h5py.File(tmp_path / "s.zarr", "r+") as f:
        stream = f["a"].id.read_direct_chunk((0, 0))[1]
        assert stream[2:-4] == member[10:-8] and zlib.decompress(stream) == values.tobytes()
        other = zlib.compress(values.tobytes(), 1)
        f["a"].id.write_direct_chunk((0, 0), other)
    assert (tmp_path / "s.zarr/a/0.0").read_bytes()[10:-8] == other[2:-4]
    two = numcodecs.GZip(1).encode(values.tobytes()[:100]) + numcodecs.GZip(1).encode(values.tobytes()[100:])
    (tmp_path / "s.zarr/a/0.0").write_bytes(two)
    with h5py.File(tmp_path / "s.zarr") as f:
        stream = f["a"].id.read_direct_chunk((0, 0))[1]
        assert zlib.decompress(stream) == values.tobytes() and f["a"].id.get_chunk_info(0).size == len(stream)


def filters_left_out(path):
    values = np.arange(800, dtype="f4").reshape(40, 20)
    found = {}
    with h5py.File(path, "w") as f:
        d = f.create_dataset("a", values.shape, "f4", chunks=(10, 20), compression="gzip", shuffle=True)
        deflated = zlib.compress(values[:10].tobytes())
        shuffled = np.frombuffer(values[10:20].tobytes(), "u1").reshape(-1, 4).T.tobytes()
        d.id.write_direct_chunk((0, 0), deflated, 1)
        d.id.write_direct_chunk((10, 0), shuffled, 2)
        d.id.write_direct_chunk((20, 0), values[20:30].tobytes(), 0xFFFFFFFF)
        d.id.write_direct_chunk((30, 0), zlib.compress(np.frombuffer(values[30:].tobytes(), "u1").reshape(-1, 4).T.tobytes()))
        plain = f.create_dataset("plain", (10, 20), "f4", chunks=(10, 20))
        plain.id.write_direct_chunk((0, 0), values[:10].tobytes(), 1)
        f.flush()
    with h5py.File(path) as f:
        found["all there"] = [bool((f["a"][...] == values).all()), bool((f["plain"][...] == values[:10]).all())]
        found["masks"] = [f["a"].id.get_chunk_info(i).filter_mask for i in range(4)]
    return found


def test_filters_left_out_are_applied(tmp_path, connector):
    store = connector.run(filters_left_out, tmp_path / "s.zarr")
    assert store == {"all there": [True, True], "masks": [0, 0, 0, 0]}
    native = filters_left_out(tmp_path / "n.h5")
    assert native == {"all there": [True, True], "masks": [1, 2, 0xFFFFFFFF, 0]}
    array = zarr.open_group(tmp_path / "s.zarr", mode="r")["a"]
    assert np.array_equal(array[...], np.arange(800, dtype="f4").reshape(40, 20))


ASKED = [dict(compression="lzf"), dict(compression="szip"), dict(scaleoffset=4), dict(compression="gzip", shuffle=True),
         dict(compression="lzf", shuffle=True, fletcher32=True), dict(compression=256, allow_unknown_filter=True),
         dict(fletcher32=True)]
PLUGINS = ["Blosc", "LZ4", "Zstd", "BZip2", "Bitshuffle", "Blosc2", "Zfp"]


def shown(path, asked):
    found = []
    with h5py.File(path, "w") as f:
        for i, arguments in enumerate(asked):
            f.create_dataset(str(i), (33, 20), "f4", chunks=(10, 20), **arguments)
    with h5py.File(path) as f:
        for name in sorted(f, key=int):
            plist = f[name].id.get_create_plist()
            filters = [plist.get_filter(i)[:3] for i in range(plist.get_nfilters())]
            # h5py 3.14 gives as many values as there are, but reads no more than 16
            found.append([(code, flags, values[:16]) for code, flags, values in filters])
    return found


def test_filters_are_shown_as_native_shows_them(tmp_path, connector):
    assert connector.run(shown, tmp_path / "s.zarr", ASKED) == shown(tmp_path / "n.h5", ASKED)


def shown_plugins(path, names):
    import hdf5plugin
    return shown(path, [dict(getattr(hdf5plugin, name)()) for name in names])


def test_filters_of_plugins_are_shown_as_native_shows_them(tmp_path, connector):
    pytest.importorskip("hdf5plugin")
    assert connector.run(shown_plugins, tmp_path / "s.zarr", PLUGINS) == shown_plugins(tmp_path / "n.h5", PLUGINS)


def make_lzf(path):
    with h5py.File(path, "w") as f:
        d = f.create_dataset("a", (30, 20), "i4", chunks=(10, 20), compression="lzf", shuffle=True)
        d[...] = np.arange(600).reshape(30, 20)


def test_filters_without_a_codec(tmp_path, connector):
    """Reading says that no filter was applied; what is written under them is undone by HDF5 itself."""
    connector.run(make_lzf, tmp_path / "s.zarr")
    make_lzf(tmp_path / "n.h5")
    values = np.arange(600).reshape(30, 20)
    with h5py.File(tmp_path / "s.zarr", "r+") as f, h5py.File(tmp_path / "n.h5", "r+") as n:
        for i in range(3):
            offset = f["a"].id.get_chunk_info(i).chunk_offset
            mask, elements = f["a"].id.read_direct_chunk(offset)
            assert mask == 3 and elements == values[i * 10:][:10].astype("i4").tobytes()
        n["a"][...] = values * 7
        n.flush()
        for i in range(3):
            mask, stored = n["a"].id.read_direct_chunk((i * 10, 0))
            assert mask == 0 and len(stored) < 800
            f["a"].id.write_direct_chunk((i * 10, 0), stored, mask)
        assert np.array_equal(f["a"][...], values * 7)
        n["a"].id.write_direct_chunk((0, 0), elements, 3)
    with h5py.File(tmp_path / "n.h5") as n:
        assert np.array_equal(n["a"][:10], values[20:])


def test_wrong_chunks_are_refused_and_change_nothing(stores, tmp_path):
    shutil.copytree(stores[0], tmp_path / "s.zarr")
    values = ARRAYS["smooth"]
    with h5py.File(tmp_path / "s.zarr", "r+") as f:
        for name in ("smooth-gzip-C", "smooth-lz4-C", "smooth-gzip-checksum-C", "smooth-lz4-checksum-C"):
            d, good = f[name], f[name].id.read_direct_chunk((0, 0))[1]
            for bad in (b"x" * 30, good[:-9], good[:3] + b"\xff\xff\xff\xff" + good[7:]):
                if name == "smooth-lz4-C" and bad == good[:3] + b"\xff\xff\xff\xff" + good[7:]:
                    continue
                with pytest.raises(OSError):
                    d.id.write_direct_chunk((0, 0), bad)
            for bad, mask in ((values.tobytes(), 0xFFFFFFFF), (b"x" * 7, 0xFFFFFFFF)):
                with pytest.raises(OSError, match="chunk has"):
                    d.id.write_direct_chunk((0, 0), bad, mask)
            for offset in ((1, 0), (40, 0)):
                with pytest.raises(OSError, match="no chunk begins"):
                    d.id.write_direct_chunk(offset, good)
            assert np.array_equal(d[...], values)


def test_direct_access_and_the_chunk_cache(stores, tmp_path):
    shutil.copytree(stores[0], tmp_path / "s.zarr")
    with h5py.File(tmp_path / "s.zarr", "r+") as f:
        d = f["smooth-gzip-C"]
        d[0:5] = 7  # dirty in the cache
        stored = d.id.read_direct_chunk((0, 0))[1]
        assert (np.frombuffer(zlib.decompress(stored), "f4").reshape(10, 23)[:5] == 7).all()
        d[0, 0] = 99
        d.id.write_direct_chunk((0, 0), stored)
        assert d[0, 0] == 7 and (d[0:5] == 7).all()
        d[30:] = 3
        edge = zlib.decompress(d.id.read_direct_chunk((30, 0))[1])
        assert len(edge) == 10 * 23 * 4 and (np.frombuffer(edge, "f4").reshape(10, 23)[:7] == 3).all()


def test_chunk_iteration(stores):
    with h5py.File(stores[0]) as f:
        d = f["smooth-zlib-F"]
        seen = []
        d.id.chunk_iter(lambda info: seen.append(info))
        assert seen == [d.id.get_chunk_info(i) for i in range(d.id.get_num_chunks())]
        assert len(seen) == 4 * 4 and seen[0].size == 280 and seen[0].filter_mask == 1
        d = f["smooth-zlib-C"]
        assert d.id.get_storage_size() == sum(d.id.get_chunk_info(i).size for i in range(4))
        assert d.id.get_storage_size() == sum(p.stat().st_size for p in (stores[0] / "smooth-zlib-C").glob("[0-9]*"))
        assert d.id.get_num_chunks() == zarr.open_group(stores[0], mode="r")["smooth-zlib-C"].nchunks_initialized


def test_chunks_are_in_the_order_of_hdf5(tmp_path):
    """Whatever order of dimensions a store has them in: neither C nor F in format 3 is a transpose of any axes."""
    values = np.arange(60, dtype="<i4").reshape(3, 4, 5)
    group = zarr.open_group(tmp_path / "o.zarr", mode="w", zarr_format=3)
    for name, order in (("mixed", (1, 2, 0)), ("reversed", (2, 1, 0)), ("plain", (0, 1, 2))):
        array = group.create_array(name, shape=values.shape, chunks=values.shape, dtype="<i4", compressors=[zarr.codecs.GzipCodec()],
                                   filters=[zarr.codecs.TransposeCodec(order=order)])
        array[...] = values
    with h5py.File(tmp_path / "o.zarr", "r+") as f:
        for name in f:
            mask, stored = f[name].id.read_direct_chunk((0, 0, 0))
            elements = stored if mask else zlib.decompress(stored)
            np.testing.assert_array_equal(np.frombuffer(elements, "<i4").reshape(values.shape), values, err_msg=name)
            f[name].id.write_direct_chunk((0, 0, 0), (values + 1).tobytes(), 1)
    for name in ("mixed", "reversed", "plain"):
        np.testing.assert_array_equal(zarr.open_group(tmp_path / "o.zarr", mode="r")[name][...], values + 1, err_msg=name)
