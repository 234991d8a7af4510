"""Where things are, and the interpreters the tests run in.

pytest itself runs with HDF5_PLUGIN_PATH only: what it creates with h5py is native HDF5, and opening a store redirects
to the connector. The fixture `connector` is an interpreter with HDF5_VOL_CONNECTOR=zarr.
"""

import fnmatch
import functools
import os
import pathlib
import subprocess

import pytest

os.environ.pop("HDF5_VOL_CONNECTOR", None)  # before anything imports h5py

import stopping  # noqa: E402
from interpreter import Interpreter  # noqa: E402
from places import COMMAND, PLUGIN_DIR, unpacked, with_connector  # noqa: E402
from skip_list import SkipList  # noqa: E402

if PLUGIN_DIR:
    os.environ["HDF5_PLUGIN_PATH"] = PLUGIN_DIR

# What these look at is the same whatever HDF5 this Python has: the command, HDF5's tools, and what is in a store, or beside it, after
# writers that are stopped, wait for each other, or run out of room. Of AnnData the work with it (test_anndata_work.py) runs with each HDF5;
# the NWB dialect runs with zarr-python 2 and with 3.
ONCE = ("test_anndata_elements.py", "test_anndata_file_objects.py", "test_anndata_files.py", "test_anndata_lazy.py",
        "test_anndata_legacy.py", "test_anndata_objects.py", "test_anndata_v3.py", "test_bench.py", "test_blosc_blocks.py",
        "test_claims.py", "test_codec_vectors.py", "test_command_*.py", "test_consolidated_failures.py", "test_consolidated_lock.py",
        "test_convert*.py", "test_dask.py", "test_docs.py", "test_doctor.py", "test_document_lock.py", "test_filter_orders.py",
        "test_flushed*.py", "test_folded_names.py", "test_icechunk*.py", "test_interop.py", "test_journals.py", "test_killed_creation.py",
        "test_large_counts.py", "test_large_documents.py", "test_large_pages.py", "test_leases.py", "test_left_shapes.py", "test_lindi*.py",
        "test_name_policy.py", "test_named.py", "test_net_module.py", "test_netcdf_convert.py", "test_netcdf_edits.py",
        "test_netcdf_fill.py", "test_netcdf_hostile.py", "test_netcdf_matrix.py", "test_netcdf_operators.py", "test_netcdf_repair.py",
        "test_netcdf_wild.py", "test_netcdf_writing.py", "test_netcdf_zarr_versions.py", "test_network_lookups.py", "test_nwb_dialect.py",
        "test_old_programs.py", "test_one_file_damage.py", "test_one_file_inode.py", "test_parquet_references.py", "test_program_places.py",
        "test_release.py", "test_shard_processes.py", "test_small_documents.py", "test_stage_place.py", "test_swmr.py",
        "test_tools_stores.py", "test_virtual_stores.py", "test_virtual_views.py", "test_worked_out_once.py", "test_writers.py",
        "test_zarr34_*.py", "test_zarr_shards.py", "test_zip_*.py", "test_zoo.py")


def pytest_addoption(parser):
    parser.addoption("--without-once", action="store_true", help="leave out what does the same in every Python: see ONCE in conftest.py")


def pytest_ignore_collect(collection_path, config):
    once = any(fnmatch.fnmatchcase(collection_path.name, pattern) for pattern in ONCE)
    return True if once and config.getoption("--without-once") else None


def pytest_configure(config):
    config.pluginmanager.register(SkipList())


def pytest_collection_modifyitems(items):
    if PLUGIN_DIR:
        return
    for item in items:
        item.add_marker(pytest.mark.skip(reason="neither VZ_PLUGIN_DIR nor HDF5_PLUGIN_PATH tells where the plugin is"))


@pytest.fixture(scope="session")
def connector():
    interpreter = Interpreter(with_connector())
    yield interpreter
    interpreter.stop()


@pytest.fixture(scope="session")
def wild(tmp_path_factory):
    """Where the stores of ../shared/data/wild are."""
    return pathlib.Path(unpacked("wild/stores-2026-11.tar.gz", tmp_path_factory.mktemp("wild")))


@pytest.fixture(scope="session")
def made_here(tmp_path_factory):
    """made_here(name): a store of netcdf_stores.py, and its groups that hold datasets."""
    import netcdf_stores

    @functools.cache
    def made(name):
        store = tmp_path_factory.mktemp("made") / ("s.zip" if name == "in_a_zip" else "s.zarr")
        return store, netcdf_stores.STORES[name](store) or ["/"]

    return made


@pytest.fixture(scope="session")
def reader():
    """An interpreter like pytest's own, for what could crash it."""
    interpreter = Interpreter(dict(os.environ))
    yield interpreter
    interpreter.stop()


@pytest.fixture(scope="module")
def stopped(request, tmp_path_factory):
    """stopped(form): an interpreter whose children can be stopped (stopping.py), for one of the module's FORMS of stores."""
    where = tmp_path_factory.mktemp("stopping")
    running = {}

    def interpreter_of(form):
        if form not in running:
            running[form] = stopping.in_another(where, "zarr threads=1" + request.module.FORMS[form])
        return running[form]

    yield interpreter_of
    for each in running.values():
        each.stop()


@pytest.fixture
def small_disk(request, tmp_path):
    """A file system of the size that the module calls DISK."""
    where = tmp_path / "disk"
    where.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={request.module.DISK}", "tmpfs", where]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield where
    subprocess.run(["umount", "-l", where], check=True)


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


@pytest.fixture(scope="session")
def h5zarr():
    """Runs the command: h5zarr("ls", path) -> the CompletedProcess, after its exit status was the one expected."""

    def run(*arguments, expect=0, binary=False, **environment):
        text = {} if binary else {"text": True, "errors": "surrogateescape"}
        result = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, timeout=120, **text,
                                env={**os.environ, **environment})
        assert result.returncode == expect, f"h5zarr {arguments}: {result.returncode}\n{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
        return result

    return run
