"""Compares NWB files object by object, on three levels. Each function returns what differs, a line each.

hdf5_differences    what h5py shows of two files: types, shapes, values, attributes, links, what references lead to
object_differences  what pynwb or hdmf-zarr made of them: containers, their fields, where references and links lead
zarr_differences    what zarr-python 2 finds in a store, against the native file, and the rules that hdmf-zarr's readers set
"""

import json
import os
import pathlib

import h5py
import numpy as np

# ---- what h5py shows ----


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def lead(file, reference):
    """Where a reference leads: its path, and what it selects."""
    if not reference:
        return "null"
    try:
        path = file[reference].name
    except (KeyError, ValueError):
        return "nowhere"
    if isinstance(reference, h5py.RegionReference):
        return path, str(h5py.h5r.get_region(reference, file.id).get_select_bounds())
    return path


def shown(file, value):
    """A value in plain terms: references as paths, text as text, records as tuples, arrays as nested lists."""
    if isinstance(value, (h5py.Reference, h5py.RegionReference)):
        return "->", lead(file, value)
    if isinstance(value, h5py.Empty):
        return "empty"
    if isinstance(value, np.ndarray):
        return [shown(file, x) for x in value]
    if isinstance(value, np.void) and value.dtype.names:
        return tuple(shown(file, value[name]) for name in value.dtype.names)
    if isinstance(value, np.generic):
        return repr(value.item())
    return text(value)


def space(item):
    return item.get_space().get_simple_extent_type(), item.shape


def attribute_view(file, item, name):
    attribute = h5py.h5a.open(item.id, name.encode())
    return {"type": attribute.get_type(), "space": space(attribute), "value": shown(file, item.attrs[name])}


def dataset_view(file, item):
    value = h5py.Empty(item.dtype) if item.shape is None else item[()]
    if item.shape and item.size == 0:
        value = []
    return {"type": item.id.get_type(), "space": space(item.id), "maxshape": item.maxshape, "value": shown(file, value)}


def walk(file):
    """{path: what is there}: each link of each group, each object once, each attribute as path@name."""
    view, seen = {}, set()

    def attributes(path, item):
        for name in item.attrs:
            view[f"{path}@{name}"] = attribute_view(file, item, name)

    def go(path, item):
        attributes(path, item)
        if isinstance(item, h5py.Datatype):
            view[path] = {"type": item.id}
            return
        for name in item:
            below = f"{path.rstrip('/')}/{name}"
            link = item.get(name, getlink=True)
            if isinstance(link, h5py.SoftLink):
                view[below] = {"soft link": link.path}
                continue
            if isinstance(link, h5py.ExternalLink):
                view[below] = {"external link": (os.path.basename(link.filename), link.path)}
                continue
            child = item[name]
            if child in seen:
                view[below] = {"hard link": True}
                continue
            seen.add(child)
            if isinstance(child, h5py.Dataset):
                view[below] = dataset_view(file, child)
                attributes(below, child)
            else:
                view[below] = {"group": True}
                go(below, child)

    go("/", file)
    return view


def same_type(a, b):
    return a == b or isinstance(a, h5py.h5t.TypeID) and isinstance(b, h5py.h5t.TypeID) and a.equal(b)


def describe(x):
    return repr(h5py.h5t.TypeID.dtype.fget(x)) if isinstance(x, h5py.h5t.TypeID) else repr(x)


def hdf5_differences(a, b, ignore=()):
    with h5py.File(a, "r") as fa, h5py.File(b, "r") as fb:
        va, vb = walk(fa), walk(fb)
        found = [f"{path}: only in {'the first' if path in va else 'the second'}" for path in sorted(set(va) ^ set(vb))]
        for path in sorted(set(va) & set(vb)):
            for key in sorted(set(va[path]) | set(vb[path])):
                x, y = va[path].get(key), vb[path].get(key)
                if key not in ignore and not same_type(x, y):
                    found.append(f"{path}: {key} {describe(x)[:200]} != {describe(y)[:200]}")
        return found


