"""Directories in which names that differ in case only are one: real file systems, and folding.c, preloaded."""

import contextlib
import os
import pathlib
import shutil
import subprocess

import pytest

import interpreter
from places import with_connector

HERE = pathlib.Path(__file__).parent
KINDS = ["preloaded", "ext4", "tmpfs", "vfat", "exfat"]
MAKE = {
    "ext4": ["mkfs.ext4", "-q", "-F", "-O", "casefold", "-E", "encoding=utf8"],
    "vfat": ["mkfs.vfat"],
    "exfat": ["mkfs.exfat"],
}
MOUNT = {
    "ext4": ["mount", "-t", "ext4"],
    "vfat": ["mount", "-t", "vfat", "-o", "utf8"],
    "exfat": ["mount.exfat-fuse"],  # any kernel has FUSE
}


def library(where):
    path = pathlib.Path(where) / "folding.so"
    command = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", str(path), str(HERE / "folding.c"), "-ldl"]
    if not shutil.which(command[0]):
        pytest.skip("no C compiler here")
    subprocess.run(command, check=True)
    return path


def worked(*command):
    with contextlib.suppress(FileNotFoundError):
        return subprocess.run(command, capture_output=True, text=True)
    return subprocess.CompletedProcess(command, 127, "")


def cannot(kind, done):
    if done.returncode:
        pytest.skip(f"no {kind} that folds case can be mounted here")
    return done.stdout.strip()


@contextlib.contextmanager
def image(kind, where, at):
    """A file system in a file, mounted."""
    file = where / "image"
    with open(file, "wb") as f:
        f.truncate(64 << 20)
    cannot(kind, worked(*MAKE[kind], str(file)))
    device = cannot(kind, worked("losetup", "--find", "--show", str(file)))
    try:
        cannot(kind, worked(*MOUNT[kind], device, str(at)))
        try:
            yield
        finally:
            subprocess.run(["umount", "-l", str(at)], check=True)
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


@contextlib.contextmanager
def tmpfs(at):
    cannot("tmpfs", worked("mount", "-t", "tmpfs", "-o", "casefold=utf8-12.1.0", "tmpfs", str(at)))
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(at)], check=True)


@contextlib.contextmanager
def place(kind, where):
    """A directory that folds case, and interpreters in which it does: for format 2 and 3 of new stores."""
    at, more = where / "folding", {}
    at.mkdir()
    with contextlib.ExitStack() as stack:
        if kind == "preloaded":
            more = {"LD_PRELOAD": " ".join(filter(None, [os.environ.get("LD_PRELOAD"), str(library(where))])), "FOLDING_ROOT": str(at)}
        elif os.geteuid() != 0:
            pytest.skip(f"no {kind} that folds case can be mounted here")
        elif kind == "tmpfs":
            stack.enter_context(tmpfs(at))
        else:
            stack.enter_context(image(kind, where, at))
        inside = at / "here"
        inside.mkdir()
        if kind in ("ext4", "tmpfs"):
            cannot(kind, worked("chattr", "+F", str(inside)))
        connectors = {2: interpreter.Interpreter(with_connector(**more)), 3: interpreter.Interpreter(with_connector("zarr format=3", **more))}
        for connector in connectors.values():
            stack.callback(connector.stop)
        assert connectors[2].run(folds, str(inside)), kind
        yield inside, connectors


def folds(directory):
    """It does: else nothing was tested."""
    os.mkdir(f"{directory}/Name")
    both = os.path.isdir(f"{directory}/nAME")
    os.rmdir(f"{directory}/Name")
    return both
