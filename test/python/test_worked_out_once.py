"""What h5py asks for again and again is worked out once: the value of an attribute it has open.

The plugin here is the same once more, with what src/types/counts.h counts in sight (counted.c). What must not be kept is judged by
h5py on native files, and by zarr-python, which writes behind the plugin's back."""

import ctypes
import os
import pathlib

import h5py
import numpy as np
import pytest

from interpreter import Interpreter
from places import PLUGIN_DIR, by_zarr, with_connector

COUNTED = pathlib.Path(PLUGIN_DIR or ".").parent / "test" / "counted"
PLUGIN = COUNTED / "libH5VLzarr.so"


class Counts(ctypes.Structure):
    _fields_ = [("values", ctypes.c_uint64)]


def counts():
    """Of the plugin that is at work in this process: the loader has one of each file."""
    plugin = ctypes.CDLL(str(PLUGIN))
    plugin.vz_counts.restype = ctypes.POINTER(Counts)
    now = plugin.vz_counts().contents
    return {name: getattr(now, name) for name, _ in Counts._fields_}


def spent(what, work):
    before = counts()[what]
    work()
    return counts()[what] - before


@pytest.fixture(scope="module")
def counting():
    interpreter = Interpreter(with_connector(HDF5_PLUGIN_PATH=str(COUNTED)))
    yield interpreter
    interpreter.stop()


# ---- attributes ----

def fill(path):
    with h5py.File(path, "w") as f:
        d = f.create_dataset("d", data=np.arange(10))
        a = d.attrs
        a["unit"] = "mV"
        a["bytes"] = b"mV"
        a["texts"] = ["a", "b"]
        a["int"] = 5
        a["float"] = np.arange(3.0)
        a["flag"] = True
        a["complex"] = 1 + 2j
        a["null"] = h5py.Empty("f4")
        a["record"] = np.array([(1, 2.5)], [("n", "i4"), ("x", "f8")])
        a["mixed"] = np.array([(1, "text")], [("n", "i4"), ("t", h5py.string_dtype())])
        a["enum"] = np.array(1, h5py.enum_dtype({"A": 0, "B": 1}))
        a["opaque"] = np.void(b"\x00\x01")
        a["reference"] = f["d"].ref
        a["references"] = np.array([f.ref, f["d"].ref], h5py.ref_dtype)
        a["region"] = d.regionref[2:4]
        a.create("sequence", np.array([np.arange(3), np.arange(1)], object), dtype=h5py.vlen_dtype("i4"))
    return list(h5py.File(path, "r")["d"].attrs)


def decodings(path):
    with h5py.File(path, "r") as f:
        a = f["d"].attrs
        return {name: spent("values", lambda: a[name]) for name in a}


def test_an_attribute_is_decoded_once(counting, tmp_path):
    names = counting.run(fill, tmp_path / "a.zarr")
    assert len(names) == 16
    assert counting.run(decodings, tmp_path / "a.zarr") == {name: 1 for name in names}


def decodings_of_an_open_one(path):
    with h5py.File(path, "r+") as f:
        d = f["d"]
        one, other = h5py.h5a.open(d.id, b"float"), h5py.h5a.open(d.id, b"float")
        buffer = np.zeros(3)

        def read():
            for _ in range(100):
                one.read(buffer)

        many = spent("values", read)
        other.write(np.array([7.0, 8, 9]))
        after = spent("values", read)
        return many, after, buffer.tolist()


def test_an_open_attribute_is_decoded_anew_when_it_was_written(counting, tmp_path):
    counting.run(fill, tmp_path / "a.zarr")
    assert counting.run(decodings_of_an_open_one, tmp_path / "a.zarr") == (0, 1, [7.0, 8.0, 9.0])


def seen_by_open_handles(path):
    """What two handles see of one attribute after each change that reaches it."""
    with h5py.File(path, "w") as f:
        g = f.create_group("g")
        g.attrs["a"], g.attrs["b"] = 1, 2
        f["again"] = g
        one, other = h5py.h5a.open(g.id, b"a"), h5py.h5a.open(f["again"].id, b"a")
        saw = []

        def look():
            for handle in (one, other):
                value = np.zeros((), "i8")
                handle.read(value)
                saw.append((handle.name, int(value), handle.get_storage_size(), handle.dtype.str, handle.shape))

        def write(handle, value):
            handle.write(np.array(value, "i8"))
            look()

        look()
        write(one, 10)
        write(other, 20)
        h5py.h5a.rename(g.id, b"a", b"c")
        look()
        write(one, 30)
        g.attrs["a"] = "another of the old name"
        look()
        f.flush()
        look()
        f["again"].attrs.modify("c", 40)
        look()
        del g.attrs["b"]
        g.attrs["e"] = np.arange(100)
        look()
        f.move("g", "h")
        write(other, 50)
        del f["h"]
        write(one, 60)
        return saw


def test_all_handles_see_one_value(counting, tmp_path):
    native = seen_by_open_handles(tmp_path / "native.h5")
    assert counting.run(seen_by_open_handles, tmp_path / "a.zarr") == native


def make(path, format):
    import zarr

    zarr.open_group(path, mode="w", zarr_format=format).create_array("d", shape=(1,), dtype="i4").attrs["a"] = 1


def behind_our_back(path, way):
    """What an open attribute tells before and after zarr-python changed it."""
    import zarr

    with h5py.File(path, "r+") as f:
        d = f["d"]
        handle = h5py.h5a.open(d.id, b"a")
        value = np.zeros((), "i8")
        handle.read(value)
        before = int(value)
        zarr.open_group(path, mode="r+")["d"].attrs["a"] = 77
        if way == "flush":
            d.attrs["b"] = 5
            handle.read(value)
            f.flush()
        else:
            d.refresh()
        handle.read(value)
        return before, int(value)


@pytest.mark.parametrize("way", ["flush", "refresh"])
@pytest.mark.parametrize("format", [2, 3])
def test_what_another_program_wrote_is_seen_by_an_open_attribute(counting, tmp_path, format, way):
    make(tmp_path / "a.zarr", format)
    assert counting.run(behind_our_back, tmp_path / "a.zarr", way) == (1, 77)
    assert by_zarr(tmp_path / "a.zarr")["d"].attrs.asdict().get("b") == (5 if way == "flush" else None)
