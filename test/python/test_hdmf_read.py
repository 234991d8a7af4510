"""What versions of hdmf-zarr wrote, at the level of HDF5: its own stores with zarr-python 2 as judge, and one array for each form that its
conventions know, made by hand."""

import json
import os
import pathlib
import pickle
import subprocess
import sys
import types
import zlib

import h5py
import numpy as np
import pytest

from places import unpacked

# ---- stores of hdmf-zarr 0.7 ----


def plain(f, value):
    """As hdmf_values.py has it."""
    if isinstance(value, h5py.Reference):
        return ["->", f[value].name] if value else "null"
    if isinstance(value, np.ndarray):
        return [plain(f, x) for x in value] if value.ndim else plain(f, value[()])
    if isinstance(value, np.void):
        return [plain(f, x) for x in value.item()] if value.dtype.names else list(value.tobytes())
    if isinstance(value, tuple):
        return [plain(f, x) for x in value]
    if isinstance(value, bytes):
        return value.decode()
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, complex):
        return [value.real, value.imag]
    return "NaN" if value != value else value


def datasets(path):
    found = {}

    def look(name, item):
        if isinstance(item, h5py.Dataset):
            found["/" + name] = plain(item.file, item[()])

    with h5py.File(path, "r") as f:
        f.visititems(look)
    return found


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    return unpacked("hdmf-zarr/hdmf-zarr-0.7-stores.tar.gz", tmp_path_factory.mktemp("stores"))


@pytest.fixture(scope="module")
def by_zarr_2(stores):
    python = os.environ.get("VZ_PY_HDMF")
    if not python or not os.path.exists(python):
        pytest.skip("VZ_PY_HDMF names no Python with hdmf-zarr")
    script = pathlib.Path(__file__).with_name("hdmf_values.py")
    paths = sorted(str(path) for path in stores.iterdir() if (path / ".zgroup").exists())
    environment = {**os.environ, "NUMCODECS_ALLOW_UNSAFE_PICKLE_DECODE": "1", "PYTHONPATH": ""}
    return json.loads(subprocess.run([python, script, *paths], capture_output=True, check=True, env=environment, timeout=120).stdout)


# Shapes that HDF5 has and pickled numpy.void do not tell: a member that is an array is the text of its JSON.
AS_JSON = {("o5_arr.zarr", "/d")}


def test_every_array_of_hdmf_zarr(stores, by_zarr_2):
    compared = 0
    for name, expected in by_zarr_2.items():
        found = datasets(stores / name)
        assert found.keys() == expected.keys(), name
        for path, value in expected.items():
            if (name, path) in AS_JSON:
                found[path] = [[json.loads(x) for x in row] for row in found[path]]
            assert found[path] == value, (name, path)
            compared += 1
    assert compared > 350


def test_attributes_of_hdmf_zarr(stores):
    compared = 0
    for document in stores.rglob(".zattrs"):
        store = stores / document.relative_to(stores).parts[0]
        with h5py.File(store, "r") as f:
            item = f[str(document.parent.relative_to(store))]
            for name, value in json.loads(document.read_text()).items():
                if isinstance(value, dict) and value.get("zarr_dtype") in ("object", "region"):
                    assert f[item.attrs[name]].name == value["value"]["path"]
                    compared += 1
                elif name not in ("zarr_dtype", "zarr_link", ".specloc", "_ARRAY_DIMENSIONS"):
                    assert name in item.attrs and item.attrs[name] is not None
            assert not {"zarr_dtype", "zarr_link"} & set(item.attrs)
            if ".specloc" in f.attrs:
                assert f[f.attrs[".specloc"]] == f["specifications"]
    assert compared > 15


# ---- forms, made by hand ----


class ZarrReference(dict):
    """What pickled references of hdmf-zarr are objects of."""


ZarrReference.__module__ = "hdmf_zarr.utils"


