"""Stores of hdmf-zarr in format 3, as HDF5 shows them."""

import json

import h5py
import numpy as np
import pytest

from hdmf_forms import ref, shown, vlen


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
