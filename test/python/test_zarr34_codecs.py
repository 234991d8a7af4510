"""The codecs scale_offset and cast_value. The judge is zarr-python 3.4: data/zarr34-codecs.tar.xz has arrays that it wrote, the numbers
that it reads of them, and numbers that it refuses (data/zarr34_codecs.py). What we write is compared with its chunks byte by byte."""

import json
import shutil

import h5py
import numpy as np
import pytest
import zarr

from interpreter import Failed
from zarr34 import names, unpacked, write_all

PLAIN = {"data_type": "float64", "fill_value": 0.0}
SCALE = {"name": "scale_offset", "configuration": {"scale": 10.0}}
CAST = {"name": "cast_value", "configuration": {"data_type": "int16"}}
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return unpacked("codecs", tmp_path_factory)


def same(a, b):
    """Equal numbers of one type, with the signs of zeros; a NaN equals any other."""
    assert a.dtype == b.dtype and a.shape == b.shape
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f") and np.array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0]))


def test_read(made):
    where, expected = made
    with h5py.File(where / "codecs.zarr") as f:
        assert sorted(f) == names(expected) and len(f) > 400
        wrong = [name for name in f if not same(f[name][...], expected[f"read-{name}"])]
        assert wrong == []
        some = f["packed"]
        assert same(some[7:40:3], expected["read-packed"][7:40:3]) and some[[1, 5, 59]].tolist() == expected["read-packed"][[1, 5, 59]].tolist()


@pytest.mark.parametrize("in_parts", [False, True])
def test_written_as_by_zarr_python(made, tmp_path, connector, in_parts):
    where, expected = made
    ours = shutil.copytree(where / "codecs.zarr", tmp_path / "ours.zarr")
    chunks = [path.relative_to(ours) for path in ours.glob("*/c/**/*") if path.is_file()]
    for chunk in chunks:
        (ours / chunk).unlink()
    connector.run(write_all, str(ours), {name: expected[f"given-{name}"] for name in names(expected)}, in_parts)
    assert len(chunks) > 800
    fills = {name: zarr_fill(ours / name) for name in names(expected)}
    wrong = [str(chunk) for chunk in chunks if not as_written(ours / chunk, where / "codecs.zarr" / chunk, fills[chunk.parts[0]])]
    assert wrong == []
    assert all(json.loads((ours / name / "zarr.json").read_text()) == json.loads((where / "codecs.zarr" / name / "zarr.json").read_text()) for name in fills)


def zarr_fill(array):
    return json.loads((array / "zarr.json").read_text())["fill_value"]


def as_written(ours, theirs, fill):
    """NaNs may differ in their bits; a chunk of nothing but fill may be left out."""
    if not ours.exists():
        return fill == 0 and not any(theirs.read_bytes())
    a, b = ours.read_bytes(), theirs.read_bytes()
    if a == b:
        return True
    to = json.loads((ours.parents[1] / "zarr.json").read_text())["codecs"][0]["configuration"].get("data_type", "")
    return "float" in to and np.array_equal(np.frombuffer(a, to), np.frombuffer(b, to), equal_nan=True)


def store(path, codecs, **members):
    group = zarr.open_group(path, mode="w", zarr_format=3)
    array = group.create_array("x", shape=(4,), chunks=(4,), dtype="f8", compressors=None)
    array[...] = [0, 1, 2, 3]
    document = path / "x" / "zarr.json"
    document.write_text(json.dumps({**json.loads(document.read_text()), **PLAIN, **members, "codecs": codecs}))
    return path


def write_one(path, value):
    with h5py.File(path, "r+") as f:
        f["x"][:] = value


def test_refused_as_by_zarr_python(made, tmp_path, connector):
    where, _ = made
    refused = json.loads((where / "refused.json").read_text())
    assert len(refused) >= 10
    for number, (value, dtype, codecs) in enumerate(refused):
        path = store(tmp_path / f"{number}.zarr", [*codecs, BYTES], data_type=dtype, fill_value=0, shape=[4])
        (path / "x" / "c" / "0").unlink()
        with pytest.raises(Failed, match=f"(?s)x.*codec {codecs[-1]['name']}"):
            connector.run(write_one, str(path), float(value) if isinstance(value, str) else np.dtype(dtype).type(value))


