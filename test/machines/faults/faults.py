"""faults.py WORKLOAD PLUGIN_DIR [--report FILE] [--runs N | --all] [--seed N] [--kinds v2,v3,...] [--scripts ...] [--what system,memory]

Lets each call that the connector makes fail, one run for each, and judges what it reports and what it leaves. `--runs`: so many runs
of each kind and script, chosen by the seed; `--all`: every one. `--one KIND SCRIPT MODE MEMORY AT ERROR` does one run again, and
keeps the store.
"""

import argparse
import errno
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]

import report  # noqa: E402
import stores  # noqa: E402
from expect import check  # noqa: E402
import scripts

KINDS = {"v2": ("s.zarr", ""), "v3": ("s.zarr", "format=3"), "shards": ("s.zarr", "format=3;shards=4K"),
         "zip": ("s.zarr.zip", ""), "zip3": ("s.zarr.zip", "format=3"), "locking": ("s.zarr", "locking=1;sync=1")}
SCRIPTS = ("create", "change", "read")
SHORT = -1
MEMORY = 1


class Workload:
    """The process of workload.c, for one kind of store."""

    def __init__(self, program, plugin_dir, options):
        self.command = [str(program)]
        self.environment = {**os.environ, "HDF5_PLUGIN_PATH": str(plugin_dir),
                            "HDF5_VOL_CONNECTOR": "zarr threads=1" + (";" + options if options else "")}
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            report.stop("the workload does not start")
        self.table = {int(kind): entry for kind, entry in json.loads(line).items()}

    def run(self, script, mode, memory, at, error, path):
        self.process.stdin.write(f"{script} {mode} {memory} {at} {error} {path}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            report.stop(f"the workload ended: {script} {mode} {memory} {at} {error}")
        return json.loads(line)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Kind:
    def __init__(self, name, place, program, plugin_dir):
        self.name, self.place = name, pathlib.Path(place) / name
        self.file, options = KINDS[name]
        self.workload = Workload(program, plugin_dir, options)
        self.base = self.place / "base" / self.file
        self.base.parent.mkdir(parents=True)
        answer = self.workload.run("create", "count", 0, 0, 0, self.base)
        if not all(ok for _, ok, *_ in answer.get("steps", [[0, False]])):
            report.stop(f"{name}: the store cannot be made: {answer}")
        time.sleep(1)  # changes come in a later second than what they change: the times of objects are written then
        self.base_fingerprint = stores.fingerprint(self.base)
        self.judged = {}

    def prepare(self, script, where="run"):
        """A place for one run, with the store to work on."""
        path = self.place / where / self.file
        shutil.rmtree(path.parent, ignore_errors=True)
        if script == "read":
            return self.base
        path.parent.mkdir()
        if script == "change":
            (shutil.copytree if self.base.is_dir() else shutil.copyfile)(self.base, path)
        return path

    def plans(self, script, what):
        """Every run there is: (mode, memory, at, error)."""
        path = self.prepare(script)
        answer = self.workload.run(script, "count", int(what == "memory"), 0, 0, path)
        for at, kind in enumerate(answer["kinds"], 1):
            for error in self.workload.table[kind][1:]:
                for mode in ("once",) if error in (SHORT, errno.EINTR) else ("once", "on"):
                    yield mode, int(what == "memory"), at, error

    # ---- judging ----

    def judge(self, script, plan, answer, path):
        for what in ("signal", "hang", "status", "failed"):
            if what in answer:
                return [f"{what} {answer[what]}"]
        steps = [(name, ok) for name, ok, *_ in answer["steps"]]
        complaints = [f"{name}: {wrong}" for name, _, _, wrong in answer["steps"] if wrong]
        if answer["files"]:
            complaints.append(f"left open: {answer['files']}")
        if answer.get("leaks"):
            complaints.append("memory leaked")
        complaints += self.judge_words(plan, answer)
        if script == "read":
            return complaints
        histories, there = scripts.run(script, steps)
        complaints += self.judge_store(path, histories, there)
        if steps[-2] == ("close", True) or answer["steps"][-1][1]:
            complaints += self.judge_leftovers(path, plan)
        return complaints

    def judge_words(self, plan, answer):
        """A failure is told with a reason, and only where there is one."""
        failed = [(name, said) for name, ok, said, _ in answer["steps"] if not ok]
        mode, _, _, error = plan
        if not answer["hit"]:
            return ["the call did not come" if not failed else f"{failed[0][0]} failed although nothing happened: {failed[0][1]}"]
        if not failed:
            return []
        name, said = failed[0]
        reason = os.strerror(error)
        if not said:
            return [f"{name} failed without a word"]
        if mode == "once" and error != errno.ENOMEM and reason.lower() not in said.lower():
            return [f"{name} failed without the reason ({reason}): {said.strip()[:300]!r}"]
        if self.file not in said and error != errno.ENOMEM:
            return [f"{name} failed without the name of the store: {said.strip()[:300]!r}"]
        return []

    def judge_store(self, path, histories, there):
        if not path.exists():
            return ["the store is gone"] if there else []
        mark = stores.fingerprint(path)
        if mark not in self.judged:
            try:
                self.judged[mark] = stores.read_both_ways(path)
            except Exception as error:  # whatever zarr-python raises is a complaint
                self.judged[mark] = None, [f"zarr-python: {type(error).__name__}: {str(error)[:300]}"]
        seen, complaints = self.judged[mark]
        if seen is None:
            nothing_promised = not there and all(None in history for history in histories.values())
            return [] if nothing_promised and not stores.is_store(path) else complaints
        return [text for text in complaints if not stores.STAGE_IN_ROOT.search(text)] + check(seen, histories)

    def judge_leftovers(self, path, plan):
        """After close nothing unfinished stays, unless removing it was what failed; the next writer removes that."""
        left = stores.leftovers(path) if path.exists() else []
        if not left:
            return []
        complaints = [] if plan[0] == "on" or self.failed_kind == "unlink" else [f"left behind: {left}"]
        if path.exists() and stores.is_store(path):
            answer = self.workload.run("reopen", "count", 0, 0, 0, path)
            if not all(ok for _, ok, *_ in answer.get("steps", [[0, False]])):
                complaints.append(f"the next writer fails: {answer}")
            left = stores.leftovers(path)
            if left:
                complaints.append(f"the next writer left behind: {left}")
        return complaints

    def run(self, script, plan):
        path = self.prepare(script)
        self.failed_kind = "memory" if plan[1] else self.kinds_of(script)[plan[2] - 1]
        answer = self.workload.run(script, *plan, path)
        return self.judge(script, plan, answer, path)

    def kinds_of(self, script):
        key = "kinds " + script
        if key not in self.judged:
            answer = self.workload.run(script, "count", 0, 0, 0, self.prepare(script, "count"))
            self.judged[key] = [self.workload.table[kind][0] for kind in answer["kinds"]]
        return self.judged[key]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload")
    parser.add_argument("plugin_dir")
    parser.add_argument("--report")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    parser.add_argument("--kinds", default="v2,v3,shards,zip")
    parser.add_argument("--scripts", default=",".join(SCRIPTS))
    parser.add_argument("--what", default="system,memory")
    parser.add_argument("--one", nargs=6, metavar=("KIND", "SCRIPT", "MODE", "MEMORY", "AT", "ERROR"))
    options = parser.parse_args()
    place = report.workplace("faults")
    if options.one:
        kind = Kind(options.one[0], place, options.workload, options.plugin_dir)
        script, plan = options.one[1], (options.one[2], *map(int, options.one[3:]))
        print("\n".join(kind.run(script, plan)) or "nothing to complain about")
        print(f"the store is {kind.place / 'run' / kind.file}")
        return 0
    if not options.all:
        print(f"faults: seed {options.seed}")
    chance, result = random.Random(options.seed), report.Report("faults")
    try:
        for name in options.kinds.split(","):
            kind = Kind(name, place, options.workload, options.plugin_dir)
            for script in options.scripts.split(","):
                for what in options.what.split(","):
                    plans = list(kind.plans(script, what))
                    if not options.all:
                        plans = chance.sample(plans, min(options.runs, len(plans)))
                    for plan in plans:
                        words = " ".join(map(str, (name, script, *plan)))
                        complaints = kind.run(script, plan)
                        how = f"--one {words} ({kind.failed_kind} {errno.errorcode.get(plan[3], 'short')})"
                        result.ran(f"{name} {script} {what}", complaints, how)
                    if script == "read" and stores.fingerprint(kind.base) != kind.base_fingerprint:
                        result.ran(f"{name} {script} {what}", ["reading changed the store"], "any")
            kind.workload.stop()
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return result.finish(options.report)


if __name__ == "__main__":
    sys.exit(main())
