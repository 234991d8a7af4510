"""Values that HDF5's usual types would cut or change: byte strings with NUL inside, integers of more than 64 bits, attributes without a
name. Judges are zarr-python, which reads and wrote them, and the documents."""

import json

import h5py
import numpy as np
import pytest
import zarr

from converting import convert
from interpreter import Failed, Interpreter
from places import with_connector

pytestmark = pytest.mark.filterwarnings("ignore")

FIXED = np.array([b"a\0b", b"", b"\0\0c", b"abcde", b"\xff\0\xfe"], "S5")
VARIABLE = [b"ab", b"", b"\0\1\xff", b"a\0", b"\0"]


@pytest.fixture(scope="module", params=[2, 3])
def writer(request):
    interpreter = Interpreter(with_connector(f"zarr format={request.param}"))
    interpreter.version = request.param
    yield interpreter
    interpreter.stop()


# ---- what the other interpreters run ----

def read(path, *names):
    with h5py.File(path) as f:
        return [f[name][()] for name in names]


def write(path, values):
    with h5py.File(path, "r+") as f:
        for name, value in values.items():
            f[name][...] = value


def create(path, name, values, dtype):
    with h5py.File(path, "w") as f:
        f.create_dataset(name, (len(values),), dtype, chunks=(2,))[...] = values


def attributes(path, name="/"):
    with h5py.File(path) as f:
        return dict(f[name].attrs), list(f[name].attrs), [f[name].attrs.get_id(key).get_type().get_class() for key in f[name].attrs]


def change(path, name, changes):
    with h5py.File(path, "r+") as f:
        for key, value in changes.items():
            if value is None:
                del f[name].attrs[key]
            else:
                f[name].attrs.modify(key, value)  # `attrs[key] = value` deletes the attribute and makes another


def rename(path, old, new):
    with h5py.File(path, "r+") as f:
        h5py.h5a.rename(f.id, old.encode(), new.encode())


# ---- byte strings ----

@pytest.mark.parametrize("version", [2, 3])
def test_fixed_byte_strings_keep_their_nuls(version, tmp_path, connector, h5zarr):
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=version)
    group.create_array("s", data=FIXED, chunks=(2,))
    group.create_array("v", data=FIXED.view("V5"), chunks=(2,))
    fixed, raw = connector.run(read, str(tmp_path / "s.zarr"), "s", "v")
    assert fixed.dtype == "S5" and fixed.tobytes() == FIXED.tobytes() and raw.tobytes() == FIXED.tobytes()
    connector.run(write, str(tmp_path / "s.zarr"), {"s": FIXED[::-1], "v": FIXED[::-1].copy().view("V5")})
    group = zarr.open_group(tmp_path / "s.zarr", mode="r")
    assert group["s"][:].tobytes() == FIXED[::-1].tobytes() and group["v"][:].tobytes() == FIXED[::-1].tobytes()
    convert(tmp_path / "s.zarr", tmp_path / "x.h5", "--verify")
    convert(tmp_path / "x.h5", tmp_path / "back.zarr", "--verify", "--format", version)
    assert zarr.open_group(tmp_path / "back.zarr", mode="r")["s"][:].tobytes() == FIXED[::-1].tobytes()


def variable_store(path, version, values):
    """By zarr-python."""
    group = zarr.open_group(path, mode="w", zarr_format=version)
    array = group.create_array("b", shape=(len(values),), chunks=(2,), dtype=zarr.dtype.VariableLengthBytes())
    array[:] = np.array(values, dtype=object)


