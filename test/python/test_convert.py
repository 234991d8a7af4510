"""h5zarr convert: everything that HDF5 can hold, to stores and back. Judges: h5diff, h5dump and h5py on native files, zarr-python,
and the command's own comparison, which is tried on files that differ."""

import subprocess

import h5py
import numpy as np
import pytest
import zarr

import view
from converting import LIBRARIES, ZOO, convert, left_behind

pytestmark = pytest.mark.filterwarnings("ignore")

PARTS = ["types", "nested", "storage", "links", "direct"]
FORMS = {"v2": ("a.zarr",), "v3": ("a.zarr", "--format", "3"), "zip": ("a.zarr.zip",), "hdf5": ("a.h5",),
         "file": ("a.h5ad", "--container", "file")}
# Each form with the HDF5 of the tests' tools, which is 1.14; two of them with the one of h5py's wheel too.
TRIED = [(form, "tools") for form in FORMS if LIBRARIES["tools"]] + [(form, "wheel") for form in ("v2", "hdf5") if LIBRARIES["wheel"]]


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    if not ZOO.exists():
        pytest.skip("the zoo was not built beside the plugin")
    where = tmp_path_factory.mktemp("zoo")
    for part in PARTS:
        subprocess.run([ZOO, part, where / f"{part}.h5"], check=True, capture_output=True)
    return where


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("form, library", TRIED)
def test_the_zoo_passes_its_own_comparison(zoo, part, form, library, tmp_path):
    name, *options = FORMS[form]
    convert(zoo / f"{part}.h5", tmp_path / name, "--verify", *options, library=LIBRARIES[library])
    assert not left_behind(tmp_path, name)


@pytest.mark.parametrize("part", ["types", "nested", "storage"])
def test_the_zoo_through_every_form_and_back(zoo, part, tmp_path, tool):
    """HDF5 -> v2 -> HDF5 -> v3 in a zip -> v2 -> one file -> HDF5. h5dump prints the same of the last as of the first."""
    steps = ["1.zarr", "2.h5", "3.zarr.zip", "4.zarr", "5.h5ad", "6.h5"]
    before = zoo / f"{part}.h5"
    for step in steps:
        options = ["--format", "3"] if step.endswith(".zip") else ["--container", "file"] if step.endswith("h5ad") else []
        convert(before, tmp_path / step, *options)
        before = tmp_path / step
    assert h5py.is_hdf5(before)

    def dumped(path):
        text = tool("h5dump", "-p", path)
        return [line for line in text.replace(str(path), "FILE").splitlines() if " SIZE " not in line and "OFFSET" not in line]

    assert dumped(before) == dumped(zoo / f"{part}.h5")
    tool("h5diff", zoo / f"{part}.h5", before)


REFERENCE = h5py.ref_dtype
REGION = h5py.regionref_dtype


def referring(path):
    """A file with references everywhere, to what comes before and behind."""
    with h5py.File(path, "w") as f:
        data = f.create_dataset("z/data", data=np.arange(12).reshape(3, 4))
        group = f.create_group("y/deep")
        row = np.dtype([("n", "i4"), ("to", REFERENCE), ("pair", REFERENCE, (2,)), ("part", REGION)])
        rows = f.create_dataset("a/rows", (2,), row)
        rows[0] = (1, data.ref, [group.ref, data.ref], data.regionref[1:3, ::2])
        rows[1] = (2, group.ref, [f.ref, data.ref], data.regionref[0, 1])
        lists = f.create_dataset("b/lists", (2,), h5py.vlen_dtype(REFERENCE))
        lists[0] = np.array([data.ref, group.ref], dtype=REFERENCE)
        lists[1] = np.array([f["a/rows"].ref], dtype=REFERENCE)
        f["c"] = 1
        f["c"].attrs["leads"] = data.ref
        f["c"].attrs.create("region", data.regionref[2, 1:], dtype=REGION)
        f["c"].attrs["plain"] = 7
        f.attrs["to"] = group.ref
        f["z/data"].dims[0].label = "x"
        f["scale"] = np.arange(3.0)
        f["scale"].make_scale("time")
        f["z/data"].dims[0].attach_scale(f["scale"])
        none = f.create_dataset("d", (2,), REFERENCE)
        none[1] = data.ref


