"""The hdmf dialect stores types otherwise, and HDF5 must not see it: the same programs on native files and on such stores, with references in
JSON and pickled."""

import json
import os
import subprocess

import h5py
import numpy as np
import pytest

import alike
import test_attributes
import test_datasets
import test_references
import test_zoo
from interpreter import Interpreter
from places import with_connector

TEXT = h5py.string_dtype()
MIXED = np.dtype([("n", "<i4"), ("s", TEXT), ("r", h5py.ref_dtype), ("x", ">f8"), ("y", "?"), ("f", "S4")])


def mixed(f, *rows):
    return np.array([(n, s, f[r].ref if r else h5py.Reference(), x, y, t) for n, s, r, x, y, t in rows], MIXED)


def plain(f, value):
    if isinstance(value, h5py.RegionReference):
        return (f[value].name, f[value][value].tolist()) if value else None
    if isinstance(value, h5py.Reference):
        return f[value].name if value else None
    if isinstance(value, np.ndarray):
        return [plain(f, x) for x in value] if value.ndim else plain(f, value[()])
    if isinstance(value, np.void):
        return [plain(f, x) for x in value.item()]
    return [plain(f, x) for x in value] if isinstance(value, (tuple, list)) else str(value)


# Each a function of a file, which has /g and /d.


def rows(f):
    d = f.create_dataset("rows", (3,), MIXED)
    before = plain(f, d[()])
    d[:2] = mixed(f, (1, "é\"\\", "/g", np.nan, True, b"ab"), (-2, "", None, -0.0, False, b"wxyz"))
    return before, plain(f, d[()]), plain(f, d[1:]), plain(f, d[[0, 2]]), plain(f, d["s"]), plain(f, d["n", "r"])


def parts_of_rows(f):
    """What a program leaves out stays."""
    d = f.create_dataset("rows", data=mixed(f, (1, "a", "/g", 1.5, True, b"ab"), (2, "b", "/d", 2.5, False, b"cd")))
    part = np.array([(7, "longer than before"), (8, "")], [("n", "<i8"), ("s", TEXT)])
    d.id.write(h5py.h5s.ALL, h5py.h5s.ALL, part, h5py.h5t.py_create(part.dtype))
    return plain(f, d[()])


def rows_in_chunks(f):
    d = f.create_dataset("rows", (4, 3), MIXED, chunks=(3, 2), maxshape=(None, 9), compression="gzip", shuffle=True)
    for i in range(4):
        d[i] = mixed(f, *[(10 * i + k, "t" * i, "/g" if k else None, i / 4, k == 1, b"%d" % k) for k in range(3)])
    d.resize((5, 4))
    d[4, 3] = mixed(f, (99, "last", "/", 0, True, b""))[0]
    grown = plain(f, d[()])
    d.resize((2, 2))
    return grown, plain(f, d[()]), d.chunks, d.maxshape


def one_row(f):
    d = f.create_dataset("row", (), MIXED)
    before = plain(f, d[()])
    d[()] = mixed(f, (5, "ü", "/d", 1e300, True, b"abcd"))[0]
    f.create_dataset("columns", data=np.array([("x",)], [("only", TEXT)]))
    return before, plain(f, d[()]), plain(f, f["columns"][()]), f["columns"].shape


def deep_rows(f):
    inner = np.dtype([("s", TEXT), ("v", "<i2", (2, 2)), ("c", "<c16")])
    d = f.create_dataset("deep", (2,), np.dtype([("p", inner), ("t", TEXT, (2,)), ("e", h5py.enum_dtype({"a": 1, "b": 2}, "u1")), ("o", "V3")]))
    value = d[()]
    value["p"]["s"], value["p"]["v"], value["p"]["c"], value["e"] = ["x", "y"], 7, 1 - 2j, 2
    value["t"] = [["1", "2"], ["3", "\U0001f41f"]]
    value["o"] = np.void(b"\0\1\2")
    d[...] = value
    d["e"] = np.array([1, 2], "u1")
    return plain(f, d[()])


