"""power.py HOOK_LIBRARY PLUGIN_DIR [--report FILE] [--points N | --all] [--seeds N] [--seed N] [--jobs N] [--kinds ...]

Writers with sync=1 are recorded; what a power failure may leave after each of their changes (trace.py) is laid out in a directory, and
judged: what a completed flush or close promised is there. `--points`: so many of each seed, chosen by the seed; `--all`: every one.
`--one KIND SEED AT-LAST FATE` does one again and keeps it.
"""

import itertools
import pathlib
import random
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "crash")]

import driver  # noqa: E402
import operations  # noqa: E402
import report  # noqa: E402
import stores  # noqa: E402
import trace  # noqa: E402
from crash import KINDS, Machine  # noqa: E402

FULL = 0.2  # so many are also read by h5py, and written by a next writer


def told(events, until, plan):
    """(the operation begun last, the last flush or close that was completed) by then."""
    begun = promised = -1
    for event in events[:until + 1]:
        if event[0] == "mark" and event[1] == "begin":
            begun = int(event[2])
        elif event[0] == "mark" and plan.is_promise(int(event[2])):
            promised = int(event[2])
    return begun, promised


def closed_by(events, until, plan):
    """The last close that was completed by then."""
    done = [int(event[2]) for event in events[:until + 1] if event[0] == "mark" and event[1] != "begin"]
    return max(filter(plan.is_close, done), default=-1)


class PowerMachine(Machine):
    def record(self, seed):
        """(plan, events, where the store was) of a writer that was not disturbed."""
        self.answers = {}
        record = self.place / "record"
        run, path = self.write(seed, record=str(record), more={"VOL_ZARR_SYNC": "1"})
        if run.error or run.status:
            report.stop(f"{self.kind} {seed}: {run.error or run.status}")
        return run.plan, trace.load(record), path

    def lay_out(self, snapshot):
        path = self.place / "left" / self.file
        shutil.rmtree(path.parent, ignore_errors=True)
        path.parent.mkdir(parents=True)
        for name, content in sorted(snapshot.items()):
            if content is None:
                (path.parent / name).mkdir(parents=True)
        for name, content in snapshot.items():
            if content is not None:
                (path.parent / name).write_bytes(content)
        return path

    def answer(self, snapshot):
        """Asks zarr-python what it sees in a store once; what lies beside the store is nothing to it."""
        inside = frozenset(item for item in snapshot.items() if item[0].split("/")[0] == self.file)

        def sees(path):
            if inside not in self.answers:
                self.answers[inside] = self.judge.zarr.sees(path)
            return self.answers[inside]

        return sees

    def look_at_file(self, path, plan, events, point):
        """It is changed in place: its bytes may be newer than its name."""
        begun, _ = told(events, point.last, plan)
        _, promised = told(events, point.at, plan)
        complaints = self.judge.judge(path, plan, promised, begun, closed_by(events, point.at, plan))
        return complaints and [*complaints, f"operation {begun} {plan.operations[begun]}, promised {promised}"]

    def look(self, plan, events, point, fate, fully):
        path, sees = self.lay_out(point.snapshots[fate]), self.answer(point.snapshots[fate])
        if stores.is_zip(path):
            return self.look_at_file(path, plan, events, point)
        complaints = []
        for until in dict.fromkeys((point.last, point.at)):
            begun, promised = told(events, until, plan)
            histories = operations.histories(plan, promised, begun)
            complaints += self.judge.by_zarr(path, histories, promised >= 0, sees)
            if complaints:
                return [*complaints, f"operation {begun} {plan.operations[begun]}, promised {promised}"]
        if fully:
            begun, promised = told(events, point.at, plan)
            complaints = self.judge.judge(path, plan, promised, begun)
        return complaints


def choose(machine, seed, chance, count):
    """(plan, events, [(point, fate)]): different states of the disk, all of them or so many."""
    plan, events, path = machine.record(seed)
    cases, seen = [], set()
    for point in trace.points(events, path.parent):
        for fate, snapshot in point.snapshots.items():
            key = (frozenset(snapshot.items()), told(events, point.at, plan), told(events, point.last, plan))
            if key not in seen:
                cases.append((point, fate))
            seen.add(key)
    return plan, events, cases if count is None else chance.sample(cases, min(count, len(cases)))


def one(options, place):
    kind, seed, moment, fate = options.one
    machine = PowerMachine(kind, place, options.hook, options.plugin_dir)
    plan, events, path = machine.record(int(seed))
    at, _, last = moment.partition("-")
    point = next(point for point in trace.points(events, path.parent) if (point.at, point.last) == (int(at), int(last)))
    for event in events[max(0, point.at - 30):point.at + 1]:
        print(*(f"{len(word)} bytes" if isinstance(word, bytes) else word for word in event))
    print("\n".join(machine.look(plan, events, point, fate, True)) or "nothing to complain about")
    print(f"what was left: {machine.place / 'left'}")
    machine.stop()


class Runner:
    """Does tasks, in a place of its own."""

    def __init__(self, place, hook, plugin_dir):
        self.place, self.arguments, self.machines = pathlib.Path(tempfile.mkdtemp(dir=place)), (hook, plugin_dir), {}

    def do(self, task):
        """[(case, complaints, how)] of the writer of one seed."""
        kind, seed, count = task
        if kind not in self.machines:
            self.machines[kind] = PowerMachine(kind, self.place / kind, *self.arguments)
        machine, chance, result = self.machines[kind], random.Random(seed), []
        plan, events, cases = choose(machine, seed, chance, count)
        for point, fate in cases:
            complaints = machine.look(plan, events, point, fate, chance.random() < FULL)
            result.append((f"{kind}, unsynced data {fate}", complaints, f"--one {kind} {seed} {point.at}-{point.last} {fate}"))
        return result


def everything(options, place, result):
    chance, count = random.Random(options.seed), None if options.all else options.points
    todo = [(kind, chance.randrange(2**31), count) for _, kind in itertools.product(range(options.seeds), options.kinds.split(","))]
    for outcome in driver.done(options.jobs, Runner, (place, options.hook, options.plugin_dir), todo):
        for case in outcome:
            result.ran(*case)


def main():
    parser = driver.parser(__doc__, "hook", KINDS, {"nargs": 4, "metavar": ("KIND", "SEED", "AT-LAST", "FATE")})
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    return driver.main("power", parser.parse_args(), one, everything)


if __name__ == "__main__":
    sys.exit(main())
