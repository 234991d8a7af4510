"""What README.md and docs/wheel.md tell users of the wheel, done as they tell it."""

import os
import pathlib
import re
import subprocess
import sys

import zarr

from surroundings import ENVIRONMENT as SURROUNDINGS

ROOT = pathlib.Path(__file__).parents[2]
ENVIRONMENT = {**SURROUNDINGS, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}


def blocks(page, language):
    return [block for of, block in re.findall(r"^```(\w*)\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S) if of == language]


def run(directory, *command):
    done = subprocess.run(command, cwd=directory, env=ENVIRONMENT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shown(page):
    """(a program in Python, what the block of text behind it says that it prints) of a page."""
    found = re.findall(r"^```python\n(.*?)^```\n(?:```text\n(.*?)^```$)?", (ROOT / page).read_text(), re.M | re.S)
    assert found
    return found


def test_readme(tmp_path):
    for program, printed in shown("README.md"):
        assert run(tmp_path, sys.executable, "-c", program) == printed
    assert list(zarr.open_group(tmp_path / "cells.zarr", mode="r")["counts"][1]) == [3, 4, 5]
    assert "make wheel\npip install --no-index --find-links dist vol-zarr\n" in blocks("README.md", "sh")


def test_reference(tmp_path):
    """Each program of the page of reference prints what stands behind it."""
    for lines in blocks("docs/python-reference.md", "python"):
        assert run(tmp_path, sys.executable, "-c", lines) == re.search(r"print\(.*# (\d+)", lines)[1] + "\n"


def test_wheel(tmp_path):
    """The programs of the page, each as a file; of the commands those whose programs are here."""
    program = tmp_path / "program.py"
    for text, printed in shown("docs/wheel.md"):
        program.write_text(text)
        assert run(tmp_path, sys.executable, "program.py") == printed
    assert zarr.open_group(tmp_path / "newer.zarr", mode="r").metadata.zarr_format == 3

    commands = [line for block in blocks("docs/wheel.md", "sh") for line in block.splitlines()]
    assert len(commands) == 3
    for command in commands:
        if "h5repack" not in command:  # of an HDF5 that is not the wheel's to bring
            run(tmp_path, *command.split())
    assert (tmp_path / "cells.h5").is_file()
