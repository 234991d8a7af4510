"""Stores that AnnData, pynwb and xarray wrote through earlier versions of this connector, and one-file stores (data/programs-of-vol-zarr-*.tar.xz,
made by data/old_stores.sh), are what they were. The judges are the native files beside them, by h5diff and h5dump, AnnData and xarray."""

import pathlib
import shutil

import pytest

from places import unpack
from test_zoo import diff, dump

DATA = pathlib.Path(__file__).parent / "data"
ARCHIVES = sorted(DATA.glob("programs-of-vol-zarr-*.tar.xz"))
KINDS = ["v2.zarr", "v2.zarr.zip", "v3.zarr", "shards.zarr", "one.file"]
PROGRAMS = ["anndata", "nwb", "netcdf"]
CASES = [(part, kind) for part in PROGRAMS for kind in KINDS] + [(part, "one.file") for part in ("types", "nested", "storage", "links")]


@pytest.fixture(scope="module", params=ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.xz"))
def old(request, tmp_path_factory):
    return unpack(request.param, tmp_path_factory.mktemp("old")) / request.param.name.removesuffix(".tar.xz")


def test_each_version_has_both_archives():
    assert [path.name.removeprefix("programs-of-") for path in ARCHIVES] == [path.name for path in sorted(DATA.glob("vol-zarr-*.tar.xz"))] != []


@pytest.mark.parametrize("part, kind", CASES)
def test_shown_as_natively(old, part, kind, tool, tmp_path):
    store, native = old / f"{part}-{kind}", old / f"{part}.h5"
    if part not in PROGRAMS:
        assert dump(tool, store).replace(store.name, "FILE") == dump(tool, native)
    if part != "links":  # the zoo's soft links lead nowhere, which h5diff takes for an error
        same = shutil.copy(native, tmp_path / "same.h5")  # of one name twice h5diff does not compare all
        compared = diff(tool, native, same)
        assert diff(tool, native, store) == compared and len(compared) > 8


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_anndata(old, kind):
    """By this plugin, and directories by AnnData's own reader of Zarr, too."""
    anndata, pandas = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    from anndata.tests.helpers import assert_equal

    native = anndata.read_h5ad(old / "anndata.h5")
    assert native.obs["few"].isna().sum() == 10 and native.uns["about"]["n"] == 7
    assert_equal(anndata.read_h5ad(old / f"anndata-{kind}"), native)
    if kind in ("v2.zarr", "v3.zarr", "shards.zarr"):
        # With pandas 3 anndata reads text of Zarr as another dtype than text of HDF5.
        with pandas.option_context("future.infer_string", False):
            assert_equal(anndata.read_zarr(old / f"anndata-{kind}"), anndata.read_h5ad(old / "anndata.h5"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_netcdf(old, kind):
    """By h5netcdf through this plugin, and directories by xarray's own reader of Zarr, too."""
    xarray = pytest.importorskip("xarray")
    native = xarray.load_dataset(old / "netcdf.h5", engine="h5netcdf")
    assert native["t"].attrs["units"] == "K" and native["t"].isnull().sum() == 1
    xarray.testing.assert_identical(xarray.load_dataset(old / f"netcdf-{kind}", engine="h5netcdf"), native)
    if kind in ("v2.zarr", "v3.zarr", "shards.zarr"):
        xarray.testing.assert_identical(xarray.open_zarr(old / f"netcdf-{kind}").load(), native)
