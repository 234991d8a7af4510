"""Native HDF5 files in buckets, against the file on the disk that was put there; requests and round trips as the proxy counts them."""

import os
import subprocess
import sys

import h5py
import numpy as np
import pytest
from azure import ACCOUNT, KEY, Azurite
from places import COMMAND

sys.path.insert(0, os.path.dirname(__file__))
from hdf5_compare import check_equal  # noqa: E402
from test_remote_hdf5 import fill  # noqa: E402

RNG = np.random.default_rng(8)


@pytest.fixture
def stored(tmp_path, place, bucket, client):
    """stored(writes what): (name in the bucket, path on the disk)."""

    def store(write, name="x.nwb"):
        with h5py.File(tmp_path / name, "w") as f:
            write(f)
        client.upload_file(str(tmp_path / name), bucket, place.key(name))
        return place / name, tmp_path / name

    return store


def test_every_object(stored, proxy, connector):
    name, path = stored(fill)
    with h5py.File(name) as got, h5py.File(path) as wanted:
        assert len(check_equal(got, wanted)) > 80
    log = proxy.log()
    assert set(log.kinds()) == {"RANGE"} and all(entry["signed"] for entry in log)
    assert connector.run(compare, name, str(path))


def compare(got, wanted):
    with h5py.File(got) as a, h5py.File(wanted) as b:
        return len(check_equal(a, b))


def test_opening_and_walking(stored, proxy):
    name, _ = stored(fill)

    def walk():
        with h5py.File(name) as f:
            f.visititems(lambda name, each: dict(each.attrs))

    log = proxy.counted(walk, ms=20)
    assert log.rounds() <= 3 and len(log) <= 4, log


def test_private_file_without_keys(stored, open_bucket, client, proxy):
    name, path = stored(fill)
    client.upload_file(str(path), open_bucket, "public.h5")
    os.environ["AWS_NO_SIGN_REQUEST"] = "YES"
    try:
        with pytest.raises(OSError, match="AccessDenied|403"):
            h5py.File(name)
        with h5py.File(f"s3://{open_bucket}/public.h5") as f:
            assert f["scalar"][()] == 2.5
        with h5py.File(f"{proxy.url}/{open_bucket}/public.h5") as f:
            assert f["scalar"][()] == 2.5
    finally:
        del os.environ["AWS_NO_SIGN_REQUEST"]


def test_signed_url(stored, client, bucket, place, proxy, minio):
    """The name of a private file that carries its own right to be read; names in the file do not inherit it."""
    name, path = stored(fill)
    url = client.generate_presigned_url("get_object", {"Bucket": bucket, "Key": place.key("x.nwb")})
    with h5py.File(url) as got, h5py.File(path) as wanted:
        check_equal(got, wanted)


@pytest.mark.parametrize("scheme", ["gs", "gcs"])
def test_names_of_google(stored, open_bucket, client, proxy, scheme):
    """Google's protocol is Amazon's, without keys; MinIO is its server here."""
    _, path = stored(fill)
    for key in "x.h5", "blobs/58c53789":
        client.upload_file(str(path), open_bucket, key)
        code = ("import h5py, sys; from hdf5_compare import check_equal\n"
                "with h5py.File(sys.argv[1]) as a, h5py.File(sys.argv[2]) as b: check_equal(a, b)")
        subprocess.run([sys.executable, "-c", code, f"{scheme}://{open_bucket}/{key}", path], check=True, env={
            **os.environ, "VOL_ZARR_ENDPOINT": proxy.url, "VOL_ZARR_ANONYMOUS": "1",
            "PYTHONPATH": str(os.path.join(os.path.dirname(__file__), "..", "python"))})


def test_name_without_a_suffix(stored):
    name, path = stored(fill, "blob")
    with h5py.File(name) as got, h5py.File(path) as wanted:
        check_equal(got, wanted)


def test_file_that_changes(stored, client, bucket, place):
    def write(f):
        f["x"] = RNG.integers(0, 1000, (2000, 1000))

    name, path = stored(write)
    with h5py.File(name) as f:
        assert f["x"].shape == (2000, 1000)
        client.put_object(Bucket=bucket, Key=place.key("x.nwb"), Body=path.read_bytes() + b"\0")
        with pytest.raises(OSError, match="x.nwb.*not the one that was opened"):
            f["x"][:]