def pickled(array, protocol):
    module, parent = types.ModuleType("hdmf_zarr.utils"), types.ModuleType("hdmf_zarr")
    module.ZarrReference, parent.utils = ZarrReference, module
    kept = {name: sys.modules.get(name) for name in ("hdmf_zarr", "hdmf_zarr.utils")}
    sys.modules.update({"hdmf_zarr": parent, "hdmf_zarr.utils": module})
    try:
        return pickle.dumps(array, protocol)
    finally:
        for name, old in kept.items():
            if old is None:
                del sys.modules[name]
            else:
                sys.modules[name] = old


def objects(values, shape):
    array = np.empty(shape, object)
    for index, value in zip(np.ndindex(*shape), values):
        array[index] = value
    return array


def vlen(values):
    items = [x.encode() if isinstance(x, str) else x for x in values]
    return len(items).to_bytes(4, "little") + b"".join(len(x).to_bytes(4, "little") + x for x in items)


def nested(values, shape):
    values = list(values)
    for length in reversed(shape[1:]):
        values = [values[i : i + length] for i in range(0, len(values), length)]
    return values


def json2(values, shape, dtype="|O"):
    return json.dumps([*nested(values, shape), dtype, list(shape)]).encode()


def make_group(path, attributes=None):
    path.mkdir(parents=True, exist_ok=True)
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    if attributes:
        (path / ".zattrs").write_text(json.dumps(attributes))


def make_array(path, chunk, shape, dtype="|O", codec=None, fill=0, chunks=None, compressor=None, filters=(), **attributes):
    """An array of one chunk, or of those that a dictionary has."""
    path.mkdir(parents=True)
    named = [{"id": codec}] if isinstance(codec, str) else [codec] if codec else []
    document = {"zarr_format": 2, "shape": shape, "chunks": chunks or [max(n, 1) for n in shape], "dtype": dtype, "order": "C",
                "fill_value": fill, "compressor": compressor, "filters": named + list(filters) or None}
    (path / ".zarray").write_text(json.dumps(document))
    if attributes:
        (path / ".zattrs").write_text(json.dumps(attributes))
    stored = chunk if isinstance(chunk, dict) else {} if chunk is None else {".".join(["0"] * len(shape)) or "0": chunk}
    for key, data in stored.items():
        (path / key).write_bytes(data)


@pytest.fixture
def store(tmp_path):
    """A store with two targets for references."""
    path = tmp_path / "x.nwb.zarr"
    make_group(path)
    make_group(path / "g", {"object_id": "1"})
    make_array(path / "g" / "t", None, [3], "<i4", zarr_dtype="int32")
    return path


def ref(path="/g/t", **more):
    return {"source": ".", "path": path, "object_id": None, "source_object_id": "1", **more}


def shown(store, name="a"):
    with h5py.File(store, "r") as f:
        return plain(f, f[name][()]), f[name].shape, f[name].dtype


PICKLES = [2, 4, 5]
CODECS = ["vlen-utf8", "vlen-bytes", "json2", "msgpack2", *(f"pickle {n}" for n in PICKLES)]


def encode(codec, values, shape):
    """codec's configuration and the chunk."""
    name, _, protocol = codec.partition(" ")
    if name == "pickle":
        return {"id": name, "protocol": int(protocol)}, pickled(objects(values, shape), int(protocol))
    if name == "json2":
        return name, json2(values, shape)
    if name == "msgpack2":
        msgpack = pytest.importorskip("msgpack")
        return {"id": name, "raw": False, "use_single_float": False, "use_bin_type": True}, msgpack.packb([*nested(values, shape), "|O", list(shape)])
    return name, vlen(values)


# -- scalars --


@pytest.mark.parametrize("told, shape, expected", [("scalar", [1], ()), ("scalar", [], ()), (None, [1], (1,)), ("float64", [1], (1,)),
                                                   ("scalar", [2], (2,))])
