"""A store whose parent directory is a group too: it stays the store that it is."""

import json
import os
import pathlib
import tempfile

import h5py
import numpy as np
import pytest

from interpreter import run_once
from places import by_zarr, with_connector

NOBODY, SOMEBODY = 65534, 12345
GROUP = '{"zarr_format": 2}'


def make(path):
    """Paths in a store mean something from its root: hard links, references, soft links."""
    with h5py.File(path, "w") as f:
        f["a/x"] = np.arange(4)
        f["x"] = np.arange(4) + 100
        f["second"] = f["a/x"]
        f["soft"] = h5py.SoftLink("/a/x")
        f["a/x"].attrs["to"] = f["x"].ref
        f["ref"] = np.array([f["x"].ref], h5py.ref_dtype)


def look(path, mode):
    with h5py.File(path, mode) as f:
        if mode == "r+":
            f["new"] = [7]
        return {"names": sorted(f), "second": list(map(int, f["second"])), "soft": list(map(int, f["soft"])),
                "ref": list(map(int, f[f["ref"][0]])), "to": list(map(int, f[f["a/x"].attrs["to"]])), "name": f["a/x"].name}


EXPECTED = {"names": ["a", "ref", "second", "soft", "x"], "second": [0, 1, 2, 3], "soft": [0, 1, 2, 3],
            "ref": [100, 101, 102, 103], "to": [100, 101, 102, 103], "name": "/a/x"}


def enclose(directory):
    """Makes the directory above a group, in which the paths of the store lead to other arrays, and to its copy of
    what is in it."""
    import zarr

    above = zarr.open_group(str(directory), mode="a", zarr_format=2)
    above.create_array("x", data=np.arange(4) - 100)
    above.create_array("a/x", data=np.arange(4) - 200)


@pytest.mark.parametrize("options", ["zarr", "zarr format=3"])
@pytest.mark.parametrize("mode", ["r", "r+"])
def test_the_directory_above_becomes_a_group(tmp_path, mode, options):
    path = tmp_path / "s.zarr"
    status, text = run_once(with_connector(options), make, str(path))
    assert status == 0, text
    enclose(tmp_path)
    expected = {**EXPECTED, "names": sorted(EXPECTED["names"] + ["new"] * (mode == "r+"))}
    assert look(str(path), mode) == expected
    if mode == "r+":
        assert sorted(by_zarr(path)) == [n for n in expected["names"] if n not in ("second", "soft")]


def test_a_copy_of_documents_above_goes_when_the_store_changes(tmp_path, connector):
    import zarr

    path = tmp_path / "s.zarr"
    connector.run(make, str(path))
    enclose(tmp_path)
    zarr.consolidate_metadata(str(tmp_path))
    assert (tmp_path / ".zmetadata").exists()
    look(str(path), "r")
    assert (tmp_path / ".zmetadata").exists()
    look(str(path), "r+")
    assert not (tmp_path / ".zmetadata").exists()
    assert "new" in by_zarr(tmp_path)["s.zarr"]


def consolidated_above(path, mode):
    with h5py.File(path, mode) as f:
        return sorted(f)


def test_a_copy_of_documents_above_is_never_obeyed(tmp_path, connector):
    path = tmp_path / "s.zarr"
    connector.run(make, str(path))
    enclose(tmp_path)
    (tmp_path / ".zmetadata").write_text(json.dumps({"zarr_consolidated_format": 1, "metadata": {
        ".zgroup": {"zarr_format": 2}, "s.zarr/.zgroup": {"zarr_format": 2}, "s.zarr/false/.zgroup": {"zarr_format": 2}}}))
    status, text = run_once(with_connector("zarr consolidated=use"), print_names, str(path))
    assert status == 0 and text.split() == EXPECTED["names"], text


def print_names(path):
    print(*consolidated_above(path, "r"))


@pytest.mark.parametrize("above", [2, 3])
@pytest.mark.parametrize("format", [2, 3])
@pytest.mark.parametrize("what", ["hard", "reference", "attribute"])
def test_paths_in_a_store_of_somebody_elses(tmp_path, connector, what, format, above):
    """What HDF5 programs put into a store that zarr-python made goes on meaning what it meant."""
    import zarr

    path = tmp_path / "theirs.zarr"
    root = zarr.open_group(str(path), mode="w", zarr_format=format)
    root.create_array("x", data=np.arange(4) + 100)
    root.create_group("a").create_array("x", data=np.arange(4))
    connector.run(put_a_path, str(path), what)
    outer = zarr.open_group(str(tmp_path), mode="a", zarr_format=above)
    outer.create_array("x", data=np.arange(4) - 100)
    outer.create_group("a").create_array("x", data=np.arange(4) - 200)
    for mode in ("r", "r+"):
        assert connector.run(follow, str(path), what, mode) == ["/a/x", 0]


