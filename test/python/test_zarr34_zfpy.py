"""The codec "zfpy" of numcodecs, by libzfp. The judge is zarr-python 3.4 with numcodecs 0.17 and zfpy 1.0.1: data/zarr34-zfpy.tar.xz has
arrays of both formats that it wrote, and the numbers that it reads of them (data/zarr34_zfpy.py). Chunks that we write are compared with
its chunks byte by byte."""

import ctypes
import json
import random
import shutil

import h5py
import numpy as np
import pytest

from interpreter import Failed
from zarr34 import unpacked, write_all


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return unpacked("zfpy", tmp_path_factory)


@pytest.fixture(scope="module")
def library():
    try:
        return ctypes.CDLL("libzfp.so.1")
    except OSError:
        pytest.skip("no libzfp here")


def arrays(expected, version, what="read"):
    start = f"{what}-v{version}-"
    return {name.removeprefix(start): values for name, values in expected.items() if name.startswith(start)}


@pytest.mark.parametrize("version", [2, 3])
def test_read(made, library, version):
    where, expected = made
    with h5py.File(where / f"v{version}.zarr") as f:
        names = arrays(expected, version)
        assert sorted(f) == sorted(names) and len(names) >= 14
        for name, values in names.items():
            assert np.array_equal(f[name][...], values), name
            assert np.array_equal(f[name][1:, ...], values[1:, ...])


@pytest.mark.parametrize("version", [2, 3])
def test_written_as_by_zarr_python(made, library, tmp_path, connector, version):
    """Shards and zstd are left out: where chunks lie in a shard, and what a compressor makes, is nobody's to say."""
    where, expected = made
    theirs, ours = where / f"v{version}.zarr", shutil.copytree(where / f"v{version}.zarr", tmp_path / "ours.zarr")
    names = {name: values for name, values in arrays(expected, version, "given").items() if name not in ("zstd", "shards")}
    chunks = [path.relative_to(ours) for name in names for path in (ours / name).rglob("*") if path.is_file() and path.name[0] not in ".z"]
    assert len(chunks) > 100
    for chunk in chunks:
        (ours / chunk).unlink()
    connector.run(write_all, str(ours), names)
    assert [str(chunk) for chunk in chunks if (ours / chunk).read_bytes() != (theirs / chunk).read_bytes()] == []


def change(path):
    with h5py.File(path, "r+") as f:
        for name in ("zstd", "shards", "exact-f8"):
            f[name][2:5, 3] = [7, 8, 9]
            f.copy(name, "copy of " + name)
    with h5py.File(path) as f:
        return {name: f[name][...] for name in f if name.startswith("copy of")}


def test_changed_and_copied(made, library, tmp_path, connector):
    where, expected = made
    ours = shutil.copytree(where / "v3.zarr", tmp_path / "ours.zarr")
    changed = connector.run(change, str(ours))
    for name in ("zstd", "shards", "exact-f8"):
        values = expected[f"read-v3-{name}"].copy()
        values[2:5, 3] = [7, 8, 9]
        assert np.allclose(changed["copy of " + name], values, atol=0.03, rtol=0)
        codecs = [json.loads((ours / path / "zarr.json").read_text())["codecs"] for path in (name, "copy of " + name)]
        assert codecs[0] == codecs[1]


def read_one(path, name):
    with h5py.File(path) as f:
        return f[name][...]


def test_damaged(made, library, tmp_path, reader):
    """Whatever is in a chunk: an error or numbers, and the process lives."""
    where, expected = made
    ours = shutil.copytree(where / "v3.zarr", tmp_path / "ours.zarr")
    chunk, rng = ours / "tolerance-f8" / "c" / "0" / "0", random.Random(1)
    whole, failed = chunk.read_bytes(), 0
    for number in range(120):
        data = bytearray(whole[:rng.randrange(len(whole))] if number % 3 == 0 else whole)
        for _ in range(rng.randrange(1, 9) if number % 3 else 0):
            data[rng.randrange(min(len(data), 20 if number % 2 else len(data)))] = rng.randrange(256)
        chunk.write_bytes(data)
        try:
            assert reader.run(read_one, str(ours), "tolerance-f8").shape == expected["read-v3-tolerance-f8"].shape
        except Failed as error:
            failed += 1
            assert "tolerance-f8" in str(error) and "zfpy" in str(error)
    assert failed > 10


def write_five(path):
    with h5py.File(path, "r+") as f:
        f["x"][...] = 1


@pytest.mark.parametrize("members, why", [({"data_type": "int16"}, "int32, int64, float32"), ({"shape": [2] * 5, "chunk_grid": {
    "name": "regular", "configuration": {"chunk_shape": [2] * 5}}}, "5 dimensions"), ({"mode": 5}, "mode")])
def test_what_zfp_cannot(made, library, tmp_path, connector, members, why):
    where, _ = made
    shutil.copytree(where / "v3.zarr" / "rank-1", tmp_path / "s.zarr" / "x")
    shutil.rmtree(tmp_path / "s.zarr" / "x" / "c")
    (tmp_path / "s.zarr" / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    document = tmp_path / "s.zarr" / "x" / "zarr.json"
    content = json.loads(document.read_text())
    if "mode" in members:
        content["codecs"][0]["configuration"]["mode"] = members["mode"]
    else:
        content.update(members, fill_value=0)
    document.write_text(json.dumps(content))
    with pytest.raises(Failed, match=f"(?s)x.*zfpy.*{why}"):
        connector.run(write_five, str(tmp_path / "s.zarr"))
