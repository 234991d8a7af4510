"""Counts that make HDF5's own functions take time with their square: what is below the limits is quick, what is beyond them is
refused by name, where it is read and where it is written."""

import json
import time

import h5py
import numpy as np
import pytest
from h5py import h5d, h5p, h5s, h5t

from interpreter import Failed
from places import by_zarr

ARRAY = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i8", "compressor": None, "fill_value": 0, "order": "C",
         "filters": None}
FIELDS_MAX, ENUM_MAX, EXTERNAL_MAX = 8192, 16384, 16384
SOON = 10  # seconds; the loops that this is about took minutes


def store(path, note=None, **document):
    (path / "x").mkdir(parents=True)
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    (path / "x" / ".zarray").write_text(json.dumps({**ARRAY, **document}))
    if note:
        (path / "x" / ".zattrs").write_text(json.dumps({"_HDF5": json.dumps({"v": 1, **note})}))
    return str(path)


def enumeration(count):
    return {"t": {"enum": "<i8", "m": {f"m{i}": i for i in range(count)}}}


def files(count):
    return {"ext": [[f"f{i}", 0, 8] for i in range(count)]}


def fields(count):
    return [[f"f{i}", "<i4"] for i in range(count)]


def compound(count):
    return {"t": {"cmpd": 4 * count, "m": [[f"f{i}", 4 * i, "<i4"] for i in range(count)]}}


def look(path):
    begun = time.monotonic()
    with h5py.File(path) as f:
        d = f["x"]
        members = d.id.get_type().get_nmembers() if d.id.get_type().get_class() in (h5t.ENUM, h5t.COMPOUND) else None
        external = d.id.get_create_plist().get_external_count()
        d.attrs.keys()
    return time.monotonic() - begun, members, external


CASES = {
    "enumeration": lambda n: ({"note": enumeration(n)}, ENUM_MAX, None),  # a note that is no use: the integers are shown
    "struct": lambda n: ({"dtype": fields(n), "fill_value": None}, FIELDS_MAX, "fields"),
    "external": lambda n: ({"note": files(n), "shape": [n], "chunks": [n]}, EXTERNAL_MAX, "files"),
}


@pytest.mark.parametrize("kind", CASES)
def test_up_to_the_limit(tmp_path, reader, kind):
    most = CASES[kind](2)[1]
    taken, members, external = reader.run(look, store(tmp_path / "s.zarr", **CASES[kind](most)[0]))
    assert (external if kind == "external" else members) == most
    assert taken < SOON


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("times", [0, 12])
def test_beyond_the_limit(tmp_path, reader, kind, times):
    _, most, word = CASES[kind](2)
    count = most * times or most + 1
    path = store(tmp_path / "s.zarr", **CASES[kind](count)[0])
    begun = time.monotonic()
    if word:
        with pytest.raises(Failed, match=f"{word}.*more than {most}|more than {most} {word}"):
            reader.run(look, path)
    else:
        assert reader.run(look, path)[1:] == (None, 0)
    assert time.monotonic() - begun < SOON


def test_attributes_and_committed_types(tmp_path, reader):
    path = store(tmp_path / "s.zarr", {"a": {"k": {"t": compound(100_000)["t"]}}})
    document = json.loads((tmp_path / "s.zarr/x/.zattrs").read_text())
    (tmp_path / "s.zarr/x/.zattrs").write_text(json.dumps({**document, "k": [0]}))
    begun = time.monotonic()
    reader.run(look, path)
    assert time.monotonic() - begun < SOON


def make_enumeration(path, count):
    kind = h5t.enum_create(h5t.STD_I32LE)
    for i in range(count):
        kind.enum_insert(b"m%d" % i, i)
    with h5py.File(path, "w") as f:
        h5d.create(f.id, b"x", kind, h5s.create_simple((2,)))


def make_compound(path, count):
    with h5py.File(path, "w") as f:
        f["x"] = np.ones(2, [(f"f{i}", "<i4") for i in range(count)])


def make_external(path, count):
    plist = h5p.create(h5p.DATASET_CREATE)
    for i in range(count):
        plist.set_external(b"f%d" % i, 0, 8)
    with h5py.File(path, "w") as f:
        h5d.create(f.id, b"x", h5t.STD_I64LE, h5s.create_simple((count,)), plist)


MAKERS = {"enumeration": make_enumeration, "struct": make_compound, "external": make_external}


@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_written_can_be_read(tmp_path, connector, reader, kind):
    most = CASES[kind](2)[1]
    path = str(tmp_path / "s.zarr")
    count = 1000 if kind == "external" else most  # HDF5 itself refuses to make a dataset in some thousand files
    connector.run(MAKERS[kind], path, count)
    assert (reader.run(look, path)[2 if kind == "external" else 1]) == count
    if kind == "struct":
        assert len(by_zarr(path)["x"].dtype) == most
    with pytest.raises(Failed, match="so many|more than|too large"):
        connector.run(MAKERS[kind], str(tmp_path / "m.zarr"), most + 1)
