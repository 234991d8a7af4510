#!/usr/bin/env python3
"""soak.py BUILD [--programs N | --seconds N] [--seed N] [--jobs N] [--steps N] [--hdf5 2|1.14] [--more NAME,...] [--report FILE] | --one KIND SEED

Random operations on a store of each kind and on a native file, each by a process of its own; every answer of the one is compared with that of the other:
the same value, or both refused. At the end of a program everything in the two files is compared, in a new session and by another process."""

import argparse
import collections
import itertools
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1])]

import expected
import program
import report

HERE = pathlib.Path(__file__).parent
STEPS = 150
PATIENCE = 600  # seconds for one program
PROGRAMS = 60  # of the short form: a number, so that a slow machine does not do other ones than a fast one
PROGRAMS_OF_A_PROCESS = 100
PYTHON = {"2": lambda: sys.executable, "1.14": lambda: os.environ["VZ_PY114"]}  # h5py with that HDF5
ENDS = collections.Counter()  # programs that ended at a difference that is on purpose, by the name of its reason
KINDS = {"v2": ("zarr", "s.zarr"), "v3": ("zarr format=3", "s.zarr"), "shards": ("zarr format=3;shards=1K", "s.zarr"), "zip": ("zarr", "s.zarr.zip"), "file": ("zarr container=file", "s.zarr.zip"),
         "small": ("zarr dirty_max=300;skip_fill=1", "s.zarr"), "hdmf": ("zarr dialect=hdmf", "s.zarr")}


