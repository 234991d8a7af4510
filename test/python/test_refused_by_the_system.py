"""No permission, read-only directories, a full disk: the exception of native files, nothing lost, nothing written."""

import os
import stat
import subprocess

import h5py
import numpy as np
import pytest

from alike import outcome
from interpreter import run_once
from places import by_zarr, files, with_connector

DISK = "2m"  # of small_disk
NOBODY = 65534


@pytest.fixture
def place(tmp_path):
    """A directory that somebody else can reach: pytest's own is closed to others."""
    for directory in [tmp_path, *tmp_path.parents][:3]:
        directory.chmod(0o755)
    return tmp_path


def make(path):
    with h5py.File(path, "w") as f:
        f["g/x"] = np.arange(10)
        f["g/y"] = np.arange(5.0)
        f.attrs["a"] = 1


def unprivileged(function, *arguments):
    """Permissions do not bind root, and root's Python may lie where nobody else can go: it becomes somebody else on the way."""
    status, said = run_once(with_connector(), as_nobody, function.__name__, arguments)
    assert status == 0, said
    return said.strip().splitlines()


def as_nobody(name, arguments):
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    for line in globals()[name](*arguments):
        print(line)


def said(call):
    result = outcome(call)
    return " ".join(map(str, result[1:])) if isinstance(result, tuple) and result[0] == "raised" else str(result)


def closed_store(path):
    yield said(lambda: h5py.File(path, "r"))
    yield said(lambda: h5py.File(path, "r+"))
    yield said(lambda: h5py.File(path, "a"))
    yield said(lambda: h5py.File(path, "w"))


def test_no_permission_to_open(place, connector):
    path = place / "s.zarr"
    connector.run(make, str(path))
    path.chmod(0)
    try:
        before = path.stat().st_mtime_ns
        assert unprivileged(closed_store, str(path)) == ["PermissionError 13"] * 4
        assert path.stat().st_mtime_ns == before
    finally:
        path.chmod(0o755)
    assert by_zarr(path)["g/x"][3] == 3


def closed_parts(path):
    with h5py.File(path, "r") as f:
        yield sorted(f["g"])
        yield said(lambda: f["g/x"][...])
        yield f["g/y"][...].sum()


def test_no_permission_to_read_one_array(place, connector):
    path = place / "s.zarr"
    connector.run(make, str(path))
    os.chmod(path / "g" / "x" / "0", 0)
    names, refused, other = unprivileged(closed_parts, str(path))
    assert (names, other) == ("['x', 'y']", "10.0")
    assert refused.split()[0] in ("OSError", "PermissionError")


def read_only(path):
    yield said(lambda: h5py.File(path, "r+"))
    yield said(lambda: h5py.File(path, "a"))
    yield said(lambda: h5py.File(path, "w"))
    with h5py.File(path, "r") as f:
        yield f["g/x"][...].sum()
        yield said(lambda: f.create_group("new"))
    yield said(lambda: h5py.File(os.path.dirname(path) + "/new.zarr", "w"))
    yield said(lambda: h5py.File(os.path.dirname(path) + "/new.zarr", "x"))


def protect(path, writable):
    for directory, _, names in os.walk(path):
        for name in names:
            os.chmod(os.path.join(directory, name), 0o644 if writable else 0o444)
        os.chmod(directory, 0o755 if writable else 0o555)


def test_read_only_directory(place, connector):
    path = place / "d" / "s.zarr"
    path.parent.mkdir()
    connector.run(make, str(path))
    before = files(path)
    protect(path.parent, False)
    try:
        refused = unprivileged(read_only, str(path))
        assert refused[:3] == ["PermissionError 13"] * 3
        assert refused[3] == "45" and refused[4] != "None"
        assert refused[5:] == ["PermissionError 13"] * 2
        assert files(path) == before and os.listdir(path.parent) == ["s.zarr"]
    finally:
        protect(path.parent, True)


def fill_disk(path):
    """What fails, and what can still be read afterwards in the same process."""
    with h5py.File(path, "w") as f:
        f["good"] = np.arange(1000)
        f.flush()
        errors = []
        try:
            f["big"] = np.random.default_rng(1).integers(0, 2**62, 2**19)
            f.flush()
        except Exception as error:
            errors.append((type(error).__name__, str(error)))
        seen = f["good"][...].sum()
        if "big" in f:
            del f["big"]
        f["small"] = [1, 2, 3]
    return errors, seen


def test_full_disk(small_disk, connector):
    path = small_disk / "s.zarr"
    errors, seen = connector.run(fill_disk, str(path))
    (kind, text), = errors
    assert kind == "OSError" and "s.zarr" in text and "No space left" in text
    assert seen == 499500
    root = by_zarr(path)
    assert root["good"][...].sum() == 499500 and root["small"][...].tolist() == [1, 2, 3]
    assert [p for p in path.rglob("*") if "partial" in p.name] == []


