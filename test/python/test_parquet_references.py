"""Directories of Parquet files with references, as kerchunk writes them (data/parquet_references.py). The judge is native HDF5 on the file
that they name; fsspec and zarr-python read the first of them when the archive was made."""

import json
import os
import pathlib
import shutil

import h5py
import numpy as np
import pytest

from converting import convert
from interpreter import Failed
from places import unpack
from test_reference_files import asking, does_not_open, fails, served, server  # noqa: F401 - fixtures

ARCHIVE = pathlib.Path(__file__).parent / "data" / "parquet-references.tar.xz"
FORMS = ["kerchunk", "pyarrow", "pages", "plain"]
NAMES = ["big", "g/ints", "flat", "small", "sparse", "scalar"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return unpack(ARCHIVE, tmp_path_factory.mktemp("parquet")) / "parquet"


def same(store, original):
    with h5py.File(store, "r") as f, h5py.File(original, "r") as judge:
        # kerchunk gives dimensions names
        assert all(sorted(name for name in ours if not name.startswith("phony_dim_")) == sorted(theirs) for ours, theirs in ((f, judge), (f["g"], judge["g"])))
        for name in NAMES:
            assert f[name].shape == judge[name].shape and f[name].dtype == judge[name].dtype
            assert np.array_equal(f[name][()], judge[name][()]), name
        assert f.attrs["title"] == "x" and f["big"].attrs["units"] == "m"


@pytest.mark.parametrize("form", FORMS)
def test_same_as_the_original(made, form):
    same(made / f"{form}.parq", made / "source.h5")
    with h5py.File(made / f"{form}.parq", "r") as f, h5py.File(made / "source.h5", "r") as judge:
        for name in ("big", "g/ints", "sparse"):
            low = judge[name].id
            there = sorted(low.get_chunk_info(i).chunk_offset for i in range(low.get_num_chunks()))
            assert sorted(f[name].id.get_chunk_info(i).chunk_offset for i in range(f[name].id.get_num_chunks())) == there
        assert np.array_equal(f["big"][7:43:3, 20:30], judge["big"][7:43:3, 20:30])


def write(path):
    with h5py.File(path, "r+"):
        pass


def test_commands_and_writing(made, tmp_path, h5zarr, connector):
    convert(made / "kerchunk.parq", tmp_path / "x.zarr")
    same(tmp_path / "x.zarr", made / "source.h5")
    h5zarr("check", made / "kerchunk.parq")
    assert "big" in h5zarr("ls", made / "pyarrow.parq").stdout
    with pytest.raises(Failed, match="(?s)kerchunk.parq.*references can only be read"):
        connector.run(write, str(made / "kerchunk.parq"))


@pytest.mark.parametrize("refuses_head", [False, True])
def test_a_directory_at_a_server(made, refuses_head, server, served, asking, monkeypatch):  # noqa: F811
    shutil.copytree(made, served / "parquet", dirs_exist_ok=True)
    monkeypatch.setattr(server, "refuses_head", refuses_head)
    server.take_log()
    assert asking.run(read, server.url("127.0.0.1", "parquet/kerchunk.parq"), "g/ints") == np.arange(1000).reshape(10, 100).tolist()
    assert [file for _, file, _ in server.take_log()].count("parquet/source.h5") == 1


def read(path, name):
    with h5py.File(path, "r") as f:
        return f[name][...].tolist()


def copied(made, tmp_path, form="kerchunk"):
    shutil.copy(made / "source.h5", tmp_path / "source.h5")
    return shutil.copytree(made / f"{form}.parq", tmp_path / "x.parq")


def test_what_is_missing(made, tmp_path):
    """A file of references that is not there has none, as in fsspec; a file that they name is an error."""
    store = copied(made, tmp_path)
    (store / "sparse" / "refs.0.parq").unlink()
    with h5py.File(store, "r") as f:
        assert f["sparse"][...].tolist() == [7] * 40
    (tmp_path / "source.h5").unlink()
    fails(store, "source.h5", key="flat")


def test_names_obey_the_policy(made, tmp_path):
    store = copied(made, tmp_path)
    far = tmp_path / "far"
    far.mkdir()
    shutil.move(store, far / "x.parq")
    fails(far / "x.parq", "source.h5", key="flat")  # relative names count from the directory that it lies in
    os.symlink(tmp_path / "source.h5", far / "source.h5")
    fails(far / "x.parq", "source.h5", "targets", key="flat")


def changed(store, **members):
    document = json.loads((store / ".zmetadata").read_text())
    document.update(members)
    (store / ".zmetadata").write_text(json.dumps(document))


@pytest.mark.parametrize("members, said", [
    ({"record_size": 0}, "record_size"), ({"record_size": "x"}, "record_size"), ({"record_size": 2 ** 40}, "more than"),
    ({"metadata": {".zgroup": ["source.h5"]}}, "no document"), ({"metadata": {}}, "group at the root")])
def test_bad_documents(made, tmp_path, members, said):
    store = copied(made, tmp_path)
    changed(store, **members)
    does_not_open(store, ".zmetadata", said)


@pytest.mark.parametrize("how", ["empty", "cut", "no parquet", "other"])
@pytest.mark.parametrize("form", FORMS)
def test_damaged_files_are_named(made, tmp_path, form, how):
    store = copied(made, tmp_path, form)
    file = store / "flat" / "refs.0.parq"
    data = file.read_bytes()
    file.write_bytes({"empty": b"", "cut": data[:-20] + data[-8:], "no parquet": b"x" * 100, "other": data[:30] + b"\xff" * 40 + data[70:]}[how])
    fails(store, "flat/refs.0.parq", key="flat")
    with h5py.File(store, "r") as f:
        assert len(f["g/ints"]) == 10
