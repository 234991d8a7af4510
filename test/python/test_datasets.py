"""Creating, writing, reading and resizing datasets: each case does on a store what it does on a native file."""

import h5py
import numpy as np
import pytest

import alike
from alike import outcome

pytestmark = pytest.mark.filterwarnings("ignore")
N = np.arange(24)
RECORD = np.dtype([("n", "<i4"), ("x", ">f8"), ("s", "S4"), ("pair", "<f4", (2,))])
NESTED = np.dtype([("id", "<u2"), ("in", [("a", "<f8"), ("b", "?")])])
COLOUR = h5py.enum_dtype({"RED": 0, "GREEN": 1, "BLUE": 42}, basetype="i2")

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">i2", ">i4", ">u8", ">f4", ">f8", "c8", "c16", "?", "S1", "S7", "V3"]


def of_dtype(t):
    def case(f):
        data = (N % 2 == 0) if t == "?" else N.astype("u1").astype("V3") if t == "V3" else N.astype(t)
        f["contiguous"] = data.reshape(4, 6)
        f.create_dataset("chunked", data=data, chunks=(7,))
        f.create_dataset("empty", (0,), t, maxshape=(None,))
        f.create_dataset("scalar", (), t)[()] = data[5]
        f.create_dataset("unwritten", (3, 2), t)
        f.create_dataset("part", (30,), t, chunks=(4,))[10:17] = data[:7]
        return f["contiguous"][1:3, ::2], f["chunked"][-3:], f["scalar"][()], f["unwritten"][0]
    return case


def compressed(**options):
    def case(f):
        data = np.resize(np.arange(977, dtype="i4"), (100, 30))
        d = f.create_dataset("x", data=data, chunks=(13, 30), **options)
        d[5:90, 3] = -1
        return d[...], d.compression, d.compression_opts, d.shuffle, d.fletcher32
    return case


def resizing(f):
    d = f.create_dataset("x", (10, 4), "f8", maxshape=(None, 8), chunks=(3, 3), fillvalue=7)
    d[...] = np.arange(40).reshape(10, 4)
    seen = [d[...]]
    for shape in ((4, 4), (12, 4), (12, 8), (1, 1), (5, 5), (0, 5), (7, 2)):
        d.resize(shape)
        seen.append(d[...])
    d.resize(9, axis=0)
    return seen, d[...], outcome(lambda: d.resize((9, 9))), outcome(lambda: d.resize((1,))), d.maxshape


def shrinking_below_a_fixed_maximum(f):
    """The maximum needs no note until the size differs from it."""
    d = f.create_dataset("x", data=N, chunks=(5,), maxshape=(24,))
    d.resize((3,))
    return d.maxshape


def appending(f):
    d = f.create_dataset("log", (0,), "i8", maxshape=(None,), chunks=(64,))
    for i in range(100):
        d.resize((d.shape[0] + 7,))
        d[-7:] = np.arange(7) + i
    return d[...]


def strings(f):
    f["str"] = "grüße"
    f["bytes"] = b"raw"
    f["list"] = ["a", "", "日本語"]
    f.create_dataset("ascii", data=[b"x", b"yy"], dtype=h5py.string_dtype("ascii"))
    f.create_dataset("fixed utf8", data=["ä".encode(), b"bc"], dtype=h5py.string_dtype("utf-8", 6))
    f.create_dataset("fixed ascii", data=[b"abc", b"d"], dtype=h5py.string_dtype("ascii", 3))
    d = f.create_dataset("two dimensions", (3, 4), h5py.string_dtype(), chunks=(2, 2))
    d[1] = ["p", "q", "", "r" * 1000]
    d[:, 2] = "column"
    d[2, 3] = "one"
    f.create_dataset("unwritten", (3,), h5py.string_dtype())
    f.create_dataset("filled", (3,), h5py.string_dtype(), fillvalue="f")
    return d[...], d.asstr()[1:, ::3], f["str"][()], f["unwritten"][...], f["filled"][...], f["fixed utf8"].asstr()[...]


def longer_strings(f):
    d = f.create_dataset("x", (100,), h5py.string_dtype(), chunks=(9,))
    for i in range(0, 100, 3):
        d[i] = "é" * i
    d[50:60] = [str(i) for i in range(10)]
    return d[...]


def records(f):
    data = np.array([(i, i / 3, f"s{i}", (i, -i)) for i in range(20)], RECORD)
    d = f.create_dataset("x", data=data, chunks=(6,))
    d[3] = (99, 0.5, b"new", (1, 2))
    d[5:9, "n"] = [7, 8, 9, 10]
    f["nested"] = np.array([(i, (i / 7, i % 2)) for i in range(5)], NESTED)
    return d[...], d["n"], d["x", "s"], d["n"][2:5], d[3], f["nested"]["in"], f["nested"][2]


