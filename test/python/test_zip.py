"""Stores in zip files: zipfile and zarr-python's ZipStore on the other side, AnnData's own zips, hostile ones."""

import json
import os
import warnings
import time
import zipfile

import h5py
import numpy as np
import pytest
import zarr

from interpreter import Failed
from places import shared
from zip_files import run

GROUP = b'{"zarr_format": 2}'


def by_zarr_zip(path):
    return zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")


def make(path):
    with h5py.File(path, "w") as f:
        f["x"] = np.arange(1000.0)
        f.create_dataset("g/big", data=np.arange(90000).reshape(300, 300), chunks=(100, 100), compression="gzip")
        f["g/text"] = "häuser"
        f["g"].attrs["units"] = "mV"
        f.create_dataset("anonymous", data=[1, 2])
        del f["anonymous"]


def edit(path):
    with h5py.File(path, "r+") as f:
        f["x"][2] = 99
        f["g/new"] = [1, 2, 3]
        del f["g/text"]
        f.move("g", "moved/deep")


def look(path):
    with h5py.File(path, "r") as f:
        return sorted(f), f.attrs.get("a")


def open_twice(path):
    with h5py.File(path, "w") as f:
        f["x"] = [1, 2, 3]
        f["itself"] = h5py.ExternalLink("b.zarr.zip", "/x")
        with h5py.File(path, "r+") as again:
            again["y"] = again["x"][:2]
            return f["itself"][:].tolist(), f["y"][:].tolist(), again["itself"][:].tolist()


def test_new_zip_is_opened_again_before_it_is_written(tmp_path, connector):
    assert connector.run(open_twice, str(tmp_path / "b.zarr.zip")) == ([1, 2, 3], [1, 2], [1, 2, 3])
    assert by_zarr_zip(tmp_path / "b.zarr.zip")["y"][:].tolist() == [1, 2]


def test_written_zip(tmp_path, connector):
    path = tmp_path / "a.zarr.zip"
    connector.run(make, str(path))
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) == len(set(archive.namelist()))
        assert not [name for name in archive.namelist() if name.startswith("anonymous")]
    z = by_zarr_zip(path)
    np.testing.assert_array_equal(z["x"][:], np.arange(1000.0))
    np.testing.assert_array_equal(z["g/big"][:], np.arange(90000).reshape(300, 300))
    assert z["g/text"][()] == "häuser" and z["g"].attrs["units"] == "mV"
    assert [p.name for p in tmp_path.iterdir()] == ["a.zarr.zip"]


def test_same_bytes_every_time(tmp_path):
    """With one thread: several write their chunks in no order."""
    for name in ("1.zip", "2.zip"):
        run(make, str(tmp_path / name), connector="zarr threads=1")
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_edited_zip(tmp_path, connector):
    path = tmp_path / "a.zip"
    connector.run(make, str(path))
    connector.run(edit, str(path))
    z = by_zarr_zip(path)
    assert sorted(z) == ["moved", "x"] and sorted(z["moved/deep"]) == ["big", "new"]
    assert z["x"][2] == 99
    np.testing.assert_array_equal(z["moved/deep/big"][:], np.arange(90000).reshape(300, 300))
    with h5py.File(f"{path}/moved/deep") as f:  # a node inside
        assert sorted(f) == ["big", "new"]
    with pytest.raises(OSError):
        h5py.File(f"{path}/moved/none")


def test_reading_leaves_the_file_alone(tmp_path, connector):
    path = tmp_path / "a.zip"
    connector.run(make, str(path))
    before = path.read_bytes(), os.stat(path).st_ino
    connector.run(look, str(path))
    with h5py.File(path, "r+"):
        pass
    assert (path.read_bytes(), os.stat(path).st_ino) == before


def test_foreign_zip(tmp_path):
    """What ZipStore writes, deflated and with documents written several times (the last one counts)."""
    path = tmp_path / "a.zip"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # duplicate names
        store = zarr.storage.ZipStore(path, mode="w", compression=zipfile.ZIP_DEFLATED)
        z = zarr.open_group(store, mode="w", zarr_format=2)
        z["x"] = np.arange(100000) % 7
        z.attrs["a"] = 1
        z.attrs["a"] = 2
        store.close()
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert len(names) > len(set(names))
    with h5py.File(path) as f:
        assert f.attrs["a"] == 2
        np.testing.assert_array_equal(f["x"][:], np.arange(100000) % 7)
        np.testing.assert_array_equal(f["x"][500:600:3], (np.arange(100000) % 7)[500:600:3])


@pytest.mark.parametrize("name", ["anndata-v0.7.0", "anndata-v0.7.8", "anndata-v0.11.4"])
@pytest.mark.filterwarnings("ignore")
def test_anndata_twin(name):
    anndata = pytest.importorskip("anndata")
    from anndata.tests.helpers import assert_equal

    assert_equal(anndata.read_h5ad(shared(f"anndata/{name}.zarr.zip")), anndata.read_h5ad(shared(f"anndata/{name}.h5ad")))


def test_truncated_and_exclusive(tmp_path, connector):
    path = tmp_path / "a.zip"
    connector.run(make, str(path))
    connector.run(make, str(path))  # "w" replaces it
    assert sorted(by_zarr_zip(path)) == ["g", "x"]
    with pytest.raises(FileExistsError):
        h5py.File(path, "x")