def test_numbers_alone(store, told, shape, expected):
    attributes = {"zarr_dtype": told} if told else {}
    make_array(store / "a", np.full(shape or 1, 2.5).tobytes(), shape, "<f8", fill=0.0, **attributes, unit="seconds")
    value, found, dtype = shown(store)
    assert (found, dtype) == (expected, "<f8") and np.all(np.equal(value, 2.5))
    with h5py.File(store) as f:
        assert dict(f["a"].attrs) == {"unit": "seconds"}


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("told, shape", [("scalar", ()), ("str", (1,)), (None, (1,))])
def test_text_alone(store, codec, told, shape):
    configuration, chunk = encode(codec, ["é\"\\n"], (1,))
    make_array(store / "a", chunk, [1], codec=configuration, **({"zarr_dtype": told} if told else {}))
    value, found, dtype = shown(store)
    assert found == shape and value == ("é\"\\n" if shape == () else ["é\"\\n"])
    assert h5py.check_string_dtype(dtype).encoding == ("ascii" if codec == "vlen-bytes" and told is None else "utf-8")


@pytest.mark.parametrize("dtype, chunk", [("<U4", np.array("é\"ab", "<U4").tobytes()), ("|S4", b"abc\0")])
def test_fixed_text_alone(store, dtype, chunk):
    make_array(store / "a", chunk, [1], dtype, fill=None, zarr_dtype="scalar")
    assert shown(store)[:2] == ("é\"ab" if dtype == "<U4" else "abc", ())


def test_a_scalar_of_one_element_is_written(store):
    make_array(store / "n", np.float64(2.5).tobytes(), [1], "<f8", fill=0.0, zarr_dtype="scalar", compressor={"id": "zlib", "level": 1})
    (store / "n" / "0").write_bytes(zlib.compress(np.float64(2.5).tobytes()))
    make_array(store / "s", vlen(["old"]), [1], codec="vlen-utf8", zarr_dtype="scalar")
    with h5py.File(store, "r+") as f:
        assert f["n"].chunks is None and f["n"].compression is None and f["n"].maxshape == ()
        f["n"][()] = 7
        f["s"][()] = "new"
        assert (f["n"][()], f["s"][()]) == (7, b"new")
    assert json.loads((store / "n" / ".zarray").read_text())["shape"] == [1]
    assert zlib.decompress((store / "n" / "0").read_bytes()) == np.float64(7).tobytes()
    assert (store / "s" / "0").read_bytes() == vlen(["new"])


# -- text --


@pytest.mark.parametrize("codec", CODECS)
def test_text(store, codec):
    configuration, chunk = encode(codec, ["k1", "kü", "", "\U0001f41f"], (2, 2))
    make_array(store / "a", chunk, [2, 2], codec=configuration, zarr_dtype="object_")
    value, shape, dtype = shown(store)
    assert value == [["k1", "kü"], ["", "\U0001f41f"]]
    assert h5py.check_string_dtype(dtype) == ("utf-8", None)


def test_bytes(store):
    make_array(store / "a", vlen([b"ab", b"c"]), [2], codec="vlen-bytes", zarr_dtype="bytes")
    value, shape, dtype = shown(store)
    assert value == ["ab", "c"] and h5py.check_string_dtype(dtype).encoding == "ascii"


def test_opaque_data_in_byte_strings(store):
    make_array(store / "a", vlen([b"\0\xff", b""]), [2], codec="vlen-bytes", zarr_dtype="void")
    with h5py.File(store) as f:
        assert [list(x) for x in f["a"][()]] == [[0, 255], []]


def test_values_that_are_no_text(store):
    make_array(store / "a", json2([None, 0, 1.5, [1, "x"], {"a": True}, "\"q\""], (6,)), [6], codec="json2")
    assert shown(store)[0] == ["", "0", "1.5", '[1,"x"]', '{"a":true}', '"q"']


def test_filters_behind_an_object_codec(store):
    chunk = zlib.compress(zlib.compress(json2(["a", "b"], (2,))))
    make_array(store / "a", chunk, [2], codec="json2", filters=[{"id": "zlib", "level": 1}], compressor={"id": "zlib", "level": 1}, zarr_dtype="str")
    assert shown(store)[0] == ["a", "b"]


def test_specifications(store):
    text = '{"groups":[{"neurodata_type_def":"Device","doc":"…"}]}'
    (store / ".zattrs").write_text('{".specloc": "specifications"}')
    for path in ("specifications", "specifications/core", "specifications/core/2.7.0"):
        make_group(store / path)
    make_array(store / "specifications/core/2.7.0/nwb.device", json2([text], (1,)), [1], codec="json2", zarr_dtype="scalar")
    with h5py.File(store) as f:
        assert f[f.attrs[".specloc"]].name == "/specifications"
        assert f.attrs.get_id(".specloc").dtype == h5py.ref_dtype and f.attrs.get_id(".specloc").shape == ()
        assert f["specifications/core/2.7.0/nwb.device"].asstr()[()] == text


