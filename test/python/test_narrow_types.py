"""Numbers of few bits (bfloat16, float8, float6, float4, int4, int2): every code, and every rounding, as ml_dtypes has them. Judges are
ml_dtypes for values and codes, tensorstore for stores, and native HDF5 for types."""

import ctypes
import json

import h5py
import ml_dtypes
import numpy as np
import pytest
import zarr
from h5py import h5s, h5t

from converting import convert
from interpreter import Interpreter
from places import with_connector

try:
    import tensorstore as ts
except ImportError:  # the environment with HDF5 1.14
    ts = None

pytestmark = pytest.mark.filterwarnings("ignore")

# As HDF5 types where its own conversion reads every code right: {name: fields, bias} or the precision of an integer.
FLOATS = {"bfloat16": ((15, 7, 8, 0, 7), 127), "float8_e5m2": ((7, 2, 5, 0, 2), 15), "float8_e4m3": ((7, 3, 4, 0, 3), 7),
          "float8_e3m4": ((7, 4, 3, 0, 4), 3)}
INTEGERS = {"int2": 2, "int4": 4, "uint2": 2, "uint4": 4}
# Shown as float32.
WIDENED = ("float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn",
           "float4_e2m1fn")
ALL = (*FLOATS, *INTEGERS, *WIDENED)
NOT_IN_TENSORSTORE = ("float8_e4m3", "float6_e2m3fn", "float6_e3m2fn", "uint2", "uint4")  # 0.1.86
BITS = {"bfloat16": 16, "float6_e2m3fn": 6, "float6_e3m2fn": 6, "float4_e2m1fn": 4, **{name: 8 for name in ALL if "float8" in name}, **INTEGERS}


@pytest.fixture(scope="module")
def writer():
    """Creates stores of format 3."""
    interpreter = Interpreter(with_connector("zarr format=3"))
    yield interpreter
    interpreter.stop()


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name))


def raw_of(name):
    return f"u{dtype_of(name).itemsize}"


def wide(values):
    return values.astype("i1" if values.dtype.name.startswith("int") else "u1" if values.dtype.name.startswith("uint") else "f4")


def codes_of(name):
    return np.arange(2 ** BITS[name], dtype=raw_of(name))


def document(path):
    return json.loads((path / "zarr.json").read_text())


def make(path, name, codes, **members):
    """An array of these codes: zarr-python writes integers, whose document then gets the type's name."""
    zarr.open_group(path, mode="w", zarr_format=3).create_array(
        "x", data=codes, chunks=(max(len(codes) // 3, 1),), compressors=None, serializer=members.pop("serializer", "auto"),
        attributes={"unit": "m"}, config={"write_empty_chunks": True})
    (path / "x" / "zarr.json").write_text(json.dumps({**document(path / "x"), "data_type": name, **members}))


def codes_in(path, name):
    """What the chunks hold, as zarr-python reads them."""
    kept = (path / "x" / "zarr.json").read_text()
    (path / "x" / "zarr.json").write_text(json.dumps({**json.loads(kept), "data_type": f"uint{8 * dtype_of(name).itemsize}", "fill_value": 0}))
    try:
        return zarr.open_array(path / "x", mode="r")[...].astype(raw_of(name))
    finally:
        (path / "x" / "zarr.json").write_text(kept)


def tensorstore_of(path):
    return ts.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path / "x")}}).result()


def same(a, b):
    """The same numbers, signs of zeros too; NaN is NaN."""
    a, b = np.asarray(a, "f8"), np.asarray(b, "f8")
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a[~np.isnan(a)]), np.signbit(b[~np.isnan(b)]))


# ---- what the other interpreters run ----

def read(path, *dtypes):
    with h5py.File(path) as f:
        d = f["x"]
        kind = d.id.get_type()
        fields = (*kind.get_fields(), kind.get_ebias()) if isinstance(kind, h5t.TypeFloatID) else kind.get_precision()
        return [d[...], *(d.astype(t)[...] for t in dtypes)], kind.get_size(), fields, dict(d.attrs)


