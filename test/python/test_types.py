"""Types and attributes, both ways: what h5py writes through the connector, zarr-python reads as numpy sees it, and what
zarr-python writes, h5py reads."""

import json

import h5py
import numpy as np
import pytest

from interpreter import Interpreter
from places import with_connector

zarr = pytest.importorskip("zarr")

TEXT = h5py.string_dtype()
TEXT_INFO = h5py.check_string_dtype(TEXT)
# zarr-python reads structs within structs (which array members become, too) since 3.4.
READS_NESTED = tuple(int(part) for part in zarr.__version__.split(".")[:2]) >= (3, 4)
WORDS = ["", "a", "caf\u00e9", "\U0001f41f fish", "a longer word"]


def both():
    """Arrays that are the same to numpy, h5py and zarr-python."""
    for kind in "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split():
        for order in "<>":
            values = np.array([0, 1, 2, 100, 127]) * (1 if kind[0] == "u" else -1)
            yield order.replace("<", "little ").replace(">", "big ") + kind, values.astype(order + kind)
    yield "bool", np.array([True, False, True])
    yield "bytes", np.array([b"", b"ab", b"abc"])
    yield "void", np.frombuffer(b"abcdefgh", dtype="V4")
    yield "struct", np.array([(1, 2.5, True), (-7, np.inf, False)], dtype=[("i", "<i4"), ("x", "<f8"), ("b", "?")])
    yield "nested", np.array([(1, (2, 3.5))], dtype=[("a", "<i4"), ("n", [("b", "<u2"), ("c", "<f4")])])
    yield "big struct", np.array([(1, 2.5)], dtype=[("a", ">i4"), ("b", ">f8")])
    yield "three dimensions", np.arange(24, dtype="<u2").reshape(2, 3, 4)
    yield "scalar", np.array(3.5)


def written_by_h5py(path):
    """Runs in a process of its own, where the connector creates the files."""
    with h5py.File(path, "w") as f:
        for name, array in both():
            f[name] = array
        f.create_dataset("text", data=WORDS, dtype=TEXT)
        f.create_dataset("ascii", data=["a", "b"], dtype=h5py.string_dtype("ascii"))
        f["one text"] = "caf\u00e9"
        f["time"] = np.array(["2024-02-29T12:00", "NaT"], "M8[ns]").astype(h5py.opaque_dtype("M8[ns]"))
        f["enum"] = np.array([-1, 70000], dtype=h5py.enum_dtype({"red": -1, "blue": 70000}, basetype="i4"))
        f["rows"] = np.array([np.array([1, 2, 3], "i4"), np.array([], "i4")], dtype=h5py.vlen_dtype("i4"))
        f["words"] = np.array(
            [(i, word) for i, word in enumerate(WORDS)], dtype=np.dtype([("i", "<i8"), ("s", TEXT)])
        )
        padded = np.zeros(2, np.dtype([("a", "i1"), ("b", "<f8")], align=True))
        padded["a"], padded["b"] = [1, 2], [3.5, 4.5]
        f["padded"] = padded
        f["member arrays"] = np.array([([1, 2, 3],), ([4, 5, 6],)], dtype=[("v", "<i4", (3,))])


class Seen:
    """An array as h5py reads it, variable-length text as str. Its dtype apart: pickling an array loses the byte order."""

    def __init__(self, dataset):
        self.dtype = dataset.dtype
        self.values = dataset.asstr()[...] if h5py.check_string_dtype(dataset.dtype) == TEXT_INFO else dataset[...]


def seen_by_h5py(path):
    with h5py.File(path, "r") as f:
        return {name: Seen(f[name]) for name in f}


def attributes_seen_by_h5py(path):
    with h5py.File(path, "r") as f:
        return dict(f.attrs)


@pytest.fixture(scope="module")
def store(tmp_path_factory, connector):
    path = tmp_path_factory.mktemp("types") / "h5py.zarr"
    connector.run(written_by_h5py, path)
    return path


@pytest.fixture(scope="module")
def seen(store, connector):
    return connector.run(seen_by_h5py, store)


@pytest.mark.parametrize("name", [name for name, _ in both()])
def test_zarr_reads_what_h5py_wrote(store, name):
    if name == "nested" and not READS_NESTED:
        pytest.skip("this zarr-python reads no structs within structs")
    expected = dict(both())[name]
    found = zarr.open(store, mode="r")[name][...]
    assert np.asarray(found).dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", [name for name, _ in both()])
def test_h5py_reads_its_own(seen, name):
    expected = dict(both())[name]
    assert seen[name].dtype == expected.dtype
    np.testing.assert_array_equal(seen[name].values, expected)


