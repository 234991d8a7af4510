"""h5zarr convert on real files, both ways. Judges: anndata, zarr-python and pynwb, each with its own reader of the other form."""

import json
import tarfile

import h5py
import numpy as np
import pytest
import zarr

from converting import convert
from places import shared, unpacked

anndata = pytest.importorskip("anndata")
from anndata.tests.helpers import assert_equal  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

NATIVE = ["anndata-v0.5.0", "anndata-v0.7.0", "anndata-v0.7.8", "anndata-v0.11.4", "anndataR-example", "zellkonverter-example"]


@pytest.mark.parametrize("name", NATIVE)
def test_anndata_of_all_versions(name, tmp_path):
    """read_h5ad of every form equals that of the file, and so does read_zarr, from 0.7 on."""
    source = shared(f"anndata/{name}.h5ad")
    original = anndata.read_h5ad(source)
    convert(source, tmp_path / "a.zarr", "--verify")
    assert_equal(anndata.read_h5ad(tmp_path / "a.zarr"), original)
    if name != "anndata-v0.5.0":
        assert_equal(anndata.read_zarr(tmp_path / "a.zarr"), original)
    convert(tmp_path / "a.zarr", tmp_path / "b.zarr.zip", "--format", "3", "--verify")
    convert(tmp_path / "b.zarr.zip", tmp_path / "back.h5ad", "--verify")
    assert h5py.is_hdf5(tmp_path / "back.h5ad")
    assert_equal(anndata.read_h5ad(tmp_path / "back.h5ad"), original)


def test_the_usual_example(real_data, tmp_path):
    original = anndata.read_h5ad(real_data)
    convert(real_data, tmp_path / "one.h5ad", "--container", "file", "--verify")
    assert_equal(anndata.read_h5ad(tmp_path / "one.h5ad"), original)
    convert(tmp_path / "one.h5ad", tmp_path / "3.zarr", "--format", "3", "--chunks", "auto", "--compress", "zstd")
    assert_equal(anndata.read_h5ad(tmp_path / "3.zarr"), original)


@pytest.mark.parametrize("name", ["anndata-v0.7.0", "anndata-v0.7.8", "anndata-v0.11.4", "pbmc68k_reduced-v3"])
def test_stores_of_anndata_as_files(name, tmp_path):
    source = shared(f"anndata/{name}.zarr.zip")
    convert(source, tmp_path / "a.h5ad", "--verify")
    if name == "pbmc68k_reduced-v3":
        expected = anndata.read_h5ad(source)  # zarr-python 3.1 lacks a type in it
    else:
        expected = anndata.read_h5ad(shared(f"anndata/{name}.h5ad"))
    assert_equal(anndata.read_h5ad(tmp_path / "a.h5ad"), expected)


def test_a_dialect_that_stores_compounds_otherwise(tmp_path):
    """Chunks are shown with the file's filters, and cannot be taken as they are."""
    source = shared("anndata/anndata-v0.5.0.h5ad")
    convert(source, tmp_path / "a.zarr", "--dialect", "hdmf", "--verify")
    assert_equal(anndata.read_h5ad(tmp_path / "a.zarr"), anndata.read_h5ad(source))


def test_10x(tmp_path):
    source = shared("10x/filtered_feature_bc_matrix.h5")
    convert(source, tmp_path / "a.zarr", "--verify")
    ours = zarr.open_group(tmp_path / "a.zarr", mode="r")["matrix"]
    with h5py.File(source) as f:
        for name in ("data", "indices", "indptr", "shape"):
            np.testing.assert_array_equal(ours[name][:], f["matrix"][name][:])
        np.testing.assert_array_equal(ours["features/name"][:5], f["matrix/features/name"][:5])


def arrays_of(group, where=""):
    for name, item in sorted(group.members()):
        if isinstance(item, zarr.Group):
            yield from arrays_of(item, f"{where}{name}/")
        else:
            yield where + name, item


def renamed(path):
    """What netCDF calls a variable that is named as a dimension which is not its first one: the dimension has the name."""
    group, _, name = path.rpartition("/")
    return f"{group}/_nc4_non_coord_{name}"


def test_zarrs_own_forms(tmp_path):
    """Stores that zarr-python and others made: as HDF5 files they have the values that zarr-python reads."""
    root = unpacked("zarr-forms/zarr-forms.tar.gz", tmp_path / "forms")
    stores = sorted({path.parent for name in (".zgroup", "zarr.json") for path in root.rglob(name)}, key=lambda p: len(p.parts))
    tops = [s for s in stores if not any(o in s.parents for o in stores)]
    compared = 0
    for number, store in enumerate(tops):
        target = tmp_path / f"{number}.h5"
        try:
            group = zarr.open_group(store, mode="r", use_consolidated=False)
            expected = [(name, np.asarray(item[...])) for name, item in arrays_of(group)]
        except Exception:  # a form that this zarr-python does not read
            continue
        convert(store, target, "--verify")
        with h5py.File(target) as f:
            for name, values in expected:
                shown = f[renamed(name) if renamed(name) in f else name]
                if shown.shape is not None and values.dtype.kind in "iufb" and shown.dtype.kind in "iufb":
                    np.testing.assert_array_equal(shown[()], values, err_msg=f"{store} {name}")
                    compared += 1
    assert compared > 5


NWB = ["1.1.2_nwbfile.nwb", "2.1.0_nwbfile_with_extension.nwb", "ecephys_and_ogen.nwb"]


@pytest.mark.parametrize("name", NWB)
def test_nwb_through_a_store_and_back(name, tmp_path):
    """In HDMF's form; back as a file all references lead to what has the same name."""
    source = shared(f"nwb/{name}")
    convert(source, tmp_path / "a.nwb.zarr", "--verify")
    convert(tmp_path / "a.nwb.zarr", tmp_path / "back.nwb", "--verify")
    convert("--compare", source, tmp_path / "back.nwb")
    with h5py.File(source) as f:
        marked = [n for n in f.attrs if n in (".specloc", "nwb_version")]
    if marked:
        assert json.loads((tmp_path / "a.nwb.zarr" / ".zattrs").read_text()).get("nwb_version", "2").startswith("2")


def test_stores_of_hdmf_zarr_as_files(tmp_path):
    with tarfile.open(shared("hdmf-zarr/hdmf-zarr-0.7-stores.tar.gz")) as archive:
        names = archive.getnames()
    root = unpacked("hdmf-zarr/hdmf-zarr-0.7-stores.tar.gz", tmp_path / "stores")
    tops = sorted(p.parent for p in root.rglob(".zgroup") if not (p.parent.parent / ".zgroup").exists())
    assert names and tops
    for number, store in enumerate(tops):
        convert(store, tmp_path / f"{number}.nwb", "--verify")
        convert(tmp_path / f"{number}.nwb", tmp_path / f"{number}.nwb.zarr", "--verify")
