"""Virtual chunks of Icechunk repositories, and repositories on servers. The repositories are those of test/unit/data/icechunk, which icechunk
wrote; the name of the file in them is changed to another one of as many bytes. icechunk itself (1.1 and 2.3) refused what is refused
here: a file that changed since, one that ends before the chunk, one that is not there."""

import http.server
import json
import os
import pathlib
import re
import shutil
import struct
import tempfile
import threading

import h5py
import numpy as np
import pytest

from file_server import FileServer
from interpreter import Failed, Interpreter
from places import unpack
from range_server import Server

DATA = pathlib.Path(__file__).parents[1] / "unit" / "data" / "icechunk"
ARCHIVES = pathlib.Path(__file__).parent / "data"
NAME = b"file:///nobody/has/this/x.bin"
MODIFIED, ETAG = 2000000000, b"0123456789abcdef"
BYTES = bytes(range(100, 110))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self.server.log.append((self.path, self.headers.get("Range")))
        path = self.server.root / self.path.lstrip("/")
        if not path.is_file():
            return self.reply(404, b"")
        data, wanted = path.read_bytes(), re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        etag = f'"{self.server.etag}"' if self.server.etag else None
        if etag and self.headers.get("If-Match", etag) != etag:
            return self.reply(412, b"")
        if not wanted:
            return self.reply(200, data, ETag=etag)
        start, stop = int(wanted[1]), min(int(wanted[2]) + 1, len(data))
        if start >= len(data):
            return self.reply(416, b"")
        return self.reply(206, data[start:stop], ETag=etag, **{"Content-Range": f"bytes {start}-{stop - 1}/{len(data)}"})

    do_HEAD = do_GET

    def reply(self, status, body, **headers):
        self.send_response(status)
        for name, value in {**headers, "Last-Modified": self.server.modified, "Content-Length": str(len(body))}.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@pytest.fixture
def server(where):
    server = Server(("127.0.0.1", 0), Handler)
    server.root, server.log, server.etag, server.modified = where, [], ETAG.decode(), "Sat, 01 Jan 2000 00:00:00 GMT"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def where():
    """A directory with a short name."""
    directory = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    yield directory
    shutil.rmtree(directory)


def repository(where, version, name, modified=MODIFIED):
    """A copy in which that name stands for the file of virtual chunks."""
    assert len(name) == len(NAME), name
    path = shutil.copytree(DATA / f"v{version}", where / "repo")
    found = 0
    for file in (path / "manifests").iterdir():
        content = file.read_bytes()
        found += content.count(NAME)
        content = content.replace(NAME, name.encode())
        file.write_bytes(content.replace(struct.pack("<I", MODIFIED), struct.pack("<I", modified)))
    assert found > 0
    return path


def read(path, key="v", part=None):
    with h5py.File(path, "r") as f:
        return f[key][...].tolist() if part is None else f[key][part[0]:part[1]].tolist()


def fails(path, part, *said):
    with h5py.File(path, "r") as f, pytest.raises(OSError) as failure:
        f["v"][part[0]:part[1]]
    for text in said:
        assert text in str(failure.value), str(failure.value)


@pytest.fixture(scope="module")
def anywhere():
    interpreter = Interpreter({**os.environ, "VOL_ZARR_TARGETS": "anywhere"})
    yield interpreter
    interpreter.stop()


@pytest.fixture(scope="module")
def below():
    interpreter = Interpreter({**os.environ, "VOL_ZARR_TARGETS": "below"})
    yield interpreter
    interpreter.stop()


# ---- local files ----

@pytest.mark.parametrize("version", [1, 2])
def test_local_file(where, version):
    path = repository(where, version, f"file://{where}/x.bin")
    fails(path, (0, 2), str(path), "@branch.main", "v/c/0", f"{where}/x.bin", "cannot find it")
    (where / "x.bin").write_bytes(BYTES)
    os.utime(where / "x.bin", (MODIFIED - 1, MODIFIED - 1))
    assert read(path, part=(0, 4)) == [100, 101, 102, 103]
    assert read(path, "g/a")[4][2:] == [103, 104]  # of an edge chunk
    os.utime(where / "x.bin", (MODIFIED, MODIFIED))
    assert read(path, part=(0, 4)) == [100, 101, 102, 103]
    os.utime(where / "x.bin", (MODIFIED + 1, MODIFIED + 1))
    assert read(path, part=(0, 2)) == [100, 101]
    fails(path, (2, 4), "v/c/1", "it was changed since its reference was made")
    fails(path, (4, 6), "ETag")
    (where / "x.bin").write_bytes(b"a")
    fails(path, (0, 2), "the file has 1 bytes")


