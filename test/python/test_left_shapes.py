"""Chunks outside of an array, left by a writer that was stopped between them and the shape: the next writer removes them, but
never those of somebody who is at work. zarr-python, and the names in the directory, tell."""

import pathlib

import h5py
import numpy as np
import pytest

import stopping
from places import by_zarr
from test_leases import kill, named, say, start, wait_for_line

FORMS = {"v2": "", "v3": ";format=3", "v3 shards": ";format=3;shards=64"}
EACH = list(FORMS)
FORMS |= {f"{name} at once": options + ";dirty_max=0" for name, options in FORMS.items()}
VALUES = np.arange(1, 41, dtype="i4").reshape(10, 4)
LARGER, LARGEST = (15, 4), (30, 4)


def make(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("g/x", data=VALUES, chunks=(2, 2), maxshape=(None, 4), fillvalue=-1)


def append(path):
    f = h5py.File(path, "r+")
    f["g/x"].resize(LARGER)
    f["g/x"][10:] = 7
    f["g/x"].id.flush()


def shrink_in_group(path):
    f = h5py.File(path, "r+")
    f["g/x"].resize((3, 4))
    f.move("g", "h")
    f.flush()


def append_in_group(path):
    f = h5py.File(path, "r+")
    f["g/x"].resize(LARGER)
    f["g/x"][10:] = 7
    f.move("g", "h")
    f.move("h/x", "x")
    f.flush()


def stop_while(work, made, place):
    return stopping.stop_everywhere(made, work, place)


def visit(path):
    h5py.File(path, "r+").close()


def outside(path, array):
    """Files of chunks, or shards, that lie beyond the shape zarr-python sees."""
    node, found = by_zarr(path)[array], []
    sides = node.shards or node.chunks
    for file in pathlib.Path(path, array).rglob("*"):
        words = str(file.relative_to(pathlib.Path(path, array))).removeprefix("c/").replace("/", ".").split(".")
        if file.is_file() and all(word.isdigit() for word in words):
            if any(int(word) * side >= n for word, side, n in zip(words, sides, node.shape)):
                found.append(str(file))
    return found


def grown_by_zarr(path):
    import zarr

    x = zarr.open_group(path, mode="r+", use_consolidated=False)["g/x"]
    x.resize(LARGEST)
    return x[...]


@pytest.mark.parametrize("form", EACH)
def test_a_writer_stopped_while_appending(stopped, connector, tmp_path, form):
    made = str(tmp_path / "made.zarr")
    stopped(form).run(make, made)
    some_were_left = False
    for path in stopped(form).run(stop_while, append, made, str(tmp_path)):
        some_were_left |= bool(outside(path, "g/x"))
        shape = by_zarr(path)["g/x"].shape
        connector.run(visit, path)
        x = by_zarr(path)["g/x"]
        assert x.shape == shape and outside(path, "g/x") == [] and named(pathlib.Path(path, "x")) == []
        assert (x[:10] == VALUES).all() and (x[10:] == 7).all()
        assert not pathlib.Path(tmp_path, f".{pathlib.Path(path).name}.partial").exists()
        assert (grown_by_zarr(path)[16:] == -1).all()
    assert some_were_left


@pytest.mark.parametrize("work", [shrink_in_group, append_in_group])
@pytest.mark.parametrize("form", EACH)
def test_a_writer_stopped_while_the_array_moves(stopped, connector, tmp_path, form, work):
    made = str(tmp_path / "made.zarr")
    stopped(form + " at once").run(make, made)
    left_at = set()
    for path in stopped(form + " at once").run(stop_while, work, made, str(tmp_path)):
        array = next(name for name in ("x", "h/x", "g/x") if pathlib.Path(path, name).exists())
        if outside(path, array):
            left_at.add(array)
        connector.run(visit, path)
        x = by_zarr(path)[array]
        assert outside(path, array) == [] and (x[:10] == VALUES[:x.shape[0]]).all() and (x[10:] == 7).all()
    assert len(left_at) >= (1 if work is shrink_in_group else 3)


# ---- who is at work ----

def append_and_wait(path):
    with h5py.File(path, "r+") as f:
        f["g/x"].resize(LARGER)
        f["g/x"][10:] = 7
        say("appended")
        wait_for_line()
    say("closed")


@pytest.mark.parametrize("form", EACH)
@pytest.mark.parametrize("moved", [False, True], ids=["in its place", "moved while open"])
def test_a_living_writer_keeps_its_chunks(connector, tmp_path, form, moved):
    """Another one, who noted the same array, was killed."""
    path = tmp_path / "s.zarr"
    value = "zarr dirty_max=16" + FORMS[form]
    start(make, str(path), value=value).wait()
    living = start(append_and_wait, str(path), value=value)
    assert living.stdout.readline() == "appended\n"
    if moved:
        path = path.rename(tmp_path / "t.zarr")
    dead = start(append_and_wait, str(path), value=value)
    assert dead.stdout.readline() == "appended\n"
    kill(dead)
    assert outside(path, "g/x")
    connector.run(visit, str(path))
    assert outside(path, "g/x")
    living.stdin.write("\n")
    living.stdin.flush()
    assert living.stdout.readline() == "closed\n" and living.wait() == 0
    x = by_zarr(path)["g/x"]
    assert x.shape == LARGER and (x[:10] == VALUES).all() and (x[10:] == 7).all()
    connector.run(visit, str(path))
    assert named(path) == [] and (by_zarr(path)["g/x"][10:] == 7).all()


# ---- text that is wider than all before, in an array without chunks ----

def make_rows(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("rows", (5,), np.dtype([("n", "i4"), ("s", h5py.string_dtype())]), chunks=(3,), maxshape=(None,))


def write_a_row(path):
    f = h5py.File(path, "r+")
    f["rows"][4] = np.array((4, "wider than nothing"), f["rows"].dtype)
    f.flush()


@pytest.mark.parametrize("form", EACH)
def test_a_writer_stopped_at_the_first_text(stopped, tmp_path, form):
    """No chunk of the wider form stands below a document of the narrower one."""
    made = str(tmp_path / "made.zarr")
    stopped(form).run(make_rows, made)
    seen = set()
    for path in stopped(form).run(stop_while, write_a_row, made, str(tmp_path)):
        rows = [tuple(row) for row in by_zarr(path)["rows"][...].tolist()]
        assert rows[:4] == [(0, "")] * 4
        seen.add(rows[4])
    assert seen == {(0, ""), (4, "wider than nothing")}
