"""pytest plugin: h5py's own tests, with the exceptions of exceptions.txt held to.

A listed test must fail (or the run fails: its line is out of date), any other must pass, and a line must name a test that
h5py has. Loaded with `-p suite_plugin` by tools/h5py-test.sh.
"""

import os
import pathlib

import h5py
import h5py.tests
import pytest

LIST = pathlib.Path(__file__).with_name("exceptions.txt")
TESTS = pathlib.Path(h5py.tests.__file__).parent
VERSION = tuple(h5py.version.version_tuple[:2])


def with_connector():
    return bool(os.environ.get("HDF5_VOL_CONNECTOR"))


def is_of(versions):
    """all, 3.15+ or 3.15-"""
    if versions == "all":
        return True
    named = tuple(map(int, versions[:-1].split(".")))
    return VERSION >= named if versions.endswith("+") else VERSION <= named


def applies(versions, who):
    return is_of(versions) and {"zarr": with_connector(), "any": True, "root": os.geteuid() == 0}[who]


def exceptions():
    """{test: reason} of the lines that count for this h5py, this user and this side."""
    found = {}
    for number, text in enumerate(LIST.read_text().splitlines(), 1):
        if not text.strip() or text.startswith("#"):
            continue
        words = text.split(None, 3)
        if len(words) < 4:
            raise pytest.UsageError(f"{LIST}:{number}: want H5PY WHO TEST REASON")
        versions, who, test, reason = words
        if applies(versions, who):
            if test in found:
                raise pytest.UsageError(f"{LIST}:{number}: {test} is there twice")
            found[test] = reason
    return found


def name_of(item):
    return f"{item.path.relative_to(TESTS)}::{item.nodeid.split('::', 1)[1]}"


def needs_mpi(item):
    return "mpi_file_name" in getattr(item, "fixturenames", ())  # a fixture that installed copies of the tests lack


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    config.hook.pytest_deselected(items=[item for item in items if needs_mpi(item)])
    items[:] = [item for item in items if not needs_mpi(item)]
    listed = exceptions()
    for item in items:
        reason = listed.pop(name_of(item), None)
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
    if listed:
        raise pytest.UsageError(f"{LIST.name} names tests that h5py {h5py.__version__} does not have: {', '.join(listed)}")


def pytest_report_header():
    side = os.environ.get("HDF5_VOL_CONNECTOR") or "native HDF5"
    return f"h5py {h5py.__version__}, HDF5 {h5py.version.hdf5_version}, {side}"
