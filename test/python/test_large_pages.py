"""Large pages are asked for where a read fills much memory that has no pages yet (src/array/array/large_pages.c)."""

import mmap
import os
import pathlib

import h5py
import numpy as np
import pytest
import zarr

MIB = 1 << 20
SUPPORT = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")

pytestmark = [pytest.mark.skipif(not SUPPORT.exists(), reason="this kernel has no large pages"),
              pytest.mark.skipif(os.environ.get("VZ_PRESET") == "portable", reason="the portable build asks for no large pages")]


def flags_at(address):
    """Flags of the pages at an address, as /proc/self/smaps names them."""
    inside = False
    for line in open("/proc/self/smaps"):
        word = line.split()[0]
        if "-" in word and ":" not in word:
            first, end = (int(part, 16) for part in word.split("-"))
            inside = first <= address < end
        elif inside and word == "VmFlags:":
            return line.split()[1:]
    return []


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "x.zarr"
    group = zarr.open_group(path, mode="w")
    group.create_array("x", data=np.arange(4 * MIB, dtype="f4").reshape(1024, 4096), chunks=(256, 4096))
    return path


@pytest.fixture
def memory():
    """16 MiB and one page more: without pages, and a neighbour of no other memory."""
    return mmap.mmap(-1, 16 * MIB + mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def asked(memory, offset=8 * MIB):
    return "hg" in flags_at(np.frombuffer(memory, "u1").ctypes.data + offset)


def read(store, array, source=np.s_[...], target=np.s_[...]):
    with h5py.File(store, "r") as f:
        f["x"].read_direct(array, source, target)
        expected = f["x"][source]
    assert np.array_equal(array[target], expected)


def test_all_of_an_array(store, memory):
    read(store, np.frombuffer(memory, "f4")[:4 * MIB].reshape(1024, 4096))
    assert asked(memory)


def test_rows_and_converted_numbers(store, memory):
    read(store, np.frombuffer(memory, "f8")[:2 * MIB].reshape(512, 4096), np.s_[128:640])
    assert asked(memory)


def test_memory_that_has_pages_is_left_alone(store, memory):
    array = np.frombuffer(memory, "f4")[:4 * MIB].reshape(1024, 4096)
    array[...] = 1
    read(store, array)
    assert not asked(memory)


@pytest.mark.parametrize("shape, source, target", [
    ((1024, 4096), np.s_[:, ::2], np.s_[:, ::2]),  # the gaps keep what the program has there
    ((1024, 4096), np.s_[:128], np.s_[384:512]),   # 2 MiB
], ids=["with gaps", "little"])
def test_other_memory_is_left_alone(store, memory, shape, source, target):
    read(store, np.frombuffer(memory, "f4")[:4 * MIB].reshape(shape), source, target)
    assert not asked(memory)
