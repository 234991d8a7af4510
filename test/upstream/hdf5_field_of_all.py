"""A field of all elements is written to a contiguous dataset that was never written: the other fields lose their fill value."""
import h5py
import numpy

from told import told

with h5py.File("n.h5", "w", driver="core", backing_store=False) as f:
    kind = numpy.dtype([("a", "<i2"), ("b", "<f4")])
    dataset = f.create_dataset("x", (3,), kind, fillvalue=numpy.array((31, 2.5), kind))
    dataset["b"] = numpy.full(3, 40, "f4")
    print(dataset[:])
    told(dataset["a"].tolist() == [31, 31, 31])
