"""A program holds a dataset that another one deletes, renames, or makes anew: nothing of the old form reaches what is
there now, and who wrote is told. Judges: zarr-python makes the new array, and finds its bytes unchanged."""

import json
import os
import shutil
import time

import numpy as np
import pytest

from places import files

LOOKED_AFTER = 0.02  # seconds: longer than chunks that are written at once go unchecked


def make(path, settings):
    import h5py

    os.environ.update(settings)
    try:
        f = h5py.File(path, "w")
    finally:
        for name in settings:
            del os.environ[name]
    with f:
        f.create_dataset("g/a", data=np.arange(64, dtype="i4").reshape(8, 8), chunks=(2, 4), maxshape=(None, None))
        f.create_dataset("other", data=1)


def work(path, requests, answers, write):
    """Opens, writes a little, says so, and after the answer writes more: what was raised at the write, a flush, a close."""
    import h5py

    f = h5py.File(path, "r+")
    d = f["g/a"]
    d[0, 0] = 100
    f.flush()
    open(requests, "w").close()
    while not os.path.exists(answers):
        time.sleep(0.01)
    time.sleep(LOOKED_AFTER)
    writes = {
        "an element": lambda: d.__setitem__((4, 4), 7),
        "a whole chunk": lambda: d.__setitem__((slice(0, 2), slice(0, 4)), 7),
        "everything": lambda: d.__setitem__(..., 7),
        "a stored chunk": lambda: d.id.write_direct_chunk((0, 0), bytes(32)),
        "a larger shape": lambda: d.resize((20, 20)),
        "a smaller shape": lambda: d.resize((1, 1)),
        "an attribute": lambda: d.attrs.__setitem__("x", 1),
        "a whole chunk beyond": lambda: d.__setitem__((slice(6, 8), slice(4, 8)), 7),
        "a stored chunk beyond": lambda: d.id.write_direct_chunk((6, 4), bytes(32)),
        "an element inside": lambda: d.__setitem__((2, 2), 7),
        "elements on both sides": lambda: [d.__setitem__(place, 7) for place in ((2, 2), (7, 1), (6, 6))],
        "an element, by dirty_max": lambda: [d.__setitem__((i, 1), 7) for i in range(8)],
    }
    errors = []
    for step in (writes[write], f.flush, f.close):
        try:
            step()
            errors.append(None)
        except Exception as error:
            errors.append(str(error))
    f.close()  # what was reported is given up
    return errors


def run(tmp_path, connector, settings, write, change):
    import threading

    path = tmp_path / "s.zarr"
    connector.run(make, str(path), settings)
    requests, answers = tmp_path / "written", tmp_path / "changed"
    seen = {}

    def meanwhile():
        while not requests.exists():
            time.sleep(0.01)
        change(path)
        seen["files"] = files(path)
        answers.touch()

    thread = threading.Thread(target=meanwhile)
    thread.start()
    environment = {"VOL_ZARR_DIRTY_MAX": "0"} if "dirty_max" in write else {}
    os.environ.update(environment)
    try:
        errors = connector.run(work_with, str(path), str(requests), str(answers), write, environment)
    finally:
        for name in environment:
            del os.environ[name]
        thread.join()
    return path, errors, seen["files"]


def work_with(path, requests, answers, write, environment):
    os.environ.update(environment)
    try:
        return work(path, requests, answers, write)
    finally:
        for name in environment:
            del os.environ[name]


def recreate(format, **settings):
    def change(path):
        import zarr

        shutil.rmtree(path / "g" / "a")
        g = zarr.open_group(path / "g", mode="r+")
        a = g.create_array("a", **{"shape": (8, 8), "chunks": (2, 4), "dtype": "i4", **settings})
        a[...] = 3

    return change


def in_place(key, value):
    """Only the document changes: no directory is made anew."""

    def change(path):
        document = next(p for p in (path / "g" / "a" / ".zarray", path / "g" / "a" / "zarr.json") if p.exists())
        text = json.loads(document.read_text())
        if document.name == "zarr.json":
            text["data_type" if key == "dtype" else key] = {"<f4": "float32"}.get(value, value)
        else:
            text[key] = value
        new = document.with_name("fresh")
        new.write_text(json.dumps(text))
        os.rename(new, document)

    return change


def delete(path):
    shutil.rmtree(path / "g" / "a")


def rename(path):
    os.rename(path / "g" / "a", path / "g" / "b")


STORES = {"v2": {}, "v3": {"VOL_ZARR_FORMAT": "3"}, "shards": {"VOL_ZARR_FORMAT": "3", "VOL_ZARR_SHARDS": "128"}}
WRITES = ["an element", "a whole chunk", "everything", "a stored chunk", "a larger shape", "a smaller shape",
          "an element, by dirty_max"]
