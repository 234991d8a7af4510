"""Names and references that were flushed lead to their objects whenever a writer is stopped: each test ends a process before its
first, second ... change of the store while names move, go, and are used again."""

import json
import os
from urllib.parse import unquote

import h5py
import numpy as np
import pytest

import stopping
from places import by_zarr

FORMS = {"v2": "", "v3": ";format=3", "v3 shards": ";format=3;shards=200", "hdmf": ";dialect=hdmf", "hdmf v3": ";dialect=hdmf;format=3"}
EVERYWHERE = "VZ_ALL" in os.environ  # every writer in every form takes minutes
A, X, S, U, NEW = 1, 2, 3, 4, 9  # each object holds its number


def dataset(f, path, number, **more):
    return f.create_dataset(path, data=np.full(3, number, "i4"), chunks=(2,), **more)


def make(path, references):
    """A has three names, of which the directory is g/a."""
    with h5py.File(path, "w") as f:
        dataset(f, "g/a", A)
        dataset(f, "g/x", X)
        dataset(f, "s", S)
        f.create_group("k")
        f.create_group("h")["b"] = f["g/a"]
        f["c"] = f["g/a"]
        if not references:
            return
        f["t"] = np.dtype("i4")
        f.create_dataset("u", data=np.full(3, U, "i4"), dtype=f["t"])
        refer(f)


def refer(f):
    targets = [f["g/a"], f["g/x"], f["s"]]
    r = f.create_group("r")
    r.create_dataset("objects", data=np.array([d.ref for d in targets], h5py.ref_dtype), dtype=h5py.ref_dtype)
    r.create_dataset("regions", data=np.array([d.regionref[:2] for d in targets], h5py.regionref_dtype), dtype=h5py.regionref_dtype)
    for name, d in zip("axs", targets):
        r.attrs[name] = d.ref


# ---- what writers do. Of each: where the flushed names of A, X, S may be then (None: nowhere) ----

def chain(f):
    f.move("g/a", "g/1")
    f.move("g/1", "g/2")
    f.move("g/2", "3")


def use_again(f):
    f.move("g/a", "k/a")
    dataset(f, "g/a", NEW)
    f.move("s", "k/s")
    f.flush()
    f.move("g/a", "k/n")


def swap(f):
    f.move("g/a", "tmp")
    f.move("s", "g/a")
    f.move("tmp", "s")


def swap_second(f):
    f.move("h/b", "tmp")
    f.move("g/x", "h/b")
    f.move("tmp", "g/x")


def move_group(f):
    f.move("g", "q")
    f.flush()
    f.move("h", "q/h")


def move_across(f):
    f.move("g/a", "k/a")
    f.create_group("z")
    f.move("k/a", "z/a")
    f.move("g/x", "z/x")


def swap_groups(f):
    f.move("g", "tmp")
    f.move("h", "g")
    f.move("tmp", "h")


def delete_second(f):
    del f["h/b"]
    f.move("g/a", "h/b")


def delete_first(f):
    del f["g/a"]
    f.flush()
    dataset(f, "g/a", NEW)
    f.flush()


def delete_group(f):
    del f["g"]
    f.move("s", "g")


def delete_and_make(f):
    del f["s"]
    dataset(f, "s", NEW)
    f["s"].flush()
    del f["g/x"]
    f.move("s", "g/x")
    f.flush()


def move_second(f):
    f.move("h/b", "h/d")
    f.move("g/a", "h/b")


def escape(f):
    f.move("g/a", "g/x\\y")
    f.move("s", ".zarray")
    f.move("h", "h\\h")


def set_attributes(f):
    f["g/a"].attrs["late"] = 1
    f["g"].attrs["late"] = 1
    f.move("g/a", "g/z")
    f.move("g", "y")
    f["y/x"].attrs["late"] = 2
    f.move("y/x", "x")
    f.flush()


def there_and_back(f):
    f.move("g/a", "tmp")
    f.move("tmp", "g/a")
    f.move("s", "tmp")
    f.flush()
    f.move("tmp", "s")


def move_type(f):
    f.move("t", "k/t")
    f.move("u", "k/u")
    f["t"] = np.dtype("f8")
    f.flush()


