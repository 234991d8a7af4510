"""Processes that end, as if killed, before the n-th call that changes a directory (stopping.c)."""

import ctypes
import os
import pathlib
import shutil
import subprocess

import interpreter
from places import with_connector

HERE = pathlib.Path(__file__).parent
STOPPED = 77


def library(where):
    path = pathlib.Path(where) / "stopping.so"
    if not path.exists():
        command = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", str(path), str(HERE / "stopping.c"), "-ldl"]
        subprocess.run(command, check=True)
    return path


def environment(where, connector="zarr"):
    loaded = [os.environ.get("LD_PRELOAD", ""), str(library(where))]
    return with_connector(connector, LD_PRELOAD=" ".join(filter(None, loaded)))


def one_child(work, *arguments):
    """The exit status of a child that does the work: 0, or STOPPED."""
    child = os.fork()
    if child == 0:
        try:
            work(*arguments)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def start_counting(calls):
    ctypes.CDLL(None).stopping_after(ctypes.c_long(calls))


def refuse_changes(end):
    """Files whose names end so can be neither written nor removed from here on; None: all can."""
    refuse_changes.kept = None if end is None else ctypes.create_string_buffer(end.encode())
    ctypes.CDLL(None).stopping_refuse(refuse_changes.kept)


def stop_everywhere(made, work, place, most=400):
    """For n = 0, 1 ...: work(path) on a copy of the store `made`, in a process that ends before its n-th change. The
    paths, in order; work ran to its end on the last one. To be called in an interpreter with `environment`."""
    paths = []
    for n in range(most):
        path = os.path.join(place, f"{n}.zarr")
        shutil.copytree(made, path)
        status = one_child(counted, work, path, n)
        assert status in (0, STOPPED), (n, status)
        paths.append(path)
        if status == 0:
            return paths
    raise AssertionError(f"more than {most} changes")


def counted(work, path, calls):
    start_counting(calls)
    work(path)


def in_another(where, connector="zarr"):
    """An interpreter for that; stop it."""
    return interpreter.Interpreter(environment(where, connector))
