"""doer.py - does operations on one file, by h5py: the native file or the store. Lists of operations, (name, arguments), come as
pickles on standard input; an answer goes back for each: ("is", value) or ("raised", class, text)."""

import os
import pathlib
import pickle
import sys
import warnings

import h5py
import numpy as np

import elements
import more
import view
from values import DTYPES, Plain, first_names, has_circle, members_of_groups, values

IS_NATIVE = "HDF5_VOL_CONNECTOR" not in os.environ


class Doer(elements.Elements, more.More):
    """`gone`: numbers of objects that were deleted. A native file gives their places to other objects, and stale references
    with them: such a reference is a loose one. Not as long as somebody holds the object: `doomed`. `strayed`: one was followed."""

    def __init__(self):
        self.files, self.kept, self.path, self.gone, self.doomed = {}, {}, None, set(), set()
        self.copied, self.islands, self.strayed = False, False, False

    def plain(self, value, f):
        free = self.doomed - self.held()
        self.doomed -= free
        self.gone |= free
        made = Plain(f, self.gone)
        found = made(value)
        self.strayed = self.strayed or made.strayed
        return found

    def held(self):
        return {h5py.h5o.get_info(item.id).addr for item in self.kept.values() if item}

    @staticmethod
    def name_of(f, item):
        """The first of the names of what the name that HDF5 tells leads to: which one that is follows from the order of links in the file."""
        name = h5py.h5i.get_name(item)
        return name and first_names(f).get(h5py.h5o.get_info(f[name].id).addr)

    # --- files ---

    def begin(self, path, track_order):
        self.__init__()
        self.path, self.files[0] = path, h5py.File(path, "w", track_order=track_order)

    def look_into(self, path):
        """What another process wrote."""
        self.__init__()
        self.path, self.files[0] = path, h5py.File(path, "r")

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
        if options.pop("fill", False) and dtype not in ("text", "bytes", "sequence", "named", "array", "reference", "region", "record", "utf8 6"):
            options["fillvalue"] = values(dtype, (1,), seed + 1, f)[0]
        compact = options.pop("compact", False)
        if "chunks" not in options:
            self.fits_what_it_is_a_source_of(f, path, shape)
            options["fill_time"] = "alloc"  # a native file shows what was on the disk before in what is not written
            options["dcpl"] = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            options["dcpl"].set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)  # else the first write of one field of all elements leaves zeros in the others
            if compact:
                options["dcpl"].set_layout(h5py.h5d.COMPACT)
        if shape is None:
            return f.create_dataset(path, dtype=DTYPES[dtype], data=h5py.Empty(DTYPES[dtype])).shape
        if data:
            d = f.create_dataset(path, shape, DTYPES[dtype], **options)
            if d.size:
                d[...] = values(dtype, shape, seed, f)
        else:
            d = f.create_dataset(path, shape, DTYPES[dtype], **options)
        return view.storage(d)

    @staticmethod
    def fits_what_it_is_a_source_of(f, path, shape):
        """HDF5 reads the elements of other rows where a source without chunks is smaller than a virtual dataset's selection of it."""
        for d in (f[name] for name in f if f.get(name, getclass=True, getlink=True) is h5py.HardLink):
            for m in d.virtual_sources() if isinstance(d, h5py.Dataset) and d.is_virtual else ():
                if m.dset_name == path and any(end >= n for end, n in zip(m.src_space.get_select_bounds()[1], shape or ())):
                    raise TypeError("smaller than what a virtual dataset selects of it")

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
        self.copied = True
        self.settle()
        self.copy_whole(f, source, f, target, options)

    def settle(self):
        """H5Ocopy of a contiguous dataset that is open leaves out, in native files, what was written last. A flush is of one open of the file,
        and what was reached by an external link has one of its own."""
        if IS_NATIVE:
            for f in [*self.files.values(), *(item.file for item in self.kept.values() if item)]:
                if f:
                    f.flush()

    @staticmethod
    def copy_whole(f, source, target, name, options):
        """HDF5 does not expand a soft link where a group on the way is missing. Asking tells so by an error."""
        item, soft = f[source], []
        if options.get("expand_soft") and isinstance(item, h5py.Group):
            item.visititems_links(lambda path, link: soft.append(path.encode()) if isinstance(link, h5py.SoftLink) else None)
        for path in soft:
            h5py.h5o.exists_by_name(item.id, path)
        f.copy(source, target, name, **options)

    def rename(self, slot, source, target):
        self.files[slot].move(source, target)

    def delete(self, slot, path):
        f = self.files[slot]
        self.deleting(f, lambda: f.__delitem__(path))

    def deleting(self, f, work):
        before, members, held = first_names(f), members_of_groups(f), self.held()
        work()
        gone = before.keys() - first_names(f).keys()
        self.gone |= gone - held
        self.doomed |= gone & held
        self.islands = self.islands or has_circle(members, gone)

    def look(self, slot, path):
        return self.of_object(self.files[slot][path])

    def info(self, slot, path):
        """In a store a committed type counts copies of what was made with it; in a native file they have a nameless type.
        A native file never frees a circle of groups that lost its name, and counts the links in it."""
        info = h5py.h5o.get_info(self.files[slot].id, path.encode())
        of_type = info.type == h5py.h5o.TYPE_NAMED_DATATYPE
        return info.type, None if (of_type and self.copied) or self.islands else info.rc, info.num_attrs if hasattr(info, "num_attrs") else None

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
        self.doomed.discard(h5py.h5o.get_info(item.id).addr)

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
        return [(dim.label, [self.name_of(d.file, scale.id) for scale in dim.values()]) for dim in d.dims]


def main():
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    doer = Doer()
    while True:
        try:
            operations = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        for name, arguments in operations:
            try:
                answer = "is", getattr(doer, name)(*arguments)
            except Exception as error:
                answer = "raised", type(error).__name__, str(error)[:400], doer.strayed
            pickle.dump(answer, answers)
            answers.flush()


main()
