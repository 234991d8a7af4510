"""h5zarr virtual: Zarr views of HDF5 files, whose chunks stay where they are. The judges are HDF5's tools and h5py on the native file,
and zarr-python and xarray over fsspec's reference file system."""

import gc
import json
import os
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest
import zarr

import view
from converting import COMMAND, LIBRARIES, left_behind, run
from places import shared
from test_reference_files import by_fsspec
from test_zoo import PARTS, diff, dump, zoo  # noqa: F401 (a fixture)

RECORD = np.dtype([("a", "i4"), ("b", "f8"), ("s", "S5")])


def make(source, *arguments, name=None, **more):
    target = source.parent / (name or f"{source.name}.json")
    run("virtual", "--quiet", *arguments, source, target, **more)
    return target


def refs_of(path):
    return json.loads(path.read_text())["refs"]


def references(path, key):
    """Chunks of an array: those in the source, and those in the view."""
    chunks = {k: v for k, v in refs_of(path).items() if k.startswith(key + "/") and "/.z" not in k and not k.endswith("zarr.json")}
    return [k for k, v in chunks.items() if isinstance(v, list)], [k for k, v in chunks.items() if isinstance(v, str)]


@pytest.fixture(autouse=True)
def no_collector():
    """zarr's own thread would collect objects of h5py, whose lock this thread may hold while it waits for zarr."""
    gc.disable()
    yield
    gc.enable()


# ---- everything, shown by our connector ----

@pytest.mark.parametrize("part", PARTS)
def test_the_zoo_is_dumped_alike(zoo, part, tool, tmp_path):  # noqa: F811
    source = shutil.copy(zoo / f"{part}.hdf5", tmp_path / f"{part}.hdf5")
    ours = make(source)
    assert dump(tool, ours) == dump(tool, source)
    assert left_behind(tmp_path, source.name, ours.name) == []


@pytest.mark.parametrize("part", ["types", "nested", "storage"])
def test_h5diff_finds_no_difference_in_the_zoo(zoo, part, tool, tmp_path):  # noqa: F811
    source = shutil.copy(zoo / f"{part}.hdf5", tmp_path / f"{part}.hdf5")
    same = shutil.copy(source, tmp_path / "same.h5")
    assert diff(tool, source, make(source)) == diff(tool, source, same)


@pytest.mark.parametrize("part", ["nested", "storage"])
def test_zarr_python_reads_what_it_reads_of_a_conversion(zoo, part, tmp_path):  # noqa: F811
    """Types that Zarr has no word for are there in the form in which h5zarr convert stores them."""
    source = shutil.copy(zoo / f"{part}.hdf5", tmp_path / f"{part}.hdf5")
    run("convert", "--quiet", "--compress", "none", "--dialect", "plain", source, tmp_path / "x.zarr")
    ours, converted = by_fsspec(make(source)), zarr.open_group(tmp_path / "x.zarr", mode="r", use_consolidated=False)
    with h5py.File(source) as f:
        names = []
        f.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    compared = 0
    for name in names:
        try:
            expected = converted[name][...]
        except ValueError as error:  # nested structures
            assert "No Zarr data type" in str(error)
            continue
        np.testing.assert_equal(np.asarray(ours[name][...]).tolist(), np.asarray(expected).tolist(), err_msg=name)
        compared += 1
    assert compared >= 15


# ---- datasets of each kind ----

NUMBERS = np.arange(60000, dtype="<i4").reshape(200, 300)