def delete_all_names(f):
    del f["h/b"]
    del f["g/a"]
    del f["c"]


def name_new(f):
    """A further hard link of something new moves before that is in the store."""
    dataset(f, "l/new", NEW)
    f["k/n"] = f["k/m"] = f["l/new"]
    f.move("k/n", "n")
    f.move("k/m", "g/m")


def leave_group(f):
    """What left a group, or was deleted in it, does not go where the group goes."""
    f.move("h/b", "k/b")
    f.move("h", "l")
    del f["k/b"]
    f.move("k", "l/k")


WORKS = {
    chain: {"g/a": ("g/1", "g/2", "3")},
    use_again: {"g/a": ("k/a",), "s": ("k/s",)},
    swap: {"g/a": ("tmp", "s"), "s": ("g/a",)},
    swap_second: {"h/b": ("tmp", "g/x"), "g/x": ("h/b",)},
    move_group: {"g/a": ("q/a",), "g/x": ("q/x",), "h/b": ("q/h/b",)},
    move_across: {"g/a": ("k/a", "z/a"), "g/x": ("z/x",)},
    swap_groups: {"g/a": ("tmp/a", "h/a"), "g/x": ("tmp/x", "h/x"), "h/b": ("g/b",)},
    delete_second: {"g/a": ("h/b",), "h/b": (None,)},
    delete_first: {"g/a": (None,)},
    delete_group: {"g/a": (None,), "g/x": (None,), "s": ("g",)},
    delete_and_make: {"s": (None,), "g/x": (None,)},
    move_second: {"h/b": ("h/d",), "g/a": ("h/b",)},
    escape: {"g/a": ("g/x\\y",), "s": (".zarray",), "h/b": ("h\\h/b",)},
    set_attributes: {"g/a": ("g/z", "y/z"), "g/x": ("y/x", "x")},
    there_and_back: {"g/a": ("tmp",), "s": ("tmp",)},
    move_type: {},
    delete_all_names: {"g/a": ("h/b", "c", None), "h/b": ("c", None), "c": (None,)},
    name_new: {},
    leave_group: {"h/b": ("k/b", None)},
}
FLUSHED = {"g/a": A, "h/b": A, "c": A, "g/x": X, "s": S}
NEW_NAMES = {use_again: ("g/a", "k/n"), delete_first: ("g/a",), delete_and_make: ("s", "g/x"), name_new: ("l/new", "n", "g/m")}


def work(path, todo):
    f = h5py.File(path, "r+")
    todo(f)
    f.flush()


def stop_while(todo, made, place):
    return stopping.stop_everywhere(made, lambda path: work(path, todo), place)


# ---- what is there ----

def names(path, mode="r"):
    """{name: the number of its object} of all datasets, and what references lead to."""
    found, led = {}, {}
    with h5py.File(path, mode) as f:
        def look(group, prefix):
            for name in group:
                item = group[name]
                if isinstance(item, h5py.Group):
                    look(item, f"{prefix}{name}/")
                elif isinstance(item, h5py.Dataset) and item.dtype == "i4":
                    found[prefix + name] = number_of(item)

        look(f, "")
        for i, name in enumerate("axs" if "r" in f else ""):
            r = f["r"]
            led[name] = [target(f, r.attrs[name]), target(f, r["objects"][i]), target(f, r["regions"][i])]
        kept = [name for name in ("u", "k/u") if name in f]
        if kept:
            led["type"] = [str(f[kept[0]].dtype), f[kept[0]].id.get_type().committed()]
    return found, led


def number_of(item):
    values = set(item[...].tolist())
    assert len(values) == 1, (item.name, values)
    return values.pop()


def target(f, reference):
    try:
        item = f[reference]
    except (ValueError, KeyError, RuntimeError):
        return None
    if isinstance(reference, h5py.RegionReference):
        assert item.regionref.selection(reference) == (2,)
    return number_of(item)


