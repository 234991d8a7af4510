"""python test/bench/virtual_views.py BUILD [--chunks 21000] [--rounds 5] [--peer PYTHON]...: h5zarr virtual of an HDF5 file with so many
chunks, and four and sixteen times as many, beside walking its chunks alone (H5Dchunk_iter) and beside kerchunk, VirtualiZarr and LINDI
where a PYTHON has them. Prints the least wall time, the least CPU time and the peak memory of each process, and how many times as long
as walking it takes. BUILD is a directory of the build, VZ_HDF5 (tools/env.sh) where the HDF5 is that it was built with; each peer runs in a
process of its own.

Goals (issue 35): at most twice the walk, and memory that does not grow with the chunks. The exit status is 1 where one is missed."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

PEERS = {
    "kerchunk": """
import json, sys
from kerchunk.hdf import SingleHdf5ToZarr
with open(sys.argv[1], "rb") as file:
    refs = SingleHdf5ToZarr(file, sys.argv[1], inline_threshold=0).translate()
with open(sys.argv[2], "w") as out:
    json.dump(refs, out)
""",
    "virtualizarr": """
import sys
import obspec_utils.registry, obstore.store, virtualizarr
from virtualizarr.parsers import HDFParser
store = obstore.store.LocalStore()
registry = obspec_utils.registry.ObjectStoreRegistry({"file://": store})
with virtualizarr.open_virtual_dataset("file://" + sys.argv[1], parser=HDFParser(), registry=registry) as view:
    view.vz.to_kerchunk(sys.argv[2], format="json")
""",
    "lindi": """
import sys, lindi
lindi.LindiH5pyFile.from_hdf5_file(sys.argv[1], url=sys.argv[1]).write_lindi_file(sys.argv[2])
""",
}


def make(path, count):
    """Chunks of 8 KB, compressed, in three datasets of one and two dimensions."""
    rng = np.random.default_rng(3)
    some = rng.integers(0, 1000, 1024)
    with h5py.File(path, "w") as f:
        third = count // 3
        for name, shape, chunk in ("a", (third * 1024,), (1024,)), ("b", (third, 1024), (1, 1024)), ("c", (count - 2 * third, 2048), (1, 2048)):
            dataset = f.create_dataset(name, shape=shape, chunks=chunk, dtype="i8", compression="gzip", compression_opts=1)
            block = np.resize(some, (1 << 20) // int(np.prod(shape[1:], dtype=int)) * int(np.prod(shape[1:], dtype=int))).reshape(-1, *shape[1:])
            for at in range(0, shape[0], len(block)):
                dataset[at:at + len(block)] = block[:shape[0] - at]


def run(command, environment):
    """Seconds, seconds of CPU and peak KiB of a process with its children."""
    began = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command[:3]}: {(errors or output).strip().splitlines()[-1:]}")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def best(commands, rounds, environment):
    """{name: (wall, CPU, peak)}, in turns, the least of each."""
    found = {}
    for _ in range(rounds):
        for name, command in commands.items():
            pathlib.Path(command[-1]).unlink() if name != "walk" and pathlib.Path(command[-1]).exists() else None
            try:
                got = run(command, environment)
            except RuntimeError as why:
                print(f"{name}: {why}", file=sys.stderr)
                continue
            found[name] = tuple(map(min, found.get(name, got), got))
    return found


def peers_of(pythons, source, out):
    """A peer is taken from the first PYTHON that has it."""
    found = {}
    for name, program in PEERS.items():
        for python in pythons:
            if name not in found and subprocess.run([python, "-c", f"import {name}"], capture_output=True).returncode == 0:
                found[name] = [python, "-W", "ignore", "-c", program, str(source), str(out / f"{name}.json")]
    return found


def count_references(path):
    refs = json.loads(path.read_text())["refs"]
    return sum(isinstance(value, list) for value in refs.values())


def show(count, name, got, walk):
    wall, cpu, peak = got
    print(f"{count:8}  {name:16}{wall:8.3f}{cpu:8.3f}{cpu / walk:7.1f}{peak / 1024:9.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--chunks", type=int, default=21000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer", action="append", default=[], metavar="PYTHON")
    options = parser.parse_args()
    hdf5 = pathlib.Path(os.environ["VZ_HDF5"]) / "lib/libhdf5.so"
    environment = {**os.environ, "HDF5_PLUGIN_PATH": str(options.build / "plugin")}
    print(f"{'chunks':>8}  {'':16}{'wall s':>8}{'CPU s':>8}{'times':>7}{'peak MiB':>9}")
    ratios, peaks = [], []
    with tempfile.TemporaryDirectory() as where:
        out = pathlib.Path(where)
        for count in options.chunks, 4 * options.chunks, 16 * options.chunks:
            source = out / f"{count}.h5"
            make(source, count)
            commands = {"walk": [options.build / "test/bench/bench_chunk_iter", source],
                        "h5zarr virtual": [options.build / "bin/h5zarr", "virtual", "--quiet", "--hdf5", hdf5, source, out / "view.json"]}
            found = best(commands, options.rounds, environment)
            if count == options.chunks:
                found |= best(peers_of(options.peer, source, out), 1, environment)
            assert count_references(out / "view.json") == count
            for name, got in found.items():
                show(count, name, got, found["walk"][1])
            ratios.append(found["h5zarr virtual"][1] / found["walk"][1])
            peaks.append(found["h5zarr virtual"][2] / 1024)
            source.unlink()
    missed = [f"{ratio:.1f} times the walk" for ratio in ratios if ratio > 2] + [f"{peaks[-1]:.1f} MiB after {peaks[0]:.1f}"] * (peaks[-1] > peaks[0] + 4)
    print("goals missed: " + "; ".join(missed) if missed else "goals met: at most twice the walk, and memory that does not grow")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