# name -> (how it is made, does the view refer to its chunks?)
KINDS = {
    "contiguous": ({"data": NUMBERS}, True),
    "large": ({"data": np.arange(1_300_000, dtype="f8").reshape(13, 100_000)}, True),
    "prime": ({"data": np.arange(1_299_709, dtype="f8")}, True),
    "few": ({"data": np.arange(3)}, False),
    "scalar": ({"data": 2.5}, False),
    "big_endian": ({"data": NUMBERS.astype(">f4")}, True),
    "big_endian_chunks": ({"data": NUMBERS.astype(">u2"), "chunks": (30, 40), "compression": "gzip", "shuffle": True}, True),
    "chunks": ({"data": NUMBERS, "chunks": (30, 40)}, True),
    "gzip": ({"data": NUMBERS, "chunks": (30, 40), "compression": "gzip"}, True),
    "all_three": ({"data": NUMBERS, "chunks": (30, 40), "compression": "gzip", "shuffle": True, "fletcher32": True}, True),
    "shuffle": ({"data": NUMBERS, "chunks": (20, 30), "shuffle": True}, True),
    "fletcher32": ({"data": NUMBERS, "chunks": (30, 40), "fletcher32": True}, True),
    "lzf": ({"data": NUMBERS, "chunks": (30, 40), "compression": "lzf"}, False),
    "scale_offset": ({"data": NUMBERS, "chunks": (30, 40), "scaleoffset": 0}, False),
    "grows": ({"data": NUMBERS, "chunks": (64, 64), "maxshape": (None, 1000)}, True),
    "fill": ({"shape": (90,), "dtype": "f4", "chunks": (10,), "fillvalue": -3}, None),
    "empty_extent": ({"shape": (0, 4), "dtype": "i2", "chunks": (2, 4), "maxshape": (None, 4)}, None),
    "null": ({"data": h5py.Empty("f4")}, None),
    "bool": ({"data": NUMBERS % 2 == 0, "chunks": (50, 50)}, True),
    "enum": ({"data": (NUMBERS % 2).astype("i1"), "dtype": h5py.enum_dtype({"A": 0, "B": 1}, basetype="i1"), "chunks": (50, 50)}, True),
    "complex": ({"data": NUMBERS * (1 + 2j), "chunks": (50, 50), "compression": "gzip"}, True),
    "text": ({"data": np.array([b"one", b"three", b"nine"] * 100), "chunks": (70,)}, True),
    "variable_text": ({"data": ["a", "", "é" * 9], "dtype": h5py.string_dtype()}, False),
    "records": ({"data": np.array([(i, i / 7, b"ab") for i in range(1000)], dtype=RECORD), "chunks": (128,), "compression": "gzip"}, True),
    "opaque": ({"data": np.arange(500, dtype="u4").view("V4"), "chunks": (90,)}, True),
    "half": ({"data": NUMBERS.astype("f2"), "chunks": (200, 7)}, True),
}


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    where = tmp_path_factory.mktemp("kinds")
    with h5py.File(where / "kinds.h5", "w", libver=("earliest", "v110")) as f:
        for name, (how, _) in KINDS.items():
            f.create_dataset(name, **how)
        f["fill"][33:47] = 8
        f["large"].attrs["unit"] = "m"
        f.create_dataset("odd/a b%2e é\\\".x", data=NUMBERS, chunks=(100, 100))
    return make(where / "kinds.h5").parent


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kinds, kind):
    source, path = kinds / "kinds.h5", kinds / "kinds.h5.json"
    refers = KINDS[kind][1]
    far, near = references(path, kind)
    if refers is not None:
        assert (len(far) > 0) == refers and (len(near) > 0) <= (not refers or kind in ("prime",))
    with h5py.File(source) as native, h5py.File(path) as ours:
        assert view.dataset(ours[kind]) == view.dataset(native[kind])
        expected = native[kind][()]
        if kind not in ("lzf",):  # which no connector can make
            assert view.storage(ours[kind]) == view.storage(native[kind])
    if kind == "null":
        return  # a null dataspace is a scalar elsewhere
    seen = by_fsspec(path)[kind][...]
    if kind == "variable_text":
        expected = [x.decode() for x in expected]
    if kind == "opaque":
        seen, expected = np.asarray(seen).tobytes(), expected.tobytes()
    np.testing.assert_array_equal(np.asarray(seen), expected)


def test_names_of_all_sorts(kinds):
    name = "odd/a b%2e é\\\".x"
    with h5py.File(kinds / "kinds.h5.json") as ours:
        np.testing.assert_array_equal(ours[name][...], NUMBERS)
    assert len(references(kinds / "kinds.h5.json", "odd")[0]) == 6


