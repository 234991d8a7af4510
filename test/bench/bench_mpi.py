"""Ranks that write and read disjoint rows of one float32 array: MPI programs on stores and on parallel HDF5, and zarr-python in as many processes of
Dask. tools/mpi-test.sh --bench runs it.

Contenders take turns; printed are medians of wall seconds, and each relative to ours with the same codec. The page cache holds everything, so it is the
work that is measured and not the disk.

    bench_mpi.py --programs DIR --plugin DIR [--mpi openmpi] [--ranks 1,2,4] [--mib 256] [--runs 3] [--directory DIR]"""

import argparse
import pathlib
import re
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "mpi"))

CHUNK = 512  # elements along each axis: 1 MiB
LEVEL = {"none": 0, "gzip": 4}
SECONDS = 600


def shape(mib, ranks):
    """Rows that all numbers of ranks share, in whole chunks."""
    columns = 8 * CHUNK
    step = CHUNK * max(ranks)
    return max(mib * 2**20 // 4 // columns // step, 1) * step, columns


def by_mpi(runner, ranks, directory, codec, size):
    path = directory / ("x.zarr" if runner.plugin else "x.h5")
    words = [runner.programs / "bench_mpi", path, *size, CHUNK, LEVEL[codec]]
    found = runner.mpirun(ranks, words, SECONDS, directory)
    seconds = re.search(r"seconds ([\d.]+) ([\d.]+)", found.text)
    if not found.passed or not seconds:
        raise SystemExit(found.text)
    return float(seconds[1]), float(seconds[2])


def make_part(number, rows, columns):
    import numpy

    x = numpy.linspace(0, 1, columns, dtype="f4")
    noise = numpy.random.default_rng(number).integers(0, 16, (rows, columns))
    return ((x * (1 - x) * 4 * 4096).astype("i4") + noise).astype("f4") / 4096


def write_part(part, path, first):
    import zarr

    zarr.open_group(path, mode="r+")["x"][first : first + len(part)] = part


def read_part(path, first, rows):
    import zarr

    return zarr.open_group(path, mode="r")["x"][first : first + rows]


def by_dask(ranks, directory, codec, size):
    """Each worker holds its rows before the clock starts, as a rank does, and keeps what it reads."""
    import numcodecs
    import zarr
    from distributed import Client, wait

    rows, path = size[0] // ranks, str(directory / "d.zarr")
    filters = {"none": {"compressors": None, "filters": None},
               "gzip": {"compressors": numcodecs.GZip(LEVEL["gzip"]), "filters": [numcodecs.Shuffle(4)]}}[codec]

    def all_of(futures):
        wait(futures)
        for each in futures:
            if each.status != "finished":
                each.result()
        return futures

    with Client(n_workers=ranks, threads_per_worker=1, processes=True, dashboard_address=None) as client:
        workers = list(client.scheduler_info()["workers"])
        on = [{"workers": [worker], "pure": False} for worker in workers]
        parts = all_of([client.submit(make_part, k, rows, size[1], **on[k]) for k in range(ranks)])
        began = time.perf_counter()
        zarr.open_group(path, mode="w", zarr_format=2).create_array("x", shape=size, chunks=(CHUNK, CHUNK), dtype="f4", **filters)
        all_of([client.submit(write_part, parts[k], path, k * rows, **on[k]) for k in range(ranks)])
        writing = time.perf_counter() - began
        began = time.perf_counter()
        back = all_of([client.submit(read_part, path, k * rows, rows, **on[k]) for k in range(ranks)])
        reading = time.perf_counter() - began
        sums = [[client.submit(lambda x: float(x.sum(dtype="f8")), each, pure=False).result() for each in kept] for kept in (parts, back)]
        if sums[0] != sums[1]:
            raise SystemExit("zarr-python under Dask read something else")
    return writing, reading


def main():
    from running import Runner

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2, 4])
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--directory", default="/tmp")
    a = parser.parse_args()
    size = shape(a.mib, a.ranks)
    native = Runner(a.mpi, a.programs / a.mpi)
    # compress=none: what the program asks for, and no blosc where it asks for nothing.
    ours = Runner(a.mpi, a.programs / a.mpi, a.plugin.resolve(), "zarr create=*.zarr;compress=none")
    contenders = {"vol-zarr": lambda *words: by_mpi(ours, *words), "HDF5": lambda *words: by_mpi(native, *words), "zarr-python, Dask": by_dask}
    print(f"{size[0]} x {size[1]} float32 ({size[0] * size[1] * 4 / 2**20:.0f} MiB), chunks of {CHUNK} x {CHUNK}, {a.mpi}, medians of {a.runs}")
    print(f"{'ranks':5} {'codec':5} {'':18} {'write s':>8} {'x ours':>7} {'read s':>8} {'x ours':>7}")
    for ranks in a.ranks:
        for codec in LEVEL:
            times = {name: [] for name in contenders}
            for _ in range(a.runs):
                for name, work in contenders.items():
                    directory = pathlib.Path(tempfile.mkdtemp(prefix="vz-bench-", dir=a.directory))
                    times[name].append(work(ranks, directory, codec, size))
                    shutil.rmtree(directory)
            median = {name: [statistics.median(each) for each in zip(*all_times)] for name, all_times in times.items()}
            for name, (writing, reading) in median.items():
                first = median["vol-zarr"]
                print(f"{ranks:5} {codec:5} {name:18} {writing:8.2f} {writing / first[0]:7.2f} {reading:8.2f} {reading / first[1]:7.2f}", flush=True)


if __name__ == "__main__":
    main()
