"""Shards of different shapes: "sharding_indexed" in the chunk grid "rectilinear". The judge is zarr-python 3.4: data/zarr34-shards.tar.xz
has arrays that it wrote, and the elements that it reads of them (data/zarr34_shards.py). What we write is cut up with numpy, chunk by chunk,
as its shards are; zarr-python reads it where it is new enough."""

import json
import random
import shutil

import h5py
import numpy as np
import pytest

from interpreter import Failed
from test_zarr34_grids import change, document, edges_of, files, selection
from zarr34 import unpacked, write_all

PLAIN = ["line", "grid", "runs", "mixed", "beyond", "cube", "missing", "first", "ragged"]  # chunks without codecs, found by a plain index


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    where, expected = unpacked("shards", tmp_path_factory)
    return where / "shards.zarr", expected


def sharding_of(store, name):
    return next(codec["configuration"] for codec in document(store, name)["codecs"] if codec["name"] == "sharding_indexed")


def chunks_of_shards(store, name):
    """The bytes of each chunk that is in a shard, by the place of its first element."""
    axes, sharding, found = edges_of(store, name), sharding_of(store, name), {}
    inner = sharding["chunk_shape"]
    for index in np.ndindex(*map(len, axes)):
        path = store.joinpath(name, "c", *map(str, index))
        if not path.exists():
            continue
        starts, lengths = zip(*[axis[i] for axis, i in zip(axes, index)])
        across = [length // side for length, side in zip(lengths, inner)]
        data, size = path.read_bytes(), 16 * int(np.prod(across)) + 4
        table = np.frombuffer(data[:size - 4] if sharding["index_location"] == "start" else data[-size:-4], "<u8").reshape(*across, 2)
        for place in np.ndindex(*across):
            offset, length = (int(n) for n in table[place])
            if offset != 2 ** 64 - 1:
                found[tuple(start + p * side for start, p, side in zip(starts, place, inner))] = data[offset:offset + length]
    return found


def stored(store, name, dtype, fill):
    """The elements, put together from those chunks."""
    content, inner = document(store, name), sharding_of(store, name)["chunk_shape"]
    values = np.full([extent + side for extent, side in zip(content["shape"], inner)], fill, dtype)
    for start, data in chunks_of_shards(store, name).items():
        if all(first < extent for first, extent in zip(start, content["shape"])):
            values[tuple(slice(first, first + side) for first, side in zip(start, inner))] = np.frombuffer(data, dtype).reshape(inner)
    return values[tuple(slice(0, extent) for extent in content["shape"])]


def by_zarr_python(store, name):
    import zarr
    try:
        zarr.config.set({"array.rectilinear_chunks": True})
        return zarr.open_group(store, mode="r")[name][...]
    except ValueError:  # before zarr-python 3.4
        return None


def test_read(made):
    store, expected = made
    with h5py.File(store) as f:
        assert sorted(f) == sorted(expected) and len(f) >= 14
        for name, values in expected.items():
            assert f[name].shape == f[name].maxshape == values.shape
            assert np.array_equal(f[name][...], values), name
        assert f["grid"].chunks == (2, 2) and f["cube"].chunks == (2, 3, 1) and f["ragged"].chunks == (3,)


@pytest.mark.parametrize("name", ["grid", "beyond", "cube", "zstd", "missing", "behind", "turned", "levels", "index", "ragged"])
def test_any_selection(made, name):
    store, expected = made
    values, rng = expected[name], random.Random(name)
    with h5py.File(store) as f:
        for _ in range(40):
            where = selection(rng, values.shape)
            assert np.array_equal(f[name][where], values[where])
            mask = np.array([rng.random() < 0.3 for _ in range(values.size)]).reshape(values.shape)
            assert np.array_equal(f[name][mask], values[mask])


def test_written_as_by_zarr_python(made, tmp_path, connector):
    """Chunk by chunk: their order in a shard is the writer's choice."""
    store, expected = made
    ours = shutil.copytree(store, tmp_path / "ours.zarr")
    names = [name for name in expected if name != "missing"]
    for name in names:
        shutil.rmtree(ours / name / "c")
    connector.run(write_all, str(ours), {name: expected[name] for name in names})
    for name in names:
        mine, theirs = ({path.relative_to(where / name) for path in (where / name / "c").rglob("*")} for where in (ours, store))
        assert mine == theirs or name == "beyond", name
        assert (ours / name / "zarr.json").read_bytes() == (store / name / "zarr.json").read_bytes()
        if name in PLAIN and name != "beyond":
            assert chunks_of_shards(ours, name) == chunks_of_shards(store, name), name
        theirs = by_zarr_python(ours, name)
        assert theirs is None or np.array_equal(theirs, expected[name]), name


@pytest.mark.parametrize("name", PLAIN + ["zstd", "behind", "turned", "levels", "index"])
def test_changed_in_part(made, name, tmp_path, connector, reader):
    store, expected = made
    ours, rng = shutil.copytree(store, tmp_path / "ours.zarr"), random.Random(name)
    values, steps = expected[name].copy(), []
    for number in range(24):
        where = selection(rng, values.shape)
        part = np.full(values[where].shape, number + 1, values.dtype)
        values[where] = part
        steps.append((where, part))
    for first in range(0, 24, 8):
        connector.run(change, str(ours), name, steps[first:first + 8])
    theirs = stored(ours, name, values.dtype, -5 if name == "missing" else 0) if name in PLAIN else by_zarr_python(ours, name)
    assert theirs is None or np.array_equal(theirs, values)
    assert (ours / name / "zarr.json").read_bytes() == (store / name / "zarr.json").read_bytes()
    assert np.array_equal(reader.run(read_all, str(ours), name), values)


def read_all(path, name):
    with h5py.File(path) as f:
        return f[name][...]


def test_what_hdf5_is_told(made):
    store, expected = made
    with h5py.File(store) as f:
        for name in ("grid", "cube", "missing", "first"):
            there = chunks_of_shards(store, name)
            infos = [f[name].id.get_chunk_info(i) for i in range(f[name].id.get_num_chunks())]
            assert [info.chunk_offset for info in infos] == sorted(there)
            assert [info.size for info in infos] == [len(there[place]) for place in sorted(there)]
            place = sorted(there)[-1]
            assert f[name].id.read_direct_chunk(place)[1] == there[place]


def refuse(path, shape):
    with h5py.File(path, "r+") as f:
        f["grid"].resize(shape)


@pytest.mark.parametrize("shape, why", [((9, 8), "rectilinear"), ((13, 8), "maximum is 12")])
def test_extent_is_fixed(made, tmp_path, connector, shape, why):
    ours = shutil.copytree(made[0], tmp_path / "ours.zarr")
    with pytest.raises(Failed, match=f"(?s)grid.*{why}"):
        connector.run(refuse, str(ours), shape)
    assert files(ours) == files(made[0])


def copy(path):
    with h5py.File(path, "r+") as f:
        f.copy("runs", "again")
        f.copy("zstd", "packed")


def test_copied_and_checked(made, tmp_path, connector, h5zarr):
    ours = shutil.copytree(made[0], tmp_path / "ours.zarr")
    connector.run(copy, str(ours))
    assert edges_of(ours, "again") == edges_of(made[0], "runs") and chunks_of_shards(ours, "again") == chunks_of_shards(made[0], "runs")
    with h5py.File(ours) as f:
        assert np.array_equal(f["packed"][...], made[1]["zstd"])
    h5zarr("check", ours)
    assert "in shards up to" in h5zarr("tree", ours).stdout
    shard = ours / "grid" / "c" / "1" / "1"
    shard.write_bytes(shard.read_bytes()[:-8])
    found = h5zarr("check", ours, expect=1)
    assert "grid" in found.stdout + found.stderr and "c/1/1" in found.stdout + found.stderr


def test_bad_shards_are_named(made, tmp_path, reader):
    ours = shutil.copytree(made[0], tmp_path / "ours.zarr")
    content = document(ours, "grid")
    content["chunk_grid"]["configuration"]["chunk_shapes"] = [[3, 9], [2, 6]]
    (ours / "grid" / "zarr.json").write_text(json.dumps(content))
    with pytest.raises(Failed, match="(?s)ours.zarr.*grid.*whole number of chunks along dimension 0"):
        reader.run(read_all, str(ours), "grid")
    with h5py.File(ours) as f:
        assert f["grid"].shape == (12, 8)