@pytest.mark.parametrize("value, expected", [("/specifications/", True), ("nowhere", "nowhere"), ("", ""), (3, 3), (None, h5py.Empty("f4"))])
def test_other_places_of_specifications(store, value, expected):
    (store / ".zattrs").write_text(json.dumps({".specloc": value}))
    make_group(store / "specifications")
    with h5py.File(store) as f:
        found = f.attrs[".specloc"]
        assert f[found].name == "/specifications" if expected is True else found == expected


# -- numbers, rows --


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


NAMES = [{"name": "i", "dtype": "int32"}, {"name": "s", "dtype": "str_"}, {"name": "f", "dtype": "<f4"}, {"name": "r", "dtype": "object"},
         {"name": "y", "dtype": "bool"}]
ROWS = [(-7, "é", 1.5, ref(), True), (8, "", -0.25, ref("/g"), False)]
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


# -- references --


@pytest.mark.parametrize("codec", CODECS)
def test_references(store, codec):
    values = [ref(), ref("/g"), ref("/")]
    if codec.startswith("pickle"):
        values = [ZarrReference(x) for x in values]
    if codec.startswith("vlen"):
        values = [json.dumps(x) for x in values]
    if codec == "vlen-bytes":
        pytest.skip("nobody wrote that")
    configuration, chunk = encode(codec, values, (3,))
    make_array(store / "a", chunk, [3], codec=configuration, zarr_dtype="object")
    value, shape, dtype = shown(store)
    assert value == [["->", "/g/t"], ["->", "/g"], ["->", "/"]] and h5py.check_ref_dtype(dtype) is h5py.Reference


@pytest.mark.parametrize("padding", [0, None, "", False])
def test_null_references(store, padding):
    make_array(store / "a", {"1": json2([padding, ref()], (2,))}, [4], codec="json2", chunks=[2], zarr_dtype="object")
    assert shown(store)[0] == ["null", "null", "null", ["->", "/g/t"]]


def test_one_reference_is_an_array(store):
    """zarr_dtype does not tell it from an array of one."""
    make_array(store / "a", json2([ref()], (1,)), [1], codec="json2", zarr_dtype="object")
    assert shown(store)[:2] == ([["->", "/g/t"]], (1,))


@pytest.mark.parametrize("protocol", PICKLES)
def test_references_as_objects_of_hdmf_zarr(store, protocol):
    values = [ZarrReference(source=".", path="/g/t"), {"source": ".", "path": "/g"}, 0]
    make_array(store / "a", pickled(objects(values, (3,)), protocol), [3], codec={"id": "pickle", "protocol": protocol}, zarr_dtype="object")
    assert shown(store)[0] == [["->", "/g/t"], ["->", "/g"], "null"]


SOURCES = [{"source": "."}, {"source": ""}, {"source": None}, {}, {"source": "x.nwb.zarr"}, {"source": "../x.nwb.zarr"},
           {"source": "./"}, {"source": "ABSOLUTE"}, {"source": "/somewhere/else/y.nwb.zarr"}, {"source": "moved/y.zarr"}]


@pytest.mark.parametrize("source", SOURCES, ids=str)
@pytest.mark.parametrize("path", ["/g/t", "g/t"])
def test_sources_that_are_this_store(store, source, path):
    value = {**source, "path": path}
    if value.get("source") == "ABSOLUTE":
        value["source"] = str(store)
    make_array(store / "a", json2([value], (1,)), [1], codec="json2", zarr_dtype="object")
    make_group(store / "b", {"r": {"zarr_dtype": "object", "value": value}})
    with h5py.File(store) as f:
        assert f[f["a"][0]].name == f[f["b"].attrs["r"]].name == "/g/t"


