"""Names that come out of files: who says them, where they lead, and with whose credentials (src/base/util/name_policy.h has the table).
A server of the tests counts what arrives. Public addresses are ones that public_hosts.c, preloaded, leads to it; nothing leaves the machine."""

import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading
import urllib.parse

import h5py
import numpy as np
import pytest

from interpreter import Failed, Interpreter
from places import COMMAND, with_connector
from test_one_file_programs import DOORWAY

HERE = pathlib.Path(__file__).parent
PUBLIC, PRIVATE = "203.0.113.1", "127.0.0.1"
VALUES = [1, 2, 3]


class Server(http.server.ThreadingHTTPServer):
    """Files below `root`, by whatever name it is asked; paths in `redirects` lead elsewhere. A bucket is a directory."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, root):
        super().__init__(("127.0.0.1", 0), Handler)
        self.root, self.redirects, self.log, self.refuses_head = root, {}, [], False
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def url(self, host, path):
        return f"http://{host}:{self.port}/{path}"

    def take_log(self):
        log, self.log = self.log, []
        return log


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        path = urllib.parse.unquote(self.path.partition("?")[0]).lstrip("/")
        self.server.log.append((self.headers["Host"].partition(":")[0], path, "Authorization" in self.headers))
        file = self.server.root / path
        if path in self.server.redirects:
            return self.answer(302, Location=self.server.redirects[path])
        if not file.is_file():
            return self.answer(404)
        data, wanted = file.read_bytes(), re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not wanted:
            return self.answer(200, data)
        size = len(data)
        start = max(0, size - int(wanted[2])) if not wanted[1] else int(wanted[1])
        stop = size if not wanted[1] or not wanted[2] else min(size, int(wanted[2]) + 1)
        return self.answer(206, data[start:stop], **{"Content-Range": f"bytes {start}-{stop - 1}/{size}"})

    def do_HEAD(self):
        return self.answer(405) if self.server.refuses_head else self.do_GET()


# ---- what is done in other interpreters ----

def make_target(path):
    with h5py.File(path, "w") as f:
        f["x"] = np.array(VALUES, "i4")


def make_links(path, names):
    """Of each name an external link and a virtual dataset; of paths external storage, too."""
    with h5py.File(path, "w") as f:
        for key, name in names.items():
            f[f"link {key}"] = h5py.ExternalLink(name, "/x")
            layout = h5py.VirtualLayout((3,), "i4")
            layout[:] = h5py.VirtualSource(name.replace("%", "%%"), "/x", shape=(3,))
            f.create_virtual_dataset(f"virtual {key}", layout)


def make_link(path, file, name):
    with h5py.File(path, "w") as f:
        f["link"] = h5py.ExternalLink(file, name)


def make_external(path, names):
    with h5py.File(path, "w") as f:
        for key, name in names.items():
            f.create_dataset(key, shape=(3,), dtype="i4", external=[(name, 0, 12)])


def read(path, key="x"):
    with h5py.File(path, "r") as f:
        return f[key][...].tolist()


def read_below(path, key, prefix):
    """With a prefix for external links: HDF5_EXT_PREFIX has colons between its directories."""
    lapl = h5py.h5p.create(h5py.h5p.LINK_ACCESS)
    lapl.set_elink_prefix(prefix.encode())
    with h5py.File(path, "r") as f:
        return h5py.Dataset(h5py.h5o.open(f.id, key.encode(), lapl=lapl))[...].tolist()


def write(path, key):
    with h5py.File(path, "r+") as f:
        f[key][...] = [7, 8, 9]


def list_names(path):
    with h5py.File(path, "r") as f:
        return {name: type(f.get(name, getlink=True)).__name__ for name in f}


# ---- places ----

@pytest.fixture(scope="module")
def preloaded(tmp_path_factory):
    if not shutil.which(os.environ.get("CC", "cc")):
        pytest.skip("no C compiler here")
    library = str(tmp_path_factory.mktemp("public") / "public_hosts.so")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", library, str(HERE / "public_hosts.c"), "-ldl"], check=True)
    return " ".join(filter(None, [os.environ.get("LD_PRELOAD"), library]))


@pytest.fixture(scope="module")
def writer():
    interpreter = Interpreter(with_connector("zarr create=*.zarr,*.h5:file"))
    yield interpreter
    interpreter.stop()


@pytest.fixture(scope="module")
def place(tmp_path_factory, writer):
    """The server's files: the same store in several places."""
    where = tmp_path_factory.mktemp("served")
    for name in ("bucket", "web/here", "web/there", "elsewhere"):
        (where / name).mkdir(parents=True)
        writer.run(make_target, str(where / name / "x.zarr"))
    return where


