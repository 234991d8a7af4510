"""What is in a file that h5py has open, as the model of a report (src/command/report/README.md)."""

from __future__ import annotations

import itertools
import os
import time

from ._view_figures import Figures
from ._view_table import Tables
from ._view_text import TEXT_MAX, cut, number, product, sizes, text_of

# What lies beyond is said to be left out.
MEMBERS_MAX = 500  # of one group
ATTRIBUTES_MAX = 100  # of one object
ATTRIBUTE_MAX = 1 << 20  # bytes of one attribute that is read
LEVELS_MAX = 500
SECONDS_MAX = 20  # for pictures, maps and tables of all objects; more only for the one under way
TABLES_MAX = 50  # tables with rows


class Walk:
    """The model, group by group."""

    def __init__(self, h5py, root, quick, nodes_max):
        import numpy

        self.h5py, self.numpy, self.quick, self.nodes_max = h5py, numpy, quick, nodes_max
        self.deadline = time.monotonic() + SECONDS_MAX
        self.figures, self.tables = Figures(self), Tables(self)
        self.met, self.count, self.left, self.left_figures, self.left_tables, self.tables_made = {}, 0, 0, 0, 0, 0
        self.totals = dict.fromkeys(("groups", "arrays", "types", "links", "attributes"), 0)
        self.file = root.file
        path, file = root.name or "/", str(self.file.filename)
        self.tree = self.node(0, path, path)
        waiting = [(self.tree, root)]
        self.describe(self.tree, root)
        for node, group in waiting:  # it grows
            if isinstance(group, h5py.Group):
                waiting += self.members(node, group)
        self.sum()
        self.model = {
            "report": 1,
            "name": text_of(os.path.basename(file) or file),
            "facts": [["File", text_of(file)], ["Kind", f"open in h5py, driver {self.file.driver}, mode {self.file.mode}"]],
            "totals": self.totals,
            "notes": self.notes(),
            "check": {"text": "Not checked: it was read through the open handle of h5py."},
            "nodes": list(self.flat()),
        }
        self.model["largest"] = self.largest()
        self.model["made"] = time.strftime("Made by vol_zarr.view, %Y-%m-%d %H:%M UTC.", time.gmtime())

    def node(self, level, name, path):
        self.count += 1
        return {"level": level, "name": text_of(name), "path": text_of(path), "below": []}

    def notes(self):
        notes = [f"{self.left} objects at least: at most {MEMBERS_MAX} members of a group are shown, and {self.nodes_max} objects in all."] * bool(self.left)
        notes += [f"Elements and chunks of {self.left_figures} arrays: they are looked at for {SECONDS_MAX} seconds."] * bool(self.left_figures)
        notes += [f"Rows of {self.left_tables} tables: at most {TABLES_MAX} are looked at, for {SECONDS_MAX} seconds."] * bool(self.left_tables)
        return notes + ["Elements and chunks (quick=True)."] * self.quick

    def flat(self):
        stack = [self.tree]
        while stack:
            node = stack.pop()
            stack += reversed(node["below"])
            yield {key: value for key, value in node.items() if key != "below"}

    def largest(self):
        arrays = [(node.get("stored", 0), i) for i, node in enumerate(self.model["nodes"]) if node["kind"] == "array" and node.get("stored")]
        return [{"path": self.model["nodes"][i]["path"], "node": i, "stored": stored} for stored, i in sorted(arrays, key=lambda a: (-a[0], a[1]))[:10]]

    def sum(self):
        """Sizes of groups, those of what lies deepest first."""
        stack, order = [self.tree], []
        while stack:
            order.append(stack.pop())
            stack += order[-1]["below"]
        for node in reversed(order):
            below = [n for n in node["below"] if n["kind"] not in ("link", "type")]
            for key in ("stored", "decoded"):
                if node["kind"] == "group" and all(key in n for n in below):
                    node[key] = sum(n[key] for n in below)
        if not self.left:
            self.totals.update({key: self.tree[key] for key in ("stored", "decoded") if key in self.tree})

    def members(self, node, group):
        """Adds them; those to be gone into."""
        found = []
        node["members"] = len(group)
        room = min(MEMBERS_MAX, self.nodes_max - self.count) if node["level"] < LEVELS_MAX else 0
        for name in itertools.islice(group, max(room, 0)):
            child = self.node(node["level"] + 1, name, f"{node['path'].rstrip('/')}/{name}")
            node["below"].append(child)
            try:
                link = group.get(name, getlink=True)
                if isinstance(link, self.h5py.HardLink):
                    member = group[name]
                    self.describe(child, member)
                    found.append((child, member))
                else:
                    self.totals["links"] += 1
                    child.update(kind="link", target=text_of(f"to {getattr(link, 'filename', '')}{':' * hasattr(link, 'filename')}{link.path}"))
            except Exception as error:  # hostile files fail in every way
                child.update(kind="unreadable", notes=[text_of(f"It cannot be read: {error}")])
        if len(node["below"]) < node["members"]:
            self.left += node["members"] - len(node["below"])
            node.setdefault("notes", []).append(f"{node['members'] - len(node['below'])} of its members are not shown.")
        return [(child, member) for child, member in found if child["kind"] == "group"]

    def describe(self, node, member):
        try:
            key = hash(member.id)
        except TypeError:
            key = None
        if key is not None and key in self.met:
            self.totals["links"] += 1
            node.update(kind="link", target="another name of " + self.met[key])
            return
        self.met[key] = node["path"]
        if isinstance(member, self.h5py.Dataset):
            self.totals["arrays"] += 1
            node["kind"] = "array"
            self.array(node, member)
        elif isinstance(member, self.h5py.Datatype):
            self.totals["types"] += 1
            node.update(kind="type", type=text_of(member.dtype))
        else:
            self.totals["groups"] += 1
            node["kind"] = "group"
            if not self.quick:
                self.table(node, member)
        self.attributes(node, member)

    # ---- attributes ----

    def attributes(self, node, member):
        count = self.h5py.h5a.get_num_attrs(member.id)
        self.totals["attributes"] += count
        node["attributes"] = [self.attribute(member, i) for i in range(min(count, ATTRIBUTES_MAX))]
        if count > ATTRIBUTES_MAX:
            node.setdefault("notes", []).append(f"{count - ATTRIBUTES_MAX} more attributes are not shown.")

    def attribute(self, member, index):
        made = {"name": f"number {index}"}
        try:
            opened = self.h5py.h5a.open(member.id, index=index)
            made["name"] = text_of(opened.name)
            made["type"] = self.type_words(opened.dtype)
            if opened.get_storage_size() > ATTRIBUTE_MAX:
                return {**made, "note": f"{opened.get_storage_size()} bytes: not read"}
            text, note = cut(self.words(member.attrs[opened.name]))
            return {**made, "value": text_of(text), **({"note": note} if note else {})}
        except Exception as error:
            return {**made, "note": text_of(f"it cannot be read: {error}")}

    def type_words(self, dtype):
        text = self.h5py.check_string_dtype(dtype)
        if text:
            size = f" of {text.length} bytes" if text.length is not None else ""
            return f"text{size} ({'UTF-8' if text.encoding == 'utf-8' else 'ASCII'})"
        if dtype.kind in "iufb" and not self.h5py.check_enum_dtype(dtype):
            return dtype.name + " big-endian" * (dtype.byteorder == ">")
        return text_of(dtype)[:TEXT_MAX]

    def words(self, value):
        numpy, h5py = self.numpy, self.h5py
        if isinstance(value, bytes):
            return value.decode("utf-8", "surrogateescape")
        if isinstance(value, numpy.ndarray) and value.shape:
            flat = value.ravel()
            return "[" + ", ".join(self.words(v) for v in flat[:TEXT_MAX]) + (", ..." if flat.size > TEXT_MAX else "") + "]"
        if isinstance(value, h5py.Reference):  # of a region, too
            name = h5py.h5r.get_name(value, self.file.id) if value else None
            return f"reference to {self.words(name)}" if name else "null reference"
        if isinstance(value, (complex, numpy.complexfloating)):
            return f"{number(value.real)}{'' if str(value.imag)[0] == '-' and value.imag else '+'}{number(value.imag)}j"
        if isinstance(value, numpy.void) and not value.dtype.names:
            return "0x" + value.tobytes().hex()
        if isinstance(value, numpy.timedelta64) and not numpy.isnat(value):
            return f"{value.astype('i8')} {numpy.datetime_data(value.dtype)[0]}"
        if isinstance(value, (bool, numpy.bool_)):
            return "TRUE" if value else "FALSE"
        return "null" if isinstance(value, h5py.Empty) else number(value) if isinstance(value, (int, float, numpy.number)) else str(value)

    # ---- arrays and tables ----

    def array(self, node, array):
        notes = node.setdefault("notes", [])
        shape = array.shape
        node["shape"] = "null" if shape is None else sizes(shape) if shape else "scalar"
        node["type"] = self.type_words(array.dtype)
        node["storage"] = self.storage(array)
        node["stored"] = array.id.get_storage_size()
        if shape is not None and not array.dtype.hasobject:
            node["decoded"] = product(shape) * array.dtype.itemsize
        if self.quick or shape is None or 0 in shape:
            return
        if time.monotonic() > self.deadline:
            self.left_figures += 1
            notes.append("Its elements and chunks were not looked at.")
            return
        self.table(node, array)
        self.figures.add(node, array)

    def storage(self, array):
        dcpl = array.id.get_create_plist()
        filters = [dcpl.get_filter(i)[3].decode("utf-8", "replace") or str(dcpl.get_filter(i)[0]) for i in range(dcpl.get_nfilters())]
        return text_of("  ".join(([f"chunks {sizes(array.chunks)}"] if array.chunks else []) + ([", ".join(filters)] if filters else [])))

    def table(self, node, member):
        """Rows of a dataframe, a sparse matrix, compound data."""
        if not self.tables.is_one(member):
            return
        notes = node.setdefault("notes", [])
        if self.tables_made >= TABLES_MAX or time.monotonic() > self.deadline:
            self.left_tables += 1
            notes.append("Its rows were not looked at.")
            return
        self.tables_made += 1
        try:
            node["table"] = self.tables.of(member, notes)
        except Exception as error:
            notes.append(text_of(f"It is no table: {error}"))
            return
        if node["table"]["noun"] == "element":
            self.figures.matrix(node, member)