def enums(f):
    d = f.create_dataset("colour", data=[0, 1, 42], dtype=COLOUR)
    d[0] = 42
    f.create_dataset("flag", (4,), bool)[1:3] = True
    return d[...], h5py.check_enum_dtype(d.dtype), f["flag"][...]


def ragged(f):
    d = f.create_dataset("x", (4,), h5py.vlen_dtype("i4"), chunks=(3,))
    d[0], d[2] = [1, 2, 3], np.arange(100)
    d[3] = []
    f.create_dataset("floats", (2, 2), h5py.vlen_dtype(">f8"))[1, 1] = [0.5]
    return d[...], d[2], f["floats"][...]


def times(f):
    stamps = np.array(["2020-01-01", "NaT", "1969-12-31"], "M8[ns]")
    f.create_dataset("time", data=stamps.astype(h5py.opaque_dtype(stamps.dtype)))
    f.create_dataset("delta", data=np.array([1, -2], "m8[s]").astype(h5py.opaque_dtype("m8[s]")))
    return f["time"][...], f["delta"][1], f["time"].dtype


def fills(f):
    for i, (t, value) in enumerate([("i4", -5), ("f8", np.nan), ("u8", 2**64 - 1), ("f4", np.inf), ("c16", 1 - 2j), ("?", True), ("S3", b"ab"), (">i2", 258)]):
        d = f.create_dataset(f"d{i}", (5,), t, chunks=(2,), fillvalue=value)
        d[2] = d[3]
    d = f.create_dataset("record", (3,), RECORD, fillvalue=np.array((1, 2, b"x", (3, 4)), RECORD))
    return [f[name][...] for name in f], [f[name].fillvalue for name in f]


def fill_times(f):
    for time in ("alloc", "ifset"):
        f.create_dataset(time, (4,), "i4", chunks=(2,), fillvalue=3, fill_time=time)[:2] = 1
    return f["alloc"][...], f["ifset"][...]


def times_and_masks_of_variable_length(f):
    """Such elements are filled when they are allocated; a filter was applied to their chunks, though nobody can read them directly."""
    pair = np.dtype([("a", "i4"), ("t", h5py.string_dtype())])
    said = []
    for name, dtype in (("text", h5py.string_dtype()), ("pair", pair), ("sequence", h5py.vlen_dtype("i2")), ("fixed", "S3")):
        for time in ("alloc", "ifset", None):
            d = f.create_dataset(f"{name} {time}", (4,), dtype, chunks=(2,), compression="gzip", fill_time=time)
            said.append(d.id.get_create_plist().get_fill_time())
        if name == "text":
            d[...] = [b"a", b"b", b"c", b"d"]
            infos = []
            d.id.chunk_iter(lambda info: infos.append((info.chunk_offset, info.filter_mask)))
            said.append((sorted(infos), d.id.get_chunk_info(0).filter_mask, d.id.get_chunk_info_by_coord((2,)).filter_mask))
        del f[f"{name} alloc"], f[f"{name} ifset"]
    del f["pair None"], f["sequence None"]
    return said


def selections(f):
    d = f.create_dataset("x", (20, 30), "i4", chunks=(6, 7))
    d[...] = np.arange(600).reshape(20, 30)
    d[::3, 1::4] = -1
    d[[1, 5, 19], 2:4] = np.full((3, 2), -2)
    d[4, [0, 7, 29]] = [1, 2, 3]
    d[np.arange(20) > 17, :] = np.full((2, 30), -3)
    d[d[...] > 500] = np.arange((d[...] > 500).sum())
    d[2:2] = 5
    d[-1, -1] = 77
    return d[...], d[d[...] < 0], outcome(lambda: d[[3, 1]]), outcome(lambda: d.__setitem__(np.s_[:, 40], 1))


def broadcasts(f):
    d = f.create_dataset("x", (4, 5, 6), "f4", chunks=(2, 2, 6))
    d[...] = 1
    d[1] = np.arange(6)
    d[2, :, :] = np.arange(30).reshape(5, 6)
    d[:, 3] = np.arange(6)
    return d[...], outcome(lambda: d.__setitem__(0, np.zeros((7, 7))))


def conversions(f):
    out = []
    for source in ("i1", "u8", "f8", "f4", "?"):
        for target in ("i1", "u2", "i8", "f2", "f8", ">i4"):
            data = (N % 2 == 0) if source == "?" else (N * 10).astype(source)
            d = f.create_dataset(f"{source} as {target}", (24,), target)
            out.append(outcome(lambda: d.__setitem__(Ellipsis, data)))
            out.append(outcome(lambda: d.astype("f8")[...]))
    return out


def reading_direct(f):
    d = f.create_dataset("x", data=N.reshape(4, 6), chunks=(3, 4))
    out = np.full((10, 10), -1.0)
    d.read_direct(out, np.s_[1:3, ::2], np.s_[5:7, 1:4])
    d.write_direct(np.ones((6,), "f4"), np.s_[:], np.s_[3])
    return out, d[...]