def test_chunks_at_the_end_of_the_file(kinds):
    """Other programs want whole chunks: those of a prime length end behind the elements, where the file may have no bytes."""
    path = kinds / "kinds.h5.json"
    array = json.loads(refs_of(path)["large/.zarray"])
    assert array["shape"][1] % array["chunks"][1] == 0
    for name in ("large", "prime"):
        document = json.loads(refs_of(path)[f"{name}/.zarray"])
        size = int(np.prod(document["chunks"])) * 8
        assert {v[2] for k, v in refs_of(path).items() if k.startswith(name + "/") and isinstance(v, list)} == {size}


FILTERS = {"blosc": "Blosc", "zstd": "Zstd", "bzip2": "BZip2", "lz4": "LZ4", "bitshuffle": "Bitshuffle"}


@pytest.mark.parametrize("filter", FILTERS)
def test_filters_that_are_plugins(tmp_path, filter):
    """Where Zarr has a codec for the same bytes the chunks are referred to, though the library that makes the view lacks the filter."""
    hdf5plugin = pytest.importorskip("hdf5plugin")
    source = tmp_path / "x.h5"
    with h5py.File(source, "w") as f:
        f.create_dataset("x", data=NUMBERS, chunks=(30, 40), **getattr(hdf5plugin, FILTERS[filter])())
    if filter == "bitshuffle":
        _, said = run("virtual", source, tmp_path / "x.json", expect=1)
        assert "/x" in said and "filter" in said and left_behind(tmp_path, "x.h5") == []
        return
    path = make(source)
    far, near = references(path, "x")
    assert (len(far) or len(near)) == 7 * 8 and bool(near) == (filter == "lz4")
    np.testing.assert_array_equal(by_fsspec(path)["x"][...], NUMBERS)
    with h5py.File(path) as ours:
        np.testing.assert_array_equal(ours["x"][...], NUMBERS)


def test_filters_that_were_not_applied(tmp_path):
    source = tmp_path / "x.h5"
    with h5py.File(source, "w") as f:
        d = f.create_dataset("x", (100,), "i4", chunks=(10,), compression="gzip", shuffle=True)
        d[:] = np.arange(100)
        d.id.write_direct_chunk((20,), np.arange(500, 510, dtype="i4").tobytes(), filter_mask=3)
        d.id.write_direct_chunk((90,), np.arange(900, 910, dtype="i4").tobytes(), filter_mask=3)
    path = make(source)
    far, near = references(path, "x")
    assert sorted(near) == ["x/2", "x/9"] and len(far) == 8
    expected = np.r_[np.arange(20), np.arange(500, 510), np.arange(30, 90), np.arange(900, 910)]
    np.testing.assert_array_equal(by_fsspec(path)["x"][...], expected)
    with h5py.File(path) as ours:
        np.testing.assert_array_equal(ours["x"][...], expected)
    _, said = run("virtual", "--inline", 79, source, tmp_path / "y.json", expect=1)
    assert "/x" in said and "2 of its chunks" in said and not (tmp_path / "y.json").exists()


UNFILTERED_EDGES = """
import ctypes, sys
h = ctypes.CDLL(sys.argv[1])
for name in ("H5Fcreate", "H5Pcreate", "H5Screate_simple", "H5Dcreate2"):
    getattr(h, name).restype = ctypes.c_int64
h.H5open()
i64, pair = ctypes.c_int64, lambda *n: (ctypes.c_uint64 * 2)(*n)
known = lambda name: i64(i64.in_dll(h, name).value)
f = i64(h.H5Fcreate(sys.argv[2].encode(), 2, i64(0), i64(0)))
dcpl = i64(h.H5Pcreate(known("H5P_CLS_DATASET_CREATE_ID_g")))
assert h.H5Pset_chunk(dcpl, 2, pair(10, 10)) >= 0 and h.H5Pset_deflate(dcpl, 6) >= 0 and h.H5Pset_chunk_opts(dcpl, 2) >= 0
space = i64(h.H5Screate_simple(2, pair(23, 17), None))
d = i64(h.H5Dcreate2(f, b"x", known("H5T_STD_I64LE_g"), space, i64(0), dcpl, i64(0)))
data = (ctypes.c_int64 * (23 * 17))(*range(23 * 17))
assert h.H5Dwrite(d, known("H5T_STD_I64LE_g"), i64(0), i64(0), i64(0), data) >= 0
assert h.H5Dclose(d) >= 0 and h.H5Fclose(f) >= 0
"""


