"""crash.py HOOK_LIBRARY PLUGIN_DIR [--report FILE] [--kills N] [--timed SHARE] [--seed N] [--kinds v2,v3,...]

Writers are killed, and what they leave is judged. Each seed is a list of operations; it is done once to the end, then again and again
with a kill at a random system call of the connector (before it, or halfway through a write), and with kills at random times, with worker
threads: `--timed` is their share, and with 0 a seed leads to the same kills in every run. `--one KIND SEED [KILL_AT|KILL_AT/2]` does one run again and keeps the store.
"""

import os
import pathlib
import random
import shutil
import signal
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import driver  # noqa: E402
import operations  # noqa: E402
from judge import Judge, Server  # noqa: E402

KINDS = {"v2": ("s.zarr", {}), "v3": ("s.zarr", {"FORMAT": "3"}), "shards": ("s.zarr", {"FORMAT": "3", "SHARDS": "1K"}),
         "zip": ("s.zarr.zip", {}), "file": ("s.h5", {}), "hdmf": ("s.zarr", {"DIALECT": "hdmf"}),
         "pieces": ("s.zarr", {"FORMAT": "3", "SHARDS": "256K", "COMPRESS": "none"}), "rows": ("s.zarr", {"COMPRESS": "none"})}
PLANS = {"pieces": {"large": "shards"}, "rows": {"large": "rows"}}
KILLS_PER_SEED = 12
SHORT_OF_ROOM = "300"  # bytes of dirty_max, for some seeds


class Run:
    """What a writer told before it ended."""

    def __init__(self, plan):
        self.plan, self.begun, self.promised, self.closed = plan, -1, -1, -1
        self.error = self.calls = self.status = None
        self.seconds = 0.0

    def heard(self, word, rest):
        if word == "begin":
            self.begun = int(rest)
        elif word == "done" and self.plan.is_promise(int(rest)):
            self.promised = int(rest)
            if self.plan.is_close(int(rest)):
                self.closed = int(rest)
        elif word == "error":
            self.error = rest
        elif word == "calls":
            calls, seconds = rest.split()
            self.calls, self.seconds = int(calls), float(seconds)
        elif word == "end":
            self.status = int(rest)


class Machine:
    def __init__(self, kind, place, hook, plugin_dir):
        self.kind, self.place = kind, pathlib.Path(place)
        self.file, self.options = KINDS[kind]
        self.shape = PLANS.get(kind, {})  # of its plans
        environment = {"HDF5_PLUGIN_PATH": str(plugin_dir), "HDF5_VOL_CONNECTOR": "zarr create=*.h5:file,*"}
        self.writer = Server([sys.executable, HERE / "writer.py", hook], environment)
        self.judge = Judge(self.writer, os.environ["VZ_PY_HDMF"] if kind == "hdmf" else None)

    def stop(self):
        self.writer.stop()
        self.judge.stop()

    def window(self):
        """What foreign readers could not read at once, of how many killed writers' files."""
        return self.judge.window

    def plan(self, seed):
        return operations.Plan(seed, **self.shape)

    def environment(self, seed, threads):
        chance = random.Random(f"{seed} options")
        options = {**self.options, "THREADS": str(threads)}
        if chance.random() < 0.4:
            options["DIRTY_MAX"] = SHORT_OF_ROOM
        return {"VOL_ZARR_" + name: value for name, value in options.items()}

    def write(self, seed, kill_at=None, half=False, after=None, record=None, more=None):
        """(Run, path); `after`: seconds to the kill, None: at call `kill_at`, or never."""
        path = self.place / "run" / self.file
        shutil.rmtree(path.parent, ignore_errors=True)
        path.parent.mkdir(parents=True)
        run = Run(self.plan(seed))
        timers = []

        def heard(word, rest):
            if word == "pid" and after is not None:
                timers.append(threading.Timer(after, kill, [int(rest)]))
                timers[0].start()
            run.heard(word, rest)

        request = {"do": "write", "seed": seed, "plan": self.shape, "path": str(path), "kill_at": kill_at, "half": half,
                   "record": record, "environment": {**self.environment(seed, 1 if after is None else 3), **(more or {})}}
        self.writer.ask(request, heard)
        for timer in timers:
            timer.cancel()
        return run, path

    def look(self, run, path, may_be_killed=True):
        if run.error:
            return [f"operation {run.begun} {run.plan.operations[run.begun]}: {run.error}"]
        if run.status not in (0, signal.SIGKILL) or (run.status and not may_be_killed):
            return [f"the writer ended with status {run.status} at {run.plan.operations[run.begun]}"]
        complaints = self.judge.judge(path, run.plan, run.promised, run.begun, run.closed)
        if complaints and run.status:
            complaints.append(f"killed in {run.plan.operations[run.begun]}, operation {run.begun}, promised {run.promised}")
        return complaints


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_some(machine, seed, chance, result, budget, timed):
    """The kills of one seed; how many there were. `timed`: the share of those at a random time."""
    run, path = machine.write(seed)
    result.ran(f"{machine.kind} to the end", machine.look(run, path, False), f"--one {machine.kind} {seed}")
    if run.error or not run.calls:
        return 0
    kills = min(KILLS_PER_SEED, budget)
    for _ in range(kills):
        if chance.random() < timed:
            after = chance.uniform(0, 1.2 * run.seconds)
            got, path = machine.write(seed, after=after)
            result.ran(f"{machine.kind} killed at a time", machine.look(got, path), f"seed {seed}, killed after {after:.4f} s")
        else:
            at, half = chance.randrange(1, run.calls + 1), chance.random() < 0.4
            got, path = machine.write(seed, at, half)
            complaints = machine.look(got, path) + ([] if got.status else ["it was not killed: the call did not come"])
            result.ran(f"{machine.kind} killed at a call", complaints, f"--one {machine.kind} {seed} {at}{'/2' if half else ''}")
    return kills


def one(options, place):
    machine = Machine(options.one[0], place, options.hook, options.plugin_dir)
    at, _, half = (options.one[2] if len(options.one) > 2 else "0").partition("/")
    run, path = machine.write(int(options.one[1]), int(at) or None, bool(half))
    shutil.copytree(path.parent, path.parent.parent / "found")
    for number, operation in enumerate(run.plan.operations[:run.begun + 1]):
        print(number, *operation, "<- promised" if number == run.promised else "")
    print("\n".join(machine.look(run, path)) or "nothing to complain about")
    print(f"as it was left: {path.parent.parent / 'found'}; after the next writer: {path}")
    machine.stop()


def everything(options, place, result):
    chance, kinds = random.Random(options.seed), options.kinds.split(",")
    for kind in kinds:
        machine, kills = Machine(kind, pathlib.Path(place) / kind, options.hook, options.plugin_dir), 0
        tries = 0
        while kills < options.kills // len(kinds) and tries < options.kills:
            budget = options.kills // len(kinds) - kills
            kills += kill_some(machine, chance.randrange(2**31), chance, result, budget, options.timed)
            tries += 1
        machine.stop()
        for reader, (failed, of) in sorted(machine.window().items()):
            print(f"crash: {kind}: {reader} could not read {failed} of {of} files that a killed writer left, before the next one came")


def main():
    parser = driver.parser(__doc__, "hook", KINDS, {"nargs": "+"})
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--timed", type=float, default=0.25)
    return driver.main("crash", parser.parse_args(), one, everything)


if __name__ == "__main__":
    sys.exit(main())
