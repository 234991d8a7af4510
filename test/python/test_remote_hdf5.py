"""Native HDF5 files on a web server, against the files on the disk that the server sends: every object, requests as the server counts them,
faults, names in the files. HDF5 itself reads the file on the disk."""

import os
import pathlib
import shutil
import subprocess
import sys
import threading

import h5py
import numpy as np
import pytest

from file_server import FileServer
from hdf5_compare import check_equal
from interpreter import Failed
from test_one_file_programs import DOORWAY

RNG = np.random.default_rng(35)


@pytest.fixture
def server(tmp_path):
    (tmp_path / "served").mkdir()
    running = FileServer(tmp_path / "served")
    yield running
    running.stop()


@pytest.fixture
def root(server):
    return server.root


# ---- what files hold ----


def fill(f):
    f.attrs["title"] = "a text of variable length"
    f.attrs["numbers"] = np.arange(5000.0)  # dense storage where there is one
    f.attrs["none"] = h5py.Empty("f4")
    g = f.create_group("g", track_order=True)
    for i in range(30):
        g.attrs[f"a{i}"] = i
    g["contiguous"] = np.arange(3000, dtype=">i4").reshape(30, 100)
    g.create_dataset("gzip", data=RNG.integers(0, 9, (100, 90)), chunks=(30, 40), compression="gzip", shuffle=True, fletcher32=True)
    g.create_dataset("lzf", data=np.arange(1000.0), chunks=(100,), compression="lzf", maxshape=(None,))
    g.create_dataset("scaled", data=np.arange(1000), chunks=(100,), scaleoffset=0)
    g.create_dataset("partly", shape=(100, 100), dtype="f4", chunks=(10, 10), fillvalue=7)[20:45, 3] = 1
    g.create_dataset("unwritten", shape=(10,), dtype="i2", fillvalue=-3)
    f["scalar"] = 2.5
    f["texts"] = ["a", "", "längeres Wort" * 40]
    f.create_dataset("fixed", data=np.array([b"abc", b"d"], dtype="S5"))
    f.create_dataset("ragged", (3,), h5py.vlen_dtype("i4"))[:] = [np.arange(n) for n in (3, 1, 700)]
    f["record"] = np.array([(1, 2.5, b"x"), (3, 4.5, b"y")], dtype=[("a", "i2"), ("b", "f8"), ("c", "S3")])
    f.create_dataset("enum", data=[0, 1, 1], dtype=h5py.enum_dtype({"NO": 0, "YES": 1}, "i1"))
    f["flags"] = np.array([True, False])
    f["complex"] = np.arange(4) * (1 + 2j)
    f["blocks"] = np.zeros(3, dtype=[("m", "f4", (2, 2))])
    f["opaque"] = np.array([b"\1\2\3"], dtype="V3")
    f["nothing"] = h5py.Empty("i8")
    f.create_dataset("empty", shape=(0, 5), maxshape=(None, 5), dtype="f8", chunks=(2, 5))
    f["type"] = np.dtype("i4")
    f.create_dataset("of_type", data=[1, 2], dtype=f["type"])
    f.create_dataset("references", data=[f["g"].ref, f["scalar"].ref, f["g/gzip"].ref], dtype=h5py.ref_dtype)
    f.create_dataset("regions", data=[f["g/contiguous"].regionref[2:5, 3:9]], dtype=h5py.regionref_dtype)
    f["g/hard"] = f["scalar"]
    f["soft"] = h5py.SoftLink("/g/contiguous")
    f["dangling"] = h5py.SoftLink("/nowhere")
    f["g/gzip"].dims[0].label = "rows"
    f["scale"] = np.arange(100.0)
    f["scale"].make_scale("x")
    f["g/gzip"].dims[0].attach_scale(f["scale"])
    for i in range(60):
        f[f"many/of/them/{i}"] = i


KINDS = {"earliest": {}, "latest": {"libver": "latest"}, "ordered": {"track_order": True}, "user block": {"userblock_size": 2048},
         "paged": {"fs_strategy": "page", "fs_page_size": 8192}}


