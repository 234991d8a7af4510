"""Consolidated metadata of directories that cannot be written, or that must be written again. The judge: zarr-python."""

import ctypes
import json
import os

import h5py
import pytest
import zarr

from places import by_zarr, files
from zip_files import NoLargeFiles, error_of, library, run, weak

MANY = 60


def consolidate_and_fail(path, limit):
    f = h5py.File(path, "w")
    for i in range(MANY):
        f[f"g/d{i}"] = i
    f.flush()
    failure = NoLargeFiles(path, limit)
    error = error_of(f.close)
    print(json.dumps([error, [name for _, _, names in os.walk(path) for name in names if "partial" in name], copies(path)]))
    failure.end()
    f.close()


@pytest.mark.parametrize("form, options", [("v2", "zarr"), ("v3", "zarr format=3")])
def test_no_room_for_consolidated_metadata(tmp_path, form, options):
    """All other documents are smaller than the copy of all of them."""
    path = tmp_path / f"{form}.zarr"
    error, partial, copied = json.loads(run(consolidate_and_fail, str(path), 6000, connector=options).splitlines()[-1])
    assert error and "File too large" in error and str(path) in error
    assert partial == [] and copied == []
    z = zarr.open_consolidated(path)  # there was room for the second close
    assert len(z["g"]) == MANY and z["g/d7"][()] == 7
    assert not [name for name in files(path) if "partial" in name]


def consolidated_and_changed(path):
    """Closed with a dataset open, which changes more."""
    f = weak(path)
    d = f["g/d3"]
    d.attrs["a"] = 1
    hdf5 = library()
    assert hdf5.H5Fclose(f.id.id) == 0
    print(json.dumps(copies(path)), flush=True)  # the process ends by os._exit
    d.attrs["b"] = 2
    assert hdf5.H5Dflush(ctypes.c_int64(d.id.id)) == 0
    print(json.dumps(copies(path)), flush=True)
    assert hdf5.H5Dclose(d.id.id) == 0
    os._exit(0)


def by_json(path):
    with open(path) as file:
        return json.load(file)


def copies(path):
    """The groups that have consolidated metadata."""
    found = []
    for directory, _, names in os.walk(path):
        group = "zarr.json" in names and by_json(directory + "/zarr.json").get("consolidated_metadata")
        if ".zmetadata" in names or group:
            found.append(os.path.relpath(directory, path))
    return sorted(found)


def make_many(path):
    with h5py.File(path, "w") as f:
        for i in range(MANY):
            f[f"g/d{i}"] = i


@pytest.mark.parametrize("form, options", [("v2", "zarr"), ("v3", "zarr format=3")])
def test_consolidated_after_the_file_was_closed(tmp_path, form, options):
    """The copy comes with the file's close, goes with the next change, and comes again; so does that of a group below."""
    path = tmp_path / f"{form}.zarr"
    run(make_many, str(path), connector=options)
    zarr.consolidate_metadata(path / "g")
    before = copies(path)
    assert before == [".", "g"]
    first, second = map(json.loads, run(consolidated_and_changed, str(path), connector=options).splitlines()[-2:])
    assert first == before and second == []
    assert copies(path) == before
    for z in (zarr.open_consolidated(path)["g"], zarr.open_consolidated(path / "g"), by_zarr(path)["g"]):
        assert (z["d3"].attrs["a"], z["d3"].attrs["b"]) == (1, 2)
