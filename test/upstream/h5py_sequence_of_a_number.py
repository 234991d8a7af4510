"""A number where a sequence belongs is an exception, or a sequence of one."""
import h5py

from told import told

with h5py.File("s.h5", "w", driver="core", backing_store=False) as f:
    dataset = f.create_dataset("x", (4,), dtype=h5py.vlen_dtype("i4"))
    try:
        dataset[0] = 3
    except (TypeError, ValueError):
        pass
    told(True)
