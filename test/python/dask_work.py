"""What programs do with Dask, in an interpreter that has the wheel's package and a cluster of worker processes (`with_workers`).

Each function makes the store at `path` (create=*.zarr with `options`) with Dask's workers, or, where `parallel` is false, in one process and
without Dask's schedulers for several: both stores are to be the same."""

import contextlib
import os
import pathlib

HERE = pathlib.Path(__file__).parent
WORKERS = 3
WHOLE = dict(shape=(96, 64), chunks=(16, 16))  # of what `make` makes
_clients = []
_held = []


def with_workers(**more):
    """The environment of that interpreter, and of its workers."""
    environment = {**os.environ, "PYTHONPATH": f"{HERE / 'workers'}:{HERE}", "PYTHONWARNINGS": "ignore", **more}
    environment.pop("HDF5_VOL_CONNECTOR", None)
    return environment


def client():
    """One cluster serves all tests: starting it costs seconds."""
    if not _clients:
        from distributed import Client, LocalCluster

        cluster = LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0)
        _clients.append(Client(cluster))
    return _clients[0]


def stop():
    while _clients:
        one = _clients.pop()
        one.close()
        one.cluster.close()


def scheduler(parallel):
    import dask

    return dask.config.set(scheduler=client() if parallel else "synchronous")


def enabled(options):
    import vol_zarr

    return vol_zarr.enable("create=*.zarr", options)


def call(work, path, arguments, parallel, keywords):
    work(path, *arguments, parallel, **keywords)


def values(shape, seed=5):
    import numpy

    return numpy.random.default_rng(seed).integers(0, 1000, shape).astype("f8")


def blocks(shape, of):
    import dask.array

    return dask.array.from_array(values(shape), chunks=of)


# ---- who writes ----

_counted = {}


def count_writes():
    """In each worker, from now on."""
    import h5py

    plain = _counted.setdefault("plain", h5py.Dataset.__setitem__)
    _counted["writes"] = 0

    def counting(dataset, index, value):
        _counted["writes"] += 1
        plain(dataset, index, value)

    h5py.Dataset.__setitem__ = counting


def writes_here():
    return _counted["writes"]


def by_several(work, path, arguments, keywords):
    """Work that this process gives to its workers: in how many of them elements were written."""
    client().run(count_writes)
    work(path, *arguments, True, **keywords)
    return sum(count > 0 for count in client().run(writes_here).values())


# ---- each way to write ----


def store(path, options, parallel, shape, chunks, of, lock=False):
    """da.store() into a dataset of an open file."""
    import dask.array
    import h5py

    with enabled(options), scheduler(parallel), h5py.File(path, "w") as f:
        target = f.create_dataset("g/x", shape, "f8", chunks=chunks)
        target.attrs["unit"] = "mV"
        dask.array.store(blocks(shape, of) + 1, target, lock=lock)
        assert (target[...] == values(shape) + 1).all()


def store_again(path, of, times):
    """Into a store that is there, by blocks that share its chunks; each time other values. What is left is told."""
    import dask.array
    import h5py
    import numpy

    for time in range(times):
        with scheduler(True), h5py.File(path, "r+") as f:
            shape = f["g/x"].shape
            dask.array.store(blocks(shape, of) * (time + 2), f["g/x"], lock=False)
        with h5py.File(path) as f:
            wrong = numpy.argwhere(f["g/x"][...] != values(shape) * (time + 2))
        if len(wrong):
            return f"{len(wrong)} elements at the {time + 1}. time: {wrong[:5].tolist()}"
    return None


def to_hdf5(path, options, parallel):
    import dask.array

    x, y = blocks((60, 40), (20, 20)), blocks((90,), (30,))
    with enabled(options), scheduler(parallel):
        dask.array.to_hdf5(path, {"/a/x": x, "/y": y.sum(keepdims=True) + y})


def write_h5ad(path, options, parallel):
    """Dense and sparse matrices by blocks, which are not those of the chunks. AnnData has workers compute the sparse ones, and writes all of it in
    the calling process (its da.store() says scheduler="threads")."""
    import anndata
    import dask.array
    import pandas
    import scipy.sparse

    dense = values((100, 30))
    sparse = dask.array.from_array(dense % 7 * (dense % 5 == 0), chunks=(30, 30)).map_blocks(scipy.sparse.csr_matrix)
    data = anndata.AnnData(dask.array.from_array(dense, chunks=(30, 11)), obs=pandas.DataFrame(index=[f"c{i}" for i in range(100)]),
                           layers={"counts": sparse}, obsm={"pca": dask.array.from_array(dense[:, :3], chunks=(17, 3))})
    with enabled(options), scheduler(parallel):
        data.write_h5ad(path)