@pytest.fixture(scope="module")
def server(place):
    server = Server(place)
    yield server
    server.shutdown()


@pytest.fixture(scope="module")
def readers(preloaded, server):
    """readers(endpoint, OPTION=value ...): an interpreter with the plugin's path alone, and keys that could be given away."""
    running = {}

    def reader(endpoint=PUBLIC, **options):
        key = (endpoint, *sorted(options.items()))
        if key not in running:
            environment = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "VOL_ZARR_")) and "proxy" not in k.lower()}
            environment |= {"LD_PRELOAD": preloaded, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "r-1",
                            "AWS_ENDPOINT_URL": f"http://{endpoint}:{server.port}", "AWS_EC2_METADATA_DISABLED": "true",
                            "AWS_CONFIG_FILE": "/nonexistent", "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent"}
            environment |= {name if name.startswith("HDF5_") else f"VOL_ZARR_{name}": value for name, value in options.items()}
            running[key] = Interpreter(environment)
        return running[key]

    yield reader
    for each in running.values():
        each.stop()


def check(reader, server, arguments, expected, *said):
    """expected: "user" or "anonymous", asked with keys or without; "yes", nobody is asked; "no", refused and nobody is asked."""
    server.take_log()
    if expected == "no":
        with pytest.raises(Failed) as failure:
            reader.run(read, *arguments)
        for text in said:
            assert text in str(failure.value)
        assert server.take_log() == []
        return
    assert reader.run(read, *arguments) == VALUES
    log = server.take_log()
    assert bool(log) == (expected != "yes")
    assert {signed for _, _, signed in log} <= {expected == "user"}


TARGETS = ("below", "disk", "public", "private", "bucket")


def names_of(tmp_path, server):
    return {"below": "x.zarr", "disk": str(tmp_path / "far" / "x.zarr"), "public": server.url(PUBLIC, "web/here/x.zarr"),
            "private": server.url(PRIVATE, "web/here/x.zarr"), "bucket": "s3://bucket/x.zarr"}


@pytest.fixture
def local(tmp_path, writer, server):
    """A directory with a store, another one, and the names of all places."""
    for name in ("near", "far"):
        (tmp_path / name).mkdir()
        writer.run(make_target, str(tmp_path / name / "x.zarr"))
    return tmp_path / "near", names_of(tmp_path, server)


# ---- rows ----