def as_bytes(values):
    return [np.asarray(value, "u1").tobytes() for value in values]


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("values", [VARIABLE, [b"plain", b"text"]], ids=["with NUL", "without"])
def test_variable_byte_strings_have_one_type_whatever_they_hold(version, values, tmp_path, connector):
    variable_store(tmp_path / "s.zarr", version, values)
    shown, = connector.run(read, str(tmp_path / "s.zarr"), "b")
    with h5py.File(tmp_path / "s.zarr") as f:
        assert h5py.check_vlen_dtype(f["b"].dtype) == "u1"
    assert as_bytes(shown) == values == list(zarr.open_group(tmp_path / "s.zarr", mode="r")["b"][:])
    longer = np.empty(len(values), object)
    longer[:] = [np.frombuffer(value + b"\0!", "u1") for value in values]
    connector.run(write, str(tmp_path / "s.zarr"), {"b": longer})
    assert list(zarr.open_group(tmp_path / "s.zarr", mode="r")["b"][:]) == [value + b"\0!" for value in values]


def test_variable_byte_strings_there_and_back(writer, tmp_path):
    variable_store(tmp_path / "s.zarr", writer.version, VARIABLE)
    convert(tmp_path / "s.zarr", tmp_path / "x.h5", "--verify")
    assert as_bytes(read(str(tmp_path / "x.h5"), "b")[0]) == VARIABLE
    convert(tmp_path / "x.h5", tmp_path / "back.zarr", "--verify", "--format", writer.version)
    assert list(zarr.open_group(tmp_path / "back.zarr", mode="r")["b"][:]) == VARIABLE


def test_strings_of_bytes_that_we_write_stay_strings(writer, tmp_path):
    """They are byte strings in Zarr, too, once one of them is no UTF-8; for HDF5 programs nothing changes."""
    for name, kind in (("ascii", h5py.string_dtype("ascii")), ("utf8", h5py.string_dtype())):
        path = str(tmp_path / f"{name}.zarr")
        writer.run(create, path, "t", [b"plain", b"\xff\xfe", b"more"], kind)
        assert list(read(path, "t")[0]) == [b"plain", b"\xff\xfe", b"more"]
        with h5py.File(path) as f:
            assert h5py.check_string_dtype(f["t"].dtype).encoding == ("ascii" if name == "ascii" else "utf-8")
        assert list(zarr.open_group(path, mode="r")["t"][:]) == [b"plain", b"\xff\xfe", b"more"]


def test_bytes_that_h5py_writes(writer, tmp_path):
    values = np.empty(len(VARIABLE), object)
    values[:] = [np.frombuffer(value, "u1") for value in VARIABLE]
    writer.run(create, str(tmp_path / "s.zarr"), "b", values, h5py.vlen_dtype("u1"))
    assert list(zarr.open_group(tmp_path / "s.zarr", mode="r")["b"][:]) == VARIABLE
    assert as_bytes(read(str(tmp_path / "s.zarr"), "b")[0]) == VARIABLE


@pytest.mark.parametrize("version", [2, 3])
def test_text_with_nul_is_an_error_and_never_cut(version, tmp_path, connector):
    """HDF5's text of variable length ends at a NUL."""
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=version)
    group.create_array("u", data=np.array(["a\0b", "c"], "<U3"))
    group.create_array("plain", data=np.array(["ab", "c"], "<U3"))
    with pytest.raises(Failed, match="NUL character"):
        connector.run(read, str(tmp_path / "s.zarr"), "u")
    assert [t.decode() for t in connector.run(read, str(tmp_path / "s.zarr"), "plain")[0]] == ["ab", "c"]


# ---- integers of more than 64 bits ----

BIG = {"two64": 2 ** 64, "negative": -2 ** 63 - 1, "long": 3 ** 300, "list": [1, 2 ** 64], "mixed": [-1, 2 ** 63], "square": [[2 ** 70, 0], [1, 2]],
       "text": "a\0b"}
SMALL = {"max": 2 ** 64 - 1, "min": -2 ** 63, "naturals": [2 ** 63, 2], "reals": [0.5, 2 ** 70], "plain": "ab"}


def written_by_zarr(path, version, attrs):
    zarr.open_group(path, mode="w", zarr_format=version, attributes=attrs)