@pytest.mark.parametrize("kind", KINDS)
def test_every_object(server, root, kind):
    with h5py.File(root / "x.h5", "w", **KINDS[kind]) as f:
        fill(f)
    with h5py.File(f"{server.url}/x.h5") as got, h5py.File(root / "x.h5") as wanted:
        names = check_equal(got, wanted)
        assert len(names) > 80 and got.userblock_size == wanted.userblock_size and got["soft"][:].sum() == wanted["soft"][:].sum()
        np.testing.assert_array_equal(got["g/gzip"][5:70:7, [1, 8, 60]], wanted["g/gzip"][5:70:7, [1, 8, 60]])
        assert got["g/gzip"].dims[0][0].name == "/scale"


def test_by_the_connector(server, root, connector):
    with h5py.File(root / "x.h5", "w") as f:
        fill(f)
    assert connector.run(compare, f"{server.url}/x.h5", str(root / "x.h5"))


def compare(got, wanted):
    with h5py.File(got) as a, h5py.File(wanted) as b:
        return len(check_equal(a, b))


def test_any_name(server, root):
    """The content tells, not the name."""
    with h5py.File(root / "x.dat", "w") as f:
        f["x"] = [1, 2]
    for name in "x.dat", "x.h5ad":
        shutil.copy(root / "x.dat", root / name) if name != "x.dat" else None
        for url in f"{server.url}/{name}", f"{server.url.replace('//', '/')}/{name}", f"zarr+{server.url}/{name}", f"{server.url}/{name}?a=b":
            with h5py.File(url) as f:
                assert list(f["x"]) == [1, 2]
    (root / "text.h5").write_text("no file of HDF5's at all " * 1000)
    with pytest.raises(OSError, match="neither a zip file nor"):
        h5py.File(f"{server.url}/text.h5")
    with pytest.raises(FileNotFoundError):
        h5py.File(f"{server.url}/none.h5")


def test_names_without_a_suffix(server, root):
    """As an archive has them: a blob, and a name that redirects to it, of which the slash at the end is a part."""
    (root / "blobs/58c").mkdir(parents=True)
    with h5py.File(root / "blobs/58c/58c53789-eec4", "w") as f:
        fill(f)
    (root / "api/assets/1/download").mkdir(parents=True)
    (root / "api/assets/1/download/leads to").write_text(f"{server.url}/blobs/58c/58c53789-eec4?signed=1")
    (root / "text").write_text("no file of HDF5's")
    for url in f"{server.url}/blobs/58c/58c53789-eec4", f"{server.url}/api/assets/1/download/":
        server.clear()
        with h5py.File(url) as got, h5py.File(root / "blobs/58c/58c53789-eec4") as wanted:
            assert len(check_equal(got, wanted)) > 80
        assert len(server.log) < 30
    for name in "text", "api/assets/1/download", "blobs", "":
        with pytest.raises(OSError):
            h5py.File(f"{server.url}/{name}")


def are_accessible(urls):
    return [h5py.h5f.is_hdf5(url.encode()) for url in urls]


def ask_and_open(url):
    assert h5py.h5f.is_hdf5(url.encode())
    with h5py.File(url) as f:
        return list(f["x"])


def test_is_it_hdf5(server, root, connector):
    """H5Fis_accessible answers by content (h5py.is_hdf5 itself looks for a file first), and what it read serves the open that follows."""
    with h5py.File(root / "x.h5", "w") as f:
        f["x"] = [1, 2]
    for name in "x.dat", "blob":
        shutil.copy(root / "x.h5", root / name)
    assert all(connector.run(are_accessible, [f"{server.url}/{name}" for name in ("x.h5", "x.dat", "blob")]))
    with pytest.raises(Failed, match="FileNotFoundError"):
        connector.run(are_accessible, [f"{server.url}/none.h5"])
    for name, most in ("x.dat", 2), ("blob", 6):
        server.clear(together=80)
        assert connector.run(ask_and_open, f"{server.url}/{name}") == [1, 2]
        assert server.rounds() <= most, (name, server.log)


