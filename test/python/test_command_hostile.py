"""Each subcommand on each kind of damaged store: one line that says what is wrong, no crash, nothing changed.

What says "Sanitizer" or ends by a signal has failed; a build with the sanitizers makes more of it."""

import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy as np
import pytest
import zarr

from places import COMMAND, files
from test_command_check import make

pytestmark = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores")

READING = [["ls"], ["ls", "-lr", "--json"], ["tree"], ["tree", "--json"], ["info"], ["info", "--json"], ["check"], ["check", "--json"],
           ["repair", "--dry-run"], ["report", "-o", "-"]]
HDF5 = {"VOL_ZARR_HDF5": os.environ.get("VZ_HDF5", "")}  # for report
WRITING = [["consolidate"], ["repair", "--outside"]]


def run(command, path, seconds=180, statuses=(0, 1)):
    began = time.monotonic()
    result = subprocess.run([COMMAND, *command, path], capture_output=True, text=True, errors="replace", timeout=seconds, env={**os.environ, **HDF5})
    said = (command, path, result.returncode, result.stdout[-2000:], result.stderr[-2000:])
    assert result.returncode in statuses, said
    assert "Sanitizer" not in result.stderr and "runtime error" not in result.stderr, said
    assert all(line.startswith("h5zarr: ") for line in result.stderr.splitlines()), said
    assert result.returncode == 0 or result.stderr or result.stdout, said
    assert time.monotonic() - began < seconds
    if "--json" in command and result.stdout:
        sys.setrecursionlimit(20000)
        json.loads(result.stdout)
    return result


def state(path):
    return files(path) if os.path.isdir(path) else pathlib.Path(path).read_bytes() if os.path.isfile(path) else None


def long_commands(path):
    """With VZ_ROUNDS: those that look into elements, too."""
    for command in [["show"], ["show", "--json"], ["diff", path], ["diff", "--json", path], ["advise", "--seconds=0.05", "--sample=64K"]]:
        run(command, path)
    with tempfile.TemporaryDirectory() as folder:
        run(["cp", path], pathlib.Path(folder, "copy.zarr"))
        run(["cp", path], pathlib.Path(folder, "copy.zip"))
        run(["sync", "-n", path], pathlib.Path(folder, "copy.zarr"))


def all_commands(path):
    """The exit status of each reading command; the store does not change."""
    before = state(path)
    statuses = [run(command, path).returncode for command in READING]
    if os.environ.get("VZ_ROUNDS"):
        long_commands(path)
    assert before == state(path)
    for command in WRITING:
        run(command, path)
    return statuses