def besides_extensions(lines):
    """Without the specifications of extensions: pynwb writes those that its process happened to load before."""
    return [line for line in lines if not line.startswith("/specifications/ndx-test")]


# ---- what pynwb and hdmf-zarr make of it ----


def content(value, depth=0):
    """A field's value in plain terms: containers as the ids of objects; numbers, text, lists of them as themselves."""
    from hdmf.container import AbstractContainer

    if depth > 6:
        return "deep"
    if isinstance(value, AbstractContainer):
        return "object", value.object_id
    if isinstance(value, (str, bytes, type(None))):
        return value
    if isinstance(value, np.void) and value.dtype.names:
        return [content(value[name], depth + 1) for name in value.dtype.names]
    if isinstance(value, (np.generic, int, float)):
        return repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, dict):
        return {str(key): content(x, depth + 1) for key, x in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, (content(x, depth + 1) for x in value)))
    if getattr(value, "shape", None) == () or getattr(value, "shape", None) == (1,) and getattr(value.dtype, "names", None):
        return content(value[0] if value.shape else value[()], depth + 1)  # a scalar compound is one record for hdmf-zarr
    if hasattr(value, "__len__") and hasattr(value, "__getitem__"):
        return [content(value[i], depth + 1) for i in range(len(value))]
    return str(value)


def kind(value):
    """The kind and width of the numbers in a dataset; nothing for what is no array of numbers."""
    dtype = getattr(value, "dtype", None) if getattr(value, "shape", ()) else None
    return str(np.dtype(dtype).newbyteorder("=")) if isinstance(dtype, np.dtype) and dtype.kind in "iufcb" else None


def objects(nwb):
    from hdmf.container import Data

    view = {}
    for identity, item in nwb.objects.items():
        fields = {name: content(value) for name, value in item.fields.items()}
        fields.update({f"{name} (numbers)": kind(value) for name, value in item.fields.items()})
        if isinstance(item, Data):
            fields["(data)"], fields["(numbers)"] = content(item.data), kind(item.data)
        view[identity] = {"type": type(item).__name__, "name": item.name, "parent": None if item.parent is None else item.parent.object_id,
                          **fields}
    return view


def by_pynwb(path):
    from pynwb import NWBHDF5IO

    with NWBHDF5IO(os.fspath(path), "r") as io:
        return objects(io.read())


def errors_by_pynwb(path):
    import pynwb

    with pynwb.NWBHDF5IO(os.fspath(path), "r") as io:
        return sorted(map(str, pynwb.validate(io=io)))


def errors_by_hdmf_zarr(path):
    import pynwb
    from hdmf_zarr.nwb import NWBZarrIO

    with NWBZarrIO(os.fspath(path), "r") as io:
        return sorted(map(str, pynwb.validate(io=io)))


def by_hdmf_zarr(path, mode="r"):
    from hdmf_zarr.nwb import NWBZarrIO

    with NWBZarrIO(os.fspath(path), mode) as io:
        return objects(io.read())


def object_differences(a, b):
    found = [f"object {(a.get(i) or b.get(i))['name']}: only in {'the first' if i in a else 'the second'}" for i in set(a) ^ set(b)]
    for identity in set(a) & set(b):
        x, y = a[identity], b[identity]
        for key in sorted(set(x) | set(y)):
            in_attributes = key.endswith("(numbers)") and None in (x.get(key), y.get(key))  # lists there, arrays in HDF5
            if x.get(key) != y.get(key) and not in_attributes:
                found.append(f"{x['type']} {x['name']}: {key} {str(x.get(key))[:200]} != {str(y.get(key))[:200]}")
    return sorted(found)


# ---- what zarr-python 2 finds ----


