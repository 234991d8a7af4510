"""Stores of xarray on servers, as netCDF: they show what xr.open_zarr shows, and dimension scales cost no request of their own."""

import h5py
import pytest

import netcdf_stores
from judge import zarr_store
from netcdf_judge import by_hdf5, by_zarr, difference

xarray = pytest.importorskip("xarray")
pytest.importorskip("h5netcdf")
pytestmark = pytest.mark.filterwarnings("ignore")


def put(place, judge, zarr_format, consolidated):
    """A store that xarray writes into the bucket."""
    data = netcdf_stores.weather()
    data.to_zarr(zarr_store(f"s3://{place}", judge.minio.url, read_only=False), zarr_format=zarr_format, consolidated=consolidated, encoding=netcdf_stores.PACKED)
    return place, len(data.variables)


@pytest.fixture(scope="module", params=[2, 3], ids=["v2", "v3"])
def copied(request, open_bucket, judge):
    """(place, number of arrays) of a store with a copy of all documents."""
    return put(f"{open_bucket}/copied{request.param}.zarr", judge, request.param, True)


@pytest.fixture(scope="module", params=[2, 3], ids=["v2", "v3"])
def scattered(request, open_bucket, judge):
    return put(f"{open_bucket}/scattered{request.param}.zarr", judge, request.param, False)


def same_by(judge, place, names):
    expected = xarray.open_zarr(zarr_store(f"s3://{place}", judge.minio.url), chunks=None).load()
    for name in names:
        assert difference(expected, by_hdf5(name, "h5netcdf")) == "", name


def test_with_a_copy_of_documents(copied, judge, proxy):
    place, _ = copied
    same_by(judge, place, [f"zarr+s3://{place}", f"s3:/{place}", f"zarr+{proxy.url}/{place}", f"http:/{proxy.address}/{place}"])


def test_without_one(scattered, judge, proxy):
    """Web servers list nothing, and so nobody sees there which variables a group has."""
    place, _ = scattered
    same_by(judge, place, [f"zarr+s3://{place}", f"s3:/{place}"])


def test_names_on_web_servers(scattered, judge, proxy):
    """An array that is opened by its name tells the names of its dimensions, which zarr-python sees, and leads to their variables."""
    place, _ = scattered
    array = judge.array(f"s3://{place}/t")
    names = array.metadata.dimension_names if array.metadata.zarr_format == 3 else array.attrs["_ARRAY_DIMENSIONS"]
    with h5py.File(f"{proxy.url}/{place}") as f:
        t = f["t"]
        assert [axis.label for axis in t.dims] == list(names) and not t.is_scale and f["lat"].is_scale
        assert [axis[0].name for axis in t.dims] == [f"/{name}" for name in names]
        assert [axis[0][...].tolist() for axis in t.dims] == [judge.array(f"s3://{place}/{name}")[...].tolist() for name in names]
        assert t[...].tolist() == array[...].tolist()


def read_alone(url):
    with h5py.File(url, "r") as f:
        return f["t"][...].shape


def read_scales(url):
    with h5py.File(url, "r") as f:
        return [axis[0].name if len(axis) else axis.label for axis in f["t"].dims]


def test_requests_for_names_on_web_servers(scattered, writers, proxy):
    """Elements cost no request more. Who looks at scales asks for the documents of all of them in one round."""
    place, _ = scattered
    url, logs = f"{proxy.url}/{place}", {}
    for options in "zarr", "zarr netcdf=never":
        for work in read_alone, read_scales:
            reader = writers(options)
            reader.run(read_alone, url)  # what is found out once of a server
            logs[options, work] = proxy.counted(lambda: reader.run(work, url), ms=20)
    assert paths(logs["zarr", read_alone]) == paths(logs["zarr netcdf=never", read_alone])
    more = [path for path, _ in paths(logs["zarr", read_scales])]
    for path, _ in paths(logs["zarr netcdf=never", read_scales]):
        more.remove(path)
    assert len(more) == len(set(more)) and {path.partition(".zarr/")[2].split("/")[0] for path in more} == {"time", "lat", "lon"}
    assert logs["zarr", read_scales].rounds() == logs["zarr netcdf=never", read_scales].rounds() + 1


