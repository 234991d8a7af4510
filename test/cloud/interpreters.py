"""Interpreters that run beside the test's own, one for each value of HDF5_VOL_CONNECTOR."""

import pathlib

from interpreter import Interpreter
from places import with_connector

HERE = str(pathlib.Path(__file__).parent)


def interpreters():
    """For a fixture: yields interpreter_of(value of HDF5_VOL_CONNECTOR), and stops those that were asked for."""
    running = {}

    def interpreter_of(options):
        if options not in running:
            running[options] = Interpreter(with_connector(options), f"import sys; sys.path.insert(0, {HERE!r})")
        return running[options]

    yield interpreter_of
    for each in running.values():
        each.stop()
