"""h5zarr serve: what Python's HTTP client, zarr-python, xarray, tensorstore and the connector find there."""

import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import zipfile

import h5py
import numpy as np
import pytest
import tensorstore
import xarray
import zarr

from converting import run
from places import COMMAND, files, with_connector
from range_server import handler_of
from serving import served

pytestmark = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores")

A = np.arange(6000.0).reshape(100, 60)


def make(path, zarr_format=3):
    group = zarr.open_group(path, mode="w", zarr_format=zarr_format)
    group.create_array("a", data=A, chunks=(10, 60))
    group.create_group("g").create_array("b ö", data=np.arange(10, dtype="i4"), chunks=(5,))
    group["g"].attrs["unit"] = "m"
    group.create_array("missing", shape=(4,), chunks=(2,), dtype="f4", fill_value=7)
    if zarr_format == 3:
        group.create_array("sharded", data=A, chunks=(10, 10), shards=(50, 60))
    zarr.consolidate_metadata(path)
    return path


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return make(tmp_path_factory.mktemp("served") / "x.zarr")


@pytest.fixture(scope="module")
def server(store):
    with served(store) as running:
        yield running


def path_of(key):
    return "/" + urllib.parse.quote(key)


def in_zip(store, archive):
    with zipfile.ZipFile(archive, "w") as out:
        for key, data in files(store).items():
            out.writestr(key, data)
    return archive


# ---- keys ----


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_all_keys(tmp_path, zarr_format):
    """Each file of the directory is there with its bytes, and nothing else is."""
    path = make(tmp_path / "x.zarr", zarr_format)
    with served(path) as server:
        for key, data in files(path).items():
            status, headers, body = server.ask(path_of(key))
            assert (status, body, int(headers["Content-Length"])) == (200, data, len(data)), key
            kind = "application/json" if key.split("/")[-1][0] in ".z" else "application/octet-stream"
            assert headers["Content-Type"] == kind and headers["X-Content-Type-Options"] == "nosniff"
            assert "Access-Control-Allow-Origin" not in headers and headers["Cache-Control"] == "no-cache"
            status, headers, body = server.ask(path_of(key), "HEAD")
            assert (status, body, int(headers["Content-Length"])) == (200, b"", len(data))
        for key in ("", "g", "g/", "a/c", "nothing", "a/nothing", "zarr.json/x", "x" * 300, "/".join(["y" * 200] * 30)):
            assert server.ask("/" + key)[0] == 404, key


def test_a_group_of_a_store(tmp_path, store):
    """STORE/PATH: the group is the root, in a directory and in a file."""
    for place in (store, in_zip(store, tmp_path / "x.zarr.zip")):
        with served(f"{place}/g") as server:
            assert server.ask("/zarr.json")[2] == (store / "g/zarr.json").read_bytes()
            assert server.ask("/a/zarr.json")[0] == 404 and server.ask("/g/zarr.json")[0] == 404


def kinds_of_stores(tmp_path, store):
    archive, one, reference, door = (tmp_path / name for name in ("x.zarr.zip", "one.h5", "x.json", "door.h5"))
    beside = shutil.copytree(store, tmp_path / "x.zarr")
    run("convert", "--container=zip", store, archive)
    run("convert", "--container=file", "--to=zarr", store, one)
    native = tmp_path / "native.h5"
    with h5py.File(native, "w") as f:
        f.create_dataset("a", data=A, chunks=(10, 60), compression="gzip")
        f.create_dataset("g/b ö", data=np.arange(10, dtype="i4"), chunks=(5,))
    run("virtual", native, reference)
    run("door", beside, door)
    return archive, one, reference, door


def test_kinds_of_stores(tmp_path, store):
    """zarr-python reads each of them over HTTP."""
    for place in kinds_of_stores(tmp_path, store):
        with served(place) as server:
            group = zarr.open_group(server.url, mode="r", use_consolidated=False)
            assert np.array_equal(group["a"][...], A), place
            assert np.array_equal(group["g/b ö"][...], np.arange(10)), place


