"""What was flushed stays true whenever a writer is stopped: each test ends a process before its first, second ... change of
the store, and asks zarr-python and native HDF5's rules what is there then."""

import json
import pathlib

import h5py
import numpy as np
import pytest

import stopping
from places import by_zarr

FORMS = {"v2": "", "v2 nested": "", "v3": ";format=3", "v3 shards": ";format=3;shards=200"}


# ---- shrinking ----

SHAPE, SMALLER, LARGER = (10, 7), (5, 4), (12, 8)
VALUES = np.arange(70, dtype="i4").reshape(SHAPE)


def make_array(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("g/x", data=VALUES, chunks=(4, 3), maxshape=(None, 9), fillvalue=-1)


def shrink(path):
    f = h5py.File(path, "r+")
    f["g/x"].resize(SMALLER)


def shrink_and_grow(path):
    """All of it without a flush in between, then flushed: elements that were never cut off, others that were."""
    f = h5py.File(path, "r+")
    f["g/x"].resize(SMALLER)
    f["g/x"].resize(LARGER)
    f.flush()


def shrink_flush_and_go_on(path):
    f = h5py.File(path, "r+")
    f["g/x"].resize(SMALLER)
    f["g/x"][4, 3] = 1000
    f.flush()
    f["g/x"].resize((7, 2))
    f["g/x"].resize((7, 6))
    f.flush()


def grow_again(path):
    with h5py.File(path, "r+") as f:
        f["g/x"].resize(LARGER)


def kept(shape, *cuts):
    """What VALUES are after the array had these shapes, one after the other."""
    whole = np.full(LARGER, -1, "i4")
    whole[:SHAPE[0], :SHAPE[1]] = VALUES
    for cut in cuts:
        whole[cut[0]:] = -1
        whole[:, cut[1]:] = -1
    return whole[:shape[0], :shape[1]]


def stop_while(work, made, place):
    return stopping.stop_everywhere(made, work, place)


def template(stopped, form, place):
    path = place / "made.zarr"
    stopped(form).run(make_array, str(path))
    if form == "v2 nested":
        nest(path / "g/x")
        (path / ".zmetadata").unlink()
    return str(path)


def nest(array):
    """Other programs store an array's chunks so."""
    document = json.loads((array / ".zarray").read_text())
    (array / ".zarray").write_text(json.dumps({**document, "dimension_separator": "/"}))
    for chunk in list(array.glob("?.?")):
        (array / chunk.name[0]).mkdir(exist_ok=True)
        chunk.rename(array / chunk.name.replace(".", "/"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("work", [shrink, shrink_and_grow])
def test_shrinking(stopped, connector, tmp_path, form, work):
    paths = stopped(form).run(stop_while, work, template(stopped, form, tmp_path), str(tmp_path))
    assert len(paths) > 3
    for path in paths:
        x = by_zarr(path)["g/x"]
        cuts = {SHAPE: [], SMALLER: [SMALLER], LARGER: [SMALLER]}[x.shape]
        assert (x[...] == kept(x.shape, *cuts)).all(), path
        connector.run(grow_again, path)
        x = by_zarr(path)["g/x"]
        assert x.shape == LARGER and (x[...] == kept(LARGER, *cuts)).all(), path
    assert by_zarr(paths[0])["g/x"].shape == LARGER


@pytest.mark.parametrize("form", FORMS)
def test_shrinking_twice(stopped, connector, tmp_path, form):
    made = template(stopped, form, tmp_path)
    for path in stopped(form).run(stop_while, shrink_flush_and_go_on, made, str(tmp_path)):
        shape = by_zarr(path)["g/x"].shape
        cuts = {SHAPE: [[]], SMALLER: [[SMALLER]], (7, 2): [[SMALLER, (7, 2)]], (7, 6): [[SMALLER, (7, 2)]]}[shape]
        connector.run(grow_again, path)
        now = by_zarr(path)["g/x"][...]
        now[now == 1000] = VALUES[4, 3]
        assert any((now == kept(LARGER, *c)).all() for c in cuts), (path, now)


def shrink_what_stays(path, chunk):
    """One chunk cannot be removed. Growing needs that; shrinking does not."""
    stopping.refuse_changes(chunk)
    with h5py.File(path, "r+") as f:
        f["g/x"].resize(SMALLER)
        f.flush()
    with h5py.File(path, "r+") as f:
        with pytest.raises(RuntimeError) as error:
            f["g/x"].resize(LARGER)
        assert f["g/x"].shape == SMALLER
    stopping.refuse_changes(None)
    return str(error.value)


@pytest.mark.parametrize("form, chunk", [("v2", "x/2.0"), ("v2 nested", "x/2/0"), ("v3", "c/2/0")])
def test_a_chunk_that_cannot_be_removed(stopped, connector, tmp_path, form, chunk):
    path = template(stopped, form, tmp_path)
    assert (pathlib.Path(path, "g") / chunk).exists() or (pathlib.Path(path, "g/x") / chunk).exists()
    said = stopped(form).run(shrink_what_stays, path, chunk)
    assert chunk in said and "Input/output error" in said
    assert (by_zarr(path)["g/x"][...] == kept(SMALLER, SMALLER)).all()
    connector.run(grow_again, path)
    assert (by_zarr(path)["g/x"][...] == kept(LARGER, SMALLER)).all()
    assert "rest" not in json.dumps(dict(by_zarr(path)["g/x"].attrs))


def shrink_what_cannot_be_written(path, document):
    stopping.refuse_changes(document)
    f = h5py.File(path, "r+")
    with pytest.raises(RuntimeError) as error:
        f["g/x"].resize(SMALLER)
    assert f["g/x"].shape == SHAPE and (f["g/x"][...] == VALUES).all()
    stopping.refuse_changes(None)
    f.close()
    return str(error.value)


@pytest.mark.parametrize("form, document", [("v2", ".zarray"), ("v2", ".zattrs"), ("v3", "x/zarr.json")])
def test_a_shape_that_cannot_be_written(stopped, tmp_path, form, document):
    path = template(stopped, form, tmp_path)
    said = stopped(form).run(shrink_what_cannot_be_written, path, document)
    assert "Input/output error" in said
    assert (by_zarr(path)["g/x"][...] == VALUES).all()
