"""Filters of HDF5 in every order, alone and together: told as they were asked for, with the values of the native file, for
HDF5 and for zarr-python; chunks taken out of a native file and put into a store; copies and h5repack, both ways."""

import itertools
import shutil

import h5py
import numpy as np
import pytest
from h5py import h5d, h5p, h5s, h5t, h5z

from interpreter import Failed, Interpreter
from places import by_zarr, with_connector

pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(3)
SHAPE, CHUNKS = (21,), (10,)  # the last chunk reaches beyond the end
VALUES = {
    "u1": RNG.integers(50, 150, SHAPE).astype("u1"),  # see test_scale_offset_of_all_bits
    "i2": RNG.integers(-900, 900, SHAPE).astype(">i2"),
    "i8": RNG.integers(-9000, 9000, SHAPE).astype("<i8"),
    "f8": RNG.normal(size=SHAPE).astype(">f8"),
    "compound": np.array([(i, i / 3, b"ab") for i in range(21)], [("a", "<i2"), ("b", "<f8"), ("c", "S3")]),
}
SHUFFLE, DEFLATE, CHECKSUM, LZF, NBIT, SZIP, SCALE = (
    h5z.FILTER_SHUFFLE, h5z.FILTER_DEFLATE, h5z.FILTER_FLETCHER32, h5z.FILTER_LZF, h5z.FILTER_NBIT, h5z.FILTER_SZIP,
    h5z.FILTER_SCALEOFFSET)
SETTINGS = {DEFLATE: (4,), SCALE: (h5z.SO_INT, 0), SZIP: (h5z.SZIP_NN_OPTION_MASK, 8)}
NUMBERS = ["u1", "i2", "i8"]
# What HDF5 knows of elements is only right before anything else has changed them.
FIRST = {NBIT, SCALE, SZIP}
FORMS = {"v2": {"VOL_ZARR_FORMAT": "2"}, "v3": {"VOL_ZARR_FORMAT": "3"}, "v3 shards": {"VOL_ZARR_FORMAT": "3", "VOL_ZARR_SHARDS": "1k"}}


def orders():
    """{name: (filters, values that they can work on)}"""
    found = {}
    for which in [(SHUFFLE, DEFLATE, CHECKSUM), (SHUFFLE, DEFLATE, CHECKSUM, LZF), (SHUFFLE, CHECKSUM, NBIT), (SHUFFLE, CHECKSUM, SZIP),
                  (SHUFFLE, DEFLATE, CHECKSUM, SCALE), (SHUFFLE, CHECKSUM, SHUFFLE), (DEFLATE, CHECKSUM, DEFLATE)]:
        for count in range(1 if len(which) == 3 else 4, len(which) + 1):
            for filters in itertools.permutations(which, count):
                if any(f in FIRST for f in filters[1:]) or len(set(filters)) < len(filters) and count < 3:
                    continue
                names = NUMBERS if FIRST & set(filters) else list(VALUES)
                found["-".join(str(f) for f in filters)] = (filters, names)
    return found


ORDERS = orders()


def make(file, name, filters, values):
    plist = h5p.create(h5p.DATASET_CREATE)
    plist.set_chunk(CHUNKS)
    for number in filters:
        flags = h5z.FLAG_MANDATORY if number == CHECKSUM else h5z.FLAG_OPTIONAL
        plist.set_filter(number, flags, SETTINGS.get(number, ()))
    dataset = h5py.Dataset(h5d.create(file.id, name.encode(), h5t.py_create(values.dtype, logical=True),
                                      h5s.create_simple(SHAPE, (h5s.UNLIMITED,)), plist))
    return dataset


def each():
    for order, (filters, names) in ORDERS.items():
        for name in names:
            yield f"{order} {name}", filters, VALUES[name]


def write(path):
    with h5py.File(path, "w") as f:
        for key, filters, values in each():
            dataset = make(f, key, filters, values)
            dataset[:7] = values[:7]
            dataset[7:] = values[7:]


def run_with(environment, function, *arguments):
    other = Interpreter(environment)
    try:
        return other.run(function, *arguments)
    finally:
        other.stop()


def settled(number, flags, values, name):
    """Of scale-offset's 20 values HDF5 1.14 sets those up to the fill value; the others are whatever lay on its stack."""
    return number, flags, values[:9] if number == SCALE else values, name