def test_served_again(store):
    """A store at an HTTP server, which is h5zarr serve itself: what is asked for goes on to it."""
    with served(store) as first, served(first.url) as second:
        for key in ("zarr.json", "a/zarr.json", "a/c/3/0", "sharded/c/0/0"):
            data = (store / key).read_bytes()
            assert second.ask("/" + key)[2] == data
            status, headers, body = second.ask("/" + key, Range="bytes=-7")
            assert (status, body, headers["Content-Range"]) == (206, data[-7:], f"bytes {len(data) - 7}-{len(data) - 1}/{len(data)}")
            assert "ETag" not in headers
        assert second.ask("/nothing")[0] == 404


def test_a_server_that_refuses(store):
    """A refusal of the source is no absence."""

    class Refusing(handler_of(store, [])):
        def answer(self, with_body):
            if self.path.startswith("/a/c/"):
                self.send_error(403)
            else:
                super().answer(with_body)

    source = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    thread = threading.Thread(target=source.serve_forever)
    thread.start()
    try:
        with served(f"http://127.0.0.1:{source.server_address[1]}") as server:
            assert server.ask("/a/zarr.json")[0] == 200 and server.ask("/g/nothing")[0] == 404
            for path in ("/a/c/4/0", "/a/c/99/0"):
                assert server.ask(path)[0] == server.ask(path, Range="bytes=0-3")[0] == 502
            assert server.ask("/a/c/4/0", "HEAD")[0] == 502
    finally:
        source.shutdown()
        thread.join()
        source.server_close()


