"""hdmf-zarr's links: the attribute zarr_link of groups, as its versions wrote it, and as stores of ours have it."""

import json
import os
import pathlib
import shutil

import h5py
import numpy as np
import pytest
import zarr

from places import unpacked


def entries(store, group=""):
    """{name: (source, path)} of a group's attribute."""
    path = pathlib.Path(store) / group / ".zattrs"
    found = json.loads(path.read_text()).get("zarr_link", []) if path.exists() else []
    for entry in found:
        assert set(entry) >= {"name", "source", "path"}
    return {entry["name"]: (entry["source"], entry["path"]) for entry in found}


def resolved(store, source, path):
    """Where hdmf-zarr looks: the node's directory."""
    return pathlib.Path(os.path.normpath(pathlib.Path(store) / source)) / path.lstrip("/")


# ---- stores of hdmf-zarr ----


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    return unpacked("hdmf-zarr/hdmf-zarr-0.7-stores.tar.gz", tmp_path_factory.mktemp("stores"))


def test_links_in_stores_of_hdmf_zarr(stores):
    seen = 0
    for attributes in stores.rglob(".zattrs"):
        store = stores / attributes.relative_to(stores).parts[0]
        group = attributes.parent.relative_to(store)
        for name, (source, path) in entries(store, group).items():
            with h5py.File(store, "r") as f:
                link = f[str(group)].get(name, getlink=True)
                assert isinstance(link, h5py.SoftLink) and (source, link.path) == (".", path)
                assert f[str(group)][name] == f[path]
                assert name in list(f[str(group)])
            seen += 1
    assert seen > 10


def change(path, group, name):
    with h5py.File(path, "r+") as f:
        f[group].attrs["touched"] = 1
        f.create_group("new")
        del f[f[group].get(name, getlink=True).path]


def test_writing_into_one_keeps_what_leads_somewhere(stores, tmp_path, connector):
    """The convention forbids links that lead nowhere, HDF5 does not: they stay in our own annotation."""
    store = tmp_path / "o1.zarr"
    shutil.copytree(stores / "o1.zarr", store)
    group, text = "general/extracellular_ephys/shank0", (store / "acquisition/ts/.zattrs").read_text()
    before = entries(store, "acquisition/ts")
    connector.run(change, str(store), group, "device")
    assert (store / "acquisition/ts/.zattrs").read_text() == text and before
    assert entries(store, group) == {}
    with h5py.File(store, "r") as f:
        assert f[group].get("device", getlink=True).path == "/general/devices/probe"
        assert "device" in f[group].keys()
        with pytest.raises(KeyError):
            f[group]["device"]


# ---- what a source means ----


def store_with_link(path, length, source=".", target="/g/d"):
    """By zarr-python, with an entry as some version of hdmf-zarr wrote it."""
    root = zarr.open_group(path, mode="w", zarr_format=2)
    root.create_group("g").create_array("d", data=np.arange(length))
    entry = {"name": "l", "source": source, "path": target}
    root.create_group("links").attrs["zarr_link"] = [{key: value for key, value in entry.items() if value != "absent"}]


SOURCES = {
    "this store": (".", "/g/d", 3),
    "empty": ("", "/g/d", 3),
    "null": (None, "/g/d", 3),
    "none": ("absent", "/g/d", 3),
    "without a slash": (".", "g/d", 3),
    "name of the store (0.10)": ("here.zarr", "/g/d", 3),
    "path to the store": ("../here.zarr", "/g/d", 3),
    "another store": ("../there.zarr", "/g/d", 7),
    "another store, from beside (0.10)": ("there.zarr", "/g/d", 7),
    "another store, absolute": ("{}/there.zarr", "/g/d", 7),
    "this store, absolute (0.1)": ("{}/here.zarr", "/g/d", 3),
    "the store was moved": ("{}/old/here.zarr", "/g/d", 3),
    "the store was renamed": ("old.zarr", "/g/d", 3),
    "the store was moved, with its surroundings": ("../../../old/here.zarr", "/g/d", 3),
    "another store, farther away": ("../../far/there.zarr", "/g/d", 7),
    "gone": ("../gone.zarr", "/no/d", None),
}


# Nobody looks there until the link is followed, so they show as external links.
FAR = {case for case, (source, _, _) in SOURCES.items() if source and ("{}/old" in source or "../../" in source)}


