"""h5zarr cp and h5zarr sync with odd sources and places: names, links, special files, doubles, other sources; keys and bytes by plain Python."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import folding
from converting import COMMAND, run
from places import files

zarr = pytest.importorskip("zarr")
pytestmark = pytest.mark.skipif(not COMMAND.exists(), reason="the command was not built beside the plugin")


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.zarr"
    zarr.open_group(path, mode="w", zarr_format=2).create_array("a", data=np.arange(12).reshape(3, 4), chunks=(2, 2))
    return path


def test_what_lies_in_a_source_beside_values(source, tmp_path):
    """Pipes, sockets and links to nothing hold nobody up and are no values; links to files and directories count as what they lead to."""
    os.mkfifo(source / "pipe")
    with socket.socket(socket.AF_UNIX) as unix:
        os.chdir(source)
        unix.bind("socket")
        os.chdir(tmp_path)
    (source / "nowhere").symlink_to("gone")
    (source / "file").symlink_to("a/.zarray")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "0").write_bytes(b"zero")
    (source / "directory").symlink_to(tmp_path / "other")
    run("cp", source, tmp_path / "b.zarr")
    left = files(tmp_path / "b.zarr")
    assert left["file"] == left["a/.zarray"] and left["directory/0"] == b"zero"
    assert not {"pipe", "socket", "nowhere"} & set(left) and {"a/.zarray", ".zgroup", "a/0.0"} <= set(left)


def test_a_circle_of_links_ends(source, tmp_path):
    """A link to a directory above it is left out."""
    (source / "a" / "up").symlink_to("..")
    run("cp", source, tmp_path / "b.zarr")
    assert files(tmp_path / "b.zarr") == {key: value for key, value in files(source).items() if not key.startswith("a/up/")}


def test_names_that_a_file_system_takes_for_one(source, tmp_path):
    """Where "A" and "a" are one name the copy is refused, and does not open; without such a pair it is made."""
    place = tmp_path / "folding"
    place.mkdir()
    environment = {"LD_PRELOAD": " ".join(filter(None, [os.environ.get("LD_PRELOAD"), str(folding.library(tmp_path))])), "FOLDING_ROOT": str(place)}
    run("cp", source, place / "fine.zarr", **environment)
    assert files(place / "fine.zarr") == files(source)
    shutil.copytree(source / "a", source / "A")
    assert "differ in case only" in run("cp", source, place / "b.zarr", expect=1, **environment)[1]
    assert "unfinished copy" in run("info", place / "b.zarr", expect=1, **environment)[1]


@pytest.mark.parametrize("name", ["two\nlines", "back\\slash", "c:colon", "quote\"", "-dash", "ünï", "trailing ", "a" * 200])
def test_names_go_into_each_kind(source, tmp_path, name):
    """A name that a file may have comes back from a zip file and a one-file store as it was."""
    (source / name).write_bytes(name.encode())
    for kind, target in (("zip", "b.zip"), ("file", "b.h5z")):
        run("cp", source, tmp_path / target, "--container", kind)
        run("cp", tmp_path / target, tmp_path / f"{kind}.zarr")
        assert files(tmp_path / f"{kind}.zarr") == files(source)
        with zipfile.ZipFile(tmp_path / target) as archive:
            assert archive.read(name) == name.encode()


def test_a_name_that_is_no_utf8(source, tmp_path):
    (source / os.fsdecode(b"latin\xe4")).write_bytes(b"x")
    run("cp", source, tmp_path / "b.zarr")
    assert files(tmp_path / "b.zarr") == files(source)
    outcome = subprocess.run([COMMAND, "cp", source, tmp_path / "b.zip"], capture_output=True)
    if outcome.returncode == 0:
        run("cp", tmp_path / "b.zip", tmp_path / "c.zarr")
        assert files(tmp_path / "c.zarr") == files(source)
    else:
        assert outcome.stderr.count(b"\n") == 1 and not (tmp_path / "b.zip").exists()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_zip_file_with_a_name_twice(source, tmp_path):
    """The last one counts, as for Python's zipfile and zarr-python."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for key, value in files(source).items():
            archive.writestr(key, value)
        archive.writestr("a/0.0", b"second")
        archive.writestr("b/", b"")
    run("cp", tmp_path / "a.zip", tmp_path / "b.zarr")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert files(tmp_path / "b.zarr")["a/0.0"] == archive.read("a/0.0") == b"second"
    assert json.loads(run("sync", tmp_path / "a.zip", tmp_path / "b.zarr", "--json")[0])["done"] == "equal"


