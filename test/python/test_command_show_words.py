"""h5zarr show: elements of every type and shape in words and in JSON, as h5py, numpy and xarray have them; widths of wide characters; texts that
were made to harm."""

import json
import os
import re
import subprocess
import unicodedata

import h5py
import numpy as np
import pytest
import xarray as xr
import zarr

from places import COMMAND

pytestmark = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores")
HDF5 = {"VOL_ZARR_HDF5": os.environ.get("VZ_HDF5", "")}
TIMES = np.array(["2020-01-01", "NaT", "2021-05-06T07:08:09.5"], dtype="M8[ns]")
TEXTS = ["plain", "\u65e5\u672c\u8a9e\u30c6\u30ad\u30b9\u30c8", "e\u0301a\u0308", "tab\tnew\nline", "red\x1b[31m", "invoice\u202egnp.exe\u2066", "", "x" * 100]


def fill(f):
    f["text"] = TEXTS
    f["fixed"] = np.array([b"ab", b"\xff\xfe"], "S4")
    f["bool"] = np.array([[True, False], [False, True]])
    f["complex"] = np.array([1 + 2j, 3 - 4j])
    f["enum"] = np.array([0, 2, 1], dtype=h5py.enum_dtype({"RED": 0, "GREEN": 1, "BLUE": 2}))
    f["opaque"] = np.void(b"\x01\x02\xff")
    f.create_dataset("vlen", (2,), h5py.vlen_dtype("i4"))[0] = [1, 2, 3]
    f["ref"] = np.array([f["bool"].ref, h5py.Reference()], dtype=h5py.ref_dtype)
    f["scalar"] = 3.5
    f["null"] = h5py.Empty("f4")
    f["zero"] = np.zeros((3, 0, 4))
    f["nan"] = np.array([np.nan, np.inf, -np.inf, 1.0])
    f["single"] = np.array([0.1, 16777216, 1e-30], "f4")
    f["large"] = np.array([2**64 - 1, 0], "u8")
    f.create_dataset("allfill", (100, 100), chunks=(10, 10), dtype="f4", fillvalue=7)
    f["rows"] = np.array([("\u6771\u4eac", 1.5), ("e\u0301", -2)], dtype=[("city", h5py.string_dtype()), ("x", "f8")])
    f["time"] = TIMES.astype(h5py.opaque_dtype(TIMES.dtype))
    f["days"] = np.array([0, 59, 60])
    f["days"].attrs.update({"units": "days since 2000-01-01", "calendar": "standard"})
    f["hours"] = np.array([0.5, 24, np.nan])
    f["hours"].attrs["units"] = "hours since 2020-02-28 23:30:00"


WORDS = {"bool": ["TRUE", "FALSE", "FALSE", "TRUE"], "enum": ["RED", "BLUE", "GREEN"], "opaque": ["0x0102ff"], "ref": ["reference to /bool", "null reference"],
         "scalar": ["3.5"], "nan": ["nan", "inf", "-inf", "1"], "single": ["0.1", "16777216", "1e-30"], "large": ["18446744073709551615", "0"],
         "vlen": ["[1, 2, 3]", "[]"], "complex": ["1+2j", "3-4j"], "time": ["2020-01-01T00:00:00.000000000", "NaT", "2021-05-06T07:08:09.500000000"],
         "days": ["2000-01-01", "2000-02-29", "2000-03-01"], "hours": ["2020-02-29", "2020-02-29 23:30:00", "nan"]}
VALUES = {"bool": [[True, False], [False, True]], "enum": ["RED", "BLUE", "GREEN"], "opaque": "0x0102ff", "ref": ["reference to /bool", "null reference"],
          "scalar": 3.5, "nan": ["NaN", "Infinity", "-Infinity", 1], "single": [0.1, 16777216, 1e-30], "large": [2**64 - 1, 0], "vlen": [[1, 2, 3], []],
          "complex": [[1, 2], [3, -4]], "text": TEXTS, "days": [0, 59, 60], "time": WORDS["time"]}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    where = tmp_path_factory.mktemp("words")
    with h5py.File(where / "x.h5", "w") as f:
        fill(f)
    subprocess.run([COMMAND, "convert", "-q", where / "x.h5", where / "x.zarr"], check=True, env={**os.environ, **HDF5})
    return where


def lines_of(h5zarr, name, *more, **environment):
    """The lines of values, without their head."""
    return h5zarr("show", "--values", *more, name, **{"LC_ALL": "C.UTF-8", **HDF5, **environment}).stdout.splitlines()[2:]


