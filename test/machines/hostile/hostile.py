#!/usr/bin/env python3
"""hostile.py BUILD [--short] [--seconds N] [--seed N] [--jobs N] [--found DIR] [--real DIR] [--report FILE] | --one SEED INDEX | --replay FILE...

Whole stores with altered documents, chunks, names and zip files, looked at and changed by a C program (walker.c) and by h5py (look.py)
under the sanitizers of the build in BUILD. First those of found/, which once were findings. What is found is made small and put into DIR.
--short: stores of the archives among the tests alone, the first SHORT_MOST of the seed; --real: a directory with more archives."""

import argparse
import itertools
import pathlib
import random
import sys
import threading
import time
import traceback
import warnings

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1])]

import alter
import bases
import documents
import judges
import report
import smaller

FOUND = pathlib.Path(__file__).parent / "found"
LEAST = 40  # stores, however slow the machine
SHORT_MOST = 600  # and however fast it is: the short form judges a change, and looks at nothing that nobody has looked at


class Machine:
    def __init__(self, build, seed, short, real):
        self.seed, self.words = seed, f"tools/hostile.sh{' --short' if short else ''} --one {seed}"
        self.bases = bases.collect(None, None) if short else bases.collect(build, real)
        self.names = sorted(self.bases)
        self.vocabulary = {}
        for name in self.names:
            for path, data in sorted(self.bases[name].items()):
                if alter.is_document(path):
                    documents.learn(self.vocabulary, data.decode("utf-8", "replace"))

    def draw(self, index):
        """Store number `index` of this seed: (judge, case, kind, files, its parts for the maker of smaller ones)."""
        rng = random.Random(f"{self.seed}/{index}")
        name = rng.choice(self.names)
        files = bases.some_of(rng, self.bases[name])
        seeds = list(range(rng.choice([1, 1, 1, 2, 2, 3, 5])))
        zipped = rng.choices([None, "files", "bytes"], [80, 8, 12])[0]
        judge = "h5py" if rng.random() < 0.1 else "walker"
        kind, files = judges.build_store(rng, files, seeds if zipped != "bytes" else [], self.vocabulary,
                                         lambda part: random.Random(f"{self.seed}/{index}/{part}"), zipped)
        return judge, f"{judge} {name.partition('/')[0]}{' in a zip file' if zipped else ''}", kind, files


def keep(where, name, kind, files, said):
    where.mkdir(parents=True, exist_ok=True)
    (where / f"{name}.json").write_text(alter.to_json(kind, files))
    (where / f"{name}.log").write_text(said)


class Run:
    """Workers that share the numbers of the stores, the report, and what is known already."""

    def __init__(self, arguments, machine, workplace):
        self.arguments, self.machine, self.workplace = arguments, machine, workplace
        self.report, self.known, self.lock = report.Report("hostile"), {}, threading.Lock()
        self.slowest, self.largest, self.milliseconds = (0, 0), (0, 0), 0

    def trouble(self, judge, index, kind, files, word, said):
        found = judges.signature(word, said)
        with self.lock:
            first = found not in self.known
            self.known[found] = self.known.get(found, 0) + 1
        if first:
            def is_same(less):
                word, _, _, said = judge.look(kind, less)
                return judges.signature(word, said) == found
            name = f"{self.machine.seed}-{index}"
            keep(self.arguments.found, name, kind, files, said)  # at once: making it small takes a while and may be ended
            less = smaller.shrink(kind, files, is_same)
            if less != files:
                keep(self.arguments.found, f"{name}-small", kind, less, judge.look(kind, less)[3])
        return [found]

    def one(self, judge, case, index, kind, files, how):
        word, ms, megabytes, said = judge.look(kind, files)
        complaints = self.trouble(judge, index, kind, files, word, said) if word != "ok" else []
        with self.lock:
            self.slowest, self.largest = max(self.slowest, (ms, index)), max(self.largest, (megabytes, index))
            self.milliseconds += ms
            self.report.ran(case, complaints, how)

    def worker(self, *of):
        try:
            self.work(*of)
        except Exception:
            with self.lock:  # the end of what it says, which names the cause, comes first in a log that is cut
                self.report.ran("the machine itself", [" < ".join(reversed(traceback.format_exc().splitlines()))], "a worker ended")

    def work(self, number, counter, end):
        program = {name: judges.Judge(name, self.arguments.build, self.workplace, number) for name in ("walker", "h5py")}
        most = SHORT_MOST if self.arguments.short else float("inf")
        while (index := next(counter)) < LEAST or (index < most and time.monotonic() < end):
            name, case, kind, files = self.machine.draw(index)
            self.one(program[name], case, index, kind, files, f"{self.machine.words} {index}")
        for judge in program.values():
            judge.close()

    def check(self):
        """Would it be seen?"""
        for how, word, seconds in (("overflow", "exit-1", judges.SECONDS), ("memory", "memory", judges.SECONDS), ("time", "time", 1), ("waits", "waits", 1)):
            judge = judges.Judge("walker", self.arguments.build, self.workplace, f"check-{how}", seconds)
            found = judge.ask(f"misbehave: {how}")[0]
            self.report.ran("walker misbehaves", [] if found == word else [f"{found}, not {word}"], how)
            judge.close()

    def replay(self, paths):
        program = [judges.Judge(name, self.arguments.build, self.workplace, "found") for name in ("walker", "h5py")]
        for path in paths:
            kind, files = alter.from_json(path.read_text())
            for judge in program:
                self.one(judge, f"{judge.name} found", path.stem, kind, files, f"tools/hostile.sh --replay {path}")
        for judge in program:
            judge.close()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--found", type=pathlib.Path, default=None)
    parser.add_argument("--real", type=pathlib.Path, default=None)
    parser.add_argument("--report", default=None)
    parser.add_argument("--one", nargs=2, type=int, default=None)
    parser.add_argument("--replay", nargs="+", type=pathlib.Path, default=None)
    arguments = parser.parse_args()
    arguments.found = arguments.found or arguments.build / "hostile"
    seed = arguments.one[0] if arguments.one else arguments.seed
    machine = Machine(arguments.build, seed, arguments.short, arguments.real)
    workplace = report.workplace("hostile")
    warnings.simplefilter("ignore")  # zipfile's, of names that are there twice
    run = Run(arguments, machine, workplace)
    if arguments.one:
        name, case, kind, files = machine.draw(arguments.one[1])
        judge = judges.Judge(name, arguments.build, workplace, 0)
        print(case, *judge.look(kind, files), sep="\n")
        keep(arguments.found, "one", kind, files, "")
        judge.close()
        return judges.shutil.rmtree(workplace, ignore_errors=True)
    print(f"hostile: seed {seed}, {len(machine.names)} stores to begin with", flush=True)
    run.check()
    run.replay(arguments.replay or sorted(FOUND.glob("*.json")))
    if not arguments.replay:
        counter, end = itertools.count(), time.monotonic() + arguments.seconds
        workers = [threading.Thread(target=run.worker, args=(n, counter, end)) for n in range(arguments.jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    print(f"hostile: {run.milliseconds / 3.6e6:.2f} hours of a processor in looking; slowest {run.slowest[0]} ms (number {run.slowest[1]}), largest {run.largest[0]} MiB (number {run.largest[1]})")
    for found, count in sorted(run.known.items(), key=lambda item: -item[1]):
        print(f"hostile: {count} times: {found}")
    status = run.report.finish(arguments.report)
    judges.shutil.rmtree(workplace, ignore_errors=True)
    return status


sys.exit(main())
