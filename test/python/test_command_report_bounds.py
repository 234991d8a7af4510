"""h5zarr report and show: what they take, and what they say, of stores and files that are much too large for a page; tables on pages, as pandas has
them."""

import json
import os
import re
import subprocess
import sys

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
import zarr

from places import COMMAND
from report_pages import read

pytestmark = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores")
ENVIRONMENT = {**os.environ, "VOL_ZARR_HDF5": os.environ.get("VZ_HDF5", "")}
GROUP = '{"zarr_format": 2}'

# Runs a command, and tells its exit status, the most memory that it or its children took (KiB), and what it printed.
MEASURED = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
print(json.dumps([done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.stdout, done.stderr]))
"""


def measured(*words):
    done = subprocess.run([sys.executable, "-c", MEASURED, COMMAND, *map(str, words)], capture_output=True, text=True, env=ENVIRONMENT, timeout=300, check=True)
    return json.loads(done.stdout)


def model_of(path, *more, memory):
    status, most, out, errors = measured("report", "--json", *more, path)
    assert (status, errors) == (0, "") and most < memory << 10, (most, errors)
    return json.loads(out)


def test_many_nodes(tmp_path):
    """A page has some of them, and says so; test/python/large_looks.py has a million."""
    path = tmp_path / "many.json"
    path.write_text(json.dumps({"version": 1, "refs": {".zgroup": GROUP, "many/.zgroup": GROUP, **{f"many/n{i:07}/.zgroup": GROUP for i in range(30_000)}}}))
    model = model_of(path, memory=600)
    nodes = {node["path"]: node for node in model["nodes"]}
    assert nodes["/many"]["members"] == 30_000 and "29500 of its members are not shown." in nodes["/many"]["notes"]
    assert re.match("29500 objects at least: at most 500 members of a group are shown, 1000 levels, and 5000 objects", model["notes"][0])
    status, most, out, errors = measured("show", path)
    assert (status, errors) == (0, "") and len(out) < 500
    status, most, out, errors = measured("show", f"{path}/many")
    assert (status, errors) == (0, "") and "... 29,900 more" in out and most < 600 << 10


def test_deep_groups(tmp_path):
    with h5py.File(tmp_path / "deep.h5", "w") as f:
        group = f
        for _ in range(10_000):
            group = group.create_group("d")
    model = model_of(tmp_path / "deep.h5", memory=600)
    assert [node["level"] for node in model["nodes"]] == list(range(1001)) and "1 of its members are not shown." in model["nodes"][-1]["notes"]
    done = subprocess.run([COMMAND, "report", tmp_path / "deep.h5", "-o", "-"], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    assert len(done.stdout) < 8 << 20 and read(done.stdout)
    status, most, out, errors = measured("show", tmp_path / "deep.h5")
    assert (status, errors) == (0, "") and "  d  group" in out


def test_a_value_of_5_gib(tmp_path):
    """One chunk, a hole in a file, of which only parts are read."""
    store = tmp_path / "x.zarr"
    (store / "a").mkdir(parents=True)
    (store / ".zgroup").write_text(GROUP)
    (store / "a/.zarray").write_text(json.dumps({"zarr_format": 2, "shape": [5 << 30], "chunks": [5 << 30], "dtype": "|u1", "fill_value": 0, "order": "C",
                                                 "compressor": None, "filters": None}))
    with open(store / "a/0", "wb") as file:
        file.truncate(5 << 30)
    status, most, out, errors = measured("show", store / "a")
    assert (status, errors) == (0, "") and most < 400 << 10
    assert "chunks: 1 of 1 stored" in out and "5.0 GiB" in out and "1,048,576 of 5,368,709,120 elements, a sample" in out
    node = model_of(store, memory=400)["nodes"][1]
    assert "picture" in node and node["stored"] == 5 << 30
    (store / "b").mkdir()
    about = json.loads((store / "a/.zarray").read_text()) | {"compressor": {"id": "zlib", "level": 1}}
    (store / "b/.zarray").write_text(json.dumps(about))
    os.link(store / "a/0", store / "b/0")  # which is no stream of zlib's, and too large to be read
    status, most, out, errors = measured("show", store / "b")
    assert status == 1 and len(errors) < 3000 and most < 3200 << 10


def test_an_attribute_of_100_mb(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f.attrs["long"] = "y" * (100 << 20)
        f.attrs["list"] = ["z" * 1000] * 3000
    model = model_of(tmp_path / "x.h5", memory=900)
    by_name = {attribute["name"]: attribute for attribute in model["nodes"][0]["attributes"]}
    assert by_name["long"]["value"] == "y" * 2000 and "104857600 bytes" in by_name["long"]["note"]
    assert len(by_name["list"]["value"]) == 2000 and "the first 1000 of 3000 elements" in by_name["list"]["note"]
    status, most, out, errors = measured("show", tmp_path / "x.h5")
    assert (status, errors) == (0, "") and len(out) < 2000 and most < 900 << 10 and "104857600 bytes, of which this is the beginning" in out
    status, most, out, errors = measured("show", "--json", tmp_path / "x.h5")
    assert status == 0 and len(out) < 2 << 20


def test_an_array_of_1_tb(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as f:
        large = f.create_dataset("a", (10**6, 125_000), chunks=(1000, 1250), dtype="f8", compression="gzip")
        large[5000:6000, :5000] = np.ones((1000, 5000))
    model = model_of(tmp_path / "x.h5", memory=600)
    node = model["nodes"][1]
    assert node["decoded"] == 10**12 and ["Range", "1 to 1"] in node["statistics"] and any("a sample" in text for _, text in node["statistics"])
    status, most, out, errors = measured("show", tmp_path / "x.h5/a")
    assert (status, errors) == (0, "") and ", a sample" in out and most < 600 << 10 and "chunks: 4 of 100,000 stored" in out


def test_tables_are_pandas(tmp_path):
    noise = np.random.default_rng(1)
    frame = pd.DataFrame({"n": np.arange(21), "kind": pd.Categorical(noise.choice(["B", "<b>T</b>", None], 21)), "x": noise.integers(0, 99, 21) / 4,
                          "some": pd.array([1, None, 3] * 7, dtype="Int64"), "text": list("abc") * 7}, index=[f"cell{i}" for i in range(21)])
    anndata.AnnData(X=np.zeros((21, 2), "f4"), obs=frame).write_zarr(tmp_path / "a.zarr")
    with h5py.File(tmp_path / "b.h5", "w") as f:
        f["wide"] = np.zeros(3, dtype=[(f"c{i}", "i4") for i in range(30)])
        f["long"] = np.array([("x" * 1000,)], dtype=[("t", "S1000")])
    nodes = {node["path"]: node for node in model_of(tmp_path / "a.zarr", memory=600)["nodes"]}
    table = nodes["/obs"]["table"]
    assert [column["name"] for column in table["columns"]] == ["_index", *frame] and (table["rows"], table["what"]) == (21, "AnnData dataframe")
    wanted = [[index, *(None if pd.isna(cell) else f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in row)]
              for index, row in zip(frame.index, frame.itertuples(index=False))]
    assert table["head"] == wanted[:5] and table["tail"] == wanted[-5:]
    done = subprocess.run([COMMAND, "report", tmp_path / "a.zarr", "-o", "-"], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    page = read(done.stdout)
    assert "AnnData dataframe: 21 rows, 5 columns" in page.text and "<b>T</b>" in page.text and "... 11 more" in page.text
    nodes = {node["path"]: node for node in model_of(tmp_path / "b.h5", memory=600)["nodes"]}
    assert len(nodes["/wide"]["table"]["columns"]) == 20 and nodes["/wide"]["table"]["columns_left_out"] == 10
    assert nodes["/long"]["table"]["head"] == [["x" * 200 + "..."]]
