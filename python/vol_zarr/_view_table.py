"""Rows of what h5py has open: AnnData's dataframes and sparse matrices, pandas' tables, arrays of compounds."""

from __future__ import annotations

from ._view_figures import BYTES_MAX, cost
from ._view_text import text_of

ROWS_MAX = 5  # of the head, and of the tail
COLUMNS_MAX = 20
CELL_MAX = 200  # characters


class Column:
    """cells(first, end): texts, None where one is missing."""

    def __init__(self, name, kind, cells):
        self.name, self.kind, self.cells = name, kind, cells


class Tables:
    def __init__(self, walk):
        self.walk, self.numpy, self.h5py = walk, walk.numpy, walk.h5py

    def word(self, member, name):
        try:
            value = member.attrs[name] if name in member.attrs else ""
        except Exception:  # of a hostile file
            return ""
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else value if isinstance(value, str) else ""

    def form(self, member):
        if isinstance(member, self.h5py.Dataset):
            return "compound" if member.dtype.names and member.shape is not None and member.ndim <= 1 else ""
        encoding, pandas = self.word(member, "encoding-type"), self.word(member, "pandas_type")
        return encoding if encoding in ("dataframe", "csr_matrix", "csc_matrix") else pandas if pandas in ("frame", "frame_table") else ""

    def is_one(self, member):
        return bool(self.form(member))

    def of(self, member, notes):
        form = self.form(member)
        make = {"compound": self.compound, "dataframe": self.anndata, "frame_table": self.pandas_table, "frame": self.pandas_frame}.get(form, self.sparse)
        what, rows, columns, left, has_index = make(member)
        return {"what": what, "noun": "element" if make == self.sparse else "row", "has_index": has_index, **self.rows(rows, columns, notes),
                **({"columns_left_out": left} if left else {})}

    def rows(self, rows, columns, notes):
        whole = rows <= 2 * ROWS_MAX + 1
        made = {"rows": rows, "columns": [{"name": text_of(c.name), "type": c.kind} for c in columns]}
        for key, first, end in [("head", 0, rows if whole else ROWS_MAX), *[("tail", rows - ROWS_MAX, rows)] * (not whole)]:
            cells = []
            for column in columns:
                try:
                    cells.append([text and text_of(text[:CELL_MAX] + "..." * (len(text) > CELL_MAX)) for text in column.cells(first, end)])
                except Exception as error:
                    cells.append(["?"] * (end - first))
                    note = text_of(f"Column {column.name} cannot be read: {error}")
                    notes += [note] * (note not in notes)
            made[key] = [list(row) for row in zip(*cells)]
        return made

    # ---- cells ----

    def read(self, array, part):
        if cost(array, part if isinstance(part, tuple) else (part,)) > BYTES_MAX:
            raise ValueError("its chunks are large")
        return array[part]

    def array(self, name, array):
        return Column(name, self.kind(array.dtype), lambda first, end: [self.walk.words(v) for v in self.read(array, slice(first, end))])

    def kind(self, dtype):
        return self.walk.type_words(dtype)

    def member(self, name, member):
        """A column of AnnData: an array, categories, values with a mask."""
        if isinstance(member, self.h5py.Dataset):
            return self.array(name, member)
        encoding = self.word(member, "encoding-type")
        if encoding == "categorical":
            codes, categories = member["codes"], self.read(member["categories"], (slice(0, 1 << 16),))
            return Column(name, f"category of {self.kind(categories.dtype)}", lambda first, end: [
                self.walk.words(categories[code]) if 0 <= code < len(categories) else None for code in self.read(codes, slice(first, end))])
        if encoding.startswith("nullable-"):
            values, mask = member["values"], member["mask"]
            return Column(name, self.kind(values.dtype), lambda first, end: [
                None if masked else self.walk.words(v) for v, masked in zip(self.read(values, slice(first, end)), self.read(mask, slice(first, end)))])
        return Column(name, "", lambda first, end: self.fail("a group, which is no column"))

    def fail(self, why):
        raise ValueError(why)

    # ---- forms ----

    def compound(self, array, what="compound data", has_index=False):
        names = array.dtype.names
        rows = array.shape[0] if array.ndim else 1
        read = lambda first, end: self.numpy.atleast_1d(self.read(array, slice(first, end)) if array.ndim else array[()])  # noqa: E731
        columns = [Column(name, self.kind(array.dtype[name]), lambda first, end, name=name: [self.walk.words(v) for v in read(first, end)[name]])
                   for name in names[:COLUMNS_MAX]]
        return what, rows, columns, len(names) - len(columns), has_index

    def anndata(self, group):
        index, order = self.word(group, "_index") or "_index", [self.walk.words(name) for name in self.numpy.ravel(group.attrs["column-order"])]
        first = group[index]
        rows = (first["values"] if isinstance(first, self.h5py.Group) else first).shape[0]
        columns = [self.member(index, first)]
        for name in order[: COLUMNS_MAX - 1]:
            columns.append(self.member(name, group[name]) if name in group else Column(name, "", lambda *_: self.fail("it is not there")))
        return "AnnData dataframe", rows, columns, len(order) + 1 - len(columns), True

    def pandas_table(self, group):
        return self.compound(group["table"], "pandas table", True)

    def pandas_frame(self, group):
        index, columns, left = group["axis1"], [self.array("index", group["axis1"])], 0
        for block in range(min(int(group.attrs["nblocks"]), 64)):
            names, values = group[f"block{block}_items"], group[f"block{block}_values"]
            for i, name in enumerate(self.read(names, (slice(0, COLUMNS_MAX),))):
                if len(columns) >= COLUMNS_MAX:
                    break
                columns.append(Column(self.walk.words(name), self.kind(values.dtype), lambda first, end, values=values, i=i: [
                    self.walk.words(v) for v in self.read(values, (slice(first, end), slice(i, i + 1))).ravel()]))
            left += names.shape[0]
        return "pandas dataframe", index.shape[0], columns, left + 1 - len(columns), True

    def sparse(self, group):
        """Row, column and value of each stored element."""
        by_rows = self.word(group, "encoding-type") == "csr_matrix"
        data, indices, indptr = group["data"], group["indices"], group["indptr"]
        shape = tuple(int(n) for n in group.attrs["shape"])
        share = 100 * data.shape[0] / (shape[0] * shape[1]) if shape[0] * shape[1] else 0

        def lines(first, end):
            """The row, or column, of each: the last one that begins there or before."""
            found = []
            for at in range(first, end):
                low, high = 0, indptr.shape[0]
                while high - low > 1:
                    middle = (low + high) // 2
                    low, high = (middle, high) if self.read(indptr, slice(middle, middle + 1))[0] <= at else (low, middle)
                found.append(str(low))
            return found

        line, other = Column("row" if by_rows else "column", self.kind(indptr.dtype), lines), self.array("column" if by_rows else "row", indices)
        pair = [line, other] if by_rows else [other, line]
        what = f"sparse matrix ({'csr' if by_rows else 'csc'}) of shape {shape}, {share:.3g} % stored"
        return what, data.shape[0], [*pair, self.array("value", data)], 0, True
