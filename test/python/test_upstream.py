"""docs/upstream.md: the programs of test/upstream show the faults that the page names, in the versions that it names."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys

import h5py
import pytest

from places import ROOT

PROGRAMS = ROOT / "test" / "upstream"
PAGE = (ROOT / "docs" / "upstream.md").read_text()
ROWS = {name: (seen.strip(), absent.strip()) for name, seen, absent in re.findall(r"^\| \[.*?\| `(\w+)\.py` \|([^|]*)\|([^|]*)\|$", PAGE, re.M)}
MODULES = {"netcdf": "netCDF4", "zarr": "zarr", "xarray": "xarray", "zarrs": "zarrs"}


def here(name):
    """What a program is about, with its version here: "HDF5 2.0.0"; None where it is not installed."""
    kind = name.split("_")[0]
    if kind in ("hdf5", "h5py"):
        return {"hdf5": f"HDF5 {h5py.version.hdf5_version}", "h5py": f"h5py {h5py.version.version}"}[kind]
    try:
        title = {"zarr": "zarr-python"}.get(kind, MODULES[kind])
        return f"{title} {importlib.metadata.version(MODULES[kind])}"
    except importlib.metadata.PackageNotFoundError:
        return None


def is_named(what, text):
    """Is "HDF5 2.0.0" among "HDF5 1.14.6, 2.0.0"? What the page names shortly (1.14) holds for all of that line."""
    title, version = what.rsplit(" ", 1)
    versions = text.removeprefix(title).replace(",", " ").split()
    return any(version == named or version.startswith(named + ".") for named in versions)


@pytest.fixture(scope="session")
def toy(tmp_path_factory):
    """A directory with a connector that has nothing of this one's."""
    compiler, prefix = shutil.which("cc"), os.environ.get("VZ_HDF5")
    if not compiler or not prefix:
        pytest.skip("no C compiler here")
    where = tmp_path_factory.mktemp("toy")
    subprocess.run([compiler, "-shared", "-fPIC", PROGRAMS / "toy_connector.c", f"-I{prefix}/include", "-o", where / "libtoy.so"], check=True)
    return where


def is_fault(program, where, plugins):
    # Without the sanitizers that a test run may bring: they end a process in another way.
    environment = {**os.environ, "HDF5_PLUGIN_PATH": str(plugins), "PYTHONPATH": str(PROGRAMS), "LD_PRELOAD": ""}
    done = subprocess.run([sys.executable, program], cwd=where, env=environment, capture_output=True, text=True, timeout=60)
    if done.returncode < 0:
        return True
    last = done.stdout.splitlines()[-1] if done.stdout else ""
    assert done.returncode == 0 and last in ("fault", "as it should be"), done.stdout + done.stderr
    return last == "fault"


def programs():
    return sorted(path for path in PROGRAMS.glob("*.py") if path.stem != "told")


@pytest.mark.parametrize("program", [p for p in programs() if here(p.stem)], ids=lambda p: p.stem)
def test_fault(request, program, tmp_path):
    plugins = request.getfixturevalue("toy") if program.read_text().startswith('"""toy') else tmp_path
    seen, absent = ROWS[program.stem]
    what = here(program.stem)
    if not is_named(what, seen) and not is_named(what, absent):
        pytest.skip("another version than the page names")
    assert is_fault(program, tmp_path, plugins) == is_named(what, seen), what


def test_every_program_is_in_the_page():
    assert {p.stem for p in programs()} == set(ROWS)
    headings = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", PAGE, re.M)}
    assert set(re.findall(r"\]\(#([^)]*)\)", PAGE)) <= headings
