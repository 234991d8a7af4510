"""Where the stores of a program lie: in its directory, or in a bucket of MinIO, from where judges get a copy."""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cloud"))

from servers import ACCESS, REGION, SECRET, Minio, Proxy  # noqa: E402


REFUSAL = {"kind": "PUT", "fault": "answer", "status": 403, "body": "<Error><Code>AccessDenied</Code></Error>"}


class Local:
    variables = {}

    def name(self, directory, store):
        return store

    def bring(self, directory, store):
        pass

    def refuse(self, path, **how):
        pass


class Bucket:
    """Servers until stop(). Each directory of a program is a prefix of the bucket."""

    def __init__(self):
        import boto3

        self.rules = []
        self.scratch = tempfile.TemporaryDirectory(prefix="vz-mpi-minio-")
        where = pathlib.Path(self.scratch.name)
        self.minio = Minio(where)
        self.proxy = Proxy(self.minio.url, where)
        self.client = boto3.client("s3", endpoint_url=self.minio.url, aws_access_key_id=ACCESS, aws_secret_access_key=SECRET, region_name=REGION)
        self.client.create_bucket(Bucket="ranks")
        self.variables = {"AWS_ENDPOINT_URL_S3": self.proxy.url, "AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION,
                          "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}

    def name(self, directory, store):
        return f"s3://ranks/{directory.name}/{store}"

    def keys(self, directory, store):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket="ranks", Prefix=f"{directory.name}/{store}/")
        return [item["Key"] for page in pages for item in page.get("Contents", [])]

    def bring(self, directory, store):
        for key in self.keys(directory, store):
            path = directory.parent / key
            path.parent.mkdir(parents=True, exist_ok=True)
            self.client.download_file("ranks", key, str(path))

    def refuse(self, path, **how):
        """From now on these values cannot be put; with None all can again."""
        self.rules = [*self.rules, REFUSAL | how | {"path": path}] if path else []
        self.proxy.rules(*self.rules)

    def stop(self):
        self.proxy.stop()
        self.minio.stop()
        self.scratch.cleanup()