PICKLED = """
import multiprocessing, pickle, sys
import h5py, vol_zarr

def total(dataset):
    return int(dataset[...].sum())

if __name__ == "__main__":
    with h5py.File(sys.argv[1]) as f:
        for thing in f, f["g"], f["g/x"], f["t"]:
            other = pickle.loads(pickle.dumps(thing))
            assert (type(other), other.name, other.file.mode, other == thing) == (type(thing), thing.name, "r", True), thing
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.apply(total, (f["g/x"],)))
    with h5py.File(sys.argv[2]) as f:
        try:
            pickle.dumps(f["g/x"])
        except TypeError:
            print("refused")
"""


def test_objects_in_other_processes(server, root, tmp_path):
    """As those of stores: by name, and opened there; h5py's of a file on the disk refuse."""
    with h5py.File(root / "x.h5", "w") as f:
        f["g/x"], f["t"] = [1, 2, 3], np.dtype("i4")
    (tmp_path / "pickled.py").write_text(PICKLED)
    package = pathlib.Path(__file__).parents[2] / "python"
    done = subprocess.run([sys.executable, tmp_path / "pickled.py", f"{server.url}/x.h5", root / "x.h5"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(package)})
    assert done.stdout.split() == ["6", "refused"], done.stderr


def test_one_file_twice(server, root):
    with h5py.File(root / "x.h5", "w") as f:
        f["x"] = [1, 2]
    with h5py.File(f"{server.url}/x.h5") as a, h5py.File(f"{server.url}/x.h5") as b:
        assert a["x"] == b["x"] and h5py.h5o.get_info(a.id).fileno == h5py.h5o.get_info(b.id).fileno
        a.close()
        assert list(b["x"]) == [1, 2] and b.filename == f"{server.url}/x.h5" and b.driver == "sec2"


# ---- requests ----


def test_small_file(server, root):
    with h5py.File(root / "x.h5", "w") as f:
        fill(f)
    server.clear(together=80)
    with h5py.File(f"{server.url}/x.h5") as f:
        f.visititems(lambda name, each: dict(each.attrs))
        for name in "g/gzip", "g/lzf", "ragged", "texts":
            f[name][()]
    assert server.rounds() <= 3 and len(server.log) <= 4, server.log
    assert server.bytes <= 1.5 * (root / "x.h5").stat().st_size


def make_scattered(path):
    """A file with more than 1 GiB of which most is a hole, and metadata between."""
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    dcpl.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    space = h5py.h5s.create_simple((8 << 20,))
    with h5py.File(path, "w") as f:
        for i in range(160):
            group = f.create_group(f"g{i}")
            h5py.h5d.create(group.id, b"hole", h5py.h5t.STD_U8LE, space, dcpl)
            group["value"] = np.arange(i, i + 100)
            group.attrs["number"] = i


def test_large_scattered_file(server, root):
    make_scattered(root / "x.h5")
    size = (root / "x.h5").stat().st_size
    assert size > 1 << 30
    with h5py.File(f"{server.url}/x.h5") as f:
        assert [f[f"g{i}"].attrs["number"] for i in range(160)] == list(range(160))
        assert [f[f"g{i}/value"][3] for i in range(160)] == list(range(3, 163))
        assert f["g77/hole"][5 << 20] == 0
    assert server.bytes < size / 10, server.bytes


def test_contiguous_elements(server, root):
    data = RNG.integers(0, 1000, (3000, 2000))
    with h5py.File(root / "x.h5", "w") as f:
        f["x"] = data
    server.clear(together=80)
    with h5py.File(f"{server.url}/x.h5") as f:
        np.testing.assert_array_equal(f["x"][:], data)
    assert server.rounds() <= 5 and server.bytes < 1.2 * data.nbytes, (server.rounds(), server.bytes)
    server.clear()
    with h5py.File(f"{server.url}/x.h5") as f:
        np.testing.assert_array_equal(f["x"][100], data[100])
    assert server.bytes < 2 << 20


