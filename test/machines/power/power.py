"""power.py HOOK_LIBRARY PLUGIN_DIR [--report FILE] [--points N | --all] [--seeds N] [--seed N] [--kinds v2,v3,...]

Writers with sync=1 are recorded; what a power failure may leave after each of their changes (trace.py) is laid out in a directory, and
judged: what a completed flush or close promised is there. `--points`: so many of each seed, chosen by the seed; `--all`: every one.
`--one KIND SEED AT FATE` does one again and keeps it.
"""

import argparse
import pathlib
import random
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "crash")]

import operations  # noqa: E402
import report  # noqa: E402
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


class PowerMachine(Machine):
    def record(self, seed):
        """(plan, events, where the store was) of a writer that was not disturbed."""
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

    def look(self, plan, events, point, fate, fully):
        at, last, snapshots = point
        path = self.lay_out(snapshots[fate])
        complaints = []
        for until in dict.fromkeys((last, at)):
            begun, promised = told(events, until, plan)
            histories = operations.histories(plan, promised, begun)
            complaints += self.judge.by_zarr(path, histories, promised >= 0)
            if complaints:
                return [*complaints, f"operation {begun} {plan.operations[begun]}, promised {promised}"]
        if fully:
            begun, promised = told(events, at, plan)
            complaints = self.judge.judge(path, plan, promised, begun)
        return complaints


def choose(machine, seed, chance, count):
    plan, events, path = machine.record(seed)
    cases = []
    for point in trace.points(events, path.parent):
        seen = set()
        for fate, snapshot in point[2].items():
            key = frozenset(snapshot.items())
            if key not in seen:
                cases.append((point, fate))
            seen.add(key)
    return plan, events, cases if count is None else chance.sample(cases, min(count, len(cases)))


def one(words, place, hook, plugin_dir):
    machine = PowerMachine(words[0], place, hook, plugin_dir)
    plan, events, path = machine.record(int(words[1]))
    point = next(point for point in trace.points(events, path.parent) if point[0] == int(words[2]))
    for event in events[max(0, point[0] - 30):point[0] + 1]:
        print(*(f"{len(word)} bytes" if isinstance(word, bytes) else word for word in event))
    print("\n".join(machine.look(plan, events, point, words[3], False)) or "nothing to complain about")
    print(f"what was left: {machine.place / 'left'}")
    machine.stop()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hook")
    parser.add_argument("plugin_dir")
    parser.add_argument("--report")
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    parser.add_argument("--kinds", default=",".join(kind for kind in KINDS if kind != "zip"))
    parser.add_argument("--one", nargs=4, metavar=("KIND", "SEED", "AT", "FATE"))
    options = parser.parse_args()
    place = report.workplace("power")
    if options.one:
        return one(options.one, place, options.hook, options.plugin_dir)
    print(f"power: seed {options.seed}")
    chance, result = random.Random(options.seed), report.Report("power")
    try:
        for kind in options.kinds.split(","):
            machine = PowerMachine(kind, pathlib.Path(place) / kind, options.hook, options.plugin_dir)
            for _ in range(options.seeds):
                seed = chance.randrange(2**31)
                plan, events, cases = choose(machine, seed, chance, None if options.all else options.points)
                for point, fate in cases:
                    complaints = machine.look(plan, events, point, fate, chance.random() < FULL)
                    result.ran(f"{kind}, unsynced data {fate}", complaints, f"--one {kind} {seed} {point[0]} {fate}")
            machine.stop()
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return result.finish(options.report)


if __name__ == "__main__":
    sys.exit(main())
