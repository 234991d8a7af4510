"""values.py - elements that follow from a number, and what is compared of elements."""

import pathlib
import re
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

import view

DTYPES = {
    "i1": np.dtype("i1"), "<i4": np.dtype("<i4"), ">i8": np.dtype(">i8"), "u2": np.dtype("u2"), "f4": np.dtype("f4"), ">f8": np.dtype(">f8"), "f2": np.dtype("f2"), "c16": np.dtype("c16"),
    "bool": np.dtype(bool), "S4": np.dtype("S4"), "text": h5py.string_dtype(), "bytes": h5py.string_dtype("ascii"), "utf8 6": h5py.string_dtype("utf-8", 6), "enum": h5py.enum_dtype({"a": 1, "ü": 200}, "u1"),
    "sequence": h5py.vlen_dtype(np.dtype("<i2")), "pair": np.dtype([("a", "<i2"), ("b", ">f4")]), "named": np.dtype([("k", h5py.string_dtype()), ("n", "u1", (2,))]), "array": np.dtype(("<i2", (3,))),
    "void": np.dtype("V5"), "reference": h5py.ref_dtype, "region": h5py.regionref_dtype, "record": np.dtype([("r", h5py.ref_dtype), ("i", "<i4")]),
}


def values(dtype, shape, seed, f=None):
    """Elements of a dtype that follow from a number."""
    rng = np.random.default_rng(seed)
    count = int(np.prod(shape, dtype=int))
    numbers = rng.integers(-100, 100, count)
    kind = DTYPES[dtype]
    if dtype in ("text", "bytes"):
        return np.array(["" if n < -80 else ("x" if dtype == "bytes" else "é") * (abs(int(n)) % 9) + str(n) for n in numbers], dtype=object).reshape(shape)
    if dtype == "utf8 6":
        return np.array([f"ü{n}".encode() for n in numbers], dtype="S6").reshape(shape)
    if dtype == "sequence":
        out = np.empty(count, dtype=object)
        for i, n in enumerate(numbers):
            out[i] = np.arange(abs(int(n)) % 5, dtype="<i2")
        return out.reshape(shape)
    if dtype == "enum":
        return np.where(numbers > 0, 1, 200).astype("u1").reshape(shape)
    if dtype == "pair":
        return np.array([(n, n / 3) for n in numbers], dtype=kind).reshape(shape)
    if dtype == "named":
        return np.array([(f"k{n}", (abs(n) % 7, 1)) for n in numbers], dtype=kind).reshape(shape)
    if dtype == "array":
        return (numbers[:, None] + np.arange(3)).astype("<i2").reshape(tuple(shape) + (3,))
    if dtype in ("S4", "void"):
        return np.array([str(n).encode() for n in numbers], dtype=kind).reshape(shape)
    if dtype == "reference":
        names = [name for name in sorted(f) if f.get(name, getclass=True, getlink=True) is h5py.HardLink][:5]  # others may lead to another file
        return np.array([f[names[abs(int(n)) % len(names)]].ref if names and n > -50 else h5py.Reference() for n in numbers], dtype=kind).reshape(shape)
    if dtype == "region":
        hard = [f[name] for name in sorted(f) if f.get(name, getclass=True, getlink=True) is h5py.HardLink]
        sources = [item for item in hard if isinstance(item, h5py.Dataset) and item.shape and item.size][:5]
        return np.array([region(sources[abs(int(n)) % len(sources)], int(n)) if sources and n > -50 else h5py.RegionReference() for n in numbers], dtype=kind).reshape(shape)
    if dtype == "record":
        return np.array(list(zip(values("reference", (count,), seed, f), numbers)), dtype=kind).reshape(shape)
    return (np.abs(numbers) if dtype == "u2" else numbers * 1.5 if kind.kind in "fc" else numbers).astype(kind).reshape(shape)


def region(d, n):
    return d.regionref[tuple(slice(n % length, None, 1 + n % 2) for length in d.shape)] if n % 3 else d.regionref[...]


def first_names(f):
    """{number of an object: the first of its names}, in the order of names, group by group."""
    names, waiting = {h5py.h5o.get_info(f.id).addr: "/"}, [("", f)]
    while waiting:
        path, group = waiting.pop(0)
        for name in sorted(group):
            if group.get(name, getclass=True, getlink=True) is not h5py.HardLink:
                continue
            item = group[name]
            number = h5py.h5o.get_info(item.id).addr
            if number not in names:
                names[number] = f"{path}/{name}"
                if isinstance(item, h5py.Group):
                    waiting.append((f"{path}/{name}", item))
    return names


def members_of_groups(f):
    """{number of a group: those of its members}"""
    return {number: {h5py.h5o.get_info(f[path][name].id).addr for name in f[path] if f[path].get(name, getclass=True, getlink=True) is h5py.HardLink}
            for number, path in first_names(f).items() if isinstance(f[path], h5py.Group)}


def has_circle(members, numbers):
    """Whether some of these objects can be reached from themselves, by way of these."""
    def below(number, seen):
        for member in members.get(number, set()) & numbers - seen:
            seen.add(member)
            below(member, seen)
        return seen

    return any(number in below(number, set()) for number in numbers)


class Plain:
    """Values as view.plain has them, with references as what they lead to: the first of its names, as HDF5 tells any."""

    def __init__(self, f, loose):
        self.f, self.loose, self.names, self.strayed = f, loose, None, False

    def reference(self, value):
        if not value:
            return "reference", None
        try:
            number = h5py.h5o.get_info(h5py.h5r.dereference(value, self.f.id)).addr
        except Exception:
            return "reference", "nothing"
        self.names = self.names or first_names(self.f)
        name = self.names.get(number, "no name")
        self.strayed = self.strayed or number in self.loose
        return "loose reference" if number in self.loose else "reference", re.sub(r"(~obj_pointed_by_)\d+", r"\1", name)

    def region(self, value):
        target = self.reference(value)
        if target[0] == "loose reference" or target[1] in (None, "nothing"):
            return target
        space = h5py.h5r.get_region(value, self.f.id)
        return "region", target[1], space.get_select_npoints(), space.get_select_bounds() if space.get_select_npoints() else None

    def __call__(self, value):
        if isinstance(value, h5py.h5r.RegionReference):
            return self.region(value)
        if isinstance(value, h5py.Reference):
            return self.reference(value)
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            return "array", str(value.dtype), value.shape, [self(item) for item in value.ravel()]
        if isinstance(value, np.generic) and value.dtype.hasobject:
            return "record", str(value.dtype), [self(item) for item in value.tolist()]
        if isinstance(value, (list, tuple)):
            return [self(item) for item in value]
        return view.plain(value)
