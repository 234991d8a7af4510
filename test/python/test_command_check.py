"""h5zarr check: undamaged stores of others have no complaint, and what a test damages is told, with its place."""

import base64
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile

import google_crc32c
import h5py
import numcodecs
import numpy as np
import pytest
import zarr

from interpreter import Interpreter
from places import COMMAND, files, shared, unpacked, with_connector

zarr3 = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores")
pytestmark = zarr3

ZSTD = numcodecs.Zstd(1)
FORMS = ["v2", "v3", "shards", "v2-zip", "v3-zip", "shards-zip"]


def fill(group, form):
    data = np.random.default_rng(1).random((40, 30))
    if form.startswith("v2"):
        group.create_array("a", shape=(40, 30), chunks=(10, 7), dtype="f8", compressors=ZSTD)
        group.create_array("g/nested", shape=(40, 30), chunks=(10, 10), dtype="f8", compressors=ZSTD,
                           chunk_key_encoding={"name": "v2", "separator": "/"})
    else:
        more = {"shards": (20, 14)} if form.startswith("shards") else {}
        group.create_array("a", shape=(40, 30), chunks=(10, 7), dtype="f8", **more)
        group.create_array("g/nested", shape=(40, 30), chunks=(10, 10), dtype="f8")
    group["a"][:] = data
    group["g/nested"][:] = data
    group.create_array("text", shape=(3,), dtype=str)[:] = np.array(["x", "y", ""], dtype=object)
    group.create_array("scalar", shape=(), dtype="i4")[...] = 5
    group.attrs["unit"] = {"a": [1, 2.5, None]}


def make(where, form, consolidated=True):
    """A store of zarr-python: its path."""
    zarr_format = 2 if form.startswith("v2") else 3
    path = where / ("s.zip" if form.endswith("zip") else "s.zarr")
    plain = where / "plain.zarr"
    fill(zarr.open_group(plain, mode="w", zarr_format=zarr_format), form)
    if consolidated:
        zarr.consolidate_metadata(plain, zarr_format=zarr_format)
    if form.endswith("zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            for name, content in files(plain).items():
                archive.writestr(name, content)
        shutil.rmtree(plain)
    else:
        plain.rename(path)
    return path


@pytest.fixture
def check(h5zarr):
    """check(path, *options, wrong=number): the findings."""

    def run(path, *options, wrong=0, **environment):
        found = json.loads(h5zarr("check", path, "--json", *options, expect=1 if wrong else 0, **environment).stdout)
        assert found["wrong"] == wrong == sum(f["wrong"] for f in found["findings"]), found
        return found

    return run


def told(found):
    return [(f["kind"], f["object"]) for f in found["findings"]]


@pytest.mark.parametrize("form", FORMS)
def test_clean(check, tmp_path, form):
    found = check(make(tmp_path, form))
    assert found["findings"] == []
    assert (found["groups"], found["arrays"]) == (2, 4)


@pytest.mark.parametrize("form", FORMS)
def test_damaged_chunk(check, h5zarr, tmp_path, form):
    """A byte of one chunk is another: the chunk is told by its key, and nothing else."""
    path = make(tmp_path, form)
    key = "a/0.1" if form.startswith("v2") else "a/c/0/1"
    if form.endswith("zip"):
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo(key)
            offset = info.header_offset + 30 + len(info.filename) + info.file_size // 2
        file = path
    else:
        file, offset = path / key, (path / key).stat().st_size // 2
    with open(file, "r+b") as f:
        f.seek(offset)
        byte = f.read(1)
        f.seek(offset)
        f.write(bytes([byte[0] ^ 0xFF]))
    if form == "v2":  # zstd without a checksum need not see a byte that is another: a block's end does
        file.write_bytes(file.read_bytes()[:-5])
    if form in ("v3", "shards"):
        file.write_bytes(file.read_bytes()[: -5])
    result = json.loads(h5zarr("check", path, "--json", expect=1).stdout)
    assert result["wrong"] and {f["object"] for f in result["findings"]} == {key}
    assert {f["kind"] for f in result["findings"]} <= {"chunk", "value"}
    text = h5zarr("check", path, expect=1).stdout
    assert f"{key}: " in text and "found" in text.splitlines()[-1]
    assert not check(path, "--quick")["findings"]


def test_damaged_chunk_in_a_shard(check, tmp_path):
    """Only that one is told, by its coordinates."""
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=3)
    a = group.create_array("a", shape=(64,), chunks=(8,), shards=(64,), dtype="f8", compressors=None)
    a[:] = np.arange(64)
    file = tmp_path / "s.zarr" / "a" / "c" / "0"
    data = bytearray(file.read_bytes())
    index = len(data) - 8 * 16 - 4
    place = int.from_bytes(data[index + 3 * 16:index + 3 * 16 + 8], "little")
    data[index + 3 * 16 + 8:index + 4 * 16] = (63).to_bytes(8, "little")  # 63 bytes where 64 must be
    assert place < index
    data[-4:] = google_crc32c.value(bytes(data[index:-4])).to_bytes(4, "little")
    file.write_bytes(bytes(data))
    (found,) = check(tmp_path / "s.zarr", wrong=1)["findings"]
    assert (found["kind"], found["object"], found["chunk"]) == ("chunk", "a/c/0", [3])