def write_h5ad_and_x(path, options, parallel):
    """All but X by AnnData, X by the workers."""
    import anndata
    import dask.array
    import h5py
    import pandas

    x = blocks((100, 30), (30, 11))
    names = pandas.DataFrame(index=[f"c{i}" for i in range(100)])
    with enabled(options), scheduler(parallel):
        anndata.AnnData(obs=names, var=pandas.DataFrame(index=[f"g{i}" for i in range(30)])).write_h5ad(path)
        with h5py.File(path, "r+") as f:
            if "X" in f:
                del f["X"]
            target = f.create_dataset("X", x.shape, x.dtype, chunks=(32, 16))
            target.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
            dask.array.store(x, target, lock=False)


def read_lazy(path):
    """Sums of what write_h5ad() wrote, computed by the workers."""
    import anndata
    import h5py

    with scheduler(True), h5py.File(path) as f:
        data = anndata.experimental.read_lazy(f)
        return float(data.X.sum().compute()), float(data.layers["counts"].compute().sum()), float((data.obsm["pca"] * 2).sum().compute())


def to_netcdf(path, options, parallel, compute=True):
    import numpy
    import xarray

    set_ = xarray.Dataset({"t": (("time", "x"), blocks((70, 40), (20, 40))), "m": (("x",), blocks((40,), (15,)))},
                          coords={"time": numpy.arange(70)}, attrs={"title": "by blocks"})
    with enabled(options), scheduler(parallel):
        later = set_.to_netcdf(path, engine="h5netcdf", encoding={"t": {"chunksizes": (16, 16)}}, compute=compute)
        if not compute:
            later.compute()


# ---- tasks that open the store themselves ----


def put_row(path, row, lines):
    import h5py
    import numpy

    with h5py.File(path, "r+") as f:
        f["g/x"][row:row + lines] = numpy.full((lines, f["g/x"].shape[1]), float(row))


def put_rows(path, lines):
    """Each task writes rows of its own, and changes no document."""
    import h5py

    with h5py.File(path) as f:
        rows = range(0, f["g/x"].shape[0], lines)
    client().gather([client().submit(put_row, path, row, lines, pure=False) for row in rows])
    return len(rows)


def add(path, number):
    import h5py

    with h5py.File(path, "r+") as f:
        f.attrs[f"task{number}"] = number
        f[f"tasks/{number}/result"] = [number] * 3


def add_all(path, count):
    """Each task writes an attribute of the root, and a group of its own."""
    client().gather([client().submit(add, path, number, pure=False) for number in range(count)])


def hold(path):
    """Opens the store here, until write_held."""
    import h5py

    _held.append(h5py.File(path, "r+"))


def write_held(value):
    """Elements, and no document, by the one that was first to open the store and is the last to close it."""
    with _held.pop() as f:
        f["g/x"][:8] = value


def fail_later(path):
    """A dataset that is sent is written while the bucket refuses: the task must tell."""
    import h5py

    with h5py.File(path, "r+") as f:
        future = client().submit(_put, f["g/x"], pure=False)
        try:
            future.result(timeout=120)
        except OSError as error:
            return str(error)
    return None


def _put(dataset):
    dataset[:] = 7


def pickled(path, options):
    import pickle

    import h5py
    import vol_zarr

    with vol_zarr.enable(options), h5py.File(path) as f:
        return pickle.dumps(f["g/x"])


def total_of(sent):
    import pickle

    return float(pickle.loads(sent)[...].sum())


# ---- in the process of the tests ----


@contextlib.contextmanager
def interpreter():
    """One with a cluster, which ends with it."""
    from interpreter import Interpreter

    running = Interpreter(with_workers())
    try:
        yield running
        running.run(stop)
    finally:
        running.stop()


def both(running, work, many, one, arguments, keywords):
    """Two stores made by the same work: by workers, of which several write, and by one process."""
    writers = running.run(by_several, work, str(many), arguments, keywords)
    assert writers > 1 or work is write_h5ad, f"elements were written in {writers} of {WORKERS} workers"
    running.run(call, work, str(one), arguments, False, keywords)


def make(running, path, options):
    """A store of one dataset, by one process."""
    running.run(call, store, str(path), (options,), False, dict(WHOLE, of=WHOLE["shape"]))
