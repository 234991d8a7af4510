"""The report of a machine: prints each fault as it is found, and writes JUnit's XML for tools/sum_reports.py."""

import collections
import os
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

SHOWN_MAX = 20  # of one case
SHOWN_LENGTH = 500  # of one fault; the report has all


class Report:
    def __init__(self, name):
        self.name, self.began = name, time.monotonic()
        self.cases = collections.OrderedDict()  # case -> [runs, [complaint]]

    def ran(self, case, complaints=(), how=""):
        """`how`: the words that run this one again."""
        entry = self.cases.setdefault(case, [0, []])
        entry[0] += 1
        if complaints:
            entry[1].append(f"{how}: " + " | ".join(complaints))
            if len(entry[1]) <= SHOWN_MAX:
                print(f"{self.name}: {case}: {entry[1][-1][:SHOWN_LENGTH]}", flush=True)

    def finish(self, path):
        """Writes the report, prints a line for each case; the exit status."""
        suite = xml.Element("testsuite", name=self.name, tests=str(len(self.cases)), skipped="0",
                            failures=str(sum(bool(bad) for _, bad in self.cases.values())))
        for case, (runs, bad) in self.cases.items():
            element = xml.SubElement(suite, "testcase", classname=self.name, name=case)
            print(f"{self.name}: {case}: {runs} runs, {len(bad)} bad")
            if bad:
                text = "\n".join(bad)[:50000]
                xml.SubElement(element, "failure").text = "".join(c for c in text if c.isprintable() or c == "\n")
        print(f"{self.name}: {sum(runs for runs, _ in self.cases.values())} runs in {time.monotonic() - self.began:.0f} s")
        if path:
            xml.ElementTree(suite).write(path)
        return 1 if any(bad for _, bad in self.cases.values()) or not self.cases else 0


def workplace(name):
    """A new directory, in memory where there is room for it: thousands of small stores are made and removed."""
    base = os.environ.get("VZ_MACHINES_TMP") or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    return tempfile.mkdtemp(prefix=f"vol-zarr-{name}-", dir=base)


def stop(message):
    print(message, file=sys.stderr)
    sys.exit(2)