# ---- not to be trusted ----


def refused(connector, path, match):
    """With the variable set, so that our error is the one that is shown."""
    with pytest.raises(Failed, match=match) as failure:
        connector.run(look, str(path))
    assert str(path) in str(failure.value)


def zip_with(path, entries, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(path, "w", **options) as archive:
            for name, data in entries:
                archive.writestr(name, data)
    return path


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/x", "a//b", "./a", "a/."])
def test_hostile_names(name, tmp_path, connector):
    path = zip_with(tmp_path / "a.zip", [(".zgroup", GROUP), (name, b"{}")])
    refused(connector, path, "absolute or contains")


def patch(path, signature, offset, value):
    """Writes into the last record with that signature."""
    data = bytearray(path.read_bytes())
    at = data.rindex(signature) + offset
    data[at : at + len(value)] = value
    path.write_bytes(data)


def test_overlapping_entries(tmp_path, connector):
    path = zip_with(tmp_path / "a.zip", [(".zgroup", GROUP), (".zattrs", GROUP)])
    patch(path, b"PK\1\2", 42, (0).to_bytes(4, "little"))
    refused(connector, path, "overlap")


def test_bomb(tmp_path, connector):
    path = zip_with(tmp_path / "a.zip", [(".zgroup", GROUP), (".zattrs", b"{}")], compression=zipfile.ZIP_DEFLATED)
    patch(path, b"PK\1\2", 24, (2**31).to_bytes(4, "little"))
    refused(connector, path, "claims to be larger")


def test_not_a_store(tmp_path, connector):
    path = zip_with(tmp_path / "a.zip", [("a.zarr/.zgroup", GROUP)])
    refused(connector, path, "no Zarr metadata at its top")


def test_cut_off(tmp_path, connector):
    path = tmp_path / "a.zip"
    connector.run(make, str(path))
    path.write_bytes(path.read_bytes()[:-30])
    refused(connector, path, "central directory")


def test_encrypted_entry(tmp_path, connector):
    path = zip_with(tmp_path / "a.zip", [(".zgroup", GROUP), (".zattrs", b'{"a": 1}')])
    patch(path, b"PK\1\2", 8, b"\1")
    refused(connector, path, "encrypted entries")


def read_x(path):
    with h5py.File(path) as f:
        return f["x"][()].tolist(), sorted(f)


def delete_y(path):
    with h5py.File(path, "r+") as f:
        del f["y"]


def test_the_directory_that_is_remembered_is_the_files(tmp_path, connector):
    """A zip whose directory was read before is trusted only as long as nobody changed it, in place or otherwise."""
    path = str(tmp_path / "m.zarr.zip")

    def write(values, names="xy"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(".zgroup", '{"zarr_format": 2}')
            for name in names:
                archive.writestr(f"{name}/.zarray", json.dumps({
                    "zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "|u1", "fill_value": 0, "order": "C", "filters": None,
                    "compressor": None}))
                archive.writestr(f"{name}/0", bytes(values))
        time.sleep(0.15)

    for values, names in (([1, 2, 3], "xy"), ([4, 5, 6], "xy"), ([7, 8, 9], "xz"), ([1, 1, 1], "xy")):
        write(values, names)
        for _ in range(3):
            assert connector.run(read_x, path) == (values, sorted(names))
    connector.run(delete_y, path)
    assert connector.run(read_x, path) == ([1, 1, 1], ["x"])
    with zipfile.ZipFile(path) as archive:
        assert "y/0" not in archive.namelist()


class Pipe:
    """Cannot seek, so that sizes and checksums follow the data."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.write, self.flush = self.file.write, self.file.flush


@pytest.mark.parametrize("form", ["zip64", "streamed", "streamed zip64", "comment", "directories"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_forms_of_zip(tmp_path, monkeypatch, connector, form, method):
    """What zipfile makes of large files (here of all), of pipes, and beside the entries; also after we packed it anew."""
    path = tmp_path / "f.zarr.zip"
    if "zip64" in form:
        monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 1)
    target = Pipe(path) if "streamed" in form else path
    with zipfile.ZipFile(target, "w", method) as archive:
        if form == "directories":
            for name in ("x/", "empty/"):
                archive.writestr(name, b"")
        archive.writestr(".zgroup", GROUP)
        for name in "xy":
            archive.writestr(f"{name}/.zarray", json.dumps({"zarr_format": 2, "shape": [300], "chunks": [300], "dtype": "|u1", "fill_value": 0,
                                                            "order": "C", "filters": None, "compressor": None}))
            archive.writestr(f"{name}/0", bytes(range(100)) * 3)
        if form == "comment":
            archive.comment = b"PK\5\6" + b"no end record" * 3
    monkeypatch.undo()
    if "streamed" in form:
        target.file.close()
    for _ in range(2):
        assert connector.run(read_x, str(path))[0] == list(range(100)) * 3
        connector.run(add_attribute, str(path))
    assert by_zarr_zip(path)["x"][...].tolist() == list(range(100)) * 3


def add_attribute(path):
    with h5py.File(path, "r+") as f:
        f.attrs["n"] = f.attrs.get("n", 0) + 1
