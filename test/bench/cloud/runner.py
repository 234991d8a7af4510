"""The rows, measured: each peer in an interpreter of its own, in turns; a figure counts when everybody read the same."""

import json
import subprocess
import sys

from . import data
from .child import LEFT_OUT
from .peers import OURS, PEERS, command
from .places import BUCKET, ROOT

LONG = 15  # seconds: what takes longer is not repeated
TOO_LONG = 120  # who would take longer is not asked
FAR_RATE = 90_000_000  # bytes a second of one connection, where there is a delay: what AWS tells of S3


class Worker:
    """One peer's process for one row; None as `process` where it has no such row."""

    def __init__(self, peer, row, url, count):
        self.peer, self.url, self.process = peer, url, None
        words = command(peer, row, url, count)
        if not words:
            return
        self.process = subprocess.Popen(words[0], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=words[1])
        if self.process.stdout.readline() != "ready\n":
            self.end()

    def end(self):
        said = self.process.communicate()[1].strip().splitlines()
        if self.process.returncode != LEFT_OUT:
            told = f"{self.peer.title}: {said[-1] if said else 'no word'}"
            if self.peer.connector:
                raise SystemExit(told)
            print(f"[bench] left out: {told}", file=sys.stderr)
        self.process = None

    def once(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            self.end()
        return json.loads(answer) if answer else None


def empty(judge, url):
    """Deletes what an earlier run left: everybody writes where nothing is."""
    keys = [url.removeprefix(f"s3://{BUCKET}/") + "/" + key for key in judge.keys(url)]
    for at in range(0, len(keys), 1000):
        judge.client.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": key} for key in keys[at:at + 1000]], "Quiet": True})


def too_long(rows, name, ms, count):
    """Titles of those who would, as they did with a shorter delay: what a row took grows with its round trips."""
    titles = set()
    for row in (row for row in rows if row["name"] == name):
        titles |= set(row["too_long"])
        for title, found in row["peers"].items():
            each = (min(found["seconds"]) + found["trips"] * (ms - row["ms"]) / 1000) / row["count"]
            titles |= {title} if each * count > TOO_LONG else set()
    return titles


def is_store(title):
    return not title.startswith("h5py")


def measure(proxy, judge, row, ms, rounds, peers, count):
    """{"name", "ms", "count", "too_long": [], "peers": {title: {"seconds": [...], "requests", "trips"}}}"""
    found, digests, workers = {}, {}, []
    for number, title in enumerate(PEERS):
        if title in peers:
            workers.append(Worker(PEERS[title], row, f"{ROOT}{'nwb' if row.endswith('NWB') else 'out'}-{number}.zarr", count))
    for _ in range(rounds):
        for worker in workers:
            title = worker.peer.title
            if not worker.process or (title in found and max(found[title]["seconds"]) > LONG):
                continue
            if row.startswith("write"):
                empty(judge, worker.url)
            proxy.clear()
            proxy.latency(ms, FAR_RATE if ms else 0)
            answer = worker.once()
            log = proxy.log()
            proxy.clear()
            if not answer:
                found.pop(title, None)
                continue
            one = found.setdefault(title, {"seconds": []})
            one["seconds"].append(answer["seconds"])
            one |= {"requests": len(log), "trips": log.rounds()}
            digests[title] = answer["digest"]
    if len(set(digests.values())) > 1:
        raise SystemExit(f"{row}: results differ: {digests}")
    for worker in workers:
        if worker.process:
            worker.process.communicate()
        if row.startswith("write") and worker.peer.title in found and is_store(worker.peer.title):
            written = data.check_written(judge, row, worker.url)
            if written is not None and written != count:
                raise SystemExit(f"{row}: {worker.peer.title} wrote {written} of {count}")
    if OURS in peers and OURS not in found:
        raise SystemExit(f"{row}: {OURS} did not do it")
    return {"name": row, "ms": ms, "count": count, "too_long": [], "peers": found}