def test_a_reference_without_path_is_the_root(store):
    make_array(store / "a", json2([{"source": "."}], (1,)), [1], codec="json2", zarr_dtype="object")
    assert shown(store)[0] == [["->", "/"]]


def test_references_to_other_stores(store):
    """h5py's references cannot lead there: they are null, not something else of this store."""
    other = store.with_name("other.zarr")
    make_group(other)
    make_group(other / "g")
    for name, source in [("a", "../other.zarr"), ("b", str(other)), ("c", "other.zarr")]:
        make_array(store / name, json2([{"source": source, "path": "/g"}], (1,)), [1], codec="json2", zarr_dtype="object")
        assert shown(store, name)[0] == ["null"]


def test_a_reference_that_leads_nowhere(store):
    make_array(store / "a", json2([ref("/gone"), ref()], (2,)), [2], codec="json2", zarr_dtype="object")
    with h5py.File(store) as f:
        gone, there = f["a"][()]
        assert f[there].name == "/g/t"
        with pytest.raises(KeyError):
            f[gone]


def test_references_in_attributes(store):
    value = {"source": ".", "path": "/g/t"}
    attributes = {"r": {"zarr_dtype": "object", "value": ref()}, "short": {"zarr_dtype": "object", "value": value},
                  "region": {"zarr_dtype": "region", "value": value}, "many": {"zarr_dtype": "object", "value": [value, ref("/g")]}}
    make_group(store / "a", attributes)
    with h5py.File(store) as f:
        assert [f[f["a"].attrs[name]].name for name in ("r", "short", "region")] == ["/g/t"] * 3
        assert [f[r].name for r in f["a"].attrs["many"]] == ["/g/t", "/g"]


def test_references_are_written(store):
    make_array(store / "a", json2([ref(), 0], (2,)), [2], codec="json2", zarr_dtype="object")
    with h5py.File(store, "r+") as f:
        f["a"][:] = [h5py.Reference(), f["g"].ref]
        assert plain(f, f["a"][()]) == ["null", ["->", "/g"]]
    stored = json.loads((store / "a" / "0").read_bytes())
    assert stored[0] is None and (stored[1]["source"], stored[1]["path"]) == (".", "/g") and stored[2:] == ["|O", [2]]


# -- documents --


