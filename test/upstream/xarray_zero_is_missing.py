"""Zeros of an integer array that zarr-python wrote are zeros in xarray."""
import warnings

import xarray
import zarr

from told import told

warnings.simplefilter("ignore")
array = zarr.open_group("x.zarr", mode="w", zarr_format=2).create_array("n", shape=(3,), dtype="i4")
array[:] = [0, 1, 2]
array.attrs["_ARRAY_DIMENSIONS"] = ["t"]
values = xarray.open_zarr("x.zarr", consolidated=False).n.values
print(values)
told(values.tolist() == [0, 1, 2])