def led_to(path):
    with h5py.File(path) as f:
        rows = f["a/rows"]
        return {
            "rows": [(int(r["n"]), f[r["to"]].name, [f[x].name for x in r["pair"]], f[r["part"]].name,
                      f["z/data"][r["part"]].tolist()) for r in rows[:]],
            "lists": [[f[x].name for x in each] for each in f["b/lists"][:]],
            "attribute": f[f["c"].attrs["leads"]].name, "region": f["z/data"][f["c"].attrs["region"]].tolist(),
            "order": sorted(f["c"].attrs), "root": f[f.attrs["to"]].name,
            "scale": [s.name for s in f["z/data"].dims[0].values()], "back": f[f["scale"].attrs["REFERENCE_LIST"][0][0]].name,
            "null": [bool(x) for x in f["d"][:]],
        }


@pytest.mark.parametrize("form, library", TRIED)
def test_references_in_compounds_lists_and_attributes_lead_to_the_same(form, library, tmp_path):
    library = LIBRARIES[library]
    referring(tmp_path / "from.h5")
    expected = led_to(tmp_path / "from.h5")
    assert expected["rows"][0][1:3] == ("/z/data", ["/y/deep", "/z/data"])
    name, *options = FORMS[form]
    convert(tmp_path / "from.h5", tmp_path / name, "--verify", *options, library=library)
    convert(tmp_path / name, tmp_path / "back.h5", "--verify", library=library)
    assert led_to(tmp_path / "back.h5") == expected
    with h5py.File(tmp_path / name) as f:  # through the connector of the tests, which may be in another HDF5
        assert f[f["a/rows"][1]["to"]].name == "/y/deep"


def test_links_of_all_kinds(tmp_path):
    with h5py.File(tmp_path / "from.h5", "w", track_order=True) as f:
        f["z/one"] = [1, 2]
        f["a"] = f["z"]  # a second name of a group
        f["b"] = f["z/one"]
        f["z/up"] = f["/"]  # a circle
        f["soft"] = h5py.SoftLink("/nowhere/at all")
        f["external"] = h5py.ExternalLink("other.h5", "/there")
        f["ünder"] = 1
        f["type"] = np.dtype([("x", "i4")])
        f.create_dataset("typed", (1,), f["type"])
    convert(tmp_path / "from.h5", tmp_path / "a.zarr", "--verify")
    convert(tmp_path / "a.zarr", tmp_path / "back.h5", "--verify")
    with h5py.File(tmp_path / "back.h5") as f:
        assert list(f) == ["z", "a", "b", "soft", "external", "ünder", "type", "typed"]
        assert f["a"] == f["z"] and f["b"] == f["a/one"] and f["z/up"] == f["/"]
        assert f.get("soft", getlink=True).path == "/nowhere/at all"
        external = f.get("external", getlink=True)
        assert (external.filename, external.path) == ("other.h5", "/there")
        assert f["typed"].id.get_type().committed() and f["typed"].id.get_type() == f["type"].id


def test_zarr_python_reads_what_was_converted(tmp_path):
    values = np.random.default_rng(3).normal(size=(200, 30))
    with h5py.File(tmp_path / "from.h5", "w") as f:
        f.create_dataset("x", data=values, chunks=(50, 10), compression="gzip", shuffle=True)
        f["names"] = ["Ann", "Bo", "Cäsar"]
        f["x"].attrs["unit"] = "mV"
    for name, options in (("2.zarr", ()), ("3.zarr", ("--format", "3")), ("3.zarr.zip", ("--format", "3", "--shards", "8K"))):
        convert(tmp_path / "from.h5", tmp_path / name, *options)
        g = zarr.open_group(zarr.storage.ZipStore(tmp_path / name, mode="r") if name.endswith("zip") else tmp_path / name, mode="r")
        np.testing.assert_array_equal(g["x"][:], values)
        assert g["x"].attrs["unit"] == "mV" and list(g["names"][:]) == ["Ann", "Bo", "Cäsar"]
        assert g["x"].chunks == (50, 10)


