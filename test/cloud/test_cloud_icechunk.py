"""Icechunk repositories in buckets of MinIO and containers of Azurite. The judge is zarr-python over icechunk: of archives that it wrote on a
disk, which are put there, and, where VZ_PY_ICECHUNK names an interpreter with icechunk, of what its own storage wrote there."""

import json
import os
import pathlib
import subprocess
import sys

import h5py
import numpy as np
import pytest

from azure import ACCOUNT, KEY, Azurite
from places import unpack
from servers import ACCESS, REGION, SECRET

HERE = pathlib.Path(__file__).parent
ARCHIVES = HERE.parent / "python" / "data"
REPOSITORIES = "history", "weather", "array"


@pytest.fixture(scope="module", params=[1, 2])
def archive(request, tmp_path_factory):
    where = unpack(ARCHIVES / f"icechunk-{request.param}.tar.xz", tmp_path_factory.mktemp("icechunk")) / f"icechunk-{request.param}"
    with np.load(where / "expected.npz") as expected:
        return where, {name: expected[name] for name in expected.files if expected[name].dtype.kind in "iufc"}


def files_of(where):
    return [path for name in REPOSITORIES for path in (where / name).rglob("*") if path.is_file()]


def compare(url, expected):
    """`url`: of the repositories, before the name of each."""
    compared = 0
    for key, values in expected.items():
        name, word, path = key.split("|")
        if name in REPOSITORIES:
            with h5py.File(f"{url}{name}|icechunk:{word}", "r") as f:
                np.testing.assert_array_equal(f[path][...] if path else next(iter(f.values()))[...], values, err_msg=key)
            compared += 1
    return compared


def test_in_a_bucket(archive, client, place, proxy):
    where, expected = archive
    for path in files_of(where):
        client.upload_file(str(path), place.bucket, place.key(str(path.relative_to(where))))
    assert compare(place / "", expected) > 20
    with pytest.raises(OSError, match='there is no branch "nope": there are dev, main'):
        h5py.File(place / "history|icechunk:@branch.nope", "r")
    assert proxy.counted(lambda: h5py.File(place / "history", "r").close(), ms=20).rounds() <= 8
    with h5py.File(place / "history", "r") as f:
        sparse = f["a/b/sparse"]
        log = proxy.counted(lambda: np.testing.assert_array_equal(sparse[...], expected["history|@branch.main|a/b/sparse"]), ms=20)
        assert sum("/manifests/" in path for path in log.paths()) == 3 and log.rounds() <= 2, log


AZURE = """
import sys; sys.path[:0] = sys.argv[3:]
import numpy as np, test_cloud_icechunk
with np.load(sys.argv[2]) as expected:
    print(test_cloud_icechunk.compare(sys.argv[1], {name: expected[name] for name in expected.files if expected[name].dtype.kind in "iufc"}))
"""


@pytest.fixture
def azurite(tmp_path_factory):
    if not os.environ.get("VZ_AZURITE"):
        pytest.skip("Azurite is not here")
    server = Azurite(tmp_path_factory.mktemp("azurite"))
    server.make_container("repositories")
    yield server
    server.stop()


def in_azure(server, code, *arguments):
    environment = {**os.environ, "AZURE_STORAGE_CONNECTION_STRING": f"AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={server.url}/{ACCOUNT}/"}
    paths = str(HERE), str(HERE.parent / "python")
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments), *paths], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_in_a_container_of_azure(archive, azurite):
    where, _ = archive
    for path in files_of(where):
        azurite.ask("PUT", f"/repositories/{path.relative_to(where)}", body=path.read_bytes(), x_ms_blob_type="BlockBlob")
    assert int(in_azure(azurite, AZURE, "az://repositories/", where / "expected.npz")) > 20


# ---- what icechunk's own storage wrote there ----


def written(kind, **at):
    if not os.environ.get("VZ_PY_ICECHUNK"):
        pytest.skip("no interpreter with icechunk")
    done = subprocess.run([os.environ["VZ_PY_ICECHUNK"], HERE / "icechunk_writer.py", kind, json.dumps(at)], capture_output=True, text=True,
                          env={**os.environ, "ICECHUNK_LOG": "error"})
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def check(url, read):
    for word, arrays in read.items():
        with h5py.File(f"{url}|icechunk:{word}", "r") as f:
            for name, values in arrays.items():
                np.testing.assert_array_equal(f[name][...], np.array(values), err_msg=f"{word} {name}")


@pytest.mark.parametrize("version", [1, 2])
def test_by_icechunk_in_a_bucket(version, client, place, minio, proxy):
    client.put_object(Bucket=place.bucket, Key=place.key("x.bin"), Body=bytes(range(100)))
    read = written("s3", version=version, bucket=place.bucket, prefix=place.key("repo"), virtual=place.key("x.bin"), url=minio.url, region=REGION,
                   key=ACCESS, secret=SECRET)
    check(place / "repo", read)
    assert read["@branch.main"]["virtual"][:2] == [0, 1]


CHECK = """
import sys; sys.path[:0] = sys.argv[3:]
import json, test_cloud_icechunk
test_cloud_icechunk.check(sys.argv[1], json.loads(sys.argv[2]))
"""


@pytest.mark.parametrize("version", [1, 2])
def test_by_icechunk_in_azure(version, azurite):
    read = written("azure", version=version, bucket="repositories", prefix="repo", url=f"{azurite.url}/{ACCOUNT}", account=ACCOUNT, secret=KEY)
    in_azure(azurite, CHECK, "az://repositories/repo", json.dumps(read))
