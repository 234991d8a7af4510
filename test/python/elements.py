"""Whatever AnnData can write as an element: {name: value}. Each encoding in all the forms that end differently in a file."""

import numpy as np
import pandas as pd
from scipy import sparse

try:
    import awkward as ak
except ImportError:
    ak = None

DENSE = np.arange(12, dtype="f4").reshape(4, 3)
SPARSE = sparse.random(40, 30, 0.1, "csr", random_state=1)
TEXT = np.array(["plain", "größe", "", "日本語 \U0001f9ec", "x" * 3000], dtype=object)
ROWS = [f"cell {i}" for i in range(5)]


def frame():
    return pd.DataFrame({
        "int": np.arange(5), "float": [0.5, np.nan, -np.inf, 1e300, 0], "text": TEXT, "bool": [True, False, True, True, False],
        "u1": np.arange(5, dtype="u1"),
        "category": pd.Categorical(["b", "a", None, "b", "ü"], categories=["b", "a", "ü"]),
        "ordered": pd.Categorical(["low", "high", "low", "low", "mid"], categories=["low", "mid", "high"], ordered=True),
        "numbers": pd.Categorical([3.5, 1.5, 3.5, np.nan, 1.5]),
        "nullable int": pd.array([1, None, 3, 4, None], dtype="Int64"),
        "nullable u1": pd.array([1, None, 3, 4, None], dtype="UInt8"),
        "nullable bool": pd.array([True, None, False, None, True], dtype="boolean"),
        "nullable text": pd.array(["a", None, "ç", "", None], dtype="string"),
    }, index=ROWS)


def odd_frame():
    """Names that a path, a shell or a JSON document could stumble over."""
    names = [" ", "a.b", "..x", "%2F", "ünï çødé", "0.0", "c", "zarr", "_index2", "quote\"s", "tab\tnew\nline", "index", "x" * 150, "A", "a", "\U0001f9ec"]
    return pd.DataFrame({name: [i, i + 1] for i, name in enumerate(names)}, index=["r1", "r2"])


RECORDS = np.array([(1, 2.5, True), (3, np.nan, False)], dtype=[("n", "<i4"), ("x", "<f8"), ("flag", "?")])
NAMED = np.array([("α", "b", 1.0), ("gene-2", "", 2.0)], dtype=[("names", "U10"), ("g", "U3"), ("scores", "<f4")])

ARRAYS = {
    "dense float32": DENSE,
    **{f"array {t}": np.arange(6).astype(t).reshape(2, 3)
       for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "?", ">f8", ">i4", ">c16")},
    "array limits": np.array([np.iinfo("u8").max, 0], "u8"),
    "array order F": np.asfortranarray(DENSE),
    "array strided": np.arange(40.0).reshape(8, 5)[::2, ::-1],
    "array with NaN": np.array([np.nan, np.inf, -np.inf, -0.0]),
    "array complex NaN": np.array([complex(np.nan, 1), complex(-0.0, np.inf)]),
    "array empty": np.zeros((0,)),
    "array empty 2-D": np.zeros((3, 0), "i4"),
    "array empty bool": np.zeros((0,), "?"),
    "array 4-D": np.arange(120).reshape(2, 3, 4, 5),
    "array masked": np.ma.masked_array([1, 2, 3], [False, True, False]),
    "array 0-d": np.array(3.5),
    "array of zeros": np.zeros((50, 4)),
    "list": [1, 2, 3], "list of text": ["p", "q"], "list of bools": [True, False], "list empty": [],
    "bytes": np.array([b"abc", b"", b"de"], dtype="S3"),
    "text": TEXT,
    "text 2-D": TEXT[:4].reshape(2, 2),
    "text empty": np.array([], dtype=object).astype(str),
    "text of fixed width": np.array(["a", "größe", ""], "U9"),
    "text of numpy's own": np.array(["eins", "", "größe"], dtype=np.dtypes.StringDType()),
}

MATRICES = {
    "csr": SPARSE,
    "csc": SPARSE.tocsc(),
    "csr array": sparse.csr_array(SPARSE),
    "csc array": sparse.csc_array(SPARSE),
    "csr int": (SPARSE * 10).astype("i4"),
    "csr bool": SPARSE > 0.5,
    "csr float32": SPARSE.astype("f4"),
    "csr wide indices": sparse.csr_matrix((SPARSE.data, SPARSE.indices.astype("i8"), SPARSE.indptr.astype("i8")), shape=SPARSE.shape),
    "csr with zeros": sparse.csr_matrix((np.zeros(2), np.array([1, 0]), np.array([0, 1, 2])), shape=(2, 2)),
    "csr empty": sparse.csr_matrix((5, 4)),
    "csr without rows": sparse.csr_matrix((0, 4)),
    "csc without columns": sparse.csc_matrix((4, 0)),
}

