"""LINDI's reference files show as the HDF5 file of which they were made. The judge is native HDF5 on that file; what LINDI itself loses
(attribute types are widened, fixed text becomes variable) is left out of the comparison."""

import json
import os
import pathlib
import shutil

import h5py
import numpy as np
import pytest

from converting import convert, left_behind, run
from places import SHARED, unpacked
from test_reference_files import array, asking, served, server  # noqa: F401 - fixtures

JSON2 = {"id": "json2", "encoding": "utf-8", "strict": True, "skipkeys": False, "ensure_ascii": True, "check_circular": True,
         "allow_nan": True, "sort_keys": True, "indent": None, "separators": [",", ":"]}


def write(path, refs):
    """As LINDI does: documents are objects."""
    path.write_text(json.dumps({"refs": {".zgroup": {"zarr_format": 2}, **refs}, "version": 1}, indent=1))
    return path


def objects(shape, values):
    """An array of objects, uncompressed: json2 has the elements, the dtype, and the shape in one list."""
    document = {"zarr_format": 2, "shape": shape, "chunks": shape, "dtype": "|O", "fill_value": 0, "order": "C", "filters": [JSON2],
                "compressor": None}
    return document, json.dumps(values + ["|O", shape])


# ---- a file that LINDI wrote ----

@pytest.fixture(scope="module")
def wild(tmp_path_factory):
    return unpacked("wild/stores-2026-11.tar.gz", tmp_path_factory.mktemp("lindi"))


def plain(file, value):
    if isinstance(value, h5py.Reference):
        return "->", file[value].name if value else None
    if isinstance(value, np.ndarray):
        return [plain(file, x) for x in value]
    if isinstance(value, np.void) and value.dtype.names:
        return [plain(file, value[name]) for name in value.dtype.names]
    if isinstance(value, np.generic):
        value = "nan" if value != value else value.item()
    return value.decode() if isinstance(value, bytes) else value


def facts(path):
    """Every link, object, element and attribute, in plain terms."""
    found = {}

    def look(file, name, item):
        link = None if name == "/" else file.get(name, getlink=True)
        if isinstance(link, h5py.SoftLink):
            found[name] = "soft", link.path
            return
        found[name] = {"attributes": {key: plain(file, value) for key, value in item.attrs.items()}}
        if isinstance(item, h5py.Group):
            found[name]["members"] = sorted(item)
            for key in item:
                path = f"{name.rstrip('/')}/{key}"
                link = file.get(path, getlink=True)
                if isinstance(link, h5py.SoftLink):
                    found[path] = "soft", link.path
                else:
                    look(file, path, item[key])
        else:
            kind = item.dtype.kind
            found[name] |= {"shape": item.shape, "type": "text" if h5py.check_string_dtype(item.dtype) else item.dtype.str if kind != "O" else
                            str(h5py.check_dtype(ref=item.dtype)), "elements": plain(file, item[()])}

    with h5py.File(path, "r") as file:
        look(file, "/", file)
    return found


def test_same_as_the_original(wild):
    ours, theirs = facts(wild / "t.nwb.lindi.json"), facts(wild / "t.nwb")
    assert sorted(ours) == sorted(theirs)
    for name, expected in theirs.items():
        assert ours[name] == expected, name
    assert any(fact[0] == "soft" for fact in theirs.values() if isinstance(fact, tuple))


def test_converted(wild, tmp_path, h5zarr, tool):
    """Back to an HDF5 file."""
    h5zarr("convert", "--hdf5", f"{os.environ['VZ_HDF5']}/lib/libhdf5.so", wild / "t.nwb.lindi.json", tmp_path / "t.nwb")
    assert facts(tmp_path / "t.nwb") == facts(wild / "t.nwb")


# ---- conventions one by one ----

