"""An image in memory that a connector opens opens in netCDF4, too: this connector's, on HDF5_PLUGIN_PATH."""
import os
import subprocess
import sys

import netCDF4

from told import told

make = "import netCDF4; f = netCDF4.Dataset('one.nc', 'w'); f.createDimension('a', 2); f.createVariable('x', 'f8', ('a',))[:] = 1"
subprocess.run([sys.executable, "-c", make], env={**os.environ, "HDF5_VOL_CONNECTOR": "zarr container=file"}, check=True)
assert list(netCDF4.Dataset("one.nc").variables) == ["x"]
try:
    told(list(netCDF4.Dataset("m", memory=open("one.nc", "rb").read()).variables) == ["x"])
except OSError as error:
    print(error)
    told(False)
