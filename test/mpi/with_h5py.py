"""What h5py's documentation shows of parallel files, done by all ranks on a store; the judge looks at what is left.

    mpirun -n RANKS python3 with_h5py.py STORE
"""

import sys

import h5py
import numpy
from mpi4py import MPI

WIDE = 7  # of a rank; chunks are 5, so that ranks share them

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
mine = slice(rank * WIDE, (rank + 1) * WIDE)
values = numpy.arange(WIDE) + 100 * rank

with h5py.File(sys.argv[1], "w", driver="mpio", comm=world) as f:
    assert f.driver == "mpio"
    f.attrs["ranks"] = ranks
    group = f.create_group("group")
    together = group.create_dataset("together", (3, ranks * WIDE), chunks=(2, 5), dtype="i4", compression="gzip", fillvalue=-1)
    with together.collective:
        together[1, mine] = values
    alone = f.create_dataset("alone", (ranks * WIDE,), dtype="f8", chunks=(5,))
    alone[mine] = values
    with together.collective:
        assert (together[1].reshape(ranks, WIDE) == numpy.arange(WIDE) + 100 * numpy.arange(ranks)[:, None]).all()
    f.flush()
    world.Barrier()
    assert (alone[...] == together[1]).all()

with h5py.File(sys.argv[1], "a", driver="mpio", comm=world) as f:
    f["group"].move("together", "moved")
    grown = f.create_dataset("grown", (2, ranks), maxshape=(None, ranks), chunks=(2, 2), dtype="i8", fillvalue=5)
    grown.resize(4, axis=0)
    with grown.collective:
        grown[3, rank : rank + 1] = rank
    f.create_dataset("dropped", (4,), dtype="i4")
    del f["dropped"]
    grown.attrs["unit"] = "m"

with h5py.File(sys.argv[1], "r", driver="mpio", comm=world) as f:
    assert sorted(f) == ["alone", "group", "grown"] and list(f["group"]) == ["moved"]
    with f["grown"].collective:
        assert (f["grown"][...] == [[5] * ranks] * 3 + [list(range(ranks))]).all()
