"""Reference files in a bucket, beside the HDF5 file that they are of: h5zarr virtual and kerchunk make them on disk. The judges are h5py on
the file on disk, zarr-python over fsspec and s3fs, boto3 for the bytes, and the proxy for requests."""

import json
import pathlib

import fsspec
import h5py
import numpy as np
import pytest
import zarr
from servers import ACCESS, SECRET

from converting import run
from places import unpack
from test_parquet_references import ARCHIVE, FORMS, same

DATA = np.random.default_rng(4).normal(size=(400, 250)).astype("f4")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("references") / "x.h5"
    with h5py.File(path, "w") as f:
        f.create_dataset("chunks", data=DATA, chunks=(10, 25), compression="gzip", shuffle=True)
        f["contiguous"] = DATA
        f["g/words"] = ["a", "bb", "é"]
        f["g"].attrs["to"] = f["chunks"].ref
    run("virtual", "--quiet", "--relative", path, path.with_suffix(".json"))
    return path


def upload(client, place, *paths, prefix=""):
    for path in paths:
        client.put_object(Bucket=place.bucket, Key=place.key(prefix + path.name), Body=pathlib.Path(path).read_bytes())


def test_a_view_beside_its_file(source, client, place, proxy):
    """The reference file's own credentials hold in its bucket. Opening asks for the JSON alone, 400 chunks that lie side by side are one range."""
    upload(client, place, source, source.with_suffix(".json"))
    url = place / "x.json"
    assert set(proxy.counted(lambda: h5py.File(url, "r").close(), ms=20).kinds()) <= {"GET", "RANGE", "HEAD", "LIST"}
    with h5py.File(url, "r") as ours, h5py.File(source) as native:
        asked = proxy.counted(lambda: np.testing.assert_array_equal(ours["chunks"][...], native["chunks"][...]), ms=20)
        assert len(asked) <= 2 and all(path.endswith("x.h5") for path in asked.paths()), (len(asked), asked.rounds())
        np.testing.assert_array_equal(ours["contiguous"][...], native["contiguous"][...])
        assert list(ours["g/words"].asstr()) == list(native["g/words"].asstr())
        assert ours[ours["g"].attrs["to"]].name == "/chunks"
        assert list(ours) == list(native)


def test_the_file_is_missing_or_short(source, client, place):
    """An error, never the fill value."""
    upload(client, place, source.with_suffix(".json"))
    with h5py.File(place / "x.json", "r") as f, pytest.raises(OSError, match="no such file"):
        f["chunks"][...]
    client.put_object(Bucket=place.bucket, Key=place.key("x.h5"), Body=source.read_bytes()[:5000])
    with h5py.File(place / "x.json", "r") as f, pytest.raises(OSError, match="x.h5"):
        f["chunks"][...]


def test_ranges_by_another_program(source, client, place):
    """Each range that the view names is, as boto3 gets it from the bucket, the chunk that HDF5 has in the file on disk."""
    upload(client, place, source)
    refs = json.loads(source.with_suffix(".json").read_text())["refs"]
    with h5py.File(source) as f:
        for index in range(0, 400, 37):
            chunk = f["chunks"].id.get_chunk_info(index)
            name, offset, size = refs["chunks/" + ".".join(str(o // c) for o, c in zip(chunk.chunk_offset, (10, 25)))]
            got = client.get_object(Bucket=place.bucket, Key=place.key(name), Range=f"bytes={offset}-{offset + size - 1}")["Body"].read()
            assert got == f["chunks"].id.read_direct_chunk(chunk.chunk_offset)[1]


def upload_tree(client, place, directory):
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            client.put_object(Bucket=place.bucket, Key=place.key(f"{directory.name}/{path.relative_to(directory)}"), Body=path.read_bytes())


def test_views_of_a_file_in_the_bucket(source, client, place, proxy, tmp_path):
    """Made of s3://..., and put beside it: the user's own credentials hold in the bucket. The ETag is boto3's, and another one is an error."""
    upload(client, place, source)
    run("virtual", "--quiet", "--url", "x.h5", place / "x.h5", tmp_path / "v.json")
    run("virtual", "--quiet", "--url", "x.h5", place / "x.h5", tmp_path / "v.zarr")
    etag = client.head_object(Bucket=place.bucket, Key=place.key("x.h5"))["ETag"]
    assert json.loads((tmp_path / "v.json").read_text())["generationMetadata"]["sources"] == {"x.h5": {"size": source.stat().st_size, "etag": etag}}
    upload(client, place, tmp_path / "v.json")
    upload_tree(client, place, tmp_path / "v.zarr")
    for name in ("v.json", "v.zarr"):
        with h5py.File(place / name, "r") as ours, h5py.File(source) as native:
            chunks = ours["chunks"]
            asked = proxy.counted(lambda d=chunks: d[...], ms=20)  # of a store the list, too
            assert len(asked) <= 3, (name, asked.paths())
            for key in ("chunks", "contiguous"):
                np.testing.assert_array_equal(ours[key][...], native[key][...])
            assert list(ours["g/words"].asstr()) == list(native["g/words"].asstr()) and ours[ours["g"].attrs["to"]].name == "/chunks"
    client.put_object(Bucket=place.bucket, Key=place.key("x.h5"), Body=source.read_bytes()[:-1] + b"?")
    for name in ("v.json", "v.zarr"):
        with h5py.File(place / name, "r") as f, pytest.raises(OSError, match="changed since its reference was made"):
            f["chunks"][...]


def test_fsspec_reads_the_same(source, client, place, minio):
    """One reference file with names of the bucket, for us and for fsspec."""
    upload(client, place, source)
    text = source.with_suffix(".json").read_text()
    refs = {key: [place / "x.h5", *value[1:]] if isinstance(value, list) else value for key, value in json.loads(text)["refs"].items()}
    client.put_object(Bucket=place.bucket, Key=place.key("names.json"), Body=json.dumps({"version": 1, "refs": refs}).encode())
    options = {"key": ACCESS, "secret": SECRET, "endpoint_url": minio.url, "asynchronous": True}
    storage = fsspec.filesystem("reference", fo=refs, asynchronous=True, remote_protocol="s3", remote_options=options)
    theirs = zarr.open_group(zarr.storage.FsspecStore(storage, read_only=True), mode="r", zarr_format=2, use_consolidated=False)
    with h5py.File(place / "names.json", "r") as ours:
        for name in ("chunks", "contiguous"):
            np.testing.assert_array_equal(ours[name][...], theirs[name][...])
            np.testing.assert_array_equal(ours[name][7:200:9, 3:50], theirs[name][7:200:9, 3:50])


@pytest.mark.parametrize("form", FORMS[:2])
def test_parquet_beside_its_file(form, client, place, proxy, tmp_path):
    made = unpack(ARCHIVE, tmp_path) / "parquet"
    for path in [made / "source.h5", *(made / f"{form}.parq").rglob("*")]:
        if path.is_file():
            client.put_object(Bucket=place.bucket, Key=place.key(str(path.relative_to(made))), Body=path.read_bytes())
    same(place / f"{form}.parq", made / "source.h5")
    with h5py.File(place / f"{form}.parq", "r") as f:
        asked = proxy.counted(lambda: f["g/ints"][...], ms=20)
        assert len(asked) <= 2, asked.paths()  # the rows, unless they were read, and one range of the file
