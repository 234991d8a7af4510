"""Zarr v3, member by member of zarr.json: data types, fill values in every spelling, chunk keys, transformers, what must be understood.
zarr-python 3 reads the same documents, but where it has no word for what the format allows."""

import json

import h5py
import numpy as np
import pytest
import zarr

from interpreter import Failed, Interpreter
from places import with_connector

pytestmark = pytest.mark.filterwarnings("ignore")


def read_all(path):
    with h5py.File(path) as f:
        return {name: f[name][()] for name in f}


def edit(path, **members):
    document = path / "zarr.json"
    document.write_text(json.dumps({**json.loads(document.read_text()), **members}))


def named(name, **configuration):
    return {"name": name, "configuration": configuration}


# ---- fill values ----

TIME = dict(unit="ns", scale_factor=1)
FILLS = {  # data type, spelling of the fill value, the element's bytes
    "float16 hex": ("float16", "0x7e01", "017e"), "float32 hex": ("float32", "0x7fc00123", "2301c07f"),
    "float64 hex": ("float64", "0xfff8000000000007", "070000000000f8ff"), "float64 NaN": ("float64", "NaN", "000000000000f87f"),
    "float32 Infinity": ("float32", "Infinity", "0000807f"), "float64 -Infinity": ("float64", "-Infinity", "000000000000f0ff"),
    "float64 integer": ("float64", 3, "0000000000000840"), "float32 -0.0": ("float32", -0.0, "00000080"),
    "complex64 pair": ("complex64", [1.5, -2.0], "0000c03f000000c0"), "complex64 names": ("complex64", ["NaN", "-Infinity"], "0000c07f000080ff"),
    "complex128 hex": ("complex128", ["0x7ff8000000000001", 0.0], "010000000000f87f" + 16 * "0"),
    "uint64 largest": ("uint64", 2**64 - 1, 16 * "f"), "int64 least": ("int64", -2**63, 14 * "0" + "80"), "bool": ("bool", True, "01"),
    "datetime NaT": (named("numpy.datetime64", **TIME), "NaT", 14 * "0" + "80"),
    "datetime NaT as a number": (named("numpy.datetime64", **TIME), -2**63, 14 * "0" + "80"),
    "datetime": (named("numpy.datetime64", unit="s", scale_factor=25), 7, "07" + 14 * "0"),
    "timedelta NaT": (named("numpy.timedelta64", unit="generic", scale_factor=1), "NaT", 14 * "0" + "80"),
    "raw base64": (named("raw_bytes", length_bytes=3), "AAH/", "0001ff"), "text base64": (named("null_terminated_bytes", length_bytes=4), "YWI=", "61620000"),
    "raw bits": ("r16", [1, 255], "01ff"),  # of the core specification; not in zarr-python
    "utf32": (named("fixed_length_utf32", length_bytes=8), "é", "e900000000000000"),
    "structured base64": (named("structured", fields=[["a", "int16"], ["b", "float32"]]), "AQAAAIA/", "01000000803f"),
    "struct": (named("struct", fields=[{"name": "a", "data_type": "int16"}, {"name": "b", "data_type": "float32"}]),
               {"a": 1, "b": "NaN"}, "01000000c07f"),  # zarr-python 3.4
    "struct base64": (named("struct", fields=[{"name": "a", "data_type": "int8"}]), "Bw==", "07"),
}
NOT_IN_ZARR_PYTHON_31 = ["raw bits", "struct", "struct base64", "float16 hex"]  # the last loses the payload of its NaN


def test_every_spelling_of_a_fill_value(tmp_path, reader):
    path = tmp_path / "f.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    for name, (data_type, fill, _) in FILLS.items():
        group.create_array(name, shape=(3,), chunks=(2,), dtype="i1")
        edit(path / name, data_type=data_type, fill_value=fill, codecs=[named("bytes", endian="little")])

    shown = reader.run(read_all, str(path))
    for name, (_, _, expected) in FILLS.items():
        if name == "utf32":  # variable text in HDF5
            assert [text.decode() for text in shown[name]] == ["é"] * 3
        else:
            assert shown[name].tobytes().hex() == 3 * expected, name
        if name not in NOT_IN_ZARR_PYTHON_31:
            assert zarr.open_array(path / name)[...].tobytes().hex() == 3 * expected, name


def test_fill_values_of_objects(tmp_path, reader):
    path = tmp_path / "o.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    for name, data_type, codec, fill in (("text", "string", "vlen-utf8", "größe"), ("bytes", "variable_length_bytes", "vlen-bytes", "Af8="),
                                         ("utf8", "variable_length_utf8", "vlen-utf8", "x"), ("list", "bytes", "vlen-bytes", [1, 255])):
        group.create_array(name, shape=(2,), chunks=(2,), dtype="i1")
        edit(path / name, data_type=data_type, fill_value=fill, codecs=[{"name": codec, "configuration": {}}])
    shown = reader.run(read_all, str(path))
    assert [s.decode() for s in shown["text"]] == ["größe"] * 2 == zarr.open_array(path / "text")[...].tolist()
    assert [s.decode() for s in shown["utf8"]] == ["x"] * 2
    assert [bytes(b) for b in shown["bytes"]] == [b"\1\xff"] * 2 == zarr.open_array(path / "bytes")[...].tolist()
    assert [bytes(b) for b in shown["list"]] == [b"\1\xff"] * 2