@pytest.mark.parametrize("version", [1, 2])
def test_changed_while_it_is_open(where, version):
    path = repository(where, version, f"file://{where}/x.bin")
    (where / "x.bin").write_bytes(BYTES)
    os.utime(where / "x.bin", (MODIFIED - 1, MODIFIED - 1))
    with h5py.File(path, "r") as f:
        assert f["v"][2] == 102
        os.utime(where / "x.bin", (MODIFIED + 1, MODIFIED + 1))
    fails(path, (2, 4), "it was changed since")


@pytest.mark.parametrize("version", [1, 2])
def test_names_elsewhere(where, tmp_path, anywhere, version):
    """Only below the directory that the repository lies in."""
    (where / "x.bin").write_bytes(BYTES)
    path = repository(tmp_path, version, f"file://{where}/x.bin")
    fails(path, (0, 2), f"{where}/x.bin", "does not lie below", "targets=anywhere")
    assert anywhere.run(read, str(path), "v", (0, 2)) == [100, 101]


def test_steps_up(where):
    """Names count as what they lead to."""
    (where / "x.bin").write_bytes(BYTES)
    (where / "a").mkdir()
    name = f"file://{where}/x.bin"
    path = repository(where / "a", 2, name)
    fails(path, (0, 2), "does not lie below")


# ---- containers ----

def named_repository(where, prefix):
    """Its chunks are vcc://here/x.bin, vcc://here/sub/y.bin, and vcc://gone/x.bin, which no container has. `prefix`: of "here"."""
    path = shutil.copytree(DATA / "v2-named", where / "repo")
    old = b"file:///nobody/has/this/"
    content = (path / "repo").read_bytes()
    assert content.count(old) == 4 and len(prefix) == len(old), prefix
    (path / "repo").write_bytes(content.replace(old, prefix.encode()))
    return path


def test_named_containers(where):
    path = named_repository(where, f"file://{where}/")
    (where / "sub").mkdir()
    (where / "x.bin").write_bytes(BYTES)
    (where / "sub" / "y.bin").write_bytes(BYTES[::-1])
    with h5py.File(path, "r") as f:
        assert f["w"][:2].tolist() == [100, 101] and f["w"][2:4].tolist() == [108, 107] and f["w"][6:].tolist() == [9, 9]
        with pytest.raises(OSError, match='the container "gone"'):
            f["w"][4:6]
    (where / "repo" / "repo").unlink()
    with pytest.raises(OSError):
        h5py.File(path, "r")


def test_named_containers_elsewhere(where, tmp_path):
    """The name of a container leads no further than that of a file."""
    (where / "x.bin").write_bytes(BYTES)
    path = named_repository(tmp_path, f"file://{where}/")
    with h5py.File(path, "r") as f, pytest.raises(OSError, match="does not lie below"):
        f["w"][:2]


def test_named_containers_on_a_server(server, where, anywhere):
    prefix = f"http://127.0.0.1:{server.server_address[1]}/"
    if len(prefix) > 24:
        pytest.skip("a port of too many digits")
    prefix = prefix.ljust(24, "/")
    path = named_repository(where, prefix)
    for name, content in ("x.bin", BYTES), ("sub/y.bin", BYTES[::-1]):
        place = server.root / (prefix + name).partition(f":{server.server_address[1]}/")[2].lstrip("/")
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)
    assert anywhere.run(read, str(path), "w", (0, 4)) == [100, 101, 108, 107]


# ---- servers ----

def web(server):
    return f"http://127.0.0.1:{server.server_address[1]}/".ljust(len(NAME), "x")


def put(server, content=BYTES):
    (server.root / web(server).rpartition("/")[2]).write_bytes(content)


@pytest.mark.parametrize("version", [1, 2])
def test_file_on_a_server(server, where, anywhere, version):
    put(server)
    path = repository(where, version, web(server))
    fails(path, (0, 2), "a private network", "targets=anywhere")
    assert server.log == []
    assert anywhere.run(read, str(path)) == [100, 101, 102, 103, 104, 105]
    server.log.clear()
    server.etag = "another"
    assert anywhere.run(read, str(path), "v", (0, 4)) == [100, 101, 102, 103]
    with pytest.raises(Failed, match="it was changed since its reference was made"):
        anywhere.run(read, str(path), "v", (4, 6))
    server.modified = "Fri, 01 Jan 2100 00:00:00 GMT"
    assert anywhere.run(read, str(path), "v", (0, 2)) == [100, 101]
    with pytest.raises(Failed, match="it was changed since its reference was made"):
        anywhere.run(read, str(path), "v", (2, 4))
    with pytest.raises(Failed, match="it was changed since its reference was made"):
        anywhere.run(read, str(path))
    put(server, b"a")
    server.etag, server.modified = None, None
    with pytest.raises(Failed):
        anywhere.run(read, str(path), "v", (0, 2))


