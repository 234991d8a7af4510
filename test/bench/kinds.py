"""tools/bench.sh kinds [--directory DIR] [--rounds N]: one set of arrays as an HDF5 file and as a store of each kind, on a real disk.

Counts and bytes do not depend on the machine. Times are ratios to HDF5's own file, of medians of rounds in which the kinds take turns; each
round is a new process, and what it wrote is synced. What was written is read back and compared. README.md shows the table.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LARGE, CHUNK = (4096, 8192), (512, 512)  # int32: 128 MiB in chunks of 1 MiB
SMALL, VALUES = 500, 1000
# title -> (name, what HDF5_VOL_CONNECTOR is, None: HDF5's own file)
KINDS = {"HDF5 file": ("data.h5", None),
         "directory": ("data.zarr", "zarr create=*.zarr"),
         "directory, shards": ("data.zarr", "zarr create=*.zarr;format=3;shards=16M"),
         "zip file": ("data.zarr.zip", "zarr create=*.zip"),
         "one-file store": ("data.h5", "zarr create=*.h5:file")}
ACTIONS = ("write", "read", "one value", "copy", "delete")


def values(place):
    import numpy

    return numpy.arange(VALUES, dtype="f8") + place


def large():
    import numpy

    return numpy.arange(LARGE[0] * LARGE[1], dtype="i4").reshape(LARGE)


def write(path):
    import h5py

    with h5py.File(path, "w") as f:
        f.create_dataset("large", data=large(), chunks=CHUNK)
        for place in range(SMALL):
            f[f"small/{place // 100}/{place}"] = values(place)
    os.sync()


def read(path):
    import h5py

    with h5py.File(path) as f:
        found = f["large"][:], [f[f"small/{place // 100}/{place}"][:] for place in range(SMALL)]
    return found


def one_value(path):
    import h5py

    with h5py.File(path) as f:
        return int(f["large"][3000, 5000])


def copy(path):
    (shutil.copytree if os.path.isdir(path) else shutil.copyfile)(path, path + ".copy")
    os.sync()


def delete(path):
    (shutil.rmtree if os.path.isdir(path) else os.remove)(path + ".copy")
    os.sync()


def is_right(action, found):
    if action == "read":
        return (found[0] == large()).all() and all((each == values(place)).all() for place, each in enumerate(found[1]))
    return found == 3000 * LARGE[1] + 5000 if action == "one value" else True


def child(path):
    """Every action once: {action: seconds}."""
    import h5py  # noqa: F401  its import is not measured

    taken = {}
    for action in ACTIONS:
        begin = time.perf_counter()
        found = globals()[action.replace(" ", "_")](path)
        taken[action] = time.perf_counter() - begin
        assert is_right(action, found), action
    print(json.dumps(taken))


def room(path):
    """Number of files, and the bytes that the disk gives them."""
    there = [p for p in pathlib.Path(path).rglob("*")] if os.path.isdir(path) else [pathlib.Path(path)]
    files = [p for p in there if p.is_file()]
    return len(files), sum(p.stat().st_blocks * 512 for p in there)


def measure(kind, directory):
    name, connector = KINDS[kind]
    path = os.path.join(directory, name)
    environment = {**os.environ, "HDF5_PLUGIN_PATH": os.environ["VZ_PLUGIN_DIR"], **({"HDF5_VOL_CONNECTOR": connector + ";compress=none"} if connector else {})}
    done = subprocess.run([sys.executable, __file__, "--child", path], env=environment, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout), room(path)
    (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
    return found


def table(taken, rooms):
    lines = ["| | files | MiB on disk | " + " | ".join(ACTIONS) + " |", "|---|" + "---:|" * (2 + len(ACTIONS))]
    for kind, actions in taken.items():
        ratios = [statistics.median(actions[a]) / statistics.median(taken["HDF5 file"][a]) for a in ACTIONS]
        lines.append(f"| {kind} | {rooms[kind][0]:,} | {rooms[kind][1] / 2**20:.1f} | " + " | ".join(f"{ratio:.1f}" for ratio in ratios) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(prog="kinds", description=__doc__)
    parser.add_argument("--directory", default=None, help="where the files lie: on a disk, not in memory")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child)
        return
    taken, rooms = {kind: {action: [] for action in ACTIONS} for kind in KINDS}, {}
    with tempfile.TemporaryDirectory(dir=options.directory, prefix="vol-zarr-kinds-") as directory:
        kind_of_disk = subprocess.run(["stat", "-f", "-c", "%T", directory], capture_output=True, text=True).stdout.strip()
        for _ in range(options.rounds):
            for kind in KINDS:
                figures, rooms[kind] = measure(kind, directory)
                for action, seconds in figures.items():
                    taken[kind][action].append(seconds)
    print("\n".join(table(taken, rooms)))
    first = ", ".join(f"{action} {statistics.median(taken['HDF5 file'][action]) * 1e3:,.0f} ms" for action in ACTIONS)
    print(f"\nHDF5 file: {first}. {kind_of_disk}, {os.cpu_count()} cores, {options.rounds} rounds, load {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    main()
