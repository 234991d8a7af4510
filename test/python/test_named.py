"""The way of macOS, on Linux: a plugin without slots, so that HDF5 2.x cannot be put right from outside, and the Python package that names
the connector while HDF5 initialises (python/_vol_zarr_named.py). zarr-python judges."""

import os
import pathlib
import subprocess
import sys

import h5py
import numpy as np
import pytest
import zarr

from places import PLUGIN_DIR

ROOT = pathlib.Path(__file__).parents[2]
SLOTLESS = pathlib.Path(PLUGIN_DIR or ".").parent / "test" / "slotless"
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("HDF5_", "VOL_ZARR", "PYTHON"))}
NAMED = "import _vol_zarr_auto\n_vol_zarr_auto.NAMES_CONNECTOR = True\n"  # as sys.platform == "darwin" has it
READS = "import h5py\nprint(h5py.File('s.zarr')['x'][1:3].tolist())\n"
IS_NEW = h5py.version.hdf5_version_tuple >= (2,)
new = pytest.mark.skipif(not IS_NEW, reason="HDF5 1.14 passes the connector that it found")


@pytest.fixture
def run(tmp_path):
    """Runs lines where the package is installed as a wheel has it, with the plugin that has no slots. The store in it is zarr-python's."""
    site = tmp_path / "site"
    (site / "vol_zarr").mkdir(parents=True)
    for file in (ROOT / "python").glob("*.py"):
        (site / file.name).symlink_to(file)
    for file in (ROOT / "python" / "vol_zarr").glob("*.py"):
        (site / "vol_zarr" / file.name).symlink_to(file)
    (site / "vol_zarr" / "plugin").symlink_to(SLOTLESS)
    zarr.create_array(tmp_path / "s.zarr" / "x", data=np.arange(5), zarr_format=2)
    zarr.open_group(tmp_path / "s.zarr", mode="a", zarr_format=2)

    def run(text, fails=False, **variables):
        # python/*.py are links: their own place would be the checkout's.
        place = f"import sys; sys.path.insert(0, {str(site)!r})\n"
        done = subprocess.run([sys.executable, "-c", place + text], cwd=tmp_path, env={**ENVIRONMENT, **variables}, capture_output=True, text=True, timeout=120)
        assert (done.returncode != 0) == fails and (fails or done.stderr == ""), done.stdout + done.stderr
        return done.stderr if fails else done.stdout.splitlines()

    return run


@new
def test_without_the_name_the_search_is_refused(run):
    """The switch is off indeed: without a name the plugin can only refuse."""
    assert "set HDF5_VOL_CONNECTOR=zarr" in run("import vol_zarr\n" + READS, fails=True)


def test_reads_once_the_connector_is_named(run):
    assert run(NAMED + READS) == ["[1, 2]"]


def test_the_variables_are_gone_again(run):
    """From os.environ, from the C library, and from what another process gets; and they hold what they held."""
    text = NAMED + """
import ctypes, os, subprocess
before = dict(os.environ)
import h5py
get = ctypes.CDLL(None).getenv
get.restype = ctypes.c_char_p
print(before == dict(os.environ), get(b"HDF5_VOL_CONNECTOR"), get(b"HDF5_PLUGIN_PATH"))
print(sum(line.startswith("HDF5_") for line in subprocess.run("env", capture_output=True, text=True).stdout.splitlines()))
"""
    assert run(text) == ["True None None", "0"]
    assert run(text, HDF5_PLUGIN_PATH="/mine") == ["True None b'/mine'", "1"]


def test_directories_of_filters_keep_their_order(run, tmp_path):
    text = NAMED + """
import h5py, vol_zarr
from vol_zarr._hdf5 import library_of
print(*[path.replace(vol_zarr.plugin_path, "ours") for path in library_of("h5py").plugin_paths()])
"""
    assert run(text, HDF5_PLUGIN_PATH="/mine:/yours") == ["/mine /yours ours"]
    assert run(text)[0].endswith(" ours")


def test_files_become_stores_only_where_that_is_enabled(run, tmp_path):
    text = NAMED + """
import h5py, vol_zarr
def write(name):
    with h5py.File(name, "w") as f:
        f["x"] = range(4)
        f["text"] = ["a", "b"]
write("plain.zarr")
with vol_zarr.enable(create="*.zarr"):
    write("made.zarr")
    write("native.h5")
for name in ("plain.zarr", "made.zarr", "native.h5"):
    with h5py.File(name, "r+") as f:
        f["x"][0] = 7
    with h5py.File(name) as f:
        print(f["x"][0], f["text"][1].decode(), f.driver)
"""
    assert run(text) == ["7 b sec2"] * 3
    assert zarr.open_group(tmp_path / "made.zarr", mode="r")["x"][:].tolist() == [7, 1, 2, 3]
    for name in ("plain.zarr", "native.h5"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89HDF\r\n\x1a\n")
        assert h5py.File(tmp_path / name)["x"][0] == 7


def test_a_connector_that_is_named_already_stays(run):
    """By the user: nothing is initialised ahead of h5py."""
    text = NAMED + "import h5py, os\nh5py.File('u.zarr', 'w').close()\nprint(os.path.isdir('u.zarr'))"
    assert run(text, HDF5_VOL_CONNECTOR="zarr create=*.zarr", HDF5_PLUGIN_PATH=str(SLOTLESS)) == ["True"]


@new
def test_a_plugin_that_does_not_load_leaves_h5py_alone(run, tmp_path):
    text = NAMED + """
import warnings, pathlib, _vol_zarr_named
_vol_zarr_named.PLUGIN = "broken"
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    import h5py
print(len([w for w in seen if "vol_zarr does not work" in str(w.message)]), h5py.File("n.h5", "w").mode)
"""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "libH5VLzarr.so").write_bytes(b"nothing that loads")
    assert run(text) == ["1 r+"]


def test_beside_other_hdf5s(run):
    for name in ("tables", "netCDF4"):
        pytest.importorskip(name, reason=f"{name} is not installed here")
    assert run(NAMED + "import netCDF4, tables\n" + READS + "import vol_zarr\nprint(len(vol_zarr.activate()))") == ["[1, 2]", "3"]


def test_on_macos_it_says_once_that_it_is_experimental(run):
    text = """
import ctypes, platform, subprocess, sys, warnings
sys.platform = "darwin"
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    import vol_zarr
    import vol_zarr._doctor
print(*[(w.category.__name__, "never run on a Mac" in str(w.message)) for w in seen])
"""
    assert run(text) == ["('ExperimentalWarning', True)"]
    strict = 'import ctypes, platform, subprocess, sys, warnings\nsys.platform = "darwin"\nwarnings.simplefilter("error")\n'
    assert run(strict + "import _vol_zarr_auto, h5py, vol_zarr\nprint(len(vol_zarr.activate()))") == ["1"]
    assert run("import warnings\nwarnings.simplefilter('error')\nimport vol_zarr\nprint(1)") == ["1"]
