"""Reading a store that zarr-python made, without HDF5_VOL_CONNECTOR: what h5py shows equals numpy and native HDF5."""

import h5py
import numpy as np
import pytest
import zarr

rng = np.random.default_rng(7)
DATA = {
    "one": rng.integers(-1000, 1000, 1000).astype("i4"),
    "two": rng.standard_normal((53, 37)),
    "three": rng.integers(0, 255, (11, 12, 13)).astype("u1"),
    "sparse": np.where(rng.random((40, 40)) > 0.98, 1.5, 0).astype("f4"),
    "flags": rng.random(100) > 0.5,
}
CHUNKS = {"one": (64,), "two": (10, 9), "three": (4, 5, 13), "sparse": (7, 7), "flags": (33,)}


def write_native(path):
    with h5py.File(path, "w") as f:
        for name, data in DATA.items():
            f.create_dataset(f"g/{name}", data=data, chunks=CHUNKS[name], maxshape=(None,) * data.ndim)
        f["g/scalar"] = 5.5
        f["g"].attrs["title"] = "größer"
        f.create_group("g/empty/inner")


def write_zarr(path):
    root = zarr.open_group(path, mode="w", zarr_format=2)
    group = root.create_group("g")
    for name, data in DATA.items():
        group.create_array(name, shape=data.shape, dtype=data.dtype, chunks=CHUNKS[name])[...] = data
    group.create_array("scalar", shape=(), dtype="f8")[...] = 5.5
    group.attrs["title"] = "größer"
    group.create_group("empty").create_group("inner")


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    where = tmp_path_factory.mktemp("read")
    write_native(where / "native.h5")
    write_zarr(where / "store.zarr")
    return where


@pytest.fixture(scope="module")
def native(paths):
    with h5py.File(paths / "native.h5") as f:
        yield f


@pytest.fixture(scope="module")
def store(paths):
    with h5py.File(paths / "store.zarr") as f:
        yield f


def visited(visit):
    seen = []
    visit(lambda name, *item: seen.append((name, type(item[0]).__name__ if item else None)))
    return seen


QUESTIONS = {
    "list": lambda f: list(f),
    "list of a group": lambda f: list(f["g"]),
    "reversed": lambda f: list(reversed(f["g"])),
    "keys values items": lambda f: [(k, v.name) for k, v in f["g"].items()],
    "len": lambda f: (len(f), len(f["g"])),
    "in": lambda f: ["g" in f, "g/one" in f, "/g/empty/inner" in f, "x" in f, "g/x" in f, "g/one/x" in f, "/" in f, "" in f],
    "names": lambda f: [f.name, f["g"].name, f["g/one"].name, f["g"]["/g/two"].name, f["g/empty/inner"].parent.name],
    "repr": lambda f: [repr(f["g"]), repr(f["g/one"]), repr(f["g/flags"])],
    "visit": lambda f: visited(f.visit),
    "visititems": lambda f: visited(f.visititems),
    "visit stops": lambda f: f.visit(lambda name: name if "one" in name else None),
    "visit_links": lambda f: visited(f.visit_links),
    "get class": lambda f: [f.get(n, getclass=True).__name__ for n in ("g", "g/one", "g/empty")],
    "get link": lambda f: [type(f.get(n, getlink=True)).__name__ for n in ("g", "g/one")],
    "get link class": lambda f: f.get("g/one", getclass=True, getlink=True).__name__,
    "get default": lambda f: [f.get("nothing"), f.get("g/nothing", 5), f.get("nothing", 3, getclass=True)],
    "==": lambda f: [f["g"] == f["g"], f["g/one"] == f["g"]["one"], f["g/one"] == f["g/two"], f["g"] != f["g/empty"], f == f],
    "hash": lambda f: [hash(f["g"]) == hash(f["g"]), hash(f["g/one"]) == hash(f["g/one"]), len({f["g"], f["g/one"], f["g"]})],
    "a dictionary of objects": lambda f: {f["g/one"]: 1, f["g/two"]: 2}[f["g"]["two"]],
    "file of an object": lambda f: f["g/one"].file == f,
    "mode": lambda f: f.mode,
    "bool": lambda f: [bool(f), bool(f["g"]), bool(f["g/one"])],
    "attributes": lambda f: [list(f["g"].attrs), dict(f["g"].attrs), "title" in f["g"].attrs, len(f["g"].attrs)],
    "no attributes": lambda f: [list(f.attrs), list(f["g/one"].attrs), f.attrs.get("x"), "x" in f.attrs],
    "reference": lambda f: [f[f["g/one"].ref].name, f[f["g"].ref].name, f[f["g/one"].ref] == f["g/one"], bool(f["g"].ref)],
    "reference type": lambda f: h5py.h5r.get_obj_type(f["g/one"].ref, f.id) == h5py.h5o.TYPE_DATASET,
    "object information": lambda f: [h5py.h5o.get_info(f["g"].id).type, h5py.h5o.get_info(f["g/one"].id).rc],
    "link exists": lambda f: [f.id.links.exists(b"g"), f.id.links.exists(b"x")],
    "group information": lambda f: f["g"].id.get_num_objs(),
    "names by index": lambda f: [f["g"].id.get_objname_by_idx(i) for i in range(len(f["g"]))],
    "h5o.visit": lambda f: (lambda seen: h5py.h5o.visit(f.id, lambda name: seen.append(name)) or seen)([]),
    "h5l.iterate": lambda f: (lambda g, seen: g.id.links.iterate(lambda name: seen.append(name)) or seen)(f["g"], []),
    "shapes": lambda f: [(d.shape, d.dtype, d.ndim, d.size, d.nbytes, d.chunks, d.maxshape) for d in map(f["g"].get, DATA)],
    "missing object": lambda f: error_of(lambda: f["g/missing"]),
    "missing attribute": lambda f: error_of(lambda: f["g"].attrs["missing"]),
    "not a group": lambda f: error_of(lambda: f["g/one/x"]),
    "writing a read-only file": lambda f: error_of(lambda: f.create_group("new"))[:1],
    "deleting in a read-only file": lambda f: error_of(lambda: f.__delitem__("g"))[:1],
    "attribute in a read-only file": lambda f: error_of(lambda: f.attrs.__setitem__("x", 1))[:1],
    "data in a read-only file": lambda f: error_of(lambda: f["g/one"].__setitem__(0, 1))[:1],
}


