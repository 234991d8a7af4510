"""What the pages about NWB show is what happens."""

import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("pynwb")
pytest.importorskip("hdmf_zarr")

from test_docs import ROOT, blocks, session, sessions_of


def test_start_page(tmp_path, tool):
    assert sessions_of("start-neuroscience", tmp_path) == 3


def test_nwb_page(tmp_path, tool):
    path = [pathlib.Path(sys.executable).parent, pathlib.Path(os.environ["VZ_HDF5"]) / "bin", os.environ["PATH"]]
    environment = {**os.environ, "PATH": ":".join(map(str, path)), "PYTHONWARNINGS": "ignore"}
    steps = [step for block in blocks(ROOT / "docs" / "nwb.md") if block.startswith("$ ") for step in session(block)]
    assert len(steps) > 8
    for command, expected in steps:
        result = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, command + result.stderr
        assert result.stdout.rstrip() == expected.rstrip(), command
    assert (tmp_path / "back.nwb").is_file() and (tmp_path / "packed.nwb.zarr").is_dir()
