"""vol_zarr.view: the page of a path, and of what h5py has open, which is read through its handle."""

import html.parser
import io
import json
import os
import subprocess
import sys

import h5py
import numpy as np
import pytest

from places import COMMAND, ROOT
from report_pages import HOSTILE, UNSEEN, read, seen

pytestmark = pytest.mark.skipif(not COMMAND.exists(), reason="no h5zarr beside the plugin")


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    """The module by itself, as the package tells h5py where the connector lies."""
    sys.path.insert(0, str(ROOT / "python"))
    os.environ.setdefault("VOL_ZARR_HDF5", os.environ.get("VZ_HDF5", ""))
    import vol_zarr

    sys.path.remove(str(ROOT / "python"))
    return vol_zarr.view


def fill(f):
    f.attrs["title"] = "cells & more"
    f["a"] = np.arange(1200.0).reshape(40, 30)
    part = f.create_dataset("g/part", (100, 80), chunks=(10, 10), dtype="i4", compression="gzip")
    part[:30, :20] = np.arange(600).reshape(30, 20)
    f["g/text"] = ["Ann", "Bo"]
    f["curve"] = np.sin(np.arange(500) / 30)
    f["rows"] = np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])
    f["g/hard"] = f["a"]
    f["soft"] = h5py.SoftLink("/nowhere")
    f["type"] = np.dtype("f4")
    f.create_dataset("large", (10**6, 10**6), chunks=(1000, 1000), dtype="f8")


WORDS = ["cells & more", "(40, 30)", "0 to 1199", "another name of /a", "to /nowhere", "6 of 80 chunks are stored", "Ann", "compound data: 1 row, 2 columns", "deflate", "7.3 TiB"]


class Frame(html.parser.HTMLParser):
    """What Jupyter gets: a frame without rights, and the page in it."""

    def handle_starttag(self, name, attributes):
        self.elements = [*getattr(self, "elements", []), (name, dict(attributes))]


def check_frame(view):
    frame = Frame()
    frame.feed(view._repr_html_())
    ((name, attributes),) = frame.elements
    assert name == "iframe" and attributes["sandbox"] == "" and attributes["srcdoc"] == view.html and not [key for key in attributes if key.startswith("on")]
    assert not UNSEEN.search(attributes["title"])


@pytest.mark.parametrize("libver", [None, "latest"])
@pytest.mark.parametrize("where", ["disk", "memory", "deleted", "bytes"])
def test_what_h5py_has_open(view, tmp_path, where, libver):
    """Unwritten, without a name, or in memory: what is not on the disk is on the page."""
    path = tmp_path / "x.h5"
    more = {"memory": {"driver": "core", "backing_store": False}}.get(where, {})
    with h5py.File(io.BytesIO() if where == "bytes" else path, "w", libver=libver, **more) as f:
        if where == "deleted":
            path.unlink()
        fill(f)
        made = view(f)
        page = read(made.html)
        check_frame(made)
        assert all(words in page.text for words in WORDS), [words for words in WORDS if words not in page.text]
        assert len(page.pictures) == 5  # of three arrays of which elements are stored, and maps of two
        assert "Not checked" in page.text
        part = read(view(f["g"]).html)
        assert "/g/part" in part.text and "/curve" not in part.text
        one = read(view(f["g/part"]).html)
        assert "6 of 80 chunks" in one.text and "/g/text" not in one.text
        assert "0 to 1199" not in read(view(f, quick=True).html).text
        assert "3 objects in all" in read(view(f, nodes=3).html).text
    with pytest.raises(ValueError):
        view(f)


