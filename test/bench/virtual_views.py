"""python test/bench/virtual_views.py BUILD [--chunks 21000] [--rounds 5] [--peer PYTHON]...: h5zarr virtual of an HDF5 file with so many
chunks (a multiple of 3), and four and sixteen times as many, beside walking its chunks alone (H5Dchunk_iter, in C and by h5py, as the
peers do) and beside kerchunk, VirtualiZarr and LINDI where a PYTHON has them. Prints the least wall time, the least CPU time and the peak
memory of each process, and how many times the CPU time of the walk by h5py it takes. BUILD is a directory of the build, VZ_HDF5 (tools/env.sh) where the HDF5 is that it was built with; each peer runs in a
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

WALK = """
import sys, h5py
count = 0
def note(chunk):
    global count
    count += 1
with h5py.File(sys.argv[1]) as f:
    f.visititems(lambda name, each: each.id.chunk_iter(note))
"""

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
    """Chunks of 8 KB, compressed, in three datasets of one shape, which is all that VirtualiZarr takes of a file without dimensions."""
    block = np.resize(np.random.default_rng(3).integers(0, 1000, 1024), (1024, 1024))
    with h5py.File(path, "w") as f:
        for name in "abc":
            dataset = f.create_dataset(name, shape=(count // 3, 1024), chunks=(1, 1024), dtype="i8", compression="gzip", compression_opts=1)
            for at in range(0, count // 3, len(block)):
                dataset[at:at + len(block)] = block[:count // 3 - at]


def run(command, environment, programs):
    """Seconds, seconds of CPU and peak KiB of a process with its children."""
    with tempfile.NamedTemporaryFile("r") as out:
        done = subprocess.run([programs / "bench_resources", out.name, *command], env=environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
        return tuple(map(float, out.read().split()))


def best(commands, rounds, environment, programs):
    """{name: (wall, CPU, peak)}, in turns, the least of each."""
    found = {}
    for _ in range(rounds):
        for name, command in commands.items():
            if not name.startswith("walk"):
                pathlib.Path(command[-1]).unlink(missing_ok=True)
            try:
                got = run(command, environment, programs)
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
                found[name] = [python, "-W", "ignore", "-c", program, str(source), str(out / f"{name}.{name}.json")]
    return found


def count_references(path):
    refs = json.loads(path.read_text())["refs"]
    return sum(isinstance(value, list) for value in refs.values())


def show(count, name, got, walk):
    wall, cpu, peak = got
    print(f"{count:8}  {name:16}{wall:8.3f}{cpu:8.3f}{cpu / walk:7.1f}{peak / 1024:9.1f}", flush=True)


def measure(count, out, options, environment):
    """{name: (wall, CPU, peak)} for a file of so many chunks."""
    programs, source, view = options.build / "test/bench", out / f"{count}.h5", out / "view.json"
    make(source, count)
    commands = {"walk in C": [programs / "bench_chunk_iter", source], "walk by h5py": [sys.executable, "-c", WALK, source],
                "h5zarr virtual": [options.build / "bin/h5zarr", "virtual", "--quiet", "--hdf5", f"{os.environ['VZ_HDF5']}/lib/libhdf5.so", source, view]}
    found = best(commands, options.rounds, environment, programs)
    if count == options.chunks:
        found |= best(peers_of(options.peer, source, out), 1, environment, programs)
    assert count_references(view) == count
    source.unlink()
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--chunks", type=int, default=21000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer", action="append", default=[], metavar="PYTHON")
    options = parser.parse_args()
    environment = {**os.environ, "HDF5_PLUGIN_PATH": str(options.build / "plugin")}
    print(f"{'chunks':>8}  {'':16}{'wall s':>8}{'CPU s':>8}{'times':>7}{'peak MiB':>9}")
    slow, peaks = [], []
    with tempfile.TemporaryDirectory() as where:
        for count in options.chunks, 4 * options.chunks, 16 * options.chunks:
            found = measure(count, pathlib.Path(where), options, environment)
            walk = found["walk by h5py"][1]
            for name, got in found.items():
                show(count, name, got, walk)
            slow += [f"{found['h5zarr virtual'][1] / walk:.1f} times the walk"] * (found["h5zarr virtual"][1] > 2 * walk)
            peaks.append(found["h5zarr virtual"][2] / 1024)
    missed = slow + [f"{peaks[-1]:.1f} MiB after {peaks[0]:.1f}"] * (peaks[-1] > peaks[0] + 4)
    print("goals missed: " + "; ".join(missed) if missed else "goals met: at most twice the walk, and memory that does not grow")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
