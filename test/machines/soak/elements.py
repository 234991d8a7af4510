"""elements.py - a part of doer.py: elements read and written, extents, chunks."""

import ctypes
import zlib

import h5py
import numpy as np

import direct
from values import DTYPES, values


class Elements:
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
        d = self.numbers(self.files[slot][path])
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
        """h5py crashes where it makes a sequence of a number."""
        d = self.files[slot][path]
        if h5py.check_vlen_dtype(d.dtype):
            raise TypeError("sequences")
        d[np.linspace(0, 1, d.size).reshape(d.shape) > threshold] = value

    def resize(self, slot, path, shape):
        d = self.files[slot][path]
        d.resize(shape[:len(d.shape)])
        return d.shape

    def refresh(self, slot, path):
        item = self.files[slot][path]
        item.id.refresh() if isinstance(item, h5py.Dataset) else direct.call("H5Orefresh", ctypes.c_int64(item.id.id))

    def flush_object(self, slot, path):
        item = self.files[slot][path]
        item.id.flush() if isinstance(item, h5py.Dataset) else direct.call("H5Oflush", ctypes.c_int64(item.id.id))

    def chunks(self, slot, path):
        d = self.files[slot][path]
        found = [d.id.get_chunk_info(i).chunk_offset for i in range(d.id.get_num_chunks())]
        return sorted(found)

    def region(self, slot, path, where):
        d = self.files[slot][path]
        reference = d.regionref[self.box(d.shape, where)]
        return d.regionref.shape(reference), d.regionref.selection(reference), self.plain(d[reference], d.file)

    # --- selections ---

    @staticmethod
    def union(d, where, blocks):
        """Several boxes of a dataset as one selection, combined in turn by the operators of HDF5."""
        space = d.id.get_space()
        operators = [h5py.h5s.SELECT_SET, h5py.h5s.SELECT_OR, h5py.h5s.SELECT_XOR, h5py.h5s.SELECT_NOTB]
        for turn in range(blocks):
            box = Elements.box(d.shape, [tuple((x + 0.37 * turn) % 1 for x in part) for part in where])
            start, stride = [part.start for part in box], [part.step for part in box]
            count = [len(range(*part.indices(n))) for part, n in zip(box, d.shape)]
            space.select_hyperslab(tuple(start), tuple(count), tuple(stride), op=operators[turn])
        return space

    @staticmethod
    def numbers(d):
        """Not virtual ones: HDF5 converts nothing that is written to them, and does not take them with others."""
        if d.dtype.kind not in "iuf" or not d.shape or d.is_virtual:
            raise TypeError("no array of numbers")
        return d

    def read_union(self, slot, path, where, blocks):
        d = self.numbers(self.files[slot][path])
        space = self.union(d, where, blocks)
        out = np.zeros(space.get_select_npoints(), d.dtype)
        d.id.read(h5py.h5s.create_simple(out.shape), space, out)
        return self.plain(out, d.file)

    def write_union(self, slot, path, where, blocks, seed):
        d = self.numbers(self.files[slot][path])
        space = self.union(d, where, blocks)
        data = values("<i4", (space.get_select_npoints(),), seed)
        d.id.write(h5py.h5s.create_simple(data.shape), space, data)

    def read_list(self, slot, path, where):
        d = self.files[slot][path]
        axis = int(where[0][2] * len(d.shape))
        chosen = sorted({int(x * d.shape[axis]) for part in where for x in part})
        return self.plain(d[(slice(None),) * axis + (chosen,)], d.file)

    def read_into(self, slot, path, where):
        """A part of a dataset into a part of the memory, which is larger and has another rank."""
        d = self.numbers(self.files[slot][path])
        box = self.box(d.shape, where)
        shape = np.empty(d.shape, "i1")[box].shape
        out = np.zeros((2, *(n + 3 for n in shape)), ">i8")
        d.read_direct(out, box, (1, *(slice(2, n + 2) for n in shape)))
        return self.plain(out, d.file)

    def write_value(self, slot, path, value):
        d = self.files[slot][path]
        if d.dtype.kind not in "iuf":
            raise TypeError("no numbers")
        d[...] = value

    def read_fields(self, slot, path, names):
        d = self.files[slot][path]
        return self.plain(d[names] if isinstance(names, str) else d.fields(names)[...], d.file)

    def write_field(self, slot, path, name, seed):
        d = self.files[slot][path]
        if d.chunks is None:
            d[...] = d[...]  # where nothing was written before, HDF5 leaves out what the other fields begin with
        d[name] = values("<i4" if name == "a" else "u2", (*d.shape, 2) if name == "n" else d.shape, seed)

    def different(self, slot, paths):
        """HDF5 does not take one dataset twice."""
        all_of = [self.numbers(self.files[slot][path]) for path in paths]
        if len({h5py.h5o.get_info(d.id).addr for d in all_of}) < len(all_of):
            raise TypeError("one of them twice")
        return all_of

    def read_many(self, slot, paths):
        all_of = self.different(slot, paths)
        out = [np.zeros(d.shape, dtype) for d, dtype in zip(all_of, ["<i4", ">f8", "f4"])]
        direct.many("H5Dread_multi", all_of, out)
        return [self.plain(x, d.file) for x, d in zip(out, all_of)]

    def write_many(self, slot, paths, seed):
        all_of = self.different(slot, paths)
        direct.many("H5Dwrite_multi", all_of, [values("<i4", d.shape, seed + i) for i, d in enumerate(all_of)])

    # --- chunks ---

    def chunked(self, slot, path, where):
        """A dataset whose chunks are plain bytes or deflate's, and where one of them begins."""
        d = self.numbers(self.files[slot][path])
        if not d.chunks or not d.size or d.fletcher32 or d.compression not in (None, "gzip") or d.scaleoffset is not None:
            raise TypeError("no chunks of elements")
        return d, tuple(int(x[0] * n) // c * c for x, n, c in zip(where, d.shape, d.chunks))

    @staticmethod
    def beyond(d, offset):
        """Elements of a chunk that the extent does not reach: in a store they are the fill value once all others are written."""
        outside = np.ones(d.chunks, bool)
        outside[tuple(slice(0, max(n - o, 0)) for n, o in zip(d.shape, offset))] = False
        return outside

    def read_chunk(self, slot, path, where):
        d, offset = self.chunked(slot, path, where)
        mask, data = d.id.read_direct_chunk(offset)
        return mask, zlib.decompress(data) if d.compression else data

    def write_chunk(self, slot, path, where, seed):
        d, offset = self.chunked(slot, path, where)
        data = values("<i4", d.chunks, seed).astype(d.dtype)
        data[self.beyond(d, offset)] = d.fillvalue
        if d.shuffle:
            data = data.ravel().view("u1").reshape(data.size, -1).T
        data = data.tobytes()
        d.id.write_direct_chunk(offset, zlib.compress(data) if d.compression else data)

    def chunk_infos(self, slot, path):
        d = self.numbers(self.files[slot][path])
        found = []
        if d.compression == "lzf" or d.scaleoffset is not None:
            raise TypeError("filters that Zarr does not have: the mask says that no filter was applied")
        d.id.chunk_iter(lambda info: found.append((info.chunk_offset, info.filter_mask)))
        return sorted(found), [d.id.get_chunk_info_by_coord(offset).filter_mask for offset, _ in found], d.id.get_num_chunks()
