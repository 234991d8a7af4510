"""What programs find that the tests of the wheel run: nothing of the caller's is set that changes HDF5, Python or the package."""

import os
import sys

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("HDF5_", "VOL_ZARR", "PYTHON"))}
STRICT = ["-W", "error"]  # a warning of the package ends a test
EXPERIMENTAL = "ignore:vol_zarr on macOS is experimental:UserWarning"  # but for this one, which a Mac gives each time
if sys.platform == "darwin":
    ENVIRONMENT["PYTHONWARNINGS"] = EXPERIMENTAL
    STRICT += ["-W", EXPERIMENTAL]