def arrays_of_rows(f):
    d = f.create_dataset("arrays", (2,), np.dtype((np.dtype([("s", TEXT), ("n", "<u2")]), (3,))))
    value = np.zeros((2, 3), [("s", TEXT), ("n", "<u2")])
    value["s"], value["n"] = [list("abc"), list("def")], np.arange(6).reshape(2, 3)
    d[...] = value
    return plain(f, d[()]), plain(f, d[1]), d.shape


def text_that_is_none(f):
    """Bytes that are no UTF-8."""
    d = f.create_dataset("rows", (1,), [("s", h5py.string_dtype("ascii")), ("f", "S4")])
    d[0] = (b"\xff\xfe", b"\xe9\0\xe9")
    e = f.create_dataset("fixed", (3,), "S3")
    e[...] = [b"ab", b"\0b", b""]
    first = plain(f, e[()])
    e[1] = b"\xff"
    return plain(f, d[()]), first, plain(f, e[()])


def not_numbers(f):
    bits = np.array([0x7FC00001, 0xFFC00000, 0x7F800000, 0x80000000], "<u4")
    value = np.zeros(4, [("x", "<f4"), ("s", TEXT)])
    value["x"], value["s"] = bits.view("<f4"), "t"
    f["rows"] = value
    return f["rows"]["x"].view("<u4").tolist()


def fills(f):
    """Of compounds with text, zeros and others (HDF5 itself fails where it is variable); of text and references."""
    kind = np.dtype([("n", "<i4"), ("s", "S6")])
    for name, fill in [("zero", (0, b"")), ("some", (7, b"none")), ("same", (0, b"0"))]:
        d = f.create_dataset(name, (3,), kind, fillvalue=np.array(fill, kind), chunks=(2,), maxshape=(None,))
        d[1] = np.array((1, b"x"), kind)
        d.resize((5,))
    f.create_dataset("text", (2,), "S4", fillvalue=b"none")
    r = f.create_dataset("references", (2,), h5py.ref_dtype, chunks=(1,))
    return [(plain(f, f[name][()]), plain(f, f[name].fillvalue)) for name in ("zero", "some", "same")], plain(f, r[()])


def fixed_text(f):
    pads = {}
    for pad in (h5py.h5t.STR_NULLTERM, h5py.h5t.STR_NULLPAD, h5py.h5t.STR_SPACEPAD):
        for charset in (h5py.h5t.CSET_ASCII, h5py.h5t.CSET_UTF8):
            t = h5py.h5t.C_S1.copy()
            t.set_size(6)
            t.set_strpad(pad)
            t.set_cset(charset)
            d = h5py.Dataset(h5py.h5d.create(f.id, b"%d-%d" % (pad, charset), t, h5py.h5s.create_simple((3,))))
            d.id.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([b"", b"abc", b"abcdef"], "S6"), t)
            pads[d.name] = d[()].tolist(), d.id.get_type().get_strpad(), d.id.get_type().get_cset(), d.id.get_type().get_size()
    return pads


def many_references(f):
    d = f.create_dataset("references", (300,), h5py.ref_dtype, chunks=(77,), maxshape=(None,))
    for i in range(0, 300, 3):
        d[i] = f["g"].ref if i % 2 else f["d"].ref
    f.move("g", "moved")
    f["g"] = 5
    f["two"] = np.array([[f["moved"].ref], [h5py.Reference()]], dtype=h5py.ref_dtype)
    regions = f.create_dataset("regions", (2,), h5py.regionref_dtype)
    regions[0] = f["d"].regionref[2:4]
    both = np.zeros(2, [("a", h5py.ref_dtype), ("b", h5py.regionref_dtype)])
    both["a"], both["b"] = [f["d"].ref, h5py.Reference()], [h5py.RegionReference(), f["d"].regionref[1:3]]
    f["both"] = both
    return plain(f, d[()]), plain(f, f["two"][()]), plain(f, regions[()]), plain(f, f["both"][()])


CASES = {case.__name__.replace("_", " "): case for case in (
    rows, parts_of_rows, rows_in_chunks, one_row, deep_rows, arrays_of_rows, text_that_is_none, not_numbers, fills, fixed_text, many_references)}


def work(path, name):
    with h5py.File(path, "w") as f:
        f.create_group("g")
        f["d"] = np.arange(5)
        result = CASES[name](f)
        during = seen(f)
    with h5py.File(path, "r") as f:
        return result, during, seen(f)