def test_a_source_that_does_not_answer(store):
    """It does not hold up the end."""
    with served(store) as first, served(first.url) as second, second.connect() as client:
        first.process.send_signal(signal.SIGSTOP)
        client.sendall(b"GET /a/c/0/0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(0.2)
        began = time.monotonic()
        assert second.stop()[0] == 0
        took = time.monotonic() - began
        first.process.send_signal(signal.SIGCONT)
        assert took < 60, took


# ---- ranges and conditions ----


def test_ranges(store, server):
    data = (store / "a/c/0/0").read_bytes()
    size = len(data)
    for text, part in [("0-0", data[:1]), (f"0-{size - 1}", data), (f"{size - 1}-", data[-1:]), ("5-", data[5:]), ("-9", data[-9:]),
                       (f"-{size + 5}", data), (f"3-{size + 100}", data[3:])]:
        status, headers, body = server.ask("/a/c/0/0", Range=f"bytes={text}")
        first = size - len(part) if text.startswith("-") else int(text.split("-")[0])
        assert (status, body) == (206, part) and headers["Content-Range"] == f"bytes {first}-{first + len(part) - 1}/{size}"
    for text in (f"{size}-", f"{size + 5}-{size + 9}", "-0"):
        status, headers, body = server.ask("/a/c/0/0", Range=f"bytes={text}")
        assert (status, body, headers["Content-Range"]) == (416, b"", f"bytes */{size}")
    assert server.ask("/a/c/0/0", Range="bytes=0-1,4-5")[::2] == (200, data)  # several: all of it
    assert server.ask("/a/c/0/0", "HEAD", Range="bytes=0-1")[0] == 200


def age(path, seconds=100):
    then = time.time() - seconds
    os.utime(path, (then, then + 0.0000123))


def test_conditions(tmp_path):
    path = make(tmp_path / "x.zarr")
    chunk = path / "a/c/0/0"
    age(chunk)
    with served(path) as server:
        _, headers, data = server.ask("/a/c/0/0")
        tag, date = headers["ETag"], headers["Last-Modified"]
        assert server.ask("/a/c/0/0", If_None_Match=tag)[::2] == (304, b"")
        assert server.ask("/a/c/0/0", If_Modified_Since=date)[0] == 304
        assert server.ask("/a/c/0/0", If_Match=tag)[0] == 200 and server.ask("/a/c/0/0", If_Match='"x"')[0] == 412
        assert server.ask("/a/c/0/0", Range="bytes=1-2", If_Range=tag)[::2] == (206, data[1:3])
        assert server.ask("/a/c/1/0")[1]["ETag"] != tag
        chunk.write_bytes(data[::-1])  # of the same size
        age(chunk, 50)
        assert server.ask("/a/c/0/0", If_None_Match=tag)[::2] == (200, data[::-1])
        assert server.ask("/a/c/0/0", If_Modified_Since=date)[0] == 200
        assert server.ask("/a/c/0/0", If_Match=tag)[0] == 412
        assert server.ask("/a/c/0/0", Range="bytes=1-2", If_Range=tag)[::2] == (200, data[::-1])
    with served(path) as server:
        assert server.ask("/a/c/1/0", If_None_Match=tag)[0] == 200


def test_a_value_that_is_replaced_while_it_is_sent(tmp_path):
    """Its bytes are of one version."""
    path = make(tmp_path / "x.zarr")
    old, new = b"o" * (24 << 20), b"n" * (24 << 20)
    (path / "big").write_bytes(old)
    with served(path) as server, server.connect() as client:
        client.sendall(b"GET /big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        got = client.recv(100)
        (path / "new").write_bytes(new)
        os.replace(path / "new", path / "big")
        while part := client.recv(1 << 20):
            got += part
        assert got.split(b"\r\n\r\n", 1)[1] == old
        assert server.ask("/big")[2] == new
        with server.connect() as client:  # and if it is overwritten in place, so that it ends early, the client misses bytes
            client.sendall(b"GET /big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            got = client.recv(100)
            os.truncate(path / "big", 1 << 20)
            while part := client.recv(1 << 20):
                got += part
            assert len(got.split(b"\r\n\r\n", 1)[1]) < 24 << 20


def test_a_file_that_is_written_anew(tmp_path):
    """What another program puts in the place of a zip file is served soon."""
    archive = tmp_path / "x.zarr.zip"
    for value, moves in ((1, False), (2, True)):
        made = tmp_path / f"{value}.zip"
        with zarr.storage.ZipStore(made, mode="w") as target:
            zarr.create_array(target, data=np.full(3, value), name="a")
        if not moves:
            made.rename(archive)
            running = served(archive)
            server = running.__enter__()
            assert zarr.open_array(server.url + "a", mode="r")[0] == 1
    made.rename(archive)
    deadline = time.monotonic() + 60
    while zarr.open_array(server.url + "a", mode="r")[0] != 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    running.__exit__(None, None, None)


# ---- programs ----


def test_zarr_python(server):
    for consolidated in (True, False):
        group = zarr.open_group(server.url, mode="r", use_consolidated=consolidated)
        assert np.array_equal(group["a"][5:30, ::7], A[5:30, ::7])
        assert np.array_equal(group["sharded"][20:30, 20:30], A[20:30, 20:30])
        assert group["g"].attrs["unit"] == "m" and np.array_equal(group["g/b ö"][...], np.arange(10))
        assert group["missing"][...].tolist() == [7] * 4
    assert sorted(zarr.open_group(server.url, mode="r").array_keys()) == ["a", "missing", "sharded"]  # from the consolidated metadata


def test_xarray(tmp_path):
    data = xarray.Dataset({"t": (("y", "x"), A)}, coords={"x": np.arange(60)})
    data.to_zarr(tmp_path / "x.zarr", zarr_format=3)
    with served(tmp_path / "x.zarr") as server:
        xarray.testing.assert_identical(xarray.open_zarr(server.url).load(), data)
        xarray.testing.assert_identical(xarray.open_dataset(server.url, engine="zarr").load(), data)


def test_tensorstore(server):
    for name in ("a", "sharded"):
        array = tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "http", "base_url": server.url + name + "/"}}).result()
        assert np.array_equal(array[20:40, 3].read().result(), A[20:40, 3])


READ = """
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], "r") as f:
    assert np.array_equal(f["a"][5:30, 7], np.arange(6000.0).reshape(100, 60)[5:30, 7])
    assert np.array_equal(f["sharded"][20:30], np.arange(6000.0).reshape(100, 60)[20:30])
    assert f["missing"][...].tolist() == [7] * 4 and f["g"].attrs["unit"] == "m"
    print(sorted(f))
"""


