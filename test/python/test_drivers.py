"""Stores behind any driver of HDF5's: zip files and one-file stores through Python's file objects, in memory, and what
else an access list names. Each program must end well: HDF5 leaks the access list of an open that a plugin answered, and a
driver whose code runs too late at exit crashes."""

import zipfile

import h5py
import numpy as np
import pytest
import zarr

import drivers
import large_stores
from drivers import X, run
from interpreter import run_once
from places import with_connector

# How HDF5 finds us: by the plugin path alone, or as the default connector.
WAYS = [None, "zarr", "zarr create=*.zarr"]


@pytest.fixture(scope="module")
def stores(connector, tmp_path_factory):
    where = tmp_path_factory.mktemp("drivers")
    for name in ("a.zip", "d.zarr"):
        connector.run(drivers.make_store, str(where / name))
    one = drivers.run("""
with h5py.File(sys.argv[1], "w") as f:
    f["x"] = X
    f["z"] = Z
    f["names"] = ["Ann", "Bo"]
    f.attrs["unit"] = "reads"
""", where / "one.h5", connector="zarr container=file")
    assert one == ""
    with h5py.File(where / "native.h5", "w") as f:
        f["x"] = 1
    return where


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["a.zip", "one.h5"])
def test_read(stores, name, way):
    """All of it, through each driver; no id is left."""
    code = """
path = sys.argv[1]
data = open(path, "rb").read()
def image():
    return h5py.File(h5py.h5f.open_file_image(data))
def logged():
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_fapl_log(b"", 0, 0)
    return h5py.File(h5py.h5f.open(path.encode(), h5py.h5f.ACC_RDONLY, access))
def through(driver, **how):
    return lambda: h5py.File(path, "r", driver=driver, **how)
ways = [lambda: h5py.File(io.BytesIO(data), "r"), lambda: h5py.File(open(path, "rb"), "r"),
        through("core"), through("core", backing_store=False), through("stdio"), through("sec2"), image, logged]
for open_ in ways:
    with open_() as f:
        check(f)
    before = ids()
    for _ in range(3):
        with open_() as f:
            check(f)
    assert ids() == before
print(h5py.File(io.BytesIO(data), "r").driver)
"""
    assert run(code, stores / name, connector=way) == "fileobj\n"


@pytest.mark.parametrize("way", WAYS)
def test_written_object(stores, way):
    """What is written through an object is in the object, a zip for everybody; its bytes on the disk stay."""
    code = """
before = open(sys.argv[1], "rb").read()
inside = io.BytesIO(before)
with h5py.File(inside, "r+") as f:
    f["x"][0, 0] = 77
    f["new"] = np.arange(10)
    f.flush()
    assert f["x"][0, 0] == 77 and f["new"][3] == 3
    del f["z"]
with h5py.File(inside, "r") as f:
    assert f["x"][0, 0] == 77 and sorted(f) == ["names", "new", "x"]
with h5py.File(inside, "a") as f:
    f["more"] = 1
assert open(sys.argv[1], "rb").read() == before
open(sys.argv[2], "wb").write(inside.getvalue())
"""
    out = stores / f"written-{WAYS.index(way)}.zip"
    run(code, stores / "a.zip", out, connector=way)
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
    group = zarr.open_group(zarr.storage.ZipStore(out, mode="r"), mode="r")
    assert group["x"][0, 0] == 77 and (group["x"][1:] == X[1:]).all() and list(group["new"][:]) == list(range(10))
    assert sorted(group) == ["more", "names", "new", "x"]