def check(found, led, todo, path):
    may_be = {name: (name, *WORKS[todo].get(name, ())) for name in FLUSHED}
    complaints = []
    for name, number in FLUSHED.items():
        at = [place for place in may_be[name] if found.get(place) == number]
        if not at and None not in may_be[name]:
            complaints.append(f"{name} is nowhere")
    allowed = {(place, FLUSHED[name]) for name, places in may_be.items() for place in places}
    allowed |= {(name, NEW) for name in NEW_NAMES.get(todo, ())} | {("u", U), ("k/u", U)}
    complaints += [f"{name} is {number}" for name, number in found.items() if (name, number) not in allowed]
    alive = set(found.values())
    for name, number in (("a", A), ("x", X), ("s", S)):
        if name in led and led[name] != [number if number in alive else None] * 3:
            complaints.append(f"references to {name} lead to {led[name]}")
    if led.get("type", ["int32", True]) != ["int32", True]:
        complaints.append(f"the committed type is {led['type']}")
    return [f"{path}: {complaint}" for complaint in complaints]


def judge(path, todo):
    """Complaints about what a reader, the next writer, and zarr-python after it see."""
    try:
        complaints = check(*names(path), todo, path)
        h5py.File(path, "r+").close()
        after = names(path)
    except Exception as error:
        return [f"{path}: {type(error).__name__}: {error}"]
    complaints += [f"after the next writer: {text}" for text in check(*after, todo, path)]
    return complaints + [f"{path}: after the next writer {text}" for text in told_in_vain(path, after[0])]


def told_in_vain(path, found):
    """Names that documents tell of as further ones of an object, or tell readers of hdmf-zarr, and that lead to none."""
    for place, _, _ in os.walk(path):
        group = unquote(os.path.relpath(place, path).removeprefix("."))
        attributes = attributes_of(place)
        links = json.loads(attributes.get("_HDF5", "{}")).get("L", [])
        told = [(entry["n"], None) for entry in links if entry["k"] == "hard" and "to" in entry]
        told += [(entry["name"], entry["path"][1:]) for key in ("zarr_link", "_LINKS") for entry in attributes.get(key, [])]
        for name, target in told:
            if os.path.join(group, name) not in found or target not in {None, *found}:
                yield f"{group or '/'} tells of {name} at {target}"


def attributes_of(place):
    for name in ("zarr.json", ".zattrs"):
        if os.path.exists(os.path.join(place, name)):
            with open(os.path.join(place, name)) as f:
                document = json.load(f)
            return document.get("attributes", {}) if name == "zarr.json" else document
    return {}


def by_others(path, todo):
    """What zarr-python finds: each array whole, one directory each."""
    arrays = {}

    def look(group, prefix):
        for name, item in group.members():
            if hasattr(item, "members"):
                look(item, f"{prefix}{name}/")
            elif item.dtype == "i4" and not prefix.startswith("r/"):
                arrays[prefix + name] = set(item[...].tolist())

    look(by_zarr(path), "")
    complaints = [f"{path}: zarr-python sees {name} as {values}" for name, values in arrays.items() if len(values) != 1]
    numbers = [value for values in arrays.values() for value in values]
    return complaints + [f"{path}: zarr-python sees {number} {numbers.count(number)} times" for number in set(numbers)
                         if numbers.count(number) != 1]


def cases():
    """Every writer with references in v2; in other forms, and without references, some."""
    for number, todo in enumerate(WORKS):
        for place, form in enumerate(FORMS):
            for references in (True, False) if todo is not move_type else (True,):
                if EVERYWHERE or (form == "v2" and references) or (number % 5 == place and references == bool(number % 3)):
                    yield pytest.param(form, references, todo, id=f"{todo.__name__}-{form}-{'references' if references else 'hard links'}")


@pytest.mark.parametrize("form, references, todo", list(cases()))
def test_names_and_references(stopped, reader, tmp_path, form, references, todo):
    made = str(tmp_path / "made.zarr")
    stopped(form).run(make, made, references)
    paths = stopped(form).run(stop_while, todo, made, str(tmp_path))
    assert len(paths) > 3
    complaints = []
    for path in paths:
        complaints += reader.run(judge, path, todo)
        complaints += by_others(path, todo) if not form.startswith("hdmf") else []
    assert not complaints, f"{len(complaints)} complaints, {len(paths)} kills\n" + "\n".join(map(str, complaints))
