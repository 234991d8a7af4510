"""Asynchronous reads and writes of a hundred datasets in a bucket, and the round trips that the proxy counts."""

import h5py
import numpy as np
import pytest

from event_set import EventSet, best_of_three, check_rounds

# Nothing is stored in an array before its document was looked at, as another program may have deleted it or made it smaller. So it is one round
# for the documents, and one for the chunks, while there are connections for all (64): that of a hundred is two rounds each. The first datasets may
# go alone, before the program has told of the others: their documents are a round more, and their chunks go beside the next documents. With more
# requests than connections, some answers of a busy machine are late, and the rest waits for them.
TOGETHER, MANY = 60, 100
MOST_ROUNDS = {TOGETHER: 4, MANY: 8}


def make(judge, url, count, consolidated):
    import zarr

    group = judge.group(url, mode="w", zarr_format=2)
    for i in range(count):
        group.create_array(f"d{i}", data=np.arange(1000, dtype="i4") * i, chunks=(1000,))
    if consolidated:
        zarr.consolidate_metadata(group.store, zarr_format=2)


@pytest.mark.parametrize("count, consolidated", [(TOGETHER, False), (TOGETHER, True), (MANY, True)])
@best_of_three
def test_written_through_one_set(place, proxy, judge, count, consolidated):
    url = place / f"written{count}{consolidated}.zarr"
    make(judge, url, count, consolidated)
    values = np.random.default_rng(1).integers(0, 1000, (count, 1000)).astype("i4")
    with h5py.File(url, "r+") as file:
        datasets = [file[f"d{i}"] for i in range(count)]
        events = EventSet()

        def write():
            for dataset, row in zip(datasets, values):
                assert events.write(dataset, row) >= 0
            assert events.wait() == (0, False)
            file.flush()

        log = proxy.counted(write, ms=500)
        assert events.close() >= 0
    for i in range(count):
        np.testing.assert_array_equal(judge.group(url)[f"d{i}"][:], values[i])
    puts = [entry for entry in log if entry["kind"] == "PUT"]
    assert len(puts) >= count
    check_rounds(log.rounds(), MOST_ROUNDS[count], log.kinds())


@best_of_three
def test_created_and_written_through_one_set(place, proxy, judge):
    """No call waits for the server: chunks are sent while the program goes on, and the flush sends all documents together."""
    url = place / "created.zarr"
    values = np.random.default_rng(1).integers(0, 1000, (TOGETHER, 1000)).astype("i4")
    kind, space = h5py.h5t.py_create(values.dtype), h5py.h5s.create_simple((1000,))
    judge.group(url, mode="w", zarr_format=2)
    with h5py.File(url, "r+") as file:
        assert len(file) == 0
        events = EventSet()

        def create():
            for i, row in enumerate(values):
                dataset = h5py.Dataset(h5py.h5d.DatasetID(events.create(file, f"d{i}", kind, space)))
                dataset.attrs["number"] = i
                assert events.write(dataset, row) >= 0
            assert events.wait() == (0, False)
            file.flush()

        log = proxy.counted(create, ms=500)
        assert events.close() >= 0
    for i in range(TOGETHER):
        array = judge.group(url)[f"d{i}"]
        np.testing.assert_array_equal(array[:], values[i])
        assert array.attrs["number"] == i
    check_rounds(log.rounds(), 6, log.kinds())


@best_of_three
def test_datasets_in_groups_that_nobody_looked_into(place, proxy, judge):
    """The groups of a bucket are listed: that goes beside the documents, and is no round more."""
    url = place / "groups.zarr"
    root = judge.group(url, mode="w", zarr_format=3)
    for i in range(20):
        root.create_group(f"g{i}").create_array("d", data=np.arange(1000, dtype="i4") * i, chunks=(1000,))
    values = np.full((20, 1000), -1, dtype="i4")
    with h5py.File(url, "r") as file:
        assert len(file) == 20
        events = EventSet()

        def read():
            for i, row in enumerate(values):
                group = events.open_group(file, f"g{i}")
                dataset = events.open(group, "d")
                assert min(group, dataset) > 0 and events.read(dataset, row) >= 0
                assert events.close_dataset(dataset) >= 0 and events.close_group(group) >= 0
            assert events.wait() == (0, False)

        log = proxy.counted(read, ms=500)
        assert (values == np.arange(1000) * np.arange(20)[:, None]).all() and events.close() >= 0
        check_rounds(log.rounds(), 4, log.kinds())