def test_names_in_it(stored, client, bucket, place, open_bucket, tmp_path):
    """Beside it with the keys that it was asked with; other buckets are refused."""

    def write(f):
        for each, target in ("beside", "y.h5"), ("other", f"s3://{open_bucket}/z.h5"), ("above", "../../z.h5"):
            f[each] = h5py.ExternalLink(target, "/x")
            layout = h5py.VirtualLayout((3,), "i8")
            layout[:] = h5py.VirtualSource(target, "x", (3,))
            f.create_virtual_dataset(f"v/{each}", layout, fillvalue=-1)

    name, _ = stored(write)
    with h5py.File(tmp_path / "y.h5", "w") as f:
        f["x"] = [1, 2, 3]
    client.upload_file(str(tmp_path / "y.h5"), bucket, place.key("y.h5"))
    client.upload_file(str(tmp_path / "y.h5"), open_bucket, "z.h5")
    with h5py.File(name) as f:
        assert list(f["beside"]) == [1, 2, 3] and list(f["v/beside"]) == [1, 2, 3]
        with pytest.raises(KeyError, match="z.h5"):
            f["other"]
        with pytest.raises(OSError, match="z.h5"):
            f["v/other"][:]
        with pytest.raises(KeyError):
            f["above"]


def test_convert(stored, tmp_path):
    import zarr

    name, path = stored(fill)
    environment = {**os.environ, "VOL_ZARR_HDF5": os.environ["VZ_HDF5"]}
    subprocess.run([COMMAND, "convert", "--verify", name, tmp_path / "x.zarr"], check=True, capture_output=True, env=environment)
    group = zarr.open_group(tmp_path / "x.zarr", mode="r")
    with h5py.File(path) as wanted:
        for each in "g/gzip", "g/contiguous", "scale", "g/lzf":
            np.testing.assert_array_equal(group[each][...], wanted[each][...])


def test_container_of_azure(tmp_path, tmp_path_factory):
    if not os.environ.get("VZ_AZURITE"):
        pytest.skip("Azurite is not here")
    server = Azurite(tmp_path_factory.mktemp("azurite"))
    with h5py.File(tmp_path / "x.h5", "w") as f:
        fill(f)
    try:
        server.make_container("files")
        server.ask("PUT", "/files/x.h5", body=(tmp_path / "x.h5").read_bytes(), x_ms_blob_type="BlockBlob")
        environment = {**os.environ, "AZURE_STORAGE_ACCOUNT": ACCOUNT, "AZURE_STORAGE_KEY": KEY,
                       "VOL_ZARR_ENDPOINT": f"{server.url}/{ACCOUNT}", "PYTHONPATH": os.path.dirname(__file__) + os.pathsep + str(
                           os.path.join(os.path.dirname(__file__), "..", "python"))}
        code = ("import h5py, sys; from hdf5_compare import check_equal\n"
                "with h5py.File(sys.argv[1]) as a, h5py.File(sys.argv[2]) as b: check_equal(a, b)")
        subprocess.run([sys.executable, "-c", code, "az://files/x.h5", tmp_path / "x.h5"], check=True, env=environment)
    finally:
        server.stop()


NETCDF = """
import sys, netCDF4, xarray
with netCDF4.Dataset(sys.argv[1]) as f:
    assert f["v"][:].tolist() == [0, 1, 2, 3, 4] and f["v"].units == "m" and f["g/s"][:].tolist() == list("abcde"), f
with xarray.open_dataset(sys.argv[1], engine="h5netcdf") as f:
    assert f.v.values.tolist() == [0, 1, 2, 3, 4]
with xarray.open_dataset(sys.argv[2], engine="h5netcdf", driver="sec2") as f:
    assert f.v.values.tolist() == [0, 1, 2, 3, 4]
"""


def test_netcdf(tmp_path, place, bucket, client, proxy):
    """netCDF-C takes no such names itself: a doorway leads it there."""
    import netCDF4

    with netCDF4.Dataset(tmp_path / "x.nc", "w") as f:
        f.createDimension("x", 5)
        v = f.createVariable("v", "f4", ("x",), zlib=True)
        v[:] = np.arange(5)
        v.units = "m"
        f.createGroup("g").createVariable("s", str, ("x",))[:] = np.array(list("abcde"), dtype=object)
    client.upload_file(str(tmp_path / "x.nc"), bucket, place.key("x.nc"))
    environment = {**os.environ, "VOL_ZARR_DOORWAYS": "anywhere", "VOL_ZARR_ENDPOINT": proxy.url}
    subprocess.run([COMMAND, "door", place / "x.nc", tmp_path / "door.nc"], check=True, env=environment, capture_output=True)
    subprocess.run([sys.executable, "-c", NETCDF, tmp_path / "door.nc", place / "x.nc"], check=True, env=environment)
