"""Judges of stores that MPI programs write: HDF5's own parallel tests, h5py's, and programs of our own. tools/mpi-test.sh runs it in a Debian 13.

    judge.py --programs DIR --plugin DIR [--mpi openmpi,mpich] [--ranks 2,3,6] [--seeds 6] [--seed N] [PART...]

PART: api programs slabs held apart events killed h5py fortran bucket (default: all). DIR/openmpi and DIR/mpich hold the programs. VZ_MINIO and
VZ_CLOUD_PROXY name the servers of the last one."""

import argparse
import os
import pathlib
import sys

import hdf5_tests
import own_tests
from places import Bucket
from running import Runner

PARTS = ["api", "programs", "slabs", "held", "apart", "events", "killed", "h5py", "fortran", "bucket"]
LINES = 40  # of a failure's output
PROGRAM_RANKS = 3
BUCKET_STEPS = 80  # of random slabs


class Judge:
    def __init__(self, logs):
        self.passed, self.failures, self.logs = 0, [], logs

    def say(self, text):
        print(f"[mpi-test] {text}", flush=True)

    def good(self, name):
        self.passed += 1
        return True

    def bad(self, text, output):
        """The whole output goes to a file of its own, its end is shown."""
        log = self.logs / f"failure-{len(self.failures) + 1}.log"
        log.write_text(output)
        self.failures.append(text)
        self.say(f"FAILED: {text}")
        print("\n".join(line[:200] for line in output.splitlines()[-LINES:]), flush=True)
        return False


def in_a_bucket(runner, ranks, seeds, seed, judge, bucket):
    own_tests.puts(runner, ranks, judge, bucket)
    own_tests.slabs(runner, ranks, range(seed, seed + seeds), judge, bucket, BUCKET_STEPS)
    own_tests.held(runner, ranks, judge, bucket)
    own_tests.apart(runner, ranks, judge, bucket)
    own_tests.events(runner, ranks, judge, bucket)
    own_tests.dimension(runner, ranks, judge, bucket)
    own_tests.killed(runner, ranks, seeds, seed, judge, bucket)


def listed(text):
    return text.split(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--mpi", type=listed, default=["openmpi", "mpich"])
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in listed(text)], default=[2, 3, 6])
    parser.add_argument("--seeds", type=int, default=6, help="random programs for each number of ranks")
    parser.add_argument("--seed", type=int, default=1, help="the first")
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--only", type=listed, help="of programs: these rows")
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS])
    a = parser.parse_args()
    parts = a.parts or PARTS
    a.logs.mkdir(parents=True, exist_ok=True)
    judge = Judge(a.logs)
    bucket = None
    if "bucket" in parts and os.environ.get("VZ_MINIO") and os.environ.get("VZ_CLOUD_PROXY"):
        bucket = Bucket()
    elif "bucket" in parts:
        judge.say("left out: stores in a bucket, as MinIO is not here (tools/setup.sh builds it)")
    for mpi in a.mpi:
        native, ours = Runner(mpi, a.programs / mpi), Runner(mpi, a.programs / mpi, a.plugin.resolve())
        if not own_tests.makes_stores(ours, judge):
            continue
        for ranks in a.ranks if "api" in parts else []:
            hdf5_tests.api(native, ours, ranks, judge)
        if "programs" in parts:
            # With the gateway on objects pass for native ones, and the tests look for what only a native file has.
            hdf5_tests.programs(native, Runner(mpi, a.programs / mpi, a.plugin.resolve(), "zarr gateway=0"), PROGRAM_RANKS, judge, a.only)
        for ranks in a.ranks if "slabs" in parts else []:
            own_tests.slabs(ours, ranks, range(a.seed, a.seed + a.seeds), judge)
        for ranks in a.ranks if "held" in parts else []:
            own_tests.held(ours, ranks, judge)
        for ranks in a.ranks if "apart" in parts else []:
            own_tests.apart(ours, ranks, judge)
        for ranks in a.ranks if "events" in parts else []:
            own_tests.events(ours, ranks, judge)
            own_tests.dimension(ours, ranks, judge)
        for ranks in a.ranks if "killed" in parts else []:
            own_tests.killed(ours, ranks, a.seeds, a.seed, judge)
        for ranks in a.ranks if "fortran" in parts else []:
            own_tests.fortran(ours, ranks, judge)
        for ranks in a.ranks if "h5py" in parts and mpi == "openmpi" else []:  # Debian's h5py-mpi is for Open MPI
            own_tests.h5py_tests(native, ours, ranks, judge)
            own_tests.h5py_session(ours, ranks, judge)
        for ranks in a.ranks if bucket else []:
            in_a_bucket(ours, ranks, a.seeds, a.seed, judge, bucket)
    if bucket:
        bucket.stop()
    for text in judge.failures:
        print(f"FAILED: {text}")
    print(f"{judge.passed} passed, {len(judge.failures)} failed")
    sys.exit(len(judge.failures) > 0)


main()
