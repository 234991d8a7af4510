"""A tool that was told to use a connector which is not there does not go on without it, with status 0."""
import os
import subprocess

from told import told

done = subprocess.run([os.environ["VZ_HDF5"] + "/bin/h5mkgrp", "k.h5", "g"], env={**os.environ, "HDF5_VOL_CONNECTOR": "missing"}, stderr=subprocess.DEVNULL)
print("status", done.returncode, "and", os.listdir("."))
told(done.returncode != 0)
