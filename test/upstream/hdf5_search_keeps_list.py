"""toy. The access list that the plugin search makes is given back: a Python file object behind it is let go."""
import gc
import io
import os
import weakref

import h5py
from h5py._hl.files import make_fapl

from told import told


class Named(io.BytesIO):
    def __repr__(self):
        return "x.toy"


data = Named(b"no HDF5 file" * 100)
watched = weakref.ref(data)
access = make_fapl("fileobj", None, None, None, None, fileobj=data)
file = h5py.h5f.open(b"x.toy", h5py.h5f.ACC_RDONLY, fapl=access)
if h5py.version.hdf5_version_tuple < (2, 0, 0):
    file.close()  # 2.x would crash here, see hdf5_search_registers.py
del access, data
gc.collect()
told(watched() is None)
os._exit(0)  # at exit HDF5 would call into a Python that is gone
