"""Servers and buckets. The connector is told of the server by environment variables, as users tell it: the fixture `cloud` has them set in
this process, before a test, and other interpreters inherit them."""

import json
import os
import pathlib
import sys
import uuid

import pytest

os.environ.pop("HDF5_VOL_CONNECTOR", None)  # before anything imports h5py
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))

from interpreters import interpreters  # noqa: E402
from judge import Judge  # noqa: E402
from places import PLUGIN_DIR  # noqa: E402
from servers import ACCESS, REGION, SECRET, Minio, Proxy  # noqa: E402
from skip_list import SkipList  # noqa: E402

if PLUGIN_DIR:
    os.environ["HDF5_PLUGIN_PATH"] = PLUGIN_DIR

# What a developer's machine says of clouds is not asked.
for name in [name for name in os.environ if name.startswith(("AWS_", "AZURE_")) or name.lower() in ("http_proxy", "https_proxy", "all_proxy")]:
    del os.environ[name]
os.environ.update(AWS_EC2_METADATA_DISABLED="true", AWS_CONFIG_FILE="/nonexistent", AWS_SHARED_CREDENTIALS_FILE="/nonexistent",
                  AWS_ACCESS_KEY_ID=ACCESS, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION=REGION)
os.environ["VOL_ZARR_SECOND_GET"] = "0"  # on a busy machine an answer may be late at any time, and requests are counted


def pytest_configure(config):
    config.pluginmanager.register(SkipList())


@pytest.fixture(scope="session")
def minio(tmp_path_factory):
    if not os.environ.get("VZ_MINIO"):
        pytest.skip("MinIO was not built here")
    server = Minio(tmp_path_factory.mktemp("minio"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def proxy(minio, tmp_path_factory):
    server = Proxy(minio.url, tmp_path_factory.mktemp("proxy"))
    os.environ["AWS_ENDPOINT_URL_S3"] = server.url
    yield server
    server.stop()


@pytest.fixture(scope="session")
def client(proxy, minio):
    """boto3, past the proxy."""
    import boto3

    return boto3.client("s3", endpoint_url=minio.url, aws_access_key_id=ACCESS, aws_secret_access_key=SECRET, region_name=REGION)


@pytest.fixture(scope="session")
def bucket(client):
    """Who has the keys may do everything, and nobody else anything."""
    name = f"tests-{uuid.uuid4().hex[:12]}"
    client.create_bucket(Bucket=name)
    return name


@pytest.fixture(scope="session")
def open_bucket(client):
    """Everybody may read what is there, and nobody list it."""
    name = f"public-{uuid.uuid4().hex[:12]}"
    client.create_bucket(Bucket=name)
    may = {"Effect": "Allow", "Principal": {"AWS": ["*"]}, "Action": ["s3:GetObject"], "Resource": [f"arn:aws:s3:::{name}/*"]}
    client.put_bucket_policy(Bucket=name, Policy=json.dumps({"Version": "2012-10-17", "Statement": [may]}))
    return name


@pytest.fixture(scope="session")
def judge(minio, client):
    return Judge(minio, client)


@pytest.fixture
def place(bucket, proxy, request):
    """Where this test's stores go: place / "x.zarr" is s3://bucket/test/x.zarr. Nobody else writes there."""
    proxy.clear()
    yield Place(bucket, f"{request.node.name.replace('[', '-').replace(']', '')}-{uuid.uuid4().hex[:6]}")
    proxy.clear()


class Place:
    def __init__(self, bucket, prefix):
        self.bucket, self.prefix = bucket, prefix

    def __truediv__(self, name):
        return f"s3://{self.bucket}/{self.prefix}/{name}"

    def key(self, name):
        return f"{self.prefix}/{name}"


@pytest.fixture(scope="session")
def writers(proxy):
    """writers(value of HDF5_VOL_CONNECTOR): an interpreter with it."""
    yield from interpreters()


@pytest.fixture(scope="session")
def connector(writers):
    return writers("zarr")
