"""What HDF5 has and hdmf-zarr has no convention for, inside an NWB file: exact for HDF5, and no obstacle to hdmf-zarr."""

import h5py
import numpy as np
import pytest

pytest.importorskip("pynwb")
pytest.importorskip("hdmf_zarr")

import nwb_compare
import nwb_sample
from places import with_connector
from interpreter import Interpreter


def region_references(f, g, d):
    g.attrs["region"] = d.regionref[1:3]
    g.create_dataset("regions", data=[d.regionref[0:2], d.regionref[:]], dtype=h5py.regionref_dtype)
    g.create_dataset("scalar region", data=d.regionref[2:4], dtype=h5py.regionref_dtype)


def null_references(f, g, d):
    g.attrs["null"] = h5py.Reference()
    g.attrs["null region"] = h5py.RegionReference()
    g.create_dataset("nulls", data=[h5py.Reference(), d.ref], dtype=h5py.ref_dtype)
    g.create_dataset("scalar null", data=h5py.Reference(), dtype=h5py.ref_dtype)
    rows = g.create_dataset("null rows", (2,), [("a", "i4"), ("r", h5py.ref_dtype)])
    rows[0] = (1, d.ref)


def references_in_attributes(f, g, d):
    g.attrs["list"] = np.array([g.ref, d.ref], h5py.ref_dtype)
    g.attrs["list of one"] = np.array([d.ref], h5py.ref_dtype)
    g.attrs["scalar"] = f["/"].ref
    d.attrs["matrix"] = np.array([[g.ref, d.ref]] * 2, h5py.ref_dtype)
    gone = g.create_group("gone")
    g.attrs["dangling"] = gone.ref
    g.create_dataset("dangling", data=[gone.ref, d.ref], dtype=h5py.ref_dtype)
    del g["gone"]


def compounds(f, g, d):
    text = h5py.string_dtype()
    numbers, words = np.dtype([("x", "f4"), ("y", "i2")]), np.dtype([("s", text), ("n", "u8"), ("f", "S3")])
    g.create_dataset("scalar numbers", data=np.array((1.5, 2), numbers))
    g.create_dataset("scalar words", data=np.array(("ü", 2**63, b"ab"), words))
    g.create_dataset("one row", data=np.array([("ü", 2**63, b"ab")], words))
    rows = g.create_dataset("rows", (5,), words, chunks=(2,), maxshape=(None,), compression="gzip")
    rows[1:4] = np.array([("a", 1, b""), ("", 2, b"abc"), ("日本", 3, b"x")], words)
    g.create_dataset("nested", data=np.array([((1.0, 2), 3)] * 2, [("in", numbers), ("out", "i1")]))
    g.create_dataset("matrix of rows", data=np.array([[("a", 1, b"x")] * 3] * 2, words))
    g.create_dataset("no rows", (0,), words, maxshape=(None,))
    g.attrs["numbers"], g.attrs["words"] = np.array((1.5, 2), numbers), np.array([("ü", 1, b"ab")], words)


def types(f, g, d):
    colours = h5py.enum_dtype({"red": 0, "blue": 7}, "u1")
    g.create_dataset("enum", data=[0, 7, 0], dtype=colours)
    g.create_dataset("scalar enum", data=7, dtype=colours)
    g.create_dataset("fixed", data=np.array([b"ab", b"", b"abcd"], "S4"))
    g.create_dataset("scalar fixed", data=np.bytes_("abc"))
    g.create_dataset("fixed utf8", data=np.array(["é".encode()], h5py.string_dtype("utf-8", 3)))
    g.create_dataset("ascii", data=["a", "bc"], dtype=h5py.string_dtype("ascii"))
    g.create_dataset("bad text", data=[b"\xff\xfe", b"ok"], dtype=h5py.string_dtype())
    g.create_dataset("opaque", data=np.array([b"\0\1\2"], "V3"))
    g.create_dataset("dates", data=np.array([1, 2], "M8[s]").astype(h5py.opaque_dtype("M8[s]")))
    g.create_dataset("sequences", (2,), h5py.vlen_dtype("i4"))[0] = [1, 2, 3]
    g.create_dataset("arrays", (2,), np.dtype(("i4", (2, 3))))[...] = np.arange(12).reshape(2, 2, 3)
    g.create_dataset("scalar array", shape=(), dtype=np.dtype(("i4", (3,))))
    g.create_dataset("complex", data=[1 + 2j])
    g.create_dataset("big-endian", data=np.array([1, 2], ">i4"))
    g.create_dataset("half", data=np.array([1, 2], "f2"))