def test_many_small_reads_in_a_row(server, root):
    """Of what follows, more is read at once."""
    data = RNG.integers(0, 1000, (3000, 1000))
    with h5py.File(root / "x.h5", "w") as f:
        f["x"] = data
    with h5py.File(f"{server.url}/x.h5") as f:
        f["x"].shape
        server.clear()
        for i in range(1000):
            np.testing.assert_array_equal(f["x"][i], data[i])
    assert len(server.log) <= 12, len(server.log)


@pytest.fixture
def chunked(root):
    """400 chunks, in no order, in a file that is not read as a whole."""
    data = RNG.integers(0, 1 << 40, (2000, 1000))
    with h5py.File(root / "x.h5", "w") as f:
        for name, more in ("gzip", {"compression": "gzip"}), ("plain", {}):
            f.create_dataset(name, shape=data.shape, dtype="i8", chunks=(100, 50), **more)
            for i in RNG.permutation(20):
                f[name][i * 100:(i + 1) * 100] = data[i * 100:(i + 1) * 100]
    return data


@pytest.mark.parametrize("name", ["gzip", "plain"])
def test_chunks(server, root, chunked, name):
    server.clear(together=80)
    with h5py.File(f"{server.url}/x.h5") as f:
        np.testing.assert_array_equal(f[name][:], chunked)
        assert server.rounds() <= 8, (server.rounds(), len(server.log))
        assert server.bytes < 1.3 * (root / "x.h5").stat().st_size
    server.clear(together=80)
    with h5py.File(f"{server.url}/x.h5") as f:
        np.testing.assert_array_equal(f[name][150:420, 33:700:2], chunked[150:420, 33:700:2])
        assert server.rounds() <= 8, server.rounds()
        server.clear()
        np.testing.assert_array_equal(f[name][[3, 1990], 5], chunked[[3, 1990], 5])
        assert server.bytes < 3 << 20, server.bytes
        for i in range(900, 1100):
            np.testing.assert_array_equal(f[name][i], chunked[i])
    assert len(server.log) < 60, len(server.log)


def test_chunks_of_several_datasets_in_turn(server, root, chunked):
    with h5py.File(f"{server.url}/x.h5") as f:
        for i in range(0, 2000, 130):
            np.testing.assert_array_equal(f["gzip"][i:i + 130], chunked[i:i + 130])
            np.testing.assert_array_equal(f["plain"][i:i + 130, 7:400], chunked[i:i + 130, 7:400])


def test_chunks_that_fail(server, root, chunked):
    with h5py.File(f"{server.url}/x.h5") as f:
        dataset = f["gzip"]
        server.clear(fault=403, first=3)
        with pytest.raises(OSError, match="403"):
            dataset[:]
        server.clear()
        np.testing.assert_array_equal(dataset[:], chunked)


# ---- reading alone ----


@pytest.mark.parametrize("mode", ["r+", "a"])
def test_writing_is_refused(server, root, mode):
    with h5py.File(root / "x.h5", "w") as f:
        f["x"] = 1
    with pytest.raises(OSError, match="can only be read"):
        h5py.File(f"{server.url}/x.h5", mode)
    with h5py.File(f"{server.url}/x.h5") as f:
        with pytest.raises(Exception, match="no write intent"):
            f["y"] = 2
        with pytest.raises(Exception, match="(?i)no write|write access"):
            f["x"][...] = 3


def create(name, mode):
    h5py.File(name, mode).close()


def test_creating_over_it_is_refused(server, root, connector):
    with h5py.File(root / "x.h5", "w") as f:
        f["x"] = 1
    with pytest.raises(Failed, match="can only be read"):
        connector.run(create, f"{server.url}/x.h5", "w")


def test_swmr_is_refused(server, root):
    with h5py.File(root / "x.h5", "w", libver="latest") as f:
        f["x"] = 1
    with pytest.raises(OSError, match="SWMR"):
        h5py.File(f"{server.url}/x.h5", swmr=True)


# ---- faults ----


@pytest.fixture
def large(root):
    """More than is read at once: elements are asked for when they are wanted."""
    data = RNG.integers(1, 1000, (2000, 2000))
    with h5py.File(root / "x.h5", "w") as f:
        f["x"] = data
    return data


