"""What programs whose wheels carry no tests do with a file: written, closed, read again by the program itself."""

import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "data.h5")


def test_netcdf4_writes_and_reads(path):
    import netCDF4

    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 4)
        variable = file.createVariable("t", "f4", ("time", "x"), zlib=True, shuffle=True, fletcher32=True, chunksizes=(2, 3))
        variable.units = "K"
        variable[:] = np.arange(20).reshape(5, 4)
        file.createGroup("g").createVariable("text", str, ("x",))[:] = np.array(["a", "bb", "", "ä"], object)
    with netCDF4.Dataset(path, "a") as file:
        file["t"][5] = 7
    with netCDF4.Dataset(path) as file:
        assert file["t"].shape == (6, 4) and file["t"][5].tolist() == [7] * 4 and file["t"].units == "K"
        assert file["t"][:5].ravel().tolist() == list(range(20)) and file["g/text"][:].tolist() == ["a", "bb", "", "ä"]


def test_nexusformat_saves_and_loads(path):
    from nexusformat.nexus import NXdata, NXentry, NXfield, NXroot, nxload

    x = NXfield(np.linspace(0, 1, 11), name="x", units="mm")
    root = NXroot(NXentry(NXdata(NXfield(x.nxdata**2, name="y"), (x,))))
    root.save(path)
    loaded = nxload(path, "rw")
    assert np.array_equal(loaded["entry/data/y"].nxdata, x.nxdata**2) and loaded["entry/data/x"].attrs["units"] == "mm"
    loaded["entry/title"] = NXfield("a title")
    assert nxload(path)["entry/title"].nxvalue == "a title"


def test_scanpy_writes_and_reads(path):
    import anndata
    import scanpy
    from scipy import sparse

    data = anndata.AnnData(sparse.random(30, 20, 0.3, format="csr", dtype="f4", random_state=1))
    data.obs["kind"] = list("abc") * 10
    scanpy.pp.log1p(data)
    path = path.replace(".h5", ".h5ad")
    scanpy.write(path, data)
    again = scanpy.read(path)
    assert (again.X != data.X).nnz == 0 and again.obs["kind"].tolist() == data.obs["kind"].tolist() and "log1p" in again.uns
    assert scanpy.read_h5ad(path, backed="r").X[:3].toarray().tolist() == data.X[:3].toarray().tolist()


def test_loompy_makes_and_changes(path):
    """Its own tests are few."""
    import loompy

    path = path.replace(".h5", ".loom")
    loompy.create(path, np.arange(20).reshape(4, 5), {"gene": np.arange(4)}, {"cell": np.array(list("abcde"))})
    with loompy.connect(path) as file:
        file.layers["ones"] = np.ones((4, 5))
        file.add_columns({"": np.zeros((4, 2)), "ones": np.ones((4, 2))}, {"cell": np.array(["f", "g"])})
        file.permute(np.arange(7)[::-1], axis=1)
    with loompy.connect(path, "r") as file:
        assert file.ca.cell.tolist() == list("gfedcba") and file[1, :].tolist() == [0, 0, 9, 8, 7, 6, 5]
        assert file.layers["ones"][:, :].tolist() == np.ones((4, 7)).tolist() and file.ra.gene.tolist() == list(range(4))
        assert [view.shape for _, _, view in file.scan(axis=1)] == [(4, 7)]
    assert loompy.LoomValidator().validate(path)


def test_hdf5_high_level_library(path, tmp_path):
    """H5LT, H5TB, H5IM, H5DS, H5PT, H5DO and H5LD, in C."""
    prefix, compiler = os.environ.get("VZ_HDF5", ""), shutil.which("cc")
    if not compiler or not pathlib.Path(prefix, "lib/libhdf5_hl.so").exists():
        pytest.skip("no C compiler or no high-level library here")
    source, program = pathlib.Path(__file__).with_name("high_level.c"), tmp_path / "high_level"
    subprocess.run([compiler, source, "-o", program, f"-I{prefix}/include", f"-L{prefix}/lib", "-lhdf5_hl", "-lhdf5",
                    f"-Wl,-rpath,{prefix}/lib"], check=True)
    result = subprocess.run([program, path], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr


def test_keras_saves_and_loads(path):
    os.environ["KERAS_BACKEND"] = "jax"
    import keras

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
    points = np.ones((2, 3), "f4")
    expected = model.predict(points, verbose=0)
    whole, weights, packed = (path.replace("data.h5", name) for name in ("whole.h5", "m.weights.h5", "m.keras"))
    model.save(whole)
    model.save_weights(weights)
    model.save(packed)
    for loaded in keras.models.load_model(whole), keras.models.load_model(packed):
        assert np.array_equal(loaded.predict(points, verbose=0), expected)
    for layer in model.layers:
        layer.set_weights([np.zeros_like(values) for values in layer.get_weights()])
    model.load_weights(weights)
    assert np.array_equal(model.predict(points, verbose=0), expected)
