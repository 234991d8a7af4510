"""Points of a virtual dataset are read."""
import h5py
import numpy

from told import told

with h5py.File("v.h5", "w") as f:
    f["x"] = numpy.arange(10, dtype="i4")
    layout = h5py.VirtualLayout((10,), "i4")
    layout[:5], layout[5:] = h5py.VirtualSource(f["x"])[5:], h5py.VirtualSource(f["x"])[:5]
    f.create_virtual_dataset("v", layout)
with h5py.File("v.h5") as f:
    points, values = h5py.h5s.create_simple((10,)), numpy.zeros(3, "i4")
    points.select_elements(numpy.array([[7], [1], [3]]))
    try:
        f["v"].id.read(h5py.h5s.create_simple((3,)), points, values)
    except OSError as error:
        print(error)
    told(values.tolist() == [2, 6, 8])