@pytest.mark.parametrize("fault", [503, 500, "short"])
def test_faults_that_pass(server, large, fault):
    server.clear(fault=fault, first=3, times=2)  # the first two are the first look
    with h5py.File(f"{server.url}/x.h5") as f:
        np.testing.assert_array_equal(f["x"][:], large)


@pytest.mark.parametrize("fault", [403, 404, 410, "other", "whole", "cut"])
def test_faults_that_last(server, large, fault):
    """An error, and never zeros; later the same file goes on."""
    with h5py.File(f"{server.url}/x.h5") as f:
        dataset = f["x"]
        server.clear(fault=fault)
        for part in np.s_[:], np.s_[1000:1003, 5]:
            with pytest.raises(OSError):
                got = dataset[part]
                assert (got == large[part]).all() or pytest.fail("wrong elements")
                raise OSError("the server sent all of it, which is right, too")
        server.clear()
        np.testing.assert_array_equal(dataset[:], large)


def test_fault_that_names_itself(server, large):
    with h5py.File(f"{server.url}/x.h5") as f:
        server.clear(fault=410)
        with pytest.raises(OSError, match=f"{server.url}/x.h5.*410"):
            f["x"][:]


def test_file_that_changes(server, root, large):
    with h5py.File(f"{server.url}/x.h5") as f:
        before = f["x"][5, :9]
        with h5py.File(root / "y.h5", "w") as other:
            other["x"] = large + 1
        os.replace(root / "y.h5", root / "x.h5")
        with pytest.raises(OSError, match="x.h5.*not the one that was opened"):
            f["x"][:]
        with h5py.File(f"{server.url}/x.h5") as now:
            np.testing.assert_array_equal(now["x"][:], large + 1)
        np.testing.assert_array_equal(before, large[5, :9])


def test_file_that_is_cut_off(server, root, large):
    with open(root / "x.h5", "r+b") as file:
        file.truncate(9 << 20)
    with pytest.raises(OSError, match="(?i)truncated file"):
        h5py.File(f"{server.url}/x.h5")


def test_damaged_files(server, root, large):
    """The same failure as on the disk."""
    whole = (root / "x.h5").read_bytes()[:4096]
    for name, data in {"signature": whole[:8], "start": whole[:60], "version": whole[:8] + b"\x09" + whole[9:],
                       "end": whole[:40] + b"\xff" * 7 + b"\x7f" + whole[48:], "block": b"\0" * 1024 + whole[:40],
                       "noise": whole[:8] + RNG.bytes(5000)}.items():
        (root / f"{name}.h5").write_bytes(data)
        for place in root / f"{name}.h5", f"{server.url}/{name}.h5":
            with pytest.raises(OSError):
                h5py.File(place)


def test_server_without_ranges(server, root, large):
    server.clear(fault="whole")
    with pytest.raises(OSError, match="sends no ranges"):
        h5py.File(f"{server.url}/x.h5")


# ---- names in files ----


@pytest.fixture
def linked(server, root, tmp_path):
    """A file whose names lead beside it, elsewhere on the server, to files of this machine and to other servers."""
    (root / "below").mkdir()
    (root / "other").mkdir()
    local = tmp_path / "local.h5"
    for path, value in (root / "below/beside.h5", 1), (root / "other/elsewhere.h5", 2), (local, 3):
        with h5py.File(path, "w") as f:
            f["y"] = np.full(4, value)
            f["t"] = "text"
    (tmp_path / "raw").write_bytes(np.full(4, 9).tobytes())
    places = {"beside": "beside.h5", "missing": "missing.h5", "local": str(local), "up": "../other/elsewhere.h5",
              "server": f"{server.url}/other/elsewhere.h5", "stranger": "http://127.0.0.1:9/x.h5", "bucket": "s3://some-bucket/x.h5"}
    with h5py.File(root / "below/x.h5", "w") as f:
        for name, place in places.items():
            f[f"links/{name}"] = h5py.ExternalLink(place, "/y")
            layout = h5py.VirtualLayout((4,), "i8")
            layout[:] = h5py.VirtualSource(place, "y", (4,))
            f.create_virtual_dataset(f"virtual/{name}", layout, fillvalue=-1)
        f["links/text"] = h5py.ExternalLink("beside.h5", "/t")
        f.create_dataset("external", (4,), "i8", external=[(str(tmp_path / "raw"), 0, 32)])
        layout = h5py.VirtualLayout((4,), "i8")
        layout[:] = h5py.VirtualSource(".", "external", (4,))
        f.create_virtual_dataset("over external", layout, fillvalue=-1)
        f["here"] = np.arange(4)
        layout = h5py.VirtualLayout((4,), "i8")
        layout[:] = h5py.VirtualSource(".", "here", (4,))
        f.create_virtual_dataset("over here", layout)
    with h5py.File(root / "below/beside.h5", "r+") as f:
        f.create_dataset("external", (4,), "i8", external=[(str(tmp_path / "raw"), 0, 32)])
    with h5py.File(root / "below/x.h5", "r+") as f:
        layout = h5py.VirtualLayout((4,), "i8")
        layout[:] = h5py.VirtualSource("beside.h5", "external", (4,))
        f.create_virtual_dataset("over external beside", layout, fillvalue=-1)
    return f"{server.url}/below/x.h5"