@pytest.mark.parametrize("kind", ["x.h5", "x.zarr"])
def test_values_in_words(h5zarr, made, kind):
    for name, words in WORDS.items():
        lines = lines_of(h5zarr, made / kind / name)
        cells = [cell for line in lines for cell in re.split("  +", line.strip())[bool(re.match(r" *\d+  ", line)):]]
        assert [cell for cell in cells if cell in words] == words, (name, lines)
    for name in "null", "zero":
        assert lines_of(h5zarr, made / kind / name) == ["no elements"]


@pytest.mark.parametrize("kind", ["x.h5", "x.zarr"])
def test_values_in_json(h5zarr, made, kind):
    for name, values in VALUES.items():
        said = json.loads(h5zarr("show", "--json", made / kind / name, **HDF5).stdout)
        assert said["values"][0]["values"] == values and said["errors"] == [], name
    for name, shape in ("null", None), ("zero", [3, 0, 4]):
        said = json.loads(h5zarr("show", "--json", made / kind / name, **HDF5).stdout)
        assert said["shape"] == shape and said["errors"] == []


def test_dates_are_xarrays(h5zarr, made):
    for name in "days", "hours":
        with h5py.File(made / "x.h5") as f:
            attributes = {key: str(value) for key, value in f[name].attrs.items()}
            decoded = xr.decode_cf(xr.Dataset({name: ("t", f[name][...], attributes)}))[name].values
        lines = "\n".join(lines_of(h5zarr, made / "x.h5" / name))
        for time in decoded[~np.isnat(decoded)]:
            assert str(time.astype("M8[s]")).replace("T", " ").removesuffix(" 00:00:00") in lines
    assert f"{attributes['units']}, as dates" in lines
    said = h5zarr("show", "--statistics", made / "x.h5/days", **HDF5).stdout
    assert "least 0 (2000-01-01), greatest 60 (2000-03-01)" in said


def test_nothing_stored_is_no_data(h5zarr, made):
    said = h5zarr("show", made / "x.h5/allfill", **HDF5).stdout
    assert "statistics of 0 of 10,000 elements" in said and "100 chunks are not stored: not counted here, read as 7" in said
    assert "chunks: 0 of 100 stored" in said and "thumbnail" not in said


def columns(text):
    """As a terminal has them (Unicode's East Asian Width)."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def test_columns_stand_below_each_other(h5zarr, made):
    lines = lines_of(h5zarr, made / "x.h5/rows")[1:]
    ends = {columns(line.rstrip()) for line in lines}
    assert len(lines) == 3 and len(ends) == 1, lines
    lines = lines_of(h5zarr, made / "x.h5/text")
    assert max(map(columns, lines)) == columns("0  ") + 32 and "..." in lines[-1]


def test_texts_cannot_harm_a_terminal(h5zarr, made):
    for locale in "C.UTF-8", "C":
        shown = "\n".join(lines_of(h5zarr, made / "x.h5/text", LC_ALL=locale))
        assert not any(unicodedata.category(c) in ("Cc", "Cf") for c in shown.replace("\n", "")), shown
        assert r"tab\x09new\x0aline" in shown and r"red\x1b[31m" in shown and r"invoice\u202egnp.exe\u2066" in shown


@pytest.mark.parametrize("width", [40, 25, 1])
def test_it_is_as_wide_as_asked_for(h5zarr, made, tmp_path, width):
    with h5py.File(tmp_path / "w.h5", "w") as f:
        f["a"] = np.arange(4000.0).reshape(40, 100)
    lines = h5zarr("show", tmp_path / "w.h5/a", COLUMNS=str(width), **HDF5).stdout.splitlines()
    values = lines[2:lines.index("")] if "" not in lines[2:] else lines[2:2 + lines[2:].index("")]
    assert max(map(len, values)) <= max(width, 20), values
    assert max(len(line) for line in lines if line.startswith("  |")) <= max(width, 12)


def test_rows_of_sparse_matrices(h5zarr, tmp_path):
    """As scipy has them in coordinates; AnnData's writing."""
    import anndata
    import scipy.sparse

    matrix = scipy.sparse.random(300, 40, 0.02, format="csr", random_state=np.random.default_rng(3))
    data = anndata.AnnData(X=matrix.copy(), layers={"columns": matrix.tocsc()})
    data.write_h5ad(tmp_path / "a.h5ad")
    data.write_zarr(tmp_path / "a.zarr")
    for name in "a.h5ad", "a.zarr":
        for path, wanted in ("X", matrix.tocsr().tocoo()), ("layers/columns", matrix.tocsc().tocoo()):
            said = json.loads(h5zarr("show", "--json", "-n", 10, tmp_path / name / path, **HDF5).stdout)["table"]
            triples = [[int(r), int(c), pytest.approx(v)] for r, c, v in zip(wanted.row, wanted.col, wanted.data)]
            assert said["head"] == triples[:10] and said["tail"] == triples[-10:] and said["rows"] == matrix.nnz
        text = h5zarr("show", tmp_path / name / "X", **HDF5).stdout
        assert f"sparse matrix (csr) of shape (300, 40), 2 % stored: {matrix.nnz} elements" in text


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("dtype", ["f4", "i2", "u1", "?"])
def test_statistics_of_sparse_matrices(h5zarr, tmp_path, form, dtype):
    """Those of numpy, with all zeros: some are stored, most are not."""
    import anndata
    import scipy.sparse

    noise = np.random.default_rng(6)
    matrix = scipy.sparse.random(90, 70, 0.1, format=form, random_state=noise)
    matrix.data = noise.integers(-3 if dtype in ("f4", "i2") else 0, 4, matrix.nnz).astype(dtype)
    dense = matrix.toarray()
    data = anndata.AnnData(X=matrix)
    data.write_h5ad(tmp_path / "a.h5ad")
    data.write_zarr(tmp_path / "a.zarr")
    found, counts = np.unique(dense, return_counts=True)
    for name in "a.h5ad", "a.zarr":
        said = json.loads(h5zarr("show", "--json", "--statistics", tmp_path / name / "X", **HDF5).stdout)["statistics"]
        assert (said["of"], said["counted"], said["not_stored"], said["distinct"]) == (dense.size, dense.size, dense.size - matrix.nnz, len(found))
        assert sorted(each["count"] for each in said["values"]) == sorted(counts)
        if dtype != "?":
            assert (said["least"], said["greatest"]) == (dense.min(), dense.max())
            assert said["mean"] == pytest.approx(dense.mean(dtype="f8")) and said["deviation"] == pytest.approx(dense.std(dtype="f8"))
        text = h5zarr("show", tmp_path / name / "X", **HDF5).stdout
        assert f"\nstatistics of 6,300 elements\n  {dense.size - matrix.nnz:,} of them are not stored: counted as 0\n" in text


