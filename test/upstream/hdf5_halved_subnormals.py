"""A number that is rounded up to a subnormal power of two becomes that power of two."""
import h5py
import numpy

from told import told

kind = h5py.h5t.IEEE_F32LE.copy()  # the float of 8 bits that HDF5 2.0 calls H5T_FLOAT_F8E5M2
kind.set_fields(7, 2, 5, 0, 2)
kind.set_size(1)
kind.set_ebias(15)
with h5py.File("n.h5", "w", driver="core", backing_store=False) as f:
    dataset = h5py.Dataset(h5py.h5d.create(f.id, b"x", kind, h5py.h5s.create_simple((2,))))
    dataset[:] = numpy.array([2.0 ** -15, 1.9 * 2.0 ** -16], "f4")
    print(dataset[:] * 2.0 ** 15)
    told(dataset[:].tolist() == [2.0 ** -15, 2.0 ** -15])
