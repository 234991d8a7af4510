"""The values that filters get when a dataset is created, for each kind of type: those of the native file, when it is made and when
it is opened again. zarr-python and numcodecs read what was written."""

import h5py
import numpy as np
import pytest

from interpreter import Interpreter
from places import by_zarr, with_connector

TYPES = {
    "number": np.dtype("<i4"), "byte": np.dtype("u1"), "text": h5py.string_dtype(length=7), "bool": np.dtype("?"),
    "large": np.dtype([("a", "S300")]), "packed": np.dtype([("a", "i1"), ("b", "<f8")]),
    "padded": np.dtype([("a", "i1"), ("b", "<f8")], align=True), "array": np.dtype(("<f4", (3,))),
    "arrays": np.dtype([("a", "<f4", (3, 2)), ("b", "u1")]), "enum": h5py.enum_dtype({"A": 1}, basetype="<i2"),
    "complex": np.dtype("<c16"), "strings": h5py.string_dtype(), "lists": h5py.vlen_dtype("<i4"),
    "rows with text": np.dtype([("a", "<i4"), ("t", h5py.string_dtype())]),
    "rows with texts": np.dtype([("a", "<i4"), ("t", h5py.string_dtype(), (3,))]), "references": h5py.ref_dtype,
}
FILTERS = {
    "shuffle": {"shuffle": True}, "shuffle, deflate": {"shuffle": True, "compression": "gzip"}, "lzf": {"compression": "lzf"},
    "blosc": {"compression": 32001, "compression_opts": (0, 0, 0, 0, 5, 1, 1)},
    "blosc by bits": {"compression": 32001, "compression_opts": (0, 0, 0, 0, 9, 2, 5)},
    "zstd": {"compression": 32015, "compression_opts": (3,)},
}


ELEMENTS = {
    "number shuffle": np.arange(100), "number blosc": np.arange(100),
    "array shuffle": (np.arange(100)[:, None] * [1, 2, 3]).astype("<f4"),
    "packed shuffle": np.array([(i % 100, i / 3) for i in range(100)], TYPES["packed"]),
}


def values(dataset):
    plist = dataset.id.get_create_plist()
    return [plist.get_filter(i)[:3] for i in range(plist.get_nfilters())]


def make(path):
    import hdf5plugin  # registers its filters
    assert hdf5plugin.PLUGIN_PATH
    with h5py.File(path, "w") as f:
        made = {f"{name} {filters}": values(f.create_dataset(f"{name} {filters}", (100,), dtype, chunks=(10,), **FILTERS[filters]))
                for name, dtype in TYPES.items() for filters in FILTERS}
        for key, elements in ELEMENTS.items():
            f[key][...] = elements
    return made


def opened(path):
    with h5py.File(path) as f:
        return {key: values(f[key]) for key in f}


@pytest.mark.parametrize("form", ["2", "3"])
def test_values(tmp_path, form):
    pytest.importorskip("hdf5plugin")
    path = str(tmp_path / "s.zarr")
    native = make(str(tmp_path / "n.h5"))
    other = Interpreter(with_connector("zarr create=*.zarr", VOL_ZARR_FORMAT=form))
    try:
        assert other.run(make, path) == native
        assert other.run(opened, path) == native
    finally:
        other.stop()
    for key, elements in ELEMENTS.items():
        assert (by_zarr(path)[key][...] == elements).all()
