"""h5py's objects of stores in other processes: each program is run as a user would, and zarr-python says what the store has then."""

import subprocess
import sys
import textwrap

import pytest

from surroundings import ENVIRONMENT

BEGIN = """
import h5py, numpy, vol_zarr, zarr

SHAPE, CHUNKS = (100, 8), (20, 8)
X = numpy.arange(800.0).reshape(SHAPE)

def stored(path, name):
    return zarr.open_group(path, mode="r")[name][...]

def make(path, data=X):
    file = h5py.File(path, "w")
    file.create_dataset("x", data=data, chunks=CHUNKS)
    return file

def total(dataset):
    return float(dataset[...].sum())

def put(dataset, row):
    dataset[row] = row

def main():
    vol_zarr.enable("create=*.zarr")
"""
END = """
if __name__ == "__main__":
    main()
"""


@pytest.fixture
def program(tmp_path):
    def run(body, **variables):
        (tmp_path / "program.py").write_text(BEGIN + textwrap.indent(textwrap.dedent(body), "    ") + END)
        done = subprocess.run(
            [sys.executable, "program.py"], cwd=tmp_path, env={**ENVIRONMENT, **variables}, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines()

    return run


def test_files_groups_datasets_and_types(program):
    lines = program("""
        import pickle
        with make("s.zarr") as f:
            f["g/t"] = numpy.dtype("i4")
            for thing in (f, f["g"], f["x"], f["g/t"]):
                other = pickle.loads(pickle.dumps(thing))
                print(type(other).__name__, other.name, other.file.mode, other == thing)
    """)
    assert lines == ["File / r+ True", "Group /g r+ True", "Dataset /x r+ True", "Datatype /g/t r+ True"]


@pytest.mark.parametrize("mode", ["r", "r+"])
def test_hdf5_files_refuse(program, mode):
    """In the words of h5py without us, which are of the same type of error."""
    lines = program(f"""
        import pickle
        make("n.h5").close()
        with h5py.File("n.h5", "{mode}") as f:
            for thing in (f, f["/"], f["x"]):
                try:
                    pickle.dumps(thing)
                except TypeError as error:
                    print(str(error)[:32])
    """)
    assert lines == ["h5py objects cannot be pickled, "] * 3


def test_what_was_not_flushed_is_sent(program):
    lines = program("""
        import multiprocessing
        with make("s.zarr") as f, multiprocessing.get_context("spawn").Pool(1) as pool:
            f["x"][3] = -1
            print(pool.apply(total, (f["x"],)) == f["x"][...].sum())
    """)
    assert lines == ["True"]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("automatic", ["1", "0"])
def test_multiprocessing(program, method, automatic):
    """Rows are written by other processes, of chunks that they share one after the other."""
    lines = program(
        f"""
        import multiprocessing
        with make("s.zarr") as f, multiprocessing.get_context("{method}").Pool(2) as pool:
            print(pool.map(total, [f["x"]] * 3) == [X.sum()] * 3)
            pool.starmap(put, [(f["x"], row) for row in range(0, 100, 20)])
            X[::20] = numpy.arange(0, 100, 20)[:, None]
            print((stored("s.zarr", "x") == X).all(), (f["x"][...] == X).all())
        """,
        VOL_ZARR_AUTO=automatic,
    )
    assert lines == ["True", "True True"]


def test_joblib(program):
    pytest.importorskip("joblib")
    lines = program("""
        from joblib import Parallel, delayed
        with make("s.zarr") as f:
            print(Parallel(n_jobs=2)(delayed(total)(f["x"]) for _ in range(3)) == [X.sum()] * 3)
            Parallel(n_jobs=2)(delayed(put)(f["x"], row) for row in range(0, 100, 20))
            X[::20] = numpy.arange(0, 100, 20)[:, None]
            print((stored("s.zarr", "x") == X).all())
    """)
    assert lines == ["True", "True"]


DISTRIBUTED = """
    import dask.array as da
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
"""


@pytest.fixture
def distributed(program):
    pytest.importorskip("distributed")
    return lambda body: program(textwrap.dedent(DISTRIBUTED) + textwrap.indent(textwrap.dedent(body), "    "))


def test_dask_reads_and_stores(distributed):
    """da.store() into chunks of the store, and into blocks that lie across them."""
    lines = distributed("""
        make("in.zarr").close()
        x = da.from_array(h5py.File("in.zarr")["x"], chunks=CHUNKS)
        print(float(x.sum().compute()) == X.sum())
        for rows in (20, 30):
            with h5py.File(f"out{rows}.zarr", "w") as f:
                da.store((x + 1).rechunk((rows, 8)), f.create_dataset("y", SHAPE, "f8", chunks=CHUNKS), lock=False)
                print((stored(f"out{rows}.zarr", "y") == X + 1).all(), (f["y"][...] == X + 1).all())
        (x * 2).to_hdf5("hdf5.zarr", "/g/z")
        print((stored("hdf5.zarr", "g/z") == X * 2).all())
    """)
    assert lines == ["True", "True True", "True True", "True"]


def test_dask_sends_arguments_and_scatters(distributed):
    """distributed itself scatters datasets of HDF5 files that are read-only, and goes on doing so; in a graph it refuses them."""
    lines = distributed("""
        make("r.zarr").close()
        make("n.h5").close()
        for file in (h5py.File("r.zarr"), make("w.zarr"), h5py.File("n.h5"), make("m.h5")):
            for send in (client.scatter, lambda dataset: dataset):
                try:
                    print(client.submit(total, send(file["x"])).result() == X.sum())
                except TypeError:
                    print("refused")
    """)
    assert lines == ["True"] * 5 + ["refused"] * 3


def test_anndata_writes_dask_arrays(distributed):
    pytest.importorskip("anndata")
    lines = distributed("""
        import anndata
        anndata.AnnData(da.from_array(X, chunks=(30, 8)) + 1).write_h5ad("a.zarr")
        print((stored("a.zarr", "X") == X + 1).all(), (anndata.read_h5ad("a.zarr").X == X + 1).all())
    """)
    assert lines == ["True True"]


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_torch_data_loader(program, method):
    pytest.importorskip("torch")
    lines = program(f"""
        import torch.utils.data
        make("s.zarr").close()
        loader = torch.utils.data.DataLoader(h5py.File("s.zarr")["x"], batch_size=10, num_workers=2, multiprocessing_context="{method}")
        print(float(sum(batch.sum() for batch in loader)) == X.sum(), len(loader))
    """)
    assert lines == ["True 10"]