def test_written_file_objects(stores, tmp_path):
    """open() and tempfile: the file that the object leads to."""
    code = """
import tempfile
before = open(sys.argv[1], "rb").read()
open(sys.argv[2], "wb").write(before)
with open(sys.argv[2], "r+b") as on_disk, h5py.File(on_disk, "r+") as f:
    f["x"][1, 1] = 99
with tempfile.NamedTemporaryFile() as temporary, tempfile.TemporaryFile() as other:
    for file in (temporary, other):
        file.write(before)
        with h5py.File(file, "r+") as f:
            f["new"] = 5
        with h5py.File(file, "r") as f:
            check(f)
            assert f["new"][()] == 5
"""
    run(code, stores / "a.zip", tmp_path / "a.zip")
    assert zarr.open_group(zarr.storage.ZipStore(tmp_path / "a.zip", mode="r"), mode="r")["x"][1, 1] == 99


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["a.zip", "one.h5"])
def test_core(stores, tmp_path, name, way):
    """In memory: with a backing store the file has it when it is closed; without one it stays as it was."""
    code = """
path, backing = sys.argv[1], sys.argv[2] == "True"
before = open(path, "rb").read()
with h5py.File(path, "r+", driver="core", backing_store=backing) as f:
    check(f)
    f["x"][2, 2] = 55
    f["new"] = np.arange(1000)
    assert f["x"][2, 2] == 55 and f["new"][999] == 999
assert backing == (open(path, "rb").read() != before)
with h5py.File(path, "r") as f:
    assert f["x"][2, 2] == (55 if backing else 2002) and ("new" in f) == backing
"""
    for backing in (False, True):
        path = tmp_path / f"{backing}-{name}"
        path.write_bytes((stores / name).read_bytes())
        run(code, path, backing, connector=way)
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None and ("new/.zarray" in archive.namelist()) == backing


def test_core_image_written(stores):
    """An image that was given is changed in memory, and nowhere else."""
    code = """
data = open(sys.argv[1], "rb").read()
with h5py.File(h5py.h5f.open_file_image(data, h5py.h5f.FILE_IMAGE_OPEN_RW if hasattr(h5py.h5f, "FILE_IMAGE_OPEN_RW") else 1)) as f:
    f["x"][0, 0] = 7
    f.flush()
    assert f["x"][0, 0] == 7
assert open(sys.argv[1], "rb").read() == data
"""
    run(code, stores / "a.zip")


@pytest.mark.parametrize("way", WAYS)
def test_no_stores(stores, way):
    """Failed opens, of what is no store or cannot be one behind that driver: errors, and an end without a crash."""
    code = """
where = sys.argv[1]
def fails(*name, **how):
    try:
        h5py.File(*name, "r", **how)
    except (OSError, ValueError) as error:
        return str(error)
    raise AssertionError((name, how))
damaged = open(where + "/a.zip", "rb").read()
damaged, no_root = damaged[:3000], damaged.replace(b".zgroup", b".xgroup")
def all_():
    said = []
    for name in ("a.zip", "one.h5", "d.zarr", "native.h5", "missing", "m%d.zip"):
        for how in (dict(driver="family"), dict(driver="family", memb_size=1000), dict(driver="split")):
            said.append(fails(where + "/" + name, **how))
    for driver in ("core", "stdio"):
        said.append(fails(where + "/missing", driver=driver))
    said.append(fails(where + "/d.zarr", driver="core"))
    for data in (b"", b"x" * 5000, damaged, no_root, b"PK\\5\\6" + bytes(18), b"PK\\3\\4" + bytes(5000)):
        said.append(fails(io.BytesIO(data)))
    return said
all_()
before = ids()
all_()
assert ids() == before
"""
    run(code, stores, connector=way)


@pytest.mark.parametrize("way", WAYS)
def test_native_files_behind_drivers(stores, way):
    """HDF5 files in objects and in memory: as ever, also when they are made."""
    code = """
inside = io.BytesIO()
with h5py.File(inside, "w") as f:
    f["x"] = X
    assert f.driver == "fileobj"
assert inside.getvalue()[:4] == b"\\x89HDF" and b"one-file store" not in inside.getvalue()[:200]
with h5py.File(inside, "r+") as f:
    f["y"] = 1
with h5py.File(inside, "r") as f:
    assert (f["x"][:] == X).all() and f["y"][()] == 1
with h5py.File(sys.argv[1] + "/native.h5", "r", driver="core", backing_store=False) as f:
    assert f["x"][()] == 1
with h5py.File(h5py.h5f.open_file_image(inside.getvalue())) as f:
    assert f["y"][()] == 1
with h5py.File("memory", "w", driver="core", backing_store=False) as f:
    f["x"] = X
    f.flush()
    image = f.id.get_file_image()
with h5py.File(h5py.h5f.open_file_image(image)) as f:
    assert (f["x"][:] == X).all()
assert not os.path.exists("memory")
"""
    run(code, stores, connector=way)


