"""A few elements at a time: rows appended one by one and elements changed, through several handles, while another process looks.
zarr-python reads what is there after each flush, numpy has kept what must be."""

import h5py
import numpy as np
import pytest
import zarr

FORMS = {"plain": {}, "gzip": {"compression": "gzip"}, "fill": {"fillvalue": 5}}
ROWS, WIDTH = 70, 6


def expected_row(i):
    return np.arange(i, i + WIDTH, dtype="f4")


def work(path, keywords, seed):
    """Yields after each flush what the dataset must have."""
    rng = np.random.default_rng(seed)
    model = np.full((0, WIDTH), keywords.get("fillvalue", 0), "f4")
    with h5py.File(path, "w") as file:
        first = file.create_dataset("x", (0, WIDTH), "f4", maxshape=(None, WIDTH), chunks=(16, 4), **keywords)
        handles = [first, file["x"], file["/x"]]
        for i in range(ROWS):
            x = handles[rng.integers(3)]
            x.resize(len(model) + 1, axis=0)
            model = np.concatenate([model, np.full((1, WIDTH), keywords.get("fillvalue", 0), "f4")])
            if rng.random() < 0.9:
                handles[rng.integers(3)][len(model) - 1] = model[-1] = expected_row(i)
            row, column = rng.integers(len(model)), rng.integers(WIDTH)
            x[row, column] = model[row, column] = i * 100
            other = handles[rng.integers(3)]
            np.testing.assert_array_equal(other[row], model[row])
            assert other[row, column] == model[row, column]
            np.testing.assert_array_equal(other[row, column:], model[row, column:])
            assert other.astype("i8")[row, column] == i * 100
            if rng.random() < 0.1:
                length = int(rng.integers(1, len(model) + 1))
                x.resize(length, axis=0)
                model = model[:length]
            if rng.random() < 0.15:
                file.flush()
                yield model.copy()
        np.testing.assert_array_equal(first[:], model)
    yield model


def write_in_steps(path, keywords, seed, natively):
    """In an interpreter: what each flush left, as numbers."""
    steps = []
    for model in work(path, keywords, seed):
        steps.append(model)
        if not natively:
            np.testing.assert_array_equal(zarr.open(path, mode="r")["x"][:], model)
    return steps


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_zarr_python_finds_each_row(connector, tmp_path, form, seed):
    steps = connector.run(write_in_steps, str(tmp_path / "x.zarr"), FORMS[form], seed, False)
    native = write_in_steps(str(tmp_path / "x.h5"), FORMS[form], seed, True)
    assert len(steps) == len(native) > 1
    for ours, theirs in zip(steps, native):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(zarr.open(str(tmp_path / "x.zarr"), mode="r")["x"][:], native[-1])


def hold(path, held):
    held["file"] = h5py.File(path, "r")
    held["x"] = held["file"]["x"]
    return [held["x"][i, 1] for i in range(len(held["x"]))]


_held = {}


def look(path):
    """Keeps the dataset open between calls, with its chunks in memory."""
    if "x" not in _held:
        return hold(path, _held)
    _held["x"].refresh()
    return [_held["x"][i, 1] for i in range(len(_held["x"]))]


def leave():
    _held.pop("file").close()
    _held.clear()


def test_a_refresh_shows_what_others_wrote_of_a_chunk_in_memory(connector, tmp_path):
    path = str(tmp_path / "x.zarr")
    group = zarr.open_group(path, mode="w", zarr_format=2)
    array = group.create_array("x", shape=(4, 3), chunks=(16, 3), dtype="f4", fill_value=0)
    array[:, 1] = [1, 2, 3, 4]
    assert connector.run(look, path) == [1, 2, 3, 4]
    array[2, 1] = 30
    assert connector.run(look, path) == [1, 2, 30, 4]
    array.resize((6, 3))
    array[5, 1] = 6
    assert connector.run(look, path) == [1, 2, 30, 4, 0, 6]
    connector.run(leave)


def change_parts(path):
    """Two rows of a chunk: another program changes a third meanwhile."""
    with h5py.File(path, "r+") as file:
        x = file["x"]
        assert x[0, 1] == 1 and x[1, 1] == 2
        x[0, 1] = 10
        x[1, 1] = 20
        zarr.open(path, mode="r+")["x"][3, 1] = 40
        x[2, 1] = 30


def test_elements_that_another_program_changed_of_the_same_chunk_stay(connector, tmp_path):
    path = str(tmp_path / "x.zarr")
    array = zarr.open_group(path, mode="w", zarr_format=2).create_array("x", shape=(4, 3), chunks=(16, 3), dtype="f4", fill_value=0)
    array[:, 1] = [1, 2, 3, 4]
    connector.run(change_parts, path)
    np.testing.assert_array_equal(array[:, 1], [10, 20, 30, 40])