def test_every_chunk_of_many_is_told(check, tmp_path):
    """It does not stop at the first, nor at a full queue."""
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=2)
    a = group.create_array("a", shape=(6000,), chunks=(1,), dtype="i4", compressors=None)
    a[:] = 1
    damaged = set(range(0, 6000, 7))
    for i in damaged:
        (tmp_path / "s.zarr" / "a" / str(i)).write_bytes(b"abc")
    found = check(tmp_path / "s.zarr", wrong=len(damaged))
    assert {f["chunk"][0] for f in found["findings"]} == damaged
    assert found["chunks"] == 6000


@pytest.mark.parametrize("document, text", [
    ("a/.zarray", "{"),
    ("a/.zarray", "[]"),
    ("a/.zattrs", "nonsense"),
    ("a/.zattrs", "[1]"),
    (".zgroup", "{}"),
    (".zgroup", ""),
    ("g/.zgroup", '{"zarr_format": "2"}'),
    ("g/nested/.zarray", '{"zarr_format": 2}'),
    ("a/.zattrs", '{"_HDF5": "{"}'),
    ("a/.zattrs", '{"_HDF5": 5}'),
    (".zmetadata", "{"),
    (".zmetadata", '{"zarr_consolidated_format": 1}'),
])
def test_damaged_document(check, h5zarr, tmp_path, document, text):
    path = make(tmp_path, "v2", consolidated=False)
    (path / document).write_text(text)
    found = json.loads(h5zarr("check", path, "--json", expect=1).stdout)
    prefix = os.path.dirname(document)
    assert ("document", document) in told(found) or ("document", prefix) in told(found), found
    assert found["arrays"] >= 3  # the others were looked at


@pytest.mark.parametrize("text", ["{", "[]", '{"zarr_format": 3}', '{"zarr_format": 3, "node_type": "array"}'])
def test_damaged_document_v3(check, h5zarr, tmp_path, text):
    path = make(tmp_path, "v3", consolidated=False)
    (path / "a" / "zarr.json").write_text(text)
    found = json.loads(h5zarr("check", path, "--json", expect=1).stdout)
    assert [f["object"] for f in found["findings"] if f["wrong"]] in (["a/zarr.json"], ["a"]), found


def test_a_chunk_that_may_not_be_read(check, h5zarr, tmp_path):
    path = make(tmp_path, "v2")
    (path / "a" / "0.0").unlink()
    (path / "a" / "0.0").mkdir()
    assert ("foreign", "a/0.0") in told(check(path))
    if os.getuid() == 0:
        return
    (path / "a" / "0.1").chmod(0)
    assert ("chunk", "a/0.1") in told(json.loads(h5zarr("check", path, "--json", expect=1).stdout))


def test_chunks_outside(check, tmp_path):
    path = make(tmp_path, "v2")
    shutil.copy(path / "a" / "0.0", path / "a" / "4.0")
    shutil.copy(path / "a" / "0.0", path / "a" / "0.99999999999999999999999")  # no number that a chunk has
    shutil.copy(path / "a" / "0.0", path / "a" / "00.1")
    found = check(path, wrong=1)
    assert sorted(told(found)) == [("foreign", "a/0.99999999999999999999999"), ("foreign", "a/00.1"), ("outside", "a/4.0")]


def test_foreign_files(check, tmp_path):
    path = make(tmp_path, "v3")
    (path / "README.md").write_text("hello")
    (path / "a" / "thumbnail.png").write_bytes(b"x")
    (path / "notes").mkdir()
    (path / "notes" / "x").write_text("y")
    assert sorted(told(check(path))) == [("foreign", "README.md"), ("foreign", "a/thumbnail.png"), ("foreign", "notes")]


