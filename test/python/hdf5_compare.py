"""Are two open HDF5 files equal, object by object, as h5py shows them?"""

import h5py
import numpy as np


def text_of(value, file):
    """References as what they lead to; everything else as it is."""
    if isinstance(value, h5py.RegionReference):
        return ("region", file[value].name, repr(h5py.h5r.get_region(value, file.id).get_select_bounds())) if value else None
    if isinstance(value, h5py.Reference):
        return ("reference", file[value].name) if value else None
    if isinstance(value, (tuple, np.void)) and getattr(value, "dtype", None) is not None and value.dtype.names:
        return tuple(text_of(value[name], file) for name in value.dtype.names)
    if isinstance(value, np.ndarray):
        return (value.shape, str(value.dtype), [text_of(each, file) for each in value.ravel()]) if value.dtype.hasobject else (
            value.shape, str(value.dtype), value.tobytes())
    if isinstance(value, h5py.Empty):
        return ("empty", str(value.dtype))
    return value.tobytes() if isinstance(value, np.generic) else value


def attributes(thing, file):
    found = {}
    for name in thing.attrs:
        each = thing.attrs.get_id(name)
        found[name] = (each.shape, str(each.dtype), each.get_type().encode(), text_of(thing.attrs[name], file))
    return found


def describe(thing, file):
    if isinstance(thing, h5py.Group):
        return {name: link_of(thing, name) for name in thing}
    if isinstance(thing, h5py.Datatype):
        return thing.id.encode()
    value = text_of(thing[()], file)
    return (thing.shape, thing.maxshape, thing.chunks, thing.id.get_type().encode(), thing.id.get_create_plist().get_nfilters(),
            thing.id.get_storage_size(), value)


def link_of(group, name):
    link = group.get(name, getlink=True)
    return (type(link).__name__, getattr(link, "path", None), getattr(link, "filename", None))


def check_equal(got, wanted):
    """Every object that hard links lead to, under each of its names."""
    names = ["/"]
    wanted.visititems(lambda name, _: names.append(name))
    seen = ["/"]
    got.visititems(lambda name, _: seen.append(name))
    assert seen == names
    for name in names:
        assert type(got[name]) is type(wanted[name]), name
        assert attributes(got[name], got) == attributes(wanted[name], wanted), name
        assert describe(got[name], got) == describe(wanted[name], wanted), name
    return names
