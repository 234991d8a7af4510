"""The chunk grid "rectilinear": chunks of different shapes. The judge is zarr-python 3.4: data/zarr34-grids.tar.xz has arrays that it
wrote, and the elements that it reads of them (data/zarr34_grids.py). What we write is compared with its chunks byte by byte, and cut up
with numpy."""

import itertools
import json
import random
import resource
import shutil

import h5py
import numpy as np
import pytest

from converting import convert
from interpreter import Failed
from zarr34 import unpacked, write_all


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    where, expected = unpacked("grids", tmp_path_factory)
    return where / "grids.zarr", expected


def document(store, name):
    return json.loads((store / name / "zarr.json").read_text())


def edges_of(store, name):
    """The chunks along each dimension that touch the array: (start, stored length)."""
    content, axes = document(store, name), []
    for extent, spelled in zip(content["shape"], content["chunk_grid"]["configuration"]["chunk_shapes"]):
        runs = itertools.repeat(spelled) if isinstance(spelled, int) else itertools.chain.from_iterable(
            [item] if isinstance(item, int) else itertools.repeat(item[0], item[1]) for item in spelled)
        axis, start = [], 0
        while start < extent:
            axis.append((start, next(runs)))
            start += axis[-1][1]
        axes.append(axis)
    return axes


def shown(dataset):
    return dataset.asstr()[...] if dataset.dtype.kind == "O" else dataset[...]


def test_read(made):
    store, expected = made
    with h5py.File(store) as f:
        assert sorted(f) == sorted(expected) and len(f) >= 15
        for name, values in expected.items():
            assert f[name].shape == values.shape and f[name].maxshape == values.shape
            assert np.array_equal(shown(f[name]), values), name


def selection(rng, shape):
    some = []
    for extent in shape:
        start = rng.randrange(extent)
        some.append(slice(start, rng.randint(start, extent), rng.randint(1, 4)))
    return tuple(some)


@pytest.mark.parametrize("name", ["grid", "mixed", "beyond", "cube", "zstd", "turned", "big", "missing", "ragged", "texts"])
def test_any_selection(made, name):
    store, expected = made
    values, rng = expected[name], random.Random(name)
    with h5py.File(store) as f:
        dataset = f[name]
        text = dataset.dtype.kind == "O"
        for _ in range(60):
            where = selection(rng, values.shape)
            assert np.array_equal(dataset.asstr()[where] if text else dataset[where], values[where])
            axis = rng.randrange(values.ndim)
            points = sorted(rng.sample(range(values.shape[axis]), rng.randint(1, min(values.shape[axis], 9))))
            where = tuple(points if d == axis else slice(None) for d in range(values.ndim))
            assert np.array_equal(dataset.asstr()[where] if text else dataset[where], values[where])
            if not text:
                mask = np.array([rng.random() < 0.3 for _ in range(values.size)]).reshape(values.shape)
                assert np.array_equal(dataset[mask], values[mask])


def files(store):
    return {path.relative_to(store): path.read_bytes() for path in sorted(store.rglob("*")) if path.is_file()}


def test_written_as_by_zarr_python(made, tmp_path, connector):
    """Chunks of codecs whose bytes depend on the library's version are left out; so are chunks beyond an array that shrank."""
    store, expected = made
    ours = shutil.copytree(store, tmp_path / "ours.zarr")
    names = [name for name in expected if name not in ("zstd", "gzip", "missing", "beyond")]
    theirs = {path: data for path, data in files(store).items() if path.parts[0] in names}
    for path in theirs:
        if path.name != "zarr.json":
            (ours / path).unlink()
    connector.run(write_all, str(ours), {name: expected[name].tolist() if name == "texts" else expected[name] for name in names})
    written = {path: data for path, data in files(ours).items() if path.parts[0] in names}
    assert sorted(written) == sorted(theirs) and len(theirs) > 500
    assert [str(path) for path in theirs if written[path] != theirs[path]] == []


def change(path, name, steps):
    with h5py.File(path, "r+") as f:
        for where, values in steps:
            f[name][where] = values