# ---- consolidated metadata ----


@pytest.mark.parametrize("form, key", [("v2", ".zmetadata"), ("v3", "zarr.json")])
def test_stale_copies(check, tmp_path, form, key):
    path = make(tmp_path, form)
    zarr_format = 2 if form == "v2" else 3
    group = zarr.open_group(path, mode="r+", use_consolidated=False)
    group["a"].attrs["new"] = 1
    assert [(k, o) for k, o in told(check(path, wrong=1))] == [("copy", key)]
    zarr.consolidate_metadata(path, zarr_format=zarr_format)
    assert check(path)["findings"] == []
    group.create_array("more", shape=(2,), dtype="i4")
    assert "more" in check(path, wrong=1)["findings"][0]["text"] if form == "v3" else "more" in str(check(path, wrong=2))
    zarr.consolidate_metadata(path, zarr_format=zarr_format)
    shutil.rmtree(path / "more")
    assert "more" in str(json.loads(subprocess_check(path)))


def subprocess_check(path):
    return subprocess.run([COMMAND, "check", "--json", path], capture_output=True, text=True).stdout


# ---- stores of others ----


def test_shared_anndata(check):
    directory = shared("anndata")
    for name in os.listdir(directory):
        if name.endswith(".zarr.zip"):
            assert not [f for f in check(directory / name)["findings"]], name


@pytest.mark.parametrize("archive", ["hdmf-zarr/hdmf-zarr-0.7-stores.tar.gz", "zarr-forms/zarr-forms.tar.gz"])
def test_shared_stores(h5zarr, tmp_path, archive):
    where = unpacked(archive, tmp_path)
    count = 0
    for path in where.rglob("*.zarr"):
        if path.is_dir() and any((path / n).exists() for n in (".zgroup", ".zarray", "zarr.json")):
            found = json.loads(h5zarr("check", path, "--json", expect=0).stdout)
            abroad = {"link"} if path.name.startswith("o2_ref_") else set()  # they lead to a store that is not in the archive
            assert {f["kind"] for f in found["findings"]} <= {"lacks", "unjudged"} | abroad, (path, found)
            count += 1
    assert count


# ---- links and references ----


def make_references(path):
    with h5py.File(path, "w") as f:
        f["target"] = np.arange(4)
        f["inner/x"] = 1
        f["refs"] = np.array([f["target"].ref, f["inner"].ref], dtype=h5py.ref_dtype)
        f["refs"].attrs["one"] = f["target"].ref
        f["hard"] = f["inner/x"]
        f["soft"] = h5py.SoftLink("/inner/x")
        f["nowhere"] = h5py.SoftLink("/not there")


@pytest.mark.parametrize("name", ["r.zarr", "r.zarr.zip"])
def test_references(check, connector, tmp_path, name):
    path = tmp_path / name
    connector.run(make_references, str(path))
    assert told(check(path)) == [("link", "")]
    if name.endswith("zip"):
        return
    shutil.rmtree(path / "target")
    shutil.rmtree(path / "inner" / "x")
    (path / ".zmetadata").unlink(missing_ok=True)
    found = json.loads(subprocess_check(path))
    wrong = [f for f in found["findings"] if f["wrong"]]
    assert {(f["kind"], f["object"]) for f in wrong} == {("reference", ""), ("reference", "refs")}
    assert any("hard" in f["text"] for f in wrong) and sum("/target" in f["text"] for f in wrong) == 2


def rename_and_delete(path):
    with h5py.File(path, "r+") as f:
        f.move("target", "moved")


def test_references_follow_moves(check, connector, tmp_path):
    path = tmp_path / "r.zarr"
    connector.run(make_references, str(path))
    connector.run(rename_and_delete, str(path))
    assert told(check(path)) == [("link", "")]


