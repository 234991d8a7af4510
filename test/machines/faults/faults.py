"""faults.py WORKLOAD PLUGIN_DIR [--report FILE] [--runs N | --all] [--seed N] [--jobs N] [--kinds v2,v3,...] [--scripts ...]
[--what system,memory]

Lets each call that the connector makes fail, one run for each, and judges what it reports and what it leaves. `--runs`: so many runs
of each kind and script, chosen by the seed from as many places of the connector as can be, and what was found before (found.txt);
`--all`: every one. `--one KIND SCRIPT MODE MEMORY AT ERROR` does one run again, and
keeps the store, and tells by which way the connector came to the call.
"""

import collections
import errno
import pathlib
import random
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]

import driver  # noqa: E402
from kind import KINDS, SCRIPTS as OWN_SCRIPTS, Kind  # noqa: E402

SCRIPTS = ("create", "change", "more", "read")
WHAT = ("system", "memory")  # by the number that means it in a plan
FOUND = pathlib.Path(__file__).resolve().parent / "found.txt"
SLICE = 500  # runs that a process does before it tells of them

Task = collections.namedtuple("Task", "kind script what plans")


class Runner:
    """Does tasks, in a place of its own."""

    def __init__(self, place, workload, plugin_dir):
        self.place = tempfile.mkdtemp(dir=place)
        self.arguments, self.kinds = (workload, plugin_dir), {}

    def kind(self, name):
        if name not in self.kinds:
            self.kinds[name] = Kind(name, self.place, *self.arguments)
        return self.kinds[name]

    def plans(self, name, script, what):
        return list(self.kind(name).plans(script, WHAT.index(what)))

    def chosen(self, name, script, what, count, chance):
        return self.kind(name).chosen(script, WHAT.index(what), count, chance)

    def found(self, line):
        name, script, *rest = line.split()
        return Task(name, script, "found", list(self.kind(name).found(script, *rest)))

    def do(self, task):
        """[(complaints, how)], one for each run."""
        kind, result = self.kind(task.kind), []
        for plan in task.plans:
            words = " ".join(map(str, (task.kind, task.script, *plan)))
            error = errno.errorcode.get(plan[3], "short")
            complaints = kind.run(task.script, plan)
            where = f"{kind.what_failed(task.script, plan)} {error} in {kind.function(task.script, plan)}" if complaints else ""
            result.append((complaints, f"--one {words} ({where})"))
        return result


def tasks(options, runner):
    chance = random.Random(options.seed)
    for name in options.kinds.split(","):
        for script in OWN_SCRIPTS.get(name, options.scripts.split(",")):
            for what in options.what.split(","):
                plans = runner.plans(name, script, what) if options.all else runner.chosen(name, script, what, options.runs, chance)
                for at in range(0, len(plans), SLICE):
                    yield Task(name, script, what, plans[at:at + SLICE])


def found_before(runner, kinds, result):
    """What complaints were about once: lines of a kind, a script, the mode, the error and the function that makes the call."""
    for line in FOUND.read_text().split("\n"):
        if not line.strip() or line.startswith("#") or line.split()[0] not in kinds:
            continue
        task = runner.found(line)
        if not task.plans:
            result.ran(f"{task.kind} {task.script} found", ["there is no such call any more"], line)
        yield task


def run_all(options, place, result):
    own = Runner(place, options.workload, options.plugin_dir)
    todo = list(tasks(options, own))
    if not options.all:
        todo += found_before(own, options.kinds.split(","), result)
    if options.jobs == 1:
        outcomes = map(own.do, todo)
    else:
        outcomes = driver.done(options.jobs, Runner, (place, options.workload, options.plugin_dir), todo)
    for task, outcome in zip(todo, outcomes):
        for complaints, how in outcome:
            result.ran(f"{task.kind} {task.script} {task.what}", complaints, how)


def run_one(options, place):
    name, script, *plan = options.one
    kind = Kind(name, place, options.workload, options.plugin_dir)
    complaints = kind.run(script, (plan[0], *map(int, plan[1:])))
    for name, ok, said, wrong in kind.last_answer.get("steps", []):
        print(f"{name}: {'done' if ok else 'failed'} {said.strip()} {wrong}".rstrip())
    print("the call came from " + ", ".join(kind.sites.functions(kind.last_answer.get("way", []))))
    print("\n".join(complaints) or "nothing to complain about")
    print(f"the store is {kind.place / 'run' / kind.file}")


def main():
    one = {"nargs": 6, "metavar": ("KIND", "SCRIPT", "MODE", "MEMORY", "AT", "ERROR")}
    parser = driver.parser(__doc__, "workload", KINDS, one)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--scripts", default=",".join(SCRIPTS))
    parser.add_argument("--what", default=",".join(WHAT))
    return driver.main("faults", parser.parse_args(), run_one, run_all)


if __name__ == "__main__":
    sys.exit(main())
