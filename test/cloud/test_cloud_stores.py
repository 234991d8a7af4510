"""Stores in a bucket, written and read by h5py; zarr-python over obstore is the judge, and boto3 for what lies there."""

import os
import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

from interpreter import Failed
from places import with_connector

RNG = np.random.default_rng(5)
MATRIX = RNG.normal(size=(60, 50))


def write(url, mode="w", **more):
    with h5py.File(url, mode, **more) as f:
        f.attrs["title"] = "far away"
        f.create_dataset("deep/er/matrix", data=MATRIX, chunks=(20, 25), compression="gzip")
        f["deep/er"].attrs["numbers"] = [1, 2, 3]
        f["names"] = ["Ann", "Bo", "Ünal"]
        f["scalar"] = 7
        f.create_dataset("nothing", shape=(0, 3), dtype="f4")


def check(url):
    with h5py.File(url, "r") as f:
        np.testing.assert_array_equal(f["deep/er/matrix"][:], MATRIX)
        assert list(f["names"].asstr()[:]) == ["Ann", "Bo", "Ünal"]
        assert f["scalar"][()] == 7 and f["nothing"].shape == (0, 3)
        assert f.attrs["title"] == "far away" and list(f["deep/er"].attrs["numbers"]) == [1, 2, 3]
        assert sorted(f) == ["deep", "names", "nothing", "scalar"]


@pytest.fixture(params=[2, 3], ids=["v2", "v3"])
def options(request):
    return f"zarr format={request.param}"


@pytest.fixture
def in_another(writers):
    """in_another(options, function, argument...): in an interpreter with the connector."""
    return lambda options, function, *arguments: writers(options).run(function, *arguments)


def test_waited_for(place, in_another):
    """Who found nothing finds what another process makes then."""
    url = place / "x.zarr"
    with pytest.raises(FileNotFoundError):
        h5py.File(url)
    in_another("zarr", write, url)
    time.sleep(0.6)  # what was not there is not asked for again at once
    check(url)


def test_written_and_read(place, judge, options, in_another):
    url = place / "x.zarr"
    in_another(options, write, url)
    check(url)
    group = judge.group(url)
    np.testing.assert_array_equal(group["deep/er/matrix"][:], MATRIX)
    assert list(group["names"][:]) == ["Ann", "Bo", "Ünal"] and group["scalar"][()] == 7
    assert group.attrs["title"] == "far away" and list(group["deep/er"].attrs["numbers"]) == [1, 2, 3]
    keys = judge.keys(url)
    assert not [key for key in keys if "partial" in key]
    assert (".zmetadata" if "2" in options else "zarr.json") in keys


def test_zarr_python_s(place, judge, client):
    import zarr

    for form in 2, 3:
        url = place / f"theirs{form}.zarr"
        group = judge.group(url, mode="w", zarr_format=form)
        group.create_array("sub/m", data=MATRIX, chunks=(7, 50))
        group.attrs["by"] = "zarr-python"
        for consolidated in False, True:
            if consolidated:
                zarr.consolidate_metadata(group.store, zarr_format=form)
            with h5py.File(url, "r") as f:
                np.testing.assert_array_equal(f["sub/m"][3:40, ::3], MATRIX[3:40, ::3])
                assert f.attrs["by"] == "zarr-python"


def modes(url):
    with pytest.raises(FileNotFoundError):
        h5py.File(url, "r")
    with pytest.raises(FileNotFoundError):
        h5py.File(url, "r+")
    with h5py.File(url, "a") as f:
        f["a"] = 1
    with pytest.raises(FileExistsError):
        h5py.File(url, "w-")
    with h5py.File(url, "a") as f:
        f["b"] = 2
    with h5py.File(url, "r+") as f:
        assert sorted(f) == ["a", "b"]
        f["a"][()] = 10
        del f["b"]
        f.move("a", "c")
    with h5py.File(url, "r") as f:
        assert sorted(f) == ["c"] and f["c"][()] == 10
    with h5py.File(url, "w") as f:
        f["new"] = [1, 2]
    with h5py.File(url) as f:
        assert sorted(f) == ["new"]
    with h5py.File(url + "-x", "x") as f:
        assert len(f) == 0


def test_modes(place, judge, options, in_another):
    url = place / "x.zarr"
    in_another(options, modes, url)
    assert list(judge.group(url)["new"][:]) == [1, 2]
    assert {key.split("/")[0] for key in judge.keys(url)} <= {"new", ".zgroup", ".zattrs", ".zmetadata", "zarr.json"}
    assert list(judge.group(url + "-x")) == []


def delete(url):
    h5py.h5f.open(url.encode(), h5py.h5f.ACC_RDONLY).close()
    h5py.h5f.delete(url.encode()) if hasattr(h5py.h5f, "delete") else delete_by_c(url)


