"""h5zarr doctor: which HDF5 libraries are here, what is wrong with the environment, and lines that put it right when they are typed."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import h5py
import pytest

from converting import COMMAND, LIBRARIES, run
from places import PLUGIN_DIR


def doctor(expect=0, library=None, **environment):
    return json.loads(run("doctor", "--json", expect=expect, library=library, **environment)[0])


def advice(told, about, wrong=True):
    return [each for each in told["advice"] if each["about"] == about and each["wrong"] == wrong]


@pytest.mark.parametrize("name", [name for name, library in LIBRARIES.items() if library])
def test_the_plugin_works_in_this_library(name):
    (library,) = doctor(library=LIBRARIES[name])["libraries"]
    assert library["works"] and library["loads"] and library["used"] and library["why"] is None
    if name == "wheel":
        assert library["version"] == ".".join(map(str, h5py.h5.get_libversion()))


def test_wheels_of_the_active_python_are_found(tmp_path):
    """Without a word about libraries: of the python3 that is first on PATH, and of a virtual environment."""
    site = pathlib.Path(h5py.__file__).parents[1]
    if not LIBRARIES["wheel"]:
        pytest.skip("h5py is no wheel here")
    environment = {"VOL_ZARR_HDF5": "", "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}", "LD_LIBRARY_PATH": "", "VIRTUAL_ENV": ""}
    told = doctor(**environment)
    found = {each["file"]: each for each in told["libraries"]}
    assert found[str(LIBRARIES["wheel"].resolve())]["works"]
    assert [each["used"] for each in told["libraries"]].count(True) == 1
    shutil.copytree(site / "h5py.libs", tmp_path / "lib" / "python3.99" / "site-packages" / "h5py.libs")
    environment.update(PATH="/usr/bin:/bin", VIRTUAL_ENV=str(tmp_path))
    assert any(each["file"].startswith(str(tmp_path)) and each["works"] for each in doctor(**environment)["libraries"])


def compiled(where, text):
    where.mkdir()
    (where / "old.c").write_text(text)
    library = where / "libhdf5.so.103"
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, where / "old.c"], check=True)
    return library


def test_libraries_that_cannot_work_are_named(tmp_path):
    old = compiled(tmp_path / "old", 'char H5_lib_vers_info_g[] = "HDF5 library version: 1.10.8";')
    (library,) = doctor(expect=1, library=old)["libraries"]
    assert library["version"] == "1.10.8" and "older than 1.14" in library["why"] and not library["works"]
    crash = compiled(tmp_path / "crash", "__attribute__((constructor)) static void f(void) { __builtin_trap(); }")
    (library,) = doctor(expect=1, library=crash)["libraries"]
    assert "crashed" in library["why"]
    (tmp_path / "none").mkdir()
    assert "there is no HDF5 library" in run("doctor", expect=1, library=tmp_path / "none")[1]
    both = run("doctor", library=old, expect=1)[0]
    assert "needs HDF5 1.14" in both and "fails" in both


def test_variables(tmp_path):
    told = doctor(HDF5_PLUGIN_PATH="")
    (missing,) = advice(told, "HDF5_PLUGIN_PATH")
    assert missing["type"] == f"export HDF5_PLUGIN_PATH={told['plugin']}"
    told = doctor(HDF5_PLUGIN_PATH=str(tmp_path))
    assert advice(told, "HDF5_PLUGIN_PATH")[0]["type"] == f"export HDF5_PLUGIN_PATH={told['plugin']}:$HDF5_PLUGIN_PATH"
    assert not advice(doctor(HDF5_PLUGIN_PATH=f"{tmp_path}:{PLUGIN_DIR}"), "HDF5_PLUGIN_PATH")
    told = doctor(HDF5_PLUGIN_PATH=PLUGIN_DIR, HDF5_VOL_CONNECTOR="zarr formt=2", VOL_ZARR_FROMAT="3", VOL_ZARR_FORMAT="3", HDF5_PLUGIN_PRELOAD="::")
    assert "formt" in advice(told, "HDF5_VOL_CONNECTOR")[0]["text"] and advice(told, "VOL_ZARR_FROMAT")[0]["type"] == "unset VOL_ZARR_FROMAT"
    assert not advice(told, "VOL_ZARR_FORMAT") and advice(told, "HDF5_PLUGIN_PRELOAD")
    assert advice(doctor(VOL_ZARR_FORMAT="9"), "VOL_ZARR_FORMAT") and advice(doctor(HDF5_VOL_CONNECTOR="other"), "HDF5_VOL_CONNECTOR")
    assert "temporary" in advice(doctor(HDF5_VOL_CONNECTOR="zarr"), "HDF5_VOL_CONNECTOR", wrong=False)[0]["text"]
    assert not [a for wrong in (True, False) for a in advice(doctor(HDF5_VOL_CONNECTOR="zarr create=*.zarr"), "HDF5_VOL_CONNECTOR", wrong)]


def test_filters_that_the_variable_hides(tmp_path):
    site = tmp_path / "lib" / "python3.99" / "site-packages"
    shutil.copytree(LIBRARIES["wheel"].parent, site / "netCDF4.libs")
    (site / "netCDF4" / "plugins").mkdir(parents=True)
    (site / "netCDF4" / "plugins" / "libfilter.so").touch()
    environment = {"VOL_ZARR_HDF5": "", "PATH": "/usr/bin:/bin", "VIRTUAL_ENV": str(tmp_path), "LD_LIBRARY_PATH": ""}
    (hidden,) = [a for a in advice(doctor(HDF5_PLUGIN_PATH=PLUGIN_DIR, **environment), "HDF5_PLUGIN_PATH") if "hides" in a["text"]]
    assert str(site / "netCDF4" / "plugins") in hidden["type"]
    assert not advice(doctor(HDF5_PLUGIN_PATH=f"{PLUGIN_DIR}:{site / 'netCDF4' / 'plugins'}", **environment), "HDF5_PLUGIN_PATH")


@pytest.mark.parametrize("has_package", [True, False])
def test_a_plugin_that_the_python_package_names(tmp_path, has_package):
    """As pip installs it: h5py opens stores, so no variable is missed. Without the package, it is."""
    site = tmp_path / "lib" / "python3.99" / "site-packages"
    shutil.copytree(LIBRARIES["wheel"].parent, site / "h5py.libs")
    shutil.copytree(PLUGIN_DIR, site / "vol_zarr" / "plugin")
    if has_package:
        (site / "_vol_zarr_auto.py").touch()
    library = site / "h5py.libs" / LIBRARIES["wheel"].name
    (found,) = json.loads(run("doctor", "--json", "--plugin", site / "vol_zarr" / "plugin", library=library, HDF5_PLUGIN_PATH="")[0])["advice"][:1]
    assert (found["about"] == "HDF5_PLUGIN_PATH") == (not has_package), found


def test_what_is_told_to_type_helps(tmp_path):
    """The lines, typed into a shell that knows nothing, let plain h5py create and read a store."""
    told = doctor(HDF5_PLUGIN_PATH="", HDF5_VOL_CONNECTOR="")
    lines = [each["type"] for each in told["advice"] if each["type"] and "would hide" not in each["text"]]
    assert len(lines) == 2
    program = "import h5py; h5py.File('a.zarr', 'w')['x'] = 5; print(h5py.File('a.zarr')['x'][()])"
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HDF5_")}
    result = subprocess.run(["bash", "-c", "\n".join([*lines, f'"{sys.executable}" -c "{program}"'])], cwd=tmp_path, env=plain, capture_output=True, text=True)
    assert result.stdout == "5\n", result.stderr
    assert (tmp_path / "a.zarr" / ".zgroup").exists()


def test_nothing_stays_in_the_temporary_directory(tmp_path):
    doctor(TMPDIR=str(tmp_path))
    assert not list(tmp_path.iterdir())
    assert COMMAND.exists()


def own_directory(library):
    """Where a library looks for plugins when nobody says anything."""
    code = ("import ctypes, sys; hdf5 = ctypes.CDLL(sys.argv[1]); name = ctypes.create_string_buffer(4096); "
            "hdf5.H5open(); hdf5.H5PLget(0, name, ctypes.c_size_t(4096)); print(name.value.decode())")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("HDF5_")}
    return subprocess.run([sys.executable, "-c", code, library], env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_a_plugin_where_hdf5_looks_by_itself(tmp_path):
    """As packages install it: no variable is missed. The library is one whose own directory was changed, as conda changes prefixes in binaries."""
    original = pathlib.Path(os.environ["VZ_HDF5"], "lib", "libhdf5.so").resolve()
    old = own_directory(original).encode() + b"\0"
    new = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        data = original.read_bytes()
        assert old in data and len(str(new)) < len(old)
        library = tmp_path / "libhdf5.so.310"
        library.write_bytes(data.replace(old, str(new).encode().ljust(len(old), b"\0")))
        (new / "libH5VLzarr.so").symlink_to(f"{PLUGIN_DIR}/libH5VLzarr.so")
        told = json.loads(run("doctor", "--json", "--plugin", new, library=library, HDF5_PLUGIN_PATH="")[0])
        assert told["libraries"][0]["works"] and not advice(told, "HDF5_PLUGIN_PATH")
        elsewhere = json.loads(run("doctor", "--json", "--plugin", PLUGIN_DIR, library=library, HDF5_PLUGIN_PATH="")[0])
        assert advice(elsewhere, "HDF5_PLUGIN_PATH")
    finally:
        shutil.rmtree(new)
