"""more.py - a part of doer.py: members by their index, comments, names, another file, virtual datasets, what is known of types."""

import os

import h5py
import numpy as np

import direct
from values import DTYPES, values

PLAIN = "plain.h5"
ORDERS = [h5py.h5.ITER_INC, h5py.h5.ITER_DEC]
INDEXES = [h5py.h5.INDEX_NAME, h5py.h5.INDEX_CRT_ORDER]


class More:
    # --- members by their index ---

    def iterate(self, slot, path, index, order):
        found = []
        group = self.files[slot][path]
        group.id.links.iterate(lambda name: found.append(name), idx_type=INDEXES[index], order=ORDERS[order])
        return found

    def visit_ordered(self, slot, path, index, order):
        found = []
        h5py.h5o.visit(self.files[slot][path].id, lambda name: found.append(name), idx_type=INDEXES[index], order=ORDERS[order])
        return found

    def by_index(self, slot, path, n, index, order):
        group = self.files[slot][path]
        name = direct.link_name(group, index, order, n)
        info = direct.link_info(group, index, order, n)
        return name, info.type, info.corder_valid, self.place_of(group, info.corder) if info.corder_valid else None

    @staticmethod
    def place_of(group, number):
        """Among the numbers of all links: a store gives the number of the last link again when that was deleted before the store was closed."""
        return sorted(group.id.links.get_info(name.encode()).corder for name in group).index(number)

    def open_by_index(self, slot, path, n, index, order):
        group = self.files[slot][path]
        item = h5py.h5o.open(group.id, direct.link_name(group, index, order, n))
        return type(item).__name__, h5py.h5i.get_name(item)

    def delete_by_index(self, slot, path, n, index, order):
        """Whether the link went that has this index."""
        f = self.files[slot]
        group = f[path]
        name = direct.link_name(group, index, order, n).decode()
        self.deleting(f, lambda: direct.delete_link(group, index, order, n))
        return name not in group

    def ordered(self, slot, path, index):
        """An order of creation that is not kept is anything."""
        item = self.files[slot][path].id
        if index and (isinstance(item, h5py.h5t.TypeID) or not item.get_create_plist().get_attr_creation_order()):
            raise TypeError("no order of attributes")
        return item

    def attribute_by_index(self, slot, path, n, index, order):
        item = self.ordered(slot, path, index)
        attribute = h5py.h5a.open(item, index=n, index_type=INDEXES[index], order=ORDERS[order])
        info = h5py.h5a.get_info(item, attribute.name)
        return attribute.name, info.corder_valid, attribute.shape, info.cset

    def attributes_in_order(self, slot, path, index, order):
        item, found = self.ordered(slot, path, index), []
        h5py.h5a.iterate(item, lambda name: found.append(name), index_type=INDEXES[index], order=ORDERS[order])
        numbers = [h5py.h5a.get_info(item, name).corder for name in found] if index else []
        return found, h5py.h5a.get_num_attrs(item), [sorted(numbers).index(number) for number in numbers]

    # --- names and comments ---

    def comment(self, slot, path, text):
        h5py.h5o.set_comment(self.files[slot][path].id, text)

    def comment_of(self, slot, path):
        return direct.comment(self.files[slot][path])

    def names(self, slot, path):
        item = self.files[slot][path]
        return item.name, item.parent.name, h5py.h5o.exists_by_name(self.files[slot].id, path.encode())

    def copy_link(self, slot, source, target):
        direct.copy_link(self.files[slot], source, target)

    def hard_by_id(self, slot, path, target):
        f = self.files[slot]
        h5py.h5o.link(f[target].id, f.id, path.encode())

    def value_of_link(self, slot, path):
        value = self.files[slot].id.links.get_val(path.encode())
        return [os.path.splitext(os.path.basename(x))[0] for x in value] if isinstance(value, tuple) else value

    def reference(self, slot, path):
        f = self.files[slot]
        made = f[path].ref
        return f[h5py.h5r.get_name(made, f.id)] == f[path], h5py.h5r.get_obj_type(made, f.id), f[made] == f[path]

    # --- what is known of types and properties ---

    def type_of(self, slot, path):
        item = self.files[slot][path]
        kind = item.id if isinstance(item, h5py.Datatype) else item.id.get_type()
        return kind.committed(), kind.get_class(), self.name_of(item.file, kind) if kind.committed() else None

    def same_type(self, slot, one, two):
        f = self.files[slot]
        return f[one].id.get_type().equal(f[two].id.get_type())

    def properties(self, slot, path):
        d = self.files[slot][path]
        plist = d.id.get_create_plist()
        if isinstance(d, h5py.Group):
            return plist.get_link_creation_order(), plist.get_attr_creation_order()
        layout = plist.get_layout()
        return layout, plist.get_fill_time(), plist.fill_value_defined(), plist.get_attr_creation_order(), [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]

    def typed_attribute(self, slot, path, name, of, seed):
        f = self.files[slot]
        kind = f[of]
        dtype = next(key for key, dtype in DTYPES.items() if dtype == kind.dtype and h5py.check_string_dtype(dtype) == h5py.check_string_dtype(kind.dtype))
        f[path].attrs.create(name, values(dtype, (2,), seed, f), (2,), kind)
        return f[path].attrs.get_id(name).get_type().committed()

    # --- scales ---

    def detach(self, slot, path, scale, axis):
        f = self.files[slot]
        f[path].dims[axis].detach_scale(f[scale])

    def scales_of(self, slot, path, scale, axis):
        f = self.files[slot]
        d, other = f[path].id, f[scale].id
        return h5py.h5ds.is_scale(other), h5py.h5ds.is_attached(d, other, axis), h5py.h5ds.get_num_scales(d, axis), h5py.h5ds.is_scale(other) and h5py.h5ds.get_scale_name(other)

    # --- another file ---

    def name_of_other(self, name):
        """Objects whose names end with 2 go to an HDF5 file, or come from it, on both sides."""
        return PLAIN if name.endswith("2") else "other" + os.path.splitext(self.path)[1]

    def other(self, name):
        path = os.path.join(os.path.dirname(self.path), self.name_of_other(name))
        if os.path.basename(path) == PLAIN and not os.path.exists(path):
            direct.create_native(path)
        return h5py.File(path, "a")

    def copy_out(self, slot, path, name, options):
        f = self.files[slot]
        self.settle()
        with self.other(name) as other:
            self.copy_whole(f, path, other, name, options)
            return self.of_object(other[name])

    def copy_in(self, slot, name, path, options):
        f = self.files[slot]
        with self.other(name) as other:
            self.copy_whole(other, name, f, path, options)
        return self.of_object(f[path])

    def external_out(self, slot, path, name):
        self.files[slot][path] = h5py.ExternalLink(self.name_of_other(name), name)

    # --- virtual datasets ---

    def virtual(self, slot, path, sources, extra):
        f = self.files[slot]
        parts = [f[source] for source in sources if f[source].dtype.kind in "iuf" and f[source].shape and f[source].size]
        layout = h5py.VirtualLayout((len(parts), 4 + extra), "<f8", maxshape=(len(parts), None))
        for i, part in enumerate(parts):
            length = min(4, part.shape[-1])
            layout[i, extra:extra + length] = h5py.VirtualSource(part)[(0,) * (len(part.shape) - 1) + (slice(0, length),)]
        f.create_virtual_dataset(path, layout, fillvalue=-1)
        return self.plain(f[path][...], f)

    def sources(self, slot, path):
        d = self.files[slot][path]
        return [(m.file_name, m.dset_name, m.vspace.get_select_bounds(), m.src_space.get_select_bounds()) for m in d.virtual_sources()] if d.is_virtual else None
