"""R's hdf5r (seurat.R), where it is installed with HDF5 1.14 or newer: h5Seurat written, read and changed as in native files."""

import os
import shutil
import subprocess
import zipfile

import h5py
import numpy as np
import pytest

from places import PLUGIN_DIR, ROOT, by_zarr

SCRIPT = ROOT / "test" / "python" / "seurat.R"


@pytest.fixture(scope="module")
def rscript():
    program = shutil.which("Rscript")
    if not program:
        pytest.skip("no Rscript here")
    asked = subprocess.run([program, "-e", 'cat("version", hdf5r::h5version(verbose = FALSE))'], capture_output=True, text=True)
    version = asked.stdout.rpartition("version ")[2].split(".")
    if asked.returncode != 0 or not version[0].isdigit():
        pytest.skip("R is here without hdf5r")
    if (int(version[0]), int(version[1])) < (1, 14):
        pytest.skip(f"hdf5r is linked with HDF5 {'.'.join(version)}, which cannot load this plugin")
    return program


def run(program, path, act, **environment):
    environment = {**os.environ, "LANG": "C.UTF-8", "HDF5_PLUGIN_PATH": PLUGIN_DIR, **environment}
    done = subprocess.run([program, SCRIPT, path, act], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("options", ["zarr", "zarr format=3"])
def test_as_in_native_files(options, rscript, tmp_path, tool):
    native, store = tmp_path / "native.h5seurat", tmp_path / "store.zarr"
    for act in ("write", "change"):
        expected = run(rscript, native, act)
        assert run(rscript, store, act, HDF5_VOL_CONNECTOR=options) == expected and len(expected.splitlines()) > 100
        assert run(rscript, store, "read") == expected  # found through HDF5_PLUGIN_PATH alone
        assert store.is_dir() and native.is_file()
        tool("h5diff", native, store)
    root = by_zarr(store)
    assert root["assays/RNA/scale.data"].shape == (3, 2) and root["assays/RNA/scale.data"][1, 0] == -1
    assert root["assays/RNA/counts/data"][...].tolist() == [1, 2, 3, 7, 8, 9] and root["cube"].shape == (4, 3, 2)
    assert root["meta.data/is.doublet"][...].tolist() == [1, 0, 2] and root["meta.data/n"][1] == -2**31
    assert root["cell.names"][...].tolist() == ["AAAC-1", "AAAG-1", "größe"] and root.attrs["version"] == ["4.0"]


def test_one_file(rscript, tmp_path, tool):
    """A one-file store is written and changed, and found by the plugin's path alone."""
    native, store = tmp_path / "native.h5seurat", tmp_path / "store.h5seurat"
    options = {"HDF5_VOL_CONNECTOR": "zarr create=store.*:file"}
    for act in ("write", "change"):
        expected = run(rscript, native, act)
        assert run(rscript, store, act, **(options if act == "write" else {})) == expected and len(expected.splitlines()) > 100
        assert run(rscript, store, "read") == expected
        tool("h5diff", native, store)
    with zipfile.ZipFile(store) as archive:
        assert archive.testzip() is None and "assays/RNA/scale.data/.zarray" in archive.namelist()


def test_r_reads_what_h5py_wrote(rscript, tmp_path, connector):
    connector.run(write_plain, str(tmp_path / "x.zarr"))
    code = f'f <- hdf5r::H5File$new("{tmp_path}/x.zarr", mode = "r"); cat(dim(f[["m"]]$read()), f[["m"]][2, 1], f[["t"]]$read(), hdf5r::h5attr(f, "a"))'
    said = subprocess.run([rscript, "-e", code], capture_output=True, text=True, env={**os.environ, "LANG": "C.UTF-8", "HDF5_PLUGIN_PATH": PLUGIN_DIR})
    assert said.stdout == "3 2 1 a ü 7", said.stderr


def write_plain(path):
    with h5py.File(path, "w") as f:
        f["m"], f["t"] = np.arange(6.0).reshape(2, 3), ["a", "ü"]
        f.attrs["a"] = 7