def test_a_sample_of_a_sparse_matrix(h5zarr, tmp_path):
    """Of more stored elements than are read: zeros count in their share."""
    noise = np.random.default_rng(7)
    values = noise.integers(1, 9, 3_000_000).astype("u1")
    with h5py.File(tmp_path / "x.h5", "w") as f:
        x = f.create_group("X")
        x.attrs.update({"encoding-type": "csr_matrix", "shape": [4000, 3000]})
        x.create_dataset("data", data=values, chunks=(10_000,))
        x["indptr"] = np.arange(4001) * 750
        x.create_dataset("indices", data=np.tile(np.arange(750), 4000), chunks=(10_000,))
    said = json.loads(h5zarr("show", "--json", "--statistics", tmp_path / "x.h5/X", **HDF5).stdout)["statistics"]
    assert said["sampled"] and said["of"] == 12_000_000 and 3_000_000 < said["counted"] < 5_000_000
    mean = values.sum() / 12_000_000
    deviation = np.sqrt((values.astype("f8") ** 2).sum() / 12_000_000 - mean ** 2)
    assert said["mean"] == pytest.approx(mean, rel=0.01) and said["deviation"] == pytest.approx(deviation, rel=0.01) and said["least"] == 0


def test_damaged_sparse_matrices(h5zarr, tmp_path):
    def matrix(group, **more):
        group.attrs.update({"encoding-type": "csr_matrix", "shape": [3, 4]})
        for name, values in {"data": [1.0, 2, 3], "indices": [0, 1, 2], "indptr": [0, 1, 2, 3], **more}.items():
            group[name] = values

    with h5py.File(tmp_path / "x.h5", "w") as f:
        matrix(f.create_group("short"), indptr=[0, 3])
        matrix(f.create_group("wild"), indptr=[9, -5, 2**40, 1])
        matrix(f.create_group("text"), indptr=["a", "b", "c", "d"])
        matrix(f.create_group("few"), indices=[0])
        f.create_group("none").attrs["encoding-type"] = "csr_matrix"
        matrix(f.create_group("huge"))
        f["huge"].attrs["shape"] = np.array([2**63 - 1, 2**63 - 1])
        matrix(f.create_group("full"))
        f["full"].attrs["shape"] = np.array([3, 0])
        matrix(f.create_group("tight"))
        f["tight"].attrs["shape"] = np.array([3, 1])
        matrix(f.create_group("words"), data=["a", "b", "c"])
    for name in "short", "wild", "text", "few", "none", "huge", "full", "tight", "words":
        said = subprocess.run([COMMAND, "show", tmp_path / "x.h5" / name], capture_output=True, text=True, env={**os.environ, **HDF5}, timeout=60)
        assert said.returncode in (0, 1) and len(said.stdout) < 5000, name
        assert said.returncode == 0 or said.stderr.startswith("h5zarr: "), (name, said)
