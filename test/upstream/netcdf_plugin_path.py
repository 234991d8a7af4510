"""netCDF4's own filters are there, whatever HDF5_PLUGIN_PATH names for others."""
import os

os.environ["HDF5_PLUGIN_PATH"] = os.getcwd()

import netCDF4  # noqa: E402

from told import told  # noqa: E402

with netCDF4.Dataset("z.nc", "w") as f:
    f.createDimension("a", 3)
    try:
        f.createVariable("x", "f8", ("a",), compression="zstd")[:] = [1, 2, 3]
        told(True)
    except RuntimeError as error:
        print(error)
        told(False)