def test_zarr_reads_types_of_hdf5(store):
    root = zarr.open(store, mode="r")
    assert list(root["text"][:]) == WORDS
    assert list(root["ascii"][:]) == ["a", "b"]
    assert root["one text"][()] == "caf\u00e9"
    assert root["time"].dtype == "M8[ns]" and str(root["time"][0]) == "2024-02-29T12:00:00.000000000"
    assert root["enum"][:].tolist() == [-1, 70000] and root["enum"].dtype == "i4"
    assert [np.frombuffer(row, "<i4").tolist() for row in root["rows"][:]] == [[1, 2, 3], []]
    assert root["words"].dtype["s"] == "<U13"  # as wide as the longest
    assert root["words"][:]["s"].tolist() == WORDS
    assert root["padded"][:].tolist() == [(1, 3.5), (2, 4.5)] and root["padded"].dtype.itemsize == 9
    if READS_NESTED:
        assert root["member arrays"][:].tolist() == [((1, 2, 3),), ((4, 5, 6),)]


def test_h5py_reads_types_of_hdf5(seen):
    assert seen["text"].values.tolist() == WORDS
    assert h5py.check_string_dtype(seen["ascii"].dtype).encoding == "ascii"
    assert seen["time"].dtype == "M8[ns]" and np.isnat(seen["time"].values[1])
    assert h5py.check_enum_dtype(seen["enum"].dtype) == {"red": -1, "blue": 70000}
    assert [row.tolist() for row in seen["rows"].values] == [[1, 2, 3], []]
    assert [row["s"].decode() for row in seen["words"].values] == WORDS
    assert seen["padded"].dtype == np.dtype([("a", "i1"), ("b", "<f8")], align=True)
    assert seen["padded"].values.tolist() == [(1, 3.5), (2, 4.5)]
    assert seen["member arrays"].dtype == np.dtype([("v", "<i4", (3,))])
    assert seen["member arrays"].values["v"].tolist() == [[1, 2, 3], [4, 5, 6]]


def test_zarr_dtype(store):
    names = {
        "little i4": "int32",
        "bool": "bool",
        "big c16": "complex128",
        "text": "str",
        "bytes": "bytes_",
        "void": "void",
        "time": "<M8[ns]",
        "enum": "int32",
        "rows": "void",
        "scalar": "scalar",
        "words": [{"name": "i", "dtype": "int64"}, {"name": "s", "dtype": "str_"}],
        "member arrays": [{"name": "v", "dtype": "void"}],
    }
    for name, expected in names.items():
        assert json.loads((store / name / ".zattrs").read_text())["zarr_dtype"] == expected, name
    with (store / "ascii" / ".zattrs").open() as document:
        assert json.loads(json.load(document)["_HDF5"])["t"] == {"str": "v", "pad": "null", "cs": "ascii"}


def test_bookkeeping_is_hidden(store, connector):
    assert connector.run(attributes_seen_by_h5py, store) == {}


def test_h5py_reads_what_zarr_wrote(tmp_path, connector):
    store = tmp_path / "zarr.zarr"
    root = zarr.open(store, mode="w", zarr_format=2)
    for name, array in both():
        if name != "nested" or READS_NESTED:
            root.create_array(name, data=array)
    root.create_array("unicode", data=np.array(WORDS, dtype="<U13"))
    root.create_array("big unicode", data=np.array(WORDS, dtype=">U13"))
    root.create_array("time", data=np.array(["2024-02-29", "NaT"], "M8[D]"))
    root.create_array("span", data=np.array([1, -1], ">m8[us]"))
    root.create_array("words", data=np.array([(1, "caf\u00e9"), (2, "")], dtype=[("i", "<i4"), ("s", "<U4")]))
    seen = connector.run(seen_by_h5py, store)
    for name, expected in both():
        if name in seen:
            assert seen[name].dtype == expected.dtype, name
            np.testing.assert_array_equal(seen[name].values, expected)
    assert seen["unicode"].values.tolist() == WORDS
    assert seen["big unicode"].values.tolist() == WORDS
    assert seen["time"].dtype == "M8[D]" and str(seen["time"].values[0]) == "2024-02-29"
    assert seen["span"].dtype == ">m8[us]" and seen["span"].values.tolist() == np.array([1, -1], "m8[us]").tolist()
    assert [row["s"].decode() for row in seen["words"].values] == ["caf\u00e9", ""]


VALUES = {
    "text": "caf\u00e9",
    "texts": ["a", ""],
    "one text": ["a"],
    "true": True,
    "truths": [True, False],
    "int": -3,
    "ints": [[1, 2], [3, 4]],
    "large": 2**64 - 1,
    "float": 0.1,
    "floats": [1.0, float("inf")],
    "nothing": [],
}


