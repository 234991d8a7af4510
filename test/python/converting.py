"""h5zarr convert for the tests: where the command is, and which HDF5 libraries it is tried with."""

import os
import pathlib
import subprocess

import h5py
import pytest

from places import PLUGIN_DIR

BUILD = pathlib.Path(PLUGIN_DIR or ".").parent
COMMAND = BUILD / "bin" / "h5zarr"
ZOO = BUILD / "test" / "zoo"


def wheel():
    """The HDF5 library in h5py's own wheel; None where h5py uses another."""
    found = sorted(pathlib.Path(h5py.__file__).parents[1].glob("h5py.libs/libhdf5-*.so*"))
    return found[0] if found else None


LIBRARIES = {"tools": os.environ.get("VZ_HDF5"), "wheel": wheel()}


def run(*arguments, expect=0, library=None, **environment):
    """h5zarr with these arguments: what it printed on standard output and on standard error."""
    if not COMMAND.exists():
        pytest.skip("the command was not built beside the plugin")
    base = {name: value for name, value in os.environ.items() if not name.startswith("HDF5_")}
    library = library or LIBRARIES["tools"] or LIBRARIES["wheel"]
    if library:
        base["VOL_ZARR_HDF5"] = str(library)
    result = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=120,
                            env={**base, **environment}, stdin=subprocess.DEVNULL)
    assert result.returncode == expect, f"{result.returncode}: {result.stdout[-2000:]}\n{result.stderr[-2000:]}"
    return result.stdout, result.stderr


def convert(*arguments, **more):
    return run("convert", *arguments, **more)


def left_behind(directory, *expected):
    """What is in a directory beside what should be."""
    return sorted(p.name for p in pathlib.Path(directory).iterdir() if p.name not in expected)
