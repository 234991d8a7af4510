"""Attributes of every kind: each case does on a store what it does on a native file."""

import h5py
import numpy as np
import pytest

import alike
from alike import outcome

pytestmark = pytest.mark.filterwarnings("ignore")
RECORD = np.dtype([("n", "<i2"), ("x", "<f8"), ("s", "S4")])
VALUES = {
    **{f"number {t}": np.arange(3).astype(t) for t in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">i4", ">f8", "c8", "c16")},
    **{f"scalar {t}": np.array(5).astype(t)[()] for t in ("i1", "u8", "i8", "f2", "f4", "f8", ">u2", "c16")},
    "int": 5, "negative": -2**63, "largest": 2**64 - 1, "float": 0.1, "nan": float("nan"), "inf": float("-inf"), "minus zero": -0.0,
    "tiny": 5e-324, "bool": True, "flags": np.array([True, False]), "complex": 1 - 2j, "whole float": 3.0, "floats": [1.0, 2.0],
    "text": "wörd", "empty text": "", "bytes": b"abc", "long text": "x" * 70000, "json-like text": '{"a": [1]}', "quotes": '"\\\n\t\x01',
    "emoji": "\U0001f9ec", "texts": ["a", "ü", ""], "fixed": np.array([b"ab", b"c"]), "fixed scalar": np.bytes_(b"xyz"),
    "numpy text": np.array(["a", "b"], object), "no numbers": np.array([], "f8"), "no ints": np.array([], "i2"),
    "two dimensions": np.arange(6).reshape(2, 3), "three dimensions": np.zeros((2, 1, 3), "f4"), "texts 2-D": np.array([["a", "b"], ["c", "d"]], object),
    "one element": [7], "one text": ["only"], "null": h5py.Empty("i4"), "null text": h5py.Empty(h5py.string_dtype()),
    "record": np.array((1, 2.5, b"r"), RECORD), "records": np.array([(1, 2.5, b"r"), (2, 0, b"")], RECORD),
    "opaque": np.void(b"\x00\x01\xff"), "list of int and float": [1, 2.5], "zero size 2-D": np.zeros((0, 3), "i4"),
}


def every_value(f):
    for where in (f, f.create_group("g"), f.create_dataset("d", data=[1])):
        for name, value in VALUES.items():
            where.attrs[name] = value
    return [(list(o.attrs), [o.attrs[n] for n in sorted(o.attrs)]) for o in (f, f["g"], f["d"])]


def typed(f):
    a = f.attrs
    a.create("as i1", [1, 2], dtype="i1")
    a.create("shaped", [1, 2, 3, 4], shape=(2, 2))
    a.create("enum", 1, dtype=h5py.enum_dtype({"A": 0, "B": 1}))
    a.create("vlen", np.array([np.arange(3, dtype="i4"), np.arange(1, dtype="i4")], object), dtype=h5py.vlen_dtype("i4"))
    a.create("ascii", "abc", dtype=h5py.string_dtype("ascii"))
    a.create("fixed utf8", "é".encode(), dtype=h5py.string_dtype("utf-8", 5))
    a.create("array type", np.arange(4), dtype=np.dtype(("i4", (4,))))
    return [(n, a[n], str(a.get_id(n).dtype), a.get_id(n).shape) for n in sorted(a)]


def replacing(f):
    a = f.attrs
    a["x"] = 1
    a["x"] = "text"
    a["x"] = [1.5, 2]
    a.modify("x", [3.5, 4])
    a.modify("new", 1)
    refused = outcome(lambda: a.modify("x", [1, 2, 3]))
    a["n"] = np.int8(1)
    a.modify("n", 100)
    return refused, dict(a), len(a), "x" in a, a.get("none", 5)


def deleting(f):
    a = f.create_group("g").attrs
    for i in range(20):
        a[f"a{i}"] = i
    for i in range(0, 20, 3):
        del a[f"a{i}"]
    return list(a), outcome(lambda: a.__delitem__("a0")), outcome(lambda: a["a0"]), outcome(lambda: a.pop("a1")), a.pop("no", 3), len(a)


def renaming(f):
    f.attrs["old"] = [1, 2]
    f.attrs["other"] = "o"
    h5py.h5a.rename(f.id, b"old", b"new")
    return list(f.attrs), f.attrs["new"], outcome(lambda: h5py.h5a.rename(f.id, b"none", b"x")), outcome(lambda: h5py.h5a.rename(f.id, b"new", b"other"))


def ordered(f):
    g = f.create_group("g", track_order=True)
    for name in ("z", "a", "m", "b"):
        g.attrs[name] = name
    del g.attrs["a"]
    g.attrs["a"] = 1
    d = f.create_dataset("d", (1,), track_order=True)
    d.attrs.update({"two": 2, "one": 1})
    return list(g.attrs), list(d.attrs)