@pytest.mark.parametrize("name", ["../out", "/out", "a/../../out", "a//b", "./x"])
def test_a_zip_file_with_names_that_lead_out(source, tmp_path, name):
    """Nothing is written beside the target."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for key, value in files(source).items():
            archive.writestr(key, value)
        archive.writestr(name, b"out")
    (tmp_path / "in").mkdir()
    outcome = subprocess.run([COMMAND, "cp", tmp_path / "a.zip", tmp_path / "in" / "b.zarr"], capture_output=True)
    assert outcome.returncode in (0, 1)
    assert sorted(os.listdir(tmp_path)) == ["a.zarr", "a.zip", "in"] and os.listdir(tmp_path / "in") in ([], ["b.zarr"])
    assert not pathlib.Path("/out").exists()


def test_delete_and_dry_run_together(source, tmp_path):
    """Each key that would go is named, and nothing changes."""
    run("cp", source, tmp_path / "b.zarr")
    (tmp_path / "b.zarr" / "x" / "y").mkdir(parents=True)
    (tmp_path / "b.zarr" / "x" / "y" / "1").write_bytes(b"1")
    (tmp_path / "b.zarr" / ".zmetadata").write_text("{}")
    (source / "a" / "0.0").unlink()
    before = {str(p): (p.lstat().st_ino, p.lstat().st_mtime_ns) for p in tmp_path.rglob("*")}
    said = run("sync", "--delete", "--dry-run", source, tmp_path / "b.zarr")[0].splitlines()
    assert sorted(said[:-1]) == [f"delete {key} (only in the target)" for key in (".zmetadata", "a/0.0", "x/y/1")]
    assert {str(p): (p.lstat().st_ino, p.lstat().st_mtime_ns) for p in tmp_path.rglob("*")} == before
    run("sync", "--delete", source, tmp_path / "b.zarr")
    assert files(tmp_path / "b.zarr") == files(source) and not (tmp_path / "b.zarr" / "x").exists()


@pytest.mark.parametrize("words, cause", [(("cp", "a.zarr", "a.zarr/a/../new"), "lie in the source"), (("cp", "a.zarr", "in/new"), "lie in the source"),
                                          (("cp", "a.zarr", "in/deep/../new.zip"), "lie in the source"), (("cp", "link", "a.zarr/x"), "lie in the source"),
                                          (("sync", "link/../a.zarr", "./a.zarr/."), "are the same"), (("cp", "a.zarr/a", "link/b"), None),
                                          (("sync", "in", "a.zarr"), "lies in the target")])
def test_places_by_other_names(source, tmp_path, monkeypatch, words, cause):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("a.zarr")
    (tmp_path / "in").symlink_to("a.zarr/a")
    (source / "a" / "deep").mkdir()
    before = files(source)
    said = run(*words, expect=1 if cause else 0)[1]
    assert not cause or cause in said, said
    assert not cause or files(source) == before


def test_exit_statuses_and_json(source, tmp_path):
    """0 done, 1 failed, 2 the command line is wrong; JSON is one value in each of the first two, and "done" says which."""
    for words, status, done in ((("cp", source, tmp_path / "b.zarr"), 0, "copied"), (("sync", source, tmp_path / "b.zarr"), 0, "equal"),
                                (("sync", "-n", source, tmp_path / "b.zarr"), 0, "nothing"), (("cp", source, tmp_path / "b.zarr"), 1, "failed"),
                                (("cp", "-n", tmp_path / "none", tmp_path / "c.zarr"), 1, "failed")):
        out, err = run(*words, "--json", expect=status)
        said = json.loads(out)
        assert said.get("summary", said)["done"] == done and (err == "") == (status == 0)
    for words in (("cp", source), ("cp", source, "b", "c"), ("sync", "--nothing", source, "b"), ("cp", "--threads=x", source, "b")):
        out, err = run(*words, "--json", expect=2)
        assert out == "" and err.startswith("h5zarr: ") and len(err.splitlines()) <= 2


def test_no_bar_without_a_terminal(source, tmp_path):
    out, err = run("cp", source, tmp_path / "b.zarr")
    assert err == "" and "\r" not in out and "\x1b" not in out and out.count("\n") == 1


def test_a_bar_on_a_terminal(source, tmp_path):
    """It is drawn on standard error, and gone at the end."""
    script = ("import os, pty, sys\n"
              "status = os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:]))\n"
              "sys.exit(status)")
    for i in range(40):
        (source / f"x{i}").write_bytes(bytes(1 << 20))
    done = subprocess.run([sys.executable, "-c", script, COMMAND, "cp", source, tmp_path / "b.zarr"], capture_output=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, "TERM": "xterm"}, check=True)
    assert done.stdout.decode().splitlines()[-1].split("\r")[-1].replace("\x1b[K", "").startswith(f"{tmp_path}/b.zarr: ")
