"""LINDI's reference files in a tar file and in a directory, with chunks that LINDI wrote beside them (data/lindi_containers.py). The judges
are LINDI, which read both when the archive was made, and native HDF5 on the file that they refer to."""

import json
import pathlib
import shutil

import h5py
import numpy as np
import pytest

from converting import convert
from interpreter import Failed
from places import unpack
from test_reference_files import asking, does_not_open, fails, served, server  # noqa: F401 - fixtures

ARCHIVE = pathlib.Path(__file__).parent / "data" / "lindi-containers.tar.xz"
FORMS = ["x.lindi.tar", "x.lindi.d"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return unpack(ARCHIVE, tmp_path_factory.mktemp("lindi")) / "lindi"


def facts(f):
    return {"names": sorted(f), "new": f["new"][...].tolist(), "big": f["big"][...].tolist(), "inline": f["g/inline"][...].tolist(),
            "tiny": f["tiny"][...].tolist(), "small": f["small"][...].tolist(), "x": f["g/x"][...].tolist(), "text": f["t"][()],
            "link": f.get("s", getlink=True).path, "to": f[f["g"].attrs["r"]].name, "y": f["g"].attrs["x"], "a": int(f.attrs["a"])}


def expected(made):
    with h5py.File(made / "source.h5") as f:
        return {"names": ["big", "g", "new", "s", "small", "t", "tiny"], "new": np.arange(30000.0).reshape(300, 100).tolist(),
                "big": f["big"][...].tolist(), "inline": list(range(10000)), "tiny": [0, 1, 2], "small": f["small"][...].tolist(),
                "x": f["g/x"][...].tolist(), "text": f["t"][()], "link": "/g/x", "to": "/small", "y": "y", "a": 1}


def read(path):
    with h5py.File(path, "r") as f:
        return facts(f)


@pytest.mark.parametrize("form", FORMS)
def test_as_lindi_reads_it(made, form, tmp_path, h5zarr):
    assert read(made / form) == expected(made)
    assert "new" in h5zarr("ls", made / form).stdout
    convert(made / form, tmp_path / "x.h5")
    assert read(tmp_path / "x.h5") == expected(made)


@pytest.mark.parametrize("refuses_head", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_at_a_server(made, form, refuses_head, server, served, asking, monkeypatch):  # noqa: F811
    if not (served / "lindi").exists():
        shutil.copytree(made, served / "lindi")
    monkeypatch.setattr(server, "refuses_head", refuses_head)
    assert asking.run(read, server.url("127.0.0.1", f"lindi/{form}")) == expected(made)


def test_a_download_that_redirects(made, tmp_path, server, served, asking):  # noqa: F811
    """As DANDI's names of assets do, to a signed name of a bucket; its server adds the slash at the end where it lacks."""
    if not (served / "lindi").exists():
        shutil.copytree(made, served / "lindi")
    server.redirects = {"api/assets/1/download": server.url("127.0.0.1", "api/assets/1/download/"),
                        "api/assets/1/download/": server.url("127.0.0.1", "lindi/source.h5") + "?X-Amz-Signature=1"}
    text = (made / "x.lindi.d" / "lindi.json").read_text()
    whole = json.loads(text)
    whole["templates"] = {"u1": server.url("127.0.0.1", "api/assets/1/download/")}
    (tmp_path / "x.lindi.json").write_text(json.dumps(whole))
    assert "u1" in text and asking.run(read_big, str(tmp_path / "x.lindi.json")) == expected(made)["big"]
    server.redirects = {}


def read_big(path):
    with h5py.File(path, "r") as f:
        return f["big"][...].tolist()


def write(path):
    with h5py.File(path, "r+"):
        pass


@pytest.mark.parametrize("form", FORMS)
def test_only_read(made, form, connector):
    with pytest.raises(Failed, match=f"(?s){form}.*can only be read"):
        connector.run(write, str(made / form))


def changed(made, tmp_path, change):
    """The tar file with another text in its reference file, as long as the old one."""
    data = (made / "x.lindi.tar").read_bytes()
    (tmp_path / "x.lindi.tar").write_bytes(change(data))
    shutil.copy(made / "source.h5", tmp_path / "source.h5")
    return tmp_path / "x.lindi.tar"


@pytest.mark.parametrize("old, new, said", [(b"./blobs/new/0.0", b"./blobs/new/9.0", "does not have"), (b'"n": "blobs/new/0.0"', b'"n": "blobs/old/0.0"', "does not have")])
def test_a_member_that_is_not_there(made, tmp_path, old, new, said):
    store = changed(made, tmp_path, lambda data: data.replace(old, new))
    fails(store, said, key="new")
    with h5py.File(store, "r") as f:
        assert f["tiny"][...].tolist() == [0, 1, 2]


@pytest.mark.parametrize("how, said", [("cut", "does not lie in it"), ("entry", "tar"), ("short", "ends before")])
def test_damaged(made, tmp_path, how, said):
    ways = {"cut": lambda data: data[:9000], "entry": lambda data: data[:512] + b"{" * 1024 + data[1536:], "short": lambda data: data[:700]}
    does_not_open(changed(made, tmp_path, ways[how]), "x.lindi.tar", said)


def test_a_member_beyond_the_end(made, tmp_path):
    whole = json.loads((made / "x.lindi.d" / "lindi.json").read_text())
    whole["refs"]["new/0.0"] = ["./blobs/new/0.0", 0, 10 ** 6]
    shutil.copytree(made / "x.lindi.d", tmp_path / "x.lindi.d")
    (tmp_path / "x.lindi.d" / "lindi.json").write_text(json.dumps(whole))
    fails(tmp_path / "x.lindi.d", "blobs/new/0.0", key="new")
