"""Of an array that h5py has open: statistics, a picture or its first elements, a map of its chunks. Elements of chunks that are not stored count as
none, as in h5zarr report."""

from __future__ import annotations

import base64
import itertools
import math
import re
import struct
import zlib

from ._view_text import cut, number, product, text_of

BYTES_MAX = 16 << 20  # of decoded chunks behind one picture, and behind statistics
ELEMENTS_MAX = 1 << 20  # of which statistics are made
PIXELS_MAX = 128  # of a picture along a side
SQUARES_MAX = 32  # of a map along a side
CHUNKS_MAX = 100_000  # stored chunks of one array that are listed
WITHIN = 160  # grey between the least and the greatest element
FIRST_MAX = 10  # first elements, where there is no picture
DISTINCT_MAX, DISTINCT_SHOWN = 1024, 10
UNITS = re.compile(r"(days?|d|hours?|hrs?|h|minutes?|mins?|seconds?|secs?|s) since (\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(?: ?(?:Z|UTC))?")
SCALES = {"d": 86_400_000_000, "h": 3_600_000_000, "m": 60_000_000, "s": 1_000_000}  # microseconds


def cost(array, part):
    """Bytes of the chunks in which elements of the part lie, of whole rows where there are no chunks."""
    chunks = array.chunks or (1,) * max(len(array.shape) - 1, 0) + array.shape[-1:]
    touched = 1
    for index, chunk, length in zip(part, chunks, array.shape):
        at = index if isinstance(index, slice) else slice(index, index + 1)
        begin, end, step = at.indices(length)
        touched *= max(1, min(len(range(begin, end, step)), -(-(end - begin) // chunk)))
    return touched * product(chunks) * max(array.dtype.itemsize, 16 * array.dtype.hasobject)


class Stored:
    """The chunks of an array that are stored, {their places in the grid: bytes}; None for `sizes`: it is not known."""

    def __init__(self, array):
        self.grid = [-(-length // chunk) for length, chunk in zip(array.shape, array.chunks or ())]
        self.sizes = {} if array.chunks and hasattr(array.id, "chunk_iter") else None
        if self.sizes is not None:
            array.id.chunk_iter(lambda chunk: self.take(chunk, array.chunks))
        self.whole = self.sizes is not None and len(self.sizes) < CHUNKS_MAX
        self.absent = product(self.grid) - len(self.sizes) if self.whole else 0

    def take(self, chunk, shape):
        at = tuple(o // c for o, c in zip(chunk.chunk_offset, shape))
        if all(i < n for i, n in zip(at, self.grid)):
            self.sizes[at] = chunk.size
        return True if len(self.sizes) >= CHUNKS_MAX else None


class Figures:
    def __init__(self, walk):
        self.walk, self.numpy = walk, walk.numpy

    def add(self, node, array):
        stored = None
        try:
            stored = Stored(array)
            self.map(node, stored)
        except Exception as error:  # hostile files fail in every way
            self.failed(node, error)
        for make in (self.statistics, self.elements):
            try:
                make(node, array, stored)
            except Exception as error:
                self.failed(node, error)

    def failed(self, node, error):
        note = text_of(f"It cannot be read: {error}")
        if note not in node["notes"]:
            node["notes"].append(note)

    # ---- statistics ----

    def values(self, array, stored):
        """Elements that are stored, and whether they are a sample."""
        everything = tuple(slice(0, length) for length in array.shape)
        if product(array.shape) <= ELEMENTS_MAX and cost(array, everything) <= BYTES_MAX and not (stored and stored.absent):
            return self.numpy.asarray(array[()]).ravel(), False
        if stored and stored.sizes is not None:
            size = product(array.chunks) * max(array.dtype.itemsize, 16 * array.dtype.hasobject)
            most = max(1, min(BYTES_MAX // size, ELEMENTS_MAX // product(array.chunks))) if size <= 4 * BYTES_MAX else 0
            places = sorted(stored.sizes)
            chosen = places[:: -(-len(places) // most)] if most and places else []
            parts = [array[tuple(slice(i * c, min((i + 1) * c, n)) for i, c, n in zip(at, array.chunks, array.shape))].ravel() for at in chosen]
            return self.numpy.concatenate(parts or [self.numpy.empty(0, array.dtype)]), len(chosen) < len(places) or not stored.whole
        part = self.part(array)
        return (self.numpy.asarray(array[part]).ravel(), True) if part else (self.numpy.empty(0, array.dtype), True)

    def matrix(self, node, group):
        """Statistics of a sparse matrix: elements that are not stored are 0."""
        try:
            self.zeros_and(node, group["data"], product(int(n) for n in group.attrs["shape"]))
        except Exception as error:  # hostile files fail in every way
            self.failed(node, error)

    def zeros_and(self, node, data, places):
        stored = Stored(data)
        if data.dtype.kind not in "biuf" or data.ndim != 1 or self.names(data):
            return
        if data.size > places:
            raise ValueError(f"{data.size} elements are stored in {places} places")
        values, is_sample = self.values(data, stored)
        zeros = places - data.size
        taken = int(zeros * values.size / data.size) if is_sample and data.size else zeros
        made = self.numbers(data, values, taken) if data.dtype.kind != "b" else []
        made += self.distinct(values, taken)
        if zeros:
            made.append(["Not stored", f"{zeros} element{', which is' if zeros == 1 else 's, which are'} 0"])
        node["statistics"] = made + self.gaps(data, stored) + self.counted(values.size + taken, places, is_sample)

    def gaps(self, array, stored):
        if not stored or not stored.absent:
            return []
        return [["Not stored", f"{stored.absent} chunk{'s' * (stored.absent != 1)}, read as {self.walk.words(array.fillvalue)}"[:200]]]

    def counted(self, count, of, is_sample):
        return [["Counted", f"{count} of {of} elements{', a sample' * is_sample}"]] if is_sample or count < of else []

    def statistics(self, node, array, stored):
        is_text = self.walk.h5py.check_string_dtype(array.dtype) is not None
        if array.dtype.kind not in "biuf" and not is_text:
            return
        values, is_sample = self.values(array, stored)
        names = self.names(array)
        if names:
            values = self.numpy.array([names(v) for v in values], object)
        elif is_text:
            values = self.numpy.array([v if isinstance(v, bytes) else str(v).encode("utf-8", "surrogateescape") for v in values], object)
        made = self.texts(values) if is_text else self.numbers(array, values) if array.dtype.kind != "b" and not names else []
        made += self.distinct(values)
        node["statistics"] = made + self.gaps(array, stored) + self.counted(values.size, product(array.shape), is_sample)

    def names(self, array):
        """The words of an enumeration's numbers; None: it is none."""
        enum = self.walk.h5py.check_enum_dtype(array.dtype)
        known = {value: name for name, value in enum.items()} if enum else None
        return (lambda value: known.get(int(value), str(value))) if known else None

    def texts(self, values):
        lengths = [len(v) for v in values]
        return [["Texts", f"{min(lengths)} to {max(lengths)} bytes, {lengths.count(0)} empty"]] if lengths else []

    def numbers(self, array, values, zeros=0):
        """Of them, and so many zeros besides."""
        numpy, made = self.numpy, []
        finite = values[numpy.isfinite(values)]
        known = values[~numpy.isnan(values)]
        if known.size + zeros:
            ends = numpy.append(known, numpy.zeros(int(zeros > 0), known.dtype))
            low, high = ends.min(), ends.max()
            dates = [self.date(array, value) for value in (low, high)]
            made.append(["Range", f"{number(low)} to {number(high)}" + (f", {dates[0]} to {dates[1]}" if all(dates) else "")])
        count = finite.size + zeros
        if count:
            wide = finite.astype("f8")
            mean = wide.sum() / count
            deviation = math.sqrt((((wide - mean) ** 2).sum() + zeros * mean ** 2) / count)
            made += [["Mean", f"{mean:.6g}"], ["Standard deviation", f"{deviation:.6g}"]]
        made += [["NaN", str(values.size - known.size)]] * (known.size < values.size)
        return made + [["Infinite", str(known.size - finite.size)]] * (finite.size < known.size)

    def date(self, array, value):
        """Of CF's units of time in the calendar that we live by; None: it is none."""
        numpy, units, calendar = self.numpy, *(self.walk.tables.word(array, name) for name in ("units", "calendar"))
        found = UNITS.fullmatch(units) if calendar in ("", "standard", "gregorian", "proleptic_gregorian") else None
        if not found or not numpy.isfinite(value) or abs(value) > 1e9:
            return None
        try:
            begin = numpy.datetime64(f"{found[2]}T{found[3] or '00:00'}", "us")
        except ValueError:
            return None
        time = begin + numpy.timedelta64(round(float(value) * SCALES[found[1][0]]), "us")
        if calendar != "proleptic_gregorian" and min(begin, time) < numpy.datetime64("1582-10-15"):
            return None
        text = str(time).replace("T", " ").removesuffix(".000000").removesuffix(" 00:00:00")
        return text.rstrip("0") if "." in text else text

    def distinct(self, values, zeros=0):
        """How many there are, and of few how often."""
        if values.dtype.kind == "f":
            values = values[~self.numpy.isnan(values)]
        found, first, counts = self.numpy.unique(self.numpy.append(values, self.numpy.zeros(int(zeros > 0), values.dtype)), return_index=True, return_counts=True)
        counts += (found == 0) * max(zeros - 1, 0) if zeros else 0
        if not 0 < len(found) <= DISTINCT_MAX:
            return []
        order = sorted(range(len(found)), key=lambda i: (-counts[i], first[i])) if len(found) <= DISTINCT_SHOWN else []
        named = [self.walk.words(found[i]) for i in order]
        shown = ", ".join(f"{name[:60]} ({counts[i]})" for i, name in zip(order, named))
        return [["Different values", text_of(f"{len(found)}{': ' * bool(shown)}{shown}")]]

    # ---- elements ----

    def elements(self, node, array, stored):
        names = self.names(array) or self.walk.words
        part = self.part(array) if array.dtype.kind in "biuf" and array.shape and names == self.walk.words else None
        if part:
            self.picture(node, array, part, stored)
        elif "table" in node:
            return
        elif cost(array, first := tuple(slice(0, 1) for _ in array.shape[:-1]) + (slice(0, FIRST_MAX),) * bool(array.shape)) <= BYTES_MAX:
            values = self.numpy.asarray(array[first] if array.shape else array[()]).ravel()
            words = "\n".join(names(v).replace("\n", "\\n") for v in values) + "\n..." * (product(array.shape) > values.size)
            node["elements"] = text_of(cut(words)[0])
        else:
            node["notes"].append("Its chunks are large: its elements were not looked at.")

    def has_colours(self, array):
        return array.ndim > 2 and array.dtype == "u1" and array.shape[-1] in (3, 4)

    def part(self, array):
        """The last two dimensions, in the middle of others, by steps; their first elements where that takes too much. Behind them colours."""
        colours = (slice(0, 3),) if self.has_colours(array) else ()
        shape = array.shape[: array.ndim - len(colours)]
        before = tuple(length // 2 for length in shape[:-2])
        most = PIXELS_MAX if len(shape) > 1 else PIXELS_MAX * 8
        strided = before + tuple(slice(0, length, -(-length // most)) for length in shape[-2:]) + colours
        first = before + tuple(slice(0, min(length, most)) for length in shape[-2:]) + colours
        return next((part for part in (strided, first) if cost(array, part) <= BYTES_MAX), None)

    def are_stored(self, array, part, stored, shape):
        """Of each element of the part: does its chunk exist?"""
        numpy = self.numpy
        if not stored or not stored.absent:
            return numpy.ones(shape, bool)
        places = [[i // c for i in range(*p.indices(n))] if isinstance(p, slice) else [p // c] for p, c, n in zip(part, array.chunks, array.shape)]
        return numpy.fromiter((at in stored.sizes for at in itertools.product(*places)), bool).reshape(shape)

    def picture(self, node, array, part, stored):
        numpy = self.numpy
        values = numpy.asarray(array[part])
        if self.has_colours(array):
            node["picture"] = self.coloured(array, part, values, self.are_stored(array, part, stored, values.shape))
            return
        values = values.astype("f8")
        shown = numpy.isfinite(values) & self.are_stored(array, part, stored, values.shape)
        if not shown.any():
            return
        low, high = float(values[shown].min()), float(values[shown].max())
        scaled = numpy.where(shown, values - low, 0) / ((high - low) or 1)
        words = self.part_words(part)
        if array.ndim == 1:
            grey, alpha = self.curve(scaled, shown)
            text = f"[{words}], a curve from {low:.6g} at the bottom to {high:.6g} at the top"
        else:
            grey, alpha = numpy.rint(scaled * 255).astype("u1"), numpy.where(shown, 255, 0).astype("u1")
            text = f"[{words}], from black for {low:.6g} to white for {high:.6g}"
            text += f"; {int((~shown).sum())} of {values.size} pixels have no value, and are hatched" * (not shown.all())
        height, width = grey.shape
        node["picture"] = {"width": width, "height": height, "text": text, "png": png(grey, alpha)}

    def part_words(self, part):
        return ", ".join(f"{p.start}:{p.stop}" + f":{p.step}" * (p.step not in (None, 1)) if isinstance(p, slice) else str(p) for p in part)

    def coloured(self, array, part, values, shown):
        alpha = self.numpy.where(shown[..., 0], 255, 0).astype("u1")
        height, width = alpha.shape
        return {"width": width, "height": height, "text": f"[{self.part_words(part)}], in their colours", "png": png(values, alpha)}

    def curve(self, scaled, shown):
        """Of each column the range from its least to its greatest element."""
        numpy = self.numpy
        levels = numpy.rint(scaled * (SQUARES_MAX - 1)).astype(int)
        grey = numpy.full((SQUARES_MAX, PIXELS_MAX), 255, "u1")
        columns = numpy.arange(scaled.size) * PIXELS_MAX // scaled.size
        for column in numpy.unique(columns):
            there = levels[(columns == column) & shown]
            if there.size:
                low, high = SQUARES_MAX - 1 - there.min(), SQUARES_MAX - 1 - there.max()
                grey[high:low, column] = WITHIN
                grey[[low, high], column] = 0
        return grey, numpy.full_like(grey, 255)

    # ---- chunks ----

    def map(self, node, stored):
        if stored.sizes is None or product(stored.grid) < 2:
            return
        rows, columns = ([1] + stored.grid)[-2:]
        of = -(-rows // SQUARES_MAX), -(-columns // SQUARES_MAX)  # chunks in a square
        height, width = -(-rows // of[0]), -(-columns // of[1])
        cells, sizes = [0] * (height * width), list(stored.sizes.values())
        for at, size in stored.sizes.items():
            row, column = ((0,) + at)[-2:]
            cells[row // of[0] * width + column // of[1]] += max(size, 1)
        text = f"{len(sizes)} of {product(stored.grid)} chunks are stored"
        if sizes:
            text += f", of {min(sizes)} to {max(sizes)} bytes"
        if len(stored.grid) > 2 or product(of) > 1:
            text += "; a square stands for several chunks"
        text += f"; not more than {CHUNKS_MAX} were listed" * (not stored.whole)
        most = max(cells) or 1
        node["map"] = {"columns": width, "rows": height, "text": text, "cells": [-(-100 * cell // most) for cell in cells]}


def png(pixels, alpha):
    """Grey, or colours, with transparency, as base64."""
    height, width = alpha.shape
    colours = pixels.reshape(height, width, -1).tolist()
    rows = b"".join(b"\0" + b"".join(bytes([*pixel, opacity]) for pixel, opacity in zip(*both)) for both in zip(colours, alpha.tolist()))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6 if pixels.ndim > 2 else 4, 0, 0, 0)), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    chunks = (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode()
