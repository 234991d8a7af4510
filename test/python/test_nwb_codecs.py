"""json2, msgpack2 and pickle as we write them, judged by numcodecs; and what numcodecs writes, read by us."""

import json
import os
import pathlib
import struct
import subprocess

import numcodecs
import numpy as np
import pytest
from numcodecs.registry import get_codec


def tool():
    build = os.environ.get("VZ_PLUGIN_DIR")
    if not build:
        pytest.skip("VZ_PLUGIN_DIR does not tell where the build is")
    return pathlib.Path(build).parent / "test" / "tool_codec"


def run(verb, config, count, shape, record, data):
    command = [tool(), verb, json.dumps([config]), "null", "0", str(count), json.dumps(shape)]
    command += [json.dumps(record)] if record else []
    result = subprocess.run(command, input=data, capture_output=True)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout


def encode(config, values, shape=None, record=None):
    texts = [json.dumps(v, ensure_ascii=False).encode("utf-8", "surrogatepass") for v in values]
    data = b"".join(struct.pack("<Q", len(t)) + t for t in texts)
    return run("encode", config, len(values), [len(values)] if shape is None else shape, record, data)


def decode(config, stored, shape, record=None):
    data = run("decode", config, int(np.prod(shape)), shape, record, stored)
    values = []
    while data:
        size = struct.unpack("<Q", data[:8])[0]
        values.append(json.loads(data[8:8 + size]))
        data = data[8 + size:]
    return values


@pytest.fixture(autouse=True)
def may_unpickle(monkeypatch):
    """What is unpickled here, we wrote."""
    monkeypatch.setattr(numcodecs.pickles, "ALLOW_UNSAFE_PICKLE_DECODE", True, raising=False)


@pytest.fixture(params=["json2", "msgpack2", "pickle"])
def config(request):
    if request.param == "msgpack2":
        pytest.importorskip("msgpack")
    return {"id": request.param}


REFERENCE = {"source": ".", "path": "/acquisition/é", "object_id": None, "source_object_id": "0c5e"}
VALUES = [None, True, False, 0, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32, 2**63, 2**64 - 1, -1, -32, -33, -128,
          -129, -32769, -(2**31), -(2**31) - 1, -(2**63), 0.5, -1e300, float("inf"), "", "x" * 255, "x" * 256, "é" * 40,
          "y" * 70000, "日本 🙂 \x00\x01\x7f\"\\", [], {}, [[], {}], REFERENCE, {"a": [REFERENCE, {"b": [1.5, [None]]}]},
          list(range(300)), {str(i): i for i in range(300)}, list(range(70000))]


def test_values(config):
    stored = encode(config, VALUES)
    got = get_codec(config).decode(stored)
    assert got.dtype == object and got.shape == (len(VALUES),)
    assert list(got) == VALUES
    assert [type(v) for v in got] == [type(v) for v in VALUES]
    assert decode(config, stored, [len(VALUES)]) == VALUES


@pytest.mark.parametrize("shape", [(0,), (1,), (6,), (2, 3), (3, 1, 2), (1, 1), ()], ids=str)
def test_shapes(config, shape):
    if config["id"] == "msgpack2" and shape == ():
        pytest.skip("numcodecs does not decode these")
    values = [REFERENCE, "b", 3, [4, 5], None, 0.5][: int(np.prod(shape))]
    array = np.empty(len(values), object)
    array[:] = values
    array = array.reshape(shape)
    stored = encode(config, values, list(shape))
    got = get_codec(config).decode(stored)
    assert got.shape == shape and got.dtype == object
    assert all(got[at] == array[at] for at in np.ndindex(*shape))
    assert decode(config, bytes(get_codec(config).encode(array)), list(shape)) == values


RECORD = [["idx", "<i4"], ["w", "<f8"], ["h", "<f2"], ["ok", "|b1"], ["big", ">u8"], ["s", "|S4"], ["u", "<U3"],
          ["ref", "|O"]]


def test_rows():
    """Structures with objects in them, which only pickle stores."""
    config = {"id": "pickle", "protocol": 5}
    rows = [[-1, 2.5, 0.5, True, 2**64 - 1, "abcd", "é", REFERENCE], 0, [7, 1, 0, False, 0, "", "", None], None]
    stored = encode(config, rows, [2, 2], RECORD)
    got = get_codec(config).decode(stored)
    assert got.dtype == np.dtype([tuple(field) for field in RECORD]) and got.shape == (2, 2)
    assert got[0, 0].item() == (-1, 2.5, 0.5, True, 2**64 - 1, b"abcd", "é", REFERENCE)
    assert got[0, 1].item() == got[1, 1].item() == (0, 0, 0, False, 0, b"", "", 0)
    assert got[1, 0].item() == (7, 1, 0, False, 0, b"", "", None)
    assert decode(config, bytes(get_codec(config).encode(got)), [2, 2], RECORD) == [
        rows[0], [0, 0, 0, False, 0, "", "", 0], rows[2], [0, 0, 0, False, 0, "", "", 0]]


def test_bytes(config):
    values = [{"__bytes__": "//4A"}, {"k": {"__bytes__": "gA=="}}, {"__bytes__": "gA==", "more": 1}]
    got = list(get_codec(config).decode(encode(config, values)))
    if config["id"] == "json2":
        assert got == values
    else:
        assert got == [b"\xff\xfe\0", {"k": b"\x80"}, values[2]]


def test_zarr_python_2_reads_rows(tmp_path):
    zarr = pytest.importorskip("zarr", minversion="2.13")
    if int(zarr.__version__.split(".")[0]) > 2:
        pytest.skip("zarr-python 3 knows no such structures")
    record = [["idx_start", "<i4"], ["count", "<i4"], ["timeseries", "|O"]]
    document = {"zarr_format": 2, "shape": [3], "chunks": [2], "dtype": record, "order": "C", "compressor": None,
                "filters": [{"id": "pickle", "protocol": 5}], "fill_value": "gAVLAC4="}
    (tmp_path / ".zarray").write_text(json.dumps(document))
    (tmp_path / "0").write_bytes(encode({"id": "pickle"}, [[1, 2, REFERENCE], [3, 4, REFERENCE]], [2], record))
    rows = zarr.open(str(tmp_path), "r")[:]
    assert [row.item() for row in rows] == [(1, 2, REFERENCE), (3, 4, REFERENCE), (0, 0, 0)]


def test_options_of_json2():
    options = {"ensure_ascii": False, "sort_keys": False}
    values = [{"z": "é", "a": "日"}]
    stored = encode({"id": "json2", **options}, values)
    assert stored == numcodecs.JSON(**options).encode(np.array(values, object))
    assert encode({"id": "json2"}, values) == numcodecs.JSON().encode(np.array(values, object))