def pipeline(dataset):
    plist = dataset.id.get_create_plist()
    return [settled(*plist.get_filter(i)) for i in range(plist.get_nfilters())]


def read(path):
    with h5py.File(path, "r") as f:
        return {key: (pipeline(f[key]), f[key][()], f[key][3:17:2]) for key in f}


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("native") / "n.h5")
    write(path)
    return path


@pytest.fixture(scope="module", params=FORMS)
def stored(request, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("stored") / "s.zarr")
    run_with(with_connector(**FORMS[request.param]), write, path)
    return path


def assert_alike(shown, expected):
    assert shown.keys() == expected.keys()
    for key, (filters, values, some) in expected.items():
        assert shown[key][0] == filters, key
        assert np.array_equal(shown[key][1], values) and np.array_equal(shown[key][2], some), key


def test_values_and_filters_are_those_of_a_native_file(native, stored, reader):
    expected = read(native)
    for key, _, values in each():
        assert np.array_equal(expected[key][1], values), key  # HDF5 itself can do that
    assert_alike(reader.run(read, stored), expected)


def test_zarr_python_reads_them(stored):
    group = by_zarr(stored)
    for key, _, values in each():
        shown = group[key][...]
        assert np.array_equal(shown, values), key


def test_zarr_python_writes_them(stored, reader, tmp_path):
    """Through the codecs that stand in the store."""
    import zarr

    shutil.copytree(stored, tmp_path / "c.zarr")
    group = zarr.open_group(tmp_path / "c.zarr", mode="r+")
    for key, _, values in each():
        group[key][...] = values[::-1]
    shown = reader.run(read, str(tmp_path / "c.zarr"))
    for key, _, values in each():
        assert np.array_equal(shown[key][1], values[::-1]), key


def take_chunks(path):
    """{key: [(offset, mask, bytes)]}"""
    found = {}
    with h5py.File(path, "r") as f:
        for key in f:
            d = f[key].id
            found[key] = [(o, *d.read_direct_chunk(o)) for o in (d.get_chunk_info(i).chunk_offset for i in range(d.get_num_chunks()))]
    return found


def put_chunks(path, chunks):
    with h5py.File(path, "w") as f:
        for key, filters, values in each():
            dataset = make(f, key, filters, values)
            for offset, mask, data in chunks[key]:
                dataset.id.write_direct_chunk(offset, data, mask)


@pytest.mark.parametrize("form", FORMS)
def test_chunks_of_a_native_file_go_into_a_store(native, tmp_path, reader, form):
    path = str(tmp_path / "d.zarr")
    run_with(with_connector(**FORMS[form]), put_chunks, path, take_chunks(native))
    assert_alike(reader.run(read, path), read(native))
    group = by_zarr(path)
    for key, _, values in each():
        assert np.array_equal(group[key][...], values), key


def test_chunks_of_a_store_go_into_a_native_file(stored, tmp_path, reader):
    path = str(tmp_path / "d.h5")
    put_chunks(path, reader.run(take_chunks, stored))
    assert_alike(read(path), reader.run(read, stored))


def put_all_bits(path, chunk=None):
    """Values that leave scale-offset no bit to save: HDF5 1.14 writes them, and fails to read them again."""
    values = np.array([0, 253, 1, 252, 7, 6, 5, 4, 3, 2], "u1")
    with h5py.File(path, "w") as f:
        dataset = f.create_dataset("x", shape=values.shape, dtype="u1", chunks=values.shape, scaleoffset=0)
        if chunk:
            dataset.id.write_direct_chunk((0,), chunk)
        else:
            dataset[...] = values
        f.flush()
        return values, dataset.id.read_direct_chunk((0,))


def test_scale_offset_of_all_bits(tmp_path, connector, reader):
    native, written, direct = (str(tmp_path / name) for name in ("n.h5", "w.zarr", "d.zarr"))
    values, (mask, chunk) = put_all_bits(native)
    assert mask == 0 and chunk.endswith(values.tobytes())
    connector.run(put_all_bits, written)
    stores = [written]
    if h5py.version.hdf5_version_tuple >= (2, 0, 0):
        connector.run(put_all_bits, direct, chunk)
        stores.append(direct)
    else:  # nothing here can tell what such a chunk holds
        with pytest.raises(OSError):
            read(native)
        with pytest.raises(Failed, match="filter returned failure"):
            connector.run(put_all_bits, direct, chunk)
    for path in stores:
        assert reader.run(read, path)["x"][1].tolist() == values.tolist()
        assert by_zarr(path)["x"][...].tolist() == values.tolist()


