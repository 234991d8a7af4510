"""Random programs that write and edit netCDF files: a program is a list of sessions, each of which opens the file by netCDF4, h5netcdf's
netCDF4 interface or h5py, does some operations, and closes it.

An operation is drawn from what the file holds just then, so a store and a native file get one program as long as they show alike.
"""

import os

import numpy as np

NAMES = ["time", "x", "y", "lat", "n", "v", "w"]
KINDS = ["i1", "u1", "i2", "i4", "i8", "f4", "f8", "str"]
ATTRIBUTES = [("units", "K"), ("n", np.int16(7)), ("one", np.array([2.5])), ("l", np.array([1, 2, 3], "i4")), ("f", np.float32(0.5)), ("s", "ü x"), ("e", "")]
LENGTH_MAX = 5


class Drawn(Exception):
    """There is nothing of the kind that the operation wants."""


class Draw:
    """Random choices; the order of names decides, and no hash."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def number(self, low, high):
        return int(self.rng.integers(low, high))

    def one_of(self, things):
        things = list(things)
        if not things:
            raise Drawn
        return things[self.number(0, len(things))]

    def some_of(self, things, most):
        things, found = list(things), []
        for _ in range(self.number(0, most + 1)):
            if things:
                found.append(things.pop(self.number(0, len(things))))
        return found

    def chance(self, share):
        return self.rng.random() < share


def values_for(draw, kind, shape):
    numbers = draw.rng.integers(0, 100, shape)
    if kind == "str":
        return np.array([f"t{n}" for n in numbers.ravel()] + [None], object)[:-1].reshape(shape)
    return numbers.astype(kind)


# ---- netCDF's words: netCDF4 and h5netcdf.legacyapi ----


def groups_of(f):
    found = [f]
    for name in sorted(f.groups):
        found += groups_of(f.groups[name])
    return found


def in_scope(group):
    """{name: dimension} of a group and those above it."""
    found = in_scope(group.parent) if group.parent is not None else {}
    return {**found, **{name: group.dimensions[name] for name in sorted(group.dimensions)}}


def any_variable(f, draw):
    return draw.one_of([(group, name) for group in groups_of(f) for name in sorted(group.variables)])


def any_group(f, draw):
    return f if draw.chance(0.6) else draw.one_of(groups_of(f))


def make_dimension(f, draw):
    group = any_group(f, draw)
    group.createDimension(draw.one_of(NAMES), None if draw.chance(0.3) else draw.number(1, LENGTH_MAX))


def make_variable(f, draw):
    group = any_group(f, draw)
    scope = in_scope(group)
    dimensions = draw.some_of(scope, 3) or draw.some_of(scope, 1)
    name = dimensions[0] if dimensions and draw.chance(0.4) else draw.one_of(NAMES)
    if draw.chance(0.3) or name in dimensions[:1]:
        dimensions = dimensions[:1]
    kind = draw.one_of(KINDS)
    more = {}
    if kind != "str" and draw.chance(0.4):
        more["fill_value"] = np.dtype(kind).type(9)
    if kind != "str" and dimensions and draw.chance(0.3):
        more["zlib"] = True
    group.createVariable(name, str if kind == "str" else kind, tuple(dimensions), **more)


def write_all(f, draw):
    group, name = any_variable(f, draw)
    variable = group.variables[name]
    scope = in_scope(group)
    grows = [scope[each].isunlimited() for each in variable.dimensions]
    shape = [draw.number(1, LENGTH_MAX) if can else n for can, n in zip(grows, variable.shape)]
    kind = "str" if variable.dtype is str or variable.dtype == object else variable.dtype
    values = values_for(draw, kind, shape)
    if shape:
        variable[tuple(slice(0, n) for n in shape)] = values
    else:
        variable[...] = values.item() if kind == "str" else values


def write_one(f, draw):
    group, name = any_variable(f, draw)
    variable = group.variables[name]
    if not variable.shape or 0 in variable.shape:
        raise Drawn
    kind = "str" if variable.dtype is str or variable.dtype == object else variable.dtype
    at = tuple(draw.number(0, n) for n in variable.shape)
    variable[at] = values_for(draw, kind, (1,))[0]


def set_attribute(f, draw):
    name, value = draw.one_of(ATTRIBUTES)
    of = draw.one_of(groups_of(f))
    if of.variables and draw.chance(0.7):
        of = of.variables[draw.one_of(sorted(of.variables))]
    of.setncattr(name, value)


def delete_attribute(f, draw):
    group, name = any_variable(f, draw)
    variable = group.variables[name]
    variable.delncattr(draw.one_of(sorted({*variable.ncattrs()} - {"_FillValue", "_NCProperties"})))


def make_group(f, draw):
    any_group(f, draw).createGroup("g" + draw.one_of("ab"))


def rename_variable(f, draw):
    group, name = any_variable(f, draw)
    group.renameVariable(name, draw.one_of(NAMES))


def rename_dimension(f, draw):
    group = draw.one_of(groups_of(f))
    group.renameDimension(draw.one_of(sorted(group.dimensions)), draw.one_of(NAMES))


def rename_attribute(f, draw):
    group, name = any_variable(f, draw)
    variable = group.variables[name]
    variable.renameAttribute(draw.one_of(sorted({*variable.ncattrs()} - {"_FillValue"})), "renamed")


def synchronise(f, draw):
    f.sync()


NETCDF = [make_dimension] * 4 + [make_variable] * 6 + [write_all] * 6 + [write_one] * 2 + [set_attribute] * 3 + [delete_attribute, make_group, synchronise]
RENAMES = [rename_variable, rename_attribute, rename_dimension]
BY_LIBRARY = {"netcdf4": NETCDF + RENAMES, "h5netcdf": NETCDF}
BEGINNING = [make_dimension] * 4 + [make_group] + [make_variable] * 5 + [write_all] * 3 + [make_variable] * 2


# ---- HDF5's words ----


def nodes_of(f, kind):
    import h5py

    found = []
    f.visititems(lambda name, node: found.append("/" + name) if isinstance(node, getattr(h5py, kind)) else None)
    return sorted(found)


def any_array(f, draw, what=lambda d: True):
    return f[draw.one_of([name for name in nodes_of(f, "Dataset") if what(f[name])])]


def is_placeholder(d):
    return d.attrs.get("NAME", b"").startswith(b"This is a netCDF dimension but")


def scales_for(f, d, axis):
    """Scales of that length in the group of an array, and above."""
    above = os.path.dirname(d.name)
    return [name for name in nodes_of(f, "Dataset") if f[name].is_scale and f[name].ndim == 1 and f[name].shape[0] == d.shape[axis]
            and (above + "/").startswith(os.path.dirname(name).rstrip("/") + "/")]


def make_array(f, draw):
    group = f[draw.one_of(["/", *nodes_of(f, "Group")])]
    shape = tuple(draw.number(1, LENGTH_MAX) for _ in range(draw.number(0, 3)))
    kind = draw.one_of(KINDS[:-1])
    group.create_dataset(draw.one_of(NAMES) + draw.one_of("123"), data=values_for(draw, kind, shape), track_order=True)


def make_scale(f, draw):
    d = any_array(f, draw, lambda d: d.ndim == 1 and not d.is_scale and "DIMENSION_LIST" not in d.attrs)
    d.make_scale(os.path.basename(d.name))


def attach(f, draw):
    d = any_array(f, draw, lambda d: d.ndim > 0 and not d.is_scale)
    axis = draw.number(0, d.ndim)
    if len(d.dims[axis]):
        raise Drawn
    d.dims[axis].attach_scale(f[draw.one_of(scales_for(f, d, axis))])


def attach_all(f, draw):
    """Each axis gets a scale: what netCDF's libraries open."""
    d = any_array(f, draw, lambda d: d.ndim > 0 and not d.is_scale and "DIMENSION_LIST" not in d.attrs)
    chosen = [draw.one_of(scales_for(f, d, axis)) for axis in range(d.ndim)]
    for axis, name in enumerate(chosen):
        d.dims[axis].attach_scale(f[name])