def seen(f):
    found = {}
    f.visititems(lambda name, item: found.update({name: (str(item.dtype), item.shape, plain(f, item[()]), item.chunks, item.maxshape)})
                 if isinstance(item, h5py.Dataset) else None)
    return found


@pytest.fixture(scope="module", params=["json2", "pickle"])
def hdmf(request):
    interpreter = Interpreter(with_connector(f"zarr dialect=hdmf;references={request.param}"))
    yield interpreter
    interpreter.stop()


@pytest.mark.parametrize("name", CASES)
def test_types(hdmf, tmp_path, name):
    native = work(tmp_path / "native.h5", name)
    assert hdmf.run(work, str(tmp_path / "store.zarr"), name) == native


def scalars(path):
    kind = np.dtype([("n", "<i4"), ("s", "S4")])
    with h5py.File(path, "w") as f:
        f.create_dataset("without", (), kind)
        f.create_dataset("with", (), kind, fillvalue=np.array((7, b"none"), kind))


def test_a_scalar_is_one_element_along_an_axis(hdmf, tmp_path):
    """As hdmf-zarr reads it, which takes the first; also where its fill value asks for the plain form of a compound."""
    hdmf.run(scalars, str(tmp_path / "store.zarr"))
    shapes = {name: json.loads((tmp_path / "store.zarr" / name / ".zarray").read_text())["shape"] for name in ("without", "with")}
    assert shapes["with"] == [1] and shapes["without"][0] == 1


@pytest.mark.parametrize("module", [test_datasets, test_attributes])
def test_cases_of_the_plain_dialect(hdmf, tmp_path, module):
    for i, name in enumerate(module.CASES):
        native = alike.work(tmp_path / f"{i}.h5", module.__name__, name)
        assert hdmf.run(alike.work, str(tmp_path / f"{i}.zarr"), module.__name__, name) == native, name


def references(path):
    with h5py.File(path, "w") as f:
        test_references.fill(f)
        during = test_references.seen(f)
    with h5py.File(path, "r") as f:
        return during, test_references.seen(f)


def test_references_of_all_kinds(hdmf, tmp_path):
    assert hdmf.run(references, str(tmp_path / "store.zarr")) == references(tmp_path / "native.h5")


@pytest.mark.parametrize("part", test_zoo.PARTS)
def test_the_zoo(part, tmp_path, tool):
    if not test_zoo.ZOO.exists():
        pytest.skip("the zoo was not built beside the plugin")
    native, ours = tmp_path / f"{part}.hdf5", tmp_path / f"{part}.zarr"
    for path, environment in [(native, None), (ours, with_connector("zarr dialect=hdmf"))]:
        subprocess.run([test_zoo.ZOO, part, path], env=environment, check=True, capture_output=True)
    assert test_zoo.dump(tool, ours) == test_zoo.dump(tool, native)


def test_what_is_stored(hdmf, tmp_path):
    """Rows as hdmf-zarr has them, without notes where zarr_dtype tells all of the type."""
    path = tmp_path / "store.zarr"
    hdmf.run(work, str(path), "rows")
    told = json.loads((path / "rows" / ".zattrs").read_text())
    assert told["zarr_dtype"] == [{"name": "n", "dtype": "int32"}, {"name": "s", "dtype": "str_"}, {"name": "r", "dtype": "object"},
                                  {"name": "x", "dtype": "float64"}, {"name": "y", "dtype": "bool"}, {"name": "f", "dtype": "str_"}]
    array = json.loads((path / "rows" / ".zarray").read_text())
    if array["filters"][0]["id"] == "pickle":
        assert array["shape"] == [3] and array["dtype"] == [["n", "<i4"], ["s", "|O"], ["r", "|O"], ["x", "<f8"], ["y", "|b1"], ["f", "|O"]]
    else:
        assert array["shape"] == [3, 6] and array["dtype"] == "|O" and array["filters"][0]["id"] == "json2"
    assert "_HDF5" in told  # a big-endian member, fixed text
    hdmf.run(work, str(path), "one row")
    assert "t" not in json.loads(json.loads((path / "columns" / ".zattrs").read_text()).get("_HDF5", "{}"))
