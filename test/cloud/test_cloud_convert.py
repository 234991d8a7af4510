"""h5zarr convert into a bucket and out of it: there nothing gets another name in one step, so a store is made in its place."""

import os
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest
from places import COMMAND

VALUES = np.arange(1200 * 1000, dtype="f8").reshape(1200, 1000)


def convert(*words, expect=0, **environment):
    done = subprocess.run([COMMAND, "convert", *map(str, words)], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
                          env={**os.environ, "VOL_ZARR_HDF5": os.environ["VZ_HDF5"], **environment})
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    path = tmp_path_factory.mktemp("convert") / "in.h5"
    with h5py.File(path, "w") as f:
        f.create_dataset("g/m", data=VALUES, chunks=(100, 100), compression="gzip", shuffle=True)
        f["g"].attrs["of"] = f["g/m"].ref
        f["soft"] = h5py.SoftLink("/g/m")
    return path


def test_there_and_back(place, proxy, native, judge, tmp_path):
    url, other, back = place / "a.zarr", place / "b.zarr", tmp_path / "back.h5"
    convert(native, url, "--verify")
    assert (judge.group(url)["g/m"][:] == VALUES).all() and not [key for key in judge.keys(url) if "partial" in key]
    assert "is there already" in convert(native, url, expect=1)
    convert(url, other, "--format", "3", "--verify")
    convert(native, other, "--compare")
    convert(other, back)
    with h5py.File(back) as f:
        assert (f["soft"][:] == VALUES).all() and f[f["g"].attrs["of"]] == f["g/m"]
    convert(back, url, "--overwrite", "--compress", "zstd")
    assert (judge.group(url)["g/m"][:] == VALUES).all()


def test_refused(place, proxy, native, judge):
    url = place / "a.zarr"
    convert(native, url)
    before = judge.keys(url)
    assert "are the same" in convert(url, url, "--overwrite", expect=1)
    assert "lie in the source" in convert(url, url + "/g/x.zarr", expect=1)
    assert "on this machine only" in convert(native, place / "x.h5", expect=1)
    judge.put(place / "other", "thing.txt", b"mine")
    judge.put(place / "other", ".zgroup", b'{"zarr_format": 2}')
    assert "thing.txt" in convert(native, place / "other", "--overwrite", "--to", "zarr", expect=1)
    assert "no such bucket" in convert(native, "s3://nobody-has-this-one/a.zarr", expect=1)
    assert "403" in convert(url, "out.h5", expect=1, AWS_SECRET_ACCESS_KEY="wrong")
    assert judge.keys(url) == before


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_stopped(place, proxy, native, judge, by):
    """Who is asked to stop leaves nothing. Who is killed leaves a store that opens, and is written over."""
    url = place / "a.zarr"
    proxy.rules({"fault": "hold", "kind": "PUT", "path": "/g/m/7.7$", "times": 1})
    process = subprocess.Popen([COMMAND, "convert", str(native), url], env={**os.environ, "VOL_ZARR_HDF5": os.environ["VZ_HDF5"]},
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    while not proxy.held() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(by)
    process.communicate()
    assert process.returncode != 0
    proxy.clear()
    if by == signal.SIGTERM:
        assert not judge.keys(url)
    else:
        assert list(judge.group(url)) in ([], ["g"])
    convert(native, url, "--overwrite", "--verify")
    assert (judge.group(url)["g/m"][:] == VALUES).all()