def detach(f, draw):
    d = any_array(f, draw, lambda d: any(len(axis) for axis in d.dims))
    axis = draw.one_of([i for i in range(d.ndim) if len(d.dims[i])])
    d.dims[axis].detach_scale(d.dims[axis][0])


def delete_user(f, draw):
    """Its scales go on telling of it."""
    del f[any_array(f, draw, lambda d: "DIMENSION_LIST" in d.attrs).name]


def detach_all(f, draw):
    d = any_array(f, draw, lambda d: any(len(axis) for axis in d.dims))
    for axis in range(d.ndim):
        for scale in [*d.dims[axis].values()]:
            d.dims[axis].detach_scale(scale)


def delete_array(f, draw):
    d = any_array(f, draw, lambda d: not d.is_scale)
    for axis in range(d.ndim):
        for scale in [*d.dims[axis].values()]:
            d.dims[axis].detach_scale(scale)
    del f[d.name]


def delete_variable_of_a_dimension(f, draw):
    """Its users are detached first, as the netCDF libraries do."""
    scale = any_array(f, draw, lambda d: d.is_scale)
    for reference, axis in [*scale.attrs.get("REFERENCE_LIST", [])]:
        f[reference].dims[axis].detach_scale(scale)
    del f[scale.name]


def delete_scale(f, draw):
    del f[any_array(f, draw, lambda d: d.is_scale).name]


def move_array(f, draw):
    d = any_array(f, draw, lambda d: not is_placeholder(d))
    group = draw.one_of([os.path.dirname(d.name), "/", *nodes_of(f, "Group")])
    f.move(d.name, group.rstrip("/") + "/" + draw.one_of(NAMES) + draw.one_of(["", "4"]))


def move_group(f, draw):
    f.move(draw.one_of(nodes_of(f, "Group")), "/" + draw.one_of(["ga", "gb", "gc"]))


