"""Shards between processes: a reader while a writer replaces them, and writers of different chunks of one shard. What a
writer replaces is made here byte by byte; what our writers leave is read by zarr-python."""

import itertools
import json
import os
import struct
import subprocess
import sys
import time
import zlib

import h5py
import numpy as np
import pytest
from numcodecs import CRC32C

from places import by_zarr

CHUNKS, LENGTH, VERSIONS = 8, 64, 7
ROUNDS, SECONDS_MAX = 1500, 60
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}
CRC = {"name": "crc32c"}

CODECS = {"plain": ([BYTES], []), "gzip": ([BYTES, GZIP], []), "whole": ([BYTES], [CRC]), "index first": ([BYTES], [])}


def gzipped(data):
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def shard(version, form):
    """Chunk i holds version * 100 + i throughout. Each version has its chunks in another order, and other gaps."""
    index, body = [None] * CHUNKS, b""
    start = CHUNKS * 16 + 4 if form == "index first" else 0
    for turn in range(CHUNKS):
        i = (turn * 3 + version) % CHUNKS
        chunk = np.full(LENGTH, version * 100 + i, "<i8").tobytes()
        chunk = gzipped(chunk) if form == "gzip" else chunk
        body += b"\xee" * (8 * (version % 3))
        index[i] = (start + len(body), len(chunk))
        body += chunk
    table = bytes(CRC32C(location="end").encode(b"".join(struct.pack("<QQ", *entry) for entry in index)))
    value = table + body if form == "index first" else body + table
    return bytes(CRC32C(location="end").encode(value)) if form == "whole" else value


def make_array(path, form):
    within, behind = CODECS[form]
    sharding = {"name": "sharding_indexed", "configuration": {
        "chunk_shape": [LENGTH], "codecs": within, "index_codecs": [BYTES, CRC],
        "index_location": "start" if form == "index first" else "end"}}
    os.makedirs(f"{path}/x/c")
    with open(f"{path}/zarr.json", "w") as file:
        json.dump({"zarr_format": 3, "node_type": "group", "attributes": {}}, file)
    with open(f"{path}/x/zarr.json", "w") as file:
        json.dump({
            "zarr_format": 3, "node_type": "array", "shape": [CHUNKS * LENGTH], "data_type": "int64", "fill_value": -1,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [CHUNKS * LENGTH]}},
            "chunk_key_encoding": {"name": "default"}, "codecs": [sharding, *behind], "attributes": {}}, file)


REPLACE = """
import os, sys
path, parent = sys.argv[1], os.getppid()
values = [open(f"{path}/{name}", "rb").read() for name in sorted(os.listdir(path)) if name.startswith("v")]
target = sys.argv[2]
turn = 0
print("ready", flush=True)
while os.getppid() == parent:
    turn += 1
    with open(target + ".new", "wb") as file:
        file.write(values[turn % len(values)])
    os.rename(target + ".new", target)
"""


def put_versions(tmp_path, path, form):
    os.makedirs(tmp_path / "versions")
    for version in range(VERSIONS):
        (tmp_path / "versions" / f"v{version}").write_bytes(shard(version, form))
    with open(f"{path}/x/c/0", "wb") as file:
        file.write(shard(0, form))


