"""Running MPI programs so that a machine with two cores suffices, and so that none can hang."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "-n"],
    "mpich": ["mpirun.mpich", "-n"],
}
# Ranks that wait for others let these run: on two cores six ranks of MPICH are twenty times as fast with it.
SETTINGS = {
    "openmpi": {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                "OMPI_MCA_btl": "self,sm"},
    "mpich": {"UCX_TLS": "self,posix,sysv,cma", "UCX_LOG_LEVEL": "error", "MPIR_CVAR_POLLS_BEFORE_YIELD": "10",
              "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"},
}
TO_END = 15  # seconds that a launcher has to end its ranks


class Outcome:
    def __init__(self, status, text, seconds):
        self.status, self.text, self.seconds = status, text, seconds  # status None: it hung

    @property
    def passed(self):
        return self.status == 0

    def first_failure(self):
        """Where the first check of an HDF5 test failed, FILE:LINE; else what else is known of the end."""
        found = re.search(r"at line +(?P<line>\d+) in \S*?(?P<file>[a-z0-9_]+\.c)", self.text)
        found = found or re.search(r"^ +at \S*?(?P<file>[a-z0-9_]+\.c):(?P<line>\d+) in ", self.text, re.M)
        if found:
            return f"{found['file']}:{found['line']}"
        if self.status is None:
            return "hangs"
        return "pass" if self.passed else f"exit {self.status}"


def end(process):
    for number, seconds in (signal.SIGTERM, TO_END), (signal.SIGKILL, None):
        try:
            os.killpg(process.pid, number)
            return process.wait(seconds)
        except ProcessLookupError:
            return process.wait()
        except subprocess.TimeoutExpired:
            continue


def run(words, seconds, directory, variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HDF5_")} | variables
    began = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(words, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   start_new_session=True)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            end(process)
            status = None
        output.seek(0)
        text = output.read().decode(errors="replace")
    return Outcome(status, text, time.monotonic() - began)


class Runner:
    """Runs programs of one MPI, natively or, where `plugin` is given, through the connector."""

    def __init__(self, mpi, programs, plugin=None, connector="zarr", more=None):
        self.mpi, self.programs, self.plugin, self.connector, self.more = mpi, pathlib.Path(programs), plugin, connector, more or {}

    def variables(self):
        if self.plugin is None:
            return self.more
        return self.more | {"HDF5_PLUGIN_PATH": str(self.plugin), "HDF5_VOL_CONNECTOR": self.connector}

    def mpirun(self, ranks, words, seconds, directory, **more):
        words = LAUNCHERS[self.mpi] + [str(ranks)] + [str(word) for word in words]
        return run(words, seconds, directory, SETTINGS[self.mpi] | self.variables() | more)

    def program(self, ranks, name, *arguments, seconds=120, **more):
        """A program in a directory of its own, as tests leave files behind."""
        directory = tempfile.mkdtemp(prefix="vz-mpi-")
        try:
            return self.mpirun(ranks, [self.programs / name, *arguments], seconds, directory, **more)
        finally:
            shutil.rmtree(directory, ignore_errors=True)
