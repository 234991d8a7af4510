"""Zip files beyond what 16 and 32 bits count (zip64). The judges: zipfile, zarr-python's ZipStore."""

import json
import os
import zipfile

import h5py
import numpy as np
import zarr

MANY = 66_000
VALUES = (np.arange(MANY) % 251 + 1).astype("u1")
GROUP = json.dumps({"zarr_format": 2})


def array(length, dtype):
    return json.dumps({"zarr_format": 2, "shape": [length], "chunks": [length], "dtype": dtype, "fill_value": 0, "order": "C",
                       "filters": None, "compressor": None})


def by_zarr_zip(path):
    return zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")


def write_many(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("many", data=VALUES, chunks=(1,))


def change_many(path):
    with h5py.File(path, "r+") as f:
        assert np.array_equal(f["many"][...], VALUES)
        f["many"][5] = 99
        f["last"] = np.arange(3)


def judge(path, changed):
    expected = VALUES.copy()
    expected[5] = 99 if changed else VALUES[5]
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert len(names) == len(set(names)) > MANY and (changed or archive.testzip() is None)
    z = by_zarr_zip(path)
    for part in (slice(0, 50), slice(MANY - 50, MANY)):
        np.testing.assert_array_equal(z["many"][part], expected[part])


def test_more_members_than_16_bits_count(tmp_path, connector):
    path = tmp_path / "a.zarr.zip"
    connector.run(write_many, str(path))
    judge(path, False)
    connector.run(change_many, str(path))
    judge(path, True)
    assert by_zarr_zip(path)["last"][...].tolist() == [0, 1, 2]


class Sparse:
    """A file in which zeros are holes."""

    def __init__(self, path):
        self.file = open(path, "w+b")
        self.tell, self.seek, self.flush, self.read = self.file.tell, self.file.seek, self.file.flush, self.file.read

    def write(self, data):
        if len(data) >= 1 << 20 and not any(data[:: 1 << 12]):
            self.file.seek(len(data), os.SEEK_CUR)
        else:
            self.file.write(data)
        return len(data)


def read_large(path):
    with h5py.File(path, "r") as f:
        return f["large"].shape, f["large"][-3:].tolist(), f["large"][0], f["after"][...].tolist()


def test_an_entry_larger_than_32_bits_count(tmp_path, connector):
    """As zipfile makes it. (That such files are written, changed, and stay as they were where that fails takes minutes, and was tried by hand.)"""
    path = tmp_path / "a.zarr.zip"
    piece, pieces = bytes(1 << 26), 65
    target = Sparse(path)
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(".zgroup", GROUP)
        archive.writestr("large/.zarray", array(pieces * len(piece) + 3, "|u1"))
        with archive.open("large/0", "w", force_zip64=True) as entry:
            for _ in range(pieces):
                entry.write(piece)
            entry.write(b"\1\2\3")
        archive.writestr("after/.zarray", array(3, "|u1"))
        archive.writestr("after/0", b"\4\5\6")
    target.file.close()
    assert os.stat(path).st_size > 1 << 32
    assert connector.run(read_large, str(path)) == ((pieces * len(piece) + 3,), [1, 2, 3], 0, [4, 5, 6])
