"""How many requests things take, and in how many round trips, as the proxy counts them."""

import os
import subprocess

import anndata
import anndata.tests.helpers
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

RNG = np.random.default_rng(9)
READING = {"GET", "RANGE"}
# Of 400 requests with 64 under way. On a quiet machine there are 12 to 18; on a busy one some connections answer more often than others. One after
# another they are 400.
MOST_ROUNDS_OF_400 = 60


def put_in_shards(group):
    """Arrays of numbers once more, as zarr-python 3.4 writes them by itself: with shards of eight chunks."""
    for name, array in group.members(max_depth=None):
        if hasattr(array, "shape") and array.ndim and array.dtype.kind in "biuf" and array.size:
            data, chunks, attributes = array[:], array.chunks, dict(array.attrs)
            shards = tuple(c * min(8, -(-n // c)) for n, c in zip(array.shape, chunks))
            del group[name]
            group.create_array(name, data=data, chunks=chunks, shards=shards, attributes=attributes)


@pytest.fixture(scope="module", params=[(2, False), (3, False), (3, True)], ids=["v2", "v3", "v3 in shards"])
def cells(request, bucket, judge):
    """An AnnData object as anndata itself writes it, with consolidated metadata, and how many chunks and indexes of shards it has."""
    import zarr

    form, in_shards = request.param
    matrix = scipy.sparse.random(3000, 2000, density=0.1, format="csr", rng=RNG, dtype="f4")
    obs = pd.DataFrame({"type": pd.Categorical(RNG.choice(["T", "B", "NK"], 3000)), "counts": RNG.integers(0, 9, 3000)},
                       index=[f"cell{i}" for i in range(3000)])
    data = anndata.AnnData(matrix, obs=obs, var=pd.DataFrame(index=[f"gene{i}" for i in range(2000)]), uns={"title": "cells"},
                           obsm={"X_pca": RNG.normal(size=(3000, 10))}, obsp={"near": scipy.sparse.random(3000, 3000, 0.001, "csr", rng=RNG)})
    url = f"s3://{bucket}/cells-v{form}{'-in-shards' if in_shards else ''}.zarr"
    with anndata.settings.override(zarr_write_format=form):
        group = judge.group(url, mode="w", zarr_format=form)
        anndata.io.write_elem(group, "/", data)
        for name, size in ("X/data", 18750), ("X/indices", 18750):
            whole = group[name][:]
            del group[name]
            group.create_array(name, data=whole, chunks=(size,))
        if in_shards:
            put_in_shards(group)
        zarr.consolidate_metadata(group.store, zarr_format=form)
    chunks = [key for key in judge.keys(url) if key.rpartition("/")[2][0].isdigit() or key.endswith("/c")]
    sharded = [name for name, array in group.members(max_depth=None) if getattr(array, "shards", None)]  # zarr-python 3.4 chooses that
    indexes = sum(len(judge.keys(f"{url}/{name}/c")) for name in sharded)
    return url, data, len(chunks) + indexes


def test_opening(cells, proxy):
    """Asking what it is, and opening it."""
    url = cells[0]
    log = proxy.counted(lambda: h5py.File(url, "r").close(), ms=20)
    assert len(log) <= 2 and log.rounds() == 1 and set(log.kinds()) == {"GET"}, log


def test_listing(cells, proxy):
    def walk():
        with h5py.File(cells[0], "r") as f:
            f.visititems(lambda name, each: dict(each.attrs))

    log = proxy.counted(walk, ms=20)
    assert len(log) <= 2 and log.rounds() == 1, log


def test_anndata(cells, proxy):
    url, data, chunks = cells
    read = []
    log = proxy.counted(lambda: read.append(anndata.read_h5ad(url)), ms=20)
    anndata.tests.helpers.assert_equal(read[0], data)
    missing = sum(entry["status"] == 404 for entry in log)  # a document that is not there, chunks that are all fill value
    assert 30 < chunks and len(log) <= min(chunks + 1 + missing, 90), (chunks, log.kinds(), missing)
    assert set(log.kinds()) <= READING and log.rounds() <= 8, (log.kinds(), log.rounds())


def test_dense(place, proxy, judge):
    url = place / "dense.zarr"
    values = RNG.integers(0, 100, (400, 400))
    judge.group(url, mode="w", zarr_format=3).create_array("m", data=values, chunks=(20, 20))
    consolidate(judge, url, 3)
    read = []
    log = proxy.counted(lambda: read.append(h5py.File(url)["m"][:]), ms=20)
    np.testing.assert_array_equal(read[0], values)
    assert len(log) <= 402 and log.rounds() <= MOST_ROUNDS_OF_400, (log.kinds(), log.rounds())


def consolidate(judge, url, form):
    import zarr

    zarr.consolidate_metadata(judge.group(url, mode="r+").store, zarr_format=form)


def test_a_slab_over_shards(place, proxy, judge):
    url = place / "sharded.zarr"
    values = RNG.integers(0, 4, (2000, 4000), dtype="i2")
    judge.group(url, mode="w", zarr_format=3).create_array("m", data=values, chunks=(100, 100), shards=(1000, 1000))
    consolidate(judge, url, 3)
    read = []
    log = proxy.counted(lambda: read.append(h5py.File(url)["m"][1000:1200]), ms=20)
    np.testing.assert_array_equal(read[0], values[1000:1200])
    assert len(log) <= 10 and log.rounds() <= 3, (log.kinds(), log.rounds())


def write_dense(url):
    with h5py.File(url, "w") as f:
        f.create_dataset("m", data=np.arange(160000).reshape(400, 400), chunks=(20, 20))


@pytest.mark.parametrize("form", [2, 3])
def test_writing_dense(place, proxy, writers, judge, form):
    """Each chunk once, the next ones while answers come; beside that a look, a claim and its end, documents, and the copy of them."""
    url, connector = place / "dense.zarr", writers(f"zarr format={form}")
    connector.run(write_dense, place / "before.zarr")  # what is found out once of a server
    log = proxy.counted(lambda: connector.run(write_dense, url), ms=20)
    assert (judge.group(url)["m"][...] == np.arange(160000).reshape(400, 400)).all()
    puts = [path.partition("/dense.zarr/")[2] for path in log.paths("PUT")]
    chunks = [name for name in puts if name.startswith(("m/c/", "m/")) and name[-1].isdigit()]
    assert len(chunks) == len(set(chunks)) == 400 and "HEAD" not in log.kinds(), log.kinds()
    documents = {2: [".zgroup", ".zattrs", "m/.zattrs", "m/.zarray", ".zmetadata"], 3: ["zarr.json", "m/zarr.json", "zarr.json"]}[form]
    assert [name for name in puts if name not in chunks and not name.endswith(".partial")] == documents, puts[-8:]
    assert len(log) <= {2: 419, 3: 414}[form] and log.rounds() <= MOST_ROUNDS_OF_400, (log.kinds(), log.rounds())


def write_in_shards(url, by_name):
    values = np.arange(2000 * 2000, dtype="i4").reshape(2000, 2000)
    with h5py.File(url, "w") as f:
        if by_name:
            f.create_dataset("m", data=values, chunks=(100, 100))
        else:
            f.create_dataset(None, data=values, chunks=(100, 100))
            f["m"] = f.create_dataset(None, data=values, chunks=(100, 100))


@pytest.mark.parametrize("by_name", [True, False], ids=["named", "named-later"])
def test_whole_shards(place, proxy, writers, judge, by_name):
    """Shards of an array that nobody else can know yet are put, together, and nothing is looked at."""
    url = place / "x.zarr"
    log = proxy.counted(lambda: writers("zarr format=3;shards=1M").run(write_in_shards, url, by_name), ms=20)
    array = judge.group(url)["m"]
    shards = [path for path in log.paths() if "/x.zarr/m/c/" in path]
    assert array.shards and array.nchunks == 400 and (array[...] == np.arange(2000 * 2000).reshape(2000, 2000)).all()
    assert len(shards) == len(set(shards)) == len(judge.keys(url + "/m/c")) and len(shards) >= 16, (shards, log.kinds())
    assert "HEAD" not in log.kinds() and log.rounds() <= 20, (log.kinds(), log.rounds())  # four: which conditions the server knows


def make_many(url, count, by_name):
    with h5py.File(url, "w") as f:
        for i in range(count):
            if by_name:
                f.create_dataset(f"d{i}", data=np.full(4, i))
            else:
                f[f"d{i}"] = np.full(4, i)  # has no name when it is written


@pytest.mark.parametrize("by_name", [True, False], ids=["named", "named-later"])
@pytest.mark.parametrize("form", [2, 3])
def test_many_small_datasets(place, proxy, writers, judge, form, by_name):
    """Round trips are in proportion to what is under way, and nothing that was just written is read again."""
    url, count = place / "many.zarr", 300
    log = proxy.counted(lambda: writers(f"zarr format={form}").run(make_many, url, count, by_name), ms=20)
    group = judge.group(url)
    assert sorted(group) == sorted(f"d{i}" for i in range(count)) and list(group[f"d{count - 1}"][:]) == [count - 1] * 4
    kinds = log.kinds()
    documents = {2: 2, 3: 1}[form]  # of each: .zarray and .zattrs, or zarr.json
    assert kinds["PUT"] <= (1 + documents) * count + 12, kinds
    assert sum(kinds.values()) <= (1 + documents) * count + 40 and log.rounds() <= (1 + documents) * count // 32 + 40, (kinds, log.rounds())
    last = [entry["path"] for entry in log if entry["kind"] == "PUT"][-1]
    assert last.endswith("/.zmetadata" if form == 2 else "/many.zarr/zarr.json"), last


def write_cells(url, cells):
    anndata.AnnData(**cells).write_h5ad(url)


@pytest.mark.parametrize("form", [2, 3])
def test_writing_anndata(place, proxy, writers, judge, form):
    """Each chunk and document is put once (one at the root again), in few round trips, and the copy of all documents last."""
    url = place / "cells.zarr"
    cells = {"X": scipy.sparse.random(3000, 2000, density=0.1, format="csr", rng=RNG, dtype="f4"),
             "obs": pd.DataFrame({"n": RNG.integers(0, 9, 3000)}, index=[f"cell{i}" for i in range(3000)]), "obsm": {"pca": RNG.normal(size=(3000, 20))}}
    log = proxy.counted(lambda: writers(f"zarr format={form}").run(write_cells, url, cells), ms=20)
    check_puts(log, judge.keys(url), url, {2: ".zmetadata", 3: "zarr.json"}[form])
    assert log.rounds() <= 40, (log.kinds(), log.rounds())
    anndata.tests.helpers.assert_equal(anndata.read_zarr(judge.group(url)), anndata.AnnData(**cells))


def check_puts(log, keys, url, last):
    name = url.rpartition("/")[2]
    puts = [path.partition(f"/{name}/")[2] for path in log.paths("PUT")]
    again = [key for key in keys if puts.count(key) > 1]
    assert set(keys) <= set(puts) and len(again) <= 1 and puts[-1] == last, (again, puts[-3:])
    assert len(puts) <= len(keys) + 8, (len(puts), len(keys))  # a claim, what is found out of the server, the root
    assert "HEAD" not in log.kinds(), log.kinds()


WRITE_NWB = """
import sys, datetime, numpy as np
from pynwb import NWBFile, NWBHDF5IO, TimeSeries
nwb = NWBFile("a session", "s1", datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc))
for i in range(5):
    nwb.add_acquisition(TimeSeries(name=f"t{i}", data=np.arange(1000.0), unit="V", rate=10.0))
with NWBHDF5IO(sys.argv[1], "w") as io:
    io.write(nwb)
"""


def test_writing_nwb(place, proxy, judge):
    url = place / "session.nwb.zarr"
    if not os.environ.get("VZ_PY_HDMF"):
        pytest.skip("no pynwb here")

    def write():
        subprocess.run([os.environ["VZ_PY_HDMF"], "-c", WRITE_NWB, url], check=True, timeout=300, env={**os.environ, "HDF5_VOL_CONNECTOR": "zarr"})

    log = proxy.counted(write, ms=20)
    check_puts(log, judge.keys(url), url, ".zmetadata")
    assert list(judge.group(url)["acquisition/t4/data"][:3]) == [0, 1, 2]


def test_a_part_of_a_chunk(place, proxy, connector):
    """It is read, and put under the condition that it is still what was read: nobody looks in between."""
    url = place / "part.zarr"
    connector.run(write_deep, url)
    log = proxy.counted(lambda: connector.run(write_one, url))
    chunk = [(entry["kind"], entry["status"]) for entry in log if entry["path"].endswith("/a/n/3")]
    assert chunk == [("GET", 200), ("PUT", 200)] and "HEAD" not in log.kinds(), log.kinds()


def write_one(url):
    with h5py.File(url, "r+") as f:
        f["a/n"][35] = -1


def write_deep(url):
    with h5py.File(url, "w") as f:
        f.create_dataset("a/b/m", data=np.arange(100.0), chunks=(10,))
        f.create_dataset("a/n", data=np.arange(100.0), chunks=(10,))
        f["a/b"].attrs["x"] = 1


def test_the_order_of_writing(place, proxy, connector):
    """Chunks, then arrays, then groups, deeper ones first, then the copy of all documents."""
    url = place / "x.zarr"
    log = proxy.counted(lambda: connector.run(write_deep, url))
    puts = [entry["path"].partition("/x.zarr/")[2] for entry in log if entry["kind"] == "PUT"]
    ranks = {name: max(puts.index(each) for each in puts if each.startswith(name)) for name in ("a/b/m/0", "a/b/.zgroup", "a/.zgroup")}
    chunks = max(puts.index(each) for each in puts if each.rpartition("/")[2].isdigit())
    arrays = [puts.index(each) for each in puts if each.endswith(".zarray")]
    assert chunks < min(arrays) < max(arrays) < ranks["a/b/.zgroup"] < ranks["a/.zgroup"] < puts.index(".zmetadata") == len(puts) - 1, puts


def test_tools_read_each_document_once(place, proxy, connector, tool_114):
    url = place / "x.zarr"
    connector.run(write_deep, url)
    for name, *arguments in ("h5ls", "-r"), ("h5dump",):
        log = proxy.counted(lambda: tool_114(name, *arguments, url))
        documents = [path for path in log.paths() if path.rpartition("/")[2].startswith((".z", "zarr.json")) and "/x.zarr/" in path]
        assert documents and len(documents) == len(set(documents)), (name, sorted(documents))
        assert "LIST" not in log.kinds() and "HEAD" not in log.kinds(), log.kinds()


@pytest.fixture(scope="session")
def tool_114():
    """h5dump, h5ls ... of the HDF5 at VZ_HDF5, with the plugin's path alone."""

    def run(name, *arguments):
        result = subprocess.run([f"{os.environ['VZ_HDF5']}/bin/{name}", *arguments], capture_output=True, text=True, timeout=100)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    return run


def write_flat(url):
    with h5py.File(url, "w") as f:
        for i in range(5):
            f.create_dataset(f"d{i}", data=np.arange(10.0)).attrs["unit"] = "m"
        f.create_dataset("g/h/m", data=np.arange(10.0))


def set_one(url):
    with h5py.File(url, "r+") as f:
        f["d2"].attrs["new"] = 5


@pytest.mark.parametrize("form", [2, 3])
def test_one_attribute(place, proxy, writers, judge, form):
    """What the copy of all documents told is asked for again at once, not level by level, and the copy itself is not looked at before it goes."""
    url = place / "x.zarr"
    connector = writers(f"zarr format={form}")
    connector.run(write_flat, url)
    log = proxy.counted(lambda: connector.run(set_one, url), ms=20)
    assert log.rounds() <= {2: 7, 3: 10}[form] and "HEAD" not in log.kinds(), (log.rounds(), log.kinds())
    assert len(log) <= {2: 45, 3: 24}[form], log.kinds()
    assert judge.group(url, use_consolidated=True)["d2"].attrs["new"] == 5


def delete_one(url):
    with h5py.File(url, "r+") as f:
        del f["d1"]


@pytest.mark.parametrize("form", [2, 3])
def test_deleting_an_array(place, proxy, writers, judge, form):
    url = place / "x.zarr"
    connector = writers(f"zarr format={form}")
    connector.run(write_flat, url)
    log = proxy.counted(lambda: connector.run(delete_one, url), ms=20)
    assert "HEAD" not in log.kinds() and log.rounds() <= 17, (log.rounds(), log.kinds())
    assert sorted(judge.group(url)) == ["d0", "d2", "d3", "d4", "g"]


def write_group_of(url, count):
    with h5py.File(url, "w") as f:
        for i in range(count):
            f.create_dataset(f"g/d{i}", data=np.arange(10.0), chunks=(5,))
        f["other"] = 1


def delete_group(url):
    with h5py.File(url, "r+") as f:
        del f["g"]


def delete_each(url):
    with h5py.File(url, "r+") as f:
        for name in list(f["g"]):
            del f["g"][name]


@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize("work, rounds, more", [(delete_group, 0, 0), (delete_each, 2, 3)])
def test_deleting_many_arrays(place, proxy, writers, judge, form, work, rounds, more):
    """A group goes as a whole. Of an array that goes by itself the documents go while it is listed, and then its chunks."""
    url, connector, count = place / "x.zarr", writers(f"zarr format={form}"), 20
    connector.run(write_group_of, url, count)
    log = proxy.counted(lambda: connector.run(work, url), ms=20)
    assert log.rounds() <= rounds * count + 22, (log.rounds(), log.kinds())
    assert sum(log.kinds().get(kind, 0) for kind in ("LIST", "DELETE", "DELETE-MANY")) <= more * count + 16, log.kinds()
    left = [key for key in judge.keys(url) if key.startswith("g/")]
    assert left == {"delete_group": [], "delete_each": {2: ["g/.zgroup"], 3: ["g/zarr.json"]}[form]}[work.__name__]
    assert "other" in judge.group(url)
