"""What objects are called: by the path they were opened by, which follows moves. The judge is the same on a native file."""

import pathlib

import h5py
import numpy as np
import pytest


def name(thing):
    """Of an object, and of its parent if there is one."""
    if thing.name is None:
        return None
    try:
        return thing.name, thing.parent.name
    except (KeyError, ValueError, RuntimeError) as error:
        return thing.name, type(error).__name__


def names(*things):
    return [name(thing) for thing in things]


def fill(f):
    f["g/h/d"] = [1, 2]
    f["g/h/t"] = np.dtype("i4")
    f["again"] = f["g/h"]
    f["soft"] = h5py.SoftLink("/g/h")
    f["g/relative"] = h5py.SoftLink("h/d")
    f["soft2"] = h5py.SoftLink("soft/d")
    f["self"] = f["/"]
    f["external"] = h5py.ExternalLink("other", "/far/x")
    f["g"].attrs["a"] = 1


def plain(f):
    g = f["g"]
    return names(f, f["/"], g, g["h"], g["/g/h"], f["g//h/./d"], f["g/h/"], g["h/d"], f["."], g["."], g["h/t"])


def ways(f):
    """Second names, soft links, cycles."""
    soft, again = f["soft"], f["again"]
    return names(soft, again, soft["d"], again["d"], f["soft/d"], f["again/t"], f["g/relative"], f["soft2"], f["self/self/g/h"],
                 f["self"]["soft"], f["self/soft/d"], f["soft"]["/g"])


def external(f):
    far = f["external"]
    return names(far, far["y"], f["external/y"], far["soft"], far["/far"]), pathlib.Path(far.file.filename).name


def of_members(f):
    return names(*f["soft"].values(), *f["again"].values())


def made(f):
    s = f["soft"]
    d, g = s.create_dataset("new", data=1), s.create_group("p/q")
    r = f.require_group("again/p")
    anonymous = f.create_dataset(None, data=3)
    before = name(anonymous)
    f["again/named"] = anonymous
    f["second name"] = anonymous
    nameless = f.create_group(None)
    inside = nameless.create_group("inside")
    return names(d, g, r, anonymous, nameless, inside), before


def moved(f):
    d, again, soft, through = f["g/h/d"], f["again/d"], f["soft"], f["soft/d"]
    said = []
    for a, b in [("g/h/d", "g/h/e"), ("soft", "softer"), ("g/h/e", "e"), ("e", "g/h/d")]:
        f.move(a, b)
        said.append(names(d, again, soft, through))
    return said


def moved_groups(f):
    """Native follows the group itself, and not what is below it: that is left out here."""
    g, h, again = f["g"], f["g/h"], f["again"]
    said = []
    for a, b in [("g/h", "g/deeper/inside"), ("g", "top"), ("top/deeper/inside", "g"), ("again", "still"), ("g", "again")]:
        f.create_group("g/deeper") if b.startswith("g/deeper") else None
        f.move(a, b)
        said.append(names(g, h, again))
    return said


def moved_by_group(f):
    h, d = f["g/h"], f["soft/d"]
    h.move("d", "e")
    first = names(d, h["e"])
    f["soft"].move("e", "/far")
    return first, names(d, f["far"])


def deleted(f):
    d, again, soft, h = f["g/h/d"], f["again/d"], f["soft"], f["g/h"]
    said = []
    for path in ("soft", "g/h", "again/d", "again"):
        del f[path]
        said.append(names(soft, h, again) + ([d[()].tolist()] if path != "g/h" else []))
    return said


def put_in_its_place(f):
    d = f["g/h/d"]
    del f["g/h/d"]
    f["g/h/d"] = 5
    return names(d, f["g/h/d"])


def referenced(f):
    ref = f["soft/d"].ref
    opened = f[ref]
    f["none"] = f.create_dataset(None, data=1)
    return names(opened, f[f["g"].ref], f[f["/"].ref])


def by_attribute(f):
    f["soft"].attrs["b"] = 2
    return [h5py.h5i.get_name(h5py.h5a.open(f[path].id, key)) for path, key in (("g", b"a"), ("soft", b"b"), ("again", b"b"))]


def visited(f):
    seen = []
    f["again"].visititems(lambda path, item: seen.append((path, item.name)))
    f["soft"].visititems_links(lambda path, link: seen.append(path))
    return seen


def mounted(f):
    said = []
    with h5py.File(f.filename + "-child", "w") as child:
        child.create_group("c/d")  # groups: see moved_groups
        f.create_group("point/below")
        point, below, inside = f["point"], f["point/below"], child["c/d"]
        h5py.h5f.mount(f.id, b"point", child.id)
        through, deep = f["point/c"], f["point"]["c/d"]
        everything = point, below, inside, through, deep
        said.append(names(*everything))
        f.move("point", "elsewhere")
        said.append(names(*everything))
        f.move("elsewhere", "point")
        f.move("point/c/d", "point/e")
        said.append(names(*everything))
        h5py.h5f.unmount(f.id, b"point")
        said.append(names(*everything))
    return said


CASES = {case.__name__: case for case in (plain, ways, external, of_members, made, moved, moved_groups, moved_by_group, deleted,
                                          put_in_its_place, referenced, by_attribute, visited, mounted)}


def work(path, case):
    with h5py.File(pathlib.Path(path).parent / "other", "w") as f:
        f["far/x/y"] = 1
        f["far/x/soft"] = h5py.SoftLink("y")
    with h5py.File(path, "w") as f:
        fill(f)
        first = CASES[case](f)
    with h5py.File(path, "w") as f:
        fill(f)
    with h5py.File(path, "r+") as f:
        return first, CASES[case](f)


@pytest.mark.parametrize("case", CASES)
def test_names_are_as_native(case, connector, tmp_path):
    for kind in ("native", "store"):
        (tmp_path / kind).mkdir()
    native = work(str(tmp_path / "native" / "file"), case)
    assert connector.run(work, str(tmp_path / "store" / "file"), case) == native
