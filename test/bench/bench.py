"""Reads and writes one 2-D float32 array through h5py with this connector, with native HDF5 and with zarr-python.

Every figure is one fresh process; the contenders take turns, so that a machine that slows down slows all of them. Printed
are medians: wall seconds and CPU seconds of the I/O itself, peak memory of the process above the array's own size, bytes
on disk, and each contender's wall time relative to ours with the same codec.

    bench.py [--mib 1024] [--runs 3] [--directory DIR]
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

CHUNK = 1024  # elements along each axis: 4 MiB of float32

# name -> (codec family, how it is made)
CONTENDERS = {
    "vol-zarr": ("blosc", "connector", ""),
    "vol-zarr compress=none": ("none", "connector", "compress=none"),
    "vol-zarr gzip": ("gzip", "connector", ""),
    "HDF5": ("none", "native", None),
    "HDF5 gzip": ("gzip", "native", None),
    "HDF5 blosc": ("blosc", "native", None),
    "zarr-python": ("blosc", "zarr", None),
    "zarr-python none": ("none", "zarr", None),
    "zarr-python gzip": ("gzip", "zarr", None),
}
OURS = {"blosc": "vol-zarr", "none": "vol-zarr compress=none", "gzip": "vol-zarr gzip"}


def make_array(mib):
    """Smooth data with noise in the low bits, as measured data has: blosc-lz4 halves it, roughly."""
    import numpy

    side = int((mib * 2**20 / 4) ** 0.5) // CHUNK * CHUNK
    x = numpy.linspace(0, 40, side, dtype="f4")
    rng = numpy.random.default_rng(7)
    array = numpy.empty((side, side), "f4")
    for row in range(0, side, CHUNK):
        wave = numpy.sin(x)[None, :] * numpy.cos(x[row : row + CHUNK])[:, None]
        array[row : row + CHUNK] = numpy.round(wave * 4096 + rng.integers(0, 16, (CHUNK, side))) / 4096
    return array


def hdf5_keywords(codec, kind):
    if codec == "gzip":
        return {"compression": "gzip", "compression_opts": 4, "shuffle": True}
    if codec == "blosc" and kind == "native":
        import hdf5plugin

        return dict(hdf5plugin.Blosc(cname="lz4", clevel=5, shuffle=1))
    return {}


def write_hdf5(path, array, codec, kind):
    import h5py

    keywords = hdf5_keywords(codec, kind)
    yield
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=array, chunks=(CHUNK, CHUNK), **keywords)


def read_hdf5(path, kind):
    import h5py

    if kind == "native":
        import hdf5plugin  # noqa: F401  registers the filters
    yield
    with h5py.File(path, "r") as file:
        return file["x"][...]


def write_zarr(path, array, codec):
    import numcodecs
    import zarr

    codecs = {
        "none": (None, None),
        "gzip": ([numcodecs.Shuffle(4)], numcodecs.Zlib(4)),
        "blosc": (None, numcodecs.Blosc("lz4", 5, 1)),
    }
    filters, compressor = codecs[codec]
    yield
    group = zarr.open_group(path, mode="w", zarr_format=2)
    made = group.create_array(
        "x", shape=array.shape, chunks=(CHUNK, CHUNK), dtype=array.dtype, filters=filters, compressors=compressor
    )
    made[...] = array


def read_zarr(path):
    import zarr

    yield
    return zarr.open_group(path, mode="r")["x"][...]


def measure(action, keep):
    """Runs the generator's preparation untimed and the rest timed."""
    next(action)
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    result = None
    try:
        next(action)
    except StopIteration as stop:
        result = stop.value
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    if keep is not None:
        import numpy

        assert numpy.array_equal(result, keep), "what was read is not what was written"
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, after.ru_maxrss


def child(job):
    """One process, one figure."""
    import numpy

    codec, kind, _ = CONTENDERS[job["name"]]
    path = job["path"]
    if job["operation"] == "write":
        array = numpy.load(job["array"])
        action = write_zarr(path, array, codec) if kind == "zarr" else write_hdf5(path, array, codec, kind)
        wall, cpu, peak = measure(action, None)
        size = array.nbytes
    else:
        action = read_zarr(path) if kind == "zarr" else read_hdf5(path, kind)
        wall, cpu, peak = measure(action, None)
        size = job["bytes"]
    print(json.dumps([wall, cpu, peak / 1024 - size / 2**20]))


def environment(name):
    _, kind, options = CONTENDERS[name]
    variables = dict(os.environ)
    variables.pop("HDF5_VOL_CONNECTOR", None)
    if kind == "connector":
        variables["HDF5_VOL_CONNECTOR"] = ("zarr " + options).strip()
        variables["HDF5_PLUGIN_PATH"] = os.environ["VZ_PLUGIN_DIR"]
    return variables


def run(name, operation, path, array_file, size):
    job = {"name": name, "operation": operation, "path": str(path), "array": str(array_file), "bytes": size}
    command = [sys.executable, __file__, "--child", json.dumps(job)]
    done = subprocess.run(command, env=environment(name), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{name} {operation} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def size_on_disk(path):
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


def report(operation, figures):
    median = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in figures.items()}
    print(f"\n{operation:<24} {'wall s':>8} {'cpu s':>8} {'extra MiB':>10} {'wall / ours':>12} {'cpu / ours':>11}")
    for name, (wall, cpu, peak) in median.items():
        ours = median[OURS[CONTENDERS[name][0]]]
        print(f"{name:<24} {wall:8.3f} {cpu:8.3f} {peak:10.0f} {wall / ours[0]:12.2f} {cpu / ours[1]:11.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--directory")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(json.loads(options.child))
        return
    import numpy

    with tempfile.TemporaryDirectory(dir=options.directory) as scratch:
        scratch = pathlib.Path(scratch)
        array = make_array(options.mib)
        size, array_file = array.nbytes, scratch / "array.npy"
        numpy.save(array_file, array)
        print(f"array {array.shape} float32, {size / 2**20:.0f} MiB, chunks {CHUNK} x {CHUNK}, {options.runs} runs, medians")
        del array
        figures = {"write": {name: [] for name in CONTENDERS}, "read": {name: [] for name in CONTENDERS}}
        stored = {}
        for _ in range(options.runs):
            for name in CONTENDERS:
                path = scratch / "store"
                figures["write"][name].append(run(name, "write", path, array_file, size))
                stored[name] = size_on_disk(path)
                figures["read"][name].append(run(name, "read", path, array_file, size))
                remove(path)
        for operation, rows in figures.items():
            report(operation, rows)
        print("\non disk, MiB: " + ", ".join(f"{name} {bytes_ / 2**20:.0f}" for name, bytes_ in stored.items()))


if __name__ == "__main__":
    main()
