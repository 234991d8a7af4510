"""h5zarr diff: the differences that were made, and no others; of random changes as many as were made, and h5diff's verdict."""

import json
import os
import random
import shutil

import h5py
import numpy as np
import pytest

HDF5 = {"VOL_ZARR_HDF5": os.environ.get("VZ_HDF5", "")}


def fill(f):
    f["x"] = np.arange(12, dtype="i4").reshape(3, 4)
    f["nan"] = np.array([1.0, np.nan, 3.0])
    f["text"] = ["Ann", "Bo"]
    f["rows"] = np.array([(1, 2.5), (3, 4.5)], dtype=[("a", "i4"), ("b", "f8")])
    f["g/empty"] = h5py.Empty("f4")
    f["big"] = np.zeros((100, 100))
    f["flag"] = np.array([True, False])
    f["soft"] = h5py.SoftLink("/x")
    f["hard"] = f["x"]
    f["ref"] = np.array([f["x"].ref, f["g"].ref], dtype=h5py.ref_dtype)
    sparse = f.create_dataset("sparse", shape=(10**6, 10**5), chunks=(1000, 100), dtype="f4", fillvalue=7)
    sparse[0:10, 0:10] = 1
    f["x"].attrs["unit"] = "K"
    f["x"].attrs["list"] = [1, 2, 3]
    f["g"].attrs["of"] = True


def change(f):
    f["x"][1, 2] = 77
    f["x"][2] = 5
    f["text"][1] = "Bob"
    f["rows"][1] = (3, 4.25)
    f["flag"][0] = False
    f["nan"][0] = np.nan
    f["big"][5, 6] = 1e-3
    f["sparse"][999000:999001, 500] = 3
    f["ref"][1] = f["x"].ref
    del f["soft"], f["g/empty"], f["x"].attrs["list"]
    f["soft"] = h5py.SoftLink("/g")
    f["g/new"] = np.int16(1)
    f["x"].attrs["unit"] = "C"
    f["x"].attrs["more"] = 1.5
    f["g"].attrs["of"] = np.int8(1)


# The object's first name is /hard, which comes before /x.
CHANGED = """\
/soft: soft link to /x in A, soft link to /g in B
/g/empty: only in A: dataset float32 null
/g/new: only in B: dataset int16 scalar
/big: 1 of 10000 elements differ, first at (5, 6): 0 in A, 0.001 in B
/flag: 1 of 2 elements differ, first at (0): TRUE in A, FALSE in B
/g: attribute of: type enumeration of int8 {FALSE, TRUE} in A, int8 in B
/hard: 5 of 12 elements differ, first at (1, 2): 6 in A, 77 in B
/hard: attribute list: only in A
/hard: attribute more: only in B
/hard: attribute unit: the values differ: "K" in A, "C" in B
/nan: 1 of 3 elements differ, first at (0): 1 in A, nan in B
/ref: 1 of 2 elements differ, first at (1): reference to /g in A, reference to /hard in B
/rows: 1 of 2 elements differ, first at (1): {a: 3, b: 4.5} in A, {a: 3, b: 4.25} in B
/sparse: 1 of 100000000000 elements differ, first at (999000, 500): 7 in A, 3 in B
/text: 1 of 2 elements differ, first at (1): "Bo" in A, "Bob" in B
"""


@pytest.fixture
def pair(h5zarr, tmp_path):
    """Two HDF5 files and the stores that were made of them: pair[0]["h5"], pair[1]["zarr"], pair[0]["zip"]."""
    made = []
    for name in "ab":
        files = {kind: tmp_path / f"{name}.{kind}" for kind in ("h5", "zarr", "zip")}
        with h5py.File(files["h5"], "w") as f:
            fill(f)
            if name == "b":
                change(f)
        for kind in ("zarr", "zip"):
            h5zarr("convert", "-q", files["h5"], files[kind], **HDF5)
        made.append(files)
    return made


