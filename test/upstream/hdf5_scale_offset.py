"""What the filter scale-offset wrote it reads, also where it saves no bit."""
import h5py
import numpy

from told import told

with h5py.File("s.h5", "w") as f:
    f.create_dataset("x", data=numpy.array([0, 253, 1, 252, 7, 6, 5, 4, 3, 2], "u1"), chunks=(10,), scaleoffset=0)
with h5py.File("s.h5") as f:
    try:
        told(f["x"][:2].tolist() == [0, 253])
    except OSError as error:
        print(error)
        told(False)