def test_attributes_of_zarr(tmp_path, connector):
    store = tmp_path / "attributes.zarr"
    root = zarr.open(store, mode="w", zarr_format=2)
    root.attrs.update(VALUES | {"null": None, "object": {"a": [1, "x"]}, "mixed": [1, "x"]})
    seen = connector.run(attributes_seen_by_h5py, store)
    for name, expected in VALUES.items():
        np.testing.assert_array_equal(seen[name], expected)
    assert isinstance(seen["text"], str) and isinstance(seen["true"], np.bool_)
    assert seen["one text"].shape == (1,) and seen["nothing"].dtype == "f8"
    assert seen["null"] == h5py.Empty("f4")
    assert json.loads(seen["object"]) == {"a": [1, "x"]} and json.loads(seen["mixed"]) == [1, "x"]


def attributes_by_h5py(path):
    with h5py.File(path, "w") as f:
        for name, value in VALUES.items():
            f.attrs[name] = value
        f.attrs["single"] = np.float32(0.1)
        f.attrs["complex"] = np.array([1 + 2j, 3])
        f.attrs["record"] = np.array([(1, 2.5)], dtype=[("a", "<i2"), ("b", "<f4")])
        f.attrs["empty"] = h5py.Empty("f4")
        f.attrs["raw"] = np.void(b"\x00\xff")


def test_attributes_of_h5py(tmp_path, connector):
    store = tmp_path / "attributes.zarr"
    connector.run(attributes_by_h5py, store)
    plain = dict(zarr.open(store, mode="r").attrs)
    for name, expected in VALUES.items():
        assert plain[name] == expected, name
    assert np.float32(plain["single"]) == np.float32(0.1) and plain["empty"] is None
    assert plain["record"] == [{"a": 1, "b": 2.5}] and plain["complex"] == [[1.0, 2.0], [3.0, 0.0]]
    seen = connector.run(attributes_seen_by_h5py, store)
    for name, expected in VALUES.items():
        np.testing.assert_array_equal(seen[name], expected)
    assert seen["single"].dtype == "f4" and seen["single"] == np.float32(0.1)
    assert seen["complex"].tolist() == [1 + 2j, 3]
    assert seen["record"].dtype == np.dtype([("a", "<i2"), ("b", "<f4")]) and seen["record"][0]["b"] == 2.5
    assert seen["empty"] == h5py.Empty("f4")
    assert seen["raw"].tobytes() == b"\x00\xff"


def test_the_plain_dtype_wins(tmp_path, store, connector):
    """The type in the annotation belongs to a dtype; another dtype, of another program, makes it void."""
    (tmp_path / "enum").mkdir()
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
    (tmp_path / "enum" / ".zattrs").write_text((store / "enum" / ".zattrs").read_text())
    document = json.loads((store / "enum" / ".zarray").read_text())
    document["dtype"] = "<f4"
    (tmp_path / "enum" / ".zarray").write_text(json.dumps(document))
    assert connector.run(seen_by_h5py, tmp_path)["enum"].dtype == "<f4"


def odd_member_names(path):
    with h5py.File(path, "w") as f:
        number = h5py.h5t.NATIVE_INT32
        for name, members in (("latin", [b"na\xefve", b"plain"]), ("taken", [b"na\xefve", b"na%EFve"])):
            kind = h5py.h5t.create(h5py.h5t.COMPOUND, 8)
            for i, member in enumerate(members):
                kind.insert(member, 4 * i, number)
            space = h5py.h5s.create_simple((2,))
            d = h5py.h5d.create(f.id, name.encode(), kind, space)
            d.write(space, space, np.array([[1, 2], [3, 4]], "i4").view("V8"), kind)


@pytest.mark.parametrize("options", ["zarr", "zarr format=3"])
def test_member_names_that_are_not_utf8_are_escaped_for_zarr(options, tmp_path):
    interpreter = Interpreter(with_connector(options))
    interpreter.run(odd_member_names, str(tmp_path / "s.zarr"))
    interpreter.stop()
    root = zarr.open(tmp_path / "s.zarr", mode="r")
    assert root["latin"].dtype == np.dtype([("na%EFve", "<i4"), ("plain", "<i4")])
    assert root["latin"][...].tolist() == [(1, 2), (3, 4)]
    assert root["taken"].dtype == np.dtype([("na%EFve%~2", "<i4"), ("na%EFve", "<i4")])
    assert root["taken"][...].tolist() == [(1, 2), (3, 4)]
