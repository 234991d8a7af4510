"""Servers that fail, as the proxy plays them: nothing is wrong without an error, what may be tried again is, and no error tells a secret."""

import json
import os
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

from interpreter import Failed
from servers import ACCESS, SECRET
from test_cloud_stores import check_copy

VALUES = np.arange(4000.0).reshape(40, 100)
SLOW_DOWN = b'<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Reduce your request rate</Message></Error>'.decode()
EXPIRED = '<?xml version="1.0"?><Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>'


@pytest.fixture(scope="module")
def store(bucket, judge):
    """A store of zarr-python's with consolidated metadata: a plain array of 20 chunks, a sharded one."""
    import zarr

    url = f"s3://{bucket}/faults.zarr"
    group = judge.group(url, mode="w", zarr_format=3)
    group.create_array("m", data=VALUES, chunks=(8, 25), compressors=None, filters=None)
    group.create_array("s", data=VALUES, chunks=(4, 10), shards=(20, 50))
    zarr.consolidate_metadata(group.store)
    return url


def read(url, name="m"):
    with h5py.File(url, "r") as f:
        return f[name][:]


def chunk(**rule):
    return {"path": "/c/|/m/", **rule}


# What comes right when it is asked for again.
PASSING = {
    "500": {"fault": "answer", "status": 500, "every": 3, "times": 10},
    "503": {"fault": "answer", "status": 503, "body": SLOW_DOWN, "headers": {"Retry-After": "0"}, "every": 4, "times": 6},
    "429": {"fault": "answer", "status": 429, "every": 5, "times": 4},
    "reset": {"fault": "reset", "every": 3, "times": 6},
    "lost": {"fault": "lost", "every": 4, "times": 5},
    "truncated": {"fault": "truncate", "bytes": 100, "every": 4, "times": 5},
}


@pytest.mark.parametrize("fault", PASSING)
@pytest.mark.parametrize("name", ["m", "s"])
def test_what_passes_is_not_seen(store, proxy, fault, name):
    proxy.clear()
    proxy.rules({**PASSING[fault], "name": fault})
    np.testing.assert_array_equal(read(store, name), VALUES)
    assert any(entry["rule"] == fault for entry in proxy.log())
    proxy.clear()


# What does not: an error with the name of the store, and no elements.
LASTING = {
    "403": ({"fault": "answer", "status": 403, "body": "<Error><Code>AccessDenied</Code></Error>"}, "AccessDenied|403|refused"),
    "400": ({"fault": "answer", "status": 400, "body": EXPIRED}, "ExpiredToken|expired"),
    "short": ({"fault": "short", "bytes": 100}, "short|bytes|size|length|decode|range in the answer"),
    "long": ({"fault": "long", "bytes": 64}, "bytes|long|size|fit|limit|length|output"),
    "html": ({"fault": "answer", "status": 200, "headers": {"Content-Type": "text/html"}, "body": "<html>login</html>"},
             "HTML|bytes|short|decode"),
    "range": ({"fault": "answer", "status": 416, "body": "<Error><Code>InvalidRange</Code></Error>"}, "416|InvalidRange|range"),
    "redirected": ({"fault": "answer", "status": 301, "headers": {"Location": "http://127.0.0.1:1/elsewhere"}}, "301|redirect"),
}


@pytest.mark.parametrize("name", ["m", "s"])
@pytest.mark.parametrize("fault", LASTING)
def test_what_lasts_is_told(store, proxy, fault, name):
    rule, words = LASTING[fault]
    with h5py.File(store, "r") as f:
        data = f[name]
        proxy.rules({**rule, "path": f"/{name}/"})
        with pytest.raises(OSError, match=words) as failed:
            data[:]
        text = str(failed.value)
        assert "faults.zarr" in text and not tells_secret(text), text
        proxy.rules()
        np.testing.assert_array_equal(data[:], VALUES)


READ_ALL = "import sys, h5py; f = h5py.File(sys.argv[1]); print(f['m'][:].sum(), f['s'][:].sum())"


def test_credentials_that_expire_in_the_middle(store, proxy, tmp_path):
    """They are fetched once more, by one thread, and what was refused is asked for again."""
    keys = json.dumps({"Version": 1, "AccessKeyId": ACCESS, "SecretAccessKey": SECRET})
    script = tmp_path / "keys.sh"
    script.write_text(f"#!/bin/sh\necho once >>{tmp_path}/fetched\necho '{keys}'\n")
    script.chmod(0o700)
    (tmp_path / "config").write_text(f"[default]\ncredential_process={script}\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_ACCESS") and not name.startswith("AWS_SECRET")}
    proxy.clear()
    proxy.rules({"fault": "answer", "status": 400, "body": EXPIRED, "path": "/m/c/|/s/c/", "skip": 5, "times": 3, "name": "expired"})
    done = subprocess.run([sys.executable, "-c", READ_ALL, store], capture_output=True, text=True, timeout=120,
                          env={**environment, "AWS_CONFIG_FILE": str(tmp_path / "config")})
    assert done.returncode == 0 and done.stdout.split() == [str(VALUES.sum())] * 2, done.stderr
    assert sum(entry["rule"] == "expired" for entry in proxy.log()) == 3
    assert 2 <= len((tmp_path / "fetched").read_text().split()) <= 4
    proxy.clear()


def tells_secret(text):
    return SECRET in text or "Signature" in text or "X-Amz" in text or ACCESS in text