def test_what_is_no_store(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty file").touch()
    (tmp_path / "text").write_text("hello\n" * 1000)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").touch()
    os.symlink("loop", tmp_path / "loop")
    os.symlink("nothing", tmp_path / "dangling")
    os.mkfifo(tmp_path / "pipe")
    for name in ("empty", "empty file", "text", "other", "loop", "dangling", "pipe", "missing", "text/below", "x" * 300, "a" * 255 + "/b"):
        assert all_commands(tmp_path / name) == [1] * len(READING), name
    assert all_commands("/dev/null") == [1] * len(READING)


def test_rights(tmp_path):
    if os.getuid() == 0:
        pytest.skip("root may read everything")
    path = make(tmp_path, "v2")
    for name in ("a", ".zgroup"):
        (path / name).chmod(0)
        run(["check"], path)
        run(["tree"], path)
        (path / name).chmod(0o755)


CLAIMS = [
    {"shape": [2**63, 2**63]}, {"shape": [2**64]}, {"shape": [-1]}, {"shape": [1e30]}, {"shape": "x"}, {"shape": [1] * 40},
    {"chunks": [0]}, {"chunks": [2**40]}, {"chunks": [2**33]}, {"chunks": []}, {"chunks": None},
    {"dtype": "<f16"}, {"dtype": "|S2000000000"}, {"dtype": "|O"}, {"dtype": [["a", "<i4"]] * 3}, {"dtype": "<i3"}, {"dtype": None},
    {"compressor": {"id": "nothing"}}, {"compressor": {"id": "zstd", "level": 10**30}}, {"compressor": 7}, {"filters": [{"id": "delta"}]},
    {"fill_value": "x" * 1000}, {"order": "X"}, {"dimension_separator": "|"}, {"zarr_format": 9},
]


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_hostile_arrays(tmp_path, claim):
    path = make(tmp_path, "v2", consolidated=False)
    document = json.loads((path / "a" / ".zarray").read_text())
    document.update(claim)
    if "shape" not in claim and "chunks" in claim:
        document["shape"] = [5]
    if "chunks" not in claim and isinstance(claim.get("shape"), list):
        document["chunks"] = [10] * len(claim["shape"])
    (path / "a" / ".zarray").write_text(json.dumps(document))
    all_commands(path)
    assert "scalar" in run(["ls"], path).stdout  # the others are there


def test_large_chunks_of_few_bytes(tmp_path):
    """Chunks that claim gigabytes are not all decoded at once."""
    path = make(tmp_path, "v2", consolidated=False)
    document = json.loads((path / "a" / ".zarray").read_text())
    document.update(shape=[2**34], chunks=[2**28], dtype="|u1", compressor={"id": "zlib", "level": 1})
    (path / "a" / ".zarray").write_text(json.dumps(document))
    import zlib

    bomb = zlib.compressobj(9)
    data = b"".join([*(bomb.compress(bytes(2**20)) for _ in range(256)), bomb.flush()])
    for i in range(12):
        (path / "a" / str(i)).write_bytes(data)
    result = subprocess.run(["bash", "-c", 'ulimit -v 6000000; exec "$@"', "-", COMMAND, "check", "--json", path], capture_output=True, text=True)
    found = json.loads(result.stdout)
    assert not [f for f in found["findings"] if f["kind"] == "chunk"], found


def test_deep(tmp_path):
    path = make(tmp_path, "v2", consolidated=False)
    at = path
    for _ in range(700):
        at = at / "d"
        at.mkdir()
        (at / ".zgroup").write_text('{"zarr_format": 2}')
    all_commands(path)
    (path / "a" / ".zattrs").write_text("[" * 100000)
    assert run(["check"], path).returncode == 1
    with zipfile.ZipFile(tmp_path / "deep.zip", "w") as archive:
        archive.writestr(".zgroup", '{"zarr_format": 2}')
        archive.writestr("d/" * 900 + ".zgroup", '{"zarr_format": 2}')
        archive.writestr("d/" * 5000 + ".zgroup", '{"zarr_format": 2}')
    all_commands(tmp_path / "deep.zip")


def test_loops_of_links(tmp_path):
    path = make(tmp_path, "v2", consolidated=False)
    for name, to in (("up", "."), ("up2", ".."), ("self", "self"), ("g/back", ".."), ("a/back", "../a"), ("dangling", "nothing")):
        os.symlink(to, path / name)
    all_commands(path)


@pytest.mark.parametrize("form", ["v2-zip", "v3-zip"])
def test_cut_zips(tmp_path, form):
    path = make(tmp_path, form)
    data = path.read_bytes()
    for size in (0, 1, 4, 22, 100, len(data) // 2, len(data) - 23, len(data) - 1):
        path.write_bytes(data[:size])
        statuses = all_commands(path)
        assert statuses[0] == statuses[6] == 1
    path.write_bytes(data)
    assert run(["check"], path).returncode == 0


def test_hostile_zips(tmp_path):
    """Entries that lead out of the file, overlap, claim too much."""
    path = make(tmp_path, "v2-zip")
    data = bytearray(path.read_bytes())
    central = data.find(b"PK\1\2")
    for field, value in ((20, 2**32 - 2), (24, 2**32 - 2), (42, 2**32 - 2), (42, 0), (28, 65535), (10, 99), (8, 1)):
        changed = bytearray(data)
        struct.pack_into("<I" if field in (20, 24, 42) else "<H", changed, central + field, value)
        path.write_bytes(changed)
        all_commands(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(".zgroup", '{"zarr_format": 2}')
        archive.writestr("../x", "y")
    assert run(["check"], path).returncode == 1
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:  # documents that unpack to much more
        archive.writestr(".zgroup", '{"zarr_format": 2}')
        for i in range(20):
            archive.writestr(f"g{i}/.zgroup", '{"zarr_format": 2}' + " " * 30_000_000)
    result = run(["check"], path)
    assert result.returncode == 1 and "document_ratio" in result.stdout


@pytest.mark.parametrize("form", ["v2", "v3", "shards", "v2-zip", "shards-zip"])
def test_random_damage(tmp_path, form):
    """Bytes anywhere are others: each command ends with an answer."""
    chance = random.Random(form)
    for round_number in range(6):
        where = tmp_path / str(round_number)
        where.mkdir()
        path = make(where, form)
        victims = [path] if path.is_file() else [path / name for name in files(path)]
        for _ in range(4):
            victim = chance.choice(victims)
            data = bytearray(victim.read_bytes())
            for _ in range(chance.choice([1, 3, 40])):
                if data:
                    data[chance.randrange(len(data))] = chance.randrange(256)
            victim.write_bytes(data[: chance.choice([len(data), len(data), len(data) // 2])])
        for command in (["check", "--json"], ["tree"], ["ls", "-lr"], ["info"], ["repair", "--outside"], ["consolidate"]):
            run(command, path)


def test_hostile_annotations(tmp_path):
    path = make(tmp_path, "v2", consolidated=False)
    loops = [{"n": f"l{i}", "k": "soft", "to": f"l{i + 1}"} for i in range(100)] + [{"n": "l100", "k": "soft", "to": "l0"}]
    texts = [json.dumps({"L": loops, "v": 1}), json.dumps({"L": [{"n": "x", "k": "hard", "to": "/x"}], "hl": 1}), json.dumps({"L": [5, None, {}]}),
             json.dumps({"mv": [[1, "/a", "/b"], [2, "/b", "/a"], [-1, 5]], "rf": []}), json.dumps({"L": {"a": 1}}), "[]", "null", "{\"L\":" + "[" * 60]
    for text in texts:
        (path / ".zattrs").write_text(json.dumps({"_HDF5": text, "zarr_link": [{"name": "q", "source": ".", "path": "/../.."}, 5]}))
        all_commands(path)
        run(["info"], path / "l0")


def test_names_that_speak_to_terminals(tmp_path):
    path = make(tmp_path, "v2", consolidated=False)
    for name in ("\033]0;title\007", "new\nline", "\u009b31m", "\udcff\udcfe"):
        (path / name).mkdir()
        (path / name / ".zgroup").write_text("{")
    for command in READING:
        result = run(command, path)
        assert not set("\033\007") & set(result.stdout + result.stderr)
        assert "--json" in command or "\u009b" not in result.stdout


WORDS = ["\033]0;title\007\033[31mred", "a\u202eb\u2066c\u200b", "</script><img src=x onerror=alert(1)>", "\"'&<b>", '{"a": [1', "new\nline\ttab", "\u009b31m\x7f"]


def speaking(path, last):
    """A store whose names, attributes, texts, categories, columns and units speak to terminals, to pages and to parsers."""
    group = zarr.open_group(path, mode="w", zarr_format=2)
    group.attrs.update({word: word for word in WORDS})
    for i, word in enumerate(WORDS):
        name = word.replace("/", "|")
        array = group.create_array(f"{i}{name}", shape=(2,), chunks=(2,), dtype="f8", fill_value=0)
        array[:] = [i, last]
        array.attrs.update({"units": word, word: [word, {word: word}]})
    rows = group.create_array("rows", shape=(2,), dtype=np.dtype([(f"{i}{word}", "S9") for i, word in enumerate(WORDS)]), compressors=None)
    rows[:] = np.array([tuple(word.encode()[:9] for word in WORDS)] * 2, dtype=rows.dtype)
    group.create_array("text", shape=(len(WORDS),), dtype=zarr.dtype.VariableLengthUTF8() if hasattr(zarr, "dtype") else str)[:] = np.array(WORDS, object)
    frame = group.create_group("frame")
    frame.attrs.update({"encoding-type": "dataframe", "_index": "i", "column-order": ["c"]})
    frame.create_array("i", shape=(1,), dtype="S40")[:] = np.array([WORDS[0].encode()])
    frame.create_group("c").attrs["encoding-type"] = WORDS[0]
    (path / "broken").mkdir()
    (path / "broken" / ".zarray").write_text(json.dumps({"zarr_format": 2, "dtype": WORDS[0], "compressor": {"id": WORDS[1]}}))
    return path


def test_what_is_stored_speaks_to_nobody(tmp_path):
    """Each subcommand shows it, and none acts on it."""
    a, b = speaking(tmp_path / f"a{WORDS[0]}{WORDS[1]}.zarr", 1), speaking(tmp_path / "b.zarr", 2)
    (b / "extra").mkdir()
    (b / "extra" / ".zgroup").write_text('{"zarr_format": 2}')
    arrays = [path.name for path in a.iterdir() if (path / ".zarray").is_file()]
    looks = [*READING[:8], ["report", "--json"], ["show"], ["show", "--json"], ["diff", a], ["diff", "--json", a], ["diff", "--storage", a], ["sync", "-n", a],
             ["sync", "-n", "--delete", "--json", a], ["advise", "--seconds=0.05", "--sample=64K"], ["advise", "--seconds=0.05", "--sample=64K", "--json"]]
    said = [run(command, store) for command in looks for store in (a, b)]
    said += [run(command, a / name) for name in [*arrays, "frame"] for command in (["show"], ["show", "--json"], ["info"])]
    said += [run(["show"], f"{a}/{name}[\033\u202e]", statuses=(1, 2)) for name in arrays]
    said += [run(["cp", "--json", a], tmp_path / "c.zarr"), run(["cp", a], tmp_path / f"d{WORDS[5]}.zip"), run(["sync", a], tmp_path / "c.zarr")]
    for each in said:
        unseen = [c for c in each.stdout + each.stderr if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066\u200b")]
        assert not unseen or (each.args[2] == "--json" or "--json" in each.args) and not set(unseen) & set("\033\007"), (each.args, unseen)
    assert any("extra" in each.stdout for each in said)
    page = run(["report", "-o", "-"], a).stdout
    assert "<script" not in page and "<img src=x" not in page and "\033" not in page and "\u202e" not in page


def test_many_foreign_values(tmp_path):
    """Notes do not bury what is wrong; JSON has them all."""
    path = make(tmp_path, "v2")
    for i in range(200):
        (path / f"file{i}").touch()
    (path / "a" / "0.0").write_bytes(b"x")
    text = run(["check"], path).stdout
    assert text.count("note: ") == 21 and "and 180 more" in text and "a/0.0" in text
    assert len(json.loads(run(["check", "--json"], path).stdout)["findings"]) == 201
    assert np.all(zarr.open_array(path / "scalar")[...] == 5)
