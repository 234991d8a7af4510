"""Compares a store with the native file that has to hold the same: by zarr-python, which knows nothing of the connector, and by h5py through it.

    compare_stores.py STORE NATIVE

HDF5_PLUGIN_PATH names the plugin for the second."""

import sys

import h5py
import numpy
import zarr


OURS = {"zarr_dtype", "_ARRAY_DIMENSIONS", "_HDF5"}  # what the connector says of a dataset beyond what the program did


def walk(group, prefix=""):
    """Names of the datasets below an h5py group, and of the groups."""
    for name, node in group.items():
        yield prefix + name
        if isinstance(node, h5py.Group):
            yield from walk(node, f"{prefix}{name}/")


def zarr_names(group, prefix=""):
    for name, node in group.members():
        yield prefix + name
        if isinstance(node, zarr.Group):
            yield from zarr_names(node, f"{prefix}{name}/")


def attributes(node):
    return {name: list(numpy.asarray(value).ravel()) for name, value in node.attrs.items() if name not in OURS}


def native_order(dtype):
    """Format 3 says the order of bytes with the codec."""
    return dtype.newbyteorder("=")


def differences(names, find, native):
    expected = sorted(walk(native))
    if sorted(names) != expected:
        yield f"holds {sorted(names)}, natively {expected}"
        return
    for name in expected:
        ours, theirs = find(name), native[name]
        if attributes(ours) != attributes(theirs):
            yield f"{name}: attributes {attributes(ours)}, natively {attributes(theirs)}"
        if not isinstance(theirs, h5py.Dataset):
            continue
        if ours.shape != theirs.shape or native_order(ours.dtype) != native_order(theirs.dtype):
            yield f"{name}: {ours.shape} {ours.dtype}, natively {theirs.shape} {theirs.dtype}"
        elif not numpy.array_equal(ours[...], theirs[...]):
            at = numpy.argwhere(ours[...] != theirs[...])[0]
            yield f"{name}: element {tuple(at)} is {ours[...][tuple(at)]}, natively {theirs[...][tuple(at)]}"


def main():
    store, native_path = sys.argv[1:]
    native = h5py.File(native_path, "r")
    bad = 0
    by_zarr = zarr.open_group(store, mode="r")
    by_zarr_plain = zarr.open_group(store, mode="r", use_consolidated=False)
    by_h5py = h5py.File(store, "r")
    for who, names, find in (
        ("zarr-python", zarr_names(by_zarr), lambda name: by_zarr[name]),
        ("zarr-python without consolidated metadata", zarr_names(by_zarr_plain), lambda name: by_zarr_plain[name]),
        ("h5py through the connector", walk(by_h5py), lambda name: by_h5py[name]),
    ):
        for text in differences(names, find, native):
            print(f"{who}: {text}")
            bad += 1
    sys.exit(bad > 0)


main()