def write(path, values):
    with h5py.File(path, "r+") as f:
        f["x"][...] = values
        f["x"].attrs["note"] = "n"


def hdf5_type(name):
    if name in INTEGERS:
        kind = (h5t.STD_I8LE if name[0] == "i" else h5t.STD_U8LE).copy()
        kind.set_precision(INTEGERS[name])
        return kind
    fields, bias = FLOATS[name]
    kind = h5t.IEEE_F32LE.copy()
    kind.set_fields(*fields)
    kind.set_size(dtype_of(name).itemsize)
    kind.set_ebias(bias)
    return kind


def create(path, name, values, fill=None):
    with h5py.File(path, "w") as f:
        dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        dcpl.set_chunk((2,))
        if fill is not None:
            dcpl.set_fill_value(np.array(fill, "f4"))
        d = h5py.Dataset(h5py.h5d.create(f.id, b"x", hdf5_type(name), h5s.create_simple((len(values),)), dcpl))
        d[...] = values
        d.attrs.create("as", 1.5)
        return d.id.get_type().equal(hdf5_type(name))


# ---- reading ----

@pytest.mark.parametrize("name", ALL)
def test_every_code_is_read_as_ml_dtypes_has_it(name, tmp_path, connector):
    codes = codes_of(name)
    make(tmp_path / "s.zarr", name, codes, fill_value=1)
    want = codes.view(dtype_of(name))
    (shown, doubles, *_), size, fields, attrs = connector.run(read, str(tmp_path / "s.zarr"), "f8")
    assert same(shown, wide(want)) and same(doubles, wide(want)) and attrs == {"unit": "m"}
    if name in INTEGERS:
        assert (size, fields) == (1, INTEGERS[name])
    elif name in FLOATS:
        assert (size, fields) == (dtype_of(name).itemsize, (*FLOATS[name][0], FLOATS[name][1]))
    else:
        assert shown.dtype == "f4" and size == 4
    assert same(read(str(tmp_path / "s.zarr"))[0][0], shown)  # by the plugin's path alone
    if ts and name not in NOT_IN_TENSORSTORE:
        assert same(tensorstore_of(tmp_path / "s.zarr").read().result().astype(shown.dtype), shown)


@pytest.mark.parametrize("name", [n for n in ALL if BITS[n] < 8])
def test_bits_above_those_of_the_type_mean_nothing(name, tmp_path, connector):
    codes = np.arange(256, dtype="u1")
    make(tmp_path / "s.zarr", name, codes, fill_value=1)
    want = (codes & (2 ** BITS[name] - 1)).astype("u1").view(dtype_of(name))
    assert same(connector.run(read, str(tmp_path / "s.zarr"))[0][0], wide(want))


def test_big_endian(tmp_path, connector):
    codes = codes_of("bfloat16")
    make(tmp_path / "s.zarr", "bfloat16", codes, serializer=zarr.codecs.BytesCodec(endian="big"))
    assert same(connector.run(read, str(tmp_path / "s.zarr"))[0][0], wide(codes.view(ml_dtypes.bfloat16)))
    values = np.arange(len(codes), dtype="f4")
    connector.run(write, str(tmp_path / "s.zarr"), values)
    assert np.array_equal(codes_in(tmp_path / "s.zarr", "bfloat16"), values.astype(ml_dtypes.bfloat16).view("u2"))
    assert not ts or np.array_equal(tensorstore_of(tmp_path / "s.zarr").read().result(), values.astype(ml_dtypes.bfloat16))


def test_a_name_of_tensorstore_in_format_2(tmp_path, connector):
    values = codes_of("bfloat16").view(ml_dtypes.bfloat16)
    zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=2).create_array("x", data=values.view("<u2"), compressors=None)
    array = tmp_path / "s.zarr" / "x" / ".zarray"
    array.write_text(json.dumps({**json.loads(array.read_text()), "dtype": "bfloat16"}))
    assert same(connector.run(read, str(tmp_path / "s.zarr"))[0][0], wide(values))
    connector.run(resize, str(tmp_path / "s.zarr"))
    assert json.loads(array.read_text())["dtype"] == "bfloat16"
    if ts:
        opened = ts.open({"driver": "zarr", "kvstore": {"driver": "file", "path": str(tmp_path / "s.zarr" / "x")}}).result()
        assert same(wide(opened.read().result()), wide(values[:9]))


