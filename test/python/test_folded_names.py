"""Members whose names differ in case only, where the file system does not tell them apart: what native HDF5 has under
each name, and what zarr-python finds in the directories. tmp_path itself tells all names apart."""

import os
import re
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

import folding
import view
from places import by_zarr, with_connector

HASHED = re.compile("%~[0-9a-f]{16}$")
SECOND = "G/A"
GRID = {"chunks": (2,), "maxshape": (None,)}


@pytest.fixture(scope="module", params=folding.KINDS)
def folded(request, tmp_path_factory):
    with folding.place(request.param, tmp_path_factory.mktemp(request.param)) as place:
        yield place


@pytest.fixture
def store(folded, request):
    """A path for a store there, whose name is no other test's."""
    return folded[0] / re.sub(r"\W", "_", request.node.name + ".zarr")


@pytest.fixture
def connector(folded):
    return folded[1][2]


def contents(path):
    with h5py.File(path, "r") as f:
        return view.tree(f)


def by_directories(path):
    """{path: values} as zarr-python has it, without the hashes: {} twice the same would be a lost member."""
    found = {}

    def walk(group, above):
        for name, item in [*group.groups(), *group.arrays()]:
            here = above + HASHED.sub("", name)
            assert here not in found
            if here == SECOND:  # or its directory, once the first name is gone
                continue
            if hasattr(item, "shape"):
                found[here] = np.asarray(item[...]).tolist()
            else:
                found[here] = None
                walk(item, here + "/")

    walk(by_zarr(path), "")
    return found


def by_hdf5(path):
    """The same of a native file, without links and the second name."""
    found = {}

    def walk(group, above):
        for name, item in group.items():
            if isinstance(group.get(name, getlink=True), h5py.HardLink) and above + name != SECOND:
                found[above + name] = item[()].tolist() if isinstance(item, h5py.Dataset) else None
                walk(item if isinstance(item, h5py.Group) else {}, above + name + "/")

    with h5py.File(path, "r") as f:
        walk(f, "")
    return found


def same(connector, store, native, *works):
    """Each work in a session of its own; after each all is as in the native file, for zarr-python as well."""
    for i, work in enumerate(works):
        mode = "r+" if i else "w"
        ours = connector.run(do, str(store), mode, work.__name__)
        assert ours == do(native, mode, work.__name__), work.__name__
        assert connector.run(contents, str(store)) == contents(native), work.__name__
        assert by_directories(store) == by_hdf5(native), work.__name__


def do(path, mode, name):
    """What the work returns, and what the file shows before it is closed."""
    with h5py.File(path, mode) as f:
        return view.plain(globals()[name](f)), view.tree(f)


def create(f):
    f.create_dataset("A", data=np.arange(5), **GRID)
    f.create_dataset("a", data=np.arange(10, 13.0), **GRID)
    f.create_dataset("g/Deep/x", data=1)
    f["G/dEEP/X"] = 2
    f["G/Deep/X"] = 3
    f["G/Deep/x"] = 4
    for name in ("A", "a", "g", "G", "G/dEEP", "G/Deep"):
        f[name].attrs["name"] = name
    return "b" in f, "g/deep" in f, sorted(f), sorted(f["G"])


def add(f):
    f.create_dataset("aB", data=[1, 2, 3], **GRID)
    f.flush()
    f.create_dataset("Ab", data=[4, 5, 6], **GRID)
    f["Ab"].id.flush() if hasattr(f["Ab"].id, "flush") else None
    f.create_dataset("AB", data=[7, 8, 9], **GRID)
    f["ab"] = h5py.SoftLink("/AB")
    f[SECOND] = f["A"]
    f["refs"] = 0
    f["refs"].attrs.create("to", [f[name].ref for name in ("A", "a", "Ab", "AB", "aB")], dtype=h5py.ref_dtype)
    return [f[ref].name for ref in f["refs"].attrs["to"]], f["ab"][()]


def change(f):
    f["a"].resize((7,))
    f["a"][5:] = 9
    f["A"].resize((2,))
    f["aB"][1] = -1
    f["G/Deep/x"].attrs["more"] = "yes"
    f["Ab"][...] = 0
    return f["A"][()], f["a"][()], [f[ref].name for ref in f["refs"].attrs["to"]]


def move(f):
    f.move("aB", "ab2")
    f.move("A", "B")
    f.move("a", "A")
    f.move("B", "a")
    f.move("g", "G/g")
    f.move("G/dEEP", "G/deep")
    f["new"] = [1, 2]
    f.move("new", "NEW")
    f["NEw"] = 4
    f["again"] = 1
    f.flush()
    f.move("again", "AGAIN")
    return [f[ref].name for ref in f["refs"].attrs["to"]], sorted(f), sorted(f["G"])


