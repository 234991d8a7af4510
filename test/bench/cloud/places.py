"""Where everything lies: MinIO on the loopback interface, behind the proxy of test/cloud, which waits before each request and counts them."""

import contextlib
import os
import pathlib
import sys
import tempfile

TEST = pathlib.Path(__file__).parents[2]
sys.path.append(str(TEST / "cloud"))

BUCKET = "bench"
ROOT = f"s3://{BUCKET}/"


@contextlib.contextmanager
def servers_running():
    """(proxy, judge, directory); the environment says where the servers are, as it does to every program of Amazon's."""
    import boto3
    from judge import Judge
    from servers import ACCESS, REGION, SECRET, Minio, Proxy

    with tempfile.TemporaryDirectory() as where:
        os.environ.update(AWS_EC2_METADATA_DISABLED="true", AWS_ACCESS_KEY_ID=ACCESS, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION=REGION)
        minio = Minio(pathlib.Path(where))
        proxy = Proxy(minio.url, where)
        try:
            os.environ["AWS_ENDPOINT_URL_S3"] = proxy.url
            client = boto3.client("s3", endpoint_url=minio.url)
            client.create_bucket(Bucket=BUCKET)
            yield proxy, Judge(minio, client), pathlib.Path(where)
        finally:
            proxy.stop()
            minio.stop()


def endpoint():
    return os.environ["AWS_ENDPOINT_URL_S3"]


def fsspec_options():
    """For s3fs."""
    return {"key": os.environ["AWS_ACCESS_KEY_ID"], "secret": os.environ["AWS_SECRET_ACCESS_KEY"], "endpoint_url": endpoint(),
            "client_kwargs": {"region_name": os.environ["AWS_REGION"]}}