def attributes(f, g, d):
    for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">i4", "S3"):
        g.attrs[f"one {kind}"] = np.array(1, kind)
        g.attrs[f"many {kind}"] = np.array([1, 2], kind)
        g.attrs[f"none {kind}"] = np.zeros((0, 2), kind)
    g.attrs["null"], g.attrs["null text"] = h5py.Empty("f4"), h5py.Empty(h5py.string_dtype())
    g.attrs["one of a list"] = np.array([1.0])
    g.attrs["one text of a list"] = np.array(["x"], h5py.string_dtype())
    g.attrs["nan"], g.attrs["inf"] = np.nan, [np.inf, -np.inf]
    g.attrs["enum"] = np.array(1, h5py.enum_dtype({"no": 0, "yes": 1}, "i2"))
    g.attrs["opaque"] = np.void(b"\0\1")
    g.attrs["sequence"] = np.array([np.array([1, 2]), np.array([3])], object).astype(h5py.vlen_dtype("i4"))
    g.attrs["zarr_dtype"], g.attrs["zarr_link"], g.attrs["_HDF5"] = "mine", [1], "mine too"
    g.attrs["bad"] = b"\xff"


def links(f, g, d):
    g["again"] = d
    g["group again"] = f["/acquisition/same_times"]
    g["soft"] = h5py.SoftLink(d.name)
    g["relative"] = h5py.SoftLink("d")
    g["dangling"] = h5py.SoftLink("/nowhere")
    g["through"] = h5py.SoftLink(g.name + "/group again/data")
    g["outside"] = h5py.ExternalLink("absent.h5", "/x")
    g["a\\b"], g[".hidden"], g["%41"] = 1, 2, 3
    g.create_group(".zgroup")


def spaces(f, g, d):
    g["null"] = h5py.Empty("i4")
    g["null text"] = h5py.Empty(h5py.string_dtype())
    g.create_dataset("grows", (3, 4), "i2", maxshape=(None, 9), chunks=(2, 2))
    g.create_dataset("grows to", (3,), h5py.string_dtype(), maxshape=(10,), chunks=(2,))[:2] = ["a", "b"]
    g.create_dataset("empty", (0,), "f4")
    g.create_dataset("empty text", (0, 2), h5py.string_dtype())
    g.create_dataset("never written", (), "f8")
    g.create_dataset("fill", (4,), "i4", fillvalue=-7)
    g.create_dataset("one", data=[1.0])
    g.create_dataset("compressed", data=np.arange(100), compression="gzip", shuffle=True, fletcher32=True)
    g.create_dataset("lzf", data=np.arange(100), compression="lzf")


def committed(f, g, d):
    f.create_group("/types")["t"] = np.dtype([("a", "i4")])
    g.create_dataset("of committed", data=np.zeros(2, [("a", "i4")]), dtype=f["/types/t"])
    g.attrs.create("of committed too", np.zeros((), [("a", "i4")]), dtype=f["/types/t"])


EXTRAS = [region_references, null_references, references_in_attributes, compounds, types, attributes, links, spaces, committed]


def write(path, name):
    """An NWB file of pynwb's, then what h5py adds to it."""
    nwb_sample.write(path, ["series"])
    with h5py.File(path, "r+") as f:
        g = f["/acquisition/first"].create_group("beyond")
        next(extra for extra in EXTRAS if extra.__name__ == name)(f, g, g.create_dataset("d", data=np.arange(5.0)))


@pytest.fixture(scope="module")
def pickling():
    interpreter = Interpreter(with_connector("zarr references=pickle"))
    yield interpreter
    interpreter.stop()


def lead_carefully(lead):
    def leads(file, reference):
        try:
            return lead(file, reference)
        except KeyError:
            return "nowhere"

    return leads


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    """The native file without extras, which pynwb cannot read in each case."""
    path = tmp_path_factory.mktemp("without") / "n.h5"
    nwb_sample.write(str(path), ["series"])
    return nwb_compare.by_pynwb(path)


@pytest.mark.parametrize("extra", EXTRAS, ids=lambda extra: extra.__name__)
@pytest.mark.parametrize("name, codec", [("a.nwb", "json2"), ("a.zarr", "json2"), ("a.nwb", "pickle")])
def test_exact_for_hdf5_and_no_obstacle(extra, name, codec, tmp_path, connector, pickling, without, monkeypatch):
    native, store = tmp_path / "n.h5", tmp_path / name
    write(str(native), extra.__name__)
    (connector if codec == "json2" else pickling).run(write, str(store), extra.__name__)
    with h5py.File(store, "r") as f:
        assert "t" not in f.get("/types", {}) or isinstance(f["/types/t"], h5py.Datatype)
    monkeypatch.setattr(nwb_compare, "lead", lead_carefully(nwb_compare.lead))
    monkeypatch.setattr(nwb_compare, "text", lambda value: value.decode(errors="surrogateescape") if isinstance(value, bytes) else value)
    assert nwb_compare.hdf5_differences(native, store) == []
    if codec == "pickle":
        monkeypatch.setattr("numcodecs.pickles.ALLOW_UNSAFE_PICKLE_DECODE", True)
    assert nwb_compare.object_differences(without, nwb_compare.by_hdmf_zarr(store)) == []
    assert nwb_compare.rule_breaks(store, pickle=codec == "pickle") == []
    assert nwb_compare.errors_by_hdmf_zarr(store) == []