def test_soft_links(tmp_path):
    refs = {"a/.zgroup": {"zarr_format": 2}, "x/.zarray": json.loads(array([2], [2])), "x/0": "ab",
            "a/soft/.zgroup": {"zarr_format": 2}, "a/soft/.zattrs": {"_SOFT_LINK": {"path": "/x"}},
            "a/dangling/.zgroup": {"zarr_format": 2}, "a/dangling/.zattrs": {"_SOFT_LINK": {"path": "/none"}},
            "a/group/.zgroup": {"zarr_format": 2}, "a/group/.zattrs": {"said": "_SOFT_LINK"}}
    with h5py.File(write(tmp_path / "x.json", refs), "r") as f:
        assert sorted(f["a"]) == ["dangling", "group", "soft"]
        assert {name: type(f["a"].get(name, getlink=True)).__name__ for name in f["a"]} == {"dangling": "SoftLink", "group": "HardLink", "soft": "SoftLink"}
        assert f["a"].get("soft", getlink=True).path == "/x" and f["a/soft"][...].tolist() == [97, 98] and f.get("a/dangling") is None
        assert f["a/group"].attrs["said"] == "_SOFT_LINK"


def test_scalars_and_numbers_in_attributes(tmp_path):
    refs = {"s/.zarray": json.loads(array([1], [1])), "s/0": "a", "s/.zattrs": {"_SCALAR": True, "x": "NaN", "y": [1.5, "Infinity", "-Infinity"], "z": "nan"}}
    with h5py.File(write(tmp_path / "x.json", refs), "r") as f:
        assert f["s"].shape == () and f["s"][()] == 97
        assert sorted(f["s"].attrs) == ["x", "y", "z"] and np.isnan(f["s"].attrs["x"]) and f["s"].attrs["z"] == "nan"
        assert f["s"].attrs["y"].tolist() == [1.5, np.inf, -np.inf]


def test_the_same_in_other_files_is_what_it_is(tmp_path):
    """Where the documents are text no convention of LINDI's holds."""
    refs = {".zgroup": '{"zarr_format": 2}', "s/.zarray": array([1], [1]), "s/0": "a", "s/.zattrs": '{"x": "NaN"}',
            "g/.zgroup": '{"zarr_format": 2}', "g/.zattrs": '{"_SOFT_LINK": {"path": "/s"}}'}
    (tmp_path / "x.json").write_text(json.dumps({"version": 1, "refs": refs}))
    with h5py.File(tmp_path / "x.json", "r") as f:
        assert f["s"].attrs["x"] == "NaN" and isinstance(f.get("g", getlink=True), h5py.HardLink)


def test_compounds(tmp_path):
    document, chunk = objects([2], [[1, 2.5, "one", {"_REFERENCE": {"source": ".", "path": "/g", "object_id": None, "source_object_id": "x"}}],
                                    [2, -1.5, "\u00e9", {"_REFERENCE": {"source": ".", "path": "/c", "object_id": None, "source_object_id": "x"}}]])
    refs = {"g/.zgroup": {"zarr_format": 2}, "c/.zarray": document, "c/0": chunk,
            "c/.zattrs": {"_COMPOUND_DTYPE": [["id", "int32"], ["x", "float64"], ["name", "object"], ["to", "<REFERENCE>"]], "unit": "m"}}
    with h5py.File(write(tmp_path / "x.json", refs), "r") as f:
        c = f["c"]
        assert list(c.attrs) == ["unit"] and c.dtype.names == ("id", "x", "name", "to")
        assert (c.dtype["id"], c.dtype["x"]) == (np.int32, np.float64)
        rows = c[...]
        assert [(row["id"], row["x"], row["name"].decode(), f[row["to"]].name) for row in rows] == [(1, 2.5, "one", "/g"), (2, -1.5, "\u00e9", "/c")]


