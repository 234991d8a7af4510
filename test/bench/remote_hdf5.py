"""python test/bench/remote_hdf5.py [--ms 20] [--rounds 3] [--rows PATTERN...] [--markdown]: native HDF5 files on a web server of this machine
whose answers take so long, by this connector and by others: h5py over a file object of fsspec, over remfile, and HDF5's own ROS3 where they
are installed. Prints the best time of each, requests, round trips and bytes, and how many times as long as the connector the others take.
Rows that begin with "decode" read 64 MB of compressed chunks; "one core" is the connector with threads=1. HDF5_PLUGIN_PATH leads to the
plugin. --markdown prints the tables of docs/remote-hdf5.md."""

import argparse
import fnmatch
import os
import pathlib
import sys
import tempfile
import time

try:
    import hdf5plugin  # filters; before h5py
except ImportError:
    hdf5plugin = None
import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))
from file_server import FileServer  # noqa: E402

RNG = np.random.default_rng(1)


def make_session(path):
    with h5py.File(path, "w") as f:
        for i in range(72):
            each = f.create_dataset(f"group{i % 6}/series{i}", data=RNG.normal(size=3000))
            each.attrs["unit"], each.attrs["description"] = "V", "a text of some length " * 5


def make_chunks(path):
    data = RNG.integers(0, 1 << 40, (2000, 1000))
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=data, chunks=(100, 50), compression="gzip", compression_opts=1, shuffle=True)
        f["y"] = data


def make_scattered(path):
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    dcpl.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    with h5py.File(path, "w") as f:
        for i in range(160):
            group = f.create_group(f"g{i}")
            h5py.h5d.create(group.id, b"hole", h5py.h5t.STD_U8LE, h5py.h5s.create_simple((8 << 20,)), dcpl)
            group.attrs["number"] = i


def make_compressed(path):
    """Waves with noise: what measurements look like, and what compresses to about half."""
    data = (np.sin(np.arange(1 << 24) / 500) * 1000 + RNG.normal(size=1 << 24) * 5).astype("f4").round(1).reshape(4096, 4096)
    with h5py.File(path, "w") as f:
        for name, more in filters().items():
            f.create_dataset(name, data=data, chunks=(256, 256), **more)


def filters():
    found = {"gzip": {"compression": "gzip", "compression_opts": 4}, "gzip and shuffle": {"compression": "gzip", "compression_opts": 4, "shuffle": True}}
    if hdf5plugin:
        found |= {"Zstandard": hdf5plugin.Zstd(clevel=3), "Blosc": hdf5plugin.Blosc(cname="zstd", clevel=5, shuffle=1), "bzip2": hdf5plugin.BZip2()}
    return found


def walk(f):
    f.visititems(lambda name, each: dict(each.attrs))


ROWS = [("open and walk 72 objects", "session.h5", walk),
        ("400 chunks", "chunks.h5", lambda f: f["x"][:]),
        ("56 chunks", "chunks.h5", lambda f: f["x"][150:420, 33:700]),
        ("16 MB contiguous", "chunks.h5", lambda f: f["y"][:]),
        ("walk 320 objects of 1.3 GB", "scattered.h5", walk)]
ROWS += [(f"decode {name}", "compressed.h5", lambda f, name=name: f[name][:]) for name in filters()]


def by_connector(url):
    os.environ["VOL_ZARR_THREADS"] = "0"  # the last one that was said counts for the process
    return h5py.File(url, "r")


def by_one_core(url):
    os.environ["VOL_ZARR_THREADS"] = "1"
    return h5py.File(url, "r")


def by_fsspec(url):
    import fsspec

    return h5py.File(fsspec.filesystem("http", skip_instance_cache=True).open(url), "r")


def by_remfile(url):
    import remfile

    return h5py.File(remfile.File(url), "r")


def by_ros3(url):
    return h5py.File(url, "r", driver="ros3")


def peers():
    found = {"connector": by_connector, "one core": by_one_core}
    for name, how in ("fsspec", by_fsspec), ("remfile", by_remfile):
        try:
            __import__(name)
            found[name] = how
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
    if "ros3" in h5py.registered_drivers():
        found["ROS3"] = by_ros3
    else:
        print("this HDF5 has no ROS3", file=sys.stderr)
    return found


def measure(server, how, name, work, options):
    best = None
    for _ in range(options.rounds):
        server.clear(ms=options.ms, heads=True)
        began = time.perf_counter()
        with how(f"{server.url}/{name}") as f:
            work(f)
        took = time.perf_counter() - began
        now = (took, len(server.log), server.rounds(), server.bytes)
        best = min(best, now) if best else now
    return best


def figures(server, options):
    """(title, {peer: (seconds, requests, trips, bytes)}) of each row."""
    known = peers()
    for title, name, work in ROWS:
        if not any(fnmatch.fnmatch(title, pattern) for pattern in options.rows):
            continue
        found = {}
        for peer, how in known.items():
            if peer != "one core" or title.startswith("decode"):
                found[peer] = measure(server, how, name, work, options)
        yield title, found


def show(title, found):
    own = found["connector"][0]
    for peer, (took, requests, trips, size) in found.items():
        print(f"{title:28}{peer:12}{took:9.3f}{took / own:7.1f}{requests:10}{trips:7}{size / 1e6:9.1f}", flush=True)


def show_markdown(rows):
    """Two tables: whole sessions with their round trips, and decoding in MB of elements a second."""
    sessions = [row for row in rows if not row[0].startswith("decode")]
    decoding = [row for row in rows if row[0].startswith("decode")]
    for some, cell in (sessions, lambda got: f"{got[0]:.3f} s, {got[2]}"), (decoding, lambda got: f"{(64 << 20) / 1e6 / got[0]:.0f}"):
        if some:
            names = list(some[0][1])
            print("\n| | " + " | ".join(names) + " |\n|" + "---|" * (len(names) + 1))
            for title, found in some:
                print(f"| {title.removeprefix('decode ')} | " + " | ".join(cell(found[name]) for name in names) + " |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ms", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", nargs="+", default=["*"], metavar="PATTERN")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as where:
        root = pathlib.Path(where)
        for make, name in (make_session, "session.h5"), (make_chunks, "chunks.h5"), (make_scattered, "scattered.h5"), (make_compressed, "compressed.h5"):
            make(root / name)
        server = FileServer(root)
        print(f"{'':28}{'':12}{'seconds':>9}{'times':>7}{'requests':>10}{'trips':>7}{'MB':>9}")
        rows = []
        for title, found in figures(server, options):
            show(title, found)
            rows.append((title, found))
        if options.markdown:
            show_markdown(rows)
        server.stop()


if __name__ == "__main__":
    main()
