"""h5zarr ls, tree and info: what zarr-python says of the same stores; names, links and errors as h5py has them."""

import json
import os
import pty
import re
import subprocess

import h5py
import numpy as np
import pytest
import zarr

from places import COMMAND, shared, unpacked, with_connector
from test_command_check import FORMS, make

pytestmark = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores")


def open_by_zarr(path, **more):
    store = zarr.storage.ZipStore(path, mode="r") if str(path).endswith(".zip") else path
    return zarr.open_group(store, mode="r", use_consolidated=False, **more)


def by_zarr_python(path):
    """{path: (kind, shape, chunks)} of all that zarr-python finds."""
    return {name: ("group", None, None) if isinstance(node, zarr.Group) else ("array", node.shape, node.chunks)
            for name, node in open_by_zarr(path).members(max_depth=None)}


def by_ls(h5zarr, path, *options):
    entries = json.loads(h5zarr("ls", "-r", "--json", *options, path).stdout)
    return {e["name"]: (e["kind"], tuple(e["shape"]) if "shape" in e else None, tuple(e["chunks"]) if "chunks" in e else None)
            for e in entries}


@pytest.mark.parametrize("form", FORMS)
def test_ls_is_what_zarr_says(h5zarr, tmp_path, form):
    path = make(tmp_path, form)
    assert by_ls(h5zarr, path) == by_zarr_python(path)
    names = [line.split()[0] for line in h5zarr("ls", path).stdout.splitlines()]
    assert names == ["a", "g", "scalar", "text"]
    assert h5zarr("ls", path / "g").stdout.startswith("nested ")
    (only,) = json.loads(h5zarr("ls", "--json", path / "g" / "nested").stdout)
    assert only["shape"] == [40, 30]


def test_ls_of_shared_stores(h5zarr, tmp_path):
    directory = shared("anndata")
    paths = [directory / name for name in os.listdir(directory) if name.endswith(".zarr.zip") and "v3" not in name]  # structs
    paths += [unpacked("zarr-forms/zarr-forms.tar.gz", tmp_path) / name for name in os.listdir(tmp_path) if name.endswith(".zarr")]
    for path in paths:
        assert by_ls(h5zarr, path) == by_zarr_python(path), path


def test_dtypes_and_sizes(h5zarr, tmp_path):
    path = make(tmp_path, "v2")
    entries = {e["name"]: e for e in json.loads(h5zarr("ls", "-l", "--json", path).stdout)}
    group = open_by_zarr(path)
    assert entries["a"]["dtype"] == "<f8" and entries["a"]["decoded"] == group["a"].nbytes
    assert entries["a"]["stored"] == group["a"].nbytes_stored() - (path / "a" / ".zarray").stat().st_size - (path / "a" / ".zattrs").stat().st_size
    assert "decoded" not in entries["text"]


def nodes_of(tree):
    yield tree["name"], tree
    for member in tree.get("members", []):
        for name, node in nodes_of(member):
            yield f"{tree['name']}/{name}", node


@pytest.mark.parametrize("form", FORMS)
def test_tree(h5zarr, tmp_path, form):
    path = make(tmp_path, form)
    tree = json.loads(h5zarr("tree", "--json", path).stdout)
    found = {name[len(str(path)) + 1:]: node["kind"] for name, node in nodes_of(tree) if name != str(path)}
    assert found == {name: kind for name, (kind, *_) in by_zarr_python(path).items()}
    text = h5zarr("tree", path, LC_ALL="C").stdout
    assert "|-- a  (40, 30)  " in text and "`-- nested  (40, 30)" in text and text.endswith("\n")
    assert "\u251c" in h5zarr("tree", path, LC_ALL="C.UTF-8").stdout
    assert "2 groups, 4 arrays" in text.splitlines()[-1]
    assert "nested" not in h5zarr("tree", "--depth", "1", path).stdout
    assert "chunks (10, 7)" in text
    h5zarr("tree", "--depth", "x", path, expect=2)


@pytest.mark.parametrize("form", FORMS)
def test_info(h5zarr, tmp_path, form):
    path = make(tmp_path, form)
    told = json.loads(h5zarr("info", "--json", path).stdout)
    assert told["store"]["kind"] == ("zip" if form.endswith("zip") else "directory")
    assert told["store"]["consolidated"] and not told["store"]["by_vol_zarr"]
    assert told["node"]["attributes"] == {"unit": {"a": [1, 2.5, None]}} and told["node"]["members"] == 4
    of_array = json.loads(h5zarr("info", "--json", path / "a").stdout)
    assert of_array["store"] == told["store"]
    array = of_array["node"]
    z = open_by_zarr(path)["a"]
    stored = "shards" if form.startswith("shards") else "chunks"
    assert array[f"{stored}_possible"] == array[f"{stored}_stored"] == z.nchunks_initialized // (1 if stored == "chunks" else 4)
    assert array["fill_value"] == 0 and array["path"] == "/a"
    text = h5zarr("info", path / "a").stdout
    assert "shape           [40,30]" in text and str(path) in text