@pytest.mark.parametrize("container", ["file", "zip"])
def test_created(tmp_path, container):
    """Where one file is asked for, an object and a file in memory become one."""
    code = """
inside = io.BytesIO(b"something else" * 100_000)
def fill(f):
    f["x"] = X
    f["z"] = Z
    f["names"] = ["Ann", "Bo"]
    f.attrs["unit"] = "reads"
with h5py.File(inside, "w") as f:
    fill(f)
    assert f.driver == "fileobj"
with h5py.File(inside, "r") as f:
    check(f)
open(sys.argv[1], "wb").write(inside.getvalue())
with h5py.File(sys.argv[2], "w", driver="core") as f:
    fill(f)
    f.flush()
    f["x"][0, 0] = 0
with h5py.File(sys.argv[2], "r") as f:
    check(f)
with h5py.File(sys.argv[2] + ".none", "w", driver="core", backing_store=False) as f:
    fill(f)
    check(f)
assert not os.path.exists(sys.argv[2] + ".none")
before = ids()
with h5py.File(inside, "w") as f:
    f["x"] = 1
assert ids() == before and len(inside.getvalue()) < 20_000
for how in (dict(driver="family"), dict(driver="split")):
    with h5py.File(sys.argv[1] + "-%d", "w", **how) as f:
        f["x"] = 1
    with h5py.File(sys.argv[1] + "-%d", "r", **how) as f:
        assert f["x"][()] == 1
with h5py.File(io.BytesIO(), "w", userblock_size=1024) as f:
    assert f.userblock_size == 1024
""" if container == "file" else """
inside = io.BytesIO()
with h5py.File(inside, "w") as f:
    f["x"] = X
open(sys.argv[1], "wb").write(inside.getvalue())
"""
    run(code, tmp_path / "a", tmp_path / "b", connector=f"zarr container={container}")
    assert (tmp_path / "a").read_bytes()[:4] == (b"\x89HDF" if container == "file" else b"PK\3\4")
    with zipfile.ZipFile(tmp_path / "a") as archive:
        assert archive.testzip() is None
    assert (zarr.open_group(zarr.storage.ZipStore(tmp_path / "a", mode="r"), mode="r")["x"][:] == X).all()


def test_left_open(stores):
    """A program that ends without closing its files ends well."""
    run("""
f = h5py.File(io.BytesIO(open(sys.argv[1], "rb").read()), "r")
d = f["x"]
g = h5py.File(sys.argv[1], "r", driver="core")
assert d[0, 1] == 1
""", stores / "a.zip")


def test_same_file_twice(stores, tmp_path):
    """Two opens of one file through one driver are one store where the driver can tell, as HDF5 files are."""
    path = tmp_path / "a.zip"
    path.write_bytes((stores / "a.zip").read_bytes())
    run("""
how = dict(driver="core", backing_store=True)
with h5py.File(sys.argv[1], "r+", **how) as f, h5py.File(sys.argv[1], "r+", **how) as again:
    f["x"][0, 0] = 7
    assert again["x"][0, 0] == 7 and f["x"] == again["x"]
with h5py.File(sys.argv[1], "r") as f:
    assert f["x"][0, 0] == 7
data = io.BytesIO(open(sys.argv[1], "rb").read())
with h5py.File(data) as f, h5py.File(data) as again, h5py.File(sys.argv[1]) as apart:
    assert f["x"][0, 0] == again["x"][0, 0] == 7 and f["x"] != apart["x"]
""", path)


def test_errors_of_the_object(stores):
    """An object that fails is an error of the call, and of the close that cannot write."""
    run("""
class Failing(io.BytesIO):
    fails = False
    def readinto(self, into):
        if self.fails:
            raise OSError("the network is gone")
        return super().readinto(into)
    def write(self, data):
        if self.fails:
            raise OSError("the disk is full")
        return super().write(data)
def raises(call):
    try:
        call()
    except Exception as error:
        return str(error)
    raise AssertionError("no error")
file = Failing(open(sys.argv[1], "rb").read())
f = h5py.File(file, "r")
file.fails = True
raises(lambda: f["x"][5])
file.fails = False
assert f["x"][5, 7] == 5007
f.close()
f = h5py.File(file, "r+")
f["new"] = 1
file.fails = True
raises(f.flush)
file.fails = False
f.flush()
f.close()
with h5py.File(file, "r") as f:
    check(f)
    assert f["new"][()] == 1
""", stores / "a.zip")