def make_compounds(path, kinds):
    with h5py.File(path, "w") as f:
        data = f.create_dataset("z/data", data=np.arange(12).reshape(3, 4))
        gone = f.create_group("gone")
        row = np.dtype([("n", "i4"), ("to", h5py.ref_dtype), ("pair", h5py.ref_dtype, (2,)), ("part", h5py.regionref_dtype)])
        one = np.zeros((), row)
        one["to"], one["pair"], one["part"] = data.ref, [data.ref, gone.ref], data.regionref[1:3, ::2]
        if "rows" in kinds:
            f.create_dataset("rows", (300,), row, chunks=(100,))[250] = one
        if "lists" in kinds:
            f.create_dataset("lists", (2,), h5py.vlen_dtype(h5py.ref_dtype))[1] = np.array([data.ref, gone.ref], dtype=h5py.ref_dtype)
        if "attribute" in kinds:
            data.attrs.create("row", one, dtype=row)
        f["text"] = ['{"source": ".", "path": "/gone"}', "/gone"]  # only looks so


@pytest.mark.parametrize("name", ["r.zarr", "r.zarr.zip", "v3.zarr"])
@pytest.mark.parametrize("kind, where", [("rows", "rows"), ("lists", "lists"), ("attribute", "z/data"), ("none", None)])
def test_references_within_compounds_and_sequences(check, connector, h5zarr, tmp_path, name, kind, where):
    path = tmp_path / name
    writer = Interpreter(with_connector("zarr format=3")) if name.startswith("v3") else connector
    writer.run(make_compounds, str(path), [kind])
    assert check(path)["findings"] == []
    writer.run(delete, str(path), "gone")
    if writer is not connector:
        writer.stop()
    found = told(check(path, wrong=1 if where else 0))
    assert found == ([("reference", where)] if where else [])


def delete(path, name):
    with h5py.File(path, "r+") as f:
        del f[name]


def make_external(path):
    with h5py.File(path, "w") as f:
        for name, (file, to) in {"store": ("other.zarr", "/a/b"), "wrong": ("other.zarr", "/a/c"), "hdf5": ("native.h5", "/any"), "none": ("none.h5", "/a"),
                                 "far": ("s3://bucket/x.zarr", "/a"), "absolute": (os.path.dirname(path) + "/other.zarr", "/a")}.items():
            f[name] = h5py.ExternalLink(file, to)
        f["other"] = h5py.SoftLink("/store")


def make_other(path):
    with h5py.File(path, "w") as f:
        f["a/b"] = 1