def delete_by_c(url):
    """H5Fdelete: h5py does not have it."""
    import ctypes

    for line in open("/proc/self/maps"):
        path = line.split()[-1]
        if "libhdf5" in path and "_hl" not in path:
            library = ctypes.CDLL(path)
            library.H5Fdelete.argtypes = [ctypes.c_char_p, ctypes.c_int64]
            assert library.H5Fdelete(url.encode(), 0) >= 0
            return
    raise RuntimeError("no libhdf5 in this process")


def test_deleted(place, judge, options, in_another):
    url = place / "x.zarr"
    in_another(options, write, url)
    judge.put(place / "x.zarr-neighbour", "zarr.json", b"{}")
    in_another(options, delete, url)
    assert judge.keys(url) == {}
    assert list(judge.keys(place / "x.zarr-neighbour")) == ["zarr.json"]


def truncate(url):
    h5py.File(url, "w").close()


def test_not_zarr_s_stays(place, judge, options, in_another):
    """Mode "w" removes a store, and nothing that is not all a store's."""
    url = place / "x.zarr"
    in_another(options, write, url)
    judge.put(url, "deep/thesis.docx", b"years of work")
    before = judge.keys(url)
    with pytest.raises(Failed, match="thesis.docx"):
        in_another(options, truncate, url)
    assert judge.keys(url) == before
    other = place / "other.zarr"
    judge.put(other, "notes.txt", b"no store")
    with pytest.raises(Failed, match="there is something already"):
        in_another(options, truncate, other)
    assert list(judge.keys(other)) == ["notes.txt"]
    nested = place / "collection"
    judge.put(nested, ".zgroup", b'{"zarr_format": 2}')
    in_another(options, write, nested + "/y.zarr")
    before = judge.keys(nested)
    with pytest.raises(Failed, match="y.zarr"):
        in_another(options, truncate, nested)
    assert judge.keys(nested) == before


def test_what_it_replaces_is_gone(place, judge, options, in_another):
    url = place / "x.zarr"
    in_another("zarr format=2", write, url)
    judge.group(url)
    in_another("zarr format=3", truncate, url)
    assert set(judge.keys(url)) == {"zarr.json"}
    in_another("zarr format=2", truncate, url)
    assert set(judge.keys(url)) <= {".zgroup", ".zattrs", ".zmetadata"}


# ---- what others write meanwhile ----


def change_attribute(url, name, value):
    with h5py.File(url, "r+") as f:
        f.attrs[name] = value


def many_changes(url, who, count):
    for i in range(count):
        with h5py.File(url, "r+") as f:
            f.attrs[f"{who}{i}"] = i
            f["shared"][who * 5 + i % 5] = 1000 * who + i


def test_two_writers_lose_nothing(place, judge, options, in_another):
    """Documents and parts of one chunk, changed by three processes at once."""
    url = place / "x.zarr"
    in_another(options, write_shared, url)
    environment = {**with_connector(options), "PYTHONPATH": os.path.dirname(__file__) + ":" + os.path.dirname(__file__) + "/../python"}
    code = "import sys, test_cloud_stores as t; t.many_changes(sys.argv[1], int(sys.argv[2]), 5)"
    running = [subprocess.Popen([sys.executable, "-c", code, url, str(who)], env=environment, stderr=subprocess.PIPE) for who in range(3)]
    for each in running:
        said = each.communicate(timeout=100)[1]
        assert each.returncode == 0, said.decode()[-3000:]
    group = judge.group(url, use_consolidated=False)
    assert {name: group.attrs[name] for name in group.attrs if name != "_HDF5"} == {f"{who}{i}": i for who in range(3) for i in range(5)}
    assert list(group["shared"][:]) == [1000 * who + i for who in range(3) for i in range(5)]
    check_copy(judge, url)


def write_around(url):
    """While this one has the store open, another one changes what it made."""
    code = "import sys, h5py; h5py.File(sys.argv[1], 'r+')['m'].attrs['x'] = 2"
    with h5py.File(url, "w") as f:
        f["m"] = [1, 2, 3]
        f["m"].attrs["x"] = 1
        f.flush()
        subprocess.run([sys.executable, "-c", code, url], check=True, timeout=100)
        f["n"] = [4]


def test_consolidated_metadata_has_another_writer_s_change(place, judge, options, in_another):
    url = place / "x.zarr"
    in_another(options, write_around, url)
    assert judge.group(url)["m"].attrs["x"] == 2 and list(judge.group(url)["n"][:]) == [4]
    assert judge.group(url, use_consolidated=True)["m"].attrs["x"] == 2
    check_copy(judge, url)


def write_shared(url):
    with h5py.File(url, "w") as f:
        f.create_dataset("shared", data=np.zeros(15, "i4"), chunks=(15,))


def check_copy(judge, url):
    """If there is consolidated metadata, it says what the documents say."""
    import zarr

    try:
        copy = judge.group(url, use_consolidated=True)
    except (ValueError, KeyError):
        return
    plain = judge.group(url, use_consolidated=False)
    assert dict(copy.attrs) == dict(plain.attrs)
    assert sorted(name for name, _ in copy.members(max_depth=None)) == sorted(name for name, _ in plain.members(max_depth=None))
    for name, each in plain.members(max_depth=None):
        assert dict(copy[name].attrs) == dict(each.attrs), name
        assert not isinstance(each, zarr.Array) or copy[name].metadata == each.metadata, name


