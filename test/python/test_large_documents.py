"""Documents beyond what is read: never written, so that a store that was closed opens again; and copies of all documents that are
larger than that, which are passed over. The judges: zarr-python, the text of the documents."""

import json
import os
import time

import h5py
import numpy as np
import pytest

from interpreter import Failed, Interpreter
from places import by_zarr, with_connector

VALUES_MAX = 1 << 24
SOON = 40  # seconds, on a busy machine


def set_attributes(path, shape):
    with h5py.File(path, "w") as f:
        f.attrs["before"] = 1
        try:
            f.attrs.create("large", np.zeros(shape, "u1"))
        finally:
            f.attrs["after"] = 2


@pytest.mark.parametrize("shape", [(VALUES_MAX,), (VALUES_MAX // 2, 2)])
def test_an_attribute_that_no_document_holds(tmp_path, connector, shape):
    """Refused when it is made; all else goes on."""
    path = tmp_path / "s.zarr"
    with pytest.raises(Failed, match="an attribute of more than [0-9]+ elements"):
        connector.run(set_attributes, str(path), shape)
    with h5py.File(path) as f:
        assert dict(f.attrs) == {"before": 1, "after": 2}
    assert {k: v for k, v in by_zarr(path).attrs.items() if k != "_HDF5"} == {"before": 1, "after": 2}


def large_copy(path, values):
    """A store of format 3 whose root has a copy of so many values."""
    (path / "x").mkdir(parents=True)
    member = {"zarr_format": 3, "node_type": "array", "shape": [2], "fill_value": 7, "attributes": {}, "data_type": "int32",
              "chunk_key_encoding": {"name": "default"}, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
              "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
    (path / "x" / "zarr.json").write_text(json.dumps(member))
    member["attributes"] = {"many": "HERE"}
    root = {"zarr_format": 3, "node_type": "group", "attributes": {"a": 1},
            "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": {"x": member}}}
    (path / "zarr.json").write_text(json.dumps(root).replace('"HERE"', "[0" + ",0" * values + "]"))


def read(path):
    with h5py.File(path) as f:
        return dict(f.attrs), f["x"][...].tolist()


def change(path):
    with h5py.File(path, "r+") as f:
        f.attrs["b"] = 2


def test_a_copy_that_is_larger_than_any_document(tmp_path, connector):
    """It is passed over when the store is read, and goes when the store changes."""
    path = tmp_path / "s.zarr"
    large_copy(path, VALUES_MAX)
    begun = time.monotonic()
    assert connector.run(read, str(path)) == ({"a": 1}, [7, 7])
    assert time.monotonic() - begun < SOON
    connector.run(change, str(path))
    assert os.path.getsize(path / "zarr.json") < 10_000
    z = by_zarr(path)
    assert z.attrs["a"] == 1 and z.attrs["b"] == 2 and z["x"][...].tolist() == [7, 7]


MANY = 400


def make_many(path):
    with h5py.File(path, "w") as f:
        f.attrs["a"] = 1
        for i in range(MANY):
            f.create_dataset(f"d{i:03}", data=[i]).attrs["i"] = i


def attributes(path):
    with h5py.File(path) as f:
        return dict(f.attrs), [int(f[name].attrs["i"]) for name in f]


def test_a_copy_that_is_read_around(tmp_path):
    """Hundreds of KiB in the root's document, which is read without them: who changes the root makes the copy anew, and who goes by the
    copy has it."""
    path = tmp_path / "s.zarr"
    writer, user = (Interpreter(with_connector(f"zarr {options}")) for options in ("format=3", "consolidated=use"))
    try:
        writer.run(make_many, str(path))
        assert os.path.getsize(path / "zarr.json") > 300_000
        for attrs in {"a": 1}, {"a": 1, "b": 2}:
            if len(attrs) == 2:
                writer.run(change, str(path))
            assert writer.run(attributes, str(path)) == (attrs, list(range(MANY)))
            copy = json.loads((path / "zarr.json").read_text())["consolidated_metadata"]["metadata"]
            assert sorted(copy) == [f"d{i:03}" for i in range(MANY)]
            assert {k: v for k, v in by_zarr(path).attrs.items() if k != "_HDF5"} == attrs
            for i in range(0, MANY, 100):
                (path / f"d{i:03}" / "zarr.json").rename(path / f"d{i:03}" / "away")  # who goes by the copy does not miss it
            assert user.run(attributes, str(path)) == (attrs, list(range(MANY)))
            for i in range(0, MANY, 100):
                (path / f"d{i:03}" / "away").rename(path / f"d{i:03}" / "zarr.json")
    finally:
        writer.stop()
        user.stop()