def anonymous(f):
    d = f.create_dataset(None, (10,), "i4", chunks=(3,))
    d[2:5] = 7
    seen = d[...], d.name, len(f)
    f["named"] = d
    d[9] = 1
    lost = f.create_dataset(None, data=[1, 2])
    lost.attrs["x"] = 1
    g = f.create_group(None)
    g["inside"] = [1]
    f["group"] = g
    return seen, d.name, f["named"][...], lost[...], list(f)


def empty_space(f):
    f["null"] = h5py.Empty("i8")
    f["null text"] = h5py.Empty(h5py.string_dtype())
    return f["null"].shape, f["null"][()], outcome(lambda: f["null"][0]), f["null"].size


def scalars(f):
    for name, value in {"i": 5, "f": 2.5, "b": True, "c": 1j, "s": "t", "u1": np.uint8(9), "neg": np.int16(-4)}.items():
        f[name] = value
    f["i"][()] = 6
    f["f"][...] = -0.0
    return [(f[n][()], f[n][...], f[n].shape) for n in f], outcome(lambda: f["i"][0]), outcome(lambda: f["i"].resize((2,)))


def requiring(f):
    d = f.require_dataset("a/b", (5,), "i4")
    d[...] = 3
    return (f.require_dataset("a/b", (5,), "i4") == d, outcome(lambda: f.require_dataset("a/b", (6,), "i4")),
            outcome(lambda: f.require_dataset("a/b", (5,), "f8", exact=True)), outcome(lambda: f.require_dataset("a", (5,), "i4")))


def like(f):
    d = f.create_dataset("x", data=N, chunks=(5,), compression="gzip", shuffle=True, fillvalue=1, maxshape=(None,))
    e = f.create_dataset_like("y", d)
    return e.chunks, e.compression, e.shuffle, e.fillvalue, e.maxshape, e[...]


def refused(f):
    f["x"] = 1
    return [outcome(call) for call in (
        lambda: f.create_dataset("x", (3,)), lambda: f.create_dataset("bad", (3,), chunks=(0,)), lambda: f.create_dataset("big", (3,), chunks=(9,)),
        lambda: f.create_dataset("x/y", (3,)), lambda: f.create_dataset("neg", (-1,)), lambda: f.create_dataset("rank", (1,) * 33),
        lambda: f.create_dataset("max", (5,), maxshape=(3,)), lambda: f.create_dataset("o", data=[{}]),
        lambda: f.create_dataset("nofilter", (5,), chunks=(5,), compression=32099), lambda: f.create_dataset("", (3,)),
    )], list(f)


def handles(f):
    d = f.create_dataset("x", data=N)
    e = f["x"]
    d[0] = 50
    del f["x"]
    d[1] = 51
    return e[:3], "x" in f, d == e, bool(d), d.name


def guessed_chunks(f):
    d = f.create_dataset("auto", (1000, 1000), "f8", chunks=True)
    e = f.create_dataset("max", (10,), "i1", maxshape=(None,))
    return d.chunks, e.chunks, f.create_dataset("gzip", (300, 20), compression="gzip").chunks


def orders(f):
    f["fortran"] = np.asfortranarray(N.reshape(4, 6))
    f["strided"] = N.reshape(4, 6)[::2, ::-1]
    f["transposed"] = N.reshape(2, 3, 4).T
    return f["fortran"][...], f["transposed"][...]


def dims(f):
    d = f.create_dataset("x", (3, 4))
    d.dims[0].label = "time"
    return d.dims[0].label, d.dims[1].label, len(d.dims)


CASES = {
    **{f"dtype {t}": of_dtype(t) for t in DTYPES},
    **{f"gzip {level}": compressed(compression="gzip", compression_opts=level) for level in (0, 4, 9)},
    "shuffle": compressed(shuffle=True), "fletcher32": compressed(fletcher32=True),
    "shuffle gzip fletcher32": compressed(shuffle=True, compression="gzip", fletcher32=True),
    "no filter": compressed(),
    **{case.__name__.replace("_", " "): case for case in (
        resizing, shrinking_below_a_fixed_maximum, appending, strings, longer_strings, records, enums, ragged, times, fills, fill_times, times_and_masks_of_variable_length, selections, broadcasts, conversions,
        reading_direct, anonymous, empty_space, scalars, requiring, like, refused, handles, guessed_chunks, orders, dims)},
}


@pytest.mark.parametrize("name", CASES)
def test_as_on_a_native_file(name, connector, tmp_path):
    alike.compare(connector, tmp_path, __name__, name)


def lzf(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=N, chunks=(5,), compression="lzf")
        return f["x"][...], f["x"].compression


def test_lzf_is_substituted(connector, tmp_path):
    data, _ = connector.run(lzf, str(tmp_path / "s.zarr"))
    assert (data == N).all()
    import zarr
    assert (zarr.open_group(tmp_path / "s.zarr", mode="r")["x"][...] == N).all()