# ---- writing ----

def hard_values(name):
    """Values of every code, those in the middle between two and their neighbours, and what lies beyond."""
    values = wide(codes_of(name).view(dtype_of(name)))
    finite = np.unique(values[np.isfinite(values)].astype("f8"))
    middle = ((finite[1:] + finite[:-1]) / 2).astype("f4")
    beyond = (finite.max() * np.array([1.01, 1.03, 1.05, 1.07, 1.1, 1.3, 2, 1e3])).astype("f4")
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0, -0.0, 1e-45, -1e-45, 3e38], "f4")
    random = np.random.default_rng(5).integers(0, 2 ** 32, 20000, dtype="u8").astype("u4").view("f4")
    return np.concatenate([values, middle, np.nextafter(middle, np.float32(np.inf)), np.nextafter(middle, np.float32(-np.inf)), beyond,
                           -beyond, special, random])


@pytest.mark.parametrize("name", [*FLOATS, *WIDENED])
def test_floats_are_rounded_as_ml_dtypes_rounds(name, tmp_path, connector):
    values = hard_values(name)
    make(tmp_path / "s.zarr", name, np.zeros(len(values), raw_of(name)))
    before = document(tmp_path / "s.zarr" / "x")
    connector.run(write, str(tmp_path / "s.zarr"), values)
    want = values.astype(dtype_of(name)).view(raw_of(name))
    got = codes_in(tmp_path / "s.zarr", name)
    wrong = np.flatnonzero(got != want)
    assert not len(wrong), [(float(values[i]), hex(got[i]), hex(want[i])) for i in wrong[:5]]
    after = document(tmp_path / "s.zarr" / "x")
    assert after.pop("attributes") == {"unit": "m", "note": "n"} and after.items() <= before.items()
    connector.run(write, str(tmp_path / "s.zarr"), values.astype("f8"))
    assert np.array_equal(codes_in(tmp_path / "s.zarr", name), want)


@pytest.mark.parametrize("name", [*FLOATS, *WIDENED])
def test_integers_are_rounded_as_well(name, tmp_path, connector):
    values = np.arange(1, 3000, dtype="i4")
    make(tmp_path / "s.zarr", name, np.zeros(len(values), raw_of(name)))
    connector.run(write, str(tmp_path / "s.zarr"), values)
    assert np.array_equal(codes_in(tmp_path / "s.zarr", name), values.astype("f4").astype(dtype_of(name)).view(raw_of(name)))


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_of_few_bits_clamp_as_in_hdf5(name, tmp_path, connector, writer):
    values = np.arange(-130, 131, dtype="i2")
    writer.run(create, str(tmp_path / "s.zarr"), name, values)
    create(str(tmp_path / "native.h5"), name, values)
    native = read(str(tmp_path / "native.h5"))
    assert np.array_equal(connector.run(read, str(tmp_path / "s.zarr"))[0][0], native[0][0])
    info = ml_dtypes.iinfo(dtype_of(name))
    want = np.clip(values, info.min, info.max).astype(dtype_of(name))
    assert np.array_equal(codes_in(tmp_path / "s.zarr", name), want.view("u1") & (2 ** BITS[name] - 1))