class Process:
    """A doer; begun anew when it has died."""

    def __init__(self, python, build, connector):
        self.python = python
        self.environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "HDF5_PLUGIN_PATH": str(build / "plugin"), "HDF5_USE_FILE_LOCKING": "FALSE"}
        if connector:
            self.environment["HDF5_VOL_CONNECTOR"] = connector
        self.process, self.programs = None, 0

    def start(self):
        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen([self.python, HERE / "doer.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, env=self.environment)
        self.programs = 0

    def begin(self, operations):
        """Does all of them, and an "end"; an answer for each waits to be read."""
        if not self.process:
            self.start()
        self.waiting = len(operations) + 1
        self.timer = threading.Timer(PATIENCE, self.process.kill)
        self.timer.start()
        try:
            pickle.dump([*operations, ("end", ())], self.process.stdin)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def answer(self):
        try:
            self.waiting -= 1
            return pickle.load(self.process.stdout)
        except EOFError:
            status = self.process.wait()
            self.said.seek(0)
            self.process, self.waiting = None, 0
            return "died", status, self.said.read()[-2000:].decode(errors="replace")

    def finish(self):
        while self.waiting:
            self.answer()
        self.timer.cancel()

    def rest(self):
        self.programs += 1
        if self.programs >= PROGRAMS_OF_A_PROCESS:
            self.stop()

    def stop(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
        self.process = None


def agree(native, ours):
    if native[0] != ours[0]:
        return False
    return native[0] == "raised" or same(native, ours)


def same(native, ours):
    """Equal, but for loose references (doer.py): a store knows that they lead nowhere."""
    if isinstance(native, dict) and isinstance(ours, dict):
        return native.keys() == ours.keys() and all(same(native[key], ours[key]) for key in native)
    if isinstance(native, (list, tuple)) and type(native) is type(ours):
        if len(native) == 2 and native[0] == "loose reference":
            return ours in (native, ("reference", "nothing")) or ours[:2] in (("reference", native[1]), ("region", native[1]))
        return len(native) == len(ours) and all(map(same, native, ours))
    return native == ours


def difference(a, b, where=""):
    """Where two answers differ first, as text."""
    if not where and a[0] != b[0]:
        return f"native {a!r:.300}; store {b!r:.600}" if b[0] != "is" else f"store {b!r:.300}; native {a!r:.600}"
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted({*a, *b}, key=str):
            if key not in a or key not in b:
                return f"{where}: {key!r} is in the {'store' if key in b else 'native file'} only"
            if not same(a[key], b[key]):
                return difference(a[key], b[key], f"{where}[{key!r}]")
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        for index, (x, y) in enumerate(zip(a, b)):
            if not same(x, y):
                return difference(x, y, f"{where}[{index}]")
    return f"{where}: native {a!r:.400}; store {b!r:.400}"


def read_again(kind, path, native, reader, done):
    """Complaints about what a process finds in the store that had no part in making it."""
    try:
        reader.begin([("look_into", (str(path),)), ("everything", (0,))])
        opened, found = reader.answer(), reader.answer()
        if opened[0] != "is" or not agree(native, found) and not expected.reason(kind, "everything", (0,), native, found, done=done):
            return [f"read again: {opened[1:]}" if opened[0] != "is" else f"read again: {difference(native, found)}"]
        return []
    finally:
        reader.finish()


def run(kind, seed, arguments, native, ours, reader, workplace, talk=False):
    """Complaints about one program: at most one, as what follows a difference differs too."""
    steps = arguments.steps
    place = pathlib.Path(tempfile.mkdtemp(dir=workplace))
    (place / "native").mkdir()
    (place / "store").mkdir()
    drawn = program.Program(f"{kind}/{seed}", arguments.more)
    track_order = drawn.rng.random() < 0.5
    operations = [*(drawn.next() for _ in range(steps)), ("reopen", ("r",)), ("everything", (0,))]
    refused, done = 0, set()
    try:
        for process, side in ((native, "native"), (ours, "store")):
            process.begin([("begin", (str(place / side / KINDS[kind][1]), track_order)), *operations])
        for number, (name, arguments) in enumerate([("begin", ()), *operations]):
            a, b = native.answer(), ours.answer()
            if talk:
                print(number, name, arguments, "->", repr(a)[:300], flush=True)
            refused += a[0] == "raised"
            reason = None if agree(a, b) else expected.reason(kind, name, arguments, a, b, done=done)
            if not agree(a, b) and not reason:
                return [f"step {number}: {name}{arguments}: {difference(a, b)}"]
            if name in expected.LOOKS and reason and reason != "native_file_is_damaged" and "died" not in (a[0], b[0]):
                continue
            if reason or a[0] == "died":
                ENDS[reason or "both died"] += 1
                return [] if reason else [f"step {number}: {name}{arguments}: both died: {a}"]
            if a[0] == "is":
                done.add(name)
        if refused >= 0.85 * steps:
            return [f"{refused} of {steps} operations were refused: the program does nothing"]
        ours.finish()
        return read_again(kind, place / "store" / KINDS[kind][1], a, reader, done)
    finally:
        native.finish()
        ours.finish()
        subprocess.run(["rm", "-rf", str(place)], check=False)


class Soak:
    def __init__(self, arguments):
        self.arguments, self.report, self.lock = arguments, report.Report("soak"), threading.Lock()
        self.workplace = report.workplace("soak")

    def goes_on(self, number, end):
        return number < self.arguments.programs if end is None else time.monotonic() < end

    def words(self):
        """What else a program must be run with to be the same."""
        a = self.arguments
        words = (f"--hdf5 {a.hdf5} ", a.hdf5 != "2"), (f"--steps {a.steps} ", a.steps != STEPS), (f"--more {','.join(a.more)} ", a.more)
        return "".join(text for text, said in words if said)

    def process(self, connector):
        return Process(PYTHON[self.arguments.hdf5](), self.arguments.build, connector)

    def worker(self, counter, end):
        native = self.process(None)
        ours, readers = ({kind: self.process(connector) for kind, (connector, _) in KINDS.items()} for _ in range(2))
        kinds = list(KINDS)
        while self.goes_on(number := next(counter), end):
            kind, seed = kinds[number % len(kinds)], self.arguments.seed + number
            complaints = run(kind, seed, self.arguments, native, ours[kind], readers[kind], self.workplace)
            with self.lock:
                self.report.ran(kind, complaints, f"tools/soak.sh {self.words()}--one {kind} {seed}")
            for process in (native, ours[kind], readers[kind]):
                process.rest()
        for process in [native, *ours.values(), *readers.values()]:
            process.stop()

    def work(self):
        counter, end = itertools.count(), self.arguments.seconds and time.monotonic() + self.arguments.seconds
        workers = [threading.Thread(target=self.worker, args=(counter, end)) for _ in range(self.arguments.jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if ENDS:
            print("soak: ended early:", ", ".join(f"{reason} {number}" for reason, number in ENDS.most_common()))
        return self.report.finish(self.arguments.report)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--programs", type=int, default=PROGRAMS)
    parser.add_argument("--seconds", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--hdf5", choices=PYTHON, default="2")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--more", type=lambda names: names.split(","), default=[])
    parser.add_argument("--report", default=None)
    parser.add_argument("--one", nargs=2, default=None, metavar=("KIND", "SEED"))
    arguments = parser.parse_args()
    soak = Soak(arguments)
    try:
        if arguments.one:
            kind, seed = arguments.one
            ours, reader = soak.process(KINDS[kind][0]), soak.process(KINDS[kind][0])
            complaints = run(kind, int(seed), arguments, soak.process(None), ours, reader, soak.workplace, talk=True)
            print(*complaints or ["no difference"], sep="\n")
            return 1 if complaints else 0
        print(f"soak: from seed {arguments.seed}", flush=True)
        return soak.work()
    finally:
        subprocess.run(["rm", "-rf", soak.workplace], check=False)


sys.exit(main())
