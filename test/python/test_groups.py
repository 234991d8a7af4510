"""Groups, links and files: each case does on a store what it does on a native file."""

import h5py
import numpy as np
import pytest

import alike
from alike import outcome

pytestmark = pytest.mark.filterwarnings("ignore")
NAMES = ["ünï", "with space", "a.b", "%2F", "c", "0.0", "..x", ".hidden", "x" * 240, "zarr", "tab\there", '"quoted"', "*?", "~", "UPPER", "upper", "back\\slash",
         ".zarray", ".zgroup", ".zattrs", "zarr.json", ".zmetadata", "_HDF5", "a" * 255, "日本語", "x.partial", "-", "con"]


def creating(f):
    f.create_group("a/b/c")
    f["a"].create_group("/absolute/path")
    f["a/b"].create_group("d")
    return [list(f[g]) for g in ("/", "a", "a/b", "absolute")], f["a/b/c"].name, f["a/b/c"].parent.name, outcome(lambda: f.create_group("a")), \
        outcome(lambda: f.create_group("a/b")), f.require_group("a/b") == f["a/b"], f.require_group("new/one").name


def odd_names(f):
    for i, name in enumerate(NAMES):
        f[name] = i
    g = f.create_group("groups")
    for name in NAMES:
        g.create_group(name).attrs["name"] = name
    return list(f), [f[n][()] for n in NAMES], [g[n].name for n in NAMES], [n in f for n in NAMES], [f[n].attrs["name"] for n in map("groups/".__add__, NAMES)]


def paths(f):
    f["a/b/x"] = 5
    return [outcome(lambda: f[p].name) for p in ("a//b", "/a/b/x", "a/./b", "./a", "a/b/", "a/../a", "", "/", ".", "a/b/x/y", "no/where")], \
        [p in f for p in ("a//b", "a/./b", "a/b/", "a/b/no", "a/b/x/y", "//")], f["a"]["b"]["/a"].name


def deleting(f):
    f["a/b/x"] = np.arange(1000)
    f["a/c"] = 1
    del f["a/b"]
    seen = list(f["a"]), "a/b" in f, outcome(lambda: f["a/b/x"])
    f["a/b"] = 3
    del f["a"]
    return seen, list(f), outcome(lambda: f.__delitem__("a")), outcome(lambda: f.__delitem__("/"))


def clearing(f):
    for i in range(5):
        f[f"g{i}/x"] = i
    f.clear()
    return list(f), len(f)


def popping(f):
    f["a"], f["b"] = 1, 2
    return f.pop("a")[()], list(f), outcome(lambda: f.pop("a")), f.pop("a", None), f.setdefault("b", 5)[()]


def moving(f):
    f["a/x"] = np.arange(10)
    f["a/x"].attrs["k"] = "v"
    f["a/g/deep"] = 7
    f.move("a/x", "a/y")
    f.move("a/g", "other/place")
    f["a"].move("y", "/top")
    return list(f), list(f["a"]), f["top"][...], f["top"].attrs["k"], f["other/place/deep"][()], outcome(lambda: f.move("none", "x")), \
        outcome(lambda: f.move("top", "other"))


def moving_open_objects(f):
    g = f.create_group("g")
    d = g.create_dataset("d", data=[1, 2, 3])
    f.move("g", "h")
    d[0] = 9
    d.attrs["after"] = 1
    g.create_group("new")
    return f["h/d"][...], list(f["h"]), d.attrs["after"], list(g), d == f["h/d"]


def renaming_by_hard_link(f):
    f["_X"] = np.arange(6)
    f["X"] = [0]
    del f["X"]
    f["X"] = f["_X"]
    del f["_X"]
    return list(f), f["X"][...]


def hard_link_of_a_group(f):
    f["g/x"] = 5
    f["h"] = f["g"]
    del f["g"]
    return list(f), f["h/x"][()], f["h"].name


def reusing_names(f):
    for i in range(4):
        f["x"] = np.full(3, i)
        f["x"].attrs["i"] = i
        f.create_group("y")["z"] = i
        if i < 3:
            del f["x"], f["y"]
    return f["x"][...], dict(f["x"].attrs), f["y/z"][()]


def dataset_becomes_group(f):
    f["n"] = np.arange(100)
    del f["n"]
    f["n/inner"] = 1
    del f["n"]
    f["n"] = 2.5
    return f["n"][()], list(f)


