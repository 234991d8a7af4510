"""What README.md and docs/wheel.md tell users of the wheel, done as they tell it."""

import os
import pathlib
import re
import subprocess
import sys

import numpy
import zarr

ROOT = pathlib.Path(__file__).parents[2]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("HDF5_", "VOL_ZARR", "PYTHON"))}
ENVIRONMENT["PATH"] = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"


def blocks(page, language):
    return [block for of, block in re.findall(r"^```(\w*)\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S) if of == language]


def run(directory, *command):
    done = subprocess.run(command, cwd=directory, env=ENVIRONMENT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_readme(tmp_path):
    lines = next(block for block in blocks("README.md", "python") if "vol_zarr" in block)
    run(tmp_path, sys.executable, "-c", lines)
    assert list(zarr.open_group(tmp_path / "cells.zarr", mode="r")["x"][:]) == [0, 1, 2, 3, 4]
    assert any(block.startswith("make wheel") and "pip install dist/vol_zarr-*$(uname -m).whl" in block for block in blocks("README.md", ""))


def test_reference(tmp_path):
    """Each program of the page of reference prints what stands behind it."""
    for lines in blocks("docs/python-reference.md", "python"):
        assert run(tmp_path, sys.executable, "-c", lines) == re.search(r"print\(.*# (\d+)", lines)[1] + "\n"


def test_wheel(tmp_path):
    """The Python of the page as one program; of the commands those whose programs are here."""
    zarr.open_group(tmp_path / "cells.zarr", mode="w", zarr_format=2).create_array("x", data=numpy.arange(2))
    program = tmp_path / "page.py"
    body = "".join(blocks("docs/wheel.md", "python"))
    program.write_text("def main():\n" + re.sub("^(?=.)", "    ", body, flags=re.M) + "\nif __name__ == '__main__':\n    main()\n")
    assert run(tmp_path, sys.executable, "page.py") == re.search(r"print\(.*# (\d+)", body)[1] + "\n"
    assert zarr.open_group(tmp_path / "newer.zarr", mode="r").metadata.zarr_format == 3

    run(tmp_path, sys.executable, "-c", "import h5py; h5py.File('in.h5', 'w')['x'] = 1")
    (commands,) = blocks("docs/wheel.md", "")
    for command in commands.splitlines():
        if "h5repack" not in command:  # of an HDF5 that is not the wheel's to bring
            run(tmp_path, *command.split())
    assert zarr.open_group(tmp_path / "out.zarr", mode="r")["x"][()] == 1
