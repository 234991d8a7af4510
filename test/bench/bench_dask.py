"""Disjoint slabs of one array, written and read by workers of dask.distributed: this connector, and zarr-python, under the same Dask.

    python bench_dask.py [--mib 256] [--workers 1,2,4] [--repeat 5]

Elements lie in the workers' memory before they are written. Both stores have the same metadata (made by the connector, copied), and are compared
before a time counts. A row is the median of runs that take turns, and zarr-python's time over ours: more than 1, and we are faster."""

import argparse
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "python"))

import dask_work  # noqa: E402

SIDE, CHUNK_ROWS, SLAB_ROWS = 1024, 256, 1024  # chunks of 1 MiB, slabs of 4 (float32)


def restart_with_the_package():
    """This interpreter, with what the wheel gives it and its workers."""
    plugin = os.environ.get("VZ_PLUGIN_DIR") or sys.exit("VZ_PLUGIN_DIR tells where the plugin is")
    environment = dask_work.with_workers(HDF5_PLUGIN_PATH=plugin, BENCH_DASK="1")
    os.execve(sys.executable, [sys.executable, *sys.argv], environment)


def slabs(rows):
    """Numbers that compress a little, as measurements do."""
    import dask.array
    import numpy

    def fill(block, block_info=None):
        start = block_info[None]["array-location"][0][0]
        noise = numpy.random.default_rng(start).integers(0, 4096, (SLAB_ROWS, SIDE))
        return (noise / 8 + start).astype("f4")

    return dask.array.zeros((rows, SIDE), chunks=(SLAB_ROWS, SIDE), dtype="f4").map_blocks(fill, dtype="f4")


def make_stores(where, rows):
    import h5py
    import vol_zarr

    with vol_zarr.enable("create=*.zarr"), h5py.File(where / "ours.zarr", "w") as f:
        f.create_dataset("x", (rows, SIDE), "f4", chunks=(CHUNK_ROWS, SIDE))
    shutil.copytree(where / "ours.zarr", where / "theirs.zarr")


def timed(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def ours(where, x):
    import dask.array
    import h5py

    def write():
        with h5py.File(where / "ours.zarr", "r+") as f:
            dask.array.store(x, f["x"], lock=False)

    def read():
        with h5py.File(where / "ours.zarr") as f:
            dask.array.from_array(f["x"], chunks=x.chunks).sum().compute()

    return write, read


def theirs(where, x):
    import dask.array
    import zarr

    def write():
        dask.array.store(x, zarr.open_array(where / "theirs.zarr", path="x", mode="r+"), lock=False)

    def read():
        dask.array.from_array(zarr.open_array(where / "theirs.zarr", path="x", mode="r"), chunks=x.chunks).sum().compute()

    return write, read


def check(where, x):
    """zarr-python reads the same from both, and it is what was written."""
    import numpy
    import zarr

    written = x.compute()
    for name in "ours.zarr", "theirs.zarr":
        numpy.testing.assert_array_equal(zarr.open_array(where / name, path="x", mode="r")[:], written)


def run(workers, mib, repeat):
    from distributed import Client

    rows = mib * 1024 * 1024 // (4 * SIDE) // SLAB_ROWS * SLAB_ROWS
    with tempfile.TemporaryDirectory() as name, Client(n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit=0) as client:
        from distributed import wait

        where = pathlib.Path(name)
        make_stores(where, rows)
        x = client.persist(slabs(rows))
        wait(x)
        both = {"ours": ours(where, x), "theirs": theirs(where, x)}
        for write, read in both.values():
            write(), read()
        check(where, x)
        seconds = {(who, what): [] for who in both for what in (0, 1)}
        for turn in range(repeat):
            for what in 0, 1:
                for who in sorted(both, reverse=turn % 2 == 1):
                    seconds[who, what].append(timed(both[who][what]))
        check(where, x)
        for what, title in enumerate(("write", "read")):
            a, b = (statistics.median(seconds[who, what]) for who in both)
            print(f"| {workers} | {title} | {mib / a:.0f} | {mib / b:.0f} | {b / a:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    if "BENCH_DASK" not in os.environ:
        restart_with_the_package()
    print("| workers | | ours, MiB/s | zarr-python, MiB/s | ratio |\n|---|---|---|---|---|", flush=True)
    for workers in map(int, arguments.workers.split(",")):
        run(workers, arguments.mib, arguments.repeat)


if __name__ == "__main__":
    main()