def ordered(f):
    g = f.create_group("g", track_order=True)
    for name in ("z", "a", "m"):
        g[name] = 1
    g.create_group("b")
    del g["a"]
    g["a"] = 2
    g.move("z", "y")
    return list(g), list(reversed(g)), list(g.items()) == [(n, g[n]) for n in g], g.id.get_create_plist().get_link_creation_order()


def visiting(f):
    for name in ("b/y/z", "a/x", "b/w"):
        f[name] = 1
    seen = []
    f.visit(seen.append)
    f.visititems(lambda name, item: seen.append((name, item.name)))
    f["b"].visititems(lambda name, item: seen.append(name))
    return seen, f.visit(lambda n: n if n.endswith("w") else None), f.visititems(lambda n, o: o if n == "a" else None)


def deleting_while_listing(f):
    for i in range(30):
        f[f"x{i:02}"] = i
    for name in list(f):
        if int(name[1:]) % 2:
            del f[name]
    return list(f), len(f), [f[n][()] for n in f]


def handles_of_deleted_objects(f):
    g = f.create_group("g")
    d = g.create_dataset("d", data=[1])
    del f["g"]
    return list(g), d[...], bool(g), bool(d), list(f), g == f.create_group("g")


def kinds(f):
    f["d"] = 1
    f.create_group("g")
    return [f.get(n, getclass=True).__name__ for n in "dg"], [type(f.get(n, getlink=True)).__name__ for n in "dg"], \
        [h5py.h5o.get_info(f[n].id).type for n in "dg"], f.get("x"), f.get("x", 1), f.get("x", 2, getclass=True), f.get("x", 3, getlink=True)


def references(f):
    f["a/d"] = np.arange(5)
    d, g = f["a/d"].ref, f["a"].ref
    f.move("a/d", "e")
    return f[d].name, f[g].name, f[d][...], f[d] == f["e"], bool(h5py.Reference()), d == f["e"].ref


def many(f):
    g = f.create_group("g")
    for i in range(400):
        g[f"n{i}"] = i
    return len(g), sum(g[n][()] for n in g), list(g)[:5]


def deep(f):
    path = "/".join(f"d{i}" for i in range(60))
    f[path] = 1
    seen = []
    f.visit(seen.append)
    return len(seen), seen[-1], f[path].name


def properties(f):
    g = f.create_group("g")
    return f.name, f.mode, f.driver, f.id.valid, g.file == f, bool(f), f.filename == g.file.filename, f == g.file, f["/"] == f["g"].parent, \
        f.userblock_size, f.swmr_mode, f.id.get_intent()


def closed(f):
    g = f.create_group("g")
    d = g.create_dataset("d", data=[1])
    g.id.close()
    return bool(g), outcome(lambda: list(g)), d[...], d.name, f["g"].name


def unsupported_is_an_error(f):
    f["x"] = 1
    return outcome(lambda: f["no"]), outcome(lambda: f.create_group("x/y")), outcome(lambda: f["x"]["y"])


def visiting_from_within(f):
    """The group that a visit begins in is below itself: it is not gone through again."""
    g = f.create_group("g")
    g["d"], g["up"], f["e"] = 1, f["/"], 2
    seen, links, twice = [], [], []
    g.visit(seen.append)
    g.id.links.visit(lambda name: links.append(name))
    f["other"] = g
    g.visit(twice.append)
    return seen, links, twice


def orders_on_the_way(f):
    """Groups that are made on the way to a group track the order of attributes as that one does, of links as the one above."""
    def orders(path):
        plist = f[path].id.get_create_plist()
        return plist.get_link_creation_order(), plist.get_attr_creation_order()
    f.create_group("a/b/c", track_order=True)
    f.create_group("d/e/f", track_order=False)
    f.create_group("a/b/c/g/h", track_order=True)
    f.create_dataset("a/b/c/i/j", data=1, track_order=True)
    for name in ("z", "x", "y"):
        f["a/b"].attrs[name] = 1
    return [orders(path) for path in ("/", "a", "a/b", "a/b/c", "d", "d/e", "a/b/c/g", "a/b/c/i")], list(f["a/b"].attrs)


