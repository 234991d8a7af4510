"""Runs rows: takes the peers in turns, compares what they read, and keeps every figure."""

import json
import pathlib
import sys
import tempfile
import time

from . import data, inputs, report
from .inputs import Inputs
from .pace import NOISE
from .peers import OURS, PEERS, SUFFIX
from .processes import Failed, Processes
from .rows import DEFAULTS

FLOORS_OF_ARRAYS = ("array_read", "array_boxes", "array_fancy", "array_multi")  # these read arrays, and their elements are compared, too
KEPT = ("wall", "cpu", "extra_kib", "file_kib")


class Runner:
    def __init__(self, rows, directory, disk, pace, peers, say):
        self.rows, self.directory, self.disk, self.pace, self.peers, self.say = rows, pathlib.Path(directory), pathlib.Path(disk), pace, peers, say
        self.processes, self.inputs = Processes(), Inputs(self.directory, self.disk, self.run)
        for row in rows:
            self.inputs.expect(row, self.taking_part(row))

    def taking_part(self, row):
        return [name for name in row.peers if name in self.peers]

    # ---- one process ----

    def run(self, name, operation, job, path, row, options):
        peer = PEERS[name]
        job = {**DEFAULTS, **job, **peer.job, "path": str(path)}
        job.setdefault("suffix", SUFFIX[peer.kind])
        if operation in inputs.SOURCES:
            job["source"] = str(self.inputs.get(inputs.source_key(row), row))
        if operation.startswith("stores_"):
            path.mkdir(exist_ok=True)
        if operation == "array_boxes" or operation == "array_fancy" and peer.module == "floor":
            boxes = data.boxes(job.get("kind", "fancy"), job["shape"], job["count"])
            boxes.astype("i8").tofile(self.directory / "boxes")
            job.update(boxes=str(self.directory / "boxes"), count=len(boxes))
        if peer.module == "floor":
            job.update(row.floor)
            if row.make and operation in FLOORS_OF_ARRAYS and not (job.get("zip") or job.get("sets")):
                job["path"] += "/x"
            if row.like:
                job["like"] = str(self.inputs.get(inputs.like_key(row), row))
        return self.processes.run(peer, operation, job, options, alone=row.alone)

    def once(self, row, name, check):
        """The figures of one peer, with the digest of what it read or of what a judge reads of what it wrote."""
        peer = PEERS[name]
        if row.make:
            # Ours may be told how to make a store: such options are of no use where one is read.
            options = row.options if "consolidated" in row.options else ""
            path = self.inputs.get(inputs.file_key(row, peer), row)
            if row.job.get("cold"):
                inputs.forget(path)
            return self.run(name, row.operation, row.job, path, row, options)
        # On a disk outputs stay until the end of the run. ext4 gives no new file the place of one that was deleted in the last minutes, and looks
        # at them all, one by one: peers would pay for the files of those before them.
        stays = row.job.get("disk")
        path = pathlib.Path(tempfile.mkdtemp(dir=self.disk) if stays else self.directory) / f"output{inputs.suffix(peer, row)}"
        try:
            figures = self.run(name, row.operation, row.job, path, row, row.options)
            if check and peer.module != "floor" and row.check:
                judge, more = inputs.judge(row, peer.kind)
                job = {**row.job, **more, "suffix": inputs.SUFFIX[peer.kind]}
                figures["digest"] = [self.run(judge, each, job, path, row, "")["digest"] for each in row.check]
            return figures
        finally:
            if not stays:
                inputs.remove(path)

    # ---- a row ----

    def first_round(self, row, pace):
        """Everything is warm afterwards, results are compared. -> {peer: reason} of those that cannot, {peer: figures}, digest"""
        failed, digests, found = {}, {}, {}
        self.inputs_of(row)
        for name in self.taking_part(row):
            try:
                figures = found[name] = self.once(row, name, check=True)
            except Failed as failure:
                failed[name] = str(failure)
                continue
            pace.took[name] = figures["seconds"]
            if PEERS[name].module != "floor" or row.operation in FLOORS_OF_ARRAYS and name == "floor":
                digests[name] = figures["digest"]
        if len({json.dumps(digest) for digest in digests.values()}) > 1:
            raise SystemExit(f"{row.title}: results differ: {digests}")
        for name in OURS:
            if name in failed:
                raise SystemExit(f"{row.title}: {name}: {failed[name]}")
        return failed, found, next(iter(digests.values()), None)

    def inputs_of(self, row):
        """Before peers are timed. Who cannot make one will fail when it is asked for."""
        for key in inputs.keys(row, self.taking_part(row)):
            try:
                self.inputs.get(key, row)
            except Failed:
                pass

    def row(self, row):
        pace = self.pace.row(row)
        failed, first, expected = self.first_round(row, pace)
        figures = {name: {key: [] for key in KEPT} for name in self.taking_part(row) if name not in failed}

        def keep(name, found):
            for key, values in figures[name].items():
                values.append(found[key])

        for name in figures:
            if pace.is_slow(name):
                keep(name, first[name])
        number = 0
        while names := pace.turn(figures):
            for name in names if number % 2 == 0 else names[::-1]:
                found = self.once(row, name, check=False)
                if row.make and PEERS[name].module != "floor" and found["digest"] != expected:
                    raise SystemExit(f"{row.title}: {name} read something else in round {number + 1}")
                keep(name, found)
            number += 1
        self.inputs.release(row, self.taking_part(row))
        return {"section": row.section, "name": row.name, "job": row.job, "peers": figures, "failed": failed}

    def all(self):
        """Each row's figures, as soon as they are there; then once more those that lie far apart, while there is time."""
        done = []
        for number, row in enumerate(self.rows):
            self.say(f"{number + 1}/{len(self.rows)} {row.title}")
            began = time.monotonic()
            found = self.row(row)
            done.append((report.noise(found["peers"]), time.monotonic() - began, row, found))
            yield found
        for noise, seconds, row, found in sorted(done, key=lambda item: -item[0]):
            if noise > NOISE and seconds < self.pace.seconds_left():
                self.say(f"again, as its figures lie {100 * noise:.0f} % apart: {row.title}")
                self.inputs.expect(row, self.taking_part(row))
                more = self.row(row)
                for name, figures in more["peers"].items():
                    for key, values in figures.items():
                        values += found["peers"].get(name, {}).get(key, [])
                yield more
        self.processes.close()


def say(text):
    print(text, file=sys.stderr, flush=True)
