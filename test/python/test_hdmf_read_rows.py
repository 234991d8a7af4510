"""Rows of compounds in each form that hdmf-zarr gave them, as HDF5 shows them."""

import json

import h5py
import numpy as np
import pytest

from hdmf_forms import NAMES, PICKLES, ROWS, ZarrReference, json2, make_array, objects, pickled, plain, ref, shown, store  # noqa: F401


def test_rows_that_were_repeated(store, connector):
    rows = np.array([(1, 2.5), (3, 4.5), (5, 6.5)], [("a", "<i4"), ("b", "<f8")])
    told = [{"name": "a", "dtype": "int32"}, {"name": "b", "dtype": "float64"}]
    repeated = np.repeat(rows[:, None], 2, axis=1)
    make_array(store / "a", repeated.tobytes(), [3, 2], rows.dtype.descr, fill="AAAAAAAAAAAAAAAA", zarr_dtype=told)
    make_array(store / "b", {"0.0": repeated[:2, :1].tobytes(), "0.1": repeated[:2, 1:].tobytes(), "1.0": repeated[2:, :1].tobytes() + bytes(12),
                             "1.1": repeated[2:, 1:].tobytes() + bytes(12)},
               [3, 2], rows.dtype.descr, chunks=[2, 1], fill="AAAAAAAAAAAAAAAA", zarr_dtype=told)
    make_array(store / "c", repeated.tobytes(), [3, 2], rows.dtype.descr, fill=None)
    with h5py.File(store, "r+") as f:
        for name in "ab":
            assert f[name].shape == (3,) and f[name].dtype == rows.dtype
            np.testing.assert_array_equal(f[name][()], rows)
            np.testing.assert_array_equal(f[name][1:], rows[1:])
            np.testing.assert_array_equal(f[name][[0, 2]], rows[[0, 2]])
        assert f["c"].shape == (3, 2)
        with pytest.raises(OSError, match="direct chunk access"):
            f["b"].id.read_direct_chunk((0,))
        f["a"][1] = (7, 8.5)
        assert f["a"][1].item() == (7, 8.5)
    stored = np.frombuffer((store / "a" / "0.0").read_bytes(), rows.dtype).reshape(3, 2)
    assert stored[1].tolist() == [(7, 8.5)] * 2 and stored[2].tolist() == [(5, 6.5)] * 2


def test_rows_made_of_single_values(store):
    """numpy made a record of each value of a row: all its members are that value."""
    rows = np.array([(1, 2, 0.5), (3, 4, 1.5)], [("x", "<u4"), ("y", "<u4"), ("w", "<f8")])
    wide = np.empty((2, 3), rows.dtype)
    wide[:] = np.array([list(row) for row in rows.tolist()])
    told = [{"name": "x", "dtype": "uint32"}, {"name": "y", "dtype": "uint32"}, {"name": "w", "dtype": "float64"}]
    make_array(store / "a", wide.tobytes(), [2, 3], rows.dtype.descr, fill=None, zarr_dtype=told)
    with h5py.File(store) as f:
        np.testing.assert_array_equal(f["a"][()], rows)


def write_rows(path, mode):
    with h5py.File(path, mode) as f:
        f["mine"] = np.arange(4, dtype="<i4").repeat(2).view([("a", "<i4"), ("b", "<i4")]).reshape(2, 2)


def test_rows_that_only_look_repeated(store, tmp_path, connector):
    """As many columns as members, in stores of ours and in theirs."""
    for path, mode in [(tmp_path / "new.zarr", "w"), (store, "r+")]:
        connector.run(write_rows, str(path), mode)
        assert shown(path, "mine")[:2] == ([[[0, 0], [1, 1]], [[2, 2], [3, 3]]], (2, 2))


READ = [[-7, "é", 1.5, ["->", "/g/t"], True], [8, "", -0.25, ["->", "/g"], False]]
MIXED = [("i", "<i4"), ("s", "S9"), ("f", "<f4"), ("r", "S9"), ("y", "?")]


def flat(rows):
    return [value for row in rows for value in row]


def structured(rows):
    array = np.empty(len(rows), [("i", "<i4"), ("s", "O"), ("f", "<f4"), ("r", "O"), ("y", "?")])
    array[:] = rows
    return array


FORMS = {
    "lists of json2": lambda rows: ("json2", json2([list(row) for row in rows], (len(rows),)), [len(rows)]),
    "axis of json2": lambda rows: ("json2", json2(flat(rows), (len(rows), 5)), [len(rows), 5]),
    **{f"lists of pickle {n}": lambda rows, n=n: (f"pickle {n}", pickled(objects([list(row) for row in rows], (len(rows),)), n), [len(rows)])
       for n in PICKLES},
    **{f"tuples of pickle {n}": lambda rows, n=n: (f"pickle {n}", pickled(objects(rows, (len(rows),)), n), [len(rows)]) for n in PICKLES},
    **{f"axis of pickle {n}": lambda rows, n=n: (f"pickle {n}", pickled(objects(flat(rows), (len(rows), 5)), n), [len(rows), 5]) for n in PICKLES},
}


