"""The offset of a selection counts in a virtual dataset, as in an ordinary one, and in a stored region."""
import h5py
import numpy

from told import told


def moved():
    space = h5py.h5s.create_simple((8,))
    space.select_hyperslab((0,), (2,))
    space.offset_simple((3,))
    return space


with h5py.File("v.h5", "w") as f:
    f["x"] = numpy.arange(8, dtype="i4")
    layout = h5py.VirtualLayout((8,), "i4")
    layout[:] = h5py.VirtualSource(f["x"])
    f.create_virtual_dataset("v", layout)
    region = h5py.h5r.create(f.id, b"x", h5py.h5r.DATASET_REGION, moved())
    bounds = h5py.h5r.get_region(region, f.id).get_select_bounds()
with h5py.File("v.h5") as f:
    read = {}
    for name in "x", "v":
        values = numpy.zeros(2, "i4")
        f[name].id.read(h5py.h5s.create_simple((2,)), moved(), values)
        read[name] = values.tolist()
    print(read, bounds)
    told(read == {"x": [3, 4], "v": [3, 4]} and bounds == ((3,), (4,)))