def test_edges_without_filters(tmp_path):
    """H5Pset_chunk_opts leaves chunks at the edge unfiltered, and no mask says so. h5py has no such call."""
    libraries = sorted(pathlib.Path(os.environ.get("VZ_HDF5") or "/nowhere").glob("lib*/libhdf5.so"))
    if not libraries:
        pytest.skip("VZ_HDF5 does not name an HDF5 with its tools")
    source = tmp_path / "x.h5"
    subprocess.run([sys.executable, "-c", UNFILTERED_EDGES, libraries[0], source], check=True)
    path = make(source)
    far, near = references(path, "x")
    assert len(far) == 2 and len(near) == 4
    np.testing.assert_array_equal(by_fsspec(path)["x"][...], np.arange(23 * 17).reshape(23, 17))


# ---- what is no plain dataset ----

def test_the_rest_of_hdf5(tmp_path):
    source = tmp_path / "x.h5"
    with h5py.File(tmp_path / "other.h5", "w") as f:
        f["y"] = NUMBERS
    with h5py.File(source, "w", userblock_size=1024, libver=("earliest", "v110")) as f:
        f.create_dataset("x", data=NUMBERS, chunks=(64, 64), compression="gzip")
        f["again"], f["soft"], f["dangling"] = f["x"], h5py.SoftLink("/g/x"), h5py.SoftLink("/nowhere")
        f["out"], f["none"] = h5py.ExternalLink("other.h5", "/y"), h5py.ExternalLink("none.h5", "/y")
        g = f.create_group("g", track_order=True)
        g["x"], g["up"], g["self"] = f["x"], f["/"], g
        f["named"] = np.dtype("i4")
        g.create_dataset("of_named", data=NUMBERS, dtype=f["named"], chunks=(64, 64))
        f.attrs["region"], f.attrs["to"] = f["x"].regionref[2:4, 3:5], g.ref
        g["refs"] = np.array([f["x"].ref, g.ref, h5py.h5r.Reference()], dtype=h5py.ref_dtype)
        g["regions"] = np.array([f["x"].regionref[1:3, 2:9]], dtype=h5py.regionref_dtype)
        ragged = g.create_dataset("ragged", (3,), dtype=h5py.vlen_dtype("i2"))
        ragged[0], ragged[2] = [1, 2, 3], [4]
        layout = h5py.VirtualLayout((200, 300), "i4")
        layout[:] = h5py.VirtualSource("other.h5", "y", (200, 300))
        f.create_virtual_dataset("virtual", layout)
        f.create_dataset("external", data=NUMBERS, external=[(str(tmp_path / "raw.bin"), 0, h5py.h5f.UNLIMITED)])
        f["scale"] = np.arange(200.0)
        f["scale"].make_scale("time")
        f["x"].dims[0].attach_scale(f["scale"])
        f["x"].attrs["note"] = h5py.Empty("S3")
    with open(source, "r+b") as f:
        f.write(b"a user's bytes")
    path = make(source)
    with h5py.File(source) as native, h5py.File(path) as ours:
        assert view.tree(ours) == view.tree(native)
        for name in native:
            assert type(ours.get(name, getlink=True)) is type(native.get(name, getlink=True))
        assert ours["again"] == ours["x"] == ours["g/x"] and ours["g/self"] == ours["g"] and ours["g/up"] == ours["/"]
        assert [ours[r].name for r in ours["g/refs"][:2]] == [native[r].name for r in native["g/refs"][:2]] and not ours["g/refs"][2]
        assert ours["x"].dims[0][0] == ours["scale"] and ours["g/of_named"].id.get_type().committed()
        region = ours[ours["g/regions"][0]]
        np.testing.assert_array_equal(ours["x"][1:3, 2:9], region[ours["g/regions"][0]].reshape(2, 7))
    assert len(references(path, "again")[0]) == 20  # the first name in the order of names
    zarr_group = by_fsspec(path)
    for name in ("again", "virtual", "external", "g/of_named"):
        np.testing.assert_array_equal(zarr_group[name][...], NUMBERS, err_msg=name)


