"""One kind of store: the process that runs the scripts on it, and what every one of its runs begins with."""

import errno
import itertools
import json
import os
import pathlib
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "crash")]

import judging
import report
import scripts
import tree
from judge import HDF5Python, ZarrPython
from sites import Sites

KINDS = {"v2": ("s.zarr", ""), "v3": ("s.zarr", "format=3"), "shards": ("s.zarr", "format=3;shards=4K"),
         "zip": ("s.zarr.zip", ""), "zip3": ("s.zarr.zip", "format=3"), "file": ("s.zarr.h5", "container=file"),
         "locking": ("s.zarr", "locking=1;sync=1"), "hdmf": ("s.zarr", "dialect=hdmf"),
         "pieces": ("s.zarr", "format=3;shards=256K;compress=none"), "rows": ("s.zarr", "compress=none")}
# Kinds that have scripts of their own, and no others.
SCRIPTS = {"pieces": ("pieces",), "rows": ("tall",)}
SESSIONS = {"create": 0, "pieces": 0, "tall": 0, "change": 1, "more": 1, "read": 1, "reopen": 2}  # hook.h: of a later session, times are later
SHORT = -1
# A run that is over before its call comes is done again. The portable build keeps locks in files that all programs of the machine share, and
# it makes more or fewer calls while others lock, too.
TRIES = 3


class Workload:
    """The process of workload.c, for one kind of store."""

    def __init__(self, program, plugin_dir, options):
        self.command = [str(program)]
        self.environment = {**os.environ, "HDF5_PLUGIN_PATH": str(plugin_dir),
                            "HDF5_VOL_CONNECTOR": "zarr threads=1" + (";" + options if options else "")}
        self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            report.stop("the workload does not start")
        self.table = {int(kind): entry for kind, entry in json.loads(line).items()}

    def run(self, script, mode, memory, at, error, path):
        self.process.stdin.write(f"{script} {SESSIONS[script]} {mode} {memory} {at} {error} {path}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            report.stop(f"the workload ended: {script} {mode} {memory} {at} {error}")
        return json.loads(line)

    def reopen(self, path):
        """The next writer: None, or what is wrong with it."""
        answer = self.run("reopen", "count", 0, 0, 0, path)
        return None if all(ok for _, ok, *_ in answer.get("steps", [[0, False]])) else f"the next writer fails: {answer}"

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Kind:
    def __init__(self, name, place, program, plugin_dir):
        self.name, self.place = name, pathlib.Path(place) / name
        self.file, options = KINDS[name]
        self.workload = Workload(program, plugin_dir, options)
        base = self.place / "base" / self.file
        base.parent.mkdir(parents=True)
        answer = self.workload.run("create", "count", 0, 0, 0, base)
        if not all(ok for _, ok, *_ in answer.get("steps", [[0, False]])):
            report.stop(f"{name}: the store cannot be made: {answer}")
        self.base = tree.take(base.parent)
        self.zarr = ZarrPython(os.environ["VZ_PY_HDMF"] if name == "hdmf" else None)
        self.hdf5 = HDF5Python(pathlib.Path(program).parent / "libvz_hook.so", plugin_dir) if name == "file" else None
        self.judge = judging.Judge(self.file, self.workload.reopen, self.zarr.sees, self.hdf5 and self.hdf5.sees)
        self.sites = Sites(pathlib.Path(plugin_dir) / "libH5VLzarr.so")
        self.calls_of, self.last_answer = {}, None

    def prepare(self, script, where="run"):
        """A place for one run, with the store to work on."""
        path = self.place / where / self.file
        tree.remove(path.parent)
        tree.put(path.parent, [] if script in scripts.NEW else self.base)
        return path

    def calls(self, script, memory):
        """[(kind, site)] of the calls that an undisturbed run makes."""
        if (script, memory) not in self.calls_of:
            answer = self.workload.run(script, "count", memory, 0, 0, self.prepare(script))
            ways = zip(*[iter(answer["sites"])] * (len(answer["sites"]) // max(1, len(answer["kinds"]))))
            self.calls_of[script, memory] = list(zip(answer["kinds"], self.sites.askers(list(ways))))
        return self.calls_of[script, memory]

    def plans(self, script, memory):
        """Every run there is: (mode, memory, at, error)."""
        for at, (kind, _) in enumerate(self.calls(script, memory), 1):
            for error in self.workload.table[kind][1:]:
                for mode in ("once",) if error in (SHORT, errno.EINTR) else ("once", "on"):
                    yield mode, memory, at, error

    def call(self, script, plan):
        """(kind, site) of the call that fails."""
        _, memory, at, _ = plan
        return self.calls(script, memory)[at - 1]

    def what_failed(self, script, plan):
        return self.workload.table[self.call(script, plan)[0]][0]

    def function(self, script, plan):
        return self.sites.functions([self.call(script, plan)[1]])[0]

    def chosen(self, script, memory, count, chance):
        """So many of the runs, of as many sites as can be."""
        alike = {}
        for plan in self.plans(script, memory):
            alike.setdefault((self.call(script, plan), plan[0], plan[3]), []).append(plan)
        groups = list(alike.values())
        chance.shuffle(groups)
        for group in groups:
            chance.shuffle(group)
        turns = (group[i] for i in range(max(map(len, groups), default=0)) for group in groups if i < len(group))
        return list(itertools.islice(turns, count))

    def found(self, script, mode, error, function):
        """The runs in which a call fails that this function makes, or one of several (a|b)."""
        wanted = SHORT if error == "short" else getattr(errno, error)
        for memory in (0, 1):
            functions = self.sites.functions([site for _, site in self.calls(script, memory)])
            yield from (plan for plan in self.plans(script, memory)
                        if functions[plan[2] - 1] in function.split("|") and plan[0] == mode and plan[3] == wanted)

    def run(self, script, plan):
        """The complaints."""
        failed = self.what_failed(script, plan)
        for _ in range(TRIES):
            path = self.prepare(script)
            answer = self.last_answer = self.workload.run(script, *plan, path)
            if answer.get("hit", True) or not all(ok for _, ok, *_ in answer.get("steps", [])):
                break
        left = tree.take(path.parent)
        if script == "read":
            return self.judge.judge_reading(plan, answer) + ([] if left == self.base else ["reading changed the store"])
        return self.judge.judge_writing(script, plan, answer, path, left, failed)