def test_the_connector(server):
    done = subprocess.run([sys.executable, "-c", READ, server.url], env=with_connector(), capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "['a', 'g', 'missing', 'sharded']\n", done.stderr


def test_curl(server, store):
    curl = shutil.which("curl") or pytest.skip("no curl")
    url = server.url + "a/c/0/0"
    got = subprocess.run([curl, "-sS", "--fail", url, "-r", "3-8", url, "-I", url.replace("127.0.0.1", "localhost")], capture_output=True)
    assert got.returncode == 0, got.stderr
    assert subprocess.run([curl, "-sS", "--fail", url], capture_output=True).stdout == (store / "a/c/0/0").read_bytes()


# ---- what it refuses ----


def test_other_hosts(server):
    """A page elsewhere that has its name resolved to this machine gets nothing."""
    for host in ("evil.org", f"evil.org:{server.port}", "localhost.evil.org", "127.0.0.1.evil.org", "127.0.0.2", ""):
        assert server.ask("/zarr.json", Host=host)[0] == 403, host
    for host in ("localhost", f"localhost:{server.port}", f"LOCALHOST:{server.port}", f"[::1]:{server.port}"):
        assert server.ask("/zarr.json", Host=host)[0] == 200, host


def test_it_listens_here_only(server):
    lines = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    six = [line.split() for line in pathlib.Path("/proc/net/tcp6").read_text().splitlines()[1:]] if os.path.exists("/proc/net/tcp6") else []
    listening = [line[1].split(":")[0] for line in lines + six if line[3] == "0A" and int(line[1].split(":")[1], 16) == server.port]
    assert listening == ["0100007F"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get"])
def test_other_methods(server, method):
    status, headers, _ = server.ask("/zarr.json", method)
    assert (status, headers["Allow"]) == (405, "GET, HEAD")


def test_no_way_out(tmp_path):
    path = make(tmp_path / "x.zarr")
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "x.zarr2").mkdir()
    (path / "out").symlink_to("../secret")
    (path / "absolute").symlink_to(tmp_path / "secret")
    (path / "above").symlink_to("..")
    (path / "chain").symlink_to("out")
    (path / "fine").symlink_to("a/c/0/0")
    (path / "inner").symlink_to("a/c")
    (path / "nowhere").symlink_to("gone")
    os.mkfifo(path / "pipe")
    ways = ["/../secret", "/a/../../secret", "/%2e%2e/secret", "/.%2e/secret", "/..%2fsecret", "/%2e%2e%2fsecret", "/..%5csecret", "/..\\secret",
            "//../secret", "/%00/../secret", "/a%00/../../secret", f"/{tmp_path}/secret", f"//{tmp_path}/secret", "/%252e%252e/secret",
            "/..;/secret", "/....//secret", "/%c0%ae%c0%ae/secret", "/../x.zarr2/../secret", "http://localhost/../secret"]
    with served(path) as server:
        for way in ways:
            answer = server.send(f"GET {way} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 404 ")) and b"secret" not in answer, (way, answer)
        for link in ("out", "absolute", "above/secret", "chain", "pipe"):
            status, _, body = server.ask("/" + link)
            assert status == 500 and b"secret" not in body, link
        assert server.ask("/fine")[2] == server.ask("/inner/0/0")[2] == (path / "a/c/0/0").read_bytes()
        assert server.ask("/above/x.zarr/zarr.json")[2] == (path / "zarr.json").read_bytes()  # it leads back
        assert server.ask("/nowhere")[0] == 404
        status, _, err = server.stop()
        assert status == 0 and "symbolic link leads out of the store" in err and len(err.splitlines()) == 5


def test_failures_are_no_absence(tmp_path):
    """A value that cannot be read is never 404; the reason is printed, and no more than 100 of them."""
    archive = in_zip(make(tmp_path / "x.zarr"), tmp_path / "x.zarr.zip")
    with zipfile.ZipFile(archive) as z:
        at = z.getinfo("a/c/0/0").header_offset
    with open(archive, "r+b") as f:
        f.seek(at)
        f.write(b"\0" * 30)
    with served(archive) as server:
        assert server.ask("/a/c/1/0")[0] == 200
        for _ in range(105):
            assert server.ask("/a/c/0/0")[0] == 500
        assert server.ask("/a/c/1/0")[0] == 200
        status, _, err = server.stop()
        assert status == 0 and err.count("a/c/0/0") == 100 and err.splitlines()[-1].endswith("further failures are not printed")


# ---- other origins, a secret ----