# ---- real files ----

FILES = ["nwb/1.1.2_nwbfile.nwb", "nwb/2.1.0_nwbfile_with_extension.nwb", "nwb/ecephys_and_ogen.nwb", "anndata/anndata-v0.5.0.h5ad",
         "anndata/anndata-v0.7.8.h5ad", "anndata/anndataR-example.h5ad", "10x/filtered_feature_bc_matrix.h5"]


@pytest.mark.parametrize("name", FILES)
def test_real_files(tmp_path, name):
    source = pathlib.Path(shutil.copy(shared(name), tmp_path))
    path = make(source)
    with h5py.File(source) as native, h5py.File(path) as ours:
        assert view.tree(ours) == view.tree(native)
    run("convert", "--compare", source, path)


def opened(path):
    import fsspec

    storage = fsspec.filesystem("reference", fo=str(path), asynchronous=True, remote_protocol="file", remote_options={"asynchronous": True})
    return zarr.storage.FsspecStore(storage, read_only=True)


@pytest.mark.parametrize("fill", [-9.0, None])
def test_xarray(tmp_path, fill):
    """netCDF-4, by xarray's own reader of Zarr over the references. Without a fill value all chunks are there, and none is copied."""
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("netCDF4")
    times = np.arange("2020-01-01", "2020-01-11", dtype="datetime64[D]")
    data = xarray.Dataset({"t": (("time", "lat"), np.random.default_rng(1).normal(size=(10, 200)).astype("f4"), {"units": "K"})},
                          {"time": times, "lat": np.linspace(-90, 90, 200)}, {"title": "a title"})
    if fill:
        data["t"][3, 3] = np.nan
    data["t"][4, 4] = 0
    source = tmp_path / "x.nc"
    data.to_netcdf(source, engine="netcdf4", unlimited_dims=["time"], encoding={"t": {"zlib": True, "chunksizes": (3, 64), "_FillValue": fill}})
    path = make(source)
    with xarray.open_dataset(source, engine="netcdf4") as native, xarray.open_zarr(opened(path), consolidated=False) as ours:
        xarray.testing.assert_identical(ours.load(), native.load())
    far, near = references(path, "t")
    assert len(far) == 16 and not near


def test_chunks_that_are_missing(tmp_path):
    """With a fill value nothing stands for them; without one they are there for other programs, as h5zarr convert writes them."""
    source = tmp_path / "x.h5"
    with h5py.File(source, "w") as f:
        f.create_dataset("filled", (100,), "i4", chunks=(10,), fillvalue=-3)[35:55] = 7
        dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        dcpl.set_chunk((10,))
        dcpl.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        h5py.h5d.create(f.id, b"undefined", h5py.h5t.NATIVE_INT32, h5py.h5s.create_simple((100,)), dcpl)
        f["undefined"][35:55] = 7
    path = make(source)
    for name in ("filled", "undefined"):
        far, near = references(path, name)
        assert sorted(far) == [f"{name}/{i}" for i in (3, 4, 5)]
    assert not references(path, "filled")[1]
    np.testing.assert_array_equal(by_fsspec(path)["filled"][...], np.r_[np.full(35, -3), np.full(20, 7), np.full(45, -3)])
    assert by_fsspec(path)["undefined"][35:55].tolist() == [7] * 20


# ---- names and versions ----