def test_stale_consolidated_metadata_hides_nothing(store):
    (store / ".zmetadata").write_text(json.dumps({"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}, "old/.zgroup": {"zarr_format": 2}}}))
    with h5py.File(store) as f:
        assert list(f) == ["g"] and f["g/t"].shape == (3,)


def test_numbers_that_json_does_not_have(store):
    (store / "g" / ".zattrs").write_text('{"a": NaN, "b": Infinity, "c": -Infinity, "d": [1.0, NaN]}')
    make_array(store / "a", None, [2], ">f4", fill="NaN", zarr_dtype="float32")
    with h5py.File(store) as f:
        found = dict(f["g"].attrs)
        assert np.isnan([found["a"], found["d"][1]]).all() and (found["b"], found["c"]) == (np.inf, -np.inf)
        assert np.isnan(f["a"][()]).all() and f["a"].dtype == ">f4"


@pytest.mark.parametrize("told", ["bool", "bool_"])
def test_booleans(store, told):
    make_array(store / "a", b"\1\0", [2], "|b1", fill=False, zarr_dtype=told)
    assert shown(store)[0] == [True, False] and shown(store)[2] == bool


@pytest.mark.parametrize("codec, told", [("pickle 5", "object_"), ("json2", "str"), ("vlen-utf8", "str"), ("pickle 5", "object"), ("json2", NAMES)])
def test_empty(store, codec, told):
    configuration, _ = encode(codec, [], (0,))
    make_array(store / "a", None, [0], codec=configuration, zarr_dtype=told)
    make_array(store / "b", None, [0, 5], codec=configuration, zarr_dtype=told)
    with h5py.File(store) as f:
        assert f["a"].shape == (0,) and f["a"][()].size == 0
        assert f["b"].shape == ((0,) if told is NAMES else (0, 5)) and f["b"][()].size == 0
        assert f["b"].dtype.names == (tuple("isfry") if told is NAMES else None)


# -- format 3 --


def v3(path, node_type="group", **more):
    path.mkdir(parents=True, exist_ok=True)
    (path / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": node_type, **more}))


def v3_array(path, data_type, chunk, shape=(2,), codecs=({"name": "bytes", "configuration": {"endian": "little"}},), fill=0, **attributes):
    v3(path, "array", shape=list(shape), data_type=data_type, fill_value=fill, codecs=list(codecs), attributes=attributes,
       chunk_grid={"name": "regular", "configuration": {"chunk_shape": list(shape)}},
       chunk_key_encoding={"name": "default", "configuration": {"separator": "/"}}, storage_transformers=[])
    key = path / "/".join(["c", *("0" for _ in shape)])
    key.parent.mkdir(parents=True, exist_ok=True)
    key.write_bytes(chunk)


@pytest.fixture
def third(tmp_path):
    path = tmp_path / "x.nwb.zarr"
    v3(path, attributes={".specloc": "specifications"})
    v3(path / "specifications")
    v3(path / "g", attributes={"_LINKS": [{"source": ".", "path": "/g/t", "name": "lk"}], "r": {"_REFERENCE": {"source": ".", "path": "/g/t"}},
                               "text": {"_REFERENCE": '{"source": ".", "path": "/g/t"}'}, "bare": {"_REFERENCE": "/g/t"}})
    v3_array(path / "g" / "t", "int32", np.arange(2, dtype="<i4").tobytes(), _DTYPE="int32")
    return path


TEXT = [{"name": "vlen-utf8", "configuration": {}}]


def test_third_groups(third):
    with h5py.File(third) as f:
        assert [f[f["g"].attrs[name]].name for name in ("r", "text", "bare")] == ["/g/t"] * 3
        assert f["g/lk"] == f["g/t"] and f["g"].get("lk", getlink=True).path == "/g/t"
        assert f[f.attrs[".specloc"]].name == "/specifications" and dict(f["g/t"].attrs) == {}


@pytest.mark.parametrize("values", [["/g", "", "/g/t"], [json.dumps(ref("/g")), "", json.dumps({"path": "/g/t"})]], ids=["paths", "json"])
@pytest.mark.parametrize("told", [{"_DTYPE": "object_reference"}, {"zarr_dtype": "object"}], ids=lambda x: next(iter(x)))
def test_third_references(third, values, told):
    v3_array(third / "a", "string", vlen(values), (3,), TEXT, "", **told)
    assert shown(third)[0] == [["->", "/g"], "null", ["->", "/g/t"]]
    v3_array(third / "s", "string", vlen(values[:1]), (), TEXT, "", **told)
    assert shown(third, "s")[:2] == (["->", "/g"], ())


def test_third_scalars(third):
    v3_array(third / "a", "int32", np.int32(5).tobytes(), (), _DTYPE="int")
    v3_array(third / "b", "string", vlen(["x"]), (1,), TEXT, "", _SCALAR=True)
    assert shown(third)[:2] == (5, ()) and shown(third, "b")[:2] == ("x", ())


@pytest.mark.parametrize("name", ["struct", "structured"])
def test_third_compounds(third, name):
    fields = [("idx", "int32"), ("w", "float64"), ("ref", {"name": "fixed_length_utf32", "configuration": {"length_bytes": 32}})]
    fields = [{"name": a, "data_type": b} for a, b in fields] if name == "struct" else [list(pair) for pair in fields]
    rows = np.array([(1, 2.5, "/g/t"), (3, 4.5, "")], [("idx", "<i4"), ("w", "<f8"), ("ref", "<U8")])
    v3_array(third / "a", {"name": name, "configuration": {"fields": fields}}, rows.tobytes(), fill={"idx": 0, "w": 0.0, "ref": "0"},
             _REFERENCE_FIELDS=["ref"])
    assert shown(third)[0] == [[1, 2.5, ["->", "/g/t"]], [3, 4.5, "null"]]


# ---- what cannot be ----


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
    assert found["n"] == [0, 1] and found["b"] == ["a", "b"] and set(found) == {"n", "s", "b", "j", "j2", "c", "c2"}


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
