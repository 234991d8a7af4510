"""Stores of hdmf-zarr made by hand: one array for each form that its conventions know."""

import json
import pickle
import sys
import types

import h5py
import numpy as np
import pytest


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


NAMES = [{"name": "i", "dtype": "int32"}, {"name": "s", "dtype": "str_"}, {"name": "f", "dtype": "<f4"}, {"name": "r", "dtype": "object"},
         {"name": "y", "dtype": "bool"}]
ROWS = [(-7, "é", 1.5, ref(), True), (8, "", -0.25, ref("/g"), False)]
