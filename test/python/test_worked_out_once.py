"""What h5py asks for again and again is worked out once: the value of an attribute it has open, and what is to be done
between the elements of a dataset it has open and those of a memory type.

The plugin here is the same once more, with what src/hdf5/types/types.h counts in sight (counted.c). What must not be kept is judged by
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
    _fields_ = [(name, ctypes.c_uint64) for name in ("values", "plans", "packings", "moves", "memory", "types")]


def counts():
    """Of the plugin that is at work in this process: the loader has one of each file."""
    plugin = ctypes.CDLL(str(PLUGIN))
    plugin.vz_counts_get.restype = ctypes.POINTER(Counts)
    now = plugin.vz_counts_get().contents
    return {name: getattr(now, name) for name, _ in Counts._fields_}


def all_spent(work):
    before = counts()
    work()
    return {name: count - before[name] for name, count in counts().items()}


def spent(what, work):
    return all_spent(work)[what]


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


# ---- elements of datasets ----

N = 20
RECORD = np.dtype([("n", "i4"), ("t", h5py.string_dtype())])


def make_datasets(path):
    with h5py.File(path, "w") as f:
        f["int"] = np.arange(N, dtype="i4")
        f["text"] = [f"text {i}" for i in range(N)]
        f.create_dataset("record", data=np.array([(i, "abc") for i in range(N)], RECORD))
        f["reference"] = np.array([f["int"].ref] * N, h5py.ref_dtype)
        f.create_dataset("sequence", (N,), h5py.vlen_dtype("i4"))[:] = [np.arange(i % 3) for i in range(N)]
        f.create_dataset("array", (N,), np.dtype(("f4", (2,))))[:] = np.ones((N, 2), "f4")
        f.create_dataset("enum", data=np.zeros(N, "i1"), dtype=h5py.enum_dtype({"A": 0, "B": 1}, "i1"))
        return list(f)


def transfers(path):
    """What reading and writing elements one after the other costs: of the first, and of all others."""
    with h5py.File(path, "r+") as f:
        costs = {}
        for name in f:
            d = f[name]
            value = d[0]

            def write(elements, d=d, value=value):
                for i in elements:
                    d[i] = value

            def read(elements, d=d):
                for i in elements:
                    d[i]

            costs[name] = [all_spent(lambda: read([1])), all_spent(lambda: read(range(2, N))),
                           all_spent(lambda: write([1])), all_spent(lambda: write(range(2, N)))]
        return costs


def test_a_plan_for_elements_is_made_once(counting, tmp_path):
    names = counting.run(make_datasets, tmp_path / "a.zarr")
    costs = counting.run(transfers, tmp_path / "a.zarr")
    nothing = dict(values=0, plans=0, packings=0, types=0)
    for some in (cost for all_of_one in costs.values() for cost in all_of_one):
        del some["moves"], some["memory"]
    assert {name: (reads, writes) for name, (_, reads, _, writes) in costs.items()} == \
        {name: (nothing, nothing) for name in names}
    assert all(first["plans"] <= 1 and first["packings"] <= 1 for _, _, first, _ in costs.values())


def memory_types_in_turn(path):
    with h5py.File(path, "r") as f:
        d = f["int"]
        types = [np.dtype(t) for t in ("i4", "f8", "i2", "u8", "f4")]

        def read(types):
            for dtype in types:
                assert d.astype(dtype)[3] == 3

        return [spent("plans", lambda: read(some)) for some in (types[:4], types[:4] * 5, types[:1], types, types)]


def test_plans_for_the_last_memory_types_are_kept(counting, tmp_path):
    counting.run(make_datasets, tmp_path / "a.zarr")
    assert counting.run(memory_types_in_turn, tmp_path / "a.zarr") == [4, 0, 0, 1, 5]


def changed_types(path):
    """A write that makes the stored type another one, and what stays right across it."""
    with h5py.File(path, "r+") as f:
        record, text = f["record"], f["text"]
        saw = []

        def look():
            saw.append((record[1]["t"], record[N - 1]["t"], text[1], text[N - 1]))

        look()
        plans = []
        plans.append(spent("plans", lambda: record.__setitem__(1, np.array((7, "a far longer text"), RECORD))))
        look()
        plans.append(spent("plans", lambda: text.__setitem__(1, b"\xff\xfe")))
        look()
        plans.append(spent("plans", lambda: look()))
        return plans, saw


def test_a_plan_goes_when_the_type_changes(counting, tmp_path):
    counting.run(make_datasets, tmp_path / "a.zarr")
    plans, saw = counting.run(changed_types, tmp_path / "a.zarr")
    old, long, bytes_ = b"abc", b"a far longer text", b"\xff\xfe"
    assert saw == [(old, old, b"text 1", b"text 19"), (long, old, b"text 1", b"text 19"),
                   (long, old, bytes_, b"text 19"), (long, old, bytes_, b"text 19")]
    assert plans == [1, 1, 0]


def retyped_behind_our_back(path):
    """The array is made anew by zarr-python with a number of another type and order."""
    import zarr

    with h5py.File(path, "r+") as f:
        d = f["d"]
        before = d[:].tolist()
        zarr.open_group(path, mode="r+").create_array("d", shape=(3,), dtype=">f8", overwrite=True)[:] = [1.5, 2.5, 3.5]
        d.refresh()
        value = np.zeros(3, "f4")
        d.id.read(h5py.h5s.ALL, h5py.h5s.ALL, value)
        return before, value.tolist(), spent("plans", lambda: d.id.read(h5py.h5s.ALL, h5py.h5s.ALL, value))


def make_numbers(path, format):
    import zarr

    zarr.open_group(path, mode="w", zarr_format=format).create_array("d", shape=(3,), dtype="<i4")[:] = [1, 2, 3]


@pytest.mark.parametrize("format", [2, 3])
def test_a_plan_goes_when_another_program_changed_the_type(counting, tmp_path, format):
    make_numbers(tmp_path / "a.zarr", format)
    assert counting.run(retyped_behind_our_back, tmp_path / "a.zarr") == ([1, 2, 3], [1.5, 2.5, 3.5], 0)


# ---- virtual datasets ----

SOURCES = 10


def make_virtual(folder, where):
    """Of ten sources: in the store itself, or in stores of their own."""
    layout = h5py.VirtualLayout((SOURCES, 6), "i4")
    columns = h5py.VirtualLayout((6, SOURCES), "i4")
    with h5py.File(folder / "v.zarr", "w") as f:
        for i in range(SOURCES):
            values = np.arange(6, dtype="i4") + 100 * i
            if where == "here":
                f.create_dataset(f"s{i}", data=values, chunks=(4,))
                source = h5py.VirtualSource(".", f"s{i}", (6,))
            else:
                with h5py.File(folder / f"{i}.zarr", "w") as other:
                    other.create_dataset("s", data=values, chunks=(4,))
                source = h5py.VirtualSource(f"{i}.zarr", "s", (6,))
            layout[i] = source
            columns[:, i] = source
        f.create_virtual_dataset("rows", layout)
        f.create_virtual_dataset("columns", columns)


def moves_of_virtual(folder):
    with h5py.File(folder / "v.zarr", "r+") as f:
        saw = {}
        for name in ("rows", "columns"):
            d = f[name]
            d.shape
            values = np.zeros(d.shape, "i4")
            saw[name] = [spent("moves", lambda: d.read_direct(values)), values.tolist(),
                         spent("moves", lambda: d.write_direct(values + 1)), d[...].tolist()]
        return saw


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_a_virtual_dataset_is_one_plan(counting, tmp_path, where):
    counting.run(make_virtual, tmp_path, where)
    saw = counting.run(moves_of_virtual, tmp_path)
    rows = np.arange(6) + 100 * np.arange(SOURCES)[:, None]
    assert saw == {"rows": [1, rows.tolist(), 1, (rows + 1).tolist()],
                   "columns": [1, (rows + 1).T.tolist(), 1, (rows + 2).T.tolist()]}


# ---- memory ----

MIB = 1 << 20


def resident(field):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(field))


def peak_above(work):
    """Bytes of memory that the work took at its peak above what was there, and what its plan said."""
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    work()
    return resident("VmHWM") - before, counts()["memory"]


STRUCT = np.dtype([("a", "i8"), ("b", "f8")])
OTHER = np.dtype([("b", "f4"), ("a", "i4"), ("c", "i8")], align=True)


def make_large(path, what):
    with h5py.File(path, "w") as f:
        if what == "record":
            f.create_dataset("d", data=np.zeros(4 * MIB, STRUCT), chunks=(MIB // 4,), compression=1)
        else:
            f.create_dataset("d", data=np.arange(8 * MIB, dtype="i4"), chunks=(MIB,), compression=1)


def peaks(path, what):
    with h5py.File(path, "r+") as f:
        d = f["d"]
        mem = np.zeros(d.shape, OTHER if what == "record" else "f8")
        mem["a" if what == "record" else ...] = 1
        kind = h5py.h5t.py_create(mem.dtype)
        all_ = h5py.h5s.ALL
        return peak_above(lambda: d.id.read(all_, all_, mem, kind)), peak_above(lambda: d.id.write(all_, all_, mem, kind))


@pytest.mark.parametrize("what", ["number", "record"])
def test_memory_is_what_the_plan_says(tmp_path, what):
    """In a process of its own: the workers' scratch is kept from call to call, so it counts in the first one only."""
    interpreter = Interpreter(with_connector(HDF5_PLUGIN_PATH=str(COUNTED)))
    try:
        interpreter.run(make_large, tmp_path / "a.zarr", what)
        interpreter.stop()
        first, second = interpreter.run(peaks, tmp_path / "a.zarr", what)
        for peak, told in (first, second):
            assert peak <= told + 8 * MIB
            assert told <= 192 * MIB + 64 * MIB
        assert first[0] >= first[1] / 8
    finally:
        interpreter.stop()