def test_references(tmp_path):
    document, chunk = objects([2], [{"_REFERENCE": {"source": ".", "path": path, "object_id": None, "source_object_id": None}} for path in ("/g", "/")])
    text, texts = objects([1], ['{"_REFERENCE": 1}'])
    refs = {"g/.zgroup": {"zarr_format": 2}, "r/.zarray": document, "r/0": chunk, "t/.zarray": text, "t/0": texts,
            "g/.zattrs": {"to": {"_REFERENCE": {"source": ".", "path": "/r", "object_id": None, "source_object_id": None}}}}
    with h5py.File(write(tmp_path / "x.json", refs), "r") as f:
        assert [f[reference].name for reference in f["r"]] == ["/g", "/"]
        assert f[f["g"].attrs["to"]].name == "/r"
        assert h5py.check_dtype(ref=f["t"].dtype) is None


def linked(url, path="/g/x", shape=(6, 4)):
    link = {"link_type": "hdf5_dataset", "url": url, "name": path}
    return {"x/.zarray": json.loads(array(shape, [2, 2], "<f8")), "x/.zattrs": {"_EXTERNAL_ARRAY_LINK": link, "unit": "m"}, "y/.zarray": json.loads(array([4], [2]))}


def make_source(path):
    values = np.arange(24.0).reshape(6, 4)
    with h5py.File(path, "w") as f:
        f.create_dataset("g/x", data=values, chunks=(2, 2), compression="gzip")
    return values


def test_elements_of_another_file(tmp_path):
    values = make_source(tmp_path / "a.nwb")
    path = write(tmp_path / "x.json", linked("a.nwb"))
    with h5py.File(path, "r") as f:
        x = f["x"]
        assert x.shape == x.maxshape == (6, 4) and list(x.attrs) == ["unit"] and x.chunks is None and x.compression is None
        np.testing.assert_array_equal(x[...], values)
        np.testing.assert_array_equal(x[1:6:2, 3], values[1:6:2, 3])
        np.testing.assert_array_equal(x[values > 11], values[values > 11])
        assert x.astype("i2")[2].tolist() == values[2].astype("i2").tolist() and f["y"][...].tolist() == [7] * 4
    for out in ("x.h5", "x.zarr"):
        convert(path, tmp_path / out)
        with h5py.File(tmp_path / out, "r") as f:
            np.testing.assert_array_equal(f["x"][...], values)


def read_x(path):
    with h5py.File(path, "r") as f:
        return f["x"][...].tolist()


def test_elements_of_a_file_at_a_server(tmp_path, server, served, asking):  # noqa: F811
    """Of DANDI's names of assets, which redirect to a signed name, too; the reference file here, and beside it."""
    values = make_source(served / "a.nwb").tolist()
    signed = server.url("127.0.0.1", "a.nwb") + "?X-Amz-Signature=1"
    server.redirects = {"api/assets/1/download/": signed, "api/assets/1/download": signed}
    for url in (server.url("127.0.0.1", "a.nwb"), server.url("127.0.0.1", "api/assets/1/download/")):
        assert asking.run(read_x, str(write(tmp_path / "x.json", linked(url)))) == values
    write(served / "x.json", linked("a.nwb"))
    assert asking.run(read_x, server.url("127.0.0.1", "x.json")) == values
    server.redirects = {}


@pytest.mark.parametrize("url, path, shape, said", [
    ("none.nwb", "/g/x", [6, 4], "none.nwb"), ("a.nwb", "/g/none", [6, 4], "no such dataset"), ("a.nwb", "/g/x", [6, 5], "another extent"),
    ("b/a.nwb", "/g/x", [6, 4], "targets")])
def test_elements_that_are_not_there(tmp_path, url, path, shape, said):
    """They are never taken for the fill value, and names obey the policy."""
    make_source(tmp_path / "a.nwb")
    (tmp_path / "b").mkdir()
    make_source(tmp_path / "b" / "a.nwb")
    where = tmp_path / "c" if said == "targets" else tmp_path
    where.mkdir(exist_ok=True)
    store = write(where / "x.json", linked(str(tmp_path / url) if said == "targets" else url, path, shape))
    with h5py.File(store, "r") as f, pytest.raises(OSError, match=said):
        f["x"][...]


