"""Does a program that computes wait for a server? For each of 40 blocks it computes 50 ms, while the next one is read, or the last one written.

python test/bench/async/overlap.py [--ms N] [--rounds N]: HDF5_PLUGIN_PATH leads to the plugin. The server answers after N ms. Printed are the
seconds of the computing alone, with H5Dread between, and with H5Dread_async beside it; then the same for writing to a store on the disk.
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))
os.environ["VOL_ZARR_SECOND_GET"] = "0"

import h5py  # noqa: E402
import numpy as np  # noqa: E402
import zarr  # noqa: E402

from event_set import EventSet  # noqa: E402
from file_server import FileServer  # noqa: E402

BLOCKS, LENGTH, COMPUTE_S = 40, 250_000, 0.050


def compute(block):
    end, total = time.perf_counter() + COMPUTE_S, 0
    while time.perf_counter() < end:
        total += int(block[:1000].sum())
    return total


def space_of(block):
    space = h5py.h5s.create_simple((BLOCKS * LENGTH,))
    space.select_hyperslab((block * LENGTH,), (LENGTH,))
    return space


def alone(_, memory):
    for block in range(BLOCKS):
        compute(memory[block % 2])


def read_between(dataset, memory):
    for block in range(BLOCKS):
        dataset.read_direct(memory[0], np.s_[block * LENGTH : (block + 1) * LENGTH])
        compute(memory[0])


def read_beside(dataset, memory):
    events = EventSet()
    events.read(dataset, memory[0], space=space_of(0))
    for block in range(BLOCKS):
        assert events.wait() == (0, False)
        if block + 1 < BLOCKS:
            events.read(dataset, memory[(block + 1) % 2], space=space_of(block + 1))
        compute(memory[block % 2])
    events.close()


def write_between(dataset, memory):
    for block in range(BLOCKS):
        compute(memory[0])
        dataset.write_direct(memory[0], dest_sel=np.s_[block * LENGTH : (block + 1) * LENGTH])


def write_beside(dataset, memory):
    events = EventSet()
    for block in range(BLOCKS):
        compute(memory[block % 2])
        assert events.wait() == (0, False)
        events.write(dataset, memory[block % 2], space=space_of(block))
    assert events.wait() == (0, False)
    events.close()


def seconds(work, dataset, memory, rounds):
    found = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work(dataset, memory)
        found.append(time.perf_counter() - begun)
    return statistics.median(found)


def report(name, dataset, memory, between, beside, rounds):
    base, sync, later = (seconds(work, dataset, memory, rounds) for work in (alone, between, beside))
    print(f"{name}: computing {base:.2f} s, calls between {sync:.2f} s ({sync / base:.2f}), beside {later:.2f} s ({later / base:.2f})", flush=True)
    return later / base


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ms", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    memory = np.zeros((2, LENGTH), dtype="i4")
    with tempfile.TemporaryDirectory() as directory:
        root = zarr.open_group(f"{directory}/s.zarr", mode="w", zarr_format=2)
        root.create_array("x", data=np.arange(BLOCKS * LENGTH, dtype="i4"), chunks=(LENGTH,))
        server = FileServer(directory)
        server.clear(ms=given.ms)
        with h5py.File(f"{server.url}/s.zarr", "r") as file:
            worst = report(f"read, {given.ms} ms", file["x"], memory, read_between, read_beside, given.rounds)
        server.stop()
        memory[:] = np.random.default_rng(0).integers(0, 1 << 20, LENGTH)
        with h5py.File(f"{directory}/s.zarr", "r+") as file:
            worst = max(worst, report("write, disk", file["x"], memory, write_between, write_beside, given.rounds))
    return worst > 1.15


if __name__ == "__main__":
    sys.exit(main())
