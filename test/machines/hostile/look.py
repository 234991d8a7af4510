"""look.py SECONDS MEGABYTES - as walker.c, with h5py: a child for each path on standard input looks at that file as a Python
program does, and changes it."""

import contextlib
import os
import pathlib
import resource
import select
import signal
import sys
import warnings

import h5py
import numpy as np

OBJECTS_MAX, BYTES_MAX, CHUNK_MAX = 200, 4 << 20, 64 << 20
TICK, WAIT_FACTOR = 0.05, 3  # as in watch.c


def fits(d):
    chunk = int(np.prod([int(n) for n in d.chunks], dtype=object)) * d.dtype.itemsize if d.chunks else 0
    return chunk <= CHUNK_MAX and int(np.prod([int(n) for n in d.shape or ()], dtype=object)) * max(d.dtype.itemsize, 1) <= BYTES_MAX


def quietly(call):
    """Exceptions are answers; others than h5py's own are not looked for here, crashes are."""
    try:
        return call()
    except Exception:
        return None


def is_sound(dtype):
    """h5py widens small floats inside of a compound but not the compound, and then reads beyond its own array."""
    return h5py.h5t.py_create(dtype).get_size() <= dtype.itemsize


def has_sound_fill(dtype):
    """HDF5 frees the text of a fill value twice after h5py got it out of a creation list, without any file, too."""
    return is_sound(dtype) and (not dtype.names or not any(dtype[name].hasobject for name in dtype.names))


def look_at(item, depth=0):
    for name in list(item.attrs)[:OBJECTS_MAX]:
        value = quietly(lambda: item.attrs[name] if is_sound(item.attrs.get_id(name).dtype) else None)
        if isinstance(value, h5py.Reference) and depth < 4:
            quietly(lambda: look_at(item.file[value], depth + 1))
    if isinstance(item, h5py.Dataset):
        quietly(lambda: (item.dtype, item.shape, item.maxshape, item.chunks, item.compression, item.is_virtual, item.external))
        quietly(lambda: item.fillvalue if has_sound_fill(item.dtype) else None)
        quietly(lambda: [dim.label for dim in item.dims])
        if quietly(lambda: fits(item) and is_sound(item.dtype)):
            quietly(lambda: item[()])
            quietly(lambda: item[..., :1])
            quietly(lambda: item.asstr()[...] if h5py.check_string_dtype(item.dtype) else None)
    elif isinstance(item, h5py.Group):
        for name in list(item)[:OBJECTS_MAX]:
            quietly(lambda: item.get(name, getlink=True))
            quietly(lambda: item.get(name, getclass=True))


def read(path):
    with h5py.File(path, "r") as f:
        found = []
        quietly(lambda: f.visititems(lambda name, item: quietly(lambda: look_at(item)) or (found.append(name) or len(found) > OBJECTS_MAX or None)))
        look_at(f)


def change(path):
    with h5py.File(path, "r+") as f:
        f.attrs["hostile"] = [1, 2]
        quietly(lambda: f.create_dataset("new", data=np.arange(10), chunks=(3,), maxshape=(None,)))
        for number, name in enumerate(list(f)[:8]):
            item = quietly(lambda: f[name])
            if isinstance(item, h5py.Dataset) and quietly(lambda: fits(item) and is_sound(item.dtype)):
                quietly(lambda: item.__setitem__(Ellipsis, item[()]))
                quietly(lambda: item.resize(item.shape[0] + 1, axis=0))
            if item is not None:
                quietly(lambda: item.attrs.create("hostile", "text"))
                quietly(lambda: f.copy(item, f"copy {number}"))
            if number % 2:
                quietly(lambda: f.__delitem__(name))


def child(path, seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    quietly(lambda: read(path))
    quietly(lambda: change(path))
    os._exit(0)


def sleeps(pid):
    """Whether all its threads do: a child that is ready to go on may have to wait for a processor."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it has ended
            if not (task / "stat").read_text().rpartition(")")[2].startswith(" S"):
                return False
    return True


def watch(pid, seconds, megabytes, idle):
    """What became of the child, and what it took."""
    descriptor = os.pidfd_open(pid)
    word, waited = None, 0
    while not select.select([descriptor], [], [], TICK)[0]:
        waited += TICK if sleeps(pid) else 0
        with open(f"/proc/{pid}/statm") as statm:
            resident = int(statm.read().split()[1]) * resource.getpagesize() // 1024
        if resident - idle > megabytes * 1024:
            word = "memory"
        elif waited > seconds * WAIT_FACTOR:
            word = "waits"
        if word:
            os.kill(pid, signal.SIGKILL)
            break
    os.close(descriptor)
    _, status, usage = os.wait4(pid, 0)
    if not word and os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        word = "time" if number in (signal.SIGXCPU, signal.SIGKILL) else f"signal-{number}"
    elif not word:
        word = f"exit-{os.WEXITSTATUS(status)}" if status else "ok"
    return word, usage


def main(seconds, megabytes):
    warnings.simplefilter("ignore")
    pid = os.fork()
    if not pid:
        os._exit(0)
    idle = os.wait4(pid, 0)[2].ru_maxrss
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            child(line.rstrip("\n"), seconds)
        word, usage = watch(pid, seconds, megabytes, idle)
        print(word, int(1000 * (usage.ru_utime + usage.ru_stime)), (usage.ru_maxrss - idle) // 1024, flush=True)


main(int(sys.argv[1]), int(sys.argv[2]))
