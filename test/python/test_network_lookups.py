"""File systems that remember what was not there (NFS; remembering.c plays one): a reader that refreshes, or opens the
store anew, has what zarr-python wrote meanwhile, not fill."""

import ctypes
import os
import pathlib
import shutil
import subprocess

import h5py
import pytest
import zarr

import interpreter
from places import with_connector

HERE = pathlib.Path(__file__).parent
OPEN = {}
FORMS = {
    "dots": {"zarr_format": 2, "chunks": (1, 2)},
    "directories": {"zarr_format": 2, "chunks": (1, 2), "chunk_key_encoding": {"name": "v2", "separator": "/"}},
    "v3": {"zarr_format": 3, "chunks": (1, 2)},
    "shards": {"zarr_format": 3, "chunks": (1, 2), "shards": (2, 4)},
}


@pytest.fixture(scope="module")
def remembering(tmp_path_factory):
    where = tmp_path_factory.mktemp("remembering")
    if not shutil.which(os.environ.get("CC", "cc")):
        pytest.skip("no C compiler here")
    command = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", str(where / "remembering.so"), str(HERE / "remembering.c"), "-ldl"]
    subprocess.run(command, check=True)
    loaded = " ".join(filter(None, [os.environ.get("LD_PRELOAD"), str(where / "remembering.so")]))
    reader = interpreter.Interpreter(with_connector(LD_PRELOAD=loaded, REMEMBERING_ROOT=str(where / "stores")))
    (where / "stores").mkdir()
    yield where / "stores", reader
    reader.stop()


def make(path, form):
    group = zarr.open_group(path, mode="w", zarr_format=FORMS[form]["zarr_format"])
    array = group.create_array("a", shape=(2, 8), dtype="i4", fill_value=-1, **{k: v for k, v in FORMS[form].items() if k != "zarr_format"})
    array[0, :2] = 1
    return array


def look(path, options):
    """What is there first; the reader keeps the file open."""
    f = OPEN["f"] = h5py.File(path, "r", **options)
    OPEN["a"] = f["a"]
    return f["a"][...].tolist(), dict(f["a"].attrs)


def look_again():
    before = asked()
    OPEN["a"].refresh()
    return OPEN["a"][...].tolist(), {name: int(value) for name, value in OPEN["a"].attrs.items()}, asked() - before


def look_anew(path):
    OPEN.pop("a", None)
    OPEN.pop("f").close()
    with h5py.File(path, "r") as f:
        return f["a"][...].tolist()


def asked():
    count = ctypes.CDLL(None).remembering_asked
    count.restype = ctypes.c_long
    return count()


@pytest.mark.parametrize("swmr", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_a_refresh_finds_what_was_missing(remembering, form, swmr):
    where, reader = remembering
    path = where / f"{form}{swmr}.zarr"
    array = make(path, form)
    first, attributes = reader.run(look, str(path), {"swmr": swmr})
    assert first == array[...].tolist() and attributes == {}
    array[:, 4:6] = 2
    array.attrs["more"] = 3
    second, attributes, answered = reader.run(look_again)
    assert second == array[...].tolist() and attributes == {"more": 3}
    assert answered > 0, "nothing was remembered, so nothing was tested"
    array.resize((4, 8))
    array[1:, 6:] = 4
    third, _, _ = reader.run(look_again)
    assert third == array[...].tolist()
    array[0, 2:4] = 5
    assert reader.run(look_anew, str(path)) == array[...].tolist()


def test_a_group_that_is_refreshed_finds_new_members(remembering):
    where, reader = remembering
    path = where / "group.zarr"
    make(path, "dots")
    assert reader.run(members, str(path)) == ["a"]
    zarr.open_group(path, mode="r+").create_array("g/b", shape=(1,), dtype="i4")[:] = 6
    assert reader.run(members_again) == ["a", "g", "g/b", 6]


def members(path):
    f = OPEN["f"] = h5py.File(path, "r")
    return [*f, *(["g"] if "g" in f else [])]


def members_again():
    f = OPEN["f"]
    from h5py import h5o

    h5o.refresh(f.id) if hasattr(h5o, "refresh") else reopen(f.filename)
    f = OPEN["f"]
    return [*f, "g/b", int(f["g/b"][0])]


def reopen(path):
    OPEN["f"].close()
    OPEN["f"] = h5py.File(path, "r")