GONE = {"another dtype": lambda format: recreate(format, dtype="f8"), "other chunks": lambda format: recreate(format, chunks=(8, 8)),
        "another compressor": lambda format: recreate(format, compressors=None), "another rank": lambda format: recreate(format, shape=(64,), chunks=(8,)),
        "only the document": lambda format: in_place("dtype", "<f4"), "deleted": lambda format: delete, "renamed": lambda format: rename}


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("write", WRITES)
def test_nothing_of_the_old_form_reaches_the_new_array(tmp_path, connector, store, write):
    format = 2 if store == "v2" else 3
    for number, (name, change) in enumerate(GONE.items()):
        where = tmp_path / str(number)
        where.mkdir()
        path, errors, before = run(where, connector, STORES[store], write, change(format))
        after = files(path)
        told = [error for error in errors if error]
        assert told, name
        assert all("another program" in error and "s.zarr" in error for error in told), (name, told)
        assert {k: v for k, v in after.items() if k.startswith("g/")} == {k: v for k, v in before.items() if k.startswith("g/")}, name


@pytest.mark.parametrize("store", STORES)
def test_an_attribute_of_the_old_array_is_not_the_new_ones(tmp_path, connector, store):
    path, errors, before = run(tmp_path, connector, STORES[store], "an attribute", recreate(2 if store == "v2" else 3, dtype="f8"))
    assert any(errors) and {k: v for k, v in files(path).items() if k[:2] == "g/"} == {k: v for k, v in before.items() if k[:2] == "g/"}


def same_form(path):
    """Anew, but its chunks are of the same form; nobody can tell, and nothing is misread."""
    import zarr

    source = zarr.open_array(path / "g" / "a", mode="r")
    settings = {"shape": (8, 8), "chunks": (2, 4), "dtype": "i4", "compressors": source.compressors, "filters": source.filters}
    if source.shards:
        settings["shards"] = source.shards
    if source.metadata.zarr_format == 2:
        settings["order"] = "C"
    shutil.rmtree(path / "g" / "a")
    zarr.open_group(path / "g", mode="r+").create_array("a", **settings)[...] = 3


def attribute(path):
    import zarr

    zarr.open_array(path / "g" / "a", mode="r+").attrs["theirs"] = 5


def grow(path):
    import zarr

    zarr.open_array(path / "g" / "a", mode="r+").resize((10, 8))


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("change", [attribute, grow, same_form])
def test_what_leaves_the_form_alone_stops_nobody(tmp_path, connector, store, change):
    import zarr

    path, errors, _ = run(tmp_path, connector, STORES[store], "an element", change)
    assert errors == [None, None, None]
    a = zarr.open_array(path / "g" / "a", mode="r")
    assert a[4, 4] == 7
    if change is attribute:
        assert a.attrs["theirs"] == 5
    if change is grow:
        assert a.shape == (10, 8)


def shrink(path):
    import zarr

    zarr.open_array(path / "g" / "a", mode="r+").resize((3, 4))


def grown_again(path):
    """What zarr-python sees when it lets the array grow again."""
    import zarr

    a = zarr.open_array(path / "g" / "a", mode="r+")
    assert a.shape == (3, 4)
    a.resize((8, 8))
    return a


def only_old_values_beyond(a):
    """Fill, or what zarr-python itself leaves in chunks and shards that are partly inside."""
    beyond = np.ones((8, 8), bool)
    beyond[:3, :4] = False
    old = np.arange(64).reshape(8, 8)
    return ((a[...] == 0) | (a[...] == old) & (np.arange(8) < 4)[:, None])[beyond].all()


SMALLER = "another program made the array smaller"


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("write", ["an element", "a whole chunk beyond", "a stored chunk beyond"])
def test_what_lies_beyond_a_smaller_shape_is_told_and_does_not_come_back(tmp_path, connector, store, write):
    path, errors, _ = run(tmp_path, connector, STORES[store], write, shrink)
    assert any(errors) and all(SMALLER in error and "g/a" in error for error in errors if error), errors
    assert only_old_values_beyond(grown_again(path))


@pytest.mark.parametrize("store", STORES)
def test_what_lies_inside_of_a_smaller_shape_is_written(tmp_path, connector, store):
    path, errors, _ = run(tmp_path, connector, STORES[store], "elements on both sides", shrink)
    assert errors[1] and SMALLER in errors[1] and not errors[2], errors  # told once, and the rest is there
    a = grown_again(path)
    assert a[2, 2] == 7 and only_old_values_beyond(a)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("write", ["an element inside", "a larger shape", "an attribute"])
def test_a_smaller_shape_stops_nobody_else(tmp_path, connector, store, write):
    import zarr

    path, errors, _ = run(tmp_path, connector, STORES[store], write, shrink)
    assert errors == [None, None, None]
    a = zarr.open_array(path / "g" / "a", mode="r")
    assert a.shape == ((20, 20) if write == "a larger shape" else (3, 4))
    assert a[2, 2] == (7 if write == "an element inside" else 18)