OURS = [("f8", np.nan), ("f4", np.frombuffer(b"\x23\x01\xc0\x7f", "f4")[0]), ("f2", -np.inf), ("c16", complex(-0.0, np.nan)), ("i8", -2**63),
        ("u8", 2**64 - 1), ("?", True), ("S4", b"ab"), ("V3", np.void(b"\0\1\xff")), (">i4", 258), ("i1", -1)]


def create_filled(path):
    with h5py.File(path, "w") as f:
        for i, (dtype, fill) in enumerate(OURS):
            f.create_dataset(str(i), (4,), dtype, chunks=(2,), fillvalue=np.array(fill, dtype))


def test_our_fill_values_in_zarr_python(tmp_path):
    path = tmp_path / "o.zarr"
    writer = Interpreter(with_connector("zarr format=3"))
    try:
        writer.run(create_filled, str(path))
    finally:
        writer.stop()
    for i, (dtype, fill) in enumerate(OURS):
        array = zarr.open_array(path / str(i))
        assert array[...].astype(dtype).tobytes() == np.full(4, fill, dtype).tobytes(), dtype


# ---- chunk keys ----

@pytest.mark.parametrize("separator", [".", "/", None])
@pytest.mark.parametrize("encoding", ["default", "v2"])
@pytest.mark.parametrize("shape", [(), (5,), (5, 7)])
def test_chunk_keys(tmp_path, connector, encoding, separator, shape):
    """What zarr-python stores under its keys is found, what we change is found by it, and no key is there twice."""
    path = tmp_path / "k.zarr"
    keys = {"name": encoding, **({"separator": separator} if separator else {})}
    group = zarr.open_group(path, mode="w", zarr_format=3)
    array = group.create_array("a", shape=shape, chunks=(2,) * len(shape), dtype="i4", chunk_key_encoding=keys)
    array[...] = np.arange(np.prod(shape, dtype=int), dtype="i4").reshape(shape) + 1
    if separator is None:  # the default is not said
        edit(path / "a", chunk_key_encoding={"name": encoding})
        assert np.array_equal(zarr.open_array(path / "a")[...], array[...])
    before = sorted(p.name for p in (path / "a").rglob("*"))
    assert np.array_equal(connector.run(add_one, str(path)), array[...] - 1)
    assert sorted(p.name for p in (path / "a").rglob("*")) == before


def add_one(path):
    with h5py.File(path, "r+") as f:
        data = f["a"][()]
        f["a"][...] = data + 1
        return data


# ---- what must be understood ----

@pytest.mark.parametrize("members, message", [
    (dict(storage_transformers=[]), None),
    (dict(storage_transformers=[{"name": "cache", "must_understand": False}]), None),
    (dict(storage_transformers=[{"name": "indirect", "must_understand": True}]), "indirect"),
    (dict(note={"must_understand": False, "any": 1}), None),
    (dict(note={"must_understand": True}), "note"),
    (dict(note="text"), "note"),
    (dict(dimension_names=["x"]), None),
    (dict(dimension_names=[None]), None),
    (dict(attributes={}), None),
    (dict(codecs=[{"name": "numcodecs.pcodec", "configuration": {}}]), "pcodec"),
    (dict(codecs=[{"name": "numcodecs.zfpy", "configuration": {}}, {"name": "crc32c"}]), "zfpy"),
    (dict(data_type="float8_e9m9"), "float8_e9m9"),
    (dict(data_type="int3"), "int3"),
])
def test_members(tmp_path, connector, members, message):
    """What is kept opens and stays as it is when the array changes; what is not understood is named, and its siblings stay."""
    path = tmp_path / "m.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    for name in "ab":
        group.create_array(name, shape=(4,), chunks=(2,), dtype="i1", dimension_names=None)[:] = 1
    edit(path / "a", **members)
    if message:
        with pytest.raises(Failed, match=message):
            connector.run(grow, str(path), "a")
    else:
        connector.run(grow, str(path), "a")
    connector.run(grow, str(path), "b")
    document = json.loads((path / "a" / "zarr.json").read_text())
    assert {key: document[key] for key in members} == members and document["shape"] == [4 if message else 6]


def grow(path, name):
    with h5py.File(path, "r+") as f:
        assert sorted(f) == ["a", "b"] and f[name][:].tolist() == [1] * 4
        f[name].resize((6,))
