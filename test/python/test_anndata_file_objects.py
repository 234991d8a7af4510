"""AnnData in one-file stores and zip files, read through fsspec's files by anndata and scanpy's way of opening: each
program ends well, and what is read is what was written."""

import pytest

anndata = pytest.importorskip("anndata")
pytest.importorskip("aiohttp")

import drivers  # noqa: E402
import range_server  # noqa: E402

NAMES = ["one.h5ad", "cells.zip"]

MAKE = """
import anndata, pandas as pd, scipy.sparse
random = np.random.default_rng(3)
cells = anndata.AnnData(scipy.sparse.random(300, 40, 0.2, "csr", rng=random), layers={"dense": random.normal(size=(300, 40))},
                        obs=pd.DataFrame({"kind": pd.Categorical(random.choice(["a", "b"], 300))}, index=[f"c{i}" for i in range(300)]))
cells.obsm["X_pca"] = random.normal(size=(300, 5))
cells.uns["note"] = {"text": "ü", "numbers": np.arange(7)}
"""


@pytest.fixture(scope="module")
def where(tmp_path_factory):
    where = tmp_path_factory.mktemp("cells")
    drivers.run(MAKE + "for path in sys.argv[1:]:\n    cells.write_h5ad(path)\n", *(where / name for name in NAMES),
                connector="zarr create=*.zip,*.h5ad:file")
    return where


READ = MAKE + """
import fsspec
from anndata.tests.helpers import assert_equal
def read(open_):
    with open_() as file, h5py.File(file, "r") as f:
        read = anndata.AnnData(**{name: anndata.io.read_elem(f[name]) for name in ("X", "obs", "var", "obsm", "layers", "uns")})
    assert_equal(read, cells)
    with open_() as file, h5py.File(file, "r") as f:
        assert (f["layers/dense"][100:103, ::7] == cells.layers["dense"][100:103, ::7]).all()
        assert f.driver == "fileobj"
read(lambda: fsspec.open(sys.argv[1], "rb").open())
before = ids()
read(lambda: fsspec.open(sys.argv[1], "rb").open())
assert ids() == before
"""


@pytest.mark.parametrize("way", [None, "zarr"])
@pytest.mark.parametrize("name", NAMES)
def test_local(where, name, way):
    drivers.read_here(READ, where / name, way)


@pytest.mark.parametrize("way", [None, "zarr"])
@pytest.mark.parametrize("name", NAMES)
def test_http(where, name, way):
    drivers.read_by_http(READ, where / name, way)


def test_parts_by_http(where):
    """Of a file of many MB what is wanted is read, and not all of it."""
    make = """
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("x", data=np.random.default_rng(0).integers(0, 256, (64, 1 << 19), "u1"), chunks=(1, 1 << 19))
"""
    drivers.run(make, where / "large.h5", connector="zarr container=file")
    size = (where / "large.h5").stat().st_size
    assert size > 32 << 20
    read = """
import fsspec
with fsspec.open(sys.argv[1], "rb", block_size=1 << 16, cache_type="readahead").open() as file, h5py.File(file) as f:
    assert (f["x"][40] == np.random.default_rng(0).integers(0, 256, (64, 1 << 19), "u1")[40]).all()
"""
    with range_server.serve(where) as (address, asked):
        drivers.run(read, f"{address}/large.h5")
        assert 1 << 19 <= sum(count for method, _, count in asked if method == "GET") < 4 << 20