@pytest.mark.parametrize("name", [*FLOATS, *INTEGERS])
def test_a_dataset_of_such_a_type_is_created(name, tmp_path, writer):
    codes = codes_of(name)[:200]
    values = codes.view(dtype_of(name))
    assert writer.run(create, str(tmp_path / "s.zarr"), name, wide(values), 2 if name in FLOATS else None)
    made = document(tmp_path / "s.zarr" / "x")
    assert made["data_type"] == name and made["fill_value"] == (2 if name in FLOATS else 0) and "t" not in json.loads(made["attributes"]["_HDF5"])
    if ts and name not in NOT_IN_TENSORSTORE:
        read_back = tensorstore_of(tmp_path / "s.zarr").read().result()
        assert read_back.dtype == values.dtype and same(wide(read_back), wide(values))
    (shown, *_), _, _, attrs = read(str(tmp_path / "s.zarr"))
    assert same(shown, wide(values)) and attrs == {"as": 1.5}


def predefined():
    """Types of HDF5 2.x by their names."""
    with open("/proc/self/maps") as maps:
        path = next(line.split()[-1] for line in maps if "libhdf5-" in line or "libhdf5.so" in line)
    library = ctypes.CDLL(path)
    found = {"bfloat16": "H5T_FLOAT_BFLOAT16LE_g", "float8_e4m3": "H5T_FLOAT_F8E4M3_g", "float8_e5m2": "H5T_FLOAT_F8E5M2_g"}
    return library, {name: ctypes.c_int64.in_dll(library, symbol).value for name, symbol in found.items()}


def create_predefined(path, name, copied):
    """By HDF5's own identifier where it has one; is the type of the dataset that one?"""
    library, types = predefined()
    library.H5Tequal.argtypes = [ctypes.c_int64, ctypes.c_int64]
    library.H5Tcopy.restype, library.H5Tcopy.argtypes = ctypes.c_int64, [ctypes.c_int64]
    kind = h5t.TypeFloatID(library.H5Tcopy(types[name]))
    with h5py.File(path, "w") as f:
        d = h5py.Dataset(h5py.h5d.create(f.id, b"x", kind, h5s.create_simple((3,))))
        d[...] = np.array(copied, "f4")
        shown = d.id.get_type()
        return library.H5Tequal(shown.id, types[name])


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3", "float8_e5m2"])
def test_hdf5s_own_types_are_those(name, tmp_path, writer):
    if h5py.version.hdf5_version_tuple < (2, 0, 0):
        with pytest.raises(ValueError):
            predefined()
        return
    assert writer.run(create_predefined, str(tmp_path / "s.zarr"), name, [1, -0.5, 3]) == 1
    assert document(tmp_path / "s.zarr" / "x")["data_type"] == name
    assert codes_in(tmp_path / "s.zarr", name).tolist() == np.array([1, -0.5, 3], "f4").astype(dtype_of(name)).view(raw_of(name)).tolist()


def test_format_2_keeps_the_type_in_the_annotation(tmp_path, connector):
    values = wide(codes_of("float8_e5m2").view(ml_dtypes.float8_e5m2))[:120]
    assert connector.run(create, str(tmp_path / "s.zarr"), "float8_e5m2", values)
    assert json.loads((tmp_path / "s.zarr" / "x" / ".zarray").read_text())["dtype"] == "|u1"
    assert same(read(str(tmp_path / "s.zarr"))[0][0], values)


# ---- fill values ----

FILLS = [("bfloat16", "NaN", 0x7fc0), ("bfloat16", "0x7fc1", 0x7fc1), ("bfloat16", "-Infinity", 0xff80), ("bfloat16", 0.1, 0x3dcd),
         ("float8_e4m3", "NaN", 0x7c), ("float8_e3m4", "NaN", 0x78), ("float8_e4m3fn", "NaN", 0x7f), ("float8_e4m3fn", "0xff", 0xff),
         ("float8_e4m3fnuz", "NaN", 0x80), ("float8_e5m2", "Infinity", 0x7c), ("float8_e8m0fnu", "NaN", 0xff), ("float8_e8m0fnu", "0x7f", 0x7f),
         ("float8_e8m0fnu", 0.0, 0), ("float6_e2m3fn", 7.5, 0x1f), ("float4_e2m1fn", -6.0, 0xf), ("int4", -8, 0x8), ("uint4", 15, 0xf),
         ("int2", -2, 2), ("uint2", 3, 3)]


