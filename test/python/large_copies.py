"""large_copies.py [COUNT] [TARGET]: h5zarr cp and sync of a store of a million small keys (or COUNT): directory to directory, killed on the way and
run again, to a one-file store, to a zip file, and to TARGET where it is given (s3://bucket/x.zarr). With the time and the memory of each; keys and
bytes are compared by plain Python. It takes some minutes and 12 GB of disk for a million. VZ_H5ZARR: the command; TMPDIR: where."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

COMMAND = os.environ.get("VZ_H5ZARR", "h5zarr")
MEMORY_MAX = 1024  # MiB
GROUP = b'{"zarr_format": 2}'
MEASURED = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
print(json.dumps([done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, done.stdout, done.stderr]))
"""


def key_of(i, count):
    """Half of them in one directory, half in directories of 1,000."""
    return f"flat/{i}" if i < count // 2 else f"deep/{i // 1000}/{i % 1000}"


def value_of(i):
    return b"%020d" % i


def document(count, **more):
    return json.dumps({"zarr_format": 2, "dtype": "|S20", "fill_value": "", "filters": None, "compressor": None, "order": "C",
                       "shape": [count], "chunks": [1], **more}).encode()


def make(root, count):
    for name, value in {".zgroup": GROUP, "flat/.zarray": document(count),
                        "deep/.zarray": document(count, shape=[count // 1000 + 1, 1000], chunks=[1, 1], dimension_separator="/")}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value)
    for i in range(count):
        path = root / key_of(i, count)
        if i >= count // 2 and (i % 1000 == 0 or i == count // 2):
            path.parent.mkdir(exist_ok=True)
        path.write_bytes(value_of(i))


def told(words, status, seconds, memory, out):
    print(f"h5zarr {' '.join(map(str, words))}: exit status {status}, {seconds:.1f} s, {memory} MiB: {out.strip().splitlines()[-1:]}", flush=True)


def run(*words):
    began = time.monotonic()
    done = json.loads(subprocess.run([sys.executable, "-S", "-c", MEASURED, COMMAND, *map(str, words)], capture_output=True, text=True, check=True).stdout)
    told(words, done[0], time.monotonic() - began, done[1], done[2])
    assert done[0] == 0 and done[1] < MEMORY_MAX, done
    return json.loads(done[2])


def count_files(root):
    return sum(len(names) for _, _, names in os.walk(root))


def killed(target, count, *words):
    """At about half of the way."""
    process = subprocess.Popen([COMMAND, *map(str, words)], stdout=subprocess.DEVNULL)
    while process.poll() is None and (not target.exists() or count_files(target) < count // 2):
        time.sleep(1)
    process.kill()
    print(f"h5zarr {' '.join(map(str, words))}: killed with {count_files(target)} files there: {process.wait()}", flush=True)


def check_directory(root, count):
    assert count_files(root) == count + 3
    assert all((root / key_of(i, count)).read_bytes() == value_of(i) for i in range(count))


def check_zip(path, count):
    with zipfile.ZipFile(path) as archive:
        names = {name for name in archive.namelist() if not name.startswith(("__", ".vol_zarr"))}
        assert len(names) == count + 3, len(names)
        assert all(archive.read(key_of(i, count)) == value_of(i) for i in range(0, count, 7))


def main(count, target=None):
    with tempfile.TemporaryDirectory() as folder:
        source, copy = pathlib.Path(folder, "source.zarr"), pathlib.Path(folder, "copy.zarr")
        make(source, count)
        killed(copy, count, "cp", source, copy)
        assert run("cp", source, copy, "--json")["resumed"]
        check_directory(copy, count)
        assert run("sync", source, copy, "--json")["done"] == "equal"
        for i in range(0, count, max(count // 100, 1)):
            (source / key_of(i, count)).write_bytes(b"x" * 20)
        run("sync", source, copy, "--json")
        for i in range(0, count, max(count // 100, 1)):
            assert (copy / key_of(i, count)).read_bytes() == b"x" * 20
            (source / key_of(i, count)).write_bytes(value_of(i))
        run("sync", source, copy, "--json", "--checksum")
        check_directory(copy, count)
        subprocess.run(["rm", "-rf", copy], check=True)
        for name, *options in ("copy.h5z", "--container=file"), ("copy.zip",):
            run("cp", source, pathlib.Path(folder, name), "--json", *options)
            check_zip(pathlib.Path(folder, name), count)
            assert run("sync", source, pathlib.Path(folder, name), "--json")["done"] == "equal"
        if target:
            run("cp", source, target, "--json")
            assert run("sync", source, target, "--json")["done"] == "equal"
            run("cp", target, copy, "--json")
            check_directory(copy, count)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000, *sys.argv[2:])
