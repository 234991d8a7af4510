"""What other programs say of a store in a bucket: zarr-python over obstore, past the proxy; keys by boto3."""

from servers import ACCESS, REGION, SECRET


def split(url):
    bucket, _, key = url.removeprefix("s3://").partition("/")
    return bucket, key


def object_store(url, endpoint, **more):
    from obstore.store import S3Store

    bucket, key = split(url)
    return S3Store(bucket, prefix=key, endpoint=endpoint, access_key_id=ACCESS, secret_access_key=SECRET, region=REGION,
                   virtual_hosted_style_request=False, client_options={"allow_http": True}, **more)


def zarr_store(url, endpoint, read_only=True):
    from zarr.storage import ObjectStore

    return ObjectStore(object_store(url, endpoint), read_only=read_only)


class Judge:
    def __init__(self, minio, client):
        self.minio, self.client = minio, client

    def group(self, url, mode="r", **more):
        import zarr

        return zarr.open_group(zarr_store(url, self.minio.url, read_only=mode == "r"), mode=mode, **more)

    def array(self, url):
        import zarr

        return zarr.open_array(zarr_store(url, self.minio.url), mode="r")

    def keys(self, url):
        bucket, prefix = split(url)
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix + "/")
        return {each["Key"][len(prefix) + 1:]: each["ETag"] for page in pages for each in page.get("Contents", ())}

    def get(self, url, key):
        bucket, prefix = split(url)
        return self.client.get_object(Bucket=bucket, Key=f"{prefix}/{key}")["Body"].read()

    def put(self, url, key, value):
        bucket, prefix = split(url)
        self.client.put_object(Bucket=bucket, Key=f"{prefix}/{key}" if key else prefix, Body=value)

    def delete(self, url, key):
        bucket, prefix = split(url)
        self.client.delete_object(Bucket=bucket, Key=f"{prefix}/{key}")