def error_of(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__, getattr(error, "errno", None)
    return "no error"


@pytest.mark.parametrize("question", QUESTIONS)
def test_answer_of_native_hdf5(question, native, store):
    assert QUESTIONS[question](store) == QUESTIONS[question](native)


INDEXES = {
    "one": [np.s_[...], np.s_[()], np.s_[5], np.s_[-1], np.s_[10:20], np.s_[::7], np.s_[500:10:1], np.s_[-20:], np.s_[3:999:100],
            np.s_[[1, 5, 900]], np.s_[[0]], np.s_[np.arange(1000) % 3 == 0], np.s_[np.zeros(1000, bool)], np.s_[0:0], np.s_[63:65]],
    "two": [np.s_[...], np.s_[3], np.s_[-3, -2], np.s_[:, 5], np.s_[1:50:3, 2:30:7], np.s_[10:20, 9:18], np.s_[[0, 9, 52], 4:9],
            np.s_[2, [0, 8, 9, 36]], np.s_[..., -1], np.s_[5:5, :], np.s_[DATA["two"] > 1], np.s_[np.arange(53) > 40, :],
            np.s_[np.arange(53) % 2 == 0, 3], np.s_[52, 36]],
    "three": [np.s_[...], np.s_[..., 3], np.s_[2, :, 4], np.s_[1:9:2, ::3, 5:], np.s_[:, [0, 11], 1], np.s_[4, 5, 6],
              np.s_[DATA["three"] > 250], np.s_[[1, 10], 2:5, 0:13:6]],
    "sparse": [np.s_[...], np.s_[6:8, 6:8], np.s_[DATA["sparse"] > 0]],
    "flags": [np.s_[...], np.s_[32:34], np.s_[DATA["flags"]]],
    "scalar": [np.s_[()], np.s_[...]],
}


@pytest.mark.parametrize("name", INDEXES)
def test_indexing_equals_numpy_and_native(name, native, store):
    for index in INDEXES[name]:
        expected, shown = native["g"][name][index], store["g"][name][index]
        assert type(shown) is type(expected) and shown.dtype == expected.dtype
        np.testing.assert_array_equal(shown, expected)
        if name in DATA:
            np.testing.assert_array_equal(shown, DATA[name][index])


@pytest.mark.parametrize("index", [np.s_[::-1], np.s_[1000], np.s_[-1001], np.s_[[5, 1]], np.s_[0, 0], np.s_["a"], np.s_[1.5]])
def test_refused_index_is_refused_alike(index, native, store):
    refusal = error_of(lambda: native["g/one"][index])
    assert refusal != "no error"
    assert error_of(lambda: store["g/one"][index]) == refusal


def test_reading_into_arrays(native, store):
    for source, target in ((np.s_[10:20], np.s_[0:10]), (np.s_[0:1000:100], np.s_[::2]), (np.s_[5], np.s_[3])):
        ours, theirs = np.zeros(20, "f8"), np.zeros(20, "f8")
        if source == np.s_[0:1000:100]:
            target = np.s_[0:20:2]
        store["g/one"].read_direct(ours, source, target)
        native["g/one"].read_direct(theirs, source, target)
        np.testing.assert_array_equal(ours, theirs)
        assert ours.any()


@pytest.mark.parametrize("target", ["i1", "u2", "i8", "f4", "f8", ">i2", ">f8", "f2"])
@pytest.mark.parametrize("name", ["one", "two", "three"])
def test_conversion_equals_hdf5s(name, target, native, store):
    if (name, target) == ("two", ">i2"):
        pytest.skip("HDF5 itself makes -32768 of -0.5 when the target is a big-endian integer")
    np.testing.assert_array_equal(store["g"][name].astype(target)[...], native["g"][name].astype(target)[...])


def test_chunks_one_by_one(store):
    seen = np.zeros_like(DATA["two"])
    for piece in store["g/two"].iter_chunks():
        seen[piece] = store["g/two"][piece]
    np.testing.assert_array_equal(seen, DATA["two"])


def test_random_boxes(store):
    data, shown = DATA["three"], store["g/three"]
    for _ in range(100):
        box = tuple(slice(a, b, s) for a, b, s in zip(rng.integers(0, 8, 3), rng.integers(4, 14, 3), rng.integers(1, 4, 3)))
        np.testing.assert_array_equal(shown[box], data[box])
