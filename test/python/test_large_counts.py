"""Counts that make HDF5's own functions take time with their square: what is below the limits is quick, what is beyond them is
refused by name, where it is read and where it is written."""

import base64
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
SOON = 40  # seconds, on a busy machine; the loops that this is about took minutes


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
        if d.id.get_type().get_class() == h5t.OPAQUE:
            d[...]  # a structure that is not understood opens, and its elements are the error
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


# ---- blocks of irregular selections ----

BLOCKS = 30_000  # added to a selection one by one they take more than a minute


def virtual(blocks, shape):
    return {"note": {"vds": [{"f": "a.zarr", "d": "x", "e": [sum(volume(b) for b in blocks)], "s": "all", "v": {"blocks": blocks}}]},
            "shape": shape, "chunks": shape}


def volume(block):
    rank = len(block) // 2
    return int(np.prod([block[rank + d] - block[d] + 1 for d in range(rank)]))


def irregular(count):
    """Blocks as HDF5 lists them: rows of several heights, with blocks of several widths."""
    rows = [[10 * r, 10 * r + r % 7, 3 * c + (r + c) % 2, 3 * c + 1] for r in range(count // 100) for c in range(100)]
    return [[top, left, bottom, right] for top, bottom, left, right in rows]


def look_at_blocks(path):
    begun = time.monotonic()
    with h5py.File(path) as f:
        space = f["x"].id.get_create_plist().get_virtual_vspace(0)
        listed = space.get_select_hyper_blocklist().reshape(-1, 2 * space.get_simple_extent_ndims()).tolist()
        return time.monotonic() - begun, listed


@pytest.mark.parametrize("blocks, shape", [
    pytest.param([[2 * i + i // 7, 2 * i + i // 7] for i in range(BLOCKS)], [3 * BLOCKS], id="of one dimension"),
    pytest.param(irregular(BLOCKS), [BLOCKS // 10, 300], id="of two dimensions")])
def test_a_selection_of_many_blocks(tmp_path, reader, blocks, shape):
    taken, listed = reader.run(look_at_blocks, store(tmp_path / "s.zarr", **virtual(blocks, shape)))
    assert listed == blocks
    assert taken < SOON


def test_many_blocks_that_cross(tmp_path, reader):
    """Of n bars across n bars HDF5 would make n * n pieces."""
    n = 4000
    bars = [[2 * i, 0, 2 * i, 2 * n] for i in range(n)] + [[0, 2 * i, 2 * n, 2 * i] for i in range(n)]
    path = store(tmp_path / "s.zarr", **virtual(bars, [2 * n + 1, 2 * n + 1]))
    begun = time.monotonic()
    with pytest.raises(Failed, match="do not fit"):
        reader.run(look_at_blocks, path)
    assert time.monotonic() - begun < SOON


def select_blocks(path, blocks, shape):
    """An irregular selection by HDF5 itself, kept in a store or a file and read again."""
    space = h5s.create_simple(tuple(shape))
    space.select_none()
    for top, left, bottom, right in blocks:
        space.select_hyperslab((top, left), (1, 1), None, (bottom - top + 1, right - left + 1), op=h5s.SELECT_OR)
    plist = h5p.create(h5p.DATASET_CREATE)
    plist.set_virtual(space, b"a", b"x", h5s.create_simple((space.get_select_npoints(),)))
    with h5py.File(path, "w") as f:
        h5d.create(f.id, b"x", h5t.STD_I64LE, h5s.create_simple(tuple(shape)), plist)
        f["ref"] = h5py.h5r.create(f["x"].id, b".", h5py.h5r.DATASET_REGION, space)
    with h5py.File(path) as f:
        kept = f["x"].id.get_create_plist().get_virtual_vspace(0)
        region = h5py.h5r.get_region(f["ref"][()], f.id)
        return [s.get_select_hyper_blocklist().tolist() for s in (space, kept, region)]


@pytest.mark.parametrize("overlapping", [False, True])
def test_blocks_that_hdf5_lists_are_in_order(tmp_path, connector, reader, overlapping):
    random = np.random.default_rng(5)
    corners = random.integers(0, 400, (400, 2)) if overlapping else np.array(irregular(2000))[random.permutation(2000)][:, :2]
    sizes = random.integers(0, 30 if overlapping else 1, (len(corners), 2))
    blocks = np.hstack([corners, corners + sizes]).tolist()
    selected, kept, region = connector.run(select_blocks, str(tmp_path / "s.zarr"), blocks, [500, 500])
    assert len(selected) > 1024  # more than may be in any order
    assert kept == selected and region == selected


# ---- names of attributes that are not UTF-8 ----

def odd_name(i):
    return b"n\xff%d" % i


def look_at_attributes(path, probes):
    begun = time.monotonic()
    with h5py.File(path) as f:
        names = []
        h5py.h5a.iterate(f["x"].id, lambda name, *_: names.append(name))
        values = [int(h5py.h5a.open(f["x"].id, odd_name(i)).shape == ()) for i in probes]
    return time.monotonic() - begun, len(set(names)), sum(values)


def test_many_attributes_with_odd_names(tmp_path, reader):
    count = 20_000  # looked for one by one: more than a minute
    path = store(tmp_path / "s.zarr", {"an": {f"n%FF{i}": base64.b64encode(odd_name(i)).decode() for i in range(count)}})
    document = tmp_path / "s.zarr/x/.zattrs"
    document.write_text(json.dumps({**json.loads(document.read_text()), **{f"n%FF{i}": i for i in range(count)}}))
    taken, names, values = reader.run(look_at_attributes, path, list(range(0, count, 10)))
    assert (names, values) == (count, count // 10)
    assert taken < SOON


def test_notes_of_names_under_keys_that_nobody_makes(tmp_path, reader):
    """So many that a search would take long do not count: the attributes have their keys' names, and none is hidden."""
    count = 5_000
    path = store(tmp_path / "s.zarr", {"an": {f"k{i}": base64.b64encode(odd_name(i)).decode() for i in range(count)}})
    document = tmp_path / "s.zarr/x/.zattrs"
    document.write_text(json.dumps({**json.loads(document.read_text()), **{f"k{i}": i for i in range(count)}}))
    taken, names, _ = reader.run(look_at_attributes, path, [])
    assert names == count and taken < SOON


def alike(path):
    """Names that have one escaped form: each is found, also after one of them has gone."""
    names = [b"a\xff\xff", b"a%FF\xff", b"a\xff%FF", b"a%FF%FF"]
    with h5py.File(path, "w") as f:
        for i, name in enumerate(names):
            f.attrs.create(name, i)
    with h5py.File(path, "r+") as f:
        del f.attrs[names[1]]
        f.attrs.create(names[1], 11)
        del f.attrs[names[0]]
    with h5py.File(path, "r") as f:
        return [int(f.attrs[name]) if name in f.attrs else None for name in names]


def test_names_that_look_alike(tmp_path, connector):
    assert connector.run(alike, str(tmp_path / "s.zarr")) == [None, 11, 2, 3]


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
