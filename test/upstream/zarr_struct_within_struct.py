"""A format 2 array of a structure with a structure in it opens, and does not hide the group that it is in."""
import json
import os

import zarr

from told import told

os.makedirs("s.zarr/a")
json.dump({"zarr_format": 2}, open("s.zarr/.zgroup", "w"))
json.dump({"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": [["p", [["x", "<f8"], ["y", "<f8"]]]], "compressor": None, "fill_value": None,
           "filters": None, "order": "C"}, open("s.zarr/a/.zarray", "w"))
try:
    told(list(zarr.open_group("s.zarr", mode="r")) == ["a"])
except ValueError as error:
    print(error)
    told(False)