def test_names_of_groups_above_on_web_servers(tree, proxy):
    """A scale of a group above is found there; a dimension without a variable has its name alone."""
    with h5py.File(f"{proxy.url}/{tree}") as f:
        assert [axis[0].name for axis in f["a/n"].dims] == ["/lat", "/a/y"]
        lat, w = f["a/b/z"].dims
        assert lat[0].name == "/lat" and (w.label, len(w)) == ("w", 0)


def look(url):
    """All names, attributes, scales and their users."""
    with h5py.File(url, "r") as f:
        for name in f:
            {key: f[name].attrs[key] for key in f[name].attrs}
            [axis.values() for axis in f[name].dims]
        return "REFERENCE_LIST" in f["time"].attrs


def paths(log):
    return sorted((entry["path"], entry["query"]) for entry in log)


def with_and_without(writers, proxy, work, url):
    """What is asked for with dimension scales, and without them."""
    logs = []
    for options, has_scales in ("zarr", True), ("zarr netcdf=never", False):
        reader = writers(options)
        assert reader.run(work, url) == has_scales  # what is found out once of a server
        logs.append(proxy.counted(lambda: reader.run(work, url), ms=20))
    return logs


@pytest.mark.parametrize("server", ["s3", "http"])
def test_requests_of_a_copy_of_documents(copied, writers, proxy, server):
    """All is in it."""
    place, _ = copied
    url = f"s3://{place}" if server == "s3" else f"{proxy.url}/{place}"
    with_scales, without = with_and_without(writers, proxy, look, url)
    assert paths(with_scales) == paths(without) and len(with_scales) == 2 and with_scales.rounds() == 1, with_scales


def test_requests_for_each_document(scattered, writers, proxy):
    """Scales follow from documents that are read in any case, all of the arrays in one round."""
    place, arrays = scattered
    with_scales, without = with_and_without(writers, proxy, look, f"s3://{place}")
    assert paths(with_scales) == paths(without), with_scales
    assert with_scales.rounds() <= without.rounds() + 1 and without.rounds() < arrays


@pytest.fixture(scope="module", params=[2, 3], ids=["v2", "v3"])
def tree(request, open_bucket, judge):
    """Groups within groups, of which the inner ones use dimensions of the outer ones."""
    place = f"{open_bucket}/tree{request.param}.zarr"
    inner = xarray.Dataset({"n": (("lat", "y"), [[0, 1, 2], [3, 4, 5]])}, {"y": [1, 2, 3]})
    deep = xarray.Dataset({"z": (("lat", "w"), [[0], [1]])})
    stored = zarr_store(f"s3://{place}", judge.minio.url, read_only=False)
    xarray.DataTree.from_dict({"/": netcdf_stores.weather(), "/a": inner, "/a/b": deep, "/c": inner}).to_zarr(stored, zarr_format=request.param, consolidated=False)
    return place


def look_at_one(url):
    with h5py.File(url, "r") as f:
        z = f["a/b/z"]
        return [axis[0].name for axis in z.dims if len(axis)] == ["/lat", "/a/b/w"]


def test_requests_for_one_array(tree, writers, proxy):
    """Documents of its group and of those above it are read besides: each once, all in one round, and none of another group's arrays."""
    with_scales, without = with_and_without(writers, proxy, look_at_one, f"s3://{tree}")
    more = list(paths(with_scales))
    for each in paths(without):
        more.remove(each)
    assert len(more) == len(set(more)) and not any(path.partition(".zarr/")[2].startswith("c/n") for path, _ in more), more
    assert with_scales.rounds() <= without.rounds() + 1, (with_scales.rounds(), without.rounds())


def test_a_zip_file(open_bucket, judge, proxy, tmp_path):
    """A store that is one object."""
    import zarr

    with zarr.storage.ZipStore(tmp_path / "s.zip", mode="w") as inside:
        netcdf_stores.weather().to_zarr(inside, zarr_format=3, encoding=netcdf_stores.PACKED)
    judge.put(f"s3://{open_bucket}/weather.zip", "", (tmp_path / "s.zip").read_bytes())
    expected = by_zarr(tmp_path / "s.zip")
    for name in f"zarr+s3://{open_bucket}/weather.zip", f"zarr+{proxy.url}/{open_bucket}/weather.zip":
        assert difference(expected, by_hdf5(name, "h5netcdf")) == "", name