def make_rows(path, form, rows, **more):
    codec, chunk, shape = FORMS[form](rows)
    name, _, protocol = codec.partition(" ")
    configuration = {"id": name, "protocol": int(protocol)} if protocol else name
    make_array(path, chunk, shape, codec=configuration, zarr_dtype=NAMES, **more)


@pytest.mark.parametrize("form", FORMS)
def test_rows_with_references(store, form):
    make_rows(store / "a", form, ROWS)
    make_rows(store / "one", form, ROWS[:1])
    value, shape, dtype = shown(store)
    assert value == READ and shape == (2,)
    assert [dtype[name].kind for name in "isfry"] == list("iOfO") + [dtype["y"].kind] and dtype["i"] == "<i4" and dtype["f"] == "<f4"
    assert h5py.check_ref_dtype(dtype["r"]) is h5py.Reference and h5py.check_string_dtype(dtype["s"]).encoding == "utf-8"
    assert shown(store, "one")[0] == READ[:1]
    with h5py.File(store) as f:
        assert plain(f, f["a"][1]) == READ[1] and plain(f, f["a"]["r"]) == [row[3] for row in READ]
        assert f["a"].fields("i")[()].tolist() == [-7, 8]


@pytest.mark.parametrize("protocol", PICKLES)
@pytest.mark.parametrize("fill", ["gAVLAC4=", "gARLAC4=", None])
def test_structures_with_references(store, protocol, fill):
    dtype = [["i", "<i4"], ["s", "|O"], ["f", "<f4"], ["r", "|O"], ["y", "|b1"]]
    rows = [(i, s, f, ZarrReference(r), y) for i, s, f, r, y in ROWS]
    make_array(store / "a", pickled(structured(rows), protocol), [2], dtype, codec={"id": "pickle", "protocol": protocol}, fill=fill, zarr_dtype=NAMES)
    assert shown(store)[:2] == (READ, (2,))
    with h5py.File(store) as f:
        assert h5py.check_ref_dtype(f["a"].dtype["r"]) is h5py.Reference


def test_rows_that_are_missing(store):
    """Of chunks that are not stored, and of padding."""
    make_array(store / "a", {"0": json2([list(ROWS[0]), 0], (2,))}, [4], codec="json2", chunks=[2], zarr_dtype=NAMES)
    make_array(store / "b", {"0.0": json2([*ROWS[0], 0, 0, 0, 0, 0], (2, 5))}, [4, 5], codec="json2", chunks=[2, 5], zarr_dtype=NAMES)
    for name in "ab":
        assert shown(store, name)[0] == [READ[0]] + [[0, "", 0, "null", False]] * 3


def test_rows_over_parts_of_the_axis(store):
    make_array(store / "a", {"0.0": json2([-7, "é"], (1, 2)), "0.1": json2([1.5, ref()], (1, 2)), "0.2": json2([True, 0], (1, 2)),
                             "1.0": json2([8, ""], (1, 2)), "1.1": json2([-0.25, ref("/g")], (1, 2)), "1.2": json2([False, 0], (1, 2))},
               [2, 5], codec="json2", chunks=[1, 2], zarr_dtype=NAMES)
    assert shown(store)[0] == READ
    with h5py.File(store) as f:
        assert plain(f, f["a"][1:]) == READ[1:]


def test_compounds_in_compounds(store):
    names = [{"name": "p", "dtype": [{"name": "x", "dtype": "float32"}, {"name": "s", "dtype": "object_"}]}, {"name": "q", "dtype": "uint8"}]
    make_array(store / "a", json2([[[0.5, "a"], 255], [[1.5, "b"], 0]], (2,)), [2], codec="json2", zarr_dtype=names)
    value, shape, dtype = shown(store)
    assert value == [[[0.5, "a"], 255], [[1.5, "b"], 0]] and dtype["p"]["x"] == "<f4" and dtype["q"] == "u1"


@pytest.mark.parametrize("form", ["lists of json2", "axis of json2"])
def test_rows_are_written(store, form):
    make_rows(store / "a", form, ROWS)
    with h5py.File(store, "r+") as f:
        row = f["a"][0]
        row["i"], row["s"], row["r"] = 9, "ü\"", f["g"].ref
        f["a"][1] = row
        assert plain(f, f["a"][()]) == [READ[0], [9, "ü\"", 1.5, ["->", "/g"], True]]
    stored = json.loads((store / "a" / ("0.0" if "axis" in form else "0")).read_bytes())
    reference = stored[1][3]
    assert stored[1] == [9, "ü\"", 1.5, reference, True] and (reference["source"], reference["path"]) == (".", "/g")
    assert stored[2] == "|O" and shown(store)[0][1] == [9, "ü\"", 1.5, ["->", "/g"], True]