@pytest.mark.parametrize("columns", [1, 3])
def test_a_last_chunk_that_ends_with_the_array(tmp_path, columns):
    """LINDI cuts contiguous datasets into chunks of 20 MB: the last one ends where the file's data do."""
    data = np.arange(10 * columns, dtype="<i4").reshape(10, columns)
    (tmp_path / "data.bin").write_bytes(data.tobytes() + b"behind")
    row = 4 * columns
    refs = {"x/.zarray": json.loads(array([10, columns], [4, columns], "<i4"))}
    refs |= {f"x/{i}.0": ["data.bin", 4 * i * row, min(4, 10 - 4 * i) * row] for i in range(3)}
    path = write(tmp_path / "x.json", refs)
    with h5py.File(path, "r") as f:
        np.testing.assert_array_equal(f["x"][...], data)
        np.testing.assert_array_equal(f["x"][3:10:2], data[3:10:2])
        np.testing.assert_array_equal(f["x"][9], data[9])
    for key, size in (("x/1.0", 2 * row), ("x/2.0", row)):
        wrong = write(tmp_path / "wrong.json", {**refs, key: ["data.bin", 0, size]})
        with h5py.File(wrong, "r") as f, pytest.raises(OSError, match="must have|too few"):
            f["x"][...]


# ---- files that h5zarr virtual makes: what LINDI's own reader shows of them, test_nwb_lindi.py looks at ----

def view_of(source):
    target = source.with_suffix(".lindi.json")
    run("virtual", "--quiet", source, target)
    return target


@pytest.mark.parametrize("name", ["wild", "2.1.0_nwbfile_with_extension", "ecephys_and_ogen"])
def test_a_view_is_the_file_itself(wild, tmp_path, name):
    """All but types of attributes; and back again."""
    source = pathlib.Path(shutil.copy(wild / "t.nwb" if name == "wild" else SHARED / "nwb" / f"{name}.nwb", tmp_path / "x.nwb"))
    expected, path = facts(source), view_of(source)
    assert facts(path) == expected
    convert("--quiet", path, tmp_path / "back.nwb")
    assert facts(tmp_path / "back.nwb") == expected