@pytest.mark.parametrize("a", ["h5", "zarr", "zip"])
@pytest.mark.parametrize("b", ["h5", "zarr", "zip"])
def test_each_difference_is_told(h5zarr, pair, a, b):
    equal = h5zarr("diff", pair[0][a], pair[0][b], **HDF5).stdout
    assert equal == f"{pair[0][a]}, {pair[0][b]}: 2 groups, 9 datasets, 3 attributes, equal\n"
    lines = h5zarr("diff", pair[0][a], pair[1][b], expect=1, **HDF5).stdout.splitlines(keepends=True)
    assert sorted(lines[:-1]) == sorted(CHANGED.splitlines(keepends=True))
    assert lines[-1].endswith(f", {len(CHANGED.splitlines())} differences\n")
    assert h5zarr("diff", "-q", pair[0][a], pair[1][b], expect=1, **HDF5).stdout == ""


def test_json_says_as_much(h5zarr, pair):
    found = json.loads(h5zarr("diff", "--json", pair[0]["zarr"], pair[1]["h5"], expect=1, **HDF5).stdout)
    assert len(found["differences"]) == found["counts"]["differences"] == len(CHANGED.splitlines())
    assert not found["equal"] and found["complete"]
    (rows,) = [each for each in found["differences"] if each["path"] == "/rows"]
    assert rows == {"path": "/rows", "kind": "value", "a": "{a: 3, b: 4.5}", "b": "{a: 3, b: 4.25}", "first": "(1)",
                    "elements": 1, "of": 2}
    same = json.loads(h5zarr("diff", "--json", pair[0]["zarr"], pair[0]["h5"], **HDF5).stdout)
    assert same["differences"] == [] and same["equal"] and same["complete"]


def test_two_names_of_one_object(h5zarr, tmp_path):
    for name, again in ("a", True), ("b", False):
        with h5py.File(tmp_path / f"{name}.h5", "w") as f:
            f["one"] = [1, 2]
            f["two"] = f["one"] if again else [1, 2]
            f.create_group("circle")
            f["circle/up"] = f["/" if again else "circle"]
    said = h5zarr("diff", tmp_path / "a.h5", tmp_path / "b.h5", expect=1, **HDF5).stdout.splitlines()
    assert said[:2] == ["/two: another name of /one in A, an object of its own in B",
                        "/circle/up: another name of / in A, another name of /circle in B"]
    assert len(said) == 3


def test_two_objects_by_path(h5zarr, pair):
    said = h5zarr("diff", pair[0]["h5"], pair[1]["zarr"], "/rows", expect=1, **HDF5).stdout
    assert said.startswith("/rows: 1 of 2 elements") and "1 dataset, 0 attributes, 1 difference\n" in said
    assert "equal" in h5zarr("diff", pair[0]["h5"], pair[0]["zarr"], "/hard", "/x", **HDF5).stdout
    said = h5zarr("diff", pair[0]["h5"], pair[0]["h5"], "/x", "/big", expect=1, **HDF5).stdout
    assert said.splitlines()[:2] == ["/x: type int32 in A, float64 in B", "/x: shape (3, 4) in A, (100, 100) in B"]
    assert "begin with a slash" in h5zarr("diff", pair[0]["h5"], pair[0]["h5"], "x", expect=2, **HDF5).stderr
    missing = h5zarr("diff", pair[0]["h5"], pair[0]["zarr"], "/nowhere", expect=1, **HDF5).stderr
    assert str(pair[0]["h5"]) in missing and "nowhere" in missing


def test_storage_and_order_count_when_they_are_asked_for(h5zarr, tmp_path):
    for name, chunks, names in ("a", (2, 3), "xy"), ("b", (4, 3), "yx"):
        with h5py.File(tmp_path / f"{name}.h5", "w", track_order=True) as f:
            for each in names:
                f.create_dataset(each, data=np.ones((8, 3)), chunks=chunks, compression="gzip" if name == "a" else None)
    a, b = tmp_path / "a.h5", tmp_path / "b.h5"
    h5zarr("diff", a, b, **HDF5)
    ordered = h5zarr("diff", "--order", a, b, expect=1, **HDF5).stdout
    assert ordered.startswith("/: the members were created in another order\n")
    stored = h5zarr("diff", "--storage", a, b, expect=1, **HDF5).stdout
    assert "/x: layout chunked (2, 3) in A, chunked (4, 3) in B\n" in stored
    assert "/x: filters deflate(4) in A, none in B\n" in stored
    assert f"/x: stored size {h5py.File(a)['x'].id.get_storage_size()} bytes in A, 192 bytes in B\n" in stored


