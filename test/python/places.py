"""Where the shared test data and the plugin are; environments for other interpreters."""

import os
import pathlib
import tarfile

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SHARED = pathlib.Path(os.environ.get("VZ_SHARED") or ROOT.parent / "shared") / "data"
PLUGIN_DIR = os.environ.get("VZ_PLUGIN_DIR") or os.environ.get("HDF5_PLUGIN_PATH")

COMMAND = pathlib.Path(PLUGIN_DIR or ROOT / "build").parent / "bin" / "h5zarr"  # beside the plugin in a build


def with_connector(value="zarr", **more):
    return {**os.environ, "HDF5_VOL_CONNECTOR": value, **more}


def shared(name):
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} of the shared test data is not here")
    return path


def unpack(path, where):
    """The directory that a tar archive is unpacked to. Debian 12's Python (3.11.2) has no filters yet."""
    with tarfile.open(path) as archive:
        archive.extractall(where, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return where


def unpacked(name, where):
    """The directory that an archive of the shared data holds."""
    return unpack(shared(name), where)


def by_zarr(path):
    """The group that plain zarr-python sees. It is imported here: interpreters that only write need not load it."""
    import zarr

    return zarr.open_group(path, mode="r")


def files(path):
    """What lies under a path: {name: its bytes}."""
    path = pathlib.Path(path)
    return {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}


def needs_extended_attributes(path):
    """Skips where files cannot be marked (older tmpfs)."""
    try:
        os.setxattr(path, "user.daos", b".daos")
    except OSError:
        pytest.skip("no extended attributes here")
    os.removexattr(path, "user.daos")
