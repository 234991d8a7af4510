"""What `cmake --install` leaves: found by CMake and pkg-config wherever it was moved to, and enough for a program of somebody else's
(examples/own_program), which needs no variable then. zarr-python reads what that program wrote."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "own_program"
PRESET = os.environ.get("VZ_PRESET", "release")

if PRESET in ("sanitize", "tsan"):
    pytest.skip("a program that is not sanitized cannot load a sanitized module", allow_module_level=True)


def run(*command, **variables):
    environment = {k: v for k, v in {**os.environ, **variables}.items() if not k.startswith("HDF5_") and k != "LD_PRELOAD"}
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """Installed to one place and moved to another."""
    where = tmp_path_factory.mktemp("installed")
    run("cmake", "--install", ROOT / "build" / PRESET, "--prefix", where / "first")
    (where / "first").rename(where / "moved here")
    (where / "moved").symlink_to(where / "moved here")  # pkg-config's flags are words
    return where / "moved"


def check(program, store, hdf5):
    assert run(program, store, LD_LIBRARY_PATH=f"{hdf5}/lib") == "the sum is 66\n"
    zarr = pytest.importorskip("zarr")
    assert zarr.open_group(store, mode="r")["counts"][:].tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]


@pytest.fixture(scope="module")
def hdf5():
    found = os.environ.get("VZ_HDF5")
    if not found or not shutil.which("cmake"):
        pytest.skip("VZ_HDF5 does not name an HDF5, or there is no CMake")
    return found


def test_files(prefix):
    left = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}
    library = next(p for p in left if p.endswith("pkgconfig/vol_zarr.pc")).removesuffix("/pkgconfig/vol_zarr.pc")
    remote = "lib/hdf5/plugin-zarr/vol_zarr_net.so"  # where libcurl's development files are
    assert left | {remote} == {
        remote, "bin/h5zarr", "include/H5VLzarr.h", "lib/hdf5/plugin-zarr/libH5VLzarr.so", "share/man/man1/h5zarr.1",
        "share/bash-completion/completions/h5zarr", "share/fish/vendor_completions.d/h5zarr.fish", "share/zsh/site-functions/_h5zarr",
        f"{library}/pkgconfig/vol_zarr.pc",
        *(f"{library}/cmake/vol_zarr/vol_zarr-{name}.cmake" for name in ("config", "config-version", "targets"))}


def test_command_finds_the_module(prefix, hdf5):
    told = run(prefix / "bin" / "h5zarr", "doctor", "--hdf5", f"{hdf5}/lib/libhdf5.so")
    assert f"plugin  {(prefix / 'lib/hdf5/plugin-zarr').resolve()}\n" in told


def test_cmake(prefix, hdf5, tmp_path):
    run("cmake", "-S", EXAMPLE, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DHDF5_ROOT={hdf5}")
    run("cmake", "--build", tmp_path / "build")
    check(tmp_path / "build" / "own_program", tmp_path / "out.zarr", hdf5)


def test_pkg_config(prefix, hdf5, tmp_path):
    if not shutil.which("pkg-config"):
        pytest.skip("no pkg-config")
    file = next(prefix.rglob("vol_zarr.pc"))
    shown = {"PKG_CONFIG_PATH": str(prefix / file.parent.relative_to(prefix))}
    flags = run("pkg-config", "--cflags", "vol_zarr", **shown).split()
    plugin = run("pkg-config", "--variable=vol_zarr_PLUGIN_DIR", "vol_zarr", **shown).strip()
    assert pathlib.Path(plugin, "libH5VLzarr.so").exists()
    run("cc", EXAMPLE / "own_program.c", *flags, f'-DPLUGIN_DIR="{plugin}"', f"-I{hdf5}/include", f"-L{hdf5}/lib", "-lhdf5", "-o", tmp_path / "own_program")
    check(tmp_path / "own_program", tmp_path / "out.zarr", hdf5)


def test_packages_name_every_library():
    """What tools/setup.sh installs to build with, Debian's packaging and the conda recipe name, too."""
    names = {"libbz2-dev": "bzip2", "liblz4-dev": "lz4-c", "liblzma-dev": "liblzma-devel", "libssl-dev": "openssl", "zlib1g-dev": "zlib",
             "libcurl4-openssl-dev": "libcurl", "libexpat1-dev": "libexpat", "libdeflate-dev": "libdeflate"}
    for_tests = {"libc6-dev", "dpkg-dev", "libcmocka-dev", "libsnappy-dev", "libzfp-dev"}  # snappy: static blosc wants it
    needed = set(re.findall(r"^(\w\S*-dev) ", (ROOT / "tools" / "lib" / "packages.sh").read_text(), re.M)) - for_tests
    control, recipe = (ROOT / "debian" / "control").read_text(), (ROOT / "recipe" / "recipe.yaml").read_text()
    assert needed and all(f"{name}," in control or f"{name}\n" in control for name in needed)
    host = re.search(r"  host:\n((?:    - .*\n)+)", recipe)[1]
    assert all(f"- {names.get(name, name.removeprefix('lib').removesuffix('-dev'))}\n" in host for name in needed)