def test_what_cannot_be_read_is_a_difference(h5zarr, pair, tmp_path):
    damaged = shutil.copytree(pair[0]["zarr"], tmp_path / "damaged.zarr")
    (damaged / "hard" / "0.0").write_bytes(b"\x01\x02\x03")
    (damaged / "big" / ".zarray").write_text(json.dumps({**json.loads((damaged / "big" / ".zarray").read_text()),
                                                         "compressor": {"id": "nobody's"}}))
    said = h5zarr("diff", pair[0]["h5"], damaged, expect=1, **HDF5).stdout.splitlines()
    assert len(said) == 3 and said[0].startswith("/big: cannot be compared: ") and "nobody's" in said[0]
    assert said[1].startswith("/hard: cannot be compared: its elements cannot be read")
    none = h5zarr("diff", pair[0]["h5"], tmp_path / "none.zarr", expect=1, **HDF5).stderr
    assert "none.zarr" in none


def test_text_of_files_does_not_write_to_the_terminal(h5zarr, tmp_path):
    for name, text in ("a", "x"), ("b", "\x1b[31mred"):
        with h5py.File(tmp_path / f"{name}.h5", "w") as f:
            f["t\x1b[2J"] = text
    said = h5zarr("diff", tmp_path / "a.h5", tmp_path / "b.h5", expect=1, **HDF5).stdout
    assert "\x1b" not in said and "\\x1b[31mred" in said


# ---- random changes ----

TYPES = ["i1", "u8", ">i4", "f4", "f8", "S5", "c16", [("a", "u2"), ("b", "f8", (2,))], h5py.string_dtype()]


def array(r, dtype, shape):
    if dtype == h5py.string_dtype():
        return np.array([r.choice(["", "a", "ü", "long" * 9]) for _ in range(int(np.prod(shape)))], dtype=object).reshape(shape)
    return np.frombuffer(bytes(r.randrange(65, 91) for _ in range(int(np.prod(shape)) * np.dtype(dtype).itemsize)),
                         dtype=dtype).reshape(shape)


def edit(r, f, names):
    """One change that is no other's: (path, elements that differ)."""
    name = names.pop(r.randrange(len(names)))
    how, data = r.randrange(4), f[name]
    if how == 0 and data.size:
        values = np.array(data[()], dtype=data.dtype)
        flat = values.reshape(-1)
        changed = r.sample(range(flat.size), r.randint(1, flat.size))
        for i in changed:
            if values.dtype == object:
                flat[i] = bytes(flat[i]) + b"!"
            else:
                flat[i : i + 1].view("u1")[0] ^= 1
        data[...] = values
        return "/" + name, len(changed)
    if how == 1:
        data.attrs["new"] = r.random()
    elif how == 2:
        del f[name]
    else:
        data.attrs["old"] = -1
    return "/" + name, None


@pytest.mark.parametrize("seed", range(12))
def test_random_changes_are_found(h5zarr, tool, tmp_path, seed):
    r = random.Random(seed)
    a, b = tmp_path / "a.h5", tmp_path / "b.h5"
    names = []
    with h5py.File(a, "w") as f:
        for i in range(20):
            shape = tuple(r.randint(0, 6) for _ in range(r.randint(0, 3)))
            dtype = r.choice(TYPES)
            names.append(r.choice(["", "g/", "g/deep/"]) + f"d{i}")
            f.create_dataset(names[-1], data=array(r, dtype, shape), dtype=dtype,
                             chunks=True if shape and 0 not in shape and r.random() < 0.5 else None)
            f[names[-1]].attrs["old"] = i
    shutil.copy(a, b)
    with h5py.File(b, "r+") as f:
        changes = dict(edit(r, f, names) for _ in range(r.randint(0, 5)))
    store = tmp_path / "b.zarr"
    h5zarr("convert", "-q", b, store, **HDF5)
    for other in (b, store):
        found = json.loads(h5zarr("diff", "--json", a, other, expect=1 if changes else 0, **HDF5).stdout)
        assert {each["path"]: each.get("elements") if "attribute" not in each else None
                for each in found["differences"]} == changes
    tool("h5diff", a, b, expect=1 if changes else 0)
