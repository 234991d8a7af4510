"""The codec packbits of zarr-extensions. The judge is zarrs, by its Python package zarrista 0.1: data/zarr34-packbits.tar.xz has arrays
that it wrote, and the numbers that it reads of them (data/zarr34_packbits.py). Chunks that we write are compared with its chunks byte by
byte."""

import json
import shutil

import h5py
import numpy as np
import pytest

from interpreter import Failed
from zarr34 import names, unpacked, write_all


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return unpacked("packbits", tmp_path_factory)


def same(got, wanted):
    """Numbers of few bits are of a type of their own in HDF5."""
    return np.array_equal(got.astype(wanted.dtype), wanted, equal_nan=wanted.dtype.kind in "fc")


def test_read(made):
    where, expected = made
    with h5py.File(where / "packbits.zarr") as f:
        assert sorted(f) == names(expected) and len(f) > 200
        wrong = [name for name in f if not same(f[name][...], expected[f"read-{name}"])]
        assert wrong == []
        for name in "int4.all", "bool.all", "uint16.shards", "complex64.1-31":
            if name in f:
                assert same(f[name][1:6:2, 3], expected[f"read-{name}"][1:6:2, 3]), name


def configuration(array):
    return json.loads((array / "zarr.json").read_text())["codecs"][0]["configuration"]


def is_ambiguous(name):
    """Of whole bytes zarrs leaves out the byte of padding that the text of zarr-extensions asks for."""
    kind, part = name.split(".", 1)
    return part in ("first_byte", "last_byte", "gzip", "turned", "shards") and kind not in (
        "bool", "int2", "int4", "uint2", "uint4", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn")


@pytest.mark.parametrize("in_parts", [False, True])
def test_written_as_by_zarrs(made, tmp_path, connector, in_parts):
    """Shards and gzip are read again: nobody says where chunks lie in a shard."""
    where, expected = made
    ours, theirs = tmp_path / "ours.zarr", where / "packbits.zarr"
    shutil.copytree(theirs, ours)
    given = {name: expected[f"given-{name}"] for name in names(expected) if not is_ambiguous(name)}
    chunks = [path.relative_to(ours) for name in given for path in ours.glob(f"{name}/c/**/*") if path.is_file()]
    for chunk in chunks:
        (ours / chunk).unlink()
    connector.run(write_all, str(ours), given, in_parts)
    compared = [chunk for chunk in chunks if not chunk.parts[0].endswith(("gzip", "shards"))]
    assert len(compared) > 500 and len(given) > 150
    wrong = [str(chunk) for chunk in compared if not equal_chunks(ours / chunk, theirs / chunk)]
    assert wrong == []
    assert all((ours / name / "zarr.json").read_text() == (theirs / name / "zarr.json").read_text() for name in given)
    with h5py.File(ours) as f:
        wrong = [name for name in given if not same(f[name][...], expected[f"read-{name}"])]
        assert wrong == []


def equal_chunks(ours, theirs):
    """A chunk of nothing but fill may be left out."""
    return ours.read_bytes() == theirs.read_bytes() if ours.exists() else not any(theirs.read_bytes())


def test_padding_that_lies(made, tmp_path):
    """An error, never other numbers."""
    where, _ = made
    shutil.copytree(where / "packbits.zarr", tmp_path / "x.zarr")
    for name, spoil in ("int4.last_byte", lambda data: data[:-1] + b"\7"), ("bool.first_byte", lambda data: data[:-1]), ("int2.all", lambda data: data + b"\0"):
        chunk = tmp_path / "x.zarr" / name / "c/0/0"
        chunk.write_bytes(spoil(chunk.read_bytes()))
        with h5py.File(tmp_path / "x.zarr") as f, pytest.raises(OSError, match="packbits"):
            f[name][...]


@pytest.mark.parametrize("configuration", [{"first_bit": 3, "last_bit": 2}, {"last_bit": 4}, {"first_bit": -1}, {"padding_encoding": "middle"},
                                           {"padding_encoding": 1}, {"bits": 4}, {"last_bit": "1"}])
def test_configurations_that_are_none(made, tmp_path, configuration):
    """The array opens, and reading it names the codec; it is written to by nobody."""
    where, _ = made
    shutil.copytree(where / "packbits.zarr/int4.all", tmp_path / "x.zarr/a")
    (tmp_path / "x.zarr/zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    document = json.loads((tmp_path / "x.zarr/a/zarr.json").read_text())
    document["codecs"] = [{"name": "packbits", "configuration": configuration}]
    (tmp_path / "x.zarr/a/zarr.json").write_text(json.dumps(document))
    with h5py.File(tmp_path / "x.zarr") as f:
        assert f["a"].shape == (7, 5)
        with pytest.raises(OSError, match="packbits"):
            f["a"][...]


def write_one(path, name):
    with h5py.File(path, "r+") as f:
        f[name][0] = 1


def test_two_forms_of_padding(made, tmp_path, connector):
    """zarrs' form was read above; that of the text is, too, and neither is written."""
    where, expected = made
    shutil.copytree(where / "packbits.zarr/uint16.last_byte", tmp_path / "x.zarr/a")
    (tmp_path / "x.zarr/zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    for chunk in (tmp_path / "x.zarr/a/c").glob("*/*"):
        chunk.write_bytes(chunk.read_bytes() + b"\0")
    with h5py.File(tmp_path / "x.zarr") as f:
        assert same(f["a"][...], expected["read-uint16.last_byte"])
    with pytest.raises(Failed, match="padding_encoding"):
        connector.run(write_one, str(tmp_path / "x.zarr"), "a")


def copy(source, target):
    with h5py.File(source) as f, h5py.File(target, "w") as g:
        for name in "int4.all", "bool.last_byte", "uint16.1-14":
            f.copy(name, g)
    with h5py.File(target) as g:
        return {name: g[name][...] for name in g}


def test_copies(made, tmp_path, connector):
    """A store of format 2 has no word for the codec: values are equal, and the copy is one that zarr-python reads."""
    where, expected = made
    got = connector.run(copy, str(where / "packbits.zarr"), str(tmp_path / "v2.zarr"))
    assert all(same(values, expected[f"read-{name}"]) for name, values in got.items()) and len(got) == 3
    assert "packbits" not in (tmp_path / "v2.zarr/int4.all/.zarray").read_text()
