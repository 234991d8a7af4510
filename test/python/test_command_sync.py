"""h5zarr cp and h5zarr sync between directories, zip files and one-file stores: keys and bytes by plain Python, the store by zarr-python and by
h5zarr diff; killed, held and disturbed at chosen calls (stopping.c). VZ_ROUNDS=20 is the long form: more stores, killed at every call."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import zipfile

import h5py
import numpy as np
import pytest

from converting import COMMAND, run
from places import files
from stopping import STOPPED, library

zarr = pytest.importorskip("zarr")
SEED = int(os.environ.get("VZ_SEED", "1"))
ROUNDS = int(os.environ.get("VZ_ROUNDS", "0"))
VALUES = np.arange(24 * 20, dtype="i4").reshape(24, 20)
KINDS = {"directory": ("b.zarr",), "zip": ("b.zip",), "file": ("b.h5z", "--container", "file")}
ROOTS = {".zgroup", ".zattrs", ".zmetadata", "zarr.json"}

pytestmark = [pytest.mark.skipif(not COMMAND.exists(), reason="the command was not built beside the plugin"),
              pytest.mark.filterwarnings("ignore:Consolidated metadata")]


def make(path, form=2, arrays=2, consolidated=False):
    group = zarr.open_group(path, mode="w", zarr_format=form)
    group.attrs["title"] = "x"
    for i in range(arrays):
        group.create_array(f"g/a{i}", shape=VALUES.shape, chunks=(12, 10), dtype="i4", compressors=None)[:] = VALUES + i
    if consolidated:
        zarr.consolidate_metadata(path)
    return path


def age(path):
    """As if nobody had written there for a while: then times tell versions apart."""
    for each in path.rglob("*"):
        if each.is_file():
            os.utime(each, ns=(1_700_000_000_000_000_001, 1_700_000_000_000_000_001))
    return path


@pytest.fixture(params=[2, 3])
def source(request, tmp_path):
    return age(make(tmp_path / "a.zarr", request.param))


def first_chunk(path, array="a0"):
    return next(p for p in sorted((path / "g" / array).rglob("*")) if p.is_file() and p.stat().st_size == 480)


def content(path):
    """{key: bytes}, by programs that know nothing of h5zarr."""
    if path.is_dir():
        return files(path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.startswith((".vol_zarr", "__"))}


def is_read(path, arrays=2):
    store = path if path.is_dir() else zarr.storage.ZipStore(path, mode="r")
    group = zarr.open_group(store, mode="r")
    return all(np.array_equal(group[f"g/a{i}"][:], VALUES + i) for i in range(arrays)) and group.attrs["title"] == "x"


def summary(*arguments, **more):
    return json.loads(run(*arguments, "--json", **more)[0])


# ---- copies ----


@pytest.mark.parametrize("kind", KINDS)
def test_there_and_back(source, tmp_path, kind):
    name, *options = KINDS[kind]
    target, back = tmp_path / name, tmp_path / "back.zarr"
    assert summary("cp", source, target, *options)["done"] == "copied"
    assert content(target) == files(source) and is_read(target)
    assert sorted(os.listdir(tmp_path)) == sorted(["a.zarr", name])
    run("cp", target, back)
    assert files(back) == files(source)
    assert summary("sync", source, target)["done"] == "equal" and summary("sync", back, target)["done"] == "equal"
    run("diff", source, target, "--storage")


def test_a_subgroup_and_an_array_are_stores(source, tmp_path):
    run("cp", source / "g", tmp_path / "g.zarr")
    run("cp", source / "g" / "a1", tmp_path / "a1.zip")
    assert files(tmp_path / "g.zarr") == files(source / "g") and content(tmp_path / "a1.zip") == files(source / "g" / "a1")


def test_values_of_a_reference_file(tmp_path):
    make(tmp_path / "a.zarr")
    (tmp_path / "all").write_bytes(b"".join(files(tmp_path / "a.zarr").values()))
    offset, refs = 0, {}
    for key, value in files(tmp_path / "a.zarr").items():
        refs[key] = value.decode() if key.rpartition("/")[2].startswith(".z") else ["all", offset, len(value)]
        offset += len(value)
    (tmp_path / "r.json").write_text(json.dumps({"version": 1, "refs": refs}))
    run("cp", tmp_path / "r.json", tmp_path / "b.zarr")
    assert files(tmp_path / "b.zarr") == files(tmp_path / "a.zarr")


MEASURE = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=2); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"


def test_a_large_value_takes_little_memory(tmp_path):
    """72 MiB in one value: in pieces into a directory, by a file without a name, which is mapped, into a zip file."""
    source = make(tmp_path / "a.zarr", arrays=1)
    os.truncate(source / "g" / "a0" / "0.0", 72 << 20)
    age(source)
    for words in (("cp", "b.zarr"), ("cp", "b.zip"), ("sync", "b.zarr", "--checksum"), ("sync", "b.zip")):
        line = [sys.executable, "-S", "-c", MEASURE, COMMAND, words[0], source, tmp_path / words[1], *words[2:]]
        most = int(subprocess.run(line, check=True, capture_output=True).stdout)  # the memory of a program before exec counts, too
        assert words[1] == "b.zip" or most < 48 << 10, (words, most)
    assert content(tmp_path / "b.zip") == files(source) == files(tmp_path / "b.zarr")


# ---- sync ----


def test_only_what_differs(source, tmp_path):
    target = tmp_path / "b.zarr"
    run("cp", source, target)
    chunk = first_chunk(source, "a1")
    chunk.write_bytes(bytes(480))
    (source / "g" / "notes.txt").write_text("mine")
    (target / "g" / "more.txt").write_text("theirs")
    before = {str(p): (p.stat().st_ino, p.stat().st_mtime_ns) for p in target.rglob("*")}
    said = run("sync", source, target, "--dry-run")[0].splitlines()
    assert sorted(said[:-1]) == [f"copy {chunk.relative_to(source)} (bytes)", "copy g/notes.txt (new)", "keep g/more.txt (only in the target)"]
    told = json.loads(run("sync", source, target, "-n", "--delete", "--json")[0])
    assert {"action": "delete", "key": "g/more.txt", "why": "only in the target"} in told["changes"]
    assert {str(p): (p.stat().st_ino, p.stat().st_mtime_ns) for p in target.rglob("*")} == before
    done = summary("sync", source, target)
    assert done["only_in_target"] == 1 and done["deleted"] == 0 and (target / "g" / "more.txt").exists()
    assert summary("sync", source, target, "--delete")["deleted"] == 1
    assert files(target) == files(source)
    untouched = [name for name in before if name in before and name.endswith(".zarray")]
    assert all(os.stat(name).st_ino == before[name][0] for name in untouched)


def test_what_is_gone_goes_with_its_directories(source, tmp_path):
    target = tmp_path / "b.zarr"
    run("cp", source, target)
    shutil.rmtree(source / "g" / "a1")
    run("sync", source, target, "--delete")
    assert files(target) == files(source) and sorted(os.listdir(target / "g")) == sorted(os.listdir(source / "g"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_that_no_time_tells(source, tmp_path, kind):
    """Of equal size and time: zip files and one-file stores are compared by their bytes, a directory with --checksum."""
    name, *options = KINDS[kind]
    target = tmp_path / name
    run("cp", source, target, *options)
    chunk = first_chunk(source)
    chunk.write_bytes(bytes(480))
    age(source)
    if kind == "directory":
        assert summary("sync", source, target)["done"] == "equal" and content(target) != files(source)
    assert summary("sync", source, target, "--checksum")["done"] == "copied"
    assert content(target) == files(source)


def test_documents_that_only_the_target_s_root_has(tmp_path):
    source, target = make(tmp_path / "a.zarr"), tmp_path / "b.zarr"
    run("cp", source, target)
    zarr.consolidate_metadata(target)
    (source / "g" / "a0" / "0.0").write_bytes(bytes(480))
    before = files(target)
    said = run("sync", source, target, expect=1)[1]
    assert ".zmetadata: the source has no such document" in said and files(target) == before
    run("sync", source, target, "--delete")
    assert files(target) == files(source)


# ---- refused ----


def test_refused(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("cp", source, "b.zarr")
    run("cp", source, "c.zip")
    os.symlink("a.zarr", "link")
    os.link("c.zip", "hard.zip")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thing.txt").write_text("mine")
    (tmp_path / "text").write_text("mine")
    with h5py.File("x.h5", "w"):
        pass
    before = files(tmp_path)
    for words, cause in [(("cp", "a.zarr", "b.zarr"), "is there already"), (("cp", "a.zarr", "c.zip"), "is there already"),
                         (("sync", "a.zarr", "link"), "are the same"), (("sync", "a.zarr", "./b.zarr/../a.zarr/"), "are the same"),
                         (("sync", "c.zip", "hard.zip"), "are the same"), (("cp", "a.zarr", "a.zarr/g/new"), "lie in the source"),
                         (("cp", "a.zarr", "link/new.zip"), "lie in the source"), (("sync", "a.zarr/g", "a.zarr"), "lies in the target"),
                         (("sync", "a.zarr", "mine"), "no Zarr store"), (("cp", "a.zarr", "text"), "no Zarr store"),
                         (("sync", "a.zarr", "x.h5"), "HDF5 file"), (("cp", "x.h5", "y.zarr"), "HDF5 file"), (("cp", "mine", "y.zarr"), "no Zarr store"),
                         (("cp", "nothing", "y.zarr"), "No such file"), (("cp", "a.zarr", "nothing/y.zarr"), "No such file"),
                         (("cp", "c.zip/g", "y.zarr"), "part of a store"), (("cp", "a.zarr", "y.zarr", "--container", "box"), "no kind of store")]:
        said = run(*words, expect=1)[1]
        assert said.startswith("h5zarr: ") and cause in said and said.count("\n") == 1, (words, said)
    assert files(tmp_path) == before
    assert run("cp", "a.zarr", expect=2) and run("sync", "a.zarr", "b.zarr", "--threads", "0", expect=2)


def test_a_target_behind_a_link_of_the_source(source, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    os.symlink("../../elsewhere", source / "g" / "out")
    assert "copied into itself" in run("cp", source, tmp_path / "elsewhere" / "b.zarr", expect=1)[1]


def test_what_is_no_value_is_passed_over(source, tmp_path):
    """A pipe holds nobody up; a link counts as the file that it leads to."""
    chunk = first_chunk(source)
    chunk.rename(tmp_path / "aside")
    os.symlink(tmp_path / "aside", chunk)
    os.mkfifo(source / "g" / "pipe")
    run("cp", source, tmp_path / "b.zarr")
    left = files(tmp_path / "b.zarr")
    assert left == files(source) and "g/pipe" not in left and len(left[str(chunk.relative_to(source))]) == 480


# ---- unfinished ----


def held(tmp_path, *words, after, every=1_000_000):
    """h5zarr, held before a change; it goes on with SIGCONT."""
    process = subprocess.Popen([COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "LD_PRELOAD": str(library(tmp_path.parent)), "STOPPING_AFTER": str(after), "STOPPING_EVERY": str(every)})
    is_stopped(process)
    return process


def is_stopped(process):
    """Waits until it is held; False: it ended."""
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        process.returncode = os.waitstatus_to_exitcode(status)
    return os.WIFSTOPPED(status)


def go_on(process):
    process.send_signal(signal.SIGCONT)
    said = process.communicate(timeout=60)
    return process.returncode, said[1]


def refusals(path):
    for mode in ("r", "r+", "a"):
        for opens in (zarr.open_group, zarr.open, zarr.open_array):
            with pytest.raises(Exception):  # noqa: B017
                opens(path, mode=mode)
        with pytest.raises(OSError, match="unfinished copy"):
            h5py.File(path, mode)
    with pytest.raises(Exception):  # noqa: B017
        zarr.open_group(path, mode="r", zarr_format=2)


@pytest.mark.parametrize("command", ["cp", "sync"])
def test_an_unfinished_target_does_not_open(source, tmp_path, command):
    target = tmp_path / "b.zarr"
    if command == "sync":
        run("cp", source, target)
        zarr.open_group(source, mode="r+")["g/a0"][:] = 7
    process = held(tmp_path, command, source, target, after=9)
    before = files(target)
    refusals(target)
    assert "unfinished copy" in run("info", target, expect=1)[1] and "unfinished copy" in run("cp", target, tmp_path / "c.zarr", expect=1)[1]
    assert files(target) == before
    assert go_on(process) == (0, "")
    assert files(target) == files(source)


def test_of_two_at_once_one_wins(source, tmp_path):
    target = tmp_path / "b.zarr"
    process = held(tmp_path, "cp", source, target, after=9)
    assert "locked" in run("cp", source, target, expect=1)[1] and "locked" in run("sync", source, target, expect=1)[1]
    assert go_on(process) == (0, "") and files(target) == files(source)


@pytest.mark.parametrize("name", ["b.zip", "c.h5z"])
def test_a_file_is_there_as_a_whole(source, tmp_path, name):
    process = held(tmp_path, "cp", source, tmp_path / name, *(["--container", "file"] if name == "c.h5z" else []), after=0)
    assert not (tmp_path / name).exists()
    process.kill()
    process.communicate()
    assert "was removed" in run("cp", source, tmp_path / name, *(["--container", "file"] if name == "c.h5z" else []))[1]
    assert content(tmp_path / name) == files(source) and sorted(os.listdir(tmp_path)) == sorted(["a.zarr", name])


def test_an_unfinished_copy_of_another_source(source, tmp_path):
    other, target = make(tmp_path / "other.zarr"), tmp_path / "b.zarr"
    process = held(tmp_path, "cp", other, target, after=9)
    process.kill()
    process.communicate()
    assert "not of this source" in run("cp", source, target, expect=1)[1]
    assert summary("sync", source, target)["resumed"] and files(target) == files(source)


# ---- killed ----


def killed_at(tmp_path, at, *words):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True,
                          env={**os.environ, "LD_PRELOAD": str(library(tmp_path.parent)), "STOPPING_AFTER": str(at), "STOPPING_BYTES": "1"}).returncode


def looks_whole(path):
    try:
        zarr.open_group(path, mode="r")
    except Exception:  # noqa: BLE001
        return False
    return True


def judge_after_kill(source, target, words, at, keep):
    """A second run ends in a target equal to the source. Before that it opens only as it was, or whole."""
    if target.exists() and target.is_dir() and looks_whole(target):
        left = {key: value for key, value in files(target).items() if not key.endswith(".partial")}
        assert left in ([files(source)] if keep is None else [files(source), keep]), at
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0 or "is there already" in done.stderr, (at, done.stderr)
    left = {key: value for key, value in content(target).items() if not (key.endswith(".partial") and "/" not in key)}
    assert left == files(source), (at, sorted(set(left) ^ set(files(source))))
    assert is_read(target, 1)


def kill_everywhere(tmp_path, source, command, kind, earlier=None, step=1):
    name, *options = KINDS[kind]
    at = 0
    while True:
        target = tmp_path / f"{at}-{name}"
        if earlier:
            shutil.copytree(earlier, target) if earlier.is_dir() else shutil.copyfile(earlier, target)
        words = [command, source, target, "--quiet", *(options if not earlier else ()), *(["--delete"] if command == "sync" else [])]
        status = killed_at(tmp_path, at, *words)
        assert status in (0, STOPPED), (at, status)
        judge_after_kill(source, target, words, at, files(earlier) if earlier and earlier.is_dir() else None)
        if status == 0:
            return at
        at += step


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["cp", "sync"])
def test_killed_anywhere(tmp_path, command, kind):
    source = age(make(tmp_path / "a.zarr", 3 if kind == "zip" else 2, arrays=1))
    earlier = None
    if command == "sync":
        earlier = tmp_path / KINDS[kind][0]
        run("cp", make(tmp_path / "old.zarr", 2 if kind != "zip" else 3, arrays=2), earlier, *KINDS[kind][1:])
    at = kill_everywhere(tmp_path, source, command, kind, earlier, step=1 if ROUNDS else 3)
    assert at >= 4, at


@pytest.mark.parametrize("turn", range(1, ROUNDS + 1) or [0])
def test_killed_anywhere_at_length(tmp_path, turn):
    """Without VZ_ROUNDS one store, killed at few calls."""
    rng = random.Random(f"{SEED} {turn}")
    source = make(tmp_path / "a.zarr", rng.choice([2, 3]), arrays=1, consolidated=rng.random() < 0.5)
    shutil.copytree(make(tmp_path / "old.zarr", rng.choice([2, 3]), arrays=rng.randrange(1, 4)), tmp_path / "earlier.zarr")
    command = rng.choice(["cp", "sync"])
    kill_everywhere(tmp_path, source, command, "directory", tmp_path / "earlier.zarr" if command == "sync" else None, step=1 if turn else 12)


# ---- a source that changes ----


def test_a_source_that_changes_is_copied_again(source, tmp_path):
    target = tmp_path / "b.zarr"
    process = held(tmp_path, "cp", source, target, "--threads", 1, after=14)
    group = zarr.open_group(source, mode="r+")
    group["g/a0"][:] = 9
    group["g/a1"][:] = 11
    group.create_array("g/new", shape=(4,), dtype="i4")[:] = 5
    shutil.rmtree(source / "g" / "a1" / "c", ignore_errors=True)
    assert go_on(process) == (0, "")
    assert files(target) == files(source)


def test_a_source_that_is_replaced_at_one_time_and_size(source, tmp_path):
    """Each file has another number then."""
    target = tmp_path / "b.zarr"
    process = held(tmp_path, "cp", source, target, "--threads", 1, after=14)
    for path in [p for p in source.rglob("*") if p.is_file() and p.stat().st_size == 480]:
        (path.parent / "fresh").write_bytes(b"z" * 480)
        os.replace(path.parent / "fresh", path)
    age(source)
    assert go_on(process) == (0, "") and files(target) == files(source)


def test_a_source_that_never_rests_is_refused(tmp_path):
    source, target = age(make(tmp_path / "a.zarr")), tmp_path / "b.zarr"
    chunk = first_chunk(source)
    process = held(tmp_path, "cp", source, target, "--threads", 1, after=5, every=0)
    for i in range(10_000):
        chunk.write_bytes(i.to_bytes(4, "little") * 120)
        process.send_signal(signal.SIGCONT)
        if not is_stopped(process):
            break
    said = process.stderr.read()
    assert process.returncode == 1 and f"{chunk.relative_to(source)}: it changes while it is copied" in said, said
    refusals(target)
    assert summary("sync", source, target)["resumed"] and files(target) == files(source)


def test_a_file_that_changes_is_copied_again(source, tmp_path):
    run("cp", source, tmp_path / "c.zip")
    process = held(tmp_path, "cp", tmp_path / "c.zip", tmp_path / "b.zarr", "--threads", 1, after=14)
    zarr.open_group(source, mode="r+")["g/a0"][:] = 3
    run("sync", source, tmp_path / "c.zip")
    assert go_on(process) == (0, "") and files(tmp_path / "b.zarr") == files(source)
