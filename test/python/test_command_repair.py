"""h5zarr repair and consolidate: afterwards check is content, and zarr-python reads what it read before."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest
import zarr

from places import files, with_connector
from test_command_check import FORMS, KILLED, check, make, make_old, told  # noqa: F401 (a fixture)

pytestmark = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores")


def values(path, consolidated=None):
    store = zarr.storage.ZipStore(path, mode="r") if str(path).endswith(".zip") else path
    group = zarr.open_group(store, mode="r", use_consolidated=consolidated)
    return {name: (np.asarray(node[...]).tolist() if isinstance(node, zarr.Array) else None, dict(node.attrs))
            for name, node in group.members(max_depth=None)}


def done(result):
    return [(line["action"], line["object"]) for line in json.loads(result.stdout)["done"]]


@pytest.mark.parametrize("form", FORMS)
def test_consolidate(h5zarr, check, tmp_path, form):  # noqa: F811
    path = make(tmp_path, form, consolidated=False)
    before = values(path, False)
    with pytest.raises(Exception):
        values(path, True)
    result = h5zarr("consolidate", path)
    assert result.stdout == result.stderr == ""
    assert values(path, True) == values(path, False) == before
    assert check(path)["findings"] == []
    if not form.endswith("zip"):
        zarr.open_group(path, mode="r+", use_consolidated=False).create_array("new", shape=(2,), dtype="i4")
        h5zarr("consolidate", path)
        assert set(values(path, True)) == {*before, "new"} and check(path)["findings"] == []


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_consolidate_a_group(h5zarr, check, tmp_path, form):  # noqa: F811
    path = make(tmp_path, form, consolidated=False)
    h5zarr("consolidate", path / "g")
    assert list(zarr.open_group(path / "g", mode="r", use_consolidated=True)) == ["nested"]
    with pytest.raises(Exception):
        values(path, True)
    assert check(path)["findings"] == []
    assert "only a group" in h5zarr("consolidate", path / "a", expect=1).stderr


def test_consolidate_what_zarr_cannot_read(h5zarr, tmp_path):
    path = make(tmp_path, "v2")
    (path / "no node").mkdir()
    (path / "no node" / "x").write_text("")
    result = h5zarr("consolidate", path, expect=1)
    assert "no node" in result.stderr and not (path / ".zmetadata").exists()


@pytest.mark.parametrize("form", FORMS)
def test_stale_copy(h5zarr, check, tmp_path, form):  # noqa: F811
    """A copy that tells of another shape."""
    plain = tmp_path / "w"
    plain.mkdir()
    path = make(plain, form.removesuffix("-zip"))
    group = zarr.open_group(path, mode="r+", use_consolidated=False)
    group["g/nested"].attrs["late"] = True
    before = values(path, False)
    assert values(path, True) != before
    if form.endswith("zip"):
        import zipfile

        with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
            for name, content in files(path).items():
                archive.writestr(name, content)
        path = tmp_path / "s.zip"
    key = ".zmetadata" if form.startswith("v2") else "zarr.json"
    state = path.read_bytes() if path.is_file() else files(path)
    assert done(h5zarr("repair", "--dry-run", "--json", path)) == [("made anew", key)]
    assert state == (path.read_bytes() if path.is_file() else files(path))
    assert done(h5zarr("repair", "--json", path)) == [("made anew", key)]
    assert check(path)["findings"] == []
    assert values(path, True) == values(path, False) == before
    assert done(h5zarr("repair", "--json", path)) == []


def test_stale_copy_that_cannot_be_made_anew(h5zarr, check, tmp_path):  # noqa: F811
    """An array that nobody can have: the copy goes, and a dry run says that this may be."""
    path = make(tmp_path, "v2")
    document = json.loads((path / "a" / ".zarray").read_text())
    (path / "a" / ".zarray").write_text(json.dumps({**document, "shape": [2**62, 30], "chunks": [2**61, 7]}))
    dry = h5zarr("repair", "--dry-run", path)
    assert "would be made anew: .zmetadata: or removed, if" in dry.stdout and (path / ".zmetadata").exists()
    assert "removed: .zmetadata: it cannot be made anew" in h5zarr("repair", path).stdout and not (path / ".zmetadata").exists()
    assert [kind for kind, _ in told(check(path))] == ["unjudged"]


def test_outside(h5zarr, check, tmp_path):  # noqa: F811
    path = make(tmp_path, "v2")
    before = values(path)
    shutil.copy(path / "a" / "0.0", path / "a" / "4.0")
    shutil.copy(path / "a" / "0.0", path / "a" / "0.77")
    state = files(path)
    result = h5zarr("repair", path, expect=1)
    assert result.stdout.count("not repairable: ") == 2 and "--outside" in result.stdout and files(path) == state
    assert sorted(done(h5zarr("repair", "--outside", "--json", path))) == [("removed", "a/0.77"), ("removed", "a/4.0")]
    assert check(path)["findings"] == [] and values(path) == before


def test_what_cannot_be_repaired_stays(h5zarr, tmp_path):
    path = make(tmp_path, "v2")
    (path / "a" / "0.0").write_bytes(b"nonsense")
    (path / "g" / "nested" / ".zattrs").write_text("{")
    (path / ".zmetadata").unlink()
    state = files(path)
    result = h5zarr("repair", "--json", path, expect=1)
    assert sorted(done(result)) == [("not repairable", "a/0.0"), ("not repairable", "g/nested/.zattrs")]
    assert files(path) == state


@pytest.mark.parametrize("name", ["k.zarr", "inside"])
def test_leftovers(h5zarr, check, connector, tmp_path, name):  # noqa: F811
    """What killed writers left goes, and nothing else; what a living one is at work on stays."""
    if name == "inside":  # the directory above is a group: the stage lies in the root
        zarr.open_group(tmp_path / "above", mode="w", zarr_format=2)
    path = tmp_path / ("above" if name == "inside" else "") / "k.zarr"
    connector.run(make_old, str(path))
    for _ in range(2):
        killed = subprocess.run([sys.executable, "-c", KILLED, path, "die"], env=with_connector(), capture_output=True)
        assert killed.returncode == -9, killed.stderr
    (path / ".zmetadata").unlink(missing_ok=True)
    before = values(path)
    found = check(path, wrong=1)
    assert told(found)[0][0] == "leftover"
    (leftover,) = [f["object"] for f in found["findings"]]
    assert os.path.exists(leftover)
    assert done(h5zarr("repair", "--json", "--dry-run", path)) == [("removed", leftover)] and os.path.exists(leftover)
    living = subprocess.Popen([sys.executable, "-c", KILLED, path], env=with_connector(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert living.stdout.readline() == b"ready\n"
    kinds = [f["kind"] for f in check(path)["findings"]]
    assert kinds == ["unfinished"]  # the new writer has removed what the dead ones left
    state = files(tmp_path)
    assert done(h5zarr("repair", "--json", path)) == []
    assert files(tmp_path) == state
    living.kill()
    living.wait()
    (path / ".zmetadata").unlink(missing_ok=True)
    before = values(path)
    assert len(done(h5zarr("repair", "--json", path))) == 1
    assert check(path)["findings"] == [] and values(path) == before
    assert not any("partial" in n for n in files(tmp_path))


MOVING = """
import h5py, os, signal, sys
f = h5py.File(sys.argv[1], "r+")
f.move("d", "moved")
f["moved/x"][:] = 5
os.kill(os.getpid(), signal.SIGKILL)
"""


def make_references(path, hard):
    with h5py.File(path, "w") as f:
        f["d/x"] = np.arange(4)
        f["refs"] = np.array([f["d/x"].ref, f["d"].ref], dtype=h5py.ref_dtype)
        if hard:
            f["hard"] = f["d/x"]


def read_references(path):
    with h5py.File(path) as f:
        return [f[r].name for r in f["refs"][:]], f["moved/x"][:].tolist(), sorted(f)


def write_nothing(path):
    h5py.File(path, "r+").close()


def links_of(path):
    """What hdmf-zarr is told of links, by group."""
    told = {str(p.parent.relative_to(path)): json.loads(p.read_text()).get("zarr_link") for p in path.rglob(".zattrs")}
    return {group: sorted((link["name"], link["source"], link["path"]) for link in links) for group, links in told.items() if links}


@pytest.mark.parametrize("hard", [False, True])
def test_journals_are_followed(h5zarr, check, connector, reader, tmp_path, hard):  # noqa: F811
    """A writer that moved something died before documents told so: references lead there, before and after, and so do
    links that hdmf-zarr is told of, as if an HDF5 program had put them right."""
    path = tmp_path / "j.zarr"
    connector.run(make_references, str(path), hard)
    killed = subprocess.run([sys.executable, "-c", MOVING, path], env=with_connector(), capture_output=True)
    assert killed.returncode == -9, killed.stderr
    (path / ".zmetadata").unlink(missing_ok=True)
    before = reader.run(read_references, str(path))
    assert before[0][1] == "/moved"
    found = check(path, wrong=1)
    assert told(found)[0][0] == "leftover" and "journal" in found["findings"][0]["text"]
    (leftover,) = [f["object"] for f in found["findings"]]
    twin = tmp_path / "twin" / "j.zarr"
    shutil.copytree(tmp_path / "j.zarr", twin)
    stage = pathlib.Path(leftover)
    if stage.parent == tmp_path:
        shutil.copytree(stage, twin.parent / stage.name)
    connector.run(write_nothing, str(twin))
    assert done(h5zarr("repair", "--json", path)) == [("removed", leftover)]
    assert check(path)["findings"] == [] and sorted(os.listdir(tmp_path)) == ["j.zarr", "twin"]
    assert reader.run(read_references, str(path)) == before
    assert links_of(path) == links_of(twin) and ("/moved/x" in str(links_of(path))) == hard


def test_beside_a_zip_file(h5zarr, check, tmp_path):  # noqa: F811
    path = make(tmp_path, "v2-zip")
    state = path.read_bytes()
    (tmp_path / "s.zip.0123456789abcdef.partial").write_bytes(b"half a file")
    (tmp_path / "s.zip.mine.partial").write_bytes(b"not ours")
    assert told(check(path, wrong=1)) == [("leftover", str(tmp_path / "s.zip.0123456789abcdef.partial"))]
    assert len(done(h5zarr("repair", "--json", path))) == 1
    assert check(path)["findings"] == [] and path.read_bytes() == state
    assert sorted(os.listdir(tmp_path)) == ["s.zip", "s.zip.mine.partial"]


def test_a_part_of_a_store_is_not_repaired(h5zarr, tmp_path):
    path = make(tmp_path, "v2")
    h5zarr("consolidate", path / "g")
    zarr.open_group(path, mode="r+", use_consolidated=False)["g/nested"].attrs["x"] = 1
    result = h5zarr("repair", path / "g", expect=1)
    assert "repair that" in result.stderr
    assert sorted(done(h5zarr("repair", "--json", path))) == [("made anew", ".zmetadata"), ("made anew", "g/.zmetadata")]