FRAMES = {
    "frame": frame(),
    "frame without columns": pd.DataFrame(index=["a", "b"]),
    "frame without rows": frame().iloc[:0],
    "frame without anything": pd.DataFrame(index=pd.Index([], dtype=object)),
    "frame of one text column": pd.DataFrame({"t": ["x", "y"]}, index=["0", "1"]),
    "frame with odd names": odd_frame(),
    "frame with a named index": pd.DataFrame({"a": [1, 2]}, index=pd.Index(["x", "y"], name="barcode ü")),
    "frame with a numeric index": pd.DataFrame({"a": [1.5, 2.5]}, index=pd.Index([10, 20])),
    "frame with index and column of one name": pd.DataFrame({"k": ["x", "y"], "b": [1, 2]}, index=pd.Index(["x", "y"], name="k")),
}

COLUMNS = {
    "categorical": pd.Categorical(["a", "b", "a"]),
    "categorical ordered": pd.Categorical(["a", "b", None], ["b", "a", "unused"], ordered=True),
    "categorical of numbers": pd.Categorical([30, 10, 20, 10]),
    "categorical of bools": pd.Categorical([True, False, None]),
    "categorical all missing": pd.Categorical([None, None], categories=["never"]),
    "categorical empty": pd.Categorical([]),
    "categorical of many": pd.Categorical([f"c{i}" for i in range(300)]),
    **{f"nullable {t}": pd.array([1, None, 3], dtype=t) for t in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")},
    "nullable bool": pd.array([True, None, False], dtype="boolean"),
    "nullable int, nothing missing": pd.array([1, 2], dtype="Int32"),
    "nullable int empty": pd.array([], dtype="Int64"),
    "nullable text": pd.array(["a", None, "ç"], dtype="string"),
}

TABLES = {
    "records": RECORDS,
    "records with text": NAMED,
    "records as recarray": RECORDS.view(np.recarray),
    "records with objects": np.array([("short", 1), ("ein längerer Text", 2)], dtype=[("t", object), ("n", "<i8")]),
    "records with bytes": np.array([(b"ab", 1), (b"", 2)], dtype=[("s", "S4"), ("n", "<u2")]),
    "records empty": RECORDS[:0],
}

SCALARS = {
    "scalar int": 7, "scalar negative": -(2**63), "scalar float": 0.1, "scalar inf": float("-inf"), "scalar bool": True,
    **{f"scalar {t}": np.dtype(t).type(1) for t in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16", "?")},
    "scalar largest": np.uint64(2**64 - 1),
    "scalar text": "ein Wort", "scalar empty text": "", "scalar long text": "long " * 5000, "scalar numpy text": np.str_("größe"),
    "none": None,
}

MAPPINGS = {
    "nested": {"a": {"b": {"c": 1, "deep": {"list": [1, 2, 3], "strings": ["p", "q"]}}}, "empty": {}, "flag": False},
    "nested everything": {"frame": frame(), "matrix": SPARSE, "none": None, "records": RECORDS, "column": pd.Categorical(["a"]), "text": "t",
                          "inner": {"none": None, "x": np.arange(3), "missing": pd.array([None], dtype="Int8"), "empty": np.zeros((0, 2))}},
    "empty": {},
    "names with odd characters": {"CD4%20 ratio": 1, "a.b": 2, "ünï": 3, " space ": 4, "c": 5, ".zx": 6, "0.0": 7},
}

AWKWARD = {} if ak is None else {
    "awkward ragged": ak.Array([[1, 2], [], [3]]),
    "awkward deep": ak.Array([[[1.5], []], [], [[2.5, 3.5], [4.5]]]),
    "awkward regular": ak.to_regular(ak.Array([[1, 2], [3, 4]]), axis=1),
    "awkward records": ak.Array([{"a": 1, "b": [1.5]}, {"a": 2, "b": []}]),
    "awkward text": ak.Array(["one", "", "größe"]),
    "awkward missing": ak.Array([1, None, [2.5]]),
    "awkward bools": ak.Array([[True], [], [False, None]]),
    "awkward empty": ak.Array([]),
    "awkward of numpy": ak.Array(np.arange(6, dtype="u2").reshape(2, 3)),
}

# AnnData writes these to HDF5, and no zarr-python (or none before 3.4) has them.
HDF5_ONLY = {
    "long double": np.arange(3, dtype="g"), "scalar long double": np.longdouble(1) / 3,
    "records within records": np.array([(1, (2, 3.5)), (4, (5, 6.5))], dtype=[("n", "<i4"), ("in", [("a", "<i2"), ("b", "<f8")])]),
    "records with arrays": np.array([([1, 2], 3), ([4, 5], 6)], dtype=[("v", "<f4", (2,)), ("n", "<i4")]),
}
# These it writes to Zarr only, since h5py does not know them.
ZARR_ONLY = {"datetime": np.array(["2024-02-29", "NaT", "1900-01-01"], "M8[ns]"), "timedelta": np.array([1, -5, 0], "m8[s]")}
# And these to neither.
REFUSED = {"scalar bytes": b"bytes", "scalar datetime": np.datetime64("2024-02-29"), "scalar complex": 1 + 2j}

ELEMENTS = {**ARRAYS, **MATRICES, **FRAMES, **COLUMNS, **TABLES, **SCALARS, **MAPPINGS, **AWKWARD}