def stored(store, name, dtype, fill):
    """The elements, put together from the chunks of an array without compressor."""
    axes, content = edges_of(store, name), document(store, name)
    values = np.full(content["shape"], fill, dtype)
    for index in np.ndindex(*map(len, axes)):
        path = store.joinpath(name, "c", *map(str, index))
        lengths = [axis[i][1] for axis, i in zip(axes, index)]
        where = tuple(slice(axis[i][0], axis[i][0] + axis[i][1]) for axis, i in zip(axes, index))
        if path.exists():
            chunk = np.frombuffer(path.read_bytes(), dtype).reshape(lengths)
            values[where] = chunk[tuple(slice(0, n) for n in values[where].shape)]
    return values


@pytest.mark.parametrize("name", ["line", "grid", "mixed", "beyond", "cube", "big", "missing", "ragged"])
def test_changed_in_part(made, name, tmp_path, connector):
    store, expected = made
    ours, rng = shutil.copytree(store, tmp_path / "ours.zarr"), random.Random(name)
    values, steps = expected[name].copy(), []
    for number in range(40):
        where = selection(rng, values.shape)
        part = np.full(values[where].shape, number + 1, values.dtype)
        values[where] = part
        steps.append((where, part))
    for first in range(0, 40, 10):
        connector.run(change, str(ours), name, steps[first:first + 10])
    dtype = expected[name].dtype.newbyteorder(">") if name == "big" else expected[name].dtype
    assert np.array_equal(stored(ours, name, dtype, -5 if name == "missing" else 0), values)
    assert (ours / name / "zarr.json").read_bytes() == (store / name / "zarr.json").read_bytes()
    try:
        import zarr
        zarr.config.set({"array.rectilinear_chunks": True})
        theirs = zarr.open_group(ours, mode="r")[name][...]
    except ValueError:  # before zarr-python 3.4
        return
    assert np.array_equal(theirs, values)


def test_what_hdf5_is_told(made):
    store, expected = made
    with h5py.File(store) as f:
        assert f["grid"].chunks == (4, 4) and f["beyond"].chunks == (4, 4) and f["ragged"].chunks == (10,)
        for name in ("grid", "mixed", "cube", "missing"):
            axes, low = edges_of(store, name), f[name].id
            there = [index for index in np.ndindex(*map(len, axes)) if store.joinpath(name, "c", *map(str, index)).exists()]
            places = [tuple(axis[i][0] for axis, i in zip(axes, index)) for index in there]
            infos = [low.get_chunk_info(i) for i in range(low.get_num_chunks())]
            sizes = [store.joinpath(name, "c", *map(str, index)).stat().st_size for index in there]
            assert [info.chunk_offset for info in infos] == places and [info.size for info in infos] == sizes
            walked = []
            low.chunk_iter(lambda info: walked.append((info.chunk_offset, info.size)))
            assert walked == list(zip(places, sizes)) and low.get_storage_size() == sum(sizes)
            assert low.get_chunk_info_by_coord(places[-1]).size == sizes[-1]


def refuse(path, way):
    with h5py.File(path, "r+") as f:
        dataset = f["grid"]
        if way == "read":
            dataset.id.read_direct_chunk((3, 0))
        elif way == "write":
            dataset.id.write_direct_chunk((3, 0), bytes(24))
        elif way == "shrink":
            dataset.resize((9, 6))
        elif way == "grow":
            dataset.resize((11, 6))


@pytest.mark.parametrize("way, why", [("read", "rectilinear"), ("write", "rectilinear"), ("shrink", "rectilinear"), ("grow", "maximum is 10")])
def test_refused(made, tmp_path, connector, way, why):
    ours = shutil.copytree(made[0], tmp_path / "ours.zarr")
    with pytest.raises(Failed, match=f"(?s)grid.*{why}"):
        connector.run(refuse, str(ours), way)
    assert files(ours) == files(made[0])


def copy(path):
    with h5py.File(path, "r+") as f:
        f.copy("runs", "again")
        f.copy("zstd", "packed")


