"""h5zarr convert on a terminal, and stopped or failing at any moment: what the bar says, and what is at the destination afterwards."""

import fcntl
import os
import pty
import random
import re
import resource
import select
import signal
import struct
import subprocess
import termios
import time

import h5py
import numpy as np
import pytest

from converting import COMMAND, LIBRARIES, convert, left_behind

SEED = int(os.environ.get("VZ_SEED", "1"))
ROUNDS = int(os.environ.get("VZ_ROUNDS", "3"))
FORMS = {"directory": ("a.zarr",), "zip": ("a.zarr.zip",), "file": ("a.h5z", "--container", "file"), "hdf5": ("a.h5",)}
LONGEST = 0.6  # seconds: about what it takes
ENVIRONMENT = {**os.environ, "VOL_ZARR_HDF5": str(LIBRARIES["tools"] or LIBRARIES["wheel"])}
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

pytestmark = pytest.mark.skipif(not COMMAND.exists(), reason="the command was not built beside the plugin")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """6 MiB that take a while to compress."""
    path = tmp_path_factory.mktemp("source") / "from.h5"
    rng = np.random.default_rng(SEED)
    with h5py.File(path, "w") as f:
        for i in range(6):
            f.create_dataset(f"g/x{i}", data=rng.integers(0, 50, (1 << 18,), dtype="i4"), chunks=(1 << 15,))
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("small") / "small.h5"
    with h5py.File(path, "w") as f:
        f["x"] = [1, 2, 3]
    return path


def start(source, target, *options, set_up=lambda: None):
    def prepare():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # a shell's background programs ignore some
            signal.signal(number, signal.SIG_DFL)
        set_up()

    return subprocess.Popen([COMMAND, "convert", source, target, "--compress", "zlib", *options], env=ENVIRONMENT, stderr=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, preexec_fn=prepare)


def wait_for_child(directory):
    """The process that converts ends after the first one, which was killed: then its lock is free."""
    for name in left_behind(directory):
        if name.startswith(".h5zarr-") and name.endswith(".lock"):
            with open(directory / name) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)


def is_whole(path, groups):
    with h5py.File(path) as f:
        return sorted(f) == groups and (groups != ["g"] or all(f[f"g/x{i}"][-1] >= 0 for i in range(6)))


# ---- the bar ----


