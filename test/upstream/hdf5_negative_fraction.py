"""Numbers between -1 and 0 become 0, in either byte order."""
import h5py
import numpy

from told import told

with h5py.File("n.h5", "w", driver="core", backing_store=False) as f:
    dataset = f.create_dataset("x", (2,), dtype=">i2")
    dataset[:] = numpy.array([-0.5, -0.25])
    print(dataset[:])
    told(dataset[:].tolist() == [0, 0])