@pytest.mark.parametrize("status,words", [(403, "403|AccessDenied"), (400, "400|expired|ExpiredToken")])
def test_opening_tells_why(store, proxy, status, words):
    """With the plugin's path alone, too, where HDF5 itself would say that there is no such file."""
    proxy.rules({"fault": "answer", "status": status, "body": EXPIRED if status == 400 else "<Error><Code>AccessDenied</Code></Error>"})
    with pytest.raises(OSError, match=words) as failed:
        h5py.File(store, "r")
    assert not tells_secret(str(failed.value))


def test_missing_is_not_failed(store, proxy, judge, place):
    """A chunk that is not there has the fill value; one that cannot be had is an error."""
    url = place / "holes.zarr"
    group = judge.group(url, mode="w", zarr_format=2)
    array = group.create_array("m", shape=(10,), chunks=(2,), dtype="i4", fill_value=-1)
    array[2:4] = 5
    np.testing.assert_array_equal(read(url), [-1, -1, 5, 5, -1, -1, -1, -1, -1, -1])
    proxy.rules({"fault": "answer", "status": 403, "path": "/m/3", "body": "<Error><Code>AccessDenied</Code></Error>"})
    with pytest.raises(OSError):
        read(url)


def test_a_server_without_ranges(store, proxy):
    proxy.rules({"fault": "strip", "headers": {"Range": ""}, "name": "no ranges"})
    np.testing.assert_array_equal(read(store, "s"), VALUES)
    with h5py.File(store, "r") as f:
        np.testing.assert_array_equal(f["s"][3:7, 40:60], VALUES[3:7, 40:60])


def test_stalls_end(store, proxy, writers):
    """Who sends nothing more is not waited for, and asked again."""
    proxy.rules({"fault": "stall", "bytes": 10, "ms": 300000, "path": "/m/c/", "times": 2, "name": "stall"})
    began = time.time()
    value = writers("zarr timeout=2").run(read, store)
    np.testing.assert_array_equal(value, VALUES)
    assert time.time() - began < 120


def read_late(url):
    with h5py.File(url, "r") as f:
        before = f["m"][:100]
        return [*before, *f["m"][100:]]


@pytest.mark.parametrize("second", [0, 1])
def test_late_answers_are_asked_for_twice(place, proxy, writers, judge, second):
    """Less late than what is given up: only a second GET asks for that chunk again. It is the last of many, by which the server is known."""
    url = place / "x.zarr"
    judge.group(url, mode="w", zarr_format=2).create_array("m", data=np.arange(101), chunks=(1,))
    proxy.rules({"fault": "late", "ms": 7000, "kind": "GET", "path": "/m/100$", "times": 1, "name": "late"})
    assert writers(f"zarr second_get={second}").run(read_late, url) == list(range(101))

    log = proxy.log()  # waits for the one that is late
    assert any(entry["rule"] == "late" for entry in log)
    assert sum(path.endswith("/m/100") for path in log.paths("GET")) == 1 + second


# ---- writing ----


def write(url):
    with h5py.File(url, "w") as f:
        f.create_dataset("m", data=VALUES, chunks=(8, 25))
        f.create_group("g").attrs["x"] = 1


@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize("fault", ["500", "503", "reset", "lost"])
def test_written_in_spite_of_it(place, judge, proxy, writers, form, fault):
    """Also where the server did what was asked, and only the answer was lost: of conditional writes the value tells."""
    url = place / "x.zarr"
    proxy.rules({**PASSING[fault], "kind": "PUT", "name": fault})
    writers(f"zarr format={form}").run(write, url)
    assert any(entry["rule"] == fault for entry in proxy.log())
    proxy.clear()
    np.testing.assert_array_equal(judge.group(url)["m"][:], VALUES)
    assert judge.group(url)["g"].attrs["x"] == 1
    assert not [key for key in judge.keys(url) if "partial" in key]
    check_copy(judge, url)


def write_and_close(url):
    f = h5py.File(url, "w")
    f.create_dataset("m", data=VALUES, chunks=(8, 25))
    f.close()


def test_what_cannot_be_written_is_told(place, judge, proxy, writers):
    url = place / "x.zarr"
    proxy.rules({"fault": "answer", "status": 403, "kind": "PUT", "path": "/m/", "body": "<Error><Code>AccessDenied</Code></Error>"})
    with pytest.raises(Failed, match="AccessDenied|403|could not be written") as failed:
        writers("zarr").run(write_and_close, url)
    assert not tells_secret(str(failed.value))
    proxy.clear()
    group = judge.group(url)
    assert "m" not in group or (group["m"][:] == VALUES).all()


def test_a_server_that_ignores_conditions(place, proxy, writers, client, bucket):
    """It is found out and said: nothing is written where two writers would lose what the other one wrote."""
    import uuid

    other = f"unconditional-{uuid.uuid4().hex[:8]}"
    client.create_bucket(Bucket=other)
    proxy.rules({"fault": "strip", "headers": {"If-None-Match": "", "If-Match": ""}, "kind": "PUT", "name": "ignored"})
    with pytest.raises(Failed, match="condition"):
        writers("zarr").run(write, f"s3://{other}/x.zarr")


def test_wrong_keys(store, proxy, writers):
    """Secrets stand in no message."""
    code = read_with_wrong_keys
    with pytest.raises(Failed, match="SignatureDoesNotMatch|InvalidAccessKeyId|403") as failed:
        writers("zarr missing=auto").run(code, store)
    assert "not-the-secret" not in str(failed.value).replace('"not-the-secret"', "")


def read_with_wrong_keys(url):
    before = os.environ["AWS_SECRET_ACCESS_KEY"]
    os.environ["AWS_SECRET_ACCESS_KEY"] = "not-the-secret"
    try:
        return read(url)
    finally:
        os.environ["AWS_SECRET_ACCESS_KEY"] = before
