"""The outline of the machines that let a program of their own work and judge what it leaves."""

import argparse
import concurrent.futures
import multiprocessing
import random
import shutil

import report


def parser(doc, program, kinds, one):
    """The arguments that they have in common. `program`: what the first one names; `one`: how --one is given."""
    result = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument(program)
    result.add_argument("plugin_dir")
    result.add_argument("--report")
    result.add_argument("--seed", type=int, default=random.randrange(2**31))
    result.add_argument("--kinds", default=",".join(kinds))
    result.add_argument("--one", **one)
    return result


def main(name, options, do_one, do_all):
    """The exit status. do_one(options, place) does one run again and keeps what it left in `place`; do_all(options, place, result)
    tells the report of each run, and `place` is removed."""
    place = report.workplace(name)
    if options.one:
        do_one(options, place)
        return 0
    print(f"{name}: seed {options.seed}")
    result = report.Report(name)
    try:
        do_all(options, place, result)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return result.finish(options.report)


runner = None  # of a process that done() started


def begin(make, *arguments):
    global runner
    runner = make(*arguments)


def do(task):
    return runner.do(task)


def done(jobs, make, arguments, todo):
    """What each task comes to, in their order: make(*arguments).do(task), in so many processes, each of which has a runner of its own."""
    pool = concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), begin, (make, *arguments))
    return pool.map(do, todo)
