"""The steps of the demo that are Python programs: demo.py STEP ARGUMENTS. Called by demo.sh, one process a step.

Nothing here knows the connector: h5py, anndata and zarr are used as any user does.
"""

import pathlib
import platform
import sys
import time
import zipfile

import anndata
import h5py
import numpy
import zarr
from anndata.tests.helpers import assert_equal


def versions():
    print(f"Python {platform.python_version()}, anndata {anndata.__version__}, zarr {zarr.__version__}, numpy {numpy.__version__}")
    print(f"h5py {h5py.__version__}, which carries HDF5 {h5py.version.hdf5_version}")


def convert(source, target):
    began = time.perf_counter()
    data = anndata.read_h5ad(source)
    data.write_h5ad(target)
    print(f"{data.n_obs} cells x {data.n_vars} genes written in {time.perf_counter() - began:.2f} s")
    check(pathlib.Path(target).is_dir(), f"{target} is a directory")


def make_zarr(source, target):
    anndata.settings.zarr_write_format = 2
    anndata.read_h5ad(source).write_zarr(target)
    check((pathlib.Path(target) / ".zgroup").is_file(), f"{target} is a Zarr v2 store")


def convert_zip(source, target):
    data = anndata.read_h5ad(source)
    data.write_h5ad(target)
    check(zipfile.is_zipfile(target), f"{target} is one zip file of {pathlib.Path(target).stat().st_size} bytes")


def read_zip(path, original):
    """Run without the plugin on the path: zarr-python and anndata alone."""
    store = zarr.storage.ZipStore(path, mode="r")
    group = zarr.open_group(store, mode="r")
    sharded = count_arrays(group, lambda array: array.shards is not None)
    print(f"zarr.open_group: format {group.metadata.zarr_format}, {count_arrays(group)} arrays, {sharded} of them in shards")
    check(group.metadata.zarr_format == 3 and sharded > 10, "plain zarr-python opens a Zarr v3 store with shards")
    assert_equal(anndata.read_h5ad(original), anndata.read_zarr(store))
    print("ok: anndata.read_zarr(store) equals anndata.read_h5ad(original)")


def tree(store):
    show_directory(pathlib.Path(store), depth=2, width=7)
    check((pathlib.Path(store) / ".zgroup").is_file(), "a Zarr v2 group at the root")


def show_directory(path, depth, width, prefix=""):
    if not prefix:
        print(f"{path.name}/")
    children = sorted(path.iterdir(), key=lambda child: (child.is_dir(), child.name))
    # Files come first and say what a directory is; then so many of the directories, and how many are left.
    files, directories = [c for c in children if c.is_file()], [c for c in children if c.is_dir()]
    shown = files[:4] + directories[: width if depth > 1 else 3]
    for child in shown:
        print(f"{prefix}  {child.name}{'/' if child.is_dir() else ''}")
        if child.is_dir() and depth > 1:
            show_directory(child, depth - 1, width, prefix + "  ")
    if len(children) > len(shown):
        print(f"{prefix}  ... {len(children) - len(shown)} more")


def read_zarr(store, original):
    group = zarr.open_group(store, mode="r")
    arrays = count_arrays(group)
    print(f"zarr.open_group: format {group.metadata.zarr_format}, {arrays} arrays; obsm/X_pca {group['obsm/X_pca'].shape}")
    check(group.metadata.zarr_format == 2 and arrays > 40, "plain zarr-python lists every node")
    with h5py.File(original, "r") as native:
        stored = group["obsm/X_pca"][...]
        check(numpy.array_equal(stored, native_pca(native)), "zarr-python reads the embedding, value by value the original's")
    assert_equal(anndata.read_h5ad(original), anndata.read_zarr(store))
    print("ok: anndata.read_zarr(store) equals anndata.read_h5ad(original)")


def count_arrays(group, wanted=lambda array: True):
    return sum(wanted(member) if isinstance(member, zarr.Array) else count_arrays(member, wanted) for _, member in group.members())


def native_pca(file):
    """The data set is from anndata's early days, when obsm was one compound dataset."""
    obsm = file["obsm"]
    return obsm["X_pca"][...]


def read_hdf5(store, original):
    with h5py.File(store, "r") as file:
        names = []
        file.visit(names.append)
        print(f"h5py.File: list(f) = {list(file)}")
        check("obs" in file and "nothing" not in file and len(names) > 50, f"h5py lists, looks up and visits {len(names)} objects")
        embedding = file["obsm/X_pca"]
        whole = embedding[...]
        check(numpy.array_equal(embedding[10:20, ::7], whole[10:20, ::7]), "h5py slices")
        mask = whole[:, 0] > 0
        check(numpy.array_equal(embedding[mask], whole[mask]), "h5py selects by a boolean mask")
        check(file["obs"] == file["obs"] and hash(file["obs"]) == hash(file["/obs"]), "objects compare and hash as themselves")
    assert_equal(anndata.read_h5ad(original), anndata.read_h5ad(store))
    print("ok: anndata.read_h5ad(store) equals anndata.read_h5ad(original)")


def check(condition, what):
    if not condition:
        sys.exit(f"NOT SO: {what}")
    print(f"ok: {what}")


STEPS = {f.__name__.replace("_", "-"): f for f in (versions, convert, convert_zip, make_zarr, tree, read_zarr, read_zip, read_hdf5)}

if __name__ == "__main__":
    STEPS[sys.argv[1]](*sys.argv[2:])