def put_a_path(path, what):
    with h5py.File(path, "r+") as f:
        if what == "hard":
            f["hard"] = f["a/x"]
        elif what == "reference":
            f["ref"] = np.array([f["a/x"].ref], h5py.ref_dtype)
        else:
            f["a"].attrs["to"] = f["a/x"].ref


def follow(path, what, mode):
    with h5py.File(path, mode) as f:
        d = f["hard"] if what == "hard" else f[f["ref"][0]] if what == "reference" else f[f["a"].attrs["to"]]
        return [f["a/x"].name if d == f["a/x"] else d.name, int(d[0])]


@pytest.mark.parametrize("format", [2, 3])
def test_a_subgroup_of_an_unmarked_store_finds_its_root(tmp_path, format):
    import zarr

    root = zarr.open_group(str(tmp_path / "theirs.zarr"), mode="w", zarr_format=format)
    root.create_array("up", data=np.arange(3))
    root.create_group("g/h")
    zarr.consolidate_metadata(str(tmp_path / "theirs.zarr"), zarr_format=format)
    with h5py.File(tmp_path / "theirs.zarr" / "g" / "h", "r+") as f, h5py.File(tmp_path / "theirs.zarr", "r+") as above:
        assert h5py.h5o.get_info(f.id).fileno == h5py.h5o.get_info(above.id).fileno
        f["new"] = [5]
        assert list(above["g/h/new"][:]) == [5]
    consolidated = zarr.open_consolidated(str(tmp_path / "theirs.zarr"), zarr_format=format)
    assert list(consolidated["g/h/new"][:]) == [5]


def test_a_store_of_hdmf_is_a_root(tmp_path):
    import zarr

    zarr.open_group(str(tmp_path), mode="a", zarr_format=2)
    root = zarr.open_group(str(tmp_path / "nwb.zarr"), mode="w", zarr_format=2)
    root.attrs[".specloc"] = "specifications"
    root.create_group("specifications")
    with h5py.File(tmp_path / "nwb.zarr", "r") as f:
        assert f.name == "/" and list(f["/"]) == ["specifications"]


# ---- directories of others ----

def theirs(path):
    """An unmarked store."""
    import zarr

    zarr.open_group(str(path), mode="w", zarr_format=2).create_array("x", data=np.arange(4))


def print_look(path):
    for mode in ("r", "r+", "a"):
        with h5py.File(path, mode) as f:
            print(mode, f.name, *f)
            if mode != "r":
                f[mode[0]] = 1
    with h5py.File(path + "2", "w") as f:
        f["x"] = 1
    print("created")


def as_nobody(path):
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    print_look(path)


def chown_tree(path, owner):
    for directory, _, names in os.walk(path):
        for at in [directory, *(os.path.join(directory, name) for name in names)]:
            os.chown(at, owner, owner)


@pytest.fixture
def place():
    """A directory that somebody else can reach: pytest's own is closed to others."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        above = pathlib.Path(directory) / "above"
        above.mkdir()
        yield above
        above.chmod(0o755)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make directories of several owners")
@pytest.mark.parametrize("owner, mode, there", [
    pytest.param(SOMEBODY, 0o1777, True, id="sticky, of another"),
    pytest.param(NOBODY, 0o1777, True, id="sticky, own"),
    pytest.param(NOBODY, 0o1775, True, id="sticky for a group, own"),
    pytest.param(SOMEBODY, 0o777, True, id="open to all, of another"),
    pytest.param(NOBODY, 0o777, True, id="open to all, own"),
    pytest.param(NOBODY, 0o555, False, id="not writable")])
def test_a_group_of_others_above_changes_nothing(place, owner, mode, there):
    """Somebody puts a .zgroup, and a copy of documents that nobody can remove, above the store of somebody else."""
    path = place / "s.zarr"
    theirs(path)
    chown_tree(path, NOBODY)
    (place / ".zgroup").write_text(GROUP)
    (place / ".zmetadata").write_text("{}")
    os.chown(place, owner, owner)
    place.chmod(mode)
    if not there:  # nothing can be created there in any case
        (place / "s.zarr2").mkdir()
        chown_tree(place / "s.zarr2", NOBODY)
    status, text = run_once(with_connector(), as_nobody, str(path))
    assert status == 0, text
    assert text.splitlines()[:3] == ["r / x", "r+ / x", "a / r x"]
    assert (place / ".zmetadata").exists() and text.split()[-1] == "created"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make directories of several owners")
def test_a_directory_is_no_group_because_of_others(place):
    """In a sticky directory that somebody made a group, a directory without documents is none."""
    (place / "data").mkdir()
    (place / "data" / "file").write_text("text")
    chown_tree(place / "data", NOBODY)
    (place / ".zgroup").write_text(GROUP)
    os.chown(place, SOMEBODY, SOMEBODY)
    place.chmod(0o1777)
    with pytest.raises(OSError):
        h5py.File(place / "data", "r")