# ---- names ----


def make_links(path):
    with h5py.File(path, "w") as f:
        f["d/x"] = np.arange(3)
        f["hard"] = f["d/x"]
        f["soft"] = h5py.SoftLink("/d")
        f["d/up"] = h5py.SoftLink("x")
        f["ext"] = h5py.ExternalLink("other.zarr", "/there")
        f["loop"] = h5py.SoftLink("/loop")
        f["a\\b"] = 1
        f[".zarray"] = 2
        f.create_group("escape\033[31m")


@pytest.mark.parametrize("name", ["l.zarr", "l.zarr.zip"])
def test_links_and_names(h5zarr, connector, tmp_path, name):
    path = tmp_path / name
    connector.run(make_links, str(path))
    entries = {e["name"]: e for e in json.loads(h5zarr("ls", "--json", path).stdout)}
    assert set(entries) == {"d", "hard", "soft", "ext", "loop", "a\\b", ".zarray", "escape\033[31m"}
    assert (entries["hard"]["link"], entries["hard"]["target"]) == ("hard", "/d/x")
    assert entries["ext"]["target"] == "other.zarr:/there" and entries["soft"]["kind"] == "link"
    assert "\033" not in h5zarr("ls", path).stdout and "\033" not in h5zarr("tree", path).stdout
    for way in ("d/x", "hard", "soft/x", "soft/up", "a\\b", ".zarray", "//d//x/"):
        assert json.loads(h5zarr("info", "--json", f"{path}/{way}").stdout)["node"]["kind"] == "array", way
    for way, what in (("nothing", "nothing"), ("d/nothing", "nothing"), ("loop", "soft links"), ("ext", "another file"), ("d/x/y", "")):
        result = h5zarr("info", f"{path}/{way}", expect=1)
        assert result.stderr.startswith(f"h5zarr: {path}/{way}: ") and result.stderr.count("\n") == 1 and what in result.stderr


def test_one_array_is_a_store(h5zarr, tmp_path):
    zarr.create_array(tmp_path / "one.zarr", shape=(3,), dtype="i4")
    assert json.loads(h5zarr("info", "--json", tmp_path / "one.zarr").stdout)["node"]["shape"] == [3]
    assert "(3,)" in h5zarr("ls", tmp_path / "one.zarr").stdout
    assert "0 groups, 1 array" in h5zarr("tree", tmp_path / "one.zarr").stdout


# ---- terminals ----


def on_terminal(command, **environment):
    """What the command shows on a terminal of 100 columns."""
    main, other = pty.openpty()
    subprocess.run(["stty", "cols", "100"], stdin=other)
    process = subprocess.Popen(command, stdout=other, stderr=other, env={**os.environ, "TERM": "xterm", **environment})
    os.close(other)
    shown = b""
    while True:
        try:
            data = os.read(main, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(main)
    process.wait()
    return shown.decode()


def test_a_tree_is_as_wide_as_the_terminal(tmp_path):
    """100 columns, whatever the locale; what follows a cut colour is plain."""
    with h5py.File(tmp_path / "a.h5", "w") as f:
        f["n" * 90] = np.zeros((3, 4))
        f["\u00e9\u4e16" * 60] = [1]
        f["short"] = 1
    store = tmp_path / "a.zarr"
    subprocess.run([COMMAND, "convert", "-q", tmp_path / "a.h5", store], check=True, env={**os.environ, "VOL_ZARR_HDF5": os.environ["VZ_HDF5"]})
    wide = "\u4e16"
    for locale in "C.UTF-8", "C":
        shown = on_terminal([COMMAND, "tree", store], LC_ALL=locale, NO_COLOR="")
        lines = [re.sub(r"\033\[[0-9;]*m", "", line) for line in shown.splitlines()[1:]]
        columns = [sum(1 + (character in wide) if locale == "C.UTF-8" else len(character.encode()) for character in line)
                   for line in lines]
        assert max(columns) <= 100 and len([each for each in columns if each >= 98]) == 2, columns
    whole = subprocess.run([COMMAND, "tree", store], capture_output=True, text=True, check=True).stdout
    assert "n" * 90 + "  (3, 4)" in whole


def test_colours(h5zarr, tmp_path):
    path = make(tmp_path, "v2")
    for command in ("ls", "tree", "check"):
        plain = h5zarr(command, path).stdout
        assert "\033" not in plain
        shown = on_terminal([COMMAND, command, path], NO_COLOR="")
        assert "\033[" in shown
        assert "\033[3" not in on_terminal([COMMAND, command, path], NO_COLOR="1")
        assert "\033[3" not in on_terminal([COMMAND, command, path], TERM="dumb")


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_show_on_terminals(tmp_path, locale):
    """On a terminal it shows what it shows elsewhere, and colours; without these where nobody wants them. Without UTF-8 all is ASCII."""
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f.create_dataset("a", (40, 30), "f4", chunks=(10, 10), fillvalue=-1)[:25] = np.arange(750.0).reshape(25, 30)
        f["rows"] = np.array([(1, b"x"), (2, b"y")], dtype=[("n", "i4"), ("s", "S1")])
        f["a"].attrs["unit"] = "V"
    environment = {"VOL_ZARR_HDF5": os.environ["VZ_HDF5"], "LC_ALL": locale, "NO_COLOR": ""}
    for path in "x.h5", "x.h5/a", "x.h5/rows", "x.h5/a[3:5, ::7]":
        words = [COMMAND, "show", tmp_path / path]
        plain = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, **environment, "COLUMNS": "100"}).stdout
        shown = on_terminal(words, **environment)
        assert "\033[" in shown and re.sub(r"\033\[[0-9;]*m", "", shown).splitlines() == plain.splitlines()
        for dull in {"NO_COLOR": "1"}, {"TERM": "dumb"}:
            assert on_terminal(words, **{**environment, **dull}).splitlines() == plain.splitlines()
        assert "\033" not in plain and plain.isascii() == (locale == "C" or path not in ("x.h5/a", "x.h5/a[3:5, ::7]"))