def test_a_store_that_h5py_has_open(view, tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as f:
        fill(f)
    subprocess.run([COMMAND, "convert", tmp_path / "x.h5", tmp_path / "x.zarr", "--quiet"], check=True)
    with h5py.File(tmp_path / "x.zarr", "r") as f:
        page = read(view(f).html)
    for words in ("cells & more", "0 to 1199", "another name of /a", "6 of 80 chunks"):
        assert words in page.text, words


def test_it_says_what_h5zarr_says(view, tmp_path):
    """Of the same file, read by h5py's handle: statistics, tables, pixels without a value."""
    path = tmp_path / "x.h5"
    noise = np.random.default_rng(5)
    with h5py.File(path, "w") as f:
        fill(f)
        f.create_dataset("texts", data=["b", "", "a", "b"])
        f["numbers"] = np.array([1.5, np.nan, -2, np.inf] * 5, "f4")
        f.create_dataset("kinds", data=noise.integers(0, 4, (30, 30)).astype("u1"), chunks=(7, 7))
        f["many"] = np.array([(i, i / 4, b"x%d" % i) for i in range(40)], dtype=[("i", "i4"), ("x", "f8"), ("s", "S4")])
        obs = f.create_group("obs")
        obs.attrs.update({"encoding-type": "dataframe", "_index": "cell", "column-order": ["n", "kind", "maybe"]})
        obs["cell"], obs["n"] = [f"c{i}" for i in range(20)], np.arange(20)
        kind = obs.create_group("kind")
        kind.attrs["encoding-type"] = "categorical"
        kind["codes"], kind["categories"] = np.array([0, 1, -1, 1] * 5, "i1"), ["A", "B"]
        maybe = obs.create_group("maybe")
        maybe.attrs["encoding-type"] = "nullable-integer"
        maybe["values"], maybe["mask"] = np.arange(20), np.arange(20) % 3 == 0
        x = f.create_group("X")
        x.attrs.update({"encoding-type": "csr_matrix", "shape": [3, 5]})
        x["data"], x["indices"], x["indptr"] = [1.0, 2.0, 3.0], [4, 0, 1], [0, 1, 1, 3]
        module = sys.modules["vol_zarr._view_model"]
        by_handle = {node["path"]: node for node in module.Walk(h5py, f, False, 100).model["nodes"]}
    said = subprocess.run([COMMAND, "report", "--json", path], capture_output=True, check=True)
    by_path = {node["path"]: node for node in json.loads(said.stdout)["nodes"]}
    assert by_handle.keys() == by_path.keys()
    for name, node in by_path.items():
        assert by_handle[name].get("statistics", []) == node.get("statistics", []), name
        assert by_handle[name].get("table") == node.get("table"), name
    tables = {name: node["table"]["what"] for name, node in by_path.items() if "table" in node}
    assert tables == {"/rows": "compound data", "/many": "compound data", "/obs": "AnnData dataframe", "/X": "sparse matrix (csr) of shape (3, 5), 20 % stored"}
    assert by_path["/obs"]["table"]["head"][:3] == [["c0", "0", "A", None], ["c1", "1", "B", "1"], ["c2", "2", None, "2"]]
    assert by_path["/X"]["table"]["head"] == [["0", "4", "1"], ["2", "0", "2"], ["2", "1", "3"]]
    assert by_path["/X"]["statistics"] == [["Range", "0 to 3"], ["Mean", "0.4"], ["Standard deviation", "0.879394"],
                                           ["Different values", "4: 0 (12), 1 (1), 2 (1), 3 (1)"], ["Not stored", "12 elements, which are 0"]]


def test_a_path(view, tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as f:
        fill(f)
    made = view(tmp_path / "x.h5")
    check_frame(made)
    assert "x.h5" in repr(made) and "6 of 80 chunks" in read(made.html).text
    made.save(tmp_path / "x.html")
    assert (tmp_path / "x.html").read_text(encoding="utf-8") == made.html
    assert "2 objects in all" in read(view(str(tmp_path / "x.h5"), nodes=2).html).text
    with pytest.raises(OSError, match="missing"):
        view(tmp_path / "missing.h5")
    with pytest.raises(TypeError):
        view(5)


def test_hostile_names(view, tmp_path):
    names = [text.replace("/", "\u2215").replace("\0", "") for text in HOSTILE]
    with h5py.File(tmp_path / f"{names[9]}.h5", "w") as f:
        for name in names:
            f[name] = ["x" + name]
            f.attrs[name] = name
        f[b"caf\xe9\xff<b>"] = 1
        made = view(f)
    check_frame(made)
    page = read(made.html)
    for name in names:
        assert page.text.count(seen(name)) >= 4, name
    assert "caf\\xe9\\xff<b>" in page.text


def test_what_cannot_be_read_is_said(view, tmp_path):
    """A chunk that is damaged, a filter that is not here, many members and attributes."""
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as f:
        f.create_dataset("a", data=np.arange(10000), chunks=(10000,), compression="gzip")
        for i in range(510):
            f.create_group(f"many/{i:03d}")
        for i in range(103):
            f.attrs[f"a{i}"] = i
        f["many"].attrs["long"] = "y" * 60_000
        place = f["a"].id.get_chunk_info(0)
    data = bytearray(path.read_bytes())
    data[place.byte_offset + 20 : place.byte_offset + 60] = bytes(40)
    path.write_bytes(data)
    with h5py.File(path) as f:
        text = read(view(f).html).text
    assert "It cannot be read" in text and "10 of its members are not shown." in text and "3 more attributes are not shown." in text
    assert "(the first 2000 of 60000 characters)" in text
