"""What it costs to find a store: the calls that ask the system about paths (path_calls.c remembers them), with the
plugin's path alone, where HDF5 asks up to twice whether we can open the name before we are to open it."""

import ctypes
import os
import pathlib
import shutil
import subprocess
import time

import h5py
import pytest

import interpreter
from places import with_connector

HERE = pathlib.Path(__file__).parent
STORES = {"v2.zarr": "zarr", "v3.zarr": "zarr format=3", "v2.zarr.zip": "zarr"}
COPIES = 3
MOST = 8  # before the root's documents are read
TO_WRITE = {"v2.zarr": 18, "v3.zarr": 15, "v2.zarr.zip": 10}  # all; six of a directory look for what killed writers left
# The system does not tell the portable build the path of an open file. It resolves the name instead (docs/limits.md).
RESOLVED = 12 if os.environ.get("VZ_PRESET") == "portable" else 0
DOCUMENTS = ("zarr.json", ".zarray", ".zgroup", ".zattrs")
SETTLED = 0.2  # seconds after which a directory cannot have changed without its times telling


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Where stores are that nobody has changed for a while, and an interpreter for readers in which calls are remembered."""
    where = tmp_path_factory.mktemp("path_calls")
    if not shutil.which(os.environ.get("CC", "cc")):
        pytest.skip("no C compiler here")
    library = str(where / "path_calls.so")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", library, str(HERE / "path_calls.c"), "-ldl"], check=True)
    for name, connector in STORES.items():
        writer = interpreter.Interpreter(with_connector(connector))
        for copy in range(COPIES):
            (where / str(copy)).mkdir(exist_ok=True)
            writer.run(make, str(where / str(copy) / name))
        writer.stop()
    time.sleep(SETTLED)
    environment = {name: value for name, value in os.environ.items() if name != "HDF5_VOL_CONNECTOR"}
    loaded = " ".join(filter(None, [os.environ.get("LD_PRELOAD"), library]))
    reader = interpreter.Interpreter({**environment, "LD_PRELOAD": loaded})
    yield where, reader
    reader.stop()


def make(path):
    with h5py.File(path, "w") as f:
        f["x"] = [1, 2, 3]
        f.attrs["a"] = 1


def open_counted(path, mode):
    """[[call, path]] of one open, until the store is there."""
    library = ctypes.CDLL(None)
    library.path_calls_stop.restype = ctypes.c_char_p
    library.path_calls_start()
    f = h5py.File(path, mode)
    text = library.path_calls_stop().decode()
    assert list(f["x"][...]) == [1, 2, 3] and f.attrs["a"] == 1
    f.close()
    calls = [line.split(" ", 1) for line in text.splitlines()]
    return [call for call in calls if "libH5VLzarr" not in call[1]]  # the plugin's own file, when it is loaded


def others(calls):
    """Those that resolve no name, of which there are few."""
    resolving = [call for call in calls if call[0] in ("realpath", "getcwd")]
    assert len(resolving) <= RESOLVED, calls
    return [call for call in calls if call not in resolving]


def is_read(call):
    return call[0] in ("open", "openat") and call[1].rsplit("/", 1)[-1] in DOCUMENTS


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", STORES)
def test_a_store_is_found_once(places, name, first):
    """In a new process, which has yet to find the connector, and in one that has it."""
    where, reader = places
    fewest = None
    for copy in range(COPIES):  # one in a thousand directories has a time that looks as if it were rounded
        if first:
            reader.stop()
        calls = reader.run(open_counted, str(where / str(copy) / name), "r")
        if fewest is None or len(calls) < len(fewest):
            fewest = calls
    fewest = others(fewest)
    read = [call[1].rsplit("/", 1)[-1] for call in fewest if is_read(call)]
    before = fewest[:[is_read(call) for call in fewest].index(True)] if read else fewest
    assert len(before) <= MOST, fewest
    assert len(fewest) <= MOST + 2, fewest
    assert sorted(read) == sorted(set(read)), fewest  # each document once


@pytest.mark.parametrize("name", STORES)
def test_a_store_is_opened_for_writing(places, name):
    where, reader = places
    calls = min((reader.run(open_counted, str(where / str(copy) / name), "r+") for copy in range(COPIES)), key=len)
    calls = others(calls)
    assert len(calls) <= TO_WRITE[name], calls
    read = [call[1].rsplit("/", 1)[-1] for call in calls if is_read(call)]
    assert sorted(read) == sorted(set(read)), calls


def replace_root(path):
    """Another store takes the place, in the same directory."""
    shutil.rmtree(os.path.join(path, "x"))
    for document in (".zgroup", ".zattrs", ".zmetadata"):
        os.unlink(os.path.join(path, document))
    pathlib.Path(path, "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {"other": 2}}')


def look_replace_and_open(path):
    was = h5py.is_hdf5(path)
    with h5py.File(path, "r") as f:
        seen = dict(f.attrs)
    replace_root(path)
    with h5py.File(path, "r") as f:
        return was, seen, dict(f.attrs), list(f)


def test_what_was_found_before_is_not_believed_for_longer_than_it_holds(places, tmp_path):
    where, reader = places
    path = tmp_path / "v2.zarr"
    shutil.copytree(where / "0" / "v2.zarr", path)
    time.sleep(SETTLED)
    was, seen, now, names = reader.run(look_replace_and_open, str(path))
    assert (seen, now, names) == ({"a": 1}, {"other": 2}, [])


def test_a_store_that_is_open_already_is_only_looked_up(places):
    where, reader = places
    path = str(where / "0" / "v2.zarr")
    calls = others(reader.run(open_while_open, path))
    assert not any(is_read(call) for call in calls), calls
    assert len(calls) <= MOST, calls


def open_while_open(path):
    with h5py.File(path, "r"):
        return open_counted(path, "r")