def through_itself(f):
    """A path that leaves the file by an external link, and is in the same one again."""
    f.create_group("g")
    f["d"] = [1, 2]
    f["out"] = h5py.ExternalLink(f.filename, "/")
    f["out/g/hard"] = f["d"]
    nameless = f.create_dataset(None, data=[3])
    f["out/named"] = nameless
    h5py.h5o.link(f["d"].id, f.id, b"out/g/again")
    same = f["g/hard"] == f["d"] == f["g/again"], f["named"] == nameless, list(f), list(f["g"])
    with h5py.File(f.filename + "2", "w") as other:
        other.create_group("g")
    f["far"] = h5py.ExternalLink(f.filename + "2", "/")
    refused = outcome(lambda: f.__setitem__("far/g/x", f["d"]))[:2]
    del f["out"], f["far"]
    return same, refused


def refused_types(f):
    """A type that cannot be committed leaves no groups on the way."""
    refused = outcome(lambda: f.__setitem__("a/b", h5py.regionref_dtype))[:2]
    left = list(f)
    f["a/b"] = np.dtype("i4")
    left.append(f["a/b"].dtype == np.dtype("i4"))
    del f["a"]  # zarr-python has no types
    return refused, left


def count(f, *paths):
    return [h5py.h5o.get_info(f[path].id).rc for path in paths]


def users_where_others_were(f):
    """A committed datatype counts what was made with it, also where another user was that moved away."""
    f["t"] = np.dtype("u2")
    f.create_dataset("a/d", (3,), f["t"])
    f.flush()
    f.move("a", "c")
    f.create_dataset("a/d", (3,), f["t"])
    f.create_dataset("a/n", (3,), f["t"])
    counts = count(f, "t")
    f.move("a/n", "m")
    del f["c/d"]
    counts += count(f, "t")
    del f["t"], f["a"], f["c"], f["m"]  # zarr-python has no types
    return counts


def types_copied_with_attributes_of_their_own(f):
    """The copy of a type whose attribute has that type uses the copy, whatever name was copied."""
    f["t"] = np.dtype("f2")
    f["again"] = f["t"]
    f["root"] = f["/"]
    f["t"].attrs.create("c", [1, 2], (2,), f["t"])
    counts = []
    for source, target in (("t", "x"), ("again", "y"), ("root/t", "z"), ("root", "g"), ("/", "h")):
        f.copy(source, target, shallow=True)
        counts += count(f, "t", target if source[-1:] == "t" or source == "again" else target + "/t")
    names = list(f)
    for name in names:
        del f[name]
    return counts, names


CASES = {case.__name__.replace("_", " "): case for case in (
    creating, paths, deleting, clearing, popping, moving, moving_open_objects, renaming_by_hard_link, hard_link_of_a_group, reusing_names,
    dataset_becomes_group, ordered, visiting, deleting_while_listing, handles_of_deleted_objects, kinds, references, many, deep, properties,
    closed, unsupported_is_an_error, visiting_from_within, orders_on_the_way, through_itself, refused_types,
    users_where_others_were, types_copied_with_attributes_of_their_own)}


@pytest.mark.parametrize("name", CASES)
def test_as_on_a_native_file(name, connector, tmp_path):
    alike.compare(connector, tmp_path, __name__, name)


def named(path):
    with h5py.File(path, "w") as f:
        first = odd_names(f)
    with h5py.File(path, "r") as f:
        return first, list(f), [f[n][()] for n in NAMES], [f["groups"][n].attrs["name"] for n in NAMES]


def test_names_that_a_store_cannot_hold(connector, tmp_path):
    """zarr-python does not see all of these by their own name, h5py must."""
    assert connector.run(named, str(tmp_path / "s.zarr")) == named(tmp_path / "n.h5")


def test_links_that_change_while_they_are_met(tmp_path, connector):
    """What the operator deletes or moves is not met, what it makes anew under a name that was there is, and nothing else."""
    assert connector.run(change_while_met, str(tmp_path / "s.zarr")) == ["a", "d", "e", "g"]


def change_while_met(path):
    met = []

    def meet(name, info):
        met.append(name := name.decode())
        if name == "a":
            del f["b"]
            f.move("c", "cc")
        if name == "d":
            del f["e"]
            f["e"] = 1
            f["f2"] = 1
            del f["f"]

    with h5py.File(path, "w") as f:
        for name in "abcdefg":
            f.create_group(name)
        f.id.links.iterate(meet, info=True)
        assert list(f) == ["a", "cc", "d", "e", "f2", "g"]
    return met
