"""What is in a store or an HDF5 file, as a page for Jupyter: h5zarr report makes it, of a path or of what h5py has open."""

from __future__ import annotations

import base64
import html
import itertools
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import time
import zlib

from . import _hdf5

# Of an object that h5py has open. What lies beyond is said to be left out.
MEMBERS_MAX = 500  # of one group
ATTRIBUTES_MAX = 100  # of one object
ATTRIBUTE_MAX = 1 << 20  # bytes of one attribute that is read
TEXT_MAX = 2000  # characters of a value
LEVELS_MAX = 500
SECONDS_MAX = 20  # for pictures and maps of all arrays; more only for the one under way
BYTES_MAX = 16 << 20  # of decoded chunks behind one picture
PIXELS_MAX = 128  # of a picture along a side
SQUARES_MAX = 32  # of a map along a side
CHUNKS_MAX = 100_000  # stored chunks of one array that are listed
ELEMENTS_MAX = 10  # first elements, where there is no picture


class View:
    """A page that Jupyter shows. It has no script, and its frame lets none run and nothing be loaded."""

    def __init__(self, name: str, page: str):
        self.name = name
        self.html = page  #: the page as it stands alone in a browser

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page into a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        name = "".join(c if c.isprintable() else "\ufffd" for c in self.name)
        return (
            f'<iframe sandbox="" title="h5zarr report of {html.escape(name, quote=True)}" '
            f'style="width:100%;height:40rem;border:1px solid #888" srcdoc="{html.escape(self.html, quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<vol_zarr.View of {self.name!r}: shown by Jupyter, or written by save(path)>"


def view(source, *, quick: bool = False, check: bool = False, nodes: int = 1000) -> View:
    """Shows a Zarr store, an HDF5 file or a part of one in Jupyter: objects, sizes, attributes, pictures of arrays, maps of chunks.

    `source` is a path or URL, as `h5zarr report` takes it, or an h5py File, Group or Dataset, which is read through its open handle.
    `quick` reads no elements and no chunks, `check` reads all chunks of a store, `nodes` is how many objects are shown at most.

    >>> import vol_zarr
    >>> vol_zarr.view("cells.zarr").save("cells.html")       # doctest: +SKIP

    OSError: it cannot be opened, or h5zarr is not here. ValueError: the object of h5py is closed."""
    h5py = sys.modules.get("h5py")
    options = [f"--nodes={int(nodes)}"] + ["--quick"] * bool(quick) + ["--check"] * bool(check)
    if h5py and isinstance(source, h5py.HLObject):
        if not source:
            raise ValueError("this object of h5py is closed")
        model = _Walk(h5py, source, bool(quick), int(nodes)).model
        return View(model["name"], _run(["--from-json=-"], json.dumps(model).encode("utf-8", "surrogatepass")))
    path = os.fspath(source)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    return View(os.path.basename(path.rstrip("/")) or path, _run([*options, "--", path], None))


def _program() -> str:
    plugins = [_hdf5.PLUGIN, *filter(None, os.environ.get("HDF5_PLUGIN_PATH", "").split(":"))]
    for plugin in plugins:
        program = os.path.join(os.path.dirname(os.path.abspath(plugin)), "bin", "h5zarr")
        if os.path.exists(program):
            return program
    found = shutil.which("h5zarr")
    if not found:
        raise FileNotFoundError("h5zarr is not here. Install it again: pip install --force-reinstall vol-zarr")
    return found


def _run(arguments, given):
    done = subprocess.run([_program(), "report", "--output=-", *arguments], input=given, capture_output=True, env={"VIRTUAL_ENV": sys.prefix, **os.environ})
    if not done.stdout:  # a page that tells of something wrong is one, whatever the exit status
        raise OSError(done.stderr.decode("utf-8", "replace").strip().removeprefix("h5zarr: ") or f"h5zarr report ended with {done.returncode}")
    return done.stdout.decode("utf-8")


# ---- what h5py has open ----


def _text(value) -> str:
    """Text that is no UTF-8 in the form that h5zarr takes it in."""
    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape" if _escaped(value) else "surrogatepass")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "base64:" + base64.b64encode(data.replace(b"\0", b"")).decode()


def _escaped(value):
    return all("\udc80" <= c <= "\udcff" for c in str(value) if "\ud800" <= c <= "\udfff")


def _cut(text):
    return (text, None) if len(text) <= TEXT_MAX else (text[:TEXT_MAX], f"(the first {TEXT_MAX} of {len(text)} characters)")


def _sizes(sizes):
    return "(" + ", ".join(map(str, sizes)) + (",)" if len(sizes) == 1 else ")")


def _product(numbers):
    return math.prod(int(n) for n in numbers)


class _Walk:
    """The model of a report (src/command/report), group by group."""

    def __init__(self, h5py, root, quick, nodes_max):
        import numpy

        self.h5py, self.numpy, self.quick, self.nodes_max = h5py, numpy, quick, nodes_max
        self.deadline = time.monotonic() + SECONDS_MAX
        self.met, self.count, self.left, self.left_figures = {}, 0, 0, 0
        self.totals = dict.fromkeys(("groups", "arrays", "types", "links", "attributes"), 0)
        path, file = root.name or "/", str(root.file.filename)
        self.tree = self.node(0, path, path)
        waiting = [(self.tree, root)]
        self.describe(self.tree, root)
        for node, group in waiting:  # it grows
            if isinstance(group, h5py.Group):
                waiting += self.members(node, group)
        self.sum()
        self.model = {
            "report": 1,
            "name": _text(os.path.basename(file) or file),
            "facts": [["File", _text(file)], ["Kind", f"open in h5py, driver {root.file.driver}, mode {root.file.mode}"]],
            "totals": self.totals,
            "notes": self.notes(),
            "check": {"text": "Not checked: it was read through the open handle of h5py."},
            "nodes": list(self.flat()),
        }
        self.model["largest"] = self.largest()
        self.model["made"] = time.strftime("Made by vol_zarr.view, %Y-%m-%d %H:%M UTC.", time.gmtime())

    def node(self, level, name, path):
        self.count += 1
        return {"level": level, "name": _text(name), "path": _text(path), "below": []}

    def notes(self):
        notes = [f"{self.left} objects at least: at most {MEMBERS_MAX} members of a group are shown, and {self.nodes_max} objects in all."] * bool(self.left)
        notes += [f"Elements and chunks of {self.left_figures} arrays: they are looked at for {SECONDS_MAX} seconds."] * bool(self.left_figures)
        return notes + ["Elements and chunks (quick=True)."] * self.quick

    def flat(self):
        stack = [self.tree]
        while stack:
            node = stack.pop()
            stack += reversed(node["below"])
            yield {key: value for key, value in node.items() if key not in ("below", "sizes")}

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
                    child.update(kind="link", target=_text(f"to {getattr(link, 'filename', '')}{':' * hasattr(link, 'filename')}{link.path}"))
            except Exception as error:  # hostile files fail in every way
                child.update(kind="unreadable", notes=[_text(f"It cannot be read: {error}")])
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
            node.update(kind="type", type=_text(member.dtype))
        else:
            self.totals["groups"] += 1
            node["kind"] = "group"
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
            made["name"] = _text(opened.name)
            made["type"] = self.type_words(opened.dtype)
            if opened.get_storage_size() > ATTRIBUTE_MAX:
                return {**made, "note": f"{opened.get_storage_size()} bytes: not read"}
            text, note = _cut(self.words(member.attrs[opened.name]))
            return {**made, "value": _text(text), **({"note": note} if note else {})}
        except Exception as error:
            return {**made, "note": _text(f"it cannot be read: {error}")}

    def type_words(self, dtype):
        text = self.h5py.check_string_dtype(dtype)
        if text:
            return f"text ({'UTF-8' if text.encoding == 'utf-8' else 'ASCII'})"
        return _text(dtype)[:TEXT_MAX]

    def words(self, value):
        if isinstance(value, bytes):
            return value.decode("utf-8", "surrogateescape")
        if isinstance(value, self.numpy.ndarray) and value.shape:
            flat = value.ravel()
            return ", ".join(self.words(v) for v in flat[:TEXT_MAX]) + (", ..." if flat.size > TEXT_MAX else "")
        return "null" if isinstance(value, self.h5py.Empty) else str(value)

    # ---- arrays ----

    def array(self, node, array):
        notes = node.setdefault("notes", [])
        shape = array.shape
        node["shape"] = "null" if shape is None else _sizes(shape) if shape else "scalar"
        node["type"] = self.type_words(array.dtype)
        node["storage"] = self.storage(array)
        node["stored"] = array.id.get_storage_size()
        if shape is not None and not array.dtype.hasobject:
            node["decoded"] = _product(shape) * array.dtype.itemsize
        if self.quick or shape is None or 0 in shape:
            return
        if time.monotonic() > self.deadline:
            self.left_figures += 1
            notes.append("Its elements and chunks were not looked at.")
            return
        for make in (self.map, self.elements):
            try:
                make(node, array)
            except Exception as error:
                notes.append(_text(f"It cannot be read: {error}"))

    def storage(self, array):
        dcpl = array.id.get_create_plist()
        filters = [dcpl.get_filter(i)[3].decode("utf-8", "replace") or str(dcpl.get_filter(i)[0]) for i in range(dcpl.get_nfilters())]
        return _text("  ".join(([f"chunks {_sizes(array.chunks)}"] if array.chunks else []) + ([", ".join(filters)] if filters else [])))

    def elements(self, node, array):
        part = self.part(array) if array.dtype.kind in "biuf" and array.shape else None
        if part:
            self.picture(node, array, part)
        elif self.cost(array, first := tuple(slice(0, 1) for _ in array.shape[:-1]) + (slice(0, ELEMENTS_MAX),) * bool(array.shape)) <= BYTES_MAX:
            values = self.numpy.asarray(array[first] if array.shape else array[()]).ravel()
            more = _product(array.shape) > values.size
            node["elements"] = _text(_cut("\n".join(self.words(v) for v in values) + "\n..." * more)[0])
        else:
            node["notes"].append("Its chunks are large: its elements were not looked at.")

    def cost(self, array, part):
        """Bytes of the chunks in which elements of the part lie, of whole rows where there are no chunks."""
        chunks = array.chunks or (1,) * max(len(array.shape) - 1, 0) + array.shape[-1:]
        touched = 1
        for index, chunk, length in zip(part, chunks, array.shape):
            at = index if isinstance(index, slice) else slice(index, index + 1)
            begin, end, step = at.indices(length)
            touched *= max(1, min(len(range(begin, end, step)), -(-(end - begin) // chunk)))
        return touched * _product(chunks) * max(array.dtype.itemsize, 16 * array.dtype.hasobject)

    def part(self, array):
        """The last two dimensions, in the middle of others, by steps; their first elements where that takes too much."""
        before = tuple(length // 2 for length in array.shape[:-2])
        most = PIXELS_MAX if array.ndim > 1 else PIXELS_MAX * 8
        strided = before + tuple(slice(0, length, -(-length // most)) for length in array.shape[-2:])
        first = before + tuple(slice(0, min(length, most)) for length in array.shape[-2:])
        return next((part for part in (strided, first) if self.cost(array, part) <= BYTES_MAX), None)

    def picture(self, node, array, part):
        numpy = self.numpy
        values = numpy.asarray(array[part]).astype("f8")
        finite = numpy.isfinite(values)
        count, total = values.size, _product(array.shape)
        low, high = (float(values[finite].min()), float(values[finite].max())) if finite.any() else (0.0, 0.0)
        shown = ", ".join(f"{p.start}:{p.stop}:{p.step}" if p.step not in (None, 1) else f"{p.start}:{p.stop}" for p in part if isinstance(p, slice))
        shown = "[" + ", ".join([*(str(p) for p in part if not isinstance(p, slice)), shown]) + "]"
        if finite.any():
            node["statistics"] = [["Range", f"{low:.6g} to {high:.6g}"], ["Mean", f"{values[finite].mean():.6g}"]]
            node["statistics"] += [["Counted", f"{count} of {total} elements, a sample"]] * (count < total)
        scaled = numpy.where(finite, values - low, 0) / ((high - low) or 1)
        if array.ndim == 1:
            levels = numpy.rint(scaled * (SQUARES_MAX - 1)).astype(int)
            grey = numpy.full((SQUARES_MAX, PIXELS_MAX), 255, "u1")
            columns = numpy.arange(count) * PIXELS_MAX // count
            for column in numpy.unique(columns):
                there = levels[(columns == column) & finite]
                if there.size:
                    grey[SQUARES_MAX - 1 - there.max() : SQUARES_MAX - there.min(), column] = 0
            alpha = numpy.full_like(grey, 255)
            text = f"{shown}, a curve from {low:.6g} at the bottom to {high:.6g} at the top"
        else:
            grey, alpha = numpy.rint(scaled * 255).astype("u1"), numpy.where(finite, 255, 0).astype("u1")
            text = f"{shown}, from black for {low:.6g} to white for {high:.6g}"
            text += f"; {int((~finite).sum())} of {count} pixels have no value, and are hatched" * (not finite.all())
        height, width = grey.shape
        node["picture"] = {"width": width, "height": height, "text": text, "png": _png(grey, alpha)}

    def map(self, node, array):
        if not array.chunks or not hasattr(array.id, "chunk_iter"):
            return
        grid = [-(-length // chunk) for length, chunk in zip(array.shape, array.chunks)]
        if _product(grid) == 1:
            return
        rows, columns = ([1] + grid)[-2:] if array.ndim < 2 else (grid[-2], grid[-1])
        of = -(-rows // SQUARES_MAX), -(-columns // SQUARES_MAX)  # chunks in a square
        height, width = -(-rows // of[0]), -(-columns // of[1])
        cells, sizes = [0] * (height * width), []

        def take(chunk):
            at = ([0] + [o // c for o, c in zip(chunk.chunk_offset, array.chunks)])[-2:]
            cells[at[0] // of[0] * width + at[1] // of[1]] += max(chunk.size, 1)
            sizes.append(chunk.size)
            return True if len(sizes) >= CHUNKS_MAX else None

        array.id.chunk_iter(take)
        text = f"{len(sizes)} of {_product(grid)} chunks are stored"
        if sizes:
            text += f", of {min(sizes)} to {max(sizes)} bytes"
        if array.ndim > 2 or _product(of) > 1:
            text += "; a square stands for several chunks"
        text += f"; not more than {CHUNKS_MAX} were listed" * (len(sizes) >= CHUNKS_MAX)
        most = max(cells) or 1
        node["map"] = {"columns": width, "rows": height, "text": text, "cells": [-(-100 * cell // most) for cell in cells]}


def _png(grey, alpha):
    """Grey with transparency, as base64."""
    rows = b"".join(b"\0" + b"".join(bytes(pair) for pair in zip(*both)) for both in zip(grey.tolist(), alpha.tolist()))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", len(grey[0]), len(grey), 8, 4, 0, 0, 0)), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    chunks = (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode()
