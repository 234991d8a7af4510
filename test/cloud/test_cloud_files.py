"""Zip files and one-file stores in a bucket, and stores behind plain URLs: read by ranges, whoever wrote them."""

import json
import os
import socket
import subprocess
import sys
import time
import zipfile

import h5py
import numpy
import pytest
import zarr
from interpreter import Failed, Interpreter
from places import with_connector

DATA = numpy.arange(400 * 300, dtype="f4").reshape(400, 300)


def read(name):
    with h5py.File(name) as file:
        whole, part = file["x"][:], file["x"][10:60, 5]
    return bool((whole == DATA).all() and (part == DATA[10:60, 5]).all())


def write_file(name):
    with h5py.File(name, "w") as file:
        file.create_dataset("x", data=DATA, chunks=(50, 50))


def add(name):
    with h5py.File(name, "r+"):
        pass


def write(group, **how):
    group.create_array("x", shape=DATA.shape, dtype=DATA.dtype, chunks=(50, 50), **how)[:] = DATA


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
@pytest.mark.parametrize("format", [2, 3])
def test_zip_of_others(tmp_path, place, bucket, client, connector, proxy, format, method):
    path = tmp_path / "x.zip"
    with zarr.storage.ZipStore(path, mode="w", compression=method) as store:
        write(zarr.create_group(store, zarr_format=format), **({"shards": (200, 150)} if format == 3 else {}))
    client.upload_file(str(path), bucket, place.key("x.zip"))
    log = proxy.counted(lambda: connector.run(read, place / "x.zip"))
    assert connector.run(read, place / "x.zip")
    assert set(log.kinds()) == {"RANGE"} and len(log) <= 12


@pytest.fixture(scope="module")
def writer():
    interpreter = Interpreter(with_connector("zarr create=*.zarr,*.zip,*.h5ad:file"), f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})")
    yield interpreter
    interpreter.stop()


@pytest.mark.parametrize("name", ["x.h5ad", "x.zip"])
def test_files_of_ours(tmp_path, place, bucket, client, connector, writer, name):
    writer.run(write_file, str(tmp_path / name))
    assert zipfile.is_zipfile(tmp_path / name)
    client.upload_file(str(tmp_path / name), bucket, place.key(name))
    assert connector.run(read, place / name)
    with pytest.raises(Failed, match="can only be read"):
        connector.run(add, place / name)


def share(client, bucket):
    rule = {"Effect": "Allow", "Principal": {"AWS": ["*"]}, "Action": ["s3:GetObject"], "Resource": [f"arn:aws:s3:::{bucket}/*"]}
    client.put_bucket_policy(Bucket=bucket, Policy=json.dumps({"Version": "2012-10-17", "Statement": [rule]}))


@pytest.fixture
def web(tmp_path):
    """A server that knows no ranges."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with open(tmp_path / "said", "wb") as said:
        server = subprocess.Popen([sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", tmp_path, str(port)], stdout=said, stderr=said)
    for _ in range(1200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    server.kill()
    server.wait()


def fill(tmp_path, writer):
    write(zarr.create_group(tmp_path / "v3.zarr", zarr_format=3), shards=(200, 150))
    with pytest.warns(UserWarning, match="Consolidated"):
        zarr.consolidate_metadata(tmp_path / "v3.zarr")
    writer.run(write_file, str(tmp_path / "v2.zarr"))


def test_server_without_ranges(tmp_path, web, connector, writer):
    fill(tmp_path, writer)
    writer.run(write_file, str(tmp_path / "x.zip"))
    for name in ("v2.zarr", "v3.zarr"):
        assert connector.run(read, f"{web}/{name}")
        assert connector.run(read, f"{web.replace('//', '/')}/{name}")
    with pytest.raises(Failed, match="can only be read"):
        connector.run(add, f"{web}/v2.zarr")
    with pytest.raises(Failed, match="No such file"):
        connector.run(read, f"{web}/none.zarr")


def test_public_by_url(tmp_path, place, bucket, client, connector, writer, proxy):
    """Where nobody may list, what is missing is answered 403."""
    fill(tmp_path, writer)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            client.upload_file(str(path), bucket, place.key(str(path.relative_to(tmp_path))))
    share(client, bucket)
    try:
        for name, most in (("v2.zarr", 51), ("v3.zarr", 11)):
            url = f"{proxy.url}/{bucket}/{place.prefix}/{name}"
            log = proxy.counted(lambda: connector.run(read, url))
            assert connector.run(read, url) and set(log.kinds()) <= {"GET", "RANGE"} and len(log) <= most + 3
    finally:
        client.delete_bucket_policy(Bucket=bucket)
