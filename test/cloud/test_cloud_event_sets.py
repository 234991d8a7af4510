"""Asynchronous reads and writes of a hundred datasets in a bucket, and the round trips that the proxy counts."""

import h5py
import numpy as np
import pytest

from event_set import EventSet

DATASETS = 100
# Two for the documents of arrays that others may have changed, two for the chunks, as 64 requests are under way at once. On a busy machine some
# connections answer more often than others. One after another they are 200.
MOST_ROUNDS = 20


def make(judge, url, consolidated):
    import zarr

    group = judge.group(url, mode="w", zarr_format=2)
    for i in range(DATASETS):
        group.create_array(f"d{i}", data=np.arange(1000, dtype="i4") * i, chunks=(1000,))
    if consolidated:
        zarr.consolidate_metadata(group.store, zarr_format=2)


@pytest.mark.parametrize("consolidated", [False, True])
def test_written_through_one_set(place, proxy, judge, consolidated):
    url = place / f"written{consolidated}.zarr"
    make(judge, url, consolidated)
    values = np.random.default_rng(1).integers(0, 1000, (DATASETS, 1000)).astype("i4")
    with h5py.File(url, "r+") as file:
        datasets = [file[f"d{i}"] for i in range(DATASETS)]
        events = EventSet()

        def write():
            for dataset, row in zip(datasets, values):
                assert events.write(dataset, row) >= 0
            assert events.wait() == (0, False)
            file.flush()

        log = proxy.counted(write, ms=100)
        assert events.close() >= 0
    for i in range(DATASETS):
        np.testing.assert_array_equal(judge.group(url)[f"d{i}"][:], values[i])
    puts = [entry for entry in log if entry["kind"] == "PUT"]
    assert len(puts) >= DATASETS and log.rounds() <= MOST_ROUNDS, (log.rounds(), log.kinds())
