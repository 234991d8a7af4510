"""The same work on a native file and on a store: what it returned, what the file shows afterwards, what zarr-python sees."""

import h5py
import numpy as np

import interpreter
import view


def outcome(call):
    """The result, or which exception with which errno: texts may differ from HDF5's."""
    try:
        return view.plain(call())
    except Exception as error:
        return "raised", type(error).__name__, getattr(error, "errno", None)


def work(path, module, name):
    """CASES[name] of the module, on a new file at path; then what the file shows in and after this session."""
    case = interpreter.find(module, "CASES")[name]
    with h5py.File(path, "w") as f:
        result = view.plain(case(f))
        during = everything(f)
    with h5py.File(path, "r") as f:
        return result, during, everything(f)


def everything(f):
    stored = {}
    f.visititems(lambda name, item: stored.update({name: view.storage(item)}) if isinstance(item, h5py.Dataset) else None)
    return list(f), view.tree(f), stored


def compare(connector, where, module, name):
    native = work(where / "native.h5", module, name)
    ours = connector.run(work, str(where / "store.zarr"), module, name)
    for what, a, b in zip(("result", "before closing", "after closing"), ours, native):
        assert a == b, what
    zarr_sees_it_too(where / "store.zarr")


def zarr_sees_it_too(path):
    """zarr-python's values equal those that h5py shows of the store."""
    import zarr  # only pytest's own interpreter needs it

    root = zarr.open_group(path, mode="r", use_consolidated=False)
    with h5py.File(path, "r") as f:
        names = []
        f.visititems(lambda name, item: names.append(name))
        for name in names:
            try:
                node = root[name]
            except ValueError as error:  # zarr-python before 3.2 knows no nested structures
                assert "No Zarr data type" in str(error) and "'name': [[" in str(error)
                continue
            same_value(f[name], node)


def same_value(item, node):
    if isinstance(item, h5py.Group):
        assert not hasattr(node, "shape")
        return
    if item.shape is None:
        return
    assert node.shape == item.shape
    shown, seen = item[()], np.asarray(node[...])
    if h5py.check_string_dtype(item.dtype) and seen.dtype.kind in "TUO":
        assert [text_of(x) for x in np.ravel(shown)] == [text_of(x) for x in seen.ravel()]
    elif seen.dtype.names is None and item.dtype.kind not in "OV":
        np.testing.assert_array_equal(shown, seen)


def text_of(x):
    return x.decode() if isinstance(x, bytes) else str(x)
