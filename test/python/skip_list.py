"""pytest plugin: a test may be skipped only where skips.txt says so. Any other skip fails, and a line of the list that must
hold in this environment and was not met fails the run: so a package that is lost does not leave the suite green.

Each line of the list: MUST-OR-MAY WHERE FILE REASON. WHERE are words joined by commas, all of which must be true here: see
`facts`. FILE is a shell pattern for the test's file, REASON one for what the skip says.
"""

import fnmatch
import importlib.util
import os
import pathlib
import shutil
import sys

import pytest

LIST = pathlib.Path(__file__).with_name("skips.txt")


class Line:
    def __init__(self, number, text):
        words = text.split(None, 3)
        if len(words) < 4 or words[0] not in ("must", "may"):
            raise pytest.UsageError(f"{LIST}:{number}: want must|may WHERE FILE REASON")
        self.number, self.must, self.where, self.file, self.reason = number, words[0] == "must", *words[1:]
        self.met = False

    def holds(self, true_here):
        unknown = [word for word in self.where.split(",") if word.removeprefix("not-") not in FACTS]
        if unknown:
            raise pytest.UsageError(f"{LIST}:{self.number}: unknown word {unknown[0]}")
        return all(word in true_here for word in self.where.split(","))

    def fits(self, file, reason):
        return fnmatch.fnmatchcase(file, self.file) and fnmatch.fnmatchcase(reason, self.reason)


def has(module):
    return importlib.util.find_spec(module) is not None


def is_hdf5_2():
    import h5py

    return h5py.version.hdf5_version_tuple >= (2, 0, 0)


# What can be said of an environment. Each word may also stand with "not-" before it.
FACTS = {
    "everywhere": lambda: True,
    "hdf5-2": is_hdf5_2,
    "nwb": lambda: has("pynwb"),            # the environment of hdmf-zarr, with zarr-python 2
    "whole": lambda: has("tables") and has("netCDF4"),  # the environment that has every other program
    "py311": lambda: sys.version_info < (3, 12),
    "shared": lambda: (pathlib.Path(os.environ.get("VZ_SHARED") or "/nowhere") / "data").exists(),
    "root": lambda: os.geteuid() == 0,
    "portable": lambda: os.environ.get("VZ_PRESET") == "portable",  # the filter of test/machines/portable
    "r": lambda: shutil.which("Rscript") is not None,
}


def here():
    return {word if fact() else f"not-{word}" for word, fact in FACTS.items()}


def read_list():
    lines = LIST.read_text().splitlines()
    return [Line(number, text) for number, text in enumerate(lines, 1) if text.strip() and not text.startswith("#")]


class SkipList:
    def __init__(self):
        true_here = here()
        self.lines = [line for line in read_list() if line.holds(true_here)]
        self.collected = set()

    def allows(self, file, reason):
        fitting = [line for line in self.lines if line.fits(file, reason)]
        for line in fitting:
            line.met = True
        return bool(fitting)

    def judge(self, report):
        """Makes a failure of a skip that nobody listed."""
        if not report.skipped or hasattr(report, "wasxfail"):
            return
        file = pathlib.PurePath(report.nodeid.split("::", 1)[0]).name
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not self.allows(file, reason):
            report.outcome = "failed"
            report.longrepr = f"skipped, but {LIST.name} has no line for it here: {file}: {reason}"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item):
        report = yield
        self.judge(report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector):
        report = yield
        if isinstance(collector, pytest.Module):
            self.collected.add(collector.path.name)
            self.judge(report)
        return report

    def unmet(self):
        """Lines that must hold and were not met, of files that were run."""
        return [line for line in self.lines
                if line.must and not line.met and fnmatch.filter(self.collected, line.file)]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        config = session.config
        chosen = config.option.keyword or config.option.markexpr or any("::" in word for word in config.args)
        if exitstatus != 0 or chosen or session.shouldstop or session.shouldfail:
            return
        self.left = self.unmet()
        if self.left:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        for line in getattr(self, "left", ()):
            terminalreporter.write_line(f"{LIST.name}:{line.number}: no test was skipped for this: {line.reason}", red=True)
