"""toy. A file that the plugin search opened belongs to the connector that opened it."""
import ctypes

import h5py

from told import told

open("x.toy", "w").write("toy")
library = next(line.split()[-1] for line in open("/proc/self/maps") if "libhdf5" in line and "_hl" not in line)
hdf5 = ctypes.CDLL(library)
hdf5.H5Fopen.restype, hdf5.H5Fopen.argtypes = ctypes.c_int64, [ctypes.c_char_p, ctypes.c_uint, ctypes.c_int64]
hdf5.H5VLget_connector_name.argtypes = [ctypes.c_int64, ctypes.c_char_p, ctypes.c_size_t]
h5py.h5.get_libversion()
file, name = hdf5.H5Fopen(b"x.toy", 0, 0), ctypes.create_string_buffer(20)
hdf5.H5VLget_connector_name(file, name, 20)
print(f"H5VLget_connector_name: {name.value.decode()}")
told(name.value == b"toy")
if name.value != b"toy":
    import os

    os._exit(0)  # closing would crash
