"""A chunk that was written with a filter mask is read by the handle that wrote it."""
import h5py
import numpy

from told import told

with h5py.File("d.h5", "w") as f:
    dataset = f.create_dataset("x", (4,), "u1", chunks=(4,), compression="gzip")
    dataset.id.write_direct_chunk((0,), numpy.arange(4, dtype="u1").tobytes(), filter_mask=1)
    try:
        told(dataset[:].tolist() == [0, 1, 2, 3])
    except OSError as error:
        print(error)
        told(False)