def copy(f):
    f.copy("G", "Copy")
    f.copy("G/Deep", "copy")
    f.copy("A", "COPY")
    nameless = f.create_group(None)
    nameless["Y"], nameless["y"] = [1], [2]
    f["no"] = nameless
    f.create_group("NO")["y"] = 3
    return sorted(f), sorted(f["Copy/Deep"]), f["no/Y"][()], f["no/y"][()]


def delete(f):
    del f["a"]
    del f["G/Deep"]
    held = f["Ab"]
    del f["Ab"]
    f["Ab"] = 12
    del f["Copy"]
    f["cOPY"] = 11
    return f["A"][()], held[()], sorted(f), sorted(f["G"])


@pytest.mark.parametrize("format", [2, 3])
def test_members_that_differ_in_case(tmp_path, store, folded, format):
    same(folded[1][format], store, tmp_path / "native.h5", create, add, change, move, copy, delete)
    left = [name for _, directories, files in os.walk(store) for name in directories + files if "partial" in name]
    assert not left


def test_a_name_in_another_case_is_not_there(store, connector):
    connector.run(do, str(store), "w", "create")
    assert connector.run(other_cases, str(store)) == [False, False, False, "KeyError"]
    assert connector.run(other_cases, str(store), "r+") == [False, False, False, "KeyError"]


def other_cases(path, mode="r"):
    with h5py.File(path, mode) as f:
        told = ["aa" in f, "g/deep" in f, "g/DEEP/x" in f]
        try:
            del f["g/deep"]
        except KeyError as error:
            return told + [type(error).__name__]
        except Exception as error:
            return told + ["KeyError" if mode == "r" else type(error).__name__]


def wide_names(f):
    for i, name in enumerate(WIDE):
        f[name] = [i]
        f[name].attrs["i"] = i
    return sorted(f)


WIDE = ["\u00e9", "e\u0301", "\u00c9", "ss", "\u00df", "k", "\u212a", "K", "\u03c3", "\u03c2", "\u03a3"]


def test_names_that_unicode_folds(tmp_path, store, connector):
    """Composed and not, letters that are two in another case: whatever the file system takes for the same."""
    same(connector, store, tmp_path / "native.h5", wide_names)


def one_more(path, ready, go_on):
    """Knows what is there from before somebody else wrote."""
    with h5py.File(path, "r+") as f:
        list(f)
        open(ready, "w").close()
        while not os.path.exists(go_on):
            pass
        f["a"] = [4, 5, 6]
        f["b"] = [7]
        f.flush()
        return f["a"][()].tolist(), f["b"][()].tolist()


def one_meanwhile(path):
    with h5py.File(path, "r+") as f:
        f["A"] = np.arange(2.5)


def test_what_another_process_made_meanwhile_stays(tmp_path, store, connector):
    connector.run(do, str(store), "w", "create_nothing")
    code = ("import sys; sys.path.insert(0, sys.argv[1]); import test_folded_names as t; "
            "print(t.one_more(*sys.argv[2:]))")
    ready, go_on = tmp_path / "ready", tmp_path / "go"
    other = subprocess.Popen([sys.executable, "-c", code, str(folding.HERE), str(store), str(ready), str(go_on)],
                             env=connector.environment, stdout=subprocess.PIPE, text=True)
    while not ready.exists():
        assert other.poll() is None
        time.sleep(0.01)
    connector.run(one_meanwhile, str(store))
    go_on.touch()
    said, _ = other.communicate(timeout=60)
    assert (other.returncode, said.strip()) == (0, "([4, 5, 6], [7])")
    assert by_directories(store) == {"A": [0, 1, 2], "a": [4, 5, 6], "b": [7]}
    assert {name: item["value"] for name, item in connector.run(contents, str(store)).items() if name != "/"}.keys() == {"A", "a", "b"}


def create_nothing(f):
    pass


def flush_one(path):
    """One dataset is flushed, and the process ends."""
    f = h5py.File(path, "r+")
    f["X"] = [1, 2]
    f["x"] = [3, 4]
    f["X"].id.flush() if hasattr(f["X"].id, "flush") else f.flush()
    f["x"].id.flush() if hasattr(f["x"].id, "flush") else f.flush()
    os._exit(0)


def test_what_was_flushed_of_both_is_there_after_a_kill(store, connector, folded):
    connector.run(do, str(store), "w", "create_nothing")
    code = "import sys; sys.path.insert(0, sys.argv[1]); import test_folded_names as t; t.flush_one(sys.argv[2])"
    subprocess.run([sys.executable, "-c", code, str(folding.HERE), str(store)], env=connector.environment, check=True)
    assert by_directories(store) == {"X": [1, 2], "x": [3, 4]}
