"""Every kind of AnnData element, written through the connector and by anndata's own Zarr writer, read both ways."""

import numpy as np
import pytest

anndata = pytest.importorskip("anndata")
pd = pytest.importorskip("pandas")
sparse = pytest.importorskip("scipy.sparse")
import h5py  # noqa: E402
import zarr  # noqa: E402
from anndata.io import read_elem, write_elem  # noqa: E402
from anndata.tests.helpers import assert_equal  # noqa: E402

import view  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

DENSE = np.arange(12, dtype="f4").reshape(4, 3)
SPARSE = sparse.random(40, 30, 0.1, "csr", random_state=1)
TEXT = np.array(["plain", "größe", "", "日本語 \U0001f9ec", "x" * 3000], dtype=object)


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
    }, index=[f"cell {i}" for i in range(5)])


RECORDS = np.array([(1, 2.5, True), (3, np.nan, False)], dtype=[("n", "<i4"), ("x", "<f8"), ("flag", "?")])
NAMED = np.array([("α", "b", 1.0), ("gene-2", "", 2.0)], dtype=[("names", "U10"), ("g", "U3"), ("scores", "<f4")])

ELEMENTS = {
    "dense float32": DENSE,
    **{f"array {t}": np.arange(6).astype(t).reshape(2, 3)
       for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "?", ">f8", ">i4")},
    "array order F": np.asfortranarray(DENSE),
    "array with NaN": np.array([np.nan, np.inf, -np.inf, -0.0]),
    "array empty": np.zeros((0,)),
    "array empty 2-D": np.zeros((3, 0), "i4"),
    "array 4-D": np.arange(120).reshape(2, 3, 4, 5),
    "bytes": np.array([b"abc", b"", b"de"], dtype="S3"),
    "text": TEXT,
    "text 2-D": TEXT[:4].reshape(2, 2),
    "text empty": np.array([], dtype=object).astype(str),
    "csr": SPARSE,
    "csc": SPARSE.tocsc(),
    "csr int": (SPARSE * 10).astype("i4"),
    "csr bool": SPARSE > 0.5,
    "csr empty": sparse.csr_matrix((5, 4)),
    "csr without rows": sparse.csr_matrix((0, 4)),
    "frame": frame(),
    "frame without columns": pd.DataFrame(index=["a", "b"]),
    "frame without rows": frame().iloc[:0],
    "frame of one text column": pd.DataFrame({"t": ["x", "y"]}, index=["0", "1"]),
    "categorical": pd.Categorical(["a", "b", "a"]),
    "nullable text": pd.array(["a", None, "ç"], dtype="string"),
    "records": RECORDS,
    "records with text": NAMED,
    "scalar int": 7, "scalar float": 0.1, "scalar inf": float("-inf"), "scalar bool": True, "scalar complex": 1 + 2j,
    "scalar u1": np.uint8(255), "scalar text": "ein Wort", "scalar empty text": "", "scalar long text": "long " * 5000,
    "none": None,
    "nested": {"a": {"b": {"c": 1, "deep": {"list": [1, 2, 3], "strings": ["p", "q"]}}}, "empty": {}, "flag": False},
    "names with odd characters": {"CD4%20 ratio": 1, "a.b": 2, "ünï": 3, " space ": 4, "c": 5, ".zx": 6, "0.0": 7},
}


def write_all(path):
    """The names that anndata wrote; what h5py cannot hold it refuses by itself, natively as here."""
    anndata.settings.allow_write_nullable_strings = True
    with h5py.File(path, "w") as f:
        written = []
        for name, element in ELEMENTS.items():
            try:
                write_elem(f, name, element)
                written.append(name)
            except Exception as error:
                written.append((name, type(error).__name__))
    return written


@pytest.fixture(scope="module")
def places(tmp_path_factory, connector):
    where = tmp_path_factory.mktemp("elements")
    natively = write_all(where / "native.h5")
    assert len([name for name in natively if isinstance(name, str)]) > len(ELEMENTS) - 5
    assert connector.run(write_all, str(where / "ours.zarr")) == natively
    root = zarr.open_group(where / "theirs.zarr", mode="w", zarr_format=2)
    for name, element in ELEMENTS.items():
        try:
            write_elem(root, name, element)
        except Exception:  # what anndata does not write to Zarr is not judged in that direction
            root.attrs[name] = "refused"
    return where


def opened(where, kind):
    if kind == "zarr":
        return zarr.open_group(where, mode="r")
    return h5py.File(where, "r")


@pytest.mark.parametrize("name", ELEMENTS)
@pytest.mark.parametrize("store, reader", [("ours.zarr", "zarr"), ("ours.zarr", "hdf5"), ("theirs.zarr", "hdf5")])
def test_element(places, name, store, reader):
    oracle = opened(places / "theirs.zarr", "zarr") if store == "theirs.zarr" else opened(places / "native.h5", "hdf5")
    if name not in oracle:
        pytest.skip("anndata itself refuses to write this")
    expected = read_elem(oracle[name])
    assert_equal(read_elem(opened(places / store, reader)[name]), expected)


def test_hdf5_view_equals_native(places):
    ours, native = view.file_tree(places / "ours.zarr"), view.file_tree(places / "native.h5")
    assert ours.keys() == native.keys()
    assert {name: ours[name] for name in ours if ours[name] != native[name]} == {}