@pytest.mark.parametrize("case", SOURCES)
def test_source(case, tmp_path):
    source, target, length = SOURCES[case]
    store_with_link(tmp_path / "far" / "there.zarr", 7)
    tmp_path = tmp_path / "near"
    source = source.format(tmp_path) if isinstance(source, str) else source
    store_with_link(tmp_path / "here.zarr", 3, source, target)
    store_with_link(tmp_path / "there.zarr", 7)
    with h5py.File(tmp_path / "here.zarr", "r") as f:
        assert list(f["links"]) == ["l"]
        link = f["links"].get("l", getlink=True)
        far = case in FAR
        assert isinstance(link, h5py.SoftLink if length == 3 and not far else h5py.ExternalLink)
        if length:
            assert f["links/l"].shape == (length,)
        if length == 3 and far:  # now that it was followed, it is known
            assert f["links"].get("l", getlink=True).path == target


# ---- stores of ours ----


def make(where):
    with h5py.File(f"{where}/far.zarr", "w") as f:
        f["x/y"] = 1.5
    with h5py.File(f"{where}/own.zarr", "w") as f:
        f["a/b/d"] = [1, 2, 3]
        g = f.create_group("links")
        g["absolute"] = h5py.SoftLink("/a/b/d")
        f["a/relative"] = h5py.SoftLink("b/d")
        g["group"] = h5py.SoftLink("/a/b")
        g["dangling"] = h5py.SoftLink("/nowhere")
        g["through"] = h5py.SoftLink("/links/group/d")
        g["second"] = f["a/b/d"]
        g["external"] = h5py.ExternalLink("far.zarr", "/x/y")
        g["lost"] = h5py.ExternalLink("lost.zarr", "/x/y")


def test_what_we_write(tmp_path, connector):
    connector.run(make, str(tmp_path))
    store = tmp_path / "own.zarr"
    assert entries(store, "links") == {"absolute": (".", "/a/b/d"), "group": (".", "/a/b"), "second": (".", "/a/b/d"),
                                       "external": ("../far.zarr", "/x/y")}
    assert entries(store, "a") == {"relative": (".", "/a/b/d")}
    for source, path in [*entries(store, "links").values(), *entries(store, "a").values()]:
        node = resolved(store, source, path)
        assert (node / ".zarray").exists() or (node / ".zgroup").exists()


def edit(path, what):
    with h5py.File(path, "r+") as f:
        if what == "delete":
            del f["a/b/d"]
        elif what == "delete above":
            del f["a"]
        elif what == "move above":
            f.move("a", "z")
        elif what == "replace by a link":
            del f["a/b"]
            f["a/b"] = h5py.SoftLink("/links")


LEFT = {"delete": {"group"}, "delete above": set(), "move above": {"second"}, "replace by a link": set()}


@pytest.mark.parametrize("what", LEFT)
def test_no_entry_stays_whose_target_is_gone(what, tmp_path, connector):
    """Of groups, too, that the program that deleted never looked at: hdmf-zarr gives up a file with one such entry."""
    connector.run(make, str(tmp_path))
    store = tmp_path / "own.zarr"
    connector.run(edit, str(store), what)
    in_links = entries(store, "links")
    in_links.pop("external")
    for name, (source, path) in in_links.items():
        node = resolved(store, source, path)
        assert (node / ".zarray").exists() or (node / ".zgroup").exists(), name
    with h5py.File(store, "r") as f:
        assert sorted(f["links"]) == ["absolute", "dangling", "external", "group", "lost", "second", "through"]
        assert f["links"].get("absolute", getlink=True).path == "/a/b/d"
        assert f["links/second"][:].tolist() == [1, 2, 3]  # the object lives on under this name
    assert set(in_links) == LEFT[what]


def listed(path):
    """All that a listing program asks for."""
    with h5py.File(path, "r") as f:
        names = []
        f.visit(names.append)
        f.visit_links(names.append)
        links = f["links"]
        return names, sorted(links), [type(links.get(name, getlink=True)).__name__ for name in links], "l" in links.keys()


@pytest.mark.parametrize("source", ["{}/there.zarr", "../../far/there.zarr", "{}/there.zarr/"])
def test_listing_looks_at_nothing_far_away(tmp_path, source):
    """inotify tells whether anything there is opened."""
    import ctypes

    store_with_link(tmp_path / "near" / "here.zarr", 3, source.format(tmp_path / "far"))
    far = tmp_path / "far" / "there.zarr"
    zarr.open_group(far, mode="w", zarr_format=3).create_group("g").create_array("d", data=np.arange(7))
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_NONBLOCK)
    opened = 0x20
    assert watch >= 0 and libc.inotify_add_watch(watch, str(far).encode(), opened) >= 0
    try:
        assert "ExternalLink" in listed(tmp_path / "near" / "here.zarr")[2]
        with pytest.raises(BlockingIOError):
            os.read(watch, 4096)
        with h5py.File(tmp_path / "near" / "here.zarr", "r") as f:
            assert f["links/l"].shape == (7,)
        assert os.read(watch, 4096)
    finally:
        os.close(watch)
