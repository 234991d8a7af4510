"""A group is not moved into itself."""
import h5py

from told import told

with h5py.File("m.h5", "w", driver="core", backing_store=False) as f:
    f["g/sub/x"] = 1
    try:
        f.move("g", "g/sub/g")
    except ValueError:
        pass
    print(list(f))
    told(list(f) == ["g"])
