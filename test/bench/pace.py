"""How many rounds each peer of a row takes part in: as many as were asked for, or as the row's part of so many minutes has room for.

With minutes: figures of less than SHORT seconds are taken MANY times, others FEW times. A peer whose process takes longer than SLOW seconds
(less where a row has less than six times that) counts from the first round on and goes on only while there is time; so each one has one
figure at least. What is left goes to rows whose figures lie apart by more than NOISE, and to the rows behind."""

import json
import pathlib
import time

from . import report

FEW, MANY, MOST = 3, 5, 15
SHORT, SLOW = 0.3, 4.0  # seconds
NOISE = 0.15
LAST_RUN = pathlib.Path(__file__).parents[2] / "docs" / "performance" / "figures.json"
PROCESS_SECONDS = 0.4  # that a process takes beside what is measured


class RowPace:
    def __init__(self, rounds=None, seconds=None):
        self.rounds, self.end = rounds, seconds and time.monotonic() + seconds
        self.slow_from = seconds and min(SLOW, max(SLOW / 4, seconds / 6))
        self.took = {}  # seconds of a peer's process in the first round

    def is_slow(self, name):
        return self.rounds is None and self.took[name] > self.slow_from

    def wants(self, name, figures):
        number = len(figures["wall"])
        if self.rounds is not None:
            return number < self.rounds
        short = number > 0 and report.median(figures) < SHORT
        if number < (1 if self.is_slow(name) else FEW):
            return True
        return number < (MANY if short else FEW) and self.has(self.took[name])

    def has(self, seconds):
        return seconds < self.end - time.monotonic()

    def turn(self, peers):
        """Who takes part in the next round; nobody: the row is done."""
        wanting = [name for name, figures in peers.items() if self.wants(name, figures)]
        if wanting or self.rounds is not None:
            return wanting
        again = [name for name in peers if not self.is_slow(name) and len(peers[name]["wall"]) < MOST]
        if report.noise(peers) > NOISE and self.has(sum(self.took[name] for name in again)):
            return again
        return []


class Pace:
    def __init__(self, rows, size="", rounds=None, minutes=None):
        self.rounds, self.end = rounds, minutes and time.monotonic() + 60 * minutes
        self.left = [row.title for row in rows]
        self.costs = costs_of_last_run(size)

    def cost(self, title):
        return self.costs.get(title, sum(self.costs.values()) / max(1, len(self.costs)) or 1)

    def seconds_left(self):
        return max(0, self.end - time.monotonic()) if self.end else 0

    def row(self, row):
        """Of a row, which is done afterwards. Its part of the time that is left is as large as its part of what the rows that are left took at
        the last run; a row that is done once more may have all of it."""
        if self.end is None:
            return RowPace(rounds=self.rounds)
        if row.title not in self.left:
            return RowPace(seconds=max(1, self.seconds_left()))
        part = self.cost(row.title) / sum(map(self.cost, self.left))
        self.left.remove(row.title)
        return RowPace(seconds=max(1, self.seconds_left() * part))


def costs_of_last_run(size):
    """{title: seconds of one round}, if its rows had that size."""
    last = json.loads(LAST_RUN.read_text()) if LAST_RUN.exists() else {"size": None}
    if size != last["size"]:
        return {}
    return {f"{row['section']}: {row['name']}": sum(report.median(figures) + PROCESS_SECONDS for figures in row["peers"].values()) for row in last["rows"]}
