"""Arrays of which something is not understood: they open with their shape, and shut nothing else. Their documents are made by
zarr-python and then changed; judges are those documents, HDF5's tools and a native file with a filter that nobody has."""

import json
import shutil

import h5py
import numpy as np
import pytest
import zarr

from converting import convert, run
from interpreter import Failed

pytestmark = pytest.mark.filterwarnings("ignore")

NOT_UNDERSTOOD = {
    "type": (3, dict(data_type="float24"), "float24", "|V3"),
    "small type": (3, dict(data_type="int3"), "int3", "|V1"),
    "type with options": (3, dict(data_type={"name": "posit", "configuration": {"bits": 8}}), "posit", "|V1"),
    "complex type": (3, dict(data_type="complex_bfloat16"), "complex_bfloat16", "|V4"),
    "grid": (3, dict(chunk_grid={"name": "rectilinear", "configuration": {"kind": "elsewhere", "chunk_shapes": [[1, 1], [3]]}}),
             "rectilinear", "int16"),
    "lengths of a grid": (3, dict(chunk_grid={"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[1], [3]]}}),
                          "chunk_shapes", "int16"),
    "serializer": (3, dict(codecs=[{"name": "numcodecs.pcodec", "configuration": {"level": 8}}]), "pcodec", "int16"),
    "transformer": (3, dict(storage_transformers=[{"name": "indirect"}]), "indirect", "int16"),
    "member": (3, dict(mystery=5), "mystery", "int16"),
    "fill value": (3, dict(fill_value={"of": "another kind"}), "fill_value", "int16"),
    "type of format 2": (2, dict(dtype="<X8"), "X8", "|V8"),
    "chunks of format 2": (2, dict(chunks=[0, 3]), "chunks", "int16"),
    "order of format 2": (2, dict(order="K"), "order", "int16"),
}


def document_of(path, name):
    return next(path / name / document for document in ("zarr.json", ".zarray") if (path / name / document).exists())


def read(path, name):
    return json.loads(document_of(path, name).read_text())


@pytest.fixture(params=NOT_UNDERSTOOD)
def store(request, tmp_path):
    """A store of three arrays and two groups, of which /g/b is not understood; why, and the type that it has for HDF5."""
    version, members, why, dtype = NOT_UNDERSTOOD[request.param]
    path = tmp_path / "s.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=version).create_group("g")
    for name in "abz":
        group.create_array(name, data=np.arange(6, dtype="i2").reshape(2, 3), attributes={"unit": "m"}, compressors=None)
    document_of(path, "g/b").write_text(json.dumps({**read(path, "g/b"), **members}))
    return path, why, dtype


def visited(path):
    found = []
    with h5py.File(path) as f:
        f.visititems(lambda name, item: found.append((name, getattr(item, "shape", None), str(getattr(item, "dtype", "")), dict(item.attrs))))
    return found


def test_everything_else_is_there(store, connector, tool):
    path, why, dtype = store
    unit = {"unit": "m"}
    assert connector.run(visited, str(path)) == [("g", None, "", {}), ("g/a", (2, 3), "int16", unit),
                                                 ("g/b", (2, 3), dtype, unit), ("g/z", (2, 3), "int16", unit)]
    assert tool("h5dump", "-H", path).count("DATASET") == 3
    assert "Dataset {2/Inf, 3/Inf}" in tool("h5ls", "-r", path)


def use(path, way):
    with h5py.File(path, "r+") as f:
        before = f["g/a"][...].tolist()
        try:
            d = f["g/b"]
            if way == "read":
                d[...]
            elif way == "write":
                d[...] = np.zeros(d.shape, d.dtype)
            elif way == "resize":
                d.resize((5, 3))
            elif way == "chunk":
                d.id.read_direct_chunk((0, 0))
        finally:
            assert f["g/a"][...].tolist() == before


@pytest.mark.parametrize("way", ["read", "write", "resize", "chunk"])
def test_its_elements_are_an_error_that_names_what_is_missing(store, connector, way):
    path, why, _ = store
    before = read(path, "g/b")
    with pytest.raises(Failed, match=f"(?s)s.zarr.*/g/b.*{why}"):
        connector.run(use, str(path), way)
    assert read(path, "g/b") == before


def change(path):
    with h5py.File(path, "r+") as f:
        f["g/b"].attrs["note"] = "n"
        del f["g/b"].attrs["unit"]
        f.move("g/b", "g/moved")
        f.copy("g/moved", "copied")
    with h5py.File(path, "r+") as f:
        del f["copied"]
        return sorted(f["g"]), dict(f["g/moved"].attrs), f["g/moved"].shape


def test_its_name_and_attributes_can_be_changed(store, connector):
    """Every member of the document stays as it was; the copy has them, too, before it is deleted."""
    path, _, _ = store
    before = read(path, "g/b")
    assert connector.run(change, str(path)) == (["a", "moved", "z"], {"note": "n"}, (2, 3))
    after = read(path, "g/moved")
    assert {k: v for k, v in after.items() if k != "attributes"} == {k: v for k, v in before.items() if k != "attributes"}
    assert not (path / "copied").exists()


def test_convert_skips_it_and_says_so(store, tmp_path):
    path, why, _ = store
    _, said = convert(path, tmp_path / "x.h5", "--verify", expect=1)
    assert "/g/b: skipped" in said and why in said and "1 dataset skipped" in said
    with h5py.File(tmp_path / "x.h5") as f:
        assert sorted(f["g"]) == ["a", "z"] and f["g/z"][...].tolist() == [[0, 1, 2], [3, 4, 5]]
    _, said = convert(path, tmp_path / "x.h5", "--compare", expect=1)
    assert "1 dataset skipped" in said
    shutil.rmtree(path / "g" / "b")
    convert(path, tmp_path / "x.h5", "--compare")


def test_the_command_lists_it(store):
    path, why, _ = store
    for command in (["tree"], ["ls", "-r"]):
        said, _ = run(*command, path, expect=1)
        assert "(2, 3)  cannot be read" in said and why in said and "z" in said
    said, _ = run("info", f"{path}/g/b", "--json")
    assert any(d.get("shape") == [2, 3] and why in d.get("error", "") for d in json.loads(said).values() if isinstance(d, dict))


def test_as_native_files_do(tmp_path):
    """The model: a native dataset with a filter that nobody has is listed, and tells its shape."""
    with h5py.File(tmp_path / "n.h5", "w") as f:
        dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        dcpl.set_chunk((4,))
        dcpl.set_filter(511, h5py.h5z.FLAG_OPTIONAL, ())
        h5py.h5d.create(f.id, b"b", h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple((4,)), dcpl)
        f["c"] = 2
    assert [v[:2] for v in visited(tmp_path / "n.h5")] == [("b", (4,)), ("c", ())]
