"""LINDI's reference files show as the HDF5 file of which they were made. The judge is native HDF5 on that file; what LINDI itself loses
(attribute types are widened, fixed text becomes variable) is left out of the comparison."""

import json
import os

import h5py
import numpy as np
import pytest

from converting import convert
from places import unpacked
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
        return "->", file[value].name
    if isinstance(value, np.ndarray):
        return [plain(file, x) for x in value]
    if isinstance(value, np.void) and value.dtype.names:
        return [plain(file, value[name]) for name in value.dtype.names]
    if isinstance(value, np.generic):
        return "nan" if value != value else value.item()
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
