"""Stores on web servers (those of a public bucket, asked without a signature), and TLS."""

import contextlib
import os
import subprocess
import sys

import h5py
import numpy as np
import pytest

VALUES = np.arange(600.0).reshape(20, 30)
READ = "import h5py, sys; f = h5py.File(sys.argv[1], 'r'); print(f['g/m'][:].sum())"


@pytest.fixture(scope="module", params=[2, 3], ids=["v2", "v3"])
def published(request, open_bucket, judge):
    """The path of a store of zarr-python's on the server."""
    import zarr

    name = f"published{request.param}.zarr"
    group = judge.group(f"s3://{open_bucket}/{name}", mode="w", zarr_format=request.param)
    group.create_array("g/m", data=VALUES, chunks=(7, 10))
    zarr.consolidate_metadata(group.store, zarr_format=request.param)
    return f"{open_bucket}/{name}"


def test_http(published, proxy):
    proxy.clear()
    for name in f"{proxy.url}/{published}", f"http:/{proxy.address}/{published}/", f"zarr+{proxy.url}/{published}":
        with h5py.File(name, "r") as f:
            np.testing.assert_array_equal(f["g/m"][3:15, ::2], VALUES[3:15, ::2])
            assert list(f) == ["g"] and list(f["g"]) == ["m"]
    log = proxy.log()
    assert set(log.kinds()) <= {"GET", "RANGE"} and not any(entry["signed"] for entry in log)


@pytest.fixture(scope="module", params=[2, 3], ids=["v2", "v3"])
def unlisted(request, open_bucket, judge):
    """The same without consolidated metadata."""
    name = f"unlisted{request.param}.zarr"
    group = judge.group(f"s3://{open_bucket}/{name}", mode="w", zarr_format=request.param)
    group.create_array("g/m", data=VALUES, chunks=(7, 10))
    group["g"].attrs["x"] = 1
    return f"{open_bucket}/{name}"


@pytest.mark.parametrize("server", ["http", "s3"])
def test_names_without_consolidated_metadata(unlisted, proxy, server):
    """What is asked for by its name opens, and is missing where it is missing; a listing says why there is none."""
    url = f"{proxy.url}/{unlisted}" if server == "http" else f"s3://{unlisted}"
    with anonymous(), h5py.File(url, "r") as f:
        np.testing.assert_array_equal(f["g/m"][3:15, ::2], VALUES[3:15, ::2])
        assert f["g"].attrs["x"] == 1 and "g" in f and "g/m" in f and "nothing" not in f and "g/nothing" not in f
        with pytest.raises(KeyError):
            f["nothing"]
        proxy.clear()
        assert "nothing" not in f and "nothing/below" not in f and not proxy.log()  # is remembered
        for group in f, f["g"]:
            with pytest.raises(Exception, match="cannot list|AccessDenied.*open by their names"):
                list(group)
        with pytest.raises(Exception, match="cannot list|AccessDenied"):
            f.visit(print)


@contextlib.contextmanager
def anonymous():
    os.environ["AWS_NO_SIGN_REQUEST"] = "YES"
    try:
        yield
    finally:
        del os.environ["AWS_NO_SIGN_REQUEST"]


def test_http_is_read_only(published, proxy, connector):
    with pytest.raises(OSError, match="only be read"):
        h5py.File(f"{proxy.url}/{published}", "r+")


def test_nothing_there(open_bucket, proxy):
    with pytest.raises(OSError):
        h5py.File(f"{proxy.url}/{open_bucket}/nothing.zarr", "r")


def run(url, **environment):
    return subprocess.run([sys.executable, "-c", READ, url], capture_output=True, text=True, timeout=100, env={**os.environ, **environment})


def test_https(published, proxy):
    url = f"{proxy.https}/{published}"
    result = run(url, AWS_CA_BUNDLE=str(proxy.certificate))
    assert result.returncode == 0 and float(result.stdout) == VALUES.sum(), result.stderr
    result = run(url)
    assert result.returncode != 0 and "ertificate" in result.stderr, result.stderr


def test_s3_over_tls(published, proxy):
    result = run(f"s3://{published}", AWS_ENDPOINT_URL_S3=proxy.https, AWS_CA_BUNDLE=str(proxy.certificate))
    assert result.returncode == 0 and float(result.stdout) == VALUES.sum(), result.stderr
    result = run(f"s3://{published}", AWS_ENDPOINT_URL_S3=proxy.https)
    assert result.returncode != 0 and "ertificate" in result.stderr, result.stderr
