"""h5zarr show: tables as anndata and pandas have them, and files that were made to harm."""

import json
import os
import zlib

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
import zarr

from file_server import FileServer

pytestmark = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores")
HDF5 = {"VOL_ZARR_HDF5": os.environ.get("VZ_HDF5", "")}


def cell(value):
    return None if value is pd.NA or value is None or (isinstance(value, float) and np.isnan(value)) else value.item() if hasattr(value, "item") else value


def rows_of(frame):
    return [[index, *map(cell, row)] for index, row in zip(frame.index, frame.itertuples(index=False))]


def shown(h5zarr, path, rows):
    said = json.loads(h5zarr("show", "--json", "-n", rows, path, **HDF5).stdout)
    assert said["errors"] == []
    table = said["table"]
    return table["what"], [column["name"] for column in table["columns"]], table["head"] + table.get("tail", [])


@pytest.fixture(scope="module")
def frame():
    noise = np.random.default_rng(1)
    return pd.DataFrame({"n": np.arange(21), "kind": pd.Categorical(noise.choice(["B cell", "T cell", None], 21)), "x": noise.normal(size=21),
                         "ok": noise.integers(0, 2, 21).astype(bool), "some": pd.array([1, None, 3] * 7, dtype="Int64"), "text": list("abc") * 7},
                        index=[f"cell{i}" for i in range(21)])


@pytest.mark.parametrize("kind", ["h5ad", "2", "3"])
def test_anndata_frames(h5zarr, tmp_path, frame, kind):
    path = tmp_path / "a"
    data = anndata.AnnData(X=np.zeros((21, 2), "f4"), obs=frame.copy())
    if kind == "h5ad":
        data.write_h5ad(path)
    else:
        with anndata.settings.override(zarr_write_format=int(kind)):
            data.write_zarr(path)
    assert shown(h5zarr, path / "obs", 10) == ("AnnData dataframe", ["_index", *frame], rows_of(frame))
    assert shown(h5zarr, path / "obs", 2)[2] == rows_of(frame)[:2] + rows_of(frame)[-2:]
    assert shown(h5zarr, path / "var", 2)[2] == [["0"], ["1"]]
    lines = h5zarr("show", path / "obs", **HDF5).stdout.splitlines()
    assert lines[2] == "AnnData dataframe: 21 rows, 6 columns" and lines[4].split()[:2] == ["cell0", "0"]


def test_an_index_of_nullable_text(h5zarr, tmp_path):
    """As anndata writes it with pandas 3."""
    with h5py.File(tmp_path / "a.h5", "w") as f:
        obs = f.create_group("obs")
        obs.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
        obs.attrs["column-order"] = ["n"]
        index = obs.create_group("_index")
        index.attrs.update({"encoding-type": "nullable-string-array", "encoding-version": "0.1.0"})
        index["values"], index["mask"], obs["n"] = ["a", "b", "c"], [False, True, False], [1, 2, 3]
    assert shown(h5zarr, tmp_path / "a.h5/obs", 10) == ("AnnData dataframe", ["_index", "n"], [["a", 1], [None, 2], ["c", 3]])


def test_pandas_frames(h5zarr, tmp_path, frame):
    numbers = frame[["n", "x"]].assign(y=frame["x"] * 2)
    numbers.to_hdf(tmp_path / "p.h5", key="fixed", format="fixed")
    numbers.to_hdf(tmp_path / "p.h5", key="a/table", format="table", data_columns=["n"])
    what, names, rows = shown(h5zarr, tmp_path / "p.h5/fixed", 10)
    assert (what, sorted(names)) == ("pandas dataframe", ["index", "n", "x", "y"])
    assert rows == rows_of(numbers[names[1:]])
    what, names, rows = shown(h5zarr, tmp_path / "p.h5/a/table", 10)
    assert (what, names) == ("pandas table", ["index", "x", "y", "n"])
    assert rows == rows_of(numbers[names[1:]])