def delete_group(f, draw):
    del f[draw.one_of(nodes_of(f, "Group"))]


def resize(f, draw):
    d = any_array(f, draw, lambda d: d.chunks and None in d.maxshape)
    d.resize([draw.number(0, LENGTH_MAX + 2) if most is None else n for n, most in zip(d.shape, d.maxshape)])


def set_attribute_by_hdf5(f, draw):
    name, value = draw.one_of(ATTRIBUTES)
    f[draw.one_of(["/", *nodes_of(f, "Group"), *nodes_of(f, "Dataset")])].attrs[name] = value


def flush(f, draw):
    f.flush()


TIDY = [make_array] * 2 + [make_scale, attach_all, attach_all, detach_all, delete_array, delete_variable_of_a_dimension, move_array, resize, resize, set_attribute_by_hdf5, flush]
BY_LIBRARY["h5py"] = TIDY + [move_group]
BY_LIBRARY["anything"] = TIDY + [move_group, attach, detach, delete_scale, delete_user, delete_group]


# ---- sessions ----


def opened(path, library, mode):
    if library == "netcdf4":
        import netCDF4

        return netCDF4.Dataset(path, mode)
    if library == "h5netcdf":
        import h5netcdf.legacyapi

        return h5netcdf.legacyapi.Dataset(path, mode)
    import h5py

    return h5py.File(path, {"a": "r+", "w": "w"}[mode], track_order=True)


def session(path, library, mode, seed, operations):
    """What each operation answered: its name, and the exception that it raised."""
    import warnings

    warnings.simplefilter("ignore")
    draw, said = Draw(seed), []
    f = opened(str(path), library, mode)
    try:
        for number in range(operations):
            operation = BEGINNING[number] if mode == "w" and number < len(BEGINNING) else draw.one_of(BY_LIBRARY[library])
            try:
                operation(f, draw)
                said.append(operation.__name__)
            except Drawn:
                said.append(operation.__name__ + ": nothing there")
            except Exception as error:
                said.append(f"{operation.__name__}: {type(error).__name__}")
    finally:
        f.close()
    return said


# ---- what HDF5 shows ----


def shown_by_hdf5(path):
    """{name: what h5py shows}, references as names."""
    import h5py

    def value_of(f, value):
        if isinstance(value, h5py.Reference):
            try:
                return f[value].name
            except (ValueError, KeyError):
                return None
        if isinstance(value, np.ndarray) and (value.dtype == object or value.dtype.names):
            return [value_of(f, each) for each in value.ravel().tolist()] if not value.dtype.names else sorted(
                (value_of(f, each[0]) or "", int(each[1])) for each in value)
        return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value

    found = {}
    with h5py.File(path, "r") as f:
        def look(name, node):
            attributes = {key: (str(node.attrs.get_id(key).dtype), node.attrs.get_id(key).shape, value_of(f, node.attrs[key])) for key in node.attrs
                          if key != "_NCProperties"}
            found[name] = {"attributes": attributes}
            if isinstance(node, h5py.Dataset):
                found[name] |= {"dtype": str(node.dtype), "max": node.maxshape, "shape": node.shape, "scale": node.is_scale, "fill": repr(node.fillvalue),
                                "scales": [[scale.name for scale in axis.values()] for axis in node.dims] if node.ndim else [],
                                "values": node[...] if node.dtype.kind != "O" or h5py.check_string_dtype(node.dtype) else None}
        f.visititems(look)
        look("/", f)
    return found


def different_nodes(native, ours):
    """What differs between two of them. Arrays of a store are as long as their unlimited dimension, and the rest is fill."""
    lines = []
    for name in sorted({*native, *ours}):
        a, b = native.get(name), ours.get(name)
        if a is None or b is None:
            lines.append(f"{name}: {'only in the store' if a is None else 'only in the native file'}")
            continue
        for key in sorted({*a, *b} - {"values", "shape", "attributes"}):
            if a.get(key) != b.get(key):
                lines.append(f"{name} {key}: {a.get(key)} expected, {b.get(key)} found")
        for key in sorted({*a["attributes"], *b["attributes"]}):
            if repr(a["attributes"].get(key)) != repr(b["attributes"].get(key)):
                lines.append(f"{name}@{key}: {a['attributes'].get(key)} expected, {b['attributes'].get(key)} found")
        if "shape" in a and "shape" in b:
            lines += different_values(name, a, b)
    return lines


def different_values(name, a, b):
    fits = len(a["shape"]) == len(b["shape"]) and all(n == m or (most is None and n < m) for n, m, most in zip(a["shape"], b["shape"], a["max"]))
    if not fits:
        return [f"{name}: shape {a['shape']} expected, {b['shape']} found"]
    if a["values"] is None:
        return []
    part = b["values"][tuple(slice(0, n) for n in a["shape"])] if a["shape"] else b["values"]
    return [] if repr(part.tolist()) == repr(a["values"].tolist()) else [f"{name}: {a['values'].tolist()} expected, {part.tolist()} found"]