def write_tree(url):
    with h5py.File(url, "w") as f:
        for name in "a", "g/m", "g/gone/below", "h/i/j":
            f.create_dataset(name, data=np.arange(4.0))


def test_the_copy_has_what_others_changed_meanwhile(place, judge, options, in_another):
    """It is made anew of what is there, whatever the copy told when the store was opened."""
    url = place / "x.zarr"
    in_another(options, write_tree, url)
    with h5py.File(url, "r+") as f:
        f["a"].attrs["x"] = 1
        group = judge.group(url, mode="r+", use_consolidated=False)
        group["g/m"].attrs["theirs"] = [1, 2]
        del group["g/gone"]
        del group["h"]
        group.create_group("g/new/deeper").attrs["y"] = 2
        group.create_array("other", data=np.arange(3))
    copy = judge.group(url, use_consolidated=True)
    names = ["a", "g", "g/m", "g/new", "g/new/deeper", "other"]
    assert sorted(name for name, _ in copy.members(max_depth=None)) == names
    assert list(copy["g/m"].attrs["theirs"]) == [1, 2] and copy["g/new/deeper"].attrs["y"] == 2 and copy["a"].attrs["x"] == 1
    check_copy(judge, url)


def create_once(url):
    try:
        with h5py.File(url, "x") as f:
            f["by"] = os.getpid()
        print("made")
    except FileExistsError:
        print("was there")
    except OSError as error:
        assert "another program is creating" in str(error) or "already" in str(error), error
        print("was there")


def test_one_of_several_creators_wins(place, judge):
    url = place / "x.zarr"
    code = "import sys, test_cloud_stores as t; t.create_once(sys.argv[1])"
    path = os.path.dirname(__file__) + ":" + os.path.dirname(__file__) + "/../python"
    running = [subprocess.Popen([sys.executable, "-c", code, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**with_connector(f"zarr format={form}"), "PYTHONPATH": path}) for form in (2, 3, 2, 3)]
    said = [(each.communicate(timeout=100), each) for each in running]
    assert [each.returncode for _, each in said] == [0] * 4, said
    made = [each.pid for (out, _), each in said if out.strip() == b"made"]
    assert len(made) == 1
    assert judge.group(url)["by"][()] == made[0]


# ---- killed writers ----


def write_on(url):
    with h5py.File(url, "w") as f:
        for i in range(1000):
            f.create_dataset(f"g{i % 3}/d{i}", data=np.full((8, 8), i), chunks=(4, 4))
            f[f"g{i % 3}"].attrs[f"a{i}"] = i
            if i % 4 == 3:
                f.flush()
                print(i, flush=True)


@pytest.mark.parametrize("after", [0.02, 0.11, 0.3])
def test_a_killed_writer_leaves_a_store_that_opens(place, judge, options, proxy, after, in_another):
    url = place / "x.zarr"
    proxy.latency(5)
    code = "import sys, test_cloud_stores as t; t.write_on(sys.argv[1])"
    path = os.path.dirname(__file__) + ":" + os.path.dirname(__file__) + "/../python"
    writer = subprocess.Popen([sys.executable, "-c", code, url], stdout=subprocess.PIPE,
                              env={**with_connector(options), "PYTHONPATH": path})
    flushed = int(writer.stdout.readline())
    time.sleep(after)
    writer.send_signal(signal.SIGKILL)
    flushed = max([flushed, *map(int, writer.communicate()[0].split())])
    proxy.clear()
    group = judge.group(url)
    seen = {int(name.rpartition("/d")[2]): each for name, each in group.members(max_depth=2) if "/d" in name}
    assert set(range(flushed + 1)) <= set(seen)
    for i, array in seen.items():
        np.testing.assert_array_equal(array[:], np.full((8, 8), i), err_msg=str(i))
    with h5py.File(url, "r") as f:
        for i in seen:
            assert (f[f"g{i % 3}/d{i}"][:] == i).all()
    in_another(options, change_attribute, url, "after", 1)
    assert judge.group(url).attrs["after"] == 1


# ---- what is not there ----


def test_refused(place, connector, in_another):
    for option, words in ("container=zip", "one file"), ("container=file", "one file"):
        with pytest.raises(Failed, match=words):
            in_another(f"zarr {option}", write, place / "x.zarr")
    with pytest.raises(Failed, match="cannot be locked|nothing can be locked"):
        in_another("zarr locking=1", write, place / "locked.zarr")


def test_a_bucket_is_no_store(bucket, place):
    for name in f"s3://{bucket}", f"s3://{bucket}/", "s3://", "s3:/":
        with pytest.raises(OSError):
            h5py.File(name, "r")
    with pytest.raises(FileNotFoundError):
        h5py.File(place / "not-there.zarr", "r")
    with pytest.raises(OSError):
        h5py.File("s3://no-such-bucket-of-ours/x.zarr", "r")
