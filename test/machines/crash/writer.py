"""A process with h5py and the connector that answers lines of JSON on standard input, each in a child of its own:

  {"do": "write", "seed", "plan": {...}, "path", "environment": {}, "kill_at": n, "half": bool, "record": path}
      does the operations of the plan, and tells through its answer which it began and ended, until it is killed
  {"do": "view", "path"}    everything that h5py sees, pickled and in base64
  {"do": "reopen", "path"}  the next writer: opens for writing, closes

An answer is lines and ends with one that begins with "end".
"""

import base64
import ctypes
import json
import os
import pathlib
import pickle
import signal
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]

import h5py  # noqa: E402
import numpy as np  # noqa: E402

import operations  # noqa: E402

HOOK_KILL, HOOK_RECORD, HOOK_HALF = 4, 5, -2  # hook.h
FOR_EVER = 2**40
ROW = np.dtype([("n", "i4"), ("s", h5py.string_dtype())])
TYPES = {"text": h5py.string_dtype(), "row": ROW}


def typed(kind, data):
    """What h5py writes for values of operations.py."""
    if kind != "row":
        return data
    rows = np.empty(data.shape, ROW)
    for at, item in np.ndenumerate(data):
        rows[at] = item
    return rows


class Writer:
    def __init__(self, path):
        self.path, self.file, self.held = path, None, []

    def do(self, operation):
        getattr(self, operation[0])(*operation[1:])

    def at(self, path):
        return self.file["/" + path]

    def open(self, mode):
        self.file = h5py.File(self.path, mode)

    def close(self):
        self.held.clear()
        self.file.close()

    def flush(self):
        self.file.flush()

    def group(self, path):
        self.file.create_group(path)

    def array(self, path, kind, shape, chunks, base):
        dataset = self.file.create_dataset(path, shape, TYPES.get(kind, kind), chunks=tuple(chunks), maxshape=(None,) * len(shape))
        if base:
            dataset[...] = typed(kind, operations.values(kind, base, shape))

    def write(self, path, kind, start, count, base):
        region = tuple(slice(at, at + n) for at, n in zip(start, count))
        self.at(path)[region] = typed(kind, operations.values(kind, base, count))

    def resize(self, path, shape):
        self.at(path).resize(shape)

    def append(self, path, kind, shape, start, count, base):
        self.resize(path, shape)
        self.write(path, kind, start, count, base)

    def rename(self, old, new):
        self.file.move(old, new)

    def delete(self, path):
        del self.file[path]

    def link(self, path, new):
        self.file[new] = self.at(path)

    def attribute(self, path, name, value):
        self.at(path).attrs[name] = value

    def refer(self, path, name, target):
        self.at(path).attrs[name] = self.at(target).ref

    def forget(self, path, name):
        del self.at(path).attrs[name]

    def widen(self, path, at, number, text):
        self.at(path)[at] = np.array((number, text), ROW)

    def hold(self, path):
        self.held.append(self.at(path))


# ---- what a child does ----

def write(hook, request, say):
    plan = operations.Plan(request["seed"], **request["plan"])
    writer = Writer(request["path"])
    if request.get("record"):
        hook.hook_record_to(request["record"].encode())
        hook.hook_start_with(HOOK_RECORD, 0, 0, 0)
    else:
        hook.hook_start_with(HOOK_KILL, 0, request.get("kill_at") or FOR_EVER, HOOK_HALF if request.get("half") else 0)
    began = time.monotonic()
    for number, operation in enumerate(plan.operations):
        say(f"begin {number}")
        if request.get("record"):
            hook.hook_mark(f"begin {number}".encode())
        writer.do(operation)
        say(f"done {number}")
        if request.get("record"):
            hook.hook_mark(f"done {number}".encode())
    say(f"calls {hook.hook_stop()} {time.monotonic() - began}")


def attributes(item):
    return {name: attribute(item, given) for name, given in item.attrs.items()}


def attribute(item, given):
    if isinstance(given, h5py.Reference):
        try:
            return item.file[given].name.lstrip("/") if given else None
        except (KeyError, ValueError):  # to something that was deleted
            return None
    return given.item() if isinstance(given, np.generic) else given


def elements(dataset):
    if dataset.dtype.names:
        result = np.empty(dataset.shape, object)
        for at, item in np.ndenumerate(dataset[...]):
            result[at] = tuple(x.decode() if isinstance(x, bytes) else x.item() for x in item)
        return result
    return dataset.asstr()[...] if dataset.dtype == object else dataset[...]


def view(hook, request, say):
    seen = {}

    def look(group, prefix):
        seen[prefix] = (None, attributes(group))
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                continue  # Zarr has no word for it, and no judge expects it
            path, item = f"{prefix}/{name}".lstrip("/"), group[name]
            if isinstance(item, h5py.Group):
                look(item, path)
            elif isinstance(item, h5py.Datatype):
                seen[path] = (None, attributes(item))
            else:
                seen[path] = (elements(item), attributes(item))

    with h5py.File(request["path"], "r") as f:
        look(f, "")
    say("seen " + base64.b64encode(pickle.dumps(seen)).decode())


def reopen(hook, request, say):
    h5py.File(request["path"], "r+").close()


def child(hook, request, pipe):
    def say(text):
        os.write(pipe, text.encode() + b"\n")

    os.environ.update(request.get("environment", {}))
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        {"write": write, "view": view, "reopen": reopen}[request["do"]](hook, request, say)
    except Exception as error:
        say(f"error {type(error).__name__}: {error}".replace("\n", " "))
    os._exit(0)


# ---- the parent ----

def load_plugin(hook):
    try:
        h5py.File("/nowhere/at/all.zarr", "r")
    except OSError:
        pass
    if hook.hook_install(b"libH5VLzarr") <= 0:
        name = hook.hook_unknown()
        sys.exit(f"the connector calls {name.decode()}, which test/machines/hook/hook_calls.c does not know" if name else
                 "the connector is not loaded")


def main(library):
    hook = ctypes.CDLL(library)
    hook.hook_stop.restype = ctypes.c_long
    hook.hook_unknown.restype = ctypes.c_char_p
    hook.hook_start_with.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_int]
    load_plugin(hook)
    os.write(1, b"ready\n")
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            child(hook, request, 1)
        os.write(1, f"pid {pid}\n".encode())
        _, status = os.waitpid(pid, 0)
        os.write(1, f"end {status}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
