"""Where things are, and the interpreters the tests run in.

pytest itself runs with HDF5_PLUGIN_PATH only: what it creates with h5py is native HDF5, and opening a store redirects
to the connector. The fixture `connector` is an interpreter with HDF5_VOL_CONNECTOR=zarr.
"""

import os
import pathlib
import subprocess
import tarfile

import pytest

os.environ.pop("HDF5_VOL_CONNECTOR", None)
PLUGIN_DIR = os.environ.get("VZ_PLUGIN_DIR") or os.environ.get("HDF5_PLUGIN_PATH")
if PLUGIN_DIR:
    os.environ["HDF5_PLUGIN_PATH"] = PLUGIN_DIR

from interpreter import Interpreter  # noqa: E402 (h5py must not be imported before the plugin path is set)

ROOT = pathlib.Path(__file__).parents[2]
SHARED = pathlib.Path(os.environ.get("VZ_SHARED") or ROOT.parent / "shared") / "data"


def pytest_collection_modifyitems(items):
    if PLUGIN_DIR:
        return
    for item in items:
        item.add_marker(pytest.mark.skip(reason="neither VZ_PLUGIN_DIR nor HDF5_PLUGIN_PATH tells where the plugin is"))


def with_connector(value="zarr", **more):
    return {**os.environ, "HDF5_VOL_CONNECTOR": value, **more}


def shared(name):
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} of the shared test data is not here")
    return path


def unpacked(name, where):
    """The directory that an archive of the shared data holds."""
    with tarfile.open(shared(name)) as archive:
        archive.extractall(where, filter="data")
    return where


def tree(path):
    """What lies under a path: {name: bytes or link target}."""
    path = pathlib.Path(path)
    return {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}


@pytest.fixture(scope="session")
def connector():
    interpreter = Interpreter(with_connector())
    yield interpreter
    interpreter.stop()


@pytest.fixture(scope="session")
def real_data():
    path = os.environ.get("VZ_DATA")
    if not path or not os.path.exists(path):
        pytest.skip("VZ_DATA does not name 10x_pbmc68k_reduced.h5ad")
    return path


@pytest.fixture(scope="session")
def tool():
    """Runs h5dump, h5ls, h5diff ... of the HDF5 at VZ_HDF5: tool("h5ls", "-r", path) -> what it printed."""
    prefix = os.environ.get("VZ_HDF5")
    if not prefix or not os.path.exists(f"{prefix}/bin/h5dump"):
        pytest.skip("VZ_HDF5 does not name an HDF5 with its tools")

    def run(name, *arguments, expect=0, **environment):
        result = subprocess.run([f"{prefix}/bin/{name}", *map(str, arguments)], capture_output=True, text=True,
                                errors="replace", timeout=60, env={**os.environ, **environment})
        assert result.returncode == expect, f"{name}: {result.returncode}\n{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
        return result.stdout

    return run
