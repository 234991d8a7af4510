"""The text of a fill value that was asked for is the caller's own: two answers are two texts."""
import h5py
import numpy

from told import told

plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
dtype = numpy.dtype([("a", "i4"), ("s", h5py.string_dtype())])
plist.set_fill_value(numpy.array((1, b"text" * 10), dtype))
for _ in range(2):
    value = numpy.zeros((), dtype)
    plist.get_fill_value(value)
    del value
del plist  # HDF5 frees the text that the caller has freed
told(True)
