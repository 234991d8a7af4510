"""A process that puts consolidated metadata of format 2 has the lock of the file that it replaces. Another process that deletes that file, and
puts a newer one, waits for it: else the older one would take the newer one's place."""

import fcntl
import os
import shutil
import subprocess
import sys

import h5py
import pytest
import zarr

from places import with_connector

ADD = "import h5py, sys\nwith h5py.File(sys.argv[1], 'r+') as f: f.create_group('new').attrs['a'] = 1"


@pytest.mark.parametrize("how", ["add", "delete"])
def test_who_deletes_it_waits_for_who_replaces_it(connector, tmp_path, how):
    path, other = tmp_path / "s", tmp_path / "other"
    connector.run(make, str(path))
    copy = path / ".zmetadata"
    shutil.copy(copy, other)  # what the first process has read meanwhile
    program = ADD if how == "add" else ADD.replace("f.create_group('new').attrs['a'] = 1", "del f['old']")
    with open(copy, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        second = subprocess.Popen([sys.executable, "-c", program, str(path)], env=with_connector())
        try:
            second.wait(timeout=3)  # it ends only if it does not wait
        except subprocess.TimeoutExpired:
            pass
        os.replace(other, copy)
    assert second.wait(timeout=100) == 0
    expected = ["new", "old"] if how == "add" else []
    assert sorted(zarr.open_consolidated(path, zarr_format=2)) == sorted(zarr.open_group(path, mode="r", use_consolidated=False)) == expected


def make(path):
    with h5py.File(path, "w") as f:
        f.create_group("old")