def test_names_beside(linked):
    with h5py.File(linked) as f:
        assert list(f["links/beside"]) == [1] * 4 and list(f["virtual/beside"]) == [1] * 4
        assert f["links/text"][()] == b"text" and list(f["over here"]) == [0, 1, 2, 3]
        assert list(f["virtual/missing"]) == [-1] * 4
        with pytest.raises(KeyError):
            f["links/missing"]


@pytest.mark.parametrize("name", ["local", "up", "server", "stranger", "bucket"])
def test_names_that_are_refused(linked, server, name):
    """An error that names the place, and nothing is asked there."""
    with h5py.File(linked) as f:
        server.clear()
        with pytest.raises(KeyError, match="names|can't open"):
            f[f"links/{name}"]
        if name != "local":
            with pytest.raises(OSError, match=r"it names|virtual"):
                f[f"virtual/{name}"][:]
        assert not any(entry[3].startswith("/other") for entry in server.log)


def test_local_files_are_never_read(linked, tmp_path, monkeypatch):
    """Also where the program's settings would lead there for a file on the disk."""
    monkeypatch.setenv("HDF5_EXT_PREFIX", str(tmp_path))
    monkeypatch.setenv("HDF5_VDS_PREFIX", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with h5py.File(linked) as f:
        for name in "links/local", "virtual/local":
            try:
                assert list(f[name][:]) != [3] * 4
            except (KeyError, OSError):
                pass
        for name in "external", "over external", "over external beside":
            with pytest.raises(OSError, match="a file of this machine"):
                f[name][:]
        assert f["external"].shape == (4,) and f["external"].external[0][1:] == (0, 32)


# ---- processes, doorways ----


def test_fork(server, root, large):
    with h5py.File(f"{server.url}/x.h5") as f:
        f["x"][5]
        child = os.fork()
        if child == 0:
            os._exit(0 if (f["x"][:] == large).all() else 1)
        assert os.waitpid(child, 0)[1] == 0
        np.testing.assert_array_equal(f["x"][:], large)


def test_threads(server, root, large):
    failed = []
    with h5py.File(f"{server.url}/x.h5") as f:
        def read(i):
            if not (f["x"][i * 200:(i + 1) * 200] == large[i * 200:(i + 1) * 200]).all():
                failed.append(i)
        threads = [threading.Thread(target=read, args=(i,)) for i in range(10)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert not failed


def test_doorway(server, root, tmp_path, large):
    """What insists on a file gets one."""
    path = tmp_path / "door.h5"
    path.write_bytes(DOORWAY + f'{{"store": "{server.url}/x.h5"}}\n'.encode())
    with pytest.raises(OSError, match="address of this machine"):
        h5py.File(path)


def test_closed_without_closing_objects(server, root, large):
    f = h5py.File(f"{server.url}/x.h5")
    dataset = f["x"]
    f.close()
    with pytest.raises((ValueError, RuntimeError)):
        dataset[:]