def test_external_links(stores, tmp_path):
    """The names of external links are paths, whatever the store lies behind."""
    code = """
os.chdir(sys.argv[1])
with h5py.File("from.zip", "w") as f:
    f["to"] = h5py.ExternalLink("a.zip", "/x")
    f["to native"] = h5py.ExternalLink("native.h5", "/x")
"""
    run(code, stores, connector="zarr")
    run("""
os.chdir(sys.argv[1])
with h5py.File(io.BytesIO(open("from.zip", "rb").read()), "r") as f:
    assert f["to"][5, 7] == 5007 and f["to native"][()] == 1
""", stores)


def test_threads(stores):
    """Chunks are decoded by many threads, and the object is called in one."""
    run("""
import threading
class Watched(io.BytesIO):
    threads = set()
    def readinto(self, into):
        self.threads.add(threading.get_ident())
        return super().readinto(into)
file = Watched(open(sys.argv[1], "rb").read())
with h5py.File(file, "r") as f:
    check(f)
assert file.threads == {threading.get_ident()}
""", stores / "a.zip", connector="zarr threads=8")


# ---- changed where it is ----

COUNTING = """
class Counting:
    '''A file object that counts what is written to it, and ends the process at a write.'''
    def __init__(self, file, last=-1):
        self.file, self.written, self.left = file, 0, last
    def write(self, data):
        if self.left == 0:
            self.file.flush()
            os._exit(9)
        self.left -= 1
        self.written += len(data)
        return self.file.write(data)
    def __getattr__(self, name):
        return getattr(self.file, name)
"""


@pytest.mark.parametrize("container", ["file", "zip"])
def test_what_is_there_is_not_written_again(tmp_path, container):
    """1 MiB more in a store of 1 GiB, through a file object."""
    path = tmp_path / "s"
    run_once(with_connector(f"zarr container={container};compress=none"), large_stores.make, str(path), 1, 1 << 30)
    assert path.stat().st_size > 1 << 30 > 64 * path.stat().st_blocks * 512
    run(COUNTING + """
file = Counting(open(sys.argv[1], "r+b"))
with h5py.File(file, "r+") as f:
    f.create_dataset("more", data=np.random.default_rng(1).integers(0, 256, 1 << 20, "u1"))
assert 1 << 20 < file.written < 5 << 18, file.written
file.file.close()
with h5py.File(open(sys.argv[1], "rb"), "r") as f:
    assert f["x"].shape == (1 << 30,) and f["more"].shape == (1 << 20,)
""", path)
    assert path.stat().st_size > 1 << 30 > 64 * path.stat().st_blocks * 512
    assert set(zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")) == {"x", "more"}


@pytest.mark.parametrize("name", ["a.zip", "one.h5"])
def test_a_process_that_dies(stores, tmp_path, name):
    """Whatever was written through the object by then, everybody reads what was there, or what is new."""
    run(COUNTING + """
before = open(sys.argv[1], "rb").read()
for last in range(40):
    path = f"{sys.argv[2]}/{last}"
    open(path, "wb").write(before)
    child = os.fork()
    if child == 0:
        with h5py.File(Counting(open(path, "r+b"), last), "r+") as f:
            f["x"][0, 0] = 77
            f["new"] = np.arange(100_000)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 9), status
    if status == 0:
        break
""", stores / name, tmp_path)
    left = sorted(tmp_path.iterdir(), key=lambda path: int(path.name))
    is_new = []
    for path in left:
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
        group = zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")
        is_new.append("new" in group)
        assert group["x"][0, 0] == (77 if "new" in group else 0) and (group["x"][1:] == X[1:]).all()
        with h5py.File(path, "r") as f:
            assert ("new" in f) == ("new" in group) and (f["x"][1:] == X[1:]).all()
    assert is_new == sorted(is_new) and is_new[-1] and not is_new[5]


def test_somebody_else_writes_the_file(stores, tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes((stores / "a.zip").read_bytes())
    run("""
f = h5py.File(open(sys.argv[1], "r+b"), "r+")
f["new"] = 1
with h5py.File(sys.argv[1], "r+") as other:
    other["other"] = 2
try:
    f.flush()
except Exception as error:
    assert "somebody else changed the zip file" in str(error), error
else:
    raise AssertionError
try:
    f.close()
    f.close()
except Exception:
    pass
with h5py.File(sys.argv[1], "r") as f:
    check(f)
    assert f["other"][()] == 2 and "new" not in f
os._exit(0)
""", path)