@pytest.fixture
def small(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f["x"] = NUMBERS
    return tmp_path / "x.h5"


def test_a_source_that_was_changed(small):
    path = make(small)
    before = os.stat(small)
    with h5py.File(path) as f:
        np.testing.assert_array_equal(f["x"][...], NUMBERS)
    for change in ("time", "size"):
        if change == "time":
            os.utime(small, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
        else:
            with open(small, "ab") as f:
                f.write(b"more")
        with h5py.File(path) as f, pytest.raises(OSError, match="changed since its references were made"):
            f["x"][...]
    os.truncate(small, before.st_size)
    os.utime(small, ns=(before.st_atime_ns, before.st_mtime_ns // 10**9 * 10**9))  # as tar leaves it
    with h5py.File(path) as f:
        np.testing.assert_array_equal(f["x"][...], NUMBERS)


def test_how_the_source_is_called(small, monkeypatch):
    assert refs_of(make(small))["x/0.0"][0] == str(small)
    relative = make(small, "--relative", name="r.json")
    assert refs_of(relative)["x/0.0"][0] == "x.h5"
    moved = small.parent / "moved"
    moved.mkdir()
    shutil.copy2(small, moved / "x.h5")
    shutil.copy(relative, moved / "r.json")
    os.unlink(small)
    with h5py.File(moved / "r.json") as f:
        np.testing.assert_array_equal(f["x"][...], NUMBERS)
    named = make(moved / "x.h5", "--url", "https://example.org/x.h5")
    assert refs_of(named)["x/0.0"][0] == "https://example.org/x.h5"
    (moved / "sub").mkdir()
    _, said = run("virtual", moved / "x.h5", moved / "sub" / "x.json")
    assert "targets=anywhere" in said
    with h5py.File(moved / "sub" / "x.json") as f, pytest.raises(OSError, match="targets=anywhere"):
        f["x"][...]


def test_what_is_refused(small, tmp_path):
    target = tmp_path / "y.json"
    for arguments in (["--format", "2"], ["--inline", "much"], ["--relative", "--url", "https://example.org/x"]):
        run("virtual", *arguments, small, target, expect=2)
    assert "No such file" in run("virtual", tmp_path / "none.h5", target, expect=1)[1]
    (tmp_path / "text").write_text("no HDF5 file")
    run("virtual", tmp_path / "text", target, expect=1)
    run("virtual", small, small, "--overwrite", expect=1)
    run("virtual", small, target)
    assert "already" in run("virtual", small, target, expect=1)[1]
    assert "Zarr store" in run("virtual", target, tmp_path / "z.json", expect=1)[1]
    out, _ = run("virtual", "--overwrite", "--json", small, target)
    told = json.loads(out)
    assert told["references"] == 1 and told["inlined"] == 0 and told["bytes"] == target.stat().st_size and told["source"] == str(small)
    assert left_behind(tmp_path, "x.h5", "y.json", "text") == []
    with h5py.File(small, "a") as f:
        f.create_dataset("y", data=NUMBERS, chunks=(10, 10), scaleoffset=0)
    _, said = run("virtual", "--inline", "1K", small, tmp_path / "z.json", expect=1)
    assert "/y" in said and "scaleoffset" in said and "--inline" in said and left_behind(tmp_path, "x.h5", "y.json", "text") == []


def test_memory_does_not_grow_with_the_chunks(tmp_path):
    def peak(chunks):
        source = tmp_path / f"{chunks}.h5"
        with h5py.File(source, "w", libver=("earliest", "v110")) as f:
            f.create_dataset("x", (chunks,), "u1", chunks=(1,), maxshape=(chunks,))[:] = 1
        measured = run_measured("virtual", "--quiet", source, tmp_path / f"{chunks}.json")
        assert len(refs_of(tmp_path / f"{chunks}.json")) > chunks
        return measured

    few, many = peak(40_000), peak(160_000)
    assert many < few + 2 * 1024, (few, many)


MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def run_measured(*arguments):
    """KiB that a process of the command had at most. A new process starts it, since the maximum counts what a child was before."""
    environment = {**os.environ, "VOL_ZARR_HDF5": str(LIBRARIES["tools"] or LIBRARIES["wheel"])}
    return int(subprocess.run([sys.executable, "-c", MEASURE, COMMAND, *map(str, arguments)], check=True, capture_output=True, text=True,
                              env=environment).stdout)