def copy_all(source, target):
    with h5py.File(source, "r") as a, h5py.File(target, "w") as b:
        for key in a:
            a.copy(key, b)


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_copies_both_ways(native, tmp_path, form):
    store, back = str(tmp_path / "c.zarr"), str(tmp_path / "back.h5")
    environment = with_connector("zarr create=*.zarr", **FORMS[form])
    run_with(environment, copy_all, native, store)
    run_with(environment, copy_all, store, back)
    assert open(back, "rb").read(4) == b"\x89HDF"
    assert_alike(read(back), read(native))
    group = by_zarr(store)
    for key, _, values in each():
        assert np.array_equal(group[key][...], values), key


def write_for_tools(path):
    with h5py.File(path, "w") as f:
        for key, filters, values in each():
            if not {LZF, SZIP, SCALE} & set(filters):  # the tools' HDF5 lacks two, and reads bytes of 2.0's scale-offset wrongly
                make(f, key, filters, values)[...] = values


def test_repacked_both_ways(tool, tmp_path):
    native, store, back = (str(tmp_path / name) for name in ("n.h5", "s.zarr", "back.h5"))
    write_for_tools(native)
    variable = "zarr create=*.zarr"
    tool("h5repack", native, store, HDF5_VOL_CONNECTOR=variable)
    tool("h5repack", store, back, HDF5_VOL_CONNECTOR=variable)
    assert_alike(read(back), read(native))
    # and where h5repack puts the filters there
    tool("h5repack", "-f", "FLET", "-f", "SHUF", "-f", "GZIP=3", native, str(tmp_path / "f.zarr"), HDF5_VOL_CONNECTOR=variable)
    group = by_zarr(tmp_path / "f.zarr")
    for key, filters, values in each():
        if key in group:
            assert np.array_equal(group[key][...], values), key


def write_by_h5netcdf(path):
    import h5netcdf

    with h5netcdf.File(path, "w") as f:
        f.dimensions = {"x": 21}
        for name, values in VALUES.items():
            if values.dtype.kind in "iuf":
                f.create_variable(name, ("x",), values.dtype, chunks=CHUNKS, compression="gzip", compression_opts=4, shuffle=True,
                                  fletcher32=True)[...] = values


def test_files_of_netcdf4(tmp_path, tool):
    """netcdf-c sets the checksum before shuffle and deflate; its files go into a store, and there they are read."""
    netcdf4 = pytest.importorskip("netCDF4")
    path, store = str(tmp_path / "n.nc"), str(tmp_path / "n.zarr")
    with netcdf4.Dataset(path, "w") as f:
        f.createDimension("x", 21)
        for name, values in VALUES.items():
            if values.dtype.kind in "iuf":
                f.createVariable(name, values.dtype.newbyteorder("="), ("x",), zlib=True, fletcher32=True, chunksizes=CHUNKS)[:] = values
    with h5py.File(path) as f:
        assert [p[0] for p in pipeline(f["f8"])] == [CHECKSUM, SHUFFLE, DEFLATE]
    tool("h5repack", path, store, HDF5_VOL_CONNECTOR="zarr create=*.zarr")
    group = by_zarr(store)
    with h5py.File(path) as native, h5py.File(store) as f:
        for name in native:
            if name != "x":
                assert pipeline(f[name]) == pipeline(native[name])
                assert np.array_equal(f[name][()], VALUES[name]) and np.array_equal(group[name][...], VALUES[name])


def test_h5netcdf_writes_and_reads(tmp_path, connector):
    pytest.importorskip("h5netcdf")
    path = str(tmp_path / "h.zarr")
    connector.run(write_by_h5netcdf, path)
    group = by_zarr(path)
    for name, values in VALUES.items():
        if values.dtype.kind in "iuf":
            assert np.array_equal(group[name][...], values), name