def test_chunks_are_copied_as_they_are_stored(tmp_path):
    """The same filters on both sides: the bytes of a chunk are those of the file."""
    with h5py.File(tmp_path / "from.h5", "w") as f:
        d = f.create_dataset("x", data=np.arange(1000), chunks=(300,), compression="gzip", compression_opts=7, fletcher32=True)
        stored = d.id.read_direct_chunk((300,))
    convert(tmp_path / "from.h5", tmp_path / "a.zarr")
    convert(tmp_path / "a.zarr", tmp_path / "back.h5")
    with h5py.File(tmp_path / "back.h5") as f:
        assert f["x"].id.read_direct_chunk((300,)) == stored
        assert view.storage(f["x"])["level"] == 7


def test_a_codec_for_some_datasets(tmp_path):
    """Patterns name them; all others keep what they have. HDF5 is shown no filter where none was asked for."""
    with h5py.File(tmp_path / "from.h5", "w") as f:
        for name in ("plain", "raw/a", "raw/b"):
            f[name] = np.zeros((100, 100))
        f.create_dataset("gzip", data=np.zeros((100, 100)), compression="gzip", chunks=(50, 100))
        f.create_dataset("other", data=np.zeros((100, 100)), compression="gzip", chunks=(50, 100))
        f["text"] = ["a text", "another"]
    convert(tmp_path / "from.h5", tmp_path / "a.zarr", "--verify", "--compress", "/raw/*:none;/plain:zstd;/gzip:blosc;/text:zlib")
    g = zarr.open_group(tmp_path / "a.zarr", mode="r")
    codecs = {name: repr(g[name].compressors).lower() for name in ("plain", "raw/a", "raw/b", "gzip", "other", "text")}
    words = {"plain": "zstd", "raw/a": "()", "raw/b": "()", "gzip": "blosc", "other": "zlib", "text": "zlib"}
    assert all(words[name] in codecs[name] for name in words), codecs
    with h5py.File(tmp_path / "a.zarr", "r") as f:
        assert [f[name].chunks for name in ("plain", "raw/a", "gzip", "other")] == [None, None, (50, 100), (50, 100)]
        assert [f[name].compression for name in ("plain", "raw/a", "gzip", "other")] == [None, None, None, "gzip"]
    convert(tmp_path / "from.h5", tmp_path / "all.zarr", "--verify", "--compress", "zstd")  # the store says it once
    assert all('"p"' not in (tmp_path / f"all.zarr/{name}/.zattrs").read_text() for name in words)
    convert(tmp_path / "from.h5", tmp_path / "b.h5", "--verify", "--compress", "/raw/a:zlib;/gzip:none;auto")
    with h5py.File(tmp_path / "b.h5") as f:
        assert [f[name].compression for name in ("raw/a", "raw/b", "gzip", "other")] == ["gzip", None, None, "gzip"]


def test_chunks_and_compression_that_are_asked_for(tmp_path):
    with h5py.File(tmp_path / "from.h5", "w") as f:
        f["flat"] = np.zeros((1000, 20))
        f.create_dataset("chunked", data=np.ones((100, 100)), chunks=(7, 9), compression="gzip")
        f["line"] = np.arange(50)
    convert(tmp_path / "from.h5", tmp_path / "a.zarr", "--verify", "--chunks", "/fl*:100,20;50,50", "--compress", "zstd")
    g = zarr.open_group(tmp_path / "a.zarr", mode="r")
    assert (g["flat"].chunks, g["chunked"].chunks, g["line"].chunks) == ((100, 20), (50, 50), (50,))
    assert "zstd" in repr(g["chunked"].compressors).lower()
    convert(tmp_path / "a.zarr", tmp_path / "back.h5", "--verify", "--compress", "zlib", "--chunks", "auto")
    with h5py.File(tmp_path / "back.h5") as f:
        assert (f["flat"].compression, f["flat"].shuffle, f["flat"].chunks) == ("gzip", True, (1000, 20))
    convert(tmp_path / "back.h5", tmp_path / "plain.h5", "--compress", "none")
    with h5py.File(tmp_path / "plain.h5") as f:
        assert f["flat"].compression is None