@pytest.mark.parametrize("version", [2, 3])
def test_large_integers_are_the_text_of_their_digits(version, tmp_path, connector):
    written_by_zarr(tmp_path / "s.zarr", version, {**BIG, **SMALL})
    shown, _, _ = connector.run(attributes, str(tmp_path / "s.zarr"))
    for name, value in BIG.items():
        assert isinstance(shown[name], str) and json.loads(shown[name]) == value
    assert shown["max"] == 2 ** 64 - 1 and shown["max"].dtype == "u8" and shown["min"] == -2 ** 63 and shown["min"].dtype == "i8"
    assert shown["naturals"].tolist() == [2 ** 63, 2] and shown["reals"].tolist() == [0.5, 2.0 ** 70] and shown["plain"] == "ab"


@pytest.mark.parametrize("version", [2, 3])
def test_their_digits_stay_when_the_text_is_written_back(version, tmp_path, connector):
    written_by_zarr(tmp_path / "s.zarr", version, {**BIG, **SMALL})
    shown, _, _ = connector.run(attributes, str(tmp_path / "s.zarr"))
    connector.run(change, str(tmp_path / "s.zarr"), "/", {**{name: shown[name] for name in BIG}, "note": "n"})
    assert dict(zarr.open_group(tmp_path / "s.zarr", mode="r").attrs) == {**BIG, **SMALL, "note": "n"}
    connector.run(change, str(tmp_path / "s.zarr"), "/", {"two64": str(2 ** 64 + 1)})
    assert zarr.open_group(tmp_path / "s.zarr", mode="r").attrs["two64"] == str(2 ** 64 + 1)  # another text is a text


# ---- attributes without a name ----

@pytest.mark.parametrize("version", [2, 3])
def test_an_attribute_without_a_name_has_one_for_hdf5(version, tmp_path, connector, tool):
    written_by_zarr(tmp_path / "s.zarr", version, {"a": 1, "": [1, 2], "z": "z"})
    shown, names, _ = connector.run(attributes, str(tmp_path / "s.zarr"))
    assert sorted(names) == ["%empty", "a", "z"] and shown["%empty"].tolist() == [1, 2] and shown["a"] == 1
    assert 'ATTRIBUTE "%empty"' in tool("h5dump", tmp_path / "s.zarr")
    connector.run(change, str(tmp_path / "s.zarr"), "/", {"a": 2, "n": 1, "z": None})
    assert dict(zarr.open_group(tmp_path / "s.zarr", mode="r").attrs) == {"a": 2, "": [1, 2], "n": 1}


@pytest.mark.parametrize("version", [2, 3])
def test_it_is_changed_renamed_and_deleted(version, tmp_path, connector):
    written_by_zarr(tmp_path / "s.zarr", version, {"": [1, 2], "a": 1})
    connector.run(change, str(tmp_path / "s.zarr"), "/", {"%empty": [5, 6]})
    assert dict(zarr.open_group(tmp_path / "s.zarr", mode="r").attrs) == {"": [5, 6], "a": 1}
    connector.run(rename, str(tmp_path / "s.zarr"), "%empty", "named")
    assert dict(zarr.open_group(tmp_path / "s.zarr", mode="r").attrs) == {"named": [5, 6], "a": 1}
    written_by_zarr(tmp_path / "s.zarr", version, {"": [1, 2], "a": 1})
    connector.run(change, str(tmp_path / "s.zarr"), "/", {"%empty": None})
    assert dict(zarr.open_group(tmp_path / "s.zarr", mode="r").attrs) == {"a": 1}


@pytest.mark.parametrize("version", [2, 3])
def test_names_that_are_taken(version, tmp_path, connector):
    written_by_zarr(tmp_path / "s.zarr", version, {"": 0, "%empty": 1, "%empty%~2": 2})
    shown, _, _ = connector.run(attributes, str(tmp_path / "s.zarr"))
    assert {name: int(value) for name, value in shown.items()} == {"%empty%~3": 0, "%empty": 1, "%empty%~2": 2}
    connector.run(change, str(tmp_path / "s.zarr"), "/", {"%empty%~3": 7})
    assert dict(zarr.open_group(tmp_path / "s.zarr", mode="r").attrs) == {"": 7, "%empty": 1, "%empty%~2": 2}
