"""Whole chunks without a codec whose rows are long go to their files from where they lie in the program's array, beside chunks that do not. The judge is
zarr-python."""

import h5py
import numpy as np
import pytest
import zarr

from interpreter import Interpreter
from places import with_connector

SHAPES = {  # and chunks
    "1": ((40_000,), (16_384,)), "2": ((150, 1300), (64, 600)), "2 odd": ((131, 1543), (33, 513)), "2 short rows": ((300, 1000), (150, 300)),
    "3": ((5, 70, 1030), (2, 32, 515)), "4": ((3, 4, 9, 1030), (2, 3, 8, 515)), "many rows": ((1100, 2000), (1030, 1000)),
}


@pytest.fixture(scope="module", params=["format=2", "format=3;threads=1", "container=zip"])
def without_codecs(request):
    interpreter = Interpreter(with_connector("zarr compress=none;" + request.param))
    yield interpreter
    interpreter.stop()


def numbers(shape, seed, dtype="f4"):
    return np.random.default_rng(seed).integers(1, 1 << 20, shape).astype(dtype)


def make(path, shape, chunks):
    """Whole, from C and Fortran order and as other numbers; over what is there; every other column; a block, after parts that the cache keeps."""
    block = tuple(slice(n // 5, n - n // 7) for n in shape)
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=numbers(shape, 1), chunks=chunks)
        f.create_dataset("fortran", data=np.asfortranarray(numbers(shape, 2)), chunks=chunks)
        f.create_dataset("converted", shape, "f4", chunks=chunks)[...] = numbers(shape, 3, "i8")
        f.create_dataset("big", data=numbers(shape, 4, ">f4"), chunks=chunks)
        f.create_dataset("again", data=numbers(shape, 5), chunks=chunks)[...] = numbers(shape, 6)
        f.create_dataset("zeros", data=numbers(shape, 7), chunks=chunks)[...] = np.zeros(shape, "f4")
        part = f.create_dataset("part", data=numbers(shape, 8), chunks=chunks)
    with h5py.File(path, "r+") as f:
        part = f["part"]
        part[tuple(n // 2 for n in shape)] = -1
        part[block] = numbers(part[block].shape, 9)
        every = f["again"]
        every[..., ::2] = numbers(every[..., ::2].shape, 10)


def expected(shape):
    block = tuple(slice(n // 5, n - n // 7) for n in shape)
    part, again = numbers(shape, 8), numbers(shape, 6)
    part[tuple(n // 2 for n in shape)] = -1
    part[block] = numbers(part[block].shape, 9)
    again[..., ::2] = numbers(again[..., ::2].shape, 10)
    return {"x": numbers(shape, 1), "fortran": numbers(shape, 2), "converted": numbers(shape, 3), "big": numbers(shape, 4),
            "again": again, "zeros": np.zeros(shape, "f4"), "part": part}


@pytest.mark.parametrize("case", SHAPES)
def test_read_by_zarr(without_codecs, tmp_path, case):
    shape, chunks = SHAPES[case]
    is_zip = "zip" in without_codecs.environment["HDF5_VOL_CONNECTOR"]
    path = tmp_path / ("a.zarr.zip" if is_zip else "a.zarr")
    without_codecs.run(make, path, shape, chunks)
    store = zarr.storage.ZipStore(path, mode="r") if is_zip else path
    stored = zarr.open_group(store, mode="r")
    for name, data in expected(shape).items():
        assert (stored[name][...] == data).all(), name
    if not is_zip:
        assert not list(path.rglob("*.partial"))


def test_memory(tmp_path):
    """No chunk is gathered in memory: two of 64 MiB, by one thread, take less than half of one."""
    interpreter = Interpreter(with_connector("zarr compress=none;threads=1"))
    try:
        assert interpreter.run(peak_of_writing, tmp_path / "a.zarr") < 32 << 20
    finally:
        interpreter.stop()


def peak_of_writing(path):
    data = np.ones((4096, 8192), "f4")  # its pages are there
    with h5py.File(path, "w") as f:
        f.create_dataset("small", data=data[:64, :1024], chunks=(32, 512))
        x = f.create_dataset("x", data.shape, "f4", chunks=(4096, 4096))
        with open("/proc/self/clear_refs", "w") as refs:
            refs.write("5")  # VmHWM begins anew
        before = memory("VmRSS")
        x[...] = data
        return memory("VmHWM") - before


def memory(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(what)) << 10
