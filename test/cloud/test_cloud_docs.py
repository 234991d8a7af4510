"""docs/s3.md and docs/minio.md, done as they tell it."""

import os
import pathlib
import re
import socket
import subprocess
import sys

import anndata
import numpy as np

DOCS = pathlib.Path(__file__).parents[2] / "docs"
WAIT = "until python -c 'import urllib.request as u; u.urlopen(\"http://127.0.0.1:9000/minio/health/ready\")' 2>/dev/null; do kill -0 $! || exit 1; sleep 0.1; done\n"


def blocks(page, language):
    return [block for of, block in re.findall(r"^```(\w*)\n(.*?)^```$", (DOCS / page).read_text(), re.M | re.S) if of == language]


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return str(listening.getsockname()[1])


CELLS = np.arange(600, dtype="f4").reshape(200, 3)


def write_cells(url):
    anndata.AnnData(CELLS).write_h5ad(url)


def test_s3(place, writers, judge, minio, tmp_path):
    """The page's names are those of a bucket that is there only for the test."""
    writers("zarr create=*.zarr").run(write_cells, place / "cells.zarr")
    (lines,) = blocks("s3.md", "python")
    bucket = str(place / "cells.zarr").removesuffix("/cells.zarr")
    assert lines.count("s3://bucket") == 3
    environment = {**os.environ, "HDF5_VOL_CONNECTOR": "zarr create=*.zarr"}
    text = lines.replace("s3://bucket", bucket) + "print(rows.shape, cells.shape)"
    done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout == "(100, 3) (200, 3)\n", done.stderr
    np.testing.assert_array_equal(judge.group(place / "new.zarr")["X"][...], CELLS)


def test_minio(tmp_path):
    """From the server to the values. What is typed begins with "$ ", and the last line is what is printed."""
    block = next(block for block in blocks("minio.md", "") if "minio server" in block)
    typed, _, printed = block.rstrip().rpartition("\n")
    script = re.sub(r"^\$ ", "", typed, flags=re.M) + "\nkill $! && wait\n"
    head, server, tail = re.split(r"(^minio server.*&\n)", script, flags=re.M)
    script = (head + server + WAIT + tail).replace("9000", free_port()).replace("/tmp/drive", str(tmp_path / "drive"))
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "HDF5_VOL"))}
    path = f"{pathlib.Path(sys.executable).parent}:{pathlib.Path(os.environ['VZ_MINIO']).parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", script], env={**outside, "PATH": path}, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[-1:] == [printed], done.stdout + done.stderr