def test_everything_that_has_a_form(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as f:
        g = f.create_group("g/h").parent
        f["x"], f["y"] = np.arange(5), np.arange(3.0)
        f["z"], g["soft"], g["beside"], g["dangling"], g["self"] = f["x"], h5py.SoftLink("/x"), h5py.SoftLink("h"), h5py.SoftLink("/none"), f["g"]
        f.create_dataset("many", data=np.arange(3000.0), chunks=(2,), compression="gzip", shuffle=True)
        f.create_dataset("check", data=np.arange(3000.0), chunks=(200,), compression="gzip", fletcher32=True)
        f.create_dataset("lzf", data=np.arange(3000.0), chunks=(200,), compression="lzf")
        record = np.dtype([("id", "i4"), ("x", "f4"), ("text", h5py.string_dtype()), ("to", h5py.ref_dtype), ("b", "?")])
        c = f.create_dataset("c", (2,), record, chunks=(1,), compression="gzip")
        c[0], c[1] = (1, np.inf, "é", g.ref, True), (2, -1.5, "", h5py.Reference(), False)
        f["scalar"] = np.array((7, .5), [("a", "u8"), ("w", "f8")])
        f["square"] = np.array([[(1, 2), (3, 4)]], [("a", "u1"), ("b", "i8")])
        f["r"], f["one"] = np.array([h5py.Reference(), g.ref], h5py.ref_dtype), f["y"].ref
        f["t"], f["empty"], f["text"] = np.array([["a", "é"], ["", '"']], object), np.array([], h5py.string_dtype()), "\u00e9 \U0001f600"
        f["e"], f["big"], f["complex"] = np.zeros((0, 3)), np.arange(900, dtype=">i4"), np.arange(4) * 1j
        f.attrs["to"], f.attrs["x"], f["x"].attrs["unit"] = f["x"].ref, [np.nan, -np.inf, 1], "m"
        f.create_dataset("enum", data=[0, 1], dtype=h5py.enum_dtype({"A": 0, "B": 1}, basetype="i1"))
    path = view_of(tmp_path / "x.h5")
    with h5py.File(tmp_path / "x.h5") as native, h5py.File(path) as ours:
        links = {f"{group}/{name}": ours[group].get(name, getlink=True) for group in ("/", "g") for name in ours[group]}
        assert sorted(ours) == sorted(native) and sorted(ours["g"]) == sorted(native["g"])
        soft = {name: link.path for name, link in links.items() if isinstance(link, h5py.SoftLink)}
        # of an object with several names the others become soft links, and every path begins at the root
        assert soft == {"//z": "/x", "g/soft": "/x", "g/beside": "/g/h", "g/dangling": "/none", "g/self": "/g"}
        for name in native:
            if not isinstance(native[name], h5py.Dataset):
                continue
            mine, theirs = ours[name], native[name]
            assert mine.shape == theirs.shape and plain(ours, mine[()]) == plain(native, theirs[()]), name
            if theirs.dtype.kind in "iufc" and name != "enum":
                assert mine.dtype == theirs.dtype
        assert ours["c"].dtype.names == native["c"].dtype.names and [ours["c"].dtype[i] for i in (0, 1, 4)] == [native["c"].dtype[i] for i in (0, 1, 4)]
        assert ours[ours.attrs["to"]] == ours["x"] and str(ours.attrs["x"]) == str(native.attrs["x"]) and ours["x"].attrs["unit"] == "m"
        assert not ours["r"][0] and ours[ours["r"][1]].name == "/g"
    refs = json.loads(path.read_text())["refs"]
    for name in ("many", "check"):
        assert "_EXTERNAL_ARRAY_LINK" in refs[f"{name}/.zattrs"] and f"{name}/0" not in refs
    convert("--quiet", path, tmp_path / "back.h5")
    with h5py.File(tmp_path / "back.h5") as back, h5py.File(path) as ours:
        for name in ours:
            if isinstance(ours[name], h5py.Dataset):
                assert plain(back, back[name][()]) == plain(ours, ours[name][()]), name


@pytest.mark.parametrize("what", ["external link", "null", "committed", "region", "ragged", "nested", "references", "attribute", "text", "convention"])
def test_what_has_no_form_is_refused(tmp_path, what):
    """By name: nothing is left out."""
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f["x"] = np.arange(5)
        said = "/bad"
        if what == "external link":
            f["bad"], said = h5py.ExternalLink("y.h5", "/y"), "link \"bad\""
        elif what == "null":
            f["bad"] = h5py.Empty("f4")
        elif what == "committed":
            f["bad"] = np.dtype("i4")
        elif what == "region":
            f["bad"] = np.array([f["x"].regionref[1:3]], h5py.regionref_dtype)
        elif what == "ragged":
            f.create_dataset("bad", (1,), h5py.vlen_dtype("i4"))
        elif what == "nested":
            f["bad"] = np.zeros(3, [("a", "i4"), ("b", "f4", (2,))])
        elif what == "references":
            f["bad"] = np.array([h5py.Reference()], h5py.ref_dtype)
        else:
            name = "_SCALAR" if what == "convention" else "bad"
            f["x"].attrs[name] = {"attribute": np.array([f["x"].ref], h5py.ref_dtype), "text": "NaN", "convention": 1}[what]
            said = f"\"{name}\" of /x"
    _, text = run("virtual", tmp_path / "x.h5", tmp_path / "x.lindi.json", expect=1)
    assert "LINDI has no form for" in text and said in text and left_behind(tmp_path, "x.h5") == []
    run("virtual", "--quiet", tmp_path / "x.h5", tmp_path / "x.json")


def test_compounds_of_more_bytes_than_may_be_copied(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f["x"] = np.zeros(1000, [("a", "i4"), ("b", "f4")])
    _, text = run("virtual", "--inline", "7K", tmp_path / "x.h5", tmp_path / "x.lindi.json", expect=1)
    assert "/x" in text and "--inline" in text and left_behind(tmp_path, "x.h5") == []