@pytest.mark.parametrize("target", TARGETS)
def test_user(local, readers, server, target):
    where, names = local
    path = str(where / names[target]) if target == "below" else names[target]
    # A web server has no keys; a bucket is asked with them, wherever it is.
    expected = {"below": "yes", "disk": "yes", "public": "anonymous", "private": "anonymous", "bucket": "user"}[target]
    check(readers(), server, [path], expected)
    check(readers(PRIVATE), server, [path], expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("whose", ["own", "others"])
@pytest.mark.parametrize("doorways", ["below", "anywhere"])
def test_doorway(local, readers, server, target, whose, doorways):
    where, names = local
    path = where / "door.h5"
    path.write_bytes(DOORWAY + json.dumps({"store": names[target]}).encode() + b"\n")
    if whose == "others":
        if os.geteuid() != 0:
            pytest.skip("nobody else gives files away")
        os.chown(path, 12345, -1)
    usual = {"below": "yes", "disk": "no", "public": "anonymous" if whose == "own" else "no", "private": "no",
             "bucket": "anonymous" if whose == "own" else "no"}
    anywhere = {"below": "yes", "disk": "yes", "public": "anonymous", "private": "anonymous", "bucket": "user"}
    expected = (usual if doorways == "below" else anywhere)[target]
    check(readers(DOORWAYS=doorways), server, [str(path)], expected, "door.h5", names[target], "doorways=anywhere")
    # The user's own server may be one of this machine: a file does not lead there by itself.
    check(readers(PRIVATE, DOORWAYS=doorways), server, [str(path)], "no" if target == "bucket" and doorways == "below" else expected, "doorways=anywhere")


LOCAL_ROWS = {
    "local": {"below": "yes", "disk": "yes", "public": "no", "private": "no", "bucket": "no"},
    "below": {"below": "yes", "disk": "no", "public": "no", "private": "no", "bucket": "no"},
    "anywhere": {"below": "yes", "disk": "yes", "public": "anonymous", "private": "anonymous", "bucket": "anonymous"},
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("what", ["link", "virtual"])
@pytest.mark.parametrize("form", ["directory", "file", "connector"])
def test_local_file(local, readers, writer, server, target, what, form):
    where, names = local
    path = str(where / ("links.h5" if form == "file" else "links.zarr"))
    writer.run(make_links, path, names)
    for links, row in LOCAL_ROWS.items():
        reader = readers(LINKS=links, **({"HDF5_VOL_CONNECTOR": "zarr"} if form == "connector" else {}))
        option = "links=local" if target == "disk" else "links=anywhere"
        check(reader, server, [path, f"{what} {target}"], row[target], f"{os.path.basename(path)}: /{what} {target}: it names", names[target], option)


@pytest.mark.parametrize("links", list(LOCAL_ROWS))
def test_other_spellings(local, readers, writer, server, links):
    """What the connector takes for the name of a server, wherever it stands in the path, and however it is spelled."""
    where, _ = local
    path = str(where / "links.zarr")
    names = {"folded": f"http:/{PRIVATE}:{server.port}/web/here/x.zarr", "inside": f"a/b/http://{PRIVATE}:{server.port}/web/here/x.zarr",
             "prefixed": "zarr+s3://bucket/x.zarr", "absolute": f"/a/s3:/bucket/x.zarr", "number": f"http://2130706433:{server.port}/web/here/x.zarr"}
    writer.run(make_links, path, names)
    for key in names:
        for what in ("link", "virtual"):
            check(readers(LINKS=links), server, [path, f"{what} {key}"], "anonymous" if links == "anywhere" else "no", "links=anywhere")


def test_neither_user_nor_query(local, readers, writer, server):
    where, _ = local
    names = {"user": f"http://u:hunter2@{PUBLIC}:{server.port}/web/here/x.zarr", "query": server.url(PUBLIC, "web/here/x.zarr?sig=hunter2")}
    writer.run(make_links, str(where / "links.zarr"), names)
    for key in names:
        for links in LOCAL_ROWS:
            with pytest.raises(Failed) as failure:
                readers(LINKS=links).run(read, str(where / "links.zarr"), f"virtual {key}")
            assert "hunter2" not in str(failure.value)
    assert server.take_log() == []


def test_the_users_own_prefix(local, readers, writer, server):
    """What lies below a place that the user names is asked as his own, and nothing beside it."""
    where, _ = local
    names = {"x": "x.zarr", "bucket": "s3://other/x.zarr", "up": "../web/here/x.zarr"}
    (where / "alone").mkdir()
    path = str(where / "alone" / "links.zarr")
    writer.run(make_links, path, names)
    virtual = lambda key: readers(HDF5_VDS_PREFIX="s3://bucket").run(read, path, f"virtual {key}")  # noqa: E731
    link = lambda key: readers().run(read_below, path, f"link {key}", "s3://bucket")  # noqa: E731
    for look in (virtual, link):
        server.take_log()
        assert look("x") == VALUES
        assert {(path.startswith("bucket/"), signed) for _, path, signed in server.take_log()} == {(True, True)}
        for key in ("bucket", "up"):
            with pytest.raises(Failed, match="it names"):
                look(key)
        assert server.take_log() == []


# ---- reference files ----

def make_references(path, names):
    """Of each name an array whose only chunk is said to lie there."""
    array = {"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "<i4", "fill_value": 0, "order": "C", "filters": None, "compressor": None}
    refs = {".zgroup": {"zarr_format": 2}}
    for key, name in names.items():
        refs |= {f"{key}/.zarray": array, f"{key}/0": [name, 4, 12]}
    path.write_text(json.dumps({"version": 1, "refs": refs}))


def make_store(path, names):
    """The same as a store of ours, in which lists beside arrays say where chunks lie (docs/format.md)."""
    array = {"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "<i4", "fill_value": 0, "order": "C", "filters": None,
             "compressor": {"id": "vol_zarr_references"}}
    for key, name in names.items():
        (path / key).mkdir(parents=True)
        (path / key / ".zarray").write_text(json.dumps(array))
        (path / key / "references.json").write_text(json.dumps({"version": 1, "refs": {"0": [name, 4, 12]}}))
    (path / ".zgroup").write_text('{"zarr_format": 2}')


def bytes_for(names):
    return {key: name.replace("x.zarr", "x.bin") for key, name in names.items()}


@pytest.fixture(scope="module")
def bytes_served(place):
    for where in ("bucket", "web/here", "web/there", "elsewhere"):
        (place / where / "x.bin").write_bytes(b"head" + np.array(VALUES, "<i4").tobytes())


@pytest.fixture
def references(local, bytes_served):
    where, names = local
    for each in (where, where.parent / "far"):
        (each / "x.bin").write_bytes(b"head" + np.array(VALUES, "<i4").tobytes())
    names = bytes_for(names)
    make_references(where / "x.json", names)
    make_store(where / "v.zarr", names)
    return where, names


REFERENCE_ROWS = {
    "network": {"below": "yes", "disk": "no", "public": "anonymous", "private": "no", "bucket": "anonymous"},
    "others": {"below": "yes", "disk": "no", "public": "no", "private": "no", "bucket": "no"},
    "below": {"below": "yes", "disk": "no", "public": "no", "private": "no", "bucket": "no"},
    "anywhere": {"below": "yes", "disk": "yes", "public": "anonymous", "private": "anonymous", "bucket": "anonymous"},
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("row", list(REFERENCE_ROWS))
@pytest.mark.parametrize("form", ["file", "doorway", "store"])
def test_reference_file(references, readers, server, target, row, form):
    where, names = references
    if row == "others":
        if os.geteuid() != 0:
            pytest.skip("nobody else gives files away")
        os.chown(where / ("v.zarr" if form == "store" else "x.json"), 12345, -1)
    (where / "door.h5").write_bytes(DOORWAY + b'{"store": "x.json"}\n')
    name = {"file": "x.json", "doorway": "door.h5", "store": "v.zarr"}[form]
    path, said = str(where / name), "v.zarr" if form == "store" else "x.json"
    option = "targets=network" if row == "below" and target in ("public", "bucket") else "targets=anywhere"
    reader = readers(TARGETS="network" if row == "others" else row)
    check(reader, server, [path, target], REFERENCE_ROWS[row][target], f"{said}: {target}/0", names[target], option)


def test_links_out_of_the_directory_of_references(references, readers, server):
    """A name below that leads elsewhere counts as what it leads to."""
    where, names = references
    os.symlink(names["disk"], where / "link.bin")
    make_references(where / "x.json", {"link": "link.bin", "up": "../far/x.bin", "url": f"file://{where}/x.bin"})
    for key in ("link", "up"):
        check(readers(), server, [str(where / "x.json"), key], "no", "targets=anywhere")
        check(readers(TARGETS="anywhere"), server, [str(where / "x.json"), key], "yes")
    check(readers(), server, [str(where / "x.json"), "url"], "yes")


def test_neither_user_nor_query_in_references(references, readers, server):
    where, _ = references
    make_references(where / "x.json", {"user": f"http://u:hunter2@{PUBLIC}:{server.port}/web/here/x.bin",
                                       "query": server.url(PUBLIC, "web/here/x.bin?sig=hunter2")})
    server.take_log()
    for key in ("user", "query"):
        for targets in ("network", "anywhere"):
            with pytest.raises(Failed) as failure:
                readers(TARGETS=targets).run(read, str(where / "x.json"), key)
            assert "hunter2" not in str(failure.value)
    assert server.take_log() == []


REMOTE_REFERENCES = {
    # where the file is: what is asked, and whether as the file itself
    "web": {"below": "anonymous", "same": "anonymous", "disk": "no", "root": "no", "public": "anonymous", "private": "no", "bucket": "anonymous"},
    "bucket": {"below": "user", "same": "user", "disk": "no", "root": "no", "public": "anonymous", "private": "no", "bucket": "anonymous"},
}
REMOTE_REFERENCES["store in a bucket"] = REMOTE_REFERENCES["bucket"]


@pytest.mark.parametrize("form", list(REMOTE_REFERENCES))
@pytest.mark.parametrize("targets", ["network", "below", "anywhere"])
def test_references_from_a_server(references, readers, server, place, form, targets):
    _, names = references
    web = server.url(PUBLIC, "web")
    (place / "bucket" / "refs").mkdir(exist_ok=True)
    (place / "bucket" / "refs" / "x.bin").write_bytes((place / "bucket" / "x.bin").read_bytes())
    (place / "other").mkdir(exist_ok=True)
    (place / "other" / "x.bin").write_bytes((place / "bucket" / "x.bin").read_bytes())
    said = {"below": "x.bin", "same": f"{web}/there/x.bin" if form == "web" else "s3://bucket/x.bin", "disk": names["disk"],
            "root": "file://" + names["disk"], "public": server.url("203.0.113.2", "web/there/x.bin"), "private": names["private"],
            "bucket": "s3://other/x.bin"}
    is_store = form == "store in a bucket"
    url, at = (f"{web}/here/x.json", "web/here/x.json") if form == "web" else ("s3://bucket/refs/x.json", "bucket/refs/x.json")
    if is_store:
        url, at = "s3://bucket/refs/v.zarr", "bucket/refs/v.zarr"
        shutil.rmtree(place / at, ignore_errors=True)
    (make_store if is_store else make_references)(place / at, said)
    name = at.rpartition("/")[2]
    for key, expected in REMOTE_REFERENCES[form].items():
        if targets == "below" and key != "below":
            expected = "no"
        if targets == "anywhere" and key == "private":
            expected = "anonymous"
        server.take_log()
        if expected == "no":
            with pytest.raises(Failed) as failure:
                readers(TARGETS=targets).run(read, url, key)
            assert name in str(failure.value)
        else:
            assert readers(TARGETS=targets).run(read, url, key) == VALUES
        log = [(path, signed) for _, path, signed in server.take_log() if name not in path and path != "bucket"]  # not what lists the store
        assert bool(log) == (expected != "no"), (key, log)
        assert {signed for _, signed in log} <= {expected == "user"}, (key, log)


def test_through_a_doorway(local, readers, writer, server):
    """A link to a doorway to a server is a name that leads to a server."""
    where, names = local
    (where / "door.h5").write_bytes(DOORWAY + json.dumps({"store": names["public"]}).encode() + b"\n")
    path = str(where / "links.zarr")
    writer.run(make_links, path, {"door": "door.h5"})
    for what in ("link", "virtual"):
        check(readers(), server, [path, f"{what} door"], "no", "links=anywhere")
        check(readers(LINKS="anywhere"), server, [path, f"{what} door"], "anonymous")


def test_what_links_on_the_way_lead_to(local, readers, writer, server):
    """With links=below a name is what it leads to, however it is spelled."""
    where, names = local
    os.symlink(where.parent / "far", where / "away")
    os.symlink(where / "x.zarr", where / "near.zarr")
    writer.run(make_links, str(where / "links.zarr"), {"away": "away/x.zarr", "up": "../far/x.zarr", "round": "../near/x.zarr", "near": "near.zarr"})
    native = where / "native.h5"
    with h5py.File(native, "w") as f:
        f["x"] = np.array(VALUES, "i4")
    shutil.copy(native, where.parent / "far" / "native.h5")
    writer.run(make_links, str(where / "natives.zarr"), {"near": "native.h5", "far": "../far/native.h5"})
    reader = readers(LINKS="below")
    for what in ("link", "virtual"):
        for key, expected in {"away": "no", "up": "no", "round": "yes", "near": "yes"}.items():
            check(reader, server, [str(where / "links.zarr"), f"{what} {key}"], expected, "links=local")
        for key, expected in {"near": "yes", "far": "no"}.items():
            check(reader, server, [str(where / "natives.zarr"), f"{what} {key}"], expected, "links=local")


@pytest.mark.parametrize("links", list(LOCAL_ROWS))
def test_external_storage(local, readers, writer, server, links):
    where, _ = local
    names = {"below": str(where / "raw"), "disk": str(where.parent / "far" / "raw"), "public": server.url(PUBLIC, "raw"), "bucket": "s3://bucket/raw"}
    for key in ("below", "disk"):
        np.array(VALUES, "i4").tofile(names[key])
    path = str(where / "raw.zarr")
    writer.run(make_external, path, names)
    reader = readers(LINKS=links)
    check(reader, server, [path, "below"], "yes")
    check(reader, server, [path, "disk"], "no" if links == "below" else "yes", "raw.zarr", "/disk", names["disk"], "links=local")
    for key in ("public", "bucket"):  # HDF5 takes them for paths
        with pytest.raises(Failed):
            reader.run(read, path, key)
    if links == "below":
        os.unlink(names["disk"])
        with pytest.raises(Failed, match="links=local"):
            reader.run(write, path, "disk")
        assert not os.path.exists(names["disk"])
    assert server.take_log() == []


def test_links_of_other_programs(local, readers, server):
    """hdmf-zarr's links are looked at when a group is listed."""
    where, names = local
    store = where / "hdmf.zarr"
    store.mkdir()
    (store / ".zgroup").write_text('{"zarr_format": 2}')
    sources = {**names, "inside": "a/" + names["private"], "up": "../" + names["bucket"]}
    links = [{"name": key, "source": source, "path": "/x", "object_id": None, "source_object_id": None} for key, source in sources.items()]
    (store / ".zattrs").write_text(json.dumps({"zarr_link": links}))
    assert set(readers().run(list_names, str(store))) == set(sources)
    assert server.take_log() == []
    for key in ("public", "private", "bucket", "inside", "up"):
        check(readers(), server, [str(store), key], "no", "links=anywhere")
    ended = subprocess.run([COMMAND, "check", store], capture_output=True, text=True, env={**os.environ, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.port}"})
    assert ended.returncode in (0, 1), ended.stderr
    assert server.take_log() == []


def test_paths_behind_files(local, writer, server):
    """The path in the other file is none of a server's either: `h5zarr check` joins both."""
    where, _ = local
    with_server = {**os.environ, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.port}"}
    for key in ("http:/127.0.0.1:%d/web/here/x.zarr" % server.port, "s3:/bucket/x.zarr"):
        writer.run(make_link, str(where / "links.zarr"), "x.zarr", "/" + key)
        subprocess.run([COMMAND, "check", where / "links.zarr"], capture_output=True, env=with_server)
        assert server.take_log() == []


def test_native_files(local, readers, server):
    """HDF5's own links and sources are paths to it, with the connector and without."""
    where, names = local
    path = str(where / "native.h5")
    make_links(path, {key: names[key] for key in ("public", "private", "bucket")})
    for connector in ({}, {"HDF5_VOL_CONNECTOR": "zarr"}):
        reader = readers(LINKS="anywhere", **connector)
        for key in ("public", "private", "bucket"):
            with pytest.raises(Failed):
                reader.run(read, path, f"link {key}")
            assert reader.run(read, path, f"virtual {key}") == [0, 0, 0]
    assert server.take_log() == []


# ---- a remote store ----

def remote_names(server, host):
    return {"below": "x.zarr", "same": server.url(host, "web/here/x.zarr"), "up": "../there/x.zarr", "escaped": "%2e%2e/there/x.zarr",
            "beside": server.url(host, "web/there/x.zarr"), "public": server.url("203.0.113.2", "web/here/x.zarr"),
            "private": server.url(PRIVATE if host == PUBLIC else "localhost", "web/here/x.zarr"), "bucket": "s3://bucket/x.zarr"}


REMOTE_ROW = {"below": "as it", "same": "as it", "up": "no", "escaped": "no", "beside": "no", "public": "no", "private": "no", "bucket": "no", "disk": "no"}


@pytest.mark.parametrize("host", [PUBLIC, PRIVATE])
def test_remote_store(tmp_path, place, readers, writer, server, host):
    writer.run(make_target, str(tmp_path / "alone.zarr"))  # of paths the last part is looked for beside the store
    names = {**remote_names(server, host), "disk": str(tmp_path / "alone.zarr")}
    path = place / "web" / "here" / f"links-{host}.zarr"
    writer.run(make_links, str(path), names)
    url = server.url(host, f"web/here/{path.name}")
    for key, expected in REMOTE_ROW.items():
        for what in ("link", "virtual"):
            server.take_log()
            if expected == "as it":
                assert readers().run(read, url, f"{what} {key}") == VALUES
                assert not [line for line in server.take_log() if line[2] or line[0] != host or not line[1].startswith("web/here/")]
                continue
            with pytest.raises(Failed) as failure:
                readers().run(read, url, f"{what} {key}")
            assert url in str(failure.value)
            assert key in ("up", "disk") or "links=anywhere" in str(failure.value)
            assert not [line for line in server.take_log() if line[0] != host or not line[1].startswith("web/here/")]
    for key in ("public", "private", "bucket"):
        server.take_log()
        assert readers(LINKS="anywhere").run(read, url, f"virtual {key}") == VALUES
        assert not [line for line in server.take_log() if line[2]]
    with pytest.raises(Failed, match="machine"):
        readers(LINKS="anywhere").run(read, url, "virtual disk")


def test_remote_bucket(tmp_path, place, readers, writer, server):
    """What lies below a bucket's store is asked with its keys; behind a doorway, without them, as it is itself."""
    path = place / "bucket" / "links.zarr"
    writer.run(make_links, str(path), {"below": "x.zarr", "same": "s3://bucket/x.zarr", "other": "s3://elsewhere/x.zarr", "web": server.url(PUBLIC, "web/here/x.zarr")})
    (tmp_path / "door.h5").write_bytes(DOORWAY + b'{"store": "s3://bucket/links.zarr"}\n')
    for name, signed in (("s3://bucket/links.zarr", True), (str(tmp_path / "door.h5"), False)):
        for what in ("link", "virtual"):
            for key in ("below", "same"):
                server.take_log()
                assert readers().run(read, name, f"{what} {key}") == VALUES
                assert {line[2] for line in server.take_log()} == {signed}
            for key in ("other", "web"):
                with pytest.raises(Failed, match="links=anywhere"):
                    readers().run(read, name, f"{what} {key}")
                assert not [line for line in server.take_log() if not line[1].startswith("bucket/links.zarr")]


def test_remote_external_storage(tmp_path, place, readers, writer, server):
    """A store on a server names no files of this machine, to read or to make."""
    np.array(VALUES, "i4").tofile(tmp_path / "raw")
    writer.run(make_external, str(place / "web" / "here" / "raw.zarr"), {"x": str(tmp_path / "raw"), "none": str(tmp_path / "none")})
    for key in ("x", "none"):
        with pytest.raises(Failed, match="file of this machine"):
            readers(LINKS="anywhere").run(read, server.url(PUBLIC, "web/here/raw.zarr"), key)


# ---- redirects ----

@pytest.mark.parametrize("host, to, followed", [
    (PUBLIC, PUBLIC, True), (PUBLIC, PRIVATE, False), (PUBLIC, "localhost", False), (PUBLIC, "x.inner.test", False),
    (PRIVATE, PRIVATE, True), (PRIVATE, PUBLIC, True), (PRIVATE, "169.254.169.254", False)])
def test_redirect(place, readers, server, host, to, followed):
    server.redirects = {"web/there/x.zarr/x/0": server.url(to, "web/here/x.zarr/x/0")}
    server.take_log()
    try:
        if followed:
            assert readers().run(read, server.url(host, "web/there/x.zarr")) == VALUES
        else:
            with pytest.raises(Failed, match="redirects to"):
                readers().run(read, server.url(host, "web/there/x.zarr"))
        assert bool([path for _, path, _ in server.take_log() if path.startswith("web/here")]) == followed
    finally:
        server.redirects = {}


def test_redirect_behind_a_doorway(tmp_path, readers, server):
    """The case of the audit: a downloaded file, a server of the attacker's, and its answer that leads to an inner one."""
    path = tmp_path / "downloaded.h5"
    path.write_bytes(DOORWAY + json.dumps({"store": server.url(PUBLIC, "web/there/x.zarr")}).encode() + b"\n")
    server.redirects = {"web/there/x.zarr/x/0": server.url(PRIVATE, "web/here/x.zarr/x/0")}
    server.take_log()
    try:
        with pytest.raises(Failed):
            readers().run(read, str(path))
        assert not [path for _, path, _ in server.take_log() if path.startswith("web/here")]
    finally:
        server.redirects = {}


def test_name_of_a_private_address(tmp_path, readers, server):
    """A public name that leads to this machine, once it is resolved."""
    path = tmp_path / "d.h5"
    path.write_bytes(DOORWAY + json.dumps({"store": server.url("evil.inner.test", "web/here/x.zarr")}).encode() + b"\n")
    check(readers(), server, [str(path)], "no", "doorways=anywhere")
    check(readers(DOORWAYS="anywhere"), server, [str(path)], "anonymous")
    path.write_bytes(DOORWAY + json.dumps({"store": server.url("good.public.test", "web/here/x.zarr")}).encode() + b"\n")
    check(readers(), server, [str(path)], "anonymous")