def stored(file, item):
    """The value of a native dataset as hdmf-zarr's convention has it in a store."""
    def one(value):
        if isinstance(value, (h5py.Reference, h5py.RegionReference)):
            return lead(file, value)
        if isinstance(value, np.void) and value.dtype.names:
            return [one(value[name]) for name in value.dtype.names]
        if isinstance(value, np.ndarray):
            return [one(x) for x in value]
        return repr(value.item()) if isinstance(value, np.generic) else text(value)

    value = item[()]
    return [one(value)] if item.shape == () else one(value)


def found(value):
    """What zarr-python gives, in the same terms: a reference is the path in its dictionary."""
    if isinstance(value, dict):
        return value["path"]
    if isinstance(value, (np.void, tuple)):
        return [found(x) for x in value]
    if isinstance(value, (np.ndarray, list)):
        return [found(x) for x in value]
    value = value.item() if isinstance(value, np.generic) else value
    return repr(value) if isinstance(value, (int, float, complex)) else text(value)


def references_in_compounds(native):
    with h5py.File(native, "r") as file:
        return any(item.dtype.names and any(h5py.check_ref_dtype(item.dtype[name]) for name in item.dtype.names)
                   for item in native_datasets(file).values())


def native_datasets(file):
    """{path: dataset} of those that a hard link of its own leads to."""
    view = {}

    def go(group):
        for name in group:
            if isinstance(group.get(name, getlink=True), h5py.HardLink):
                item = group[name]
                if isinstance(item, h5py.Dataset):
                    view[item.name] = item
                else:
                    go(item)

    go(file)
    return view


def zarr_differences(native, store):
    """The values of every dataset, by zarr-python 2 alone."""
    import zarr

    differences = []
    with h5py.File(native, "r") as file:
        root = zarr.open_group(os.fspath(store), mode="r")
        for path, item in native_datasets(file).items():
            if path not in root:
                differences.append(f"{path}: not in the store")
                continue
            array = root[path]
            expected, seen = stored(file, item), found(array[...])
            if "zarr_dtype" not in array.attrs:
                differences.append(f"{path}: no zarr_dtype")
            if expected != seen:
                differences.append(f"{path}: {str(expected)[:200]} != {str(seen)[:200]}")
    return differences


def rule_breaks(store, pickle=False):
    """What hdmf-zarr.md 8.2 asks of a store in the hdmf dialect, read from the documents themselves."""
    breaks, store = [], pathlib.Path(store)
    codecs = {"vlen-utf8", "vlen-bytes", "json2"} | ({"pickle"} if pickle else set())
    for directory in [store, *(p for p in store.rglob("*") if p.is_dir())]:
        name = "/" + "/".join(directory.relative_to(store).parts)
        if not (directory / ".zgroup").exists() and not (directory / ".zarray").exists():
            breaks.append(f"{name}: no .zgroup")
        if (directory / ".zattrs").exists():
            attributes = json.loads((directory / ".zattrs").read_text())
            breaks += [f"{name}@{key}: null" for key, value in attributes.items() if value is None]
            breaks += [f"{name}@{key}: {value['zarr_dtype']}" for key, value in attributes.items()
                       if isinstance(value, dict) and value.get("zarr_dtype", "object") != "object"]
            for link in attributes.get("zarr_link", []):
                if not link["path"].startswith("/") or not (store / link["source"] / link["path"].strip("/")).exists():
                    breaks.append(f"{name}: link {link}")
        if (directory / ".zarray").exists():
            document = json.loads((directory / ".zarray").read_text())
            filters = {f["id"] for f in document["filters"] or []}
            if document["shape"] == []:
                breaks.append(f"{name}: shape []")
            if "|S" in str(document["dtype"]):
                breaks.append(f"{name}: dtype {document['dtype']}")
            if document["dtype"] == "|O" and not filters & codecs:
                breaks.append(f"{name}: filters {filters}")
    if json.loads((store / ".zattrs").read_text()).get(".specloc") not in ("specifications", "/specifications"):
        breaks.append("/@.specloc is not plain text")
    return breaks
