"""Runs rows: makes what is read, takes the peers in turns, compares what they read, and keeps every figure."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

from . import data
from .peers import OURS, PEERS, c_arguments, environment
from .rows import DEFAULTS

# By whom what is read is made, and by whom what was written is judged: never by us where somebody else can.
MAKERS = {"ops_h5py": ("native", "zarr"), "ops_anndata": ("native anndata", "anndata zarr"), "ops_nwb": ("native nwb", "hdmf-zarr"),
          "work": ("native C", "vol C")}
# What of a job does not change the file that is made.
NOT_OF_FILE = {"array_write": {"kind", "count", "single"}, "tree_create": {"opens"}, "csr_write": {"count"}, "cells_write": {"count"}}
FLOORS_OF_ARRAYS = ("array_read", "array_boxes", "array_fancy")  # these read an array, and its elements are compared, too
SECONDS_MAX = 900


class Failed(Exception):
    pass


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def run_process(peer, operation, job, options):
    """The figures of one process."""
    if peer.module in ("work", "floor"):
        program = os.path.join(os.environ["VZ_BENCH_PROGRAMS"], f"bench_{peer.module}")
        command = [program, operation, *c_arguments(job)]
    else:
        job = {**job, "module": peer.module, "operation": operation}
        command = [os.environ[peer.python], "-W", "ignore", "-m", "bench.child", json.dumps(job)]
    try:
        done = subprocess.run(command, env=environment(peer, options), capture_output=True, text=True, timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        raise Failed(f"not finished after {SECONDS_MAX} s") from None
    if done.returncode != 0:
        raise Failed((done.stderr.strip() or f"status {done.returncode}").splitlines()[-1][:200])
    return json.loads(done.stdout.strip().splitlines()[-1])


class Runner:
    def __init__(self, rows, directory, rounds, peers, say):
        self.rows, self.directory, self.rounds, self.peers, self.say = rows, pathlib.Path(directory), rounds, peers, say
        self.made = {}  # key of an input -> its path
        self.users = {}
        for row in rows:
            for key in self.input_keys(row):
                self.users[key] = self.users.get(key, 0) + 1

    # ---- what is read ----

    def taking_part(self, row):
        return [name for name in row.peers if name in self.peers]

    def maker(self, row, kind):
        return MAKERS[PEERS[row.peers[0]].module][kind == "zarr"]

    def file_job(self, row):
        left_out = NOT_OF_FILE.get(row.make, set())
        return {**DEFAULTS, **{key: value for key, value in row.job.items() if key not in left_out}}

    def source_key(self, row):
        needs = "array_write" in (row.make, row.operation)
        return ("source", json.dumps(row.job["shape"])) if needs else None

    def input_keys(self, row):
        keys = [key for key in [self.source_key(row)] if key]
        if row.make:
            kinds = sorted({PEERS[name].kind for name in self.taking_part(row)})
            keys += [(self.maker(row, kind), row.make, json.dumps(self.file_job(row), sort_keys=True)) for kind in kinds]
        return keys

    def input(self, key, row):
        if key in self.made:
            return self.made[key]
        path = self.directory / f"input{len(self.made)}"
        self.made[key] = path
        if key[0] == "source":
            data.smooth(path, row.job["shape"])
            return path
        peer = PEERS[key[0]]
        path = self.made[key] = path.with_suffix(".h5" if peer.kind == "hdf5" else ".zip" if row.job.get("zip") else ".zarr")
        self.run(key[0], row.make, self.file_job(row), path, row, "")
        return path

    def release(self, row):
        for key in self.input_keys(row):
            self.users[key] -= 1
            if not self.users[key] and key in self.made:
                remove(self.made[key])

    # ---- one process ----

    def run(self, name, operation, job, path, row, options):
        peer = PEERS[name]
        job = {**DEFAULTS, **job, **peer.job, "path": str(path), "suffix": ".h5" if peer.kind == "hdf5" else ".zarr"}
        if operation == "array_write":
            job["source"] = str(self.input(self.source_key(row), row))
        if operation.startswith("stores_"):
            path.mkdir(exist_ok=True)
        if operation == "array_boxes" or operation == "array_fancy" and peer.module == "floor":
            boxes = data.boxes(job.get("kind", "fancy"), job["shape"], job["count"])
            boxes.astype("i8").tofile(self.directory / "boxes")
            job.update(boxes=str(self.directory / "boxes"), count=len(boxes))
        if peer.module == "floor" and operation in FLOORS_OF_ARRAYS:
            job["path"] += "/x"
        return run_process(peer, operation, job, options)

    def once(self, row, name, check):
        """The figures of one peer, with the digest of what it read or of what a judge reads of what it wrote."""
        peer = PEERS[name]
        if row.make:
            key = (self.maker(row, peer.kind), row.make, json.dumps(self.file_job(row), sort_keys=True))
            # Ours may be told how to make a store: such options are of no use where one is read.
            options = row.options if "consolidated" in row.options else ""
            return self.run(name, row.operation, row.job, self.input(key, row), row, options)
        suffix = ".h5" if peer.kind == "hdf5" else ".zip" if row.job.get("zip") else ".zarr"
        path = self.directory / f"output{suffix}"
        try:
            figures = self.run(name, row.operation, row.job, path, row, row.options)
            if check and peer.module != "floor" and row.check:
                judge = self.maker(row, peer.kind)
                figures["digest"] = [self.run(judge, each, row.job, path, row, "")["digest"] for each in row.check]
            return figures
        finally:
            remove(path)

    # ---- a row ----

    def first_round(self, row):
        """Not counted: everything is warm afterwards, results are compared. -> {peer: reason} of those that cannot."""
        failed, digests = {}, {}
        for name in self.taking_part(row):
            try:
                figures = self.once(row, name, check=True)
            except Failed as failure:
                failed[name] = str(failure)
                continue
            if PEERS[name].module != "floor" or row.operation in FLOORS_OF_ARRAYS and name == "floor":
                digests[name] = figures["digest"]
        if len({json.dumps(digest) for digest in digests.values()}) > 1:
            raise SystemExit(f"{row.title}: results differ: {digests}")
        for name in OURS:
            if name in failed:
                raise SystemExit(f"{row.title}: {name}: {failed[name]}")
        return failed, next(iter(digests.values()), None)

    def row(self, row):
        failed, expected = self.first_round(row)
        names = [name for name in self.taking_part(row) if name not in failed]
        figures = {name: {"wall": [], "cpu": [], "extra_kib": []} for name in names}
        for number in range(self.rounds):
            for name in names if number % 2 == 0 else names[::-1]:
                found = self.once(row, name, check=False)
                if row.make and PEERS[name].module != "floor" and found["digest"] != expected:
                    raise SystemExit(f"{row.title}: {name} read something else in round {number + 1}")
                for key, values in figures[name].items():
                    values.append(found[key])
        self.release(row)
        return {"section": row.section, "name": row.name, "job": row.job, "peers": figures, "failed": failed}

    def all(self):
        """Each row's figures, as soon as they are there."""
        for number, row in enumerate(self.rows):
            self.say(f"{number + 1}/{len(self.rows)} {row.title}")
            yield self.row(row)


def say(text):
    print(text, file=sys.stderr, flush=True)
