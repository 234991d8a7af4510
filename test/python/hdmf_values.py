"""Prints, as JSON, what zarr-python 2 finds in the arrays of stores: {store: {path: value}}. Runs in the environment of hdmf-zarr.

References are ["->", path], or "null"; rows are lists; text that is not UTF-8 is not expected.
"""

import json
import pathlib
import sys

import numpy as np
import zarr


def plain(value):
    if isinstance(value, dict):
        return ["->", value["path"]]
    if isinstance(value, np.ndarray):
        return [plain(x) for x in value] if value.ndim else plain(value[()])
    if isinstance(value, (list, tuple)):
        return [plain(x) for x in value]
    if isinstance(value, np.void):
        return [plain(x) for x in value.item()] if value.dtype.names else list(value.tobytes())
    if isinstance(value, bytes):
        return value.decode()
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, complex):
        return [value.real, value.imag]
    return "NaN" if value != value else value


def diagonal(rows):
    """The row of which column j was made of value j."""
    row = np.empty(len(rows), rows.dtype)
    for j, name in enumerate(rows.dtype.names):
        row[name] = rows[:, j][name]
    return row


def values(store):
    found = {}
    for document in sorted(pathlib.Path(store).rglob(".zarray")):
        path = str(document.parent.relative_to(store))
        array = zarr.open_array(str(document.parent), mode="r")
        value, told = array[...], array.attrs.get("zarr_dtype")
        if array.filters and array.filters[0].codec_id.startswith("vlen"):
            value[value == 0] = ""  # the fill value, where there is no chunk
        if told == "object":
            value[value == 0] = "null"
        if told == "void":
            value = np.array([list(x) for x in value], dtype=object)
        if isinstance(told, list) and array.dtype.names and array.ndim == 2:
            value = diagonal(value)  # hdmf-zarr up to 0.11.1 made a record of each value
        found["/" + path] = plain(value[0] if told == "scalar" and array.shape == (1,) else value)
    return found


if __name__ == "__main__":
    json.dump({pathlib.Path(store).name: values(store) for store in sys.argv[1:]}, sys.stdout)
