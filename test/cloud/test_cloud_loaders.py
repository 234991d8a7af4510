"""Loaders as torch has them: workers that live through epochs, each with the dataset it was given (inherited by a fork, pickled for a spawn), which open
the store at their first sample and read single rows, in an order that changes. The parent has read before them, and goes on."""

import multiprocessing
import os
import queue
import random

import h5py
import numpy as np
import pytest

ROWS, COLUMNS, BATCH, WORKERS, EPOCHS = 120, 16, 8, 3, 2
VALUES = np.arange(ROWS * COLUMNS, dtype="f4").reshape(ROWS, COLUMNS)


class Rows:
    """A dataset of a loader: as its users write it. What is open does not go into a pickle, and is not used behind a fork."""

    def __init__(self, url, keeps_open=False):
        self.url, self.keeps_open, self.file, self.owner = url, keeps_open, None, None

    def __len__(self):
        with h5py.File(self.url, "r") as f:
            return len(f["m"])

    def __getitem__(self, i):
        if self.file is None or (self.owner != os.getpid() and not self.keeps_open):
            self.file, self.owner = h5py.File(self.url, "r"), os.getpid()
        return self.file["m"][i], int(self.file["label"][i])

    def __getstate__(self):
        return {**self.__dict__, "file": None}


def work(dataset, asked, told):
    """A worker's loop: batches of indices come in, batches of samples go out."""
    while (task := asked.get()) is not None:
        number, indices = task
        try:
            samples = [dataset[i] for i in indices]
            told.put((number, np.stack([row for row, _ in samples]), [label for _, label in samples]))
        except BaseException as error:  # noqa: BLE001
            told.put((number, repr(error), None))


class Loader:
    """The parent's side: two batches are under way for each worker; they are told in order."""

    def __init__(self, dataset, method):
        context = multiprocessing.get_context(method)
        self.count, self.told = len(dataset), context.Queue()
        self.asked = [context.Queue() for _ in range(WORKERS)]
        self.workers = [context.Process(target=work, args=(dataset, asked, self.told), daemon=True) for asked in self.asked]
        for each in self.workers:
            each.start()

    def epoch(self, order):
        batches = [order[at:at + BATCH] for at in range(0, self.count, BATCH)]
        sent, came = 0, {}
        for number in range(len(batches)):
            while sent < len(batches) and sent < number + 2 * WORKERS:
                self.asked[sent % WORKERS].put((sent, batches[sent]))
                sent += 1
            while number not in came:
                try:
                    which, rows, labels = self.told.get(timeout=60)
                except queue.Empty:
                    raise AssertionError(f"no worker answers: {[each.exitcode for each in self.workers]}") from None
                assert labels is not None, rows
                came[which] = rows, labels
            yield (batches[number], *came.pop(number))

    def stop(self):
        for asked in self.asked:
            asked.put(None)
        for each in self.workers:
            each.join(timeout=60)
        assert [each.exitcode for each in self.workers] == [0] * WORKERS


@pytest.fixture(scope="module", params=["chunks", "shards"])
def store(request, bucket, judge):
    import zarr

    url = f"s3://{bucket}/loaders-{request.param}.zarr"
    group = judge.group(url, mode="w", zarr_format=3)
    group.create_array("m", data=VALUES, chunks=(4, COLUMNS), shards=(40, COLUMNS) if request.param == "shards" else None)
    group.create_array("label", data=np.arange(ROWS) % 7)
    zarr.consolidate_metadata(group.store)
    return url


def check_epochs(epochs):
    """epochs: of each, [(indices, rows, labels)]."""
    for batches in epochs:
        seen = []
        for indices, rows, labels in batches:
            np.testing.assert_array_equal(rows, VALUES[indices])
            assert list(labels) == [i % 7 for i in indices]
            seen += indices
        assert sorted(seen) == list(range(ROWS))


@pytest.mark.parametrize("method, keeps_open", [("fork", False), ("fork", True), ("spawn", False)], ids=["fork", "fork-inherited", "spawn"])
def test_a_loader(store, method, keeps_open):
    """keeps_open: workers read through the file that the parent had open when it forked."""
    dataset, rng = Rows(store, keeps_open), random.Random(1)
    np.testing.assert_array_equal(dataset[5][0], VALUES[5])
    loader = Loader(dataset, method)
    try:
        for _ in range(EPOCHS):
            order = rng.sample(range(ROWS), ROWS)
            check_epochs([loader.epoch(order)])
            np.testing.assert_array_equal(dataset[order[0]][0], VALUES[order[0]])  # the parent's own
    finally:
        loader.stop()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_torch(store, method):
    torch = pytest.importorskip("torch")
    dataset = Rows(store)
    assert int(dataset[3][1]) == 3
    loader = torch.utils.data.DataLoader(dataset, batch_size=BATCH, shuffle=True, num_workers=WORKERS, persistent_workers=True, multiprocessing_context=method)
    for _ in range(EPOCHS):
        rows, labels = (torch.cat(parts).numpy() for parts in zip(*loader))
        order = rows[:, 0].astype(int) // COLUMNS
        np.testing.assert_array_equal(rows, VALUES[order])
        assert list(labels) == list(order % 7) and sorted(order) == list(range(ROWS))
