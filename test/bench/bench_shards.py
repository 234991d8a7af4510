"""Sharded Zarr v3: one 2-D float32 array, written and read whole, by rows and by boxes, through h5py with this connector, with
zarr-python, with zarr-python on zarrs, and with tensorstore. All write the same chunks, shards and codecs; all read one store,
which zarr-python made.

Every figure is one fresh process; the contenders take turns. Printed are medians: wall and CPU seconds, and each relative to ours.

    bench_shards.py [--mib 256] [--runs 3] [--directory DIR]
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from bench import make_array, measure, remove

CHUNK = 256  # elements along each axis: 256 KiB of float32
SHARD_CHUNKS = 64  # 16 MiB
CONTENDERS = ["vol-zarr", "zarr-python", "zarrs", "tensorstore"]
OPERATIONS = ["write", "read whole", "read rows", "read boxes"]
SLICES = 300


def shard_shape(side):
    """As the connector makes them of `shards=16M`: whole trailing dimensions first."""
    across = min(side // CHUNK, SHARD_CHUNKS)
    return SHARD_CHUNKS // across * CHUNK, across * CHUNK


def slices(operation, side):
    import numpy

    rng = numpy.random.default_rng(11)
    if operation == "read whole":
        return [(slice(None), slice(None))]
    if operation == "read rows":
        return [(slice(int(row), int(row) + 1), slice(None)) for row in rng.integers(0, side, SLICES)]
    corners = rng.integers(0, side - 100, (SLICES, 2))
    return [(slice(int(y), int(y) + 100), slice(int(x), int(x) + 100)) for y, x in corners]


def tensorstore_spec(path, array=None):
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path / "x")}}
    if array is not None:
        little = {"name": "bytes", "configuration": {"endian": "little"}}
        inner = {"chunk_shape": [CHUNK, CHUNK], "codecs": [little, {"name": "zstd", "configuration": {"level": 0}}],
                 "index_codecs": [little, {"name": "crc32c"}]}
        spec["metadata"] = {"shape": list(array.shape), "data_type": "float32", "fill_value": 0.0,
                            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(shard_shape(array.shape[0]))}},
                            "codecs": [{"name": "sharding_indexed", "configuration": inner}]}
    return spec


def write(name, path, array):
    """A generator that stands before the work, then does it."""
    if name == "vol-zarr":
        import h5py

        yield
        with h5py.File(path, "w") as file:
            file.create_dataset("x", data=array, chunks=(CHUNK, CHUNK))
    elif name == "tensorstore":
        import tensorstore

        yield
        store = tensorstore.open(tensorstore_spec(path, array), create=True).result()
        store[...].write(array).result()
    else:
        zarr = zarr_with(name)
        yield
        group = zarr.open_group(path, mode="w", zarr_format=3)
        made = group.create_array("x", shape=array.shape, chunks=(CHUNK, CHUNK), shards=shard_shape(array.shape[0]), dtype=array.dtype)
        made[...] = array


def read(name, path, operation, side):
    wanted = slices(operation, side)
    if name == "vol-zarr":
        import h5py

        yield
        with h5py.File(path, "r") as file:
            opened = file["x"]
            return [opened[where] for where in wanted]
    elif name == "tensorstore":
        import tensorstore

        yield
        opened = tensorstore.open(tensorstore_spec(path)).result()
        return [opened[where].read().result() for where in wanted]
    else:
        zarr = zarr_with(name)
        yield
        opened = zarr.open_group(path, mode="r")["x"]
        return [opened[where] for where in wanted]


def zarr_with(name):
    import zarr

    if name == "zarrs":
        import zarrs  # noqa: F401

        zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
    return zarr


def child(job):
    import numpy

    array = numpy.load(job["array"])
    path = pathlib.Path(job["path"])
    if job["operation"] == "write":
        wall, cpu, _ = measure(write(job["name"], path, array), None)
    else:
        side = array.shape[0]
        expected = [array[where] for where in slices(job["operation"], side)]
        results = []

        def keep():
            results.extend((yield from read(job["name"], path, job["operation"], side)))

        wall, cpu, _ = measure(keep(), None)
        assert all(numpy.array_equal(a, b) for a, b in zip(results, expected, strict=True)), "what was read is not what was written"
    print(json.dumps([wall, cpu]))


def run(name, operation, path, array_file):
    variables = {key: value for key, value in os.environ.items() if key != "HDF5_VOL_CONNECTOR"}
    if name == "vol-zarr":
        variables.update(HDF5_VOL_CONNECTOR="zarr format=3;shards=16M", HDF5_PLUGIN_PATH=os.environ["VZ_PLUGIN_DIR"])
    job = {"name": name, "operation": operation, "path": str(path), "array": str(array_file)}
    done = subprocess.run([sys.executable, __file__, "--child", json.dumps(job)], env=variables, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{name} {operation} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def report(figures):
    for operation, rows in figures.items():
        median = {name: [statistics.median(column) for column in zip(*runs)] for name, runs in rows.items()}
        ours = median["vol-zarr"]
        print(f"\n{operation:<16} {'wall s':>8} {'cpu s':>8} {'wall / ours':>12} {'cpu / ours':>11}")
        for name, (wall, cpu) in median.items():
            print(f"{name:<16} {wall:8.3f} {cpu:8.3f} {wall / ours[0]:12.2f} {cpu / ours[1]:11.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=256)
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
        array_file, common = scratch / "array.npy", scratch / "common"
        numpy.save(array_file, array)
        print(f"array {array.shape} float32, chunks {CHUNK} x {CHUNK}, shards {shard_shape(array.shape[0])}, {options.runs} runs, medians")
        run("zarr-python", "write", common, array_file)
        figures = {operation: {name: [] for name in CONTENDERS} for operation in OPERATIONS}
        for _ in range(options.runs):
            for operation in OPERATIONS:
                for name in CONTENDERS:
                    path = scratch / "store" if operation == "write" else common
                    figures[operation][name].append(run(name, operation, path, array_file))
                    if operation == "write":
                        remove(path)
        report(figures)


if __name__ == "__main__":
    main()