def test_copied(made, tmp_path, connector):
    ours = shutil.copytree(made[0], tmp_path / "ours.zarr")
    connector.run(copy, str(ours))
    assert edges_of(ours, "again") == edges_of(made[0], "runs") and document(ours, "again")["chunk_grid"]["name"] == "rectilinear"
    for one, other in (("runs", "again"), ("zstd", "packed")):
        assert {path.relative_to(f"{other}/c"): data for path, data in files(ours).items() if path.parts[:2] == (other, "c")} == {
            path.relative_to(f"{one}/c"): data for path, data in files(made[0]).items() if path.parts[:2] == (one, "c")}


def test_converted_and_checked(made, tmp_path, h5zarr, tool):
    store, expected = made
    convert(store, tmp_path / "x.h5", "--verify")
    with h5py.File(tmp_path / "x.h5") as f:
        assert all(np.array_equal(shown(f[name]), values) for name, values in expected.items())
    h5zarr("check", store)
    before = files(store)
    h5zarr("repair", store)
    assert files(store) == before
    assert "chunks up to" in h5zarr("tree", store).stdout + h5zarr("info", f"{store}/grid").stdout
    assert tool("h5dump", "-d", "/grid", store).count("\n") > 10


BAD = {
    "too short": [[3, 3], [6]],
    "nothing": [[], [6]],
    "zero": [[10, 0], [6]],
    "zero for all": [0, [6]],
    "negative": [[-1, 11], [6]],
    "no number": [[10.0], [6]],
    "no count": [[[5]], [6]],
    "three": [[[5, 2, 1]], [6]],
    "count 0": [[[5, 0], 10], [6]],
    "text": ["10", [6]],
    "too few dimensions": [[10]],
    "larger than every chunk": [[2 ** 62], [2 ** 62]],
    "larger than 63 bits": [[2 ** 63], [6]],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_lengths_are_named(name, made, tmp_path, reader):
    ours = shutil.copytree(made[0], tmp_path / "ours.zarr")
    content = document(ours, "grid")
    content["chunk_grid"]["configuration"]["chunk_shapes"] = BAD[name]
    (ours / "grid" / "zarr.json").write_text(json.dumps(content))
    with pytest.raises(Failed, match="(?s)ours.zarr.*grid.*chunk"):
        reader.run(read_one, str(ours), "grid", ...)
    with h5py.File(ours) as f:
        assert f["grid"].shape == (10, 6) and f["cube"].shape == (7, 9, 5)


def read_one(path, name, where):
    with h5py.File(path) as f:
        return f[name][where]


def limited(path, *arguments):
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    return read_one(path, *arguments)


@pytest.mark.parametrize("shapes, length, key", [
    ([[[1, 2 ** 62]]], 1, 2 ** 40), ([[[3, 2 ** 63 - 1], [5, 2 ** 63 - 1]]], 3, 2 ** 40 // 3), ([7], 7, 2 ** 40 // 7),
    ([[[1, 10], [2, 2 ** 50], [9, 2 ** 60]]], 2, 10 + (2 ** 40 - 10) // 2), ([[[4, 2 ** 30], [2 ** 10, 2 ** 40]]], 2 ** 10, 2 ** 30 + (2 ** 40 - 2 ** 32) // 2 ** 10)])
def test_counts_are_not_expanded(made, tmp_path, reader, shapes, length, key):
    ours = shutil.copytree(made[0], tmp_path / "ours.zarr")
    content = document(ours, "line")
    content["shape"], content["chunk_grid"]["configuration"]["chunk_shapes"] = [2 ** 41], shapes
    shutil.rmtree(ours / "line" / "c")
    (ours / "line" / "zarr.json").write_text(json.dumps(content))
    (ours / "line" / "c").mkdir()
    (ours / "line" / "c" / str(key)).write_bytes(np.full(length, 77, "i2").tobytes())
    assert reader.run(limited, str(ours), "line", slice(2 ** 40, 2 ** 40 + 1)).tolist() == [77]
    assert reader.run(limited, str(ours), "line", slice(0, 5)).tolist() == [0] * 5