def test_links_to_other_files(check, connector, tmp_path):
    """Stores are looked into; what leads nowhere is no fault, as HDF5 allows it."""
    connector.run(make_other, str(tmp_path / "other.zarr"))
    (tmp_path / "native.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    connector.run(make_external, str(tmp_path / "x.zarr"))
    found = check(tmp_path / "x.zarr")
    assert told(found) == [("link", ""), ("link", "")]
    texts = sorted(f["text"] for f in found["findings"])
    assert texts == ["an external link to /a in none.h5, which is not there", "an external link to /a/c in other.zarr, where nothing is called so"]


def make_links_in_bytes(path):
    """Names and targets that are not UTF-8, which stand in base64."""
    with h5py.File(path, "w") as f:
        f.create_group(b"\xfd")
        f.id.links.create_hard(b"again", f.id, b"\xfd")
        f.id.links.create_soft(b"\xfc", b"/\xfb")
        f.id.links.create_external(b"out", b"none\xfe.h5", b"/\xfe")


def annotation_of(path):
    attributes = json.loads((path / ".zattrs").read_text())
    return attributes, json.loads(attributes["_HDF5"])


def change_entry(path, key, value):
    """Puts `value` under `key` into each entry of the root's links that has one: how many have."""
    attributes, annotation = annotation_of(path)
    entries = [e for e in annotation["L"] if key in e]
    for entry in entries:
        entry[key] = value
    attributes["_HDF5"] = json.dumps(annotation)
    (path / ".zattrs").write_text(json.dumps(attributes))
    return len(entries)


def bytes_of(finding):
    text = finding["text"]
    return base64.b64decode(text[len("base64:"):]) if text.startswith("base64:") else text.encode()


def test_links_in_bytes(check, connector, tmp_path):
    """Links whose targets stand in base64 are followed like others."""
    path = tmp_path / "b.zarr"
    connector.run(make_links_in_bytes, str(path))
    found = check(path)
    assert told(found) == [("link", ""), ("link", "")]
    texts = sorted(map(bytes_of, found["findings"]))
    assert texts == [b"an external link to /\xfe in none\xfe.h5, which is not there", b'the soft link "\xfc" to /\xfb']
    (path / ".zmetadata").unlink(missing_ok=True)
    shutil.rmtree(next(p for p in path.iterdir() if p.is_dir() and p.name.startswith("%")))
    found = check(path, wrong=1)
    texts = [bytes_of(f) for f in found["findings"] if f["wrong"]]
    assert texts == [b'the hard link "again" to /\xfd']


@pytest.mark.parametrize("key, count", [("tob", 3), ("fb", 1), ("nb", 2)])
def test_damaged_links_in_bytes(check, connector, tmp_path, key, count):
    path = tmp_path / "b.zarr"
    connector.run(make_links_in_bytes, str(path))
    (path / ".zmetadata").unlink(missing_ok=True)
    assert change_entry(path, key, "AA!A") == count
    # the group that lost its name is the target of a hard link
    found = check(path, wrong=count + (key == "nb"))
    texts = [bytes_of(f) for f in found["findings"] if f["kind"] == "document"]
    assert len(texts) == count and all(t.startswith(b"the link ") and f'"{key}": base64'.encode() in t for t in texts)


def test_links_of_a_kind_that_is_not_known(check, connector, tmp_path):
    """They may be a later version's: no fault, but said."""
    path = tmp_path / "b.zarr"
    connector.run(make_links_in_bytes, str(path))
    (path / ".zmetadata").unlink(missing_ok=True)
    count = change_entry(path, "k", "later")
    assert told(check(path)) == [("unjudged", "")] * count and count == 4


# ---- leftovers ----

KILLED = """
import h5py, os, signal, sys
f = h5py.File(sys.argv[1], "r+")
f[f"new{os.getpid()}/x"] = range(10)
f["old"][:] = 7
f.flush()
f[f"newer{os.getpid()}/x"] = range(10)
f["old"].id.write_direct_chunk((0,), b"x" * 32)
print("ready", flush=True)
sys.stdin.read() if len(sys.argv) < 3 else os.kill(os.getpid(), signal.SIGKILL)
"""


def make_old(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("old", data=np.arange(8, dtype="i4"), chunks=(8,))


def test_leftovers_of_the_dead_and_the_living(check, connector, tmp_path):
    path = tmp_path / "k.zarr"
    connector.run(make_old, str(path))
    living = subprocess.Popen([sys.executable, "-c", KILLED, path], env=with_connector(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert living.stdout.readline() == b"ready\n"
    kinds = {f["kind"] for f in check(path)["findings"]}
    assert kinds == {"unfinished"}
    living.stdin.close()
    assert living.wait() == 0
    assert check(path)["findings"] == []
    killed = subprocess.run([sys.executable, "-c", KILLED, path, "die"], env=with_connector(), capture_output=True)
    assert killed.returncode == -9
    state = files(tmp_path)
    found = check(path, wrong=1)
    assert [f["kind"] for f in found["findings"]] == ["leftover"] and found["findings"][0]["repair"] == "yes"
    assert files(tmp_path) == state  # looking changed nothing


# ---- what is no store ----


def test_hdf5_file(h5zarr, tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f["a"] = 1
    for command in ("check", "ls"):
        result = h5zarr(command, tmp_path / "x.h5", expect=1)
        assert result.stdout == "" and "this is an HDF5 file" in result.stderr and str(tmp_path / "x.h5") in result.stderr
    for command in ("tree", "ls", "info"):
        result = h5zarr(command, tmp_path / "x.h5/a", expect=1)
        assert result.stdout == "" and "this is an HDF5 file" in result.stderr and str(tmp_path / "x.h5") in result.stderr


def test_many_links_to_directories(check, h5zarr, tmp_path):
    """Symbolic links that double what is below at each level: it ends all the same."""
    path = tmp_path / "s.zarr"
    path.mkdir()
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    for i in range(40):
        (path / f"d{i}").mkdir()
        (path / f"d{i}" / ".zgroup").write_text('{"zarr_format": 2}')
        for side in "ab":
            os.symlink(f"../d{i + 1}", path / f"d{i}" / side)
    began = time.monotonic()
    kinds = {f["kind"] for f in check(path)["findings"]}
    assert kinds == {"unjudged"} and time.monotonic() - began < 60
    for command in (["ls", "-r"], ["tree"], ["ls", "-r", "--json"], ["tree", "--json"]):
        shown = h5zarr(*command, path, expect=1)
        assert 1000 < len(shown.stdout.splitlines()) < 10_000 and shown.stderr.count("a symbolic link, behind 1000 others") == 1
        assert "--json" not in command or json.loads(shown.stdout)
