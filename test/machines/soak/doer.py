"""doer.py - does operations on one file, by h5py: the native file or the store. Operations come as pickles on standard input, (name,
arguments); an answer goes back for each: ("is", value) or ("raised", class, text)."""

import os
import pathlib
import pickle
import sys
import warnings

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

import view

DTYPES = {
    "i1": np.dtype("i1"), "<i4": np.dtype("<i4"), ">i8": np.dtype(">i8"), "u2": np.dtype("u2"), "f4": np.dtype("f4"), ">f8": np.dtype(">f8"), "f2": np.dtype("f2"), "c16": np.dtype("c16"),
    "bool": np.dtype(bool), "S4": np.dtype("S4"), "text": h5py.string_dtype(), "bytes": h5py.string_dtype("ascii"), "utf8 6": h5py.string_dtype("utf-8", 6), "enum": h5py.enum_dtype({"a": 1, "ü": 200}, "u1"),
    "sequence": h5py.vlen_dtype(np.dtype("<i2")), "pair": np.dtype([("a", "<i2"), ("b", ">f4")]), "named": np.dtype([("k", h5py.string_dtype()), ("n", "u1", (2,))]), "array": np.dtype(("<i2", (3,))),
    "void": np.dtype("V5"), "reference": h5py.ref_dtype, "date": np.dtype("<i8"),
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
        names = sorted(f)[:5]
        return np.array([f[names[abs(int(n)) % len(names)]].ref if names and n > -50 else h5py.Reference() for n in numbers], dtype=kind).reshape(shape)
    return (np.abs(numbers) if dtype == "u2" else numbers * 1.5 if kind.kind in "fc" else numbers).astype(kind).reshape(shape)


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


class Plain:
    """Values as view.plain has them, with references as what they lead to: the first of its names, as HDF5 tells any."""

    def __init__(self, f, loose):
        self.f, self.loose, self.names = f, loose, None

    def reference(self, value):
        if not value:
            return "reference", None
        try:
            number = h5py.h5o.get_info(h5py.h5r.dereference(value, self.f.id)).addr
        except Exception:
            return "reference", "nothing"
        self.names = self.names or first_names(self.f)
        return "loose reference" if number in self.loose else "reference", self.names.get(number, "no name")

    def __call__(self, value):
        if isinstance(value, h5py.h5r.RegionReference):
            return view.plain(value)
        if isinstance(value, h5py.Reference):
            return self.reference(value)
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            return "array", str(value.dtype), value.shape, [self(item) for item in value.ravel()]
        if isinstance(value, np.generic) and value.dtype.hasobject:
            return "record", str(value.dtype), [self(item) for item in value.tolist()]
        if isinstance(value, (list, tuple)):
            return [self(item) for item in value]
        return view.plain(value)


class Doer:
    """`gone`: numbers of objects that were deleted. A native file gives their places to other objects, and stale references
    with them: such a reference is a loose one. Not as long as somebody holds the object."""

    def __init__(self):
        self.files, self.kept, self.path, self.gone = {}, {}, None, set()

    def plain(self, value, f):
        held = {h5py.h5o.get_info(item.id).addr for item in self.kept.values() if item}
        return Plain(f, self.gone - held)(value)

    # --- files ---

    def begin(self, path, track_order):
        self.files, self.kept, self.path, self.gone = {}, {}, path, set()
        self.files[0] = h5py.File(path, "w", track_order=track_order)

    def end(self):
        self.kept.clear()
        for f in list(self.files.values()):
            f.close()
        self.files.clear()

    def open(self, slot, mode):
        if slot in self.files and self.files[slot]:
            raise KeyError("taken")
        self.files[slot] = h5py.File(self.path, mode)
        return self.files[slot].mode

    def close(self, slot):
        self.files.pop(slot).close()

    def reopen(self, mode):
        self.end()
        self.files[0] = h5py.File(self.path, mode)

    def flush(self, slot):
        self.files[slot].flush()

    def everything(self, slot):
        return self.tree(self.files[slot])

    def tree(self, f):
        return {name: self.of_object(f[name]) for name in first_names(f).values()}

    def of_object(self, item):
        f = item.file
        seen = {"attributes": {name: self.plain(item.attrs[name], f) for name in sorted(item.attrs)}, "kind": type(item).__name__}
        if isinstance(item, h5py.Dataset):
            seen.update(value=self.plain(item[()], f), shape=item.shape, **view.storage(item))
        if isinstance(item, h5py.Datatype):
            seen.update(dtype=str(item.dtype))
        if isinstance(item, h5py.Group):
            seen.update(links=[(name, self.of_link(item, name)) for name in sorted(item)])
        return seen

    @staticmethod
    def of_link(group, name):
        link = group.get(name, getlink=True)
        return type(link).__name__, getattr(link, "path", None), pathlib.Path(getattr(link, "filename", "") or "").name

    # --- objects ---

    def group(self, slot, path, track_order):
        return self.files[slot].create_group(path, track_order=track_order).name

    def dataset(self, slot, path, dtype, shape, seed, options, data=True):
        f = self.files[slot]
        options = dict(options)
        if options.pop("fill", False) and dtype not in ("text", "bytes", "sequence", "named", "array", "reference", "utf8 6"):
            options["fillvalue"] = values(dtype, (1,), seed + 1, f)[0]
        if "chunks" not in options:
            options["fill_time"] = "alloc"  # a native file shows what was on the disk before in what is not written
        if shape is None:
            return f.create_dataset(path, dtype=DTYPES[dtype], data=h5py.Empty(DTYPES[dtype])).shape
        if data:
            d = f.create_dataset(path, shape, DTYPES[dtype], **options)
            if d.size:
                d[...] = values(dtype, shape, seed, f)
        else:
            d = f.create_dataset(path, shape, DTYPES[dtype], **options)
        return view.storage(d)

    def datatype(self, slot, path, dtype):
        self.files[slot][path] = DTYPES[dtype]

    def with_datatype(self, slot, path, of):
        f = self.files[slot]
        return f.create_dataset(path, (3,), f[of], fill_time="alloc").shape

    def anonymous(self, slot, path, seed):
        f = self.files[slot]
        d = f.create_dataset(None, data=values("f4", (5,), seed), chunks=(2,))
        d.attrs["k"] = seed
        f[path] = d

    def copy(self, slot, source, target, options):
        f = self.files[slot]
        f.copy(source, target, **options)

    def rename(self, slot, source, target):
        self.files[slot].move(source, target)

    def delete(self, slot, path):
        f = self.files[slot]
        before = first_names(f)
        del f[path]
        self.gone |= before.keys() - first_names(f).keys()

    def look(self, slot, path):
        return self.of_object(self.files[slot][path])

    def info(self, slot, path):
        info = h5py.h5o.get_info(self.files[slot].id, path.encode())
        return info.type, info.rc, info.num_attrs if hasattr(info, "num_attrs") else None

    def same(self, slot, one, two):
        f = self.files[slot]
        return f[one] == f[two]

    # --- links ---

    def soft(self, slot, path, target):
        self.files[slot][path] = h5py.SoftLink(target)

    def hard(self, slot, path, target):
        self.files[slot][path] = self.files[slot][target]

    def external(self, slot, path, target):
        self.files[slot][path] = h5py.ExternalLink(os.path.basename(self.path), target)

    def links(self, slot, path):
        group = self.files[slot][path]
        order = group.id.get_create_plist().get_link_creation_order()
        found = [(name, self.of_link(group, name)) for name in (list(group) if order else sorted(group))]
        return order, found, group.id.get_num_objs()

    def link_info(self, slot, path):
        info = self.files[slot].id.links.get_info(path.encode())
        return info.type, info.cset, info.corder_valid

    def exists(self, slot, path):
        f = self.files[slot]
        return path in f, f.get(path, getclass=True).__name__

    def visit(self, slot, path):
        found = []
        self.files[slot][path].visit(found.append)
        return found

    def visit_links(self, slot, path):
        found = []
        self.files[slot][path].visititems_links(lambda name, link: found.append((name, type(link).__name__)))
        return sorted(found)

    # --- attributes ---

    def attribute(self, slot, path, name, dtype, shape, seed):
        item = self.files[slot][path]
        if shape is None:
            item.attrs.create(name, h5py.Empty(DTYPES[dtype]))
        else:
            item.attrs.create(name, values(dtype, shape, seed, self.files[slot]), shape, DTYPES[dtype])

    def modify_attribute(self, slot, path, name, seed):
        item = self.files[slot][path]
        old = item.attrs.get_id(name)
        new = values("<i4", old.shape, seed)
        item.attrs.modify(name, new)
        return self.plain(item.attrs[name], item.file)

    def delete_attribute(self, slot, path, name):
        del self.files[slot][path].attrs[name]

    def rename_attribute(self, slot, path, name, new):
        h5py.h5a.rename(self.files[slot][path].id, name.encode(), new.encode())

    def attributes(self, slot, path):
        item = self.files[slot][path]
        found = []
        h5py.h5a.iterate(item.id, lambda name: found.append(name))
        return found, [(name, self.plain(item.attrs[name], item.file), item.attrs.get_id(name).shape, str(item.attrs.get_id(name).dtype)) for name in sorted(item.attrs)]

    # --- elements ---

    @staticmethod
    def box(shape, where):
        """A part of a shape that follows from numbers between 0 and 1."""
        return tuple(slice(int(n * min(a, b)), int(n * max(a, b)) + 1, 1 + int(3 * c)) for n, (a, b, c) in zip(shape, where))

    def write(self, slot, path, where, seed):
        d = self.files[slot][path]
        box = self.box(d.shape, where)
        name = next(name for name, dtype in DTYPES.items() if dtype == d.dtype and h5py.check_string_dtype(dtype) == h5py.check_string_dtype(d.dtype))
        shape = np.empty(d.shape, "i1")[box].shape
        d[box] = values(name, shape, seed, d.file)

    def write_other(self, slot, path, where, dtype, seed):
        """Elements of another number type: HDF5 converts."""
        d = self.files[slot][path]
        if d.dtype.kind not in "iuf":
            raise TypeError("no numbers")
        box = self.box(d.shape, where)
        d[box] = values(dtype, np.empty(d.shape, "i1")[box].shape, seed)

    def read(self, slot, path, where):
        d = self.files[slot][path]
        return self.plain(d[self.box(d.shape, where)], d.file)

    def read_as(self, slot, path, dtype):
        d = self.files[slot][path]
        if d.dtype.kind not in "iuf":
            raise TypeError("no numbers")
        out = np.zeros(d.shape, DTYPES[dtype])
        d.read_direct(out)
        return self.plain(out, d.file)

    def read_points(self, slot, path, threshold):
        d = self.files[slot][path]
        return self.plain(d[np.linspace(0, 1, d.size).reshape(d.shape) > threshold], d.file)

    def write_points(self, slot, path, threshold, value):
        d = self.files[slot][path]
        d[np.linspace(0, 1, d.size).reshape(d.shape) > threshold] = value

    def resize(self, slot, path, shape):
        d = self.files[slot][path]
        d.resize(shape[:len(d.shape)])
        return d.shape

    def refresh(self, slot, path):
        item = self.files[slot][path]
        item.id.refresh() if isinstance(item, h5py.Dataset) else h5py.h5o.refresh(item.id)

    def flush_object(self, slot, path):
        item = self.files[slot][path]
        item.id.flush() if isinstance(item, h5py.Dataset) else h5py.h5o.flush(item.id)

    def chunks(self, slot, path):
        d = self.files[slot][path]
        found = [d.id.get_chunk_info(i).chunk_offset for i in range(d.id.get_num_chunks())]
        return sorted(found)

    def region(self, slot, path, where):
        d = self.files[slot][path]
        reference = d.regionref[self.box(d.shape, where)]
        return d.regionref.shape(reference), d.regionref.selection(reference), self.plain(d[reference], d.file)

    # --- handles that stay ---

    def keep(self, slot, number, path):
        self.kept[number] = self.files[slot][path]

    def kept_look(self, number):
        item = self.kept[number]
        return self.of_object(item) if item else "closed"

    def kept_name(self, number):
        item = self.kept[number]
        return bool(item), isinstance(item, h5py.Dataset)

    def kept_write(self, number, seed):
        item = self.kept[number]
        item.attrs["kept"] = seed
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "iuf":
            item[...] = seed % 100
            return self.plain(item[()], item.file)

    def kept_link(self, slot, number, path):
        item = self.kept[number]
        self.files[slot][path] = item
        self.gone.discard(h5py.h5o.get_info(item.id).addr)

    def drop(self, number):
        del self.kept[number]

    # --- scales ---

    def scale(self, slot, path, name):
        self.files[slot][path].make_scale(name)

    def attach(self, slot, path, scale, axis):
        f = self.files[slot]
        f[path].dims[axis].attach_scale(f[scale])

    def label(self, slot, path, axis, text):
        self.files[slot][path].dims[axis].label = text

    def scales(self, slot, path):
        d = self.files[slot][path]
        return [(dim.label, [scale.name for scale in dim.values()]) for dim in d.dims]


def main():
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    doer = Doer()
    while True:
        try:
            name, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = "is", getattr(doer, name)(*arguments)
        except Exception as error:
            answer = "raised", type(error).__name__, str(error)[:400]
        pickle.dump(answer, answers)
        answers.flush()


main()