def test_what_is_new_on_a_dumb_terminal(tmp_path):
    """Neither colours nor a bar that needs them, nor letters beyond ASCII."""
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f.create_dataset("a", data=np.arange(3000.0).reshape(60, 50), chunks=(10, 10))
    environment = {"VOL_ZARR_HDF5": os.environ["VZ_HDF5"], "LC_ALL": "C", "TERM": "dumb"}
    x, y, z = tmp_path / "x.h5", tmp_path / "y.zarr", tmp_path / "z.zarr"
    for words in (["convert", x, y], ["diff", x, y], ["diff", x, y, "/", "/a"], ["cp", y, z], ["sync", y, z], ["sync", "-n", y, z], ["show", y],
                  ["report", y, "-o", tmp_path / "y.html"], ["advise", "--sample=64K", "--seconds=1", y]):
        shown = on_terminal([COMMAND, *words], **environment)
        assert shown.isascii() and "\033" not in shown, (words, shown)


def test_bar(tmp_path):
    """A check of some seconds tells how far it is, and leaves nothing of that behind."""
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=2)
    a = group.create_array("a", shape=(3000, 250_000), chunks=(1, 250_000), dtype="f8")
    a[0] = np.random.default_rng(0).integers(0, 1000, 250_000)
    for i in range(1, 3000):
        os.link(tmp_path / "s.zarr/a/0.0", tmp_path / f"s.zarr/a/{i}.0")
    shown = on_terminal([COMMAND, "check", tmp_path / "s.zarr"], VOL_ZARR_THREADS="1")
    assert re.search(r"checking  [\d.]+ \w+  [\d.]+ \w+/s", shown), shown
    assert "nothing is wrong" in shown.splitlines()[-1]


# ---- many members ----


MANY = 20_000  # lines that no pipe holds


def test_many_members_stream(tmp_path):
    """What is printed is not kept until all is looked at: while nobody reads on, a member that comes late becomes an array, and is told so."""
    path = tmp_path / "many.zarr"
    path.mkdir()
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    (path / "n00000").mkdir()
    (path / "n00000" / ".zgroup").write_text('{"zarr_format": 2}')
    zarr.create_array(tmp_path / "array", shape=(3,), dtype="u1", zarr_format=2)
    for i in range(1, MANY):
        os.symlink("n00000", path / f"n{i:05}")
    os.symlink(tmp_path / "array", tmp_path / "other")
    process = subprocess.Popen([COMMAND, "ls", path], stdout=subprocess.PIPE, text=True)
    first = process.stdout.readline()  # the pipe holds some thousands of the others
    os.rename(tmp_path / "other", path / f"n{MANY - 1:05}")
    said = process.stdout.readlines()
    assert process.wait() == 0 and first.startswith("n00000 ") and len(said) == MANY - 1
    assert said[-2].split() == [f"n{MANY - 2:05}", "group"] and said[-1].split() == [f"n{MANY - 1:05}", "array", "(3,)", "|u1"], said[-2:]
