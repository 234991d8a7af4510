"""h5zarr cp and sync out of web servers, which list nothing: keys and bytes by plain Python, the server Python's own or h5zarr serve."""

import http.server
import json
import os
import shutil
import threading

import h5py
import numpy as np
import pytest
import zarr

from converting import COMMAND, run
from places import files
from range_server import Server, handler_of
from serving import served

pytestmark = [pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores"),
              pytest.mark.skipif(not COMMAND.exists(), reason="the command was not built beside the plugin"),
              pytest.mark.filterwarnings("ignore:Consolidated metadata")]

A = np.arange(600, dtype="i4").reshape(20, 30)


def make(path, form, separator="/"):
    group = zarr.open_group(path, mode="w", zarr_format=form)
    keys = {"name": "default" if form == 3 else "v2", "separator": separator}
    group.create_array("a", data=A, chunks=(7, 11), chunk_key_encoding=keys, compressors=None)
    group.create_array("g/deep/b", data=A[:13, 0], chunks=(1,), chunk_key_encoding=keys)
    group.create_array("scalar", shape=(), dtype="f8", chunk_key_encoding=keys)[...] = 2.5
    group.create_array("none", shape=(0, 4), dtype="f8", chunks=(1, 1))
    sparse = group.create_array("sparse", shape=(100, 100), dtype="u1", chunks=(10, 10), fill_value=3)
    sparse[55, 66] = 9
    group["g"].attrs["unit"] = "m"
    if form == 3:
        group.create_array("sharded", data=A, chunks=(5, 5), shards=(10, 15))
    zarr.consolidate_metadata(path)
    return path


@pytest.fixture
def python_server():
    """python_server(directory, handler): its address."""
    running = []

    def start(where, handler=None):
        server = Server(("127.0.0.1", 0), handler or handler_of(where, []))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        running.append((server, thread))
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("form, separator", [(2, "."), (2, "/"), (3, "/"), (3, ".")])
def test_each_key_by_the_metadata(tmp_path, python_server, form, separator):
    """Of the same bytes, from both servers, into each kind of target; the second run has nothing to do."""
    source = make(tmp_path / "a.zarr", form, separator)
    with served(source) as ours:
        for address in (ours.url, python_server(source)):
            target = tmp_path / "b.zarr"
            run("cp", address, target)
            assert files(target) == files(source)
            assert json.loads(run("sync", address, target, "--json")[0])["done"] == "equal"
            run("cp", address, tmp_path / "b.zip")
            run("diff", source, tmp_path / "b.zip", "--storage")
            shutil.rmtree(target)
            os.remove(tmp_path / "b.zip")


def test_what_changed_is_copied(tmp_path, python_server):
    source, target = make(tmp_path / "a.zarr", 3), tmp_path / "b.zarr"
    with served(source) as ours:
        run("cp", ours.url, target)
        zarr.open_group(source, mode="r+", use_consolidated=False)["a"][0, 0] = 77
        shutil.rmtree(source / "g/deep/b/c")
        plan = json.loads(run("sync", ours.url, target, "--delete", "--dry-run", "--json")[0])
        assert {change["key"] for change in plan["changes"] if change["action"] == "copy"} == {"a/c/0/0"}
        assert {change["key"] for change in plan["changes"] if change["action"] == "delete"} == {f"g/deep/b/c/{i}" for i in range(1, 13)}  # the first is fill value
        run("sync", ours.url, target, "--delete")
    assert files(target) == files(source)


def test_a_grid_that_grew_since_it_was_consolidated(tmp_path, python_server):
    """The chunks are those of the document itself."""
    source = make(tmp_path / "a.zarr", 2)
    zarr.open_array(source / "a", mode="r+").append(A)
    run("cp", python_server(source), tmp_path / "b.zarr")
    assert files(tmp_path / "b.zarr") == files(source) and zarr.open_array(tmp_path / "b.zarr/a", mode="r").shape == (40, 30)


def test_an_array_is_a_store(tmp_path, python_server):
    source = make(tmp_path / "a.zarr", 3)
    run("cp", python_server(source) + "/a", tmp_path / "b.zarr")
    assert files(tmp_path / "b.zarr") == files(source / "a")


