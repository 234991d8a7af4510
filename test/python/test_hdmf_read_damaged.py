"""Arrays in hdmf-zarr's forms that say what cannot be: reading them tells what is wrong, and the rest still reads."""

import h5py
import numpy as np
import pytest

from hdmf_forms import NAMES, ROWS, json2, make_array, ref, store, vlen  # noqa: F401


def refused(store, name="a"):
    """The error of reading, after which the rest still reads."""
    with h5py.File(store) as f:
        assert name in f and f[name].dtype is not None
        with pytest.raises(OSError) as error:
            f[name][()]
        assert f["g/t"][()].tolist() == [0, 0, 0]
    text = str(error.value)
    assert str(store) in text and f"{name}" in text
    return text


@pytest.mark.parametrize("row, complaint", [
    ([1, "a", 1.5, ref()], "a stored row has 4 values, the compound 5 members"),
    ([1, "a", 1.5, ref(), True, 7], "a stored row has 6 values, the compound 5 members"),
    (7, "an integer, which is no row of a compound"),
    ({"i": 7}, "an object, which is no row of a compound"),
    ("text", "a string, which is no row of a compound"),
    (["x", "a", 1.5, ref(), True], "a string, which is no value of its member's type"),
    ([2**31, "a", 1.5, ref(), True], "an integer, which is no value of its member's type"),
    ([1.5, "a", 1.5, ref(), True], "a real, which is no value of its member's type"),
    ([1, "a", [1.5], ref(), True], "an array, which is no value of its member's type"),
    ([1, "a", 1.5, ref(), 2], "an integer, which is no value of its member's type"),
    ([1, "a", 1.5, 7, True], "an integer, which is no reference"),
    ([1, "a", 1.5, [ref()], True], "an array, which is no reference"),
    ([1, "a\0b", 1.5, ref(), True], "NUL"),
    ([1, "a", 1.5, ref("/g\0"), True], None),
])
def test_rows_that_do_not_fit(store, row, complaint):
    make_array(store / "a", json2([list(ROWS[0]), row], (2,)), [2], codec="json2", zarr_dtype=NAMES)
    if complaint:
        assert complaint in refused(store)
    else:
        with h5py.File(store) as f:
            f["a"][()]


@pytest.mark.parametrize("value", [7, 1.5, True, [], [ref()]])
def test_values_that_are_no_references(store, value):
    make_array(store / "a", json2([ref(), value], (2,)), [2], codec="json2", zarr_dtype="object")
    assert "is no reference" in refused(store)


@pytest.mark.parametrize("value", [{}, {"path": 7}, {"path": None}, {"path": "/g", "source": 7}, "}{", "{", "/" * 5000, {"path": "../../etc", "source": "../.."},
                                   {"source": "\0", "path": "/g"}, {"source": "a" * 10000, "path": "/g"}])
def test_odd_references_harm_nobody(store, value, reader):
    make_array(store / "a", json2([value, ref()], (2,)), [2], codec="json2", zarr_dtype="object")
    assert reader.run(second_reference, str(store)) == "/g/t"


def second_reference(path):
    with h5py.File(path) as f:
        first, second = f["a"][()]
        try:
            f[first]
        except (ValueError, KeyError, RuntimeError):
            pass
        return f[second].name


TOLD = ["scalar", "object", 7, None, {}, [], [7], [{}], [{"name": "a"}], [{"name": 7, "dtype": "int32"}], [{"name": "", "dtype": "int32"}],
        [{"name": "a", "dtype": "int32"}, {"name": "a", "dtype": "int32"}], [{"name": "a", "dtype": None}], [{"name": "a", "dtype": []}],
        [{"name": "a", "dtype": "x" * 1000}], "region", "", "\0", [{"name": "a\0b", "dtype": "int8"}]]


def deep(n):
    names = "int8"
    for _ in range(n):
        names = [{"name": "x", "dtype": names}]
    return names


@pytest.mark.parametrize("told", TOLD + [deep(5), deep(28), [{"name": f"m{i}", "dtype": "int8"} for i in range(3000)]], ids=lambda x: str(x)[:40])
def test_names_of_types_that_are_none(store, told, reader):
    """They are hints: what they do not tell is what the dtype says."""
    make_array(store / "n", np.arange(2, dtype="<i4").tobytes(), [2], "<i4", zarr_dtype=told)
    make_array(store / "s", vlen(["a", "b"]), [2], codec="vlen-utf8", zarr_dtype=told)
    make_array(store / "b", vlen(["a", "b"]), [2], codec="vlen-bytes", zarr_dtype=told)
    make_array(store / "j", json2(["a", "b"], (2,)), [2], codec="json2", zarr_dtype=told)
    make_array(store / "j2", json2(["a", "b"], (2, 1)), [2, 1], codec="json2", zarr_dtype=told)
    make_array(store / "c", bytes(8), [2], [["a", "<i4"]], fill=None, zarr_dtype=told)
    make_array(store / "c2", bytes(8), [2, 1], [["a", "<i4"]], fill=None, zarr_dtype=told)
    found = reader.run(read_all, str(store))
    text_or_bytes = ["a", "b"] if isinstance(told, str) else ["[97]", "[98]"]  # a word of hdmf-zarr's says that it wrote the array
    assert found["n"] == [0, 1] and found["b"] == text_or_bytes and set(found) == {"n", "s", "b", "j", "j2", "c", "c2"}


def read_all(path):
    found = {}
    with h5py.File(path) as f:
        for name in set(f) - {"g"}:
            try:
                value = f[name][()]
                found[name] = [x.decode() if isinstance(x, bytes) else x.item() if isinstance(x, np.generic) else str(x) for x in value]
            except OSError as error:
                found[name] = str(error)
                assert "which is no" in found[name] or "values, the compound" in found[name]
    return found