def test_a_column_that_cannot_be_read(h5zarr, tmp_path, frame):
    anndata.AnnData(X=np.zeros((21, 2), "f4"), obs=frame.copy()).write_zarr(tmp_path / "a.zarr")
    chunk = next(path for path in (tmp_path / "a.zarr/obs/x").rglob("*") if path.is_file() and path.name[0] not in ".z")
    chunk.write_bytes(b"none")
    said = h5zarr("show", tmp_path / "a.zarr/obs", expect=1, **HDF5)
    assert [line.split()[-3] for line in said.stdout.splitlines()[4:6]] != [] and "x: " in said.stderr
    table = json.loads(h5zarr("show", "--json", "-n", 10, tmp_path / "a.zarr/obs", expect=1, **HDF5).stdout)["table"]
    assert table["head"] == [[*row[:3], None, *row[4:]] for row in rows_of(frame)]


def array(path, **members):
    path.mkdir(parents=True)
    about = {"zarr_format": 2, "shape": [3], "chunks": [1], "dtype": "<i4", "fill_value": 0, "compressor": {"id": "zlib", "level": 1}, "filters": None,
             "order": "C", **members}
    (path / ".zarray").write_text(json.dumps(about))


def test_hostile_stores(h5zarr, tmp_path):
    store = tmp_path / "h.zarr"
    store.mkdir()
    (store / ".zgroup").write_text('{"zarr_format": 2}')
    array(store / "giant", dtype=f"|S{1 << 30}")
    array(store / "unknown", dtype="<q99")
    array(store / "codec", compressor={"id": "nonesuch"})
    array(store / "rank", shape=[2] * 32, chunks=[2] * 16 + [1] * 16, dtype="|u1")
    (store / "rank" / ".".join(["0"] * 32)).write_bytes(zlib.compress(bytes(range(256)) * 256))
    array(store / "bad\x1b[31m", dtype="|S2")
    (store / "bad\x1b[31m" / "0").write_bytes(zlib.compress(b"\xff\x1b"))
    (store / "bad\x1b[31m" / ".zattrs").write_text(json.dumps({"long": "y" * 2_000_000, "list": [*range(300_000)], "e\x1b": "\x1b]0;x\x07"}))
    for name, words in ("giant", "too large"), ("unknown", '"<q99" is not known'), ("codec", '"nonesuch" is not supported'):
        said = h5zarr("show", store / name, expect=1, **HDF5)
        assert words in said.stderr and len(said.stdout) < 2000
        assert json.loads(h5zarr("show", "--json", store / name, expect=1, **HDF5).stdout)["errors"]
    said = h5zarr("show", store / "rank", **HDF5).stdout
    assert "65,536 of 4,294,967,296 elements" in said and "65,535 chunks are not stored" in said
    said = h5zarr("show", store / "bad\x1b[31m", **HDF5).stdout
    assert "\x1b" not in said and "\x07" not in said and r"\xff\x1b" in said and "not read" in said and len(said) < 4000
    assert "\x1b" not in h5zarr("show", store, expect=0, **HDF5).stdout


def test_without_utf8_colour_or_a_terminal(h5zarr, tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f["a"] = np.arange(60.0).reshape(6, 10)
    plain = h5zarr("show", tmp_path / "x.h5/a", LC_ALL="C", **HDF5).stdout
    assert plain.isascii() and "\x1b" not in plain and "@@" in plain
    assert "█" in h5zarr("show", tmp_path / "x.h5/a", LC_ALL="C.UTF-8", **HDF5).stdout


def test_files_on_a_server(h5zarr, tmp_path, frame):
    """Arrays and tables of an HDF5 file and of a store, by ranges and whole values."""
    data = anndata.AnnData(X=np.arange(42, dtype="f4").reshape(21, 2), obs=frame.copy())
    data.write_h5ad(tmp_path / "a.h5ad")
    data.write_zarr(tmp_path / "a.zarr")
    server = FileServer(tmp_path)
    try:
        for name in "a.h5ad", "a.zarr":
            assert shown(h5zarr, f"{server.url}/{name}/obs", 10)[2] == rows_of(frame)
            said = json.loads(h5zarr("show", "--json", f"{server.url}/{name}/X[19:]", **HDF5).stdout)
            assert said["values"][0]["values"] == [[38, 39], [40, 41]] and said["errors"] == []
    finally:
        server.stop()