def fill_and_close(path):
    f = h5py.File(path, "w")
    f["good"] = np.arange(1000)
    f.flush()
    d = f.create_dataset("big", (2**19,), "i8", chunks=(2**12,))
    result = outcome(lambda: d.__setitem__(Ellipsis, np.random.default_rng(1).integers(0, 2**62, 2**19)))
    return result, outcome(lambda: f.close())


def test_full_disk_at_close(small_disk, connector):
    results = connector.run(fill_and_close, str(small_disk / "s.zarr"))
    assert ("raised", "OSError") in [result and result[:2] for result in results]
    root = by_zarr(small_disk / "s.zarr")
    assert root["good"][...].sum() == 499500


def quota(path):
    """The same where one file may not grow: every chunk fails, metadata too small to notice."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with h5py.File(path, "w") as f:
        f["good"] = np.arange(100)
        f.flush()
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        result = outcome(lambda: (f.create_dataset("big", data=np.random.default_rng(1).random(100000)), f.flush()))
        print(result[:2])
        del f["big"]


def test_chunk_that_cannot_be_written(tmp_path):
    status, said = run_once(with_connector(), quota, str(tmp_path / "s.zarr"))
    assert status == 0 and "('raised', 'OSError')" in said, said
    root = by_zarr(tmp_path / "s.zarr")
    assert sorted(root) == ["good"] and root["good"][...].sum() == 4950


def mode_bits(path):
    os.umask(0o027)
    make(path)


def test_new_files_follow_the_umask(tmp_path):
    status, said = run_once(with_connector(), mode_bits, str(tmp_path / "s.zarr"))
    assert status == 0, said
    for directory, _, names in os.walk(tmp_path / "s.zarr"):
        assert stat.S_IMODE(os.stat(directory).st_mode) == 0o750
        for name in names:
            assert stat.S_IMODE(os.stat(os.path.join(directory, name)).st_mode) == 0o640, name


GROUPS = 40  # their documents, all together, take more than one page of a file system


def make_groups(path):
    with h5py.File(path, "w") as f:
        for i in range(GROUPS):
            f.create_group(f"g{i}").attrs["text"] = "x" * 200


def change_with_little_room(path, free, ballast):
    """What closing said while there was no more room than that, what stood in the store then, and what closing said with room."""
    f = h5py.File(path, "r+")
    with open(ballast, "wb", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            filler.truncate(filler.tell() - free)
    said = [said_by(lambda: f["g3"].attrs.create("text", "new")), said_by(lambda: f.create_group("h")), said_by(f.close)]
    between = consolidated_texts(path)
    os.remove(ballast)
    return said, between, said_by(f.close)


def said_by(call):
    try:
        call()
    except Exception as error:
        return str(error)


def consolidated_texts(path):
    """{group: its attribute} by the consolidated copy; None: there is none."""
    import json

    name = os.path.join(path, ".zmetadata")
    if os.path.exists(name):
        metadata = json.load(open(name))["metadata"]
        return {key[:-8]: value["text"] for key, value in metadata.items() if key.endswith("/.zattrs")}
    name = os.path.join(path, "zarr.json")
    copy = os.path.exists(name) and json.load(open(name)).get("consolidated_metadata")
    return {key: value["attributes"]["text"] for key, value in copy["metadata"].items() if value["attributes"]} if copy else None


def texts(path):
    """The same without it."""
    import json

    found = {}
    for name in sorted(os.listdir(path)):
        for document, take in (".zattrs", lambda d: d), ("zarr.json", lambda d: d["attributes"]):
            at = os.path.join(path, name, document)
            if os.path.exists(at) and (attributes := take(json.load(open(at)))):
                found[name] = attributes["text"]
    return found


@pytest.mark.parametrize("format", [2, 3])
def test_a_disk_that_is_full_when_metadata_is_consolidated(small_disk, format):
    """With each number of free pages: the copy is what it was and true, or not there; and comes with the next close."""
    from interpreter import Interpreter

    ours = Interpreter(with_connector(f"zarr format={format}"))
    outcomes = set()
    try:
        for free in range(14):
            path = small_disk / f"{free}.zarr"
            ours.run(make_groups, str(path))
            assert consolidated_texts(path) == texts(path) != {}
            said, between, last = ours.run(change_with_little_room, str(path), free * 4096, str(small_disk / "ballast"))
            assert between in (None, {f"g{i}": "x" * 200 for i in range(GROUPS)}) or said[-1] is None and between == texts(path), free
            if said[-1] is not None:
                assert "No space left" in said[-1] and f"{free}.zarr" in said[-1]
                assert last is None
            assert texts(path) == consolidated_texts(path) and texts(path)["g3"] == "new", (free, said, last)
            assert said[0] is None and (said[1] is None or "No space left" in said[1])
            assert ("h" in by_zarr(path)) == (said[1] is None) and not [p for p in small_disk.rglob("*") if "partial" in p.name]
            outcomes.add((said[-1] is None, between is None))
            subprocess.run(["rm", "-r", path], check=True)
    finally:
        ours.stop()
    assert {(False, True), (True, False)} <= outcomes
