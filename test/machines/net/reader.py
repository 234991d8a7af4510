"""Reads stores with h5py, as lines of its input say, and tells what it read: one process for each kind of server, which net.py starts."""

import os
import pickle
import resource
import struct
import sys

import h5py

MEMORY = 6 << 30  # of addresses: an answer without end must not take the machine's memory


def value_of(f, step):
    what, name, *where = step
    if what == "list":
        return sorted(f[name])
    if what == "in":
        return f.id.links.exists(name.encode())  # "in" of h5py takes an error for "no"
    if what == "attributes":
        return {key: value.tolist() if hasattr(value, "tolist") else value for key, value in f[name].attrs.items()}
    return f[name][where[0]]


def work(url, steps):
    """Of each step ("value", it) or ("error", text)."""
    results = []
    try:
        f = h5py.File(url, "r")
    except Exception as failed:
        return [("error", "open: " + str(failed))] * len(steps)
    for step in steps:
        try:
            results.append(("value", value_of(f, step)))
        except Exception as failed:
            results.append(("error", str(failed)))
    try:
        f.close()
    except Exception as failed:
        results.append(("error", "close: " + str(failed)))
    return results[:len(steps)]


def main():
    if "ASAN_OPTIONS" not in os.environ:  # the sanitizers reserve more than that
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while size := source.read(8):
        url, steps = pickle.loads(source.read(struct.unpack("<Q", size)[0]))
        answer = pickle.dumps((work(url, steps), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
        target.write(struct.pack("<Q", len(answer)) + answer)
        target.flush()


main()