def test_cors(store, server):
    origin = "https://viewer.example.org"
    for method, path in (("GET", "/zarr.json"), ("GET", "/nothing"), ("OPTIONS", "/zarr.json")):
        headers = server.ask(path, method, Origin=origin)[1]
        assert not [name for name in headers if name.lower().startswith("access-control")]
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    for allowed in (origin, "*", "http://localhost:8080"):
        with served(store, "--cors", allowed) as other:
            for path, status in (("/zarr.json", 200), ("/nothing", 404)):
                got, headers, _ = other.ask(path, Origin=origin)
                assert (got, headers["Access-Control-Allow-Origin"]) == (status, allowed)
            status, headers, body = other.ask("/zarr.json", "OPTIONS", Origin=origin, Access_Control_Request_Method="GET",
                                              Access_Control_Request_Headers="range", Access_Control_Request_Private_Network="true")
            assert (status, body) == (204, b"") and "Range" in headers["Access-Control-Allow-Headers"]
            assert headers["Access-Control-Allow-Private-Network"] == "true" and "Content-Length" not in headers
            assert other.ask("/zarr.json", Host="evil.org")[0] == 403


def test_token(store):
    with served(store, "--token") as server, served(store, "--token") as other:
        root = server.url.removeprefix(f"http://127.0.0.1:{server.port}")
        assert len(root) == 34 and server.url.split("/")[3] != other.url.split("/")[3]
        assert server.ask(root + "zarr.json")[0] == 200
        assert np.array_equal(zarr.open_array(server.url + "a", mode="r")[...], A)
        for wrong in ("/", root[:-2] + "/", root.swapcase() if root != root.swapcase() else "/x/", "/" + "0" * 32 + "/", "/" + root):
            assert server.ask(wrong + "zarr.json")[0] == 404
        assert other.ask(root + "zarr.json")[0] == 404


# ---- the command ----


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals(store, number):
    """A connection that is open, and one that waits for the rest of an answer, do not hold it up."""
    with served(store) as server, server.connect() as idle:
        idle.sendall(b"GET /zar")
        assert server.ask("/zarr.json")[0] == 200
        assert server.stop(number)[::2] == (0, "")
        assert idle.recv(10) == b""


def test_text(store):
    process = subprocess.Popen([COMMAND, "serve", store], stdout=subprocess.PIPE, text=True)
    lines = process.stdout.readline(), process.stdout.readline()
    url = lines[0].split()[-1]
    assert lines == (f"{store} is served at {url}\n", "Ctrl-C ends it.\n") and url.startswith("http://127.0.0.1:")
    assert np.array_equal(zarr.open_array(url + "a", mode="r")[...], A)
    process.terminate()
    assert process.wait(60) == 0


def test_port(store, server, h5zarr):
    with served(store) as other:
        free = other.port
    with served(store, "--port", str(free)) as again:
        assert again.port == free and again.ask("/zarr.json")[0] == 200
    refused = h5zarr("serve", f"--port={server.port}", store, expect=1)
    assert f"cannot listen at port {server.port} of 127.0.0.1: Address already in use" in refused.stderr


@pytest.mark.parametrize("option", ["--port=x", "--port=65536", "--port=-1", "--port=", "--cors=evil.org", "--cors=https://a/b", "--cors=http://a\r\nX: y",
                                    "--cors=", "--cors=https://A.org"])
def test_wrong_options(store, h5zarr, option):
    refused = h5zarr("serve", option, store, expect=2)
    assert refused.stderr.startswith("h5zarr: serve: --") and len(refused.stderr.splitlines()) == 1


def test_what_is_no_store(tmp_path, h5zarr):
    with h5py.File(tmp_path / "native.h5", "w"):
        pass
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("no store")
    for name, why in (("native.h5", "HDF5 file"), ("empty", "empty directory"), ("text", ""), ("nothing", "")):
        refused = h5zarr("serve", tmp_path / name, expect=1)
        assert refused.stderr.startswith(f"h5zarr: {tmp_path / name}: ") and why in refused.stderr and refused.stdout == ""


def test_json_is_one_line(store):
    process = subprocess.Popen([COMMAND, "serve", "--json", store], stdout=subprocess.PIPE, text=True)
    said = json.loads(process.stdout.readline())
    process.terminate()
    assert process.communicate(timeout=60)[0] == "" and sorted(said) == ["port", "store", "url"]
    assert said["store"] == str(store) and said["url"] == f"http://127.0.0.1:{said['port']}/"
