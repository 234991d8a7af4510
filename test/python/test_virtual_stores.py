"""h5zarr virtual with a store as OUT: lists beside arrays say where in the HDF5 file chunks lie. The judges are HDF5's tools and h5py on
the native file, and other readers of Zarr, which must refuse such arrays."""

import base64
import fcntl
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading

import h5py
import numpy as np
import pytest
import zarr

import view
from converting import COMMAND, LIBRARIES, left_behind, run
from places import shared
from range_server import Server
from test_zoo import PARTS, diff, dump, zoo  # noqa: F401 (a fixture)

NUMBERS = np.arange(60000, dtype="<i4").reshape(200, 300)
CONTAINERS = ["directory", "zip", "file"]


def make(source, *arguments, name="view.zarr", **more):
    run("virtual", "--quiet", *arguments, source, source.parent / name, **more)
    return source.parent / name


def listed(store):
    """Array -> its list, of a store that is a directory."""
    return {str(path.parent.relative_to(store)): json.loads(path.read_text()) for path in pathlib.Path(store).rglob("references.json")}


@pytest.fixture
def small(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f.create_dataset("chunks", data=NUMBERS, chunks=(30, 40), maxshape=(None, 300), compression="gzip", shuffle=True)
        f["contiguous"] = NUMBERS
        f["few"] = np.arange(3)
        f["again"], f["g/soft"] = f["chunks"], h5py.SoftLink("/chunks")
        f.attrs["to"] = f["chunks"].ref
        dcpl = f.create_dataset("left", (100,), "i4", chunks=(10,), compression="gzip").id
        f["left"][:50] = np.arange(50)
        dcpl.write_direct_chunk((20,), np.arange(500, 510, dtype="i4").tobytes(), filter_mask=1)
    return tmp_path / "x.h5"


# ---- everything, shown by our connector ----

@pytest.mark.parametrize("part", PARTS)
def test_the_zoo_is_dumped_alike(zoo, part, tool, tmp_path):  # noqa: F811
    source = pathlib.Path(shutil.copy(zoo / f"{part}.hdf5", tmp_path / f"{part}.hdf5"))
    ours = make(source, "--container", CONTAINERS[sorted(PARTS).index(part) % 3])
    assert dump(tool, ours) == dump(tool, source)
    assert left_behind(tmp_path, source.name, ours.name) == []


def test_h5diff_finds_no_difference(zoo, tool, tmp_path):  # noqa: F811
    source = pathlib.Path(shutil.copy(zoo / "storage.hdf5", tmp_path / "storage.hdf5"))
    same = shutil.copy(source, tmp_path / "same.h5")
    assert diff(tool, source, make(source)) == diff(tool, source, same)


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_way_back(small, container):
    path = make(small, "--container", container)
    with h5py.File(small) as native, h5py.File(path) as ours:
        assert view.tree(ours) == view.tree(native)
        assert ours["again"] == ours["chunks"] and ours[ours.attrs["to"]] == ours["chunks"]
        assert view.storage(ours["chunks"]) == view.storage(native["chunks"])
        chunks = [ours["chunks"].id.get_chunk_info(i) for i in range(ours["chunks"].id.get_num_chunks())]
        assert [c.size for c in chunks] == [native["chunks"].id.get_chunk_info_by_coord(c.chunk_offset).size for c in chunks]
    run("convert", "--quiet", path, small.parent / "back.h5")
    run("convert", "--compare", small, small.parent / "back.h5")
    out, _ = run("check", path)
    assert "nothing is wrong" in out and "not checked" not in out


def test_a_real_file(tmp_path):
    name = "nwb/2.1.0_nwbfile_with_extension.nwb"
    source = pathlib.Path(shutil.copy(shared(name), tmp_path))
    run("convert", "--compare", source, make(source))


# ---- what others see ----

def test_other_programs_refuse_the_arrays(small):
    """An error that names what is missing, never fill values."""
    path = make(small)
    assert set(listed(path)) == {"again", "contiguous", "left"}
    root = zarr.open_group(path, mode="r")
    assert root["few"][...].tolist() == [0, 1, 2] and not (path / ".zmetadata").exists()
    for name in ("again", "contiguous", "left"):
        with pytest.raises(Exception, match="vol_zarr_references"):
            root[name]
        with pytest.raises(Exception, match="vol_zarr_references"):
            zarr.open_array(path / name, mode="r")
    run("consolidate", path, expect=1)
    assert not (path / ".zmetadata").exists()


def test_tensorstore_refuses_the_arrays(small):
    tensorstore = pytest.importorskip("tensorstore")
    with pytest.raises(ValueError, match="vol_zarr_references"):
        tensorstore.open({"driver": "zarr", "kvstore": {"driver": "file", "path": str(make(small) / "again")}}).result()


# ---- writing ----

@pytest.mark.parametrize("container", CONTAINERS)
def test_what_is_written(small, container):
    """All but elements and extents of arrays whose chunks lie elsewhere."""
    path = make(small, "--container", container)
    with h5py.File(path, "r+") as f:
        d = f["chunks"]
        d.attrs["new"], f["new"] = 5, np.arange(10)
        for change in (lambda: d.__setitem__((0, 0), 1), lambda: d.resize((300, 300)), lambda: d.resize((10, 300)),
                       lambda: d.id.write_direct_chunk((0, 0), b"abc"), lambda: f["contiguous"].__setitem__((0, 0), 1)):
            with pytest.raises((OSError, RuntimeError), match="references to another file"):
                change()
        f.move("contiguous", "g/moved")
        f.copy("left", "copied")
        np.testing.assert_array_equal(f["g/moved"][...], NUMBERS)
    with h5py.File(path, "r+") as f:
        np.testing.assert_array_equal(f["chunks"][...], NUMBERS)
        np.testing.assert_array_equal(f["g/moved"][...], NUMBERS)
        assert f["copied"][20:30].tolist() == list(range(500, 510)) and f["chunks"].attrs["new"] == 5 and f["new"][9] == 9
        gone = f["copied"]
        del f["copied"]
        assert gone[25] == 505
        f["copied"] = np.zeros((100,), "i4")
    with h5py.File(path) as f:
        assert not f["copied"][...].any()
    run("virtual", "--quiet", "--overwrite", "--container", container, small, path)
    run("convert", "--compare", small, path)


COPY = """
import sys, h5py
with h5py.File(sys.argv[1]) as f, h5py.File(sys.argv[2], "w") as to:
    f.copy("few", to)
    f.copy("contiguous", to)
"""


def test_a_copy_to_another_store_is_refused(small):
    """Names count from the store in which the list is."""
    result = subprocess.run([sys.executable, "-c", COPY, make(small), small.parent / "other.zarr"], capture_output=True, text=True,
                            env={**os.environ, "HDF5_VOL_CONNECTOR": "zarr create=*.zarr"})
    assert result.returncode == 1 and "references to another file" in result.stderr, result.stderr


# ---- sources ----

def test_a_source_that_was_changed(small):
    path, before = make(small), os.stat(small)
    os.utime(small, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    for damage in (lambda: None, lambda: os.truncate(small, 5000), lambda: os.unlink(small)):
        damage()
        with h5py.File(path) as f:
            assert f["few"][2] == 2
            for name in ("chunks", "contiguous", "left"):
                with pytest.raises(OSError, match="x.h5.*(changed since|No such file)"):
                    f[name][...]


def test_a_list_that_is_damaged_or_missing(small):
    path = make(small)
    (path / "left/references.json").write_text('{"version": 1, "refs": {"0": 5}}')
    (path / "contiguous/references.json").write_text("text")
    os.unlink(path / "again/references.json")
    with h5py.File(path) as f:
        for name in ("left", "contiguous", "again"):
            with pytest.raises((OSError, KeyError, RuntimeError), match=name):
                f[name][...]
        assert f["again"].shape == (200, 300) and list(f)
    out, said = run("check", path, expect=1)
    assert "again: the list of its chunks, references.json, is missing" in out + said


def test_both_are_moved(small):
    path = make(small)
    moved = small.parent / "moved"
    moved.mkdir()
    for each in (small, path):
        shutil.move(each, moved / each.name)
    with h5py.File(moved / path.name) as f:
        np.testing.assert_array_equal(f["contiguous"][...], NUMBERS)
    (moved / "sub").mkdir()
    _, said = run("virtual", moved / "x.h5", moved / "sub" / "v.zarr")
    assert "targets=anywhere" in said
    with h5py.File(moved / "sub" / "v.zarr") as f, pytest.raises(OSError, match="targets=anywhere"):
        f["contiguous"][...]


def test_what_is_refused(small, tmp_path):
    for arguments in (["--container", "tar"], ["--relative", "--url", "https://example.org/x"]):
        run("virtual", *arguments, small, tmp_path / "v.zarr", expect=2)
    out, _ = run("virtual", "--json", small, tmp_path / "v.zarr")
    told = json.loads(out)
    values = [value for lines in listed(tmp_path / "v.zarr").values() for value in lines["refs"].values()]
    copied = [base64.b64decode(value.removeprefix("base64:")) for value in values if isinstance(value, str)]
    assert told["references"] == len(values) - 1 and len(copied) == 1
    assert told["source"] == "x.h5" and told["inlined"] == 24 + len(copied[0])
    with h5py.File(small, "a") as f:
        f.create_dataset("y", data=NUMBERS, chunks=(10, 10), scaleoffset=0)
    _, said = run("virtual", "--inline", "1K", small, tmp_path / "w.zarr", expect=1)
    assert "/y" in said and "scaleoffset" in said and left_behind(tmp_path, "x.h5", "v.zarr") == []


def test_a_killed_run(tmp_path):
    """Nothing has the name, and the next run removes what is left."""
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f.create_dataset("x", (200_000,), "u1", chunks=(1,))[:] = 1
    environment = {**os.environ, "VOL_ZARR_HDF5": str(LIBRARIES["tools"] or LIBRARIES["wheel"])}
    process = subprocess.Popen([COMMAND, "virtual", "--quiet", tmp_path / "x.h5", tmp_path / "v.zarr"], env=environment)
    while not left_behind(tmp_path, "x.h5") and process.poll() is None:
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    for lock in tmp_path.glob("*.lock"):  # its child has it until it is dead, too
        with open(lock) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
    assert not (tmp_path / "v.zarr").exists()
    with h5py.File(tmp_path / "y.h5", "w") as f:
        f["y"] = NUMBERS
    make(tmp_path / "y.h5")
    assert left_behind(tmp_path, "x.h5", "y.h5", "view.zarr") == []

# ---- filters that no other reader of Zarr has ----

OWN_FILTERS = {
    "lz4": (dict(), "LZ4"),
    "lz4 in blocks": (dict(nbytes=1000), "LZ4"),
    "bitshuffle": (dict(cname="none"), "Bitshuffle"),
    "bitshuffle in blocks": (dict(cname="none", nelems=64), "Bitshuffle"),
    "bitshuffle and lz4": (dict(cname="lz4"), "Bitshuffle"),
    "bitshuffle and lz4 in blocks": (dict(cname="lz4", nelems=256), "Bitshuffle"),
    "bitshuffle and zstd": (dict(cname="zstd", clevel=3), "Bitshuffle"),
}


@pytest.mark.parametrize("name", list(OWN_FILTERS))
def test_filters_of_our_own(tmp_path, name):
    """Elements of each size, chunks that no block divides, noise that LZ4 leaves as it is. A chunk of its decoded size may be one without filters
    at an edge, and is copied there."""
    hdf5plugin = pytest.importorskip("hdf5plugin")
    arguments, filter = OWN_FILTERS[name]
    rng, source = np.random.default_rng(1), tmp_path / "x.h5"
    data = {"i1": rng.integers(-100, 100, (50, 77)).astype("i1"), "u2": np.arange(3000).reshape(50, 60).astype("u2"),
            "f4": rng.normal(size=(50, 60)).astype("f4"), "big": rng.normal(size=(33, 47)).astype(">f8"),
            "c16": rng.normal(size=(20, 30)) + 1j, "zeros": np.zeros((90, 90), "i8")}
    with h5py.File(source, "w") as f:
        for key, values in data.items():
            f.create_dataset(key, data=values, chunks=values.shape if arguments.get("cname") == "none" else (13, 17), **getattr(hdf5plugin, filter)(**arguments))
        if filter == "LZ4":
            f.create_dataset("shuffled", data=data["u2"], chunks=(13, 17), shuffle=True, fletcher32=True, **hdf5plugin.LZ4())
    plugins = {"VZ_PLUGINS": hdf5plugin.PLUGIN_PATH, "HDF5_PLUGIN_PATH": hdf5plugin.PLUGIN_PATH}
    path = make(source, **plugins)
    lists = listed(path)
    with h5py.File(source) as native:
        assert set(lists) == set(native)
        assert all(isinstance(value, list) for lines in lists.values() for value in lines["refs"].values())
    run("convert", "--compare", source, path, **plugins)
    with h5py.File(path) as ours, h5py.File(source) as native:
        assert view.tree(ours) == view.tree(native)
        for key in native:
            assert ours[key].id.get_create_plist().get_filter(0)[0] == native[key].id.get_create_plist().get_filter(0)[0]
    run("virtual", "--quiet", source, tmp_path / "inline.json", **plugins)
    refs = json.loads((tmp_path / "inline.json").read_text())["refs"]
    assert not any(isinstance(value, list) for value in refs.values())
    run("virtual", "--quiet", "--own-codecs", "--inline", "0", source, tmp_path / "own.json", **plugins)
    with h5py.File(tmp_path / "own.json") as ours, h5py.File(source) as native:
        assert view.tree(ours) == view.tree(native)


def test_damaged_chunks_of_filters_of_our_own(tmp_path):
    """An error, whatever the bytes say."""
    hdf5plugin = pytest.importorskip("hdf5plugin")
    source = tmp_path / "x.h5"
    with h5py.File(source, "w") as f:
        f.create_dataset("x", data=np.arange(4000, dtype="i4"), chunks=(4000,), **hdf5plugin.Bitshuffle(cname="lz4"))
        place = f["x"].id.get_chunk_info(0)
    path = make(source, HDF5_PLUGIN_PATH=hdf5plugin.PLUGIN_PATH)
    before, times = source.read_bytes(), os.stat(source)
    for at, value in ((0, 1), (6, 200), (8, 255), (11, 9), (12, 255), (15, 9), (20, 255)):
        data = bytearray(before)
        data[place.byte_offset + at] = value
        source.write_bytes(data)
        os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
        with h5py.File(path) as f:
            try:
                f["x"][...]
            except OSError as error:
                assert "hdf5_bitshuffle" in str(error) or "bytes" in str(error)
            else:
                assert at == 20  # LZ4 has no checksum


# ---- files on servers ----

class Files(http.server.BaseHTTPRequestHandler):
    """Ranges of files, with ETags that follow their content."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        file = self.server.root / self.path.partition("?")[0].lstrip("/")
        data = file.read_bytes() if file.is_file() else None
        etag = f'"{hash(data)}"'
        status, body, headers = 404, b"", {}
        if data is not None and self.headers.get("If-Match", etag) not in (etag, "*"):
            status = 412
        elif data is not None:
            wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", "bytes=0-"))
            start = max(0, len(data) - int(wanted[2])) if not wanted[1] else int(wanted[1])
            stop = len(data) if not wanted[1] or not wanted[2] else min(len(data), int(wanted[2]) + 1)
            body = data[start:stop]
            status = 206 if "Range" in self.headers else 200
            headers = {"ETag": etag, "Content-Range": f"bytes {start}-{stop - 1}/{len(data)}"}
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET


@pytest.fixture
def server(tmp_path):
    server = Server(("127.0.0.1", 0), Files)
    server.root = tmp_path
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


READ = """
import sys, h5py, numpy as np
with h5py.File(sys.argv[1]) as f:
    for name in ("chunks", "contiguous"):
        np.testing.assert_array_equal(f[name][...], np.arange(60000, dtype="<i4").reshape(200, 300))
    assert f["left"][20] == 500 and f["few"][1] == 1
"""


def read_elsewhere(path, targets="anywhere"):
    """In another process: the options are those of the environment."""
    return subprocess.run([sys.executable, "-c", READ, path], capture_output=True, text=True,
                          env={**os.environ, "VOL_ZARR_TARGETS": targets})


@pytest.mark.parametrize("name", ["v.json", "v.zarr"])
def test_a_source_on_a_server(small, server, name):
    (small.parent / "out").mkdir()
    path = small.parent / "out" / name
    out, _ = run("virtual", "--json", f"{server}/x.h5", path)
    assert json.loads(out)["source"] == f"{server}/x.h5"
    lines = json.loads((path if name == "v.json" else path / "again/references.json").read_text())
    (note,) = lines["generationMetadata"]["sources"].values()
    assert note == {"size": small.stat().st_size, "etag": f'"{hash(small.read_bytes())}"'}
    read = read_elsewhere(path)
    assert read.returncode == 0, read.stderr
    refused = read_elsewhere(path, "network")
    assert refused.returncode == 1 and "targets=anywhere" in refused.stderr
    data = bytearray(small.read_bytes())
    data[-1] ^= 1
    small.write_bytes(data)
    changed = read_elsewhere(path)
    assert changed.returncode == 1 and "changed since its reference was made" in changed.stderr, changed.stderr


def test_names_of_sources_on_servers(small, server):
    target = small.parent / "v.json"
    _, said = run("virtual", f"{server}/x.h5?X-Amz-Signature=hunter2", target, expect=1)
    assert "--url" in said and not target.exists()
    run("virtual", "--quiet", "--url", "https://example.org/x.h5", f"{server}/x.h5?X-Amz-Signature=hunter2", target)
    assert "hunter2" not in target.read_text() and json.loads(target.read_text())["refs"]["contiguous/0.0"][0] == "https://example.org/x.h5"
    run("virtual", f"{server}/none.h5", small.parent / "w.json", expect=1)
    assert left_behind(small.parent, "x.h5", "v.json") == []


# ---- h5zarr check reads what the lists lead to ----

def checked(path, *options, expect):
    found = json.loads(run("check", "--json", *options, path, expect=expect, VOL_ZARR_TARGETS="anywhere")[0])
    return found, [(each["kind"], each["object"], each["text"]) for each in found["findings"] if each["wrong"]]


def damage(source, what):
    status = os.stat(source)
    if what == "gone":
        source.unlink()
    elif what == "touched":
        os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns + 10**9))
    else:
        with h5py.File(source) as f:
            place = f["chunks"].id.get_chunk_info(9).byte_offset
        if what == "short":
            os.truncate(source, place)
        else:  # the file looks as before
            with open(source, "r+b") as f:
                f.seek(place + 10)
                f.write(b"\xff" * 8)
            os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("container", [*CONTAINERS, "references"])
def test_check_finds_nothing(small, container):
    path = make(small, name="view.json") if container == "references" else make(small, "--container", container)
    found, wrong = checked(path, expect=0)
    assert not wrong and found["chunks"] > 60 and found["bytes"] > NUMBERS.nbytes
    assert not [each for each in found["findings"] if each["kind"] == "unjudged"]


SAID = {"gone": "No such file", "touched": "changed since its references were made", "short": "changed since its references were made"}


@pytest.mark.parametrize("what", SAID)
def test_check_of_another_source(small, what):
    """Each array is told of once, however many chunks it has; nothing is decoded."""
    path = make(small)
    damage(small, what)
    for options in ([], ["--quick"]):
        _, wrong = checked(path, *options, expect=1)
        assert sorted((kind, name) for kind, name, _ in wrong) == [("chunk", name) for name in sorted(listed(path))], wrong
        assert all(SAID[what] in text for _, _, text in wrong), wrong


@pytest.mark.parametrize("form", ["store", "references"])
def test_check_decodes_what_is_referred_to(small, form):
    path = make(small, name="view.json" if form == "references" else "view.zarr")
    damage(small, "bytes")
    _, wrong = checked(path, expect=1)
    assert [(kind, name) for kind, name, _ in wrong] == [("chunk", "again/1.1")], wrong
    assert not checked(path, "--quick", expect=0)[1]


def test_check_without_a_list(small):
    path = make(small)
    (path / "again" / "references.json").unlink()  # the first name of /chunks
    _, wrong = checked(path, expect=1)
    assert [(kind, name) for kind, name, _ in wrong] == [("chunk", "again")] and "missing" in wrong[0][2]


def test_check_of_a_name_that_the_policy_refuses(small, tmp_path):
    (tmp_path / "below").mkdir()
    path = tmp_path / "below" / "view.zarr"
    run("virtual", "--quiet", small, path)
    found = json.loads(run("check", "--json", path, expect=1)[0])
    assert all("targets=anywhere" in each["text"] for each in found["findings"] if each["wrong"])
    checked(path, expect=0)
