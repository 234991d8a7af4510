"""What xarray, netCDF4 and h5netcdf see of a netCDF file and of a store, in a form that can be compared."""

import contextlib
import fnmatch
import json
import pathlib
import subprocess

import numpy as np

from places import COMMAND

HIDDEN = {"_NCProperties"}  # what a library says of itself
LAYOUT = ("chunks", "preferred_chunks", "shards", "chunksizes", "contiguous", "compressors", "filters", "serializer", "original_shape", "source")


def by_zarr(store, group="/", raw=False, **more):
    """A group of a store, or of one in a zip, as xarray's engine for Zarr sees it; raw: undecoded."""
    import xarray
    import zarr

    decode = {**({"decode_cf": False, "mask_and_scale": False} if raw else {}), **more}
    with contextlib.ExitStack() as stack:
        if pathlib.Path(store).is_file():
            store = stack.enter_context(zarr.storage.ZipStore(store, mode="r"))
        return stack.enter_context(xarray.open_zarr(store, group=group, chunks=None, **decode)).load()


# Members that zarr-python 3.0 to 3.1.3 knows in the document of an array; it opens no array with others.
MEMBERS = {"zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs", "attributes",
           "dimension_names", "storage_transformers"}


def unknown_words(store):
    """What stands in documents of arrays that is no word of Zarr, and no attribute of the program."""
    found = {}
    for path in pathlib.Path(store).rglob("zarr.json"):
        document = json.loads(path.read_text())
        if document["node_type"] == "array":
            found[path.parent.name] = set(document) - MEMBERS | {"_HDF5", "_nc_hdf5"} & set(document["attributes"])
    for path in pathlib.Path(store).rglob(".zarray"):
        attributes = path.with_name(".zattrs")
        found[path.parent.name] = {"_HDF5", "_nc_hdf5"} & set(json.loads(attributes.read_text()) if attributes.exists() else {})
    return "".join(f"{name}: {words}\n" for name, words in found.items() if words)


def by_hdf5(path, engine, group="/", raw=False):
    """A group of a file or store as one of xarray's engines for netCDF sees it."""
    import xarray

    with xarray.open_dataset(path, engine=engine, group=group, **({"decode_cf": False} if raw else {})) as found:
        return found.load()


def for_engine(store, engine):
    """The path by which an engine opens a store: netCDF-C wants a regular file."""
    store = pathlib.Path(store)
    if engine == "h5netcdf" or store.is_file() and store.suffix != ".zip":
        return store
    door = store.with_name(store.name + ".door.nc")
    if not door.exists():
        subprocess.run([COMMAND, "door", store, door], check=True, capture_output=True)
    return door


def without_layout(data):
    """A dataset to be written anew, in chunks of the writer's choice. xarray cannot take over how text was stored in another kind of file."""
    for variable in data.variables.values():
        is_text = variable.dtype.kind in "UTSO"
        for key in tuple(variable.encoding):
            if is_text or key in LAYOUT:
                del variable.encoding[key]
    return data


def plain_value(value):
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def plain(data):
    """A dataset with text and attributes in one form, whatever types of numpy's they came in."""
    import xarray

    def of(variable):
        values = variable.values
        if values.dtype.kind in "UTOS":
            texts = [v.decode() if isinstance(v, bytes) else str(v) if isinstance(v, str) else v for v in values.ravel()]
            values = np.array(texts + [None], object)[:-1].reshape(values.shape)
        return xarray.Variable(variable.dims, values, {k: plain_value(v) for k, v in variable.attrs.items()})

    found = {name: of(data.variables[name]) for name in data.variables}
    attributes = {k: plain_value(v) for k, v in data.attrs.items() if k not in HIDDEN}
    coordinates = {k: v for k, v in found.items() if k in data.coords}
    return xarray.Dataset({k: v for k, v in found.items() if k not in coordinates}, coordinates, attributes)


def difference(expected, found):
    """What differs, types of values included; "" where both are identical."""
    import xarray

    expected, found = plain(expected), plain(found)
    try:
        xarray.testing.assert_identical(expected, found)
    except AssertionError as error:
        return str(error)
    types = [{name: v.dtype.newbyteorder("=") for name, v in data.variables.items()} for data in (expected, found)]
    return "".join(f"{name}: {types[0][name]} expected, {types[1][name]} found\n" for name in types[0] if types[0][name] != types[1][name])


def header(path):
    """What `ncdump -h` shows, of all groups, without the order: dimensions, variables, types and attributes."""
    import netCDF4

    def type_of(variable):
        kind = variable.dtype
        return "string" if kind is str else getattr(variable.datatype, "name", None) or str(kind.newbyteorder("="))

    def attributes(thing):
        values = {name: np.asarray(thing.getncattr(name)) for name in thing.ncattrs() if name not in HIDDEN}
        return {name: (value.dtype.name if value.dtype.kind != "U" else "text", repr(value.tolist())) for name, value in values.items()}

    def of(group):
        found = {f"{name} =": (len(d), "unlimited" if d.isunlimited() else "") for name, d in group.dimensions.items()}
        for name, variable in group.variables.items():
            found[name] = type_of(variable), variable.dimensions
            found |= {f"{name}:{attribute}": value for attribute, value in attributes(variable).items()}
        found |= {f":{attribute}": value for attribute, value in attributes(group).items()}
        for name, inner in group.groups.items():
            found |= {f"{name}/{key}": value for key, value in of(inner).items()}
        return found

    with netCDF4.Dataset(path) as f:
        f.set_auto_maskandscale(False)
        return of(f)


def different_lines(expected, found):
    """What differs between two headers; "" if nothing."""
    keys = {*expected, *found}
    return "".join(f"{key} {expected.get(key)} expected, {found.get(key)} found\n" for key in sorted(keys) if expected.get(key) != found.get(key))


def said(check):
    """What a check says; what it raises is a difference, too."""
    try:
        return check()
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[-1500:]}"


def verdict(case, found, expected):
    """Fails for {check: difference} that nobody expects, and for an expected one that is not there.

    `expected` has lines (pattern of "CHECK CASE", reason).
    """
    wrong = []
    for check, text in found.items():
        reason = next((reason for pattern, reason in expected if fnmatch.fnmatchcase(f"{check} {case}", pattern)), None)
        if text and not reason:
            wrong.append(f"== {check}\n{text}")
        if reason and not text:
            wrong.append(f"== {check}: as it should be. The line that says otherwise can go: {reason}")
    assert not wrong, "\n".join([case, *wrong])