def iterating(f):
    f.attrs.update({"b": 1, "a": 2, "c": 3})
    return list(f.attrs.items()), [f.attrs[k] for k in f.attrs], h5py.h5a.get_num_attrs(f.id), [h5py.h5a.open(f.id, index=i).name for i in range(3)]


def odd_names(f):
    for name in ("ünï", "with space", "a/b", "a.b", "zarr_dtype2", "%41", '"', "\\", "x" * 300, "0", "_ARRAY"):
        f.attrs[name] = name
    return list(f.attrs), dict(f.attrs)


def empty_name(f):
    return outcome(lambda: f.attrs.__setitem__("", 1)), list(f.attrs)


def many(f):
    for i in range(300):
        f.attrs[f"attribute {i}"] = i
    return len(f.attrs), list(f.attrs)[:3], sum(f.attrs.values())


def large(f):
    f.attrs["large"] = np.arange(8000, dtype="u2").reshape(80, 100)
    return f.attrs["large"]


def dataset_attributes_after_deletion(f):
    f["d"] = [1]
    f["d"].attrs["x"] = 1
    del f["d"]
    f["d"] = [2]
    return list(f["d"].attrs)


def low_level(f):
    f.attrs["x"] = np.arange(6, dtype="i4").reshape(2, 3)
    a = h5py.h5a.open(f.id, b"x")
    wide = np.zeros((2, 3), "f8")
    a.read(wide)
    return wide, a.shape, a.get_storage_size(), a.dtype, h5py.h5a.exists(f.id, b"x"), h5py.h5a.get_info(f.id, b"x").data_size


CASES = {case.__name__.replace("_", " "): case for case in (
    every_value, typed, replacing, deleting, renaming, ordered, iterating, odd_names, empty_name, many, large,
    dataset_attributes_after_deletion, low_level)}


@pytest.mark.parametrize("name", CASES)
def test_as_on_a_native_file(name, connector, tmp_path):
    alike.compare(connector, tmp_path, __name__, name)


JSON = {
    "text": ("wörd", "wörd"), "number": (5, 5), "float": (2.5, 2.5), "flag": (True, True), "texts": (["a", "b"], ["a", "b"]),
    "numbers": ([1, 2, 3], [1, 2, 3]), "floats": ([1.0, 0.5], [1.0, 0.5]), "square": ([[1, 2], [3, 4]], [[1, 2], [3, 4]]), "null": (h5py.Empty("f4"), None),
    "large": (2**64 - 1, 2**64 - 1), "empty": ([], []), "one": (["x"], ["x"]),
}


def write_json(path):
    with h5py.File(path, "w") as f:
        for name, (value, _) in JSON.items():
            f.attrs[name] = value


def test_zarr_python_reads_plain_values(connector, tmp_path):
    zarr = pytest.importorskip("zarr")
    connector.run(write_json, str(tmp_path / "s.zarr"))
    attributes = dict(zarr.open_group(tmp_path / "s.zarr", mode="r").attrs)
    assert {name: attributes[name] for name in JSON} == {name: seen for name, (_, seen) in JSON.items()}
    assert attributes.keys() - JSON.keys() <= {"_HDF5"}


FOREIGN = {
    "text": "wörd", "int": -5, "float": 0.5, "flag": False, "ints": [1, 2], "mixed": [1, 2.5], "texts": ["a", "b"], "flags": [True, False],
    "square": [[1, 2], [3, 4]], "empty": [], "big": 2**63, "null": None, "dict": {"a": [1, {"b": None}]}, "ragged": [[1], [2, 3]], "odd": [1, "a"],
}


def test_values_of_zarr_python(tmp_path):
    import json

    zarr = pytest.importorskip("zarr")
    zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=2).attrs.update(FOREIGN)
    with h5py.File(tmp_path / "s.zarr") as f:
        shown = dict(f.attrs)
    assert shown.keys() == FOREIGN.keys()
    for name in ("dict", "ragged", "odd"):
        assert json.loads(shown.pop(name)) == FOREIGN[name]
    assert shown.pop("null") == h5py.Empty("f4")
    with h5py.File(tmp_path / "n.h5", "w") as f:  # h5py's own typing of the same Python values
        f.attrs.update({name: FOREIGN[name] for name in shown})
        for name, value in shown.items():
            assert type(value) is type(f.attrs[name]), name
            np.testing.assert_array_equal(value, f.attrs[name])
            assert getattr(value, "dtype", None) == getattr(f.attrs[name], "dtype", None), name
