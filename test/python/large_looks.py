"""large_looks.py [COUNT]: h5zarr show and report of a store of a million groups (or COUNT) in a zip file, with the time and the memory that each takes.
It takes some minutes, most of them for making the zip file. VZ_H5ZARR: the command; VOL_ZARR_HDF5: the HDF5 library."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

COMMAND = os.environ.get("VZ_H5ZARR", "h5zarr")
GROUP = b'{"zarr_format": 2}'
MEASURED = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
print(json.dumps([done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, done.stdout, done.stderr]))
"""


def make(path, names):
    with zipfile.ZipFile(path, "w") as z:
        for name in names:
            z.writestr(zipfile.ZipInfo(name + ".zgroup"), GROUP)


def look(*words):
    began = time.monotonic()
    done = json.loads(subprocess.run([sys.executable, "-c", MEASURED, COMMAND, *map(str, words)], capture_output=True, text=True, check=True).stdout)
    status, memory, out, errors = done
    print(f"h5zarr {' '.join(map(str, words))}: exit status {status}, {time.monotonic() - began:.1f} s, {memory} MiB, {len(out)} bytes printed")
    assert status == 0 and time.monotonic() - began < 120 and memory < 3072 and len(out) < 50 << 20, errors
    return out


def main(count):
    with tempfile.TemporaryDirectory() as folder:
        many = pathlib.Path(folder, "many.zip")
        make(many, ["", "many/", *(f"many/n{i:07}/" for i in range(count))])
        assert f"... {count - 100:,} more" in look("show", many / "many")
        model = json.loads(look("report", "--json", many))
        assert len(model["nodes"]) == 502 and f"{count - 500} objects at least" in model["notes"][0]


main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