def versions_in(values):
    """The versions that chunks of an array show; a chunk that is none of them fails."""
    found = set()
    for i, chunk in enumerate(values.reshape(CHUNKS, LENGTH)):
        assert (chunk == chunk[0]).all() and chunk[0] % 100 == i and 0 <= chunk[0] // 100 < VERSIONS, (i, chunk)
        found.add(int(chunk[0]) // 100)
    return found


@pytest.mark.parametrize("form", CODECS)
def test_reading_while_a_writer_replaces_a_shard(tmp_path, form):
    path = str(tmp_path / "a.zarr")
    make_array(path, form)
    put_versions(tmp_path, path, form)
    assert versions_in(by_zarr(path)["x"][...]) == {0}  # what is made above is what zarr-python takes for a shard
    writer = subprocess.Popen([sys.executable, "-c", REPLACE, str(tmp_path / "versions"), f"{path}/x/c/0"],
                              stdout=subprocess.PIPE)
    seen, random = set(), np.random.default_rng(1)
    try:
        assert writer.stdout.readline() == b"ready\n"
        with h5py.File(path, "r") as f:
            held = f["x"]
            end = time.monotonic() + SECONDS_MAX  # where the writer gets no processor
            for turn in itertools.count():
                if turn >= ROUNDS and (len(seen) > 1 or time.monotonic() > end):
                    break
                i = int(random.integers(CHUNKS))
                if turn % 3 == 0:  # parts of a chunk are kept: a refresh before it and one after
                    held.id.refresh()
                    low, high = sorted(int(n) for n in random.integers(LENGTH + 1, size=2))
                    part = held[i * LENGTH + low:i * LENGTH + high]
                    assert not len(part) or ((part == part[0]).all() and part[0] % 100 == i), (turn, i, part)
                    held.id.refresh()
                elif turn % 3 == 1:  # what is remembered of the index is from an earlier turn
                    part = held[i * LENGTH:(i + 1) * LENGTH]
                    assert (part == part[0]).all() and part[0] % 100 == i, (turn, i, part)
                else:
                    whole = versions_in(held[()])
                    assert len(whole) == 1, f"one read of one shard shows the versions {whole}"
                    seen |= whole
    finally:
        writer.kill()
        writer.wait()
    assert len(seen) > 1  # they were read while they changed


WRITE_CHUNKS = """
import sys, h5py, numpy as np
which, rounds = int(sys.argv[1]), int(sys.argv[2])
for path in sys.argv[3:]:
    f = h5py.File(path, "r+")
    print("ready", flush=True)
    sys.stdin.readline()
    for turn in range(rounds):
        for i in range(which, {chunks}, 2):
            f["x"][i * {length}:(i + 1) * {length}] = 1000 * turn + i
            f.flush()
    f.close()
""".format(chunks=CHUNKS, length=LENGTH)


@pytest.mark.parametrize("form", CODECS)
@pytest.mark.parametrize("there", [True, False], ids=["over a shard", "a new shard"])
def test_writers_of_different_chunks_of_a_shard(tmp_path, form, there):
    rounds = 20 if there else 1
    paths = [str(tmp_path / f"w{attempt}.zarr") for attempt in range(2 if there else 12)]
    for path in paths:
        make_array(path, form)
        if there:
            with open(f"{path}/x/c/0", "wb") as file:
                file.write(shard(0, form))
    writers = [subprocess.Popen([sys.executable, "-c", WRITE_CHUNKS, str(which), str(rounds), *paths], stdout=subprocess.PIPE,
                                stdin=subprocess.PIPE) for which in (0, 1)]
    for _ in paths:
        for writer in writers:
            assert writer.stdout.readline() == b"ready\n"
        for writer in writers:
            writer.stdin.write(b"go\n")
            writer.stdin.flush()
    for writer in writers:
        assert writer.wait(120) == 0
    for path in paths:
        values = by_zarr(path)["x"][...].reshape(CHUNKS, LENGTH)
        expected = 1000 * (rounds - 1) + np.arange(CHUNKS)
        assert (values == expected[:, None]).all(), values[:, 0]
        assert os.listdir(f"{path}/x/c") == ["0"]


HOLD = """
import fcntl, sys, time
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(float(sys.argv[2]))
print(time.monotonic(), flush=True)
"""


def write_one_chunk(path):
    with h5py.File(path, "r+") as f:
        f["x"][:LENGTH] = 5


def test_a_writer_waits_for_the_one_that_has_the_shard(tmp_path, connector):
    path = str(tmp_path / "l.zarr")
    make_array(path, "plain")
    with open(f"{path}/x/c/0", "wb") as file:
        file.write(shard(0, "plain"))
    holder = subprocess.Popen([sys.executable, "-c", HOLD, f"{path}/x/c/0", "1.5"], stdout=subprocess.PIPE)
    assert holder.stdout.readline() == b"held\n"
    connector.run(write_one_chunk, path)
    ended = time.monotonic()
    assert ended > float(holder.stdout.readline())  # when it let go: that clock is the same for all processes
    holder.wait()
    assert by_zarr(path)["x"][...].reshape(CHUNKS, LENGTH)[:, 0].tolist() == [5, 1, 2, 3, 4, 5, 6, 7]
