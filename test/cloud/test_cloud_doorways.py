"""Doorways that lead to buckets: what a file from anybody may make the connector ask for, and with whose credentials."""

import json
import os

import h5py
import numpy
import pytest
from interpreter import Interpreter
from places import with_connector

MAGIC = b"\x89HDF\r\n\x1a\n\xff vol-zarr doorway: this names a Zarr store, which HDF5 programs read with the plugin vol-zarr\n"


def door(path, store, options=None):
    said = {"store": store, **({"options": options} if options else {})}
    path.write_bytes(MAGIC + json.dumps(said).encode() + b"\n")
    return str(path)


def make(name):
    with h5py.File(name, "w") as file:
        file["x"] = numpy.arange(10)


def read(name):
    with h5py.File(name) as file:
        return file["x"][:].tolist()


@pytest.fixture
def store(place, connector, client):
    connector.run(make, place / "x.zarr")
    return place / "x.zarr"


@pytest.fixture
def bold(proxy):
    interpreter = Interpreter({**with_connector("zarr"), "VOL_ZARR_DOORWAYS": "anywhere"}, f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})")
    yield interpreter
    interpreter.stop()


def share(client, bucket):
    rule = {"Effect": "Allow", "Principal": {"AWS": ["*"]}, "Action": ["s3:GetObject"], "Resource": [f"arn:aws:s3:::{bucket}/*"]}
    client.put_bucket_policy(Bucket=bucket, Policy=json.dumps({"Version": "2012-10-17", "Statement": [rule]}))


def test_own_credentials_only_where_wanted(tmp_path, store, bold, client, bucket, proxy):
    """A file leads to a server of this machine where the option says so, with credentials; without it nobody is asked."""
    path = door(tmp_path / "d.h5", store)
    share(client, bucket)
    try:
        proxy.clear()
        with pytest.raises(OSError, match="doorways=anywhere"):
            read(path)
        assert not proxy.log()
    finally:
        client.delete_bucket_policy(Bucket=bucket)
    assert bold.run(read, path) == list(range(10))


def test_other_endpoint_gets_nothing(tmp_path, store, bold, minio, client, bucket, proxy):
    """An endpoint that the file names is asked anonymously, whatever the option says."""
    path = door(tmp_path / "d.h5", store, f"endpoint={minio.url}")
    with pytest.raises(Exception, match="refused|AccessDenied|denied"):
        bold.run(read, path)
    share(client, bucket)
    try:
        proxy.clear()
        assert bold.run(read, path) == list(range(10))
        assert not proxy.log()
    finally:
        client.delete_bucket_policy(Bucket=bucket)


def test_not_made_through_one(tmp_path, store, connector):
    path = door(tmp_path / "d.h5", store)
    with pytest.raises(Exception, match="doorway"):
        connector.run(make, path)
    assert os.path.getsize(path) < 4096 and connector.run(read, store) == list(range(10))