def on_terminal(*arguments, columns=120):
    """What the command writes to a terminal, and its exit status."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    process = subprocess.Popen([COMMAND, *map(str, arguments)], env=ENVIRONMENT, stdin=slave, stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    said = b""
    while select.select([master], [], [], 60)[0]:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        said += part
        if not part:
            break
    os.close(master)
    process.stdout.close()
    return said.decode(), process.wait(timeout=60)


BAR = re.compile(r"^copying \[(#*)(-*)\] +(\d+)%  ([\d.]+) (\w+) of ([\d.]+) (\w+)  ([\d.]+) (\w+)/s  ((?:\d+:)?\d+:\d\d|-:--) left$")


def drawn(tmp_path, **terminal):
    """The lines that were drawn, two at least: a fast machine draws none for little data, so there is more until it does."""
    rng = np.random.default_rng(SEED)
    for datasets in (24, 72, 216, 648):
        with h5py.File(tmp_path / "from.h5", "a") as f:
            for i in range(len(f), datasets):
                f.create_dataset(f"x{i}", data=rng.integers(0, 50, (1 << 18,), dtype="i4"), chunks=(1 << 15,))
        said, status = on_terminal("convert", tmp_path / "from.h5", tmp_path / "a.h5", "--compress", "zlib", "--overwrite", **terminal)
        assert status == 0, said
        lines = [line for line in said.split("\r\033[K") if line.strip()]
        if len(lines) >= 2:
            break
    assert len(lines) >= 2 and said.endswith("\r\033[K"), said
    return lines


def test_the_bar(tmp_path):
    """Bytes, rate and time left agree with each other, and bytes only grow."""
    lines = drawn(tmp_path)
    with h5py.File(tmp_path / "from.h5") as f:
        size = len(f) << 20
    before = 0
    for line in lines:
        match = BAR.match(line)
        assert match, repr(line)
        done = float(match[4]) * UNITS[match[5]]
        total, rate = float(match[6]) * UNITS[match[7]], float(match[8]) * UNITS[match[9]]
        assert abs(total - size) <= size / 100 and before <= done <= total and rate > 0
        before = done
        assert abs(int(match[3]) - 100 * done / total) <= 3 and len(match[1]) + len(match[2]) == 24
        *hours, minutes, seconds = map(int, match[10].split(":"))
        left = (hours[0] if hours else 0) * 3600 + minutes * 60 + seconds
        assert abs(left - (total - done) / rate) <= 2 + 0.1 * left, line


def test_the_bar_fits_a_narrow_terminal(tmp_path):
    lines = drawn(tmp_path, columns=40)
    assert all(len(line) < 40 and "copying" in line for line in lines)
    said, status = on_terminal("convert", tmp_path / "from.h5", tmp_path / "b.h5", "--compress", "zlib", "--quiet")
    assert status == 0 and said == ""


def test_no_bar_without_a_terminal(source, tmp_path):
    assert convert(source, tmp_path / "a.zarr")[1] == ""


# ---- stopped ----


def judge(process, tmp_path, target, number):
    """Stopped, or done before that: the target is whole or as it was, and nothing is beside it."""
    status = process.wait(timeout=60)
    assert status in (0, -number), (status, process.stderr.read())
    wait_for_child(tmp_path)
    names = left_behind(tmp_path)
    assert [name for name in names if name != target and ".h5zarr-" not in name] == []
    if number != signal.SIGKILL:
        assert [name for name in names if name != target] == []
    return status == 0


@pytest.mark.parametrize("form", FORMS)
def test_stopped_at_random_moments(source, small, tmp_path, form):
    rng = random.Random(f"{SEED} {form}")
    target, *options = FORMS[form]
    for i in range(ROUNDS):
        number = [signal.SIGKILL, rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])][i % 2]
        process = start(source, tmp_path / target, *options)
        time.sleep(rng.uniform(0, LONGEST))
        process.send_signal(number)
        done = judge(process, tmp_path, target, number)
        assert (tmp_path / target).exists() == done or number == signal.SIGKILL
        if (tmp_path / target).exists():
            assert is_whole(tmp_path / target, ["g"])
        convert(small, tmp_path / target, "--overwrite", *options)  # what was left goes
        assert left_behind(tmp_path) == [target] and is_whole(tmp_path / target, ["x"])
        process = start(source, tmp_path / target, "--overwrite", *options)  # what is there stays until the new one is whole
        time.sleep(rng.uniform(0, LONGEST))
        process.send_signal(number)
        done = judge(process, tmp_path, target, number)
        assert is_whole(tmp_path / target, ["g"]) or (not done and is_whole(tmp_path / target, ["x"]))
        subprocess.run(["rm", "-r", tmp_path / target], check=True)
    convert(small, tmp_path / target, *options)
    assert left_behind(tmp_path) == [target]


def wait_for_work(process, directory, suffix):
    """Until it has begun to write; False: it was through before anybody saw that."""
    while not any(name.startswith(".") and name.endswith(suffix) for name in left_behind(directory)):
        if process.poll() is not None:
            return False
        time.sleep(0.002)
    return True


def killed(source, target):
    """What one leaves that is killed at work."""
    for _ in range(20):  # on a busy machine one may be through before it is seen
        process = start(source, target)
        seen = wait_for_work(process, target.parent, ".zarr")
        process.kill()
        process.wait(timeout=60)
        wait_for_child(target.parent)
        if seen and not target.exists():
            break
        subprocess.run(["rm", "-r", target], check=True)
    return left_behind(target.parent)


def test_what_a_killed_one_left_is_told_and_removed(source, small, tmp_path):
    left = killed(source, tmp_path / "a.zarr")
    assert any(name.endswith(".lock") for name in left) and len(left) >= 2
    mark = next(name for name in left if name.endswith(".lock")).removesuffix(".lock")
    convert(small, tmp_path / "b.zarr", "--dry-run")
    assert left_behind(tmp_path) == left
    said = convert(small, tmp_path / "b.zarr")[1]
    assert mark in said and "was removed" in said and left_behind(tmp_path) == ["b.zarr"]


def test_what_a_living_one_makes_is_left_alone(source, small, tmp_path):
    process = start(source, tmp_path / "a.h5")
    wait_for_work(process, tmp_path, ".h5")
    assert convert(small, tmp_path / "b.zarr")[1] == ""
    assert process.wait(timeout=60) == 0, process.stderr.read()
    assert is_whole(tmp_path / "a.h5", ["g"]) and left_behind(tmp_path) == ["a.h5", "b.zarr"]


def test_names_that_only_look_so_stay(small, tmp_path):
    names = [".h5zarr-1-0000000.lock", ".h5zarr-x-00000000.lock", ".h5zarr-1-00000000.lock.txt", ".h5zarr-1-00000000.zarr", "h5zarr-1-00000000.lock"]
    for name in names:
        (tmp_path / name).write_text("mine")
    os.symlink("h5zarr-1-00000000.lock", tmp_path / ".h5zarr-2-00000000.lock")
    assert convert(small, tmp_path / "b.zarr")[1] == ""
    assert left_behind(tmp_path) == sorted([*names, ".h5zarr-2-00000000.lock", "b.zarr"])


# ---- failing ----


@pytest.mark.parametrize("answer", ["signal", "error"])
@pytest.mark.parametrize("form", FORMS)
def test_files_that_may_not_grow(source, tmp_path, form, answer):
    """Writing fails at a random byte: by a signal that ends the process, or by an error."""
    rng = random.Random(f"{SEED} {form} {answer}")
    target, *options = FORMS[form]
    most = 40_000 if form == "directory" else 5 << 20
    failed = 0
    for _ in range(ROUNDS):
        limit = rng.choice([rng.randrange(most), rng.randrange(5000)])

        def set_up(limit=limit):
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL if answer == "signal" else signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        process = start(source, tmp_path / target, *options, set_up=set_up)
        said = process.communicate(timeout=60)[1].decode()
        assert process.returncode in (0, 1), (process.returncode, said)
        failed += process.returncode
        if process.returncode == 0:
            assert is_whole(tmp_path / target, ["g"])
            subprocess.run(["rm", "-r", tmp_path / target], check=True)
        else:
            assert said.startswith("h5zarr: ") and said.count("\n") == 1, said
        assert left_behind(tmp_path) == []
    assert failed