def test_little_memory_gives_the_same(tmp_path):
    rng = np.random.default_rng(5)
    with h5py.File(tmp_path / "from.h5", "w") as f:
        f.create_dataset("cube", data=rng.integers(0, 99, (130, 70, 60)), chunks=(40, 30, 20))
        f["flat"] = rng.normal(size=(1000, 300))
        f["text"] = ["x" * int(n) for n in rng.integers(0, 3000, 2000)]
    convert(tmp_path / "from.h5", tmp_path / "a.zarr", "--memory", "1M", "--chunks", "/cube:50,50,50", "--verify")
    convert(tmp_path / "a.zarr", tmp_path / "back.h5", "--memory", "1M", "--verify")
    with h5py.File(tmp_path / "from.h5") as f, h5py.File(tmp_path / "back.h5") as b:
        assert view.dataset(f["cube"]) == view.dataset(b["cube"]) and view.dataset(f["text"]) == view.dataset(b["text"])


def test_a_sparse_dataset_is_copied_by_its_chunks(tmp_path):
    """Ten million million elements, of which two chunks are stored."""
    with h5py.File(tmp_path / "from.h5", "w") as f:
        d = f.create_dataset("x", (10**7, 10**6), "i2", chunks=(50, 100), fillvalue=-7)
        d[1000:1050, 300:400] = 3
        d[9999999, 999999] = 4
        t = f.create_dataset("text", (10**9,), h5py.string_dtype(), chunks=(100,))
        t[5000] = "there"
    for before, name in (("from.h5", "a.zarr"), ("a.zarr", "b.zarr"), ("b.zarr", "a.h5")):
        convert(tmp_path / before, tmp_path / name, "--verify", *(["--compress", "zstd"] if name == "b.zarr" else []))
    with h5py.File(tmp_path / "a.h5") as f:
        assert f["x"][1049, 399] == 3 and f["x"][1050, 0] == -7 and f["x"][-1, -1] == 4 and f["x"].id.get_num_chunks() == 2
        assert f["text"][5000] == b"there" and f["text"].id.get_num_chunks() == 1


def test_what_lies_in_other_files_is_brought_in(tmp_path):
    with h5py.File(tmp_path / "part.h5", "w") as f:
        f["x"] = np.arange(6)
    (tmp_path / "raw").write_bytes(np.arange(4, dtype="<i4").tobytes())
    with h5py.File(tmp_path / "from.h5", "w") as f:
        layout = h5py.VirtualLayout((6,), "i8")
        layout[:] = h5py.VirtualSource(tmp_path / "part.h5", "x", (6,))
        f.create_virtual_dataset("virtual", layout)
        f.create_dataset("raw", (4,), "<i4", external=[(str(tmp_path / "raw"), 0, 16)])
    said = convert(tmp_path / "from.h5", tmp_path / "a.zarr", "--verify")[1]
    assert "/virtual" in said and "/raw" in said and "external" in said
    g = zarr.open_group(tmp_path / "a.zarr", mode="r")
    assert g["virtual"][:].tolist() == list(range(6)) and g["raw"][:].tolist() == list(range(4))


