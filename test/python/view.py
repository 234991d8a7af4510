"""What h5py shows of a file, as plain values that can be compared: the same for a native file and a store."""

import h5py
import numpy as np


def plain(value):
    """A value without identity or NaN trouble: equal plain values are equal to the last bit and of the same type."""
    if isinstance(value, np.ndarray):
        content = [plain(x) for x in value.ravel()] if value.dtype.hasobject else value.tobytes()
        return "array", str(value.dtype), value.shape, content
    if isinstance(value, np.generic):
        if value.dtype.hasobject:
            return "record", str(value.dtype), [plain(x) for x in value.tolist()]
        return "scalar", str(value.dtype), value.tobytes()
    if isinstance(value, h5py.Empty):
        return "empty", str(value.dtype)
    if isinstance(value, (h5py.Dataset, h5py.Group, h5py.Datatype)):
        return type(value).__name__, value.name
    if isinstance(value, (h5py.h5r.Reference, h5py.SoftLink, h5py.HardLink)):
        return (type(value).__name__,)
    if isinstance(value, dict):
        return {key: plain(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(x) for x in value]
    return value


def dataset(d):
    string = h5py.check_string_dtype(d.dtype)
    return {
        "dtype": str(d.dtype), "shape": d.shape, "value": plain(d[()]), "attributes": attributes(d),
        "string": string and tuple(string), "enum": h5py.check_enum_dtype(d.dtype), "sequence": str(h5py.check_vlen_dtype(d.dtype)),
    }


def storage(d):
    """What was asked for at creation."""
    return {
        "chunks": d.chunks, "maxshape": d.maxshape, "compression": d.compression, "level": d.compression_opts,
        "shuffle": d.shuffle, "fletcher32": d.fletcher32, "fill": plain(d.fillvalue),
    }


def attributes(item):
    return {name: plain(item.attrs[name]) for name in sorted(item.attrs)}


def anything(item):
    return dataset(item) if isinstance(item, h5py.Dataset) else {"attributes": attributes(item)}


def tree(group):
    """Everything below a group: path -> what is there."""
    seen = {"/": anything(group)}

    def visit(name, item):
        seen[name] = anything(item)

    group.visititems(visit)
    return seen


def file_tree(path):
    with h5py.File(path, "r") as f:
        return tree(f)
