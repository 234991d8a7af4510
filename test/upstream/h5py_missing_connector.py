"""h5py without a library that started raises an exception: it neither dies nor goes on."""
import os
import signal
import subprocess
import sys

from told import told

done = subprocess.run([sys.executable, "-c", "import h5py; h5py.File('k.h5', 'w')"], env={**os.environ, "HDF5_VOL_CONNECTOR": "missing"},
                      stderr=subprocess.DEVNULL)
print("died" if done.returncode == -signal.SIGSEGV else f"status {done.returncode}")
told(done.returncode == 1)
