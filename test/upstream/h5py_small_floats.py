"""A compound with a float of one byte is read into an array that has room for it."""
import h5py

from told import told

small = h5py.h5t.IEEE_F16LE.copy()
small.set_fields(7, 4, 3, 0, 3)
small.set_size(1)
small.set_ebias(7)
compound = h5py.h5t.create(h5py.h5t.COMPOUND, 2)
compound.insert(b"a", 0, small)
compound.insert(b"b", 1, h5py.h5t.STD_U8LE)
dtype = compound.dtype
print(dtype)
told(dtype.fields["a"][1] + dtype.fields["a"][0].itemsize <= dtype.fields["b"][1])  # reading corrupts the heap