@pytest.mark.parametrize("version", [1, 2])
def test_repository_on_a_server(server, where, reader, below, version):
    archive = unpack(ARCHIVES / f"icechunk-{version}.tar.xz", where) / f"icechunk-{version}"
    address = f"http://127.0.0.1:{server.server_address[1]}/icechunk-{version}"
    with np.load(archive / "expected.npz") as expected:
        for key in expected.files:
            if expected[key].dtype.kind in "iufc":
                name, word, path = key.split("|")
                assert reader.run(read, f"{address}/{name}|icechunk:{word}", path or "array") == expected[key].tolist(), key
    assert reader.run(read, f"{address}/many", "many") == [[3] * 50] * 60
    with pytest.raises(Failed, match='there is no branch "nope"'):
        reader.run(read, f"{address}/history|icechunk:@branch.nope", "grid")
    for file in (archive / "many" / "chunks").iterdir():
        file.unlink()
    with pytest.raises(Failed, match="there is no such file"):
        reader.run(read, f"{address}/many", "many")
    repository(where, version, web(server))
    put(server)
    assert reader.run(read, f"http://127.0.0.1:{server.server_address[1]}/repo", "v") == [100, 101, 102, 103, 104, 105]
    assert below.run(read, f"http://127.0.0.1:{server.server_address[1]}/repo", "v") == [100, 101, 102, 103, 104, 105]


@pytest.mark.parametrize("version", [1, 2])
def test_requests(server, where, reader, version):
    """What an open costs, and that the chunks of a read are asked for together."""
    archive = unpack(ARCHIVES / f"icechunk-{version}.tar.xz", where) / f"icechunk-{version}"
    address = f"http://127.0.0.1:{server.server_address[1]}/{archive.name}/many"
    reader.run(read, address, "many", (0, 1))
    chunks = [path for path, _ in server.log if "/chunks/" in path]
    manifests = [path for path, _ in server.log if "/manifests/" in path]
    snapshots = [path for path, _ in server.log if "/snapshots/" in path]
    assert len(chunks) == 2 and len(manifests) == 1 and len(snapshots) <= 2
    assert len(server.log) <= 30


def test_no_local_file_of_a_remote_repository(server, where, reader):
    (where / "x.bin").write_bytes(BYTES)
    repository(where, 2, f"file://{where}/x.bin")
    with pytest.raises(Failed, match="a file of this machine"):
        reader.run(read, f"http://127.0.0.1:{server.server_address[1]}/repo", "v", (0, 2))


@pytest.mark.parametrize("version", [1, 2])
def test_manifests_come_together(tmp_path, version):
    """The manifests of an array that is split into many: one round trip, and another for the chunks. The server knows no HEAD."""
    unpack(ARCHIVES / f"icechunk-{version}.tar.xz", tmp_path)
    where = tmp_path / f"icechunk-{version}"
    with np.load(where / "expected.npz") as expected:
        values = expected["history|@branch.main|a/b/sparse"]
    running = FileServer(where)
    try:
        with h5py.File(f"{running.url}/history", "r") as f:
            dataset = f["a/b/sparse"]
            running.clear(together=80)
            np.testing.assert_array_equal(dataset[...], values)
            manifests = [each for each in running.log if "/manifests/" in each[3]]
            assert len(manifests) == 3 and running.rounds() <= 2, running.log
        with h5py.File(f"{running.url}/history|icechunk:@branch.main", "r") as f:
            np.testing.assert_array_equal(f["a/b/sparse"][...], values)
    finally:
        running.stop()


@pytest.mark.parametrize("version", [1, 2])
def test_check_reads_virtual_chunks(where, h5zarr, version):
    """h5zarr check tells of chunks whose file ends early, was changed or is gone. What one has by its ETag no local file can be."""
    source = where / "x.bin"
    path = repository(where, version, f"file://{where}/x.bin")

    def wrong(expect=1):
        found = json.loads(h5zarr("check", "--json", path, expect=expect).stdout)["findings"]
        return {each["object"]: each["text"] for each in found if each["kind"] == "chunk"}

    source.write_bytes(BYTES)
    os.utime(source, (MODIFIED, MODIFIED))
    usual = wrong()
    assert list(usual) == ["v/c/2"] and "ETag" in usual["v/c/2"]
    os.utime(source, (MODIFIED + 1, MODIFIED + 1))
    assert "changed" in wrong()["v/c/1"] and "v/c/0" not in wrong()
    source.write_bytes(BYTES[:1])
    os.utime(source, (MODIFIED, MODIFIED))
    assert "the file has 1 bytes" in wrong()["v/c/0"] and any(name.startswith("g/a/") for name in wrong())
    source.unlink()
    assert "cannot find it" in wrong()["v/c/0"]
