"""HDF5 1.10, and older, which knows filters alone: it asks each library of the plugin path what it is, takes the answer for a filter's
description, whose second number is the filter's, and stops looking where there is none. (Tried with Debian 12's h5dump and a filter behind
the plugin in its path.)"""

import os
import subprocess
import sys

from places import PLUGIN_DIR

PROGRAM = """
import ctypes, sys
module = ctypes.CDLL(sys.argv[1])
module.H5PLget_plugin_info.restype = ctypes.POINTER(ctypes.c_int * 2)
print(module.H5PLget_plugin_info().contents[1])
"""


def test_is_passed_over():
    """No HDF5 with connectors is in the process: a number that no filter has, and not a word."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, f"{PLUGIN_DIR}/libH5VLzarr.so"], capture_output=True, text=True, env=dict(os.environ))
    assert (done.returncode, done.stdout, done.stderr) == (0, "-1\n", "")