def cast(**configuration):
    return {"name": "cast_value", "configuration": {"data_type": "int16", **configuration}}


BAD = {
    "another member of cast_value": ([cast(scale=3)], "cast_value.*scale"),
    "another member of scale_offset": ([{"name": "scale_offset", "configuration": {"dtype": "<f8"}}], "scale_offset.*dtype"),
    "no type": ([{"name": "cast_value", "configuration": {}}], "cast_value.*data type"),
    "a type that is no number": ([cast(data_type="string")], "cast_value.*string"),
    "rounding": ([cast(rounding="up")], "rounding.*up"),
    "range": ([cast(out_of_range="ignore")], "out_of_range.*ignore"),
    "wrapped reals": ([cast(data_type="float32", out_of_range="wrap")], "out_of_range.*wrap"),
    "a map": ([cast(scalar_map=[])], "scalar_map"),
    "a direction": ([cast(scalar_map={"there": []})], "scalar_map.*there"),
    "a pair": ([cast(scalar_map={"encode": [[1]]})], "scalar_map.*encode"),
    "a number in the map": ([cast(scalar_map={"encode": [[1, 70000]]})], "scalar_map.*encode"),
    "scale 0": ([{"name": "scale_offset", "configuration": {"scale": 0}}], "scale.*0"),
    "scale": ([{"name": "scale_offset", "configuration": {"scale": [1]}}], "scale"),
    "behind bytes": ([BYTES, SCALE], "scale_offset.*place"),
    "numcodecs'": ([{"name": "numcodecs.scale_offset", "configuration": {"dtype": "<f8"}}], "numcodecs.scale_offset"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_parameters_are_named(name, tmp_path, reader):
    codecs, why = BAD[name]
    path = store(tmp_path / "s.zarr", codecs if BYTES in codecs else [*codecs, BYTES])
    with pytest.raises(Failed, match=f"(?s)s.zarr.*x.*{why}"):
        reader.run(read_one, str(path))


def read_one(path):
    with h5py.File(path) as f:
        return f["x"][:]


def test_a_fill_value_that_cannot_be_cast(tmp_path, reader):
    """zarr-python does not open such an array either."""
    path = store(tmp_path / "s.zarr", [CAST, BYTES], fill_value="NaN")
    with pytest.raises(Failed, match="(?s)fill_value.*cast_value.*nan"):
        reader.run(read_one, str(path))


def test_what_is_stored_out_of_range(tmp_path, reader):
    path = store(tmp_path / "s.zarr", [{"name": "cast_value", "configuration": {"data_type": "float64"}}, BYTES], data_type="uint8", fill_value=0)
    (path / "x" / "c" / "0").write_bytes(np.array([1, 2, 300, 4.0]).tobytes())
    with pytest.raises(Failed, match="(?s)x.*cast_value: 300 is out of range.*uint8"):
        reader.run(read_one, str(path))


def test_copied(made, tmp_path, connector):
    """H5Ocopy keeps the codecs; what zarr-python 3.4 reads there stands in the same bytes."""
    where, expected = made
    shutil.copytree(where / "codecs.zarr" / "packed", tmp_path / "s.zarr" / "packed")
    (tmp_path / "s.zarr" / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    assert np.array_equal(connector.run(copy, str(tmp_path / "s.zarr")), expected["read-packed"])
    before, after = (json.loads((tmp_path / "s.zarr" / name / "zarr.json").read_text())["codecs"] for name in ("packed", "again"))
    assert before == after
    for chunk in ("0", "1"):
        assert (tmp_path / "s.zarr/again/c" / chunk).read_bytes() == (where / "codecs.zarr/packed/c" / chunk).read_bytes()


def copy(path):
    with h5py.File(path, "r+") as f:
        f.copy("packed", "again")
    with h5py.File(path) as f:
        return f["again"][...]