def read_fill(path):
    with h5py.File(path) as f:
        return f["x"][...], f["x"].fillvalue


@pytest.mark.parametrize("name, spelled, code", FILLS)
def test_fill_values(name, spelled, code, tmp_path, connector):
    make(tmp_path / "s.zarr", name, np.zeros(3, raw_of(name)), fill_value=spelled)
    for chunk in (tmp_path / "s.zarr" / "x" / "c").iterdir():
        chunk.unlink()
    want = wide(np.array([code], raw_of(name)).view(dtype_of(name)))
    elements, fill = connector.run(read_fill, str(tmp_path / "s.zarr"))
    assert same(elements, np.repeat(want, 3)) and same([fill], want)
    if ts and name not in NOT_IN_TENSORSTORE:
        assert same(wide(tensorstore_of(tmp_path / "s.zarr").read().result()), np.repeat(want, 3))
    connector.run(resize, str(tmp_path / "s.zarr"))
    assert document(tmp_path / "s.zarr" / "x")["fill_value"] == spelled and document(tmp_path / "s.zarr" / "x")["shape"] == [9]


def resize(path):
    with h5py.File(path, "r+") as f:
        f["x"].resize((9,))


@pytest.mark.parametrize("name, spelled", [("int4", 8), ("int4", -9), ("uint2", 4), ("uint4", -1), ("float8_e5m2", "x"), ("float4_e2m1fn", "0x1f")])
def test_a_fill_value_that_is_none_of_the_type(name, spelled, tmp_path, connector):
    make(tmp_path / "s.zarr", name, np.zeros(3, raw_of(name)), fill_value=spelled)
    with pytest.raises(Exception, match="fill_value"):
        connector.run(read, str(tmp_path / "s.zarr"))


# ---- converting ----

@pytest.mark.parametrize("name", ALL)
def test_there_and_back(name, tmp_path):
    codes = codes_of(name)
    make(tmp_path / "s.zarr", name, codes, fill_value=1)
    convert(tmp_path / "s.zarr", tmp_path / "x.h5", "--verify")
    (shown, *_), size, _, attrs = read(str(tmp_path / "x.h5"))
    assert same(shown, wide(codes.view(dtype_of(name)))) and attrs == {"unit": "m"}
    assert size == (4 if name in WIDENED else dtype_of(name).itemsize)
    convert(tmp_path / "x.h5", tmp_path / "back.zarr", "--verify", "--options", "format=3")
    back = document(tmp_path / "back.zarr" / "x")
    assert back["data_type"] == ("float32" if name in WIDENED else name)
    assert same(read(str(tmp_path / "back.zarr"))[0][0], shown)
    if name not in WIDENED:
        assert np.array_equal(codes_in(tmp_path / "back.zarr", name), codes)


# ---- structures ----

def test_members_of_a_structure(tmp_path, connector):
    """The bytes are those of a structure of integers, which zarr-python writes."""
    record = np.zeros(256, [("a", "<u2"), ("b", "u1"), ("c", "u1"), ("d", "u1")])
    record["a"], record["b"], record["c"], record["d"] = np.arange(256) * 257, np.arange(256), np.arange(256), np.arange(256) % 16
    zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=3).create_array("x", data=record, chunks=(256,), compressors=None)
    document_path = tmp_path / "s.zarr" / "x" / "zarr.json"
    fields = [["a", "bfloat16"], ["b", "float8_e4m3fn"], ["c", "float8_e5m2"], ["d", "int4"]]
    document_path.write_text(json.dumps({**json.loads(document_path.read_text()),
                                         "data_type": {"name": "structured", "configuration": {"fields": fields}}}))
    shown = connector.run(read_members, str(tmp_path / "s.zarr"))
    for name, kind in fields:
        assert same(shown[name], wide(np.ascontiguousarray(record[name]).view(dtype_of(kind))))


def read_members(path):
    with h5py.File(path) as f:
        return {name: f["x"][name] for name in "abcd"}