def test_lzf_of_h5py_is_read(tmp_path):
    values = np.repeat(np.arange(500), 40).reshape(100, 200)
    with h5py.File(tmp_path / "from.h5", "w") as f:
        f.create_dataset("x", data=values, compression="lzf", chunks=(30, 200))
        f.create_dataset("noise", data=np.random.default_rng(1).bytes(5000), dtype="S5000", shape=(1,), chunks=(1,), compression="lzf")
    for name in ("a.zarr", "a.h5"):
        assert "lzf" in convert(tmp_path / "from.h5", tmp_path / name, "--verify")[1]
    assert np.array_equal(zarr.open_group(tmp_path / "a.zarr", mode="r")["x"][:], values)
    with h5py.File(tmp_path / "a.h5") as f:
        assert np.array_equal(f["x"][:], values) and f["x"].compression == "gzip"


def test_attributes_larger_than_an_old_object_takes(tmp_path):
    """A store has no limit; a file gets objects of HDF5 1.8's form where they are needed."""
    values = np.arange(30000)
    g = zarr.open_group(tmp_path / "from.zarr", mode="w", zarr_format=2)
    g.attrs["large"] = values.tolist()
    g.create_group("g").attrs["large"] = values.tolist()
    g.create_array("x", shape=(3,), dtype="i4").attrs["large"] = values.tolist()
    convert(tmp_path / "from.zarr", tmp_path / "a.h5", "--verify")
    with h5py.File(tmp_path / "a.h5") as f:
        for item in (f, f["g"], f["x"]):
            assert np.array_equal(item.attrs["large"], values)


def test_a_user_block(tmp_path):
    with h5py.File(tmp_path / "from.h5", "w", userblock_size=1024) as f:
        f["x"] = 1
    with open(tmp_path / "from.h5", "r+b") as raw:
        raw.write(b"before everything")
    convert(tmp_path / "from.h5", tmp_path / "a.h5", "--verify")
    assert (tmp_path / "a.h5").read_bytes().startswith(b"before everything\0")
    with h5py.File(tmp_path / "a.h5") as f:
        assert f.userblock_size == 1024
    assert "user block" in convert(tmp_path / "from.h5", tmp_path / "a.zarr")[1]
    convert(tmp_path / "from.h5", tmp_path / "a.h5mu", "--container", "file", "--verify")
    assert (tmp_path / "a.h5mu").read_bytes().startswith(b"before everything\0")
    with h5py.File(tmp_path / "a.h5mu") as f:
        assert f["x"][()] == 1


@pytest.mark.parametrize("what", ["value", "attribute", "type", "member", "reference", "order", "chunk"])
def test_the_comparison_tells_what_differs(tmp_path, what):
    """Of two files that differ in one thing, the other is put in the place of the copy: here by a source that is read as both."""
    referring(tmp_path / "from.h5")
    with h5py.File(tmp_path / "from.h5", "r+") as f:
        f.create_dataset("big", data=np.arange(100), chunks=(10,), compression="gzip")
    assert "verified" in convert(tmp_path / "from.h5", tmp_path / "a.h5", "--verify")[0]
    with h5py.File(tmp_path / "a.h5", "r+") as f:
        if what == "value":
            f["z/data"][1, 2] = 99
        elif what == "attribute":
            f["c"].attrs["plain"] = 8
        elif what == "type":
            del f["c"]
            f["c"] = np.int16(1)
        elif what == "member":
            f["more"] = 1
        elif what == "reference":
            row = f["a/rows"][1]
            row["to"] = f["z/data"].ref
            f["a/rows"][1] = row
        elif what == "order":
            del f["y"]
        else:
            f["big"].id.write_direct_chunk((20,), b"no deflate", 0)
    said = convert("--compare", tmp_path / "from.h5", tmp_path / "a.h5", expect=1)[1]
    wanted = {"value": "/z/data: the values at (1, 2) differ", "attribute": "/c: attribute plain: the values differ",
              "type": "/c: type int64 in the source, int16 in the target", "member": "/more: only in the target: dataset int64 scalar",
              "order": "/y: only in the source",
              "reference": "/a/rows: the values at (1) differ", "chunk": "/big: its elements cannot be read in the target"}
    assert wanted[what] in said, said