def test_refused_by_name(tmp_path, python_server):
    """Nothing is made where nothing tells which keys there are."""
    plain, both, old = tmp_path / "plain.zarr", tmp_path / "both.zarr", make(tmp_path / "old.zarr", 3)
    for form in (2, 3):
        zarr.open_group(plain if form == 2 else both, mode="w", zarr_format=form).create_array("a", data=A)
    (both / ".zgroup").write_text('{"zarr_format": 2}')
    shutil.rmtree(old / "scalar")
    for place, why in ((plain, "no consolidated metadata"), (both, "both Zarr formats"), (old, "scalar/zarr.json: the metadata names it")):
        said = run("cp", python_server(place), tmp_path / "b.zarr", expect=1)[1]
        assert why in said and said.count("\n") == 1, said
        assert not (tmp_path / "b.zarr").exists()
    large = tmp_path / "large.zarr"
    zarr.create_array(large, shape=(10**9, 10**9), chunks=(1000, 1000), dtype="u1")
    assert "1000000000000 chunks on a web server" in run("cp", python_server(large), tmp_path / "b.zarr", expect=1)[1]


def test_a_refusal_is_no_absence(tmp_path, python_server):
    """Of a chunk that is refused: no copy without it opens."""
    source = make(tmp_path / "a.zarr", 3)
    for status in (403, 451):
        class Refusing(handler_of(source, [])):
            def answer(self, with_body):
                if self.path.startswith("/a/c/1/"):
                    self.send_error(status)  # noqa: B023
                else:
                    super().answer(with_body)

        said = run("cp", python_server(source, Refusing), tmp_path / f"{status}.zarr", expect=1)[1]
        assert f"status {status}" in said and "a/c/1/" in said, said
        with pytest.raises(Exception):  # noqa: B017
            zarr.open_group(tmp_path / f"{status}.zarr", mode="r")


class NoHead(http.server.SimpleHTTPRequestHandler):
    def do_HEAD(self):
        self.send_error(405)

    def log_message(self, *_):
        pass


def test_servers_that_say_little(tmp_path, python_server):
    """Without HEAD and without ranges, as Python's plain server has none; a value of 20 MiB is then held as a whole."""
    source = tmp_path / "a.zarr"
    data = np.random.default_rng(1).integers(0, 255, 20 << 20, dtype="u1")
    zarr.create_array(source, data=data, chunks=data.shape, compressors=None)

    def handler(*arguments):
        return NoHead(*arguments, directory=source)

    run("cp", python_server(source, handler), tmp_path / "b.zarr")
    assert files(tmp_path / "b.zarr") == files(source)


def test_stores_in_one_file(tmp_path, python_server):
    """Zip file, one-file store and reference file behind a URL have their keys themselves."""
    source = make(tmp_path / "a.zarr", 2)
    run("cp", source, tmp_path / "s.zip")
    run("cp", source, tmp_path / "s.h5z", "--container", "file")
    with h5py.File(tmp_path / "n.h5", "w") as f:
        f.create_dataset("a", data=A, chunks=(7, 11))
    address = python_server(tmp_path)
    run("virtual", f"{address}/n.h5", tmp_path / "n.json")
    for name in ("s.zip", "s.h5z"):
        run("cp", f"{address}/{name}", tmp_path / f"{name}.zarr")
        assert files(tmp_path / f"{name}.zarr") == files(source)
    run("cp", f"{address}/n.json", tmp_path / "n.zarr")
    assert np.array_equal(zarr.open_group(tmp_path / "n.zarr", mode="r")["a"][...], A)


def test_the_target_is_the_source(tmp_path):
    """Nothing about the two names says so, and nothing differs: nothing is written."""
    source = make(tmp_path / "a.zarr", 3)
    before = {str(p): (p.stat().st_ino, p.stat().st_mtime_ns) for p in source.rglob("*")}
    with served(source) as ours:
        assert json.loads(run("sync", ours.url, source, "--delete", "--json")[0])["done"] == "equal"
    assert {str(p): (p.stat().st_ino, p.stat().st_mtime_ns) for p in source.rglob("*")} == before
