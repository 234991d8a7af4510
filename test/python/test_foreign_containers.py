"""What is no Zarr store but a container that others know is called by its name; and names of other programs lead where they do there."""

import json
import os
import pathlib
import shutil
import subprocess
import zipfile

import h5py
import numpy as np
import pytest
import zarr

from places import COMMAND, unpack, unpacked
from test_one_file_programs import DOORWAY

ARCHIVES = pathlib.Path(__file__).parent / "data"


def says(path, *texts):
    with pytest.raises(OSError) as failure:
        h5py.File(path, "r")
    for text in (str(path), *texts):
        assert text in str(failure.value), str(failure.value)


@pytest.fixture(scope="module")
def wild(tmp_path_factory):
    return unpacked("wild/stores-2026-11.tar.gz", tmp_path_factory.mktemp("foreign"))


def test_containers(wild):
    says(wild / "ts.n5", "an N5 container")
    with h5py.File(wild / "ic", "r") as f:
        assert len(f) > 0


def test_made_by_hand(tmp_path):
    for name, files, said in (("t", {"__schema/x": b"", "__fragments/x": b""}, "a TileDB array"), ("g", {"__tiledb_group.tdb": b""}, "a TileDB group"),
                              ("p.parq", {".zmetadata": json.dumps({"metadata": {}, "record_size": 10000}).encode()}, "a directory of Parquet references")):
        for file, data in files.items():
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        says(tmp_path / name, said)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "attributes.json").write_text('{"x": 1}')
    with pytest.raises(OSError) as failure:
        h5py.File(tmp_path / "plain", "r")
    assert "N5" not in str(failure.value)


def test_h5zarr_says_so(wild, h5zarr):
    assert "an N5 container" in h5zarr("ls", wild / "ts.n5", expect=1).stderr


def test_a_doorway_as_a_file_object(tmp_path):
    """mudata 0.4 opens the path itself."""
    zarr.create_array(tmp_path / "x.zarr", name="x", shape=(2,), chunks=(2,), dtype="i4", zarr_format=2)[...] = [1, 2]
    (tmp_path / "x.h5mu").write_bytes(DOORWAY + b'{"store": "x.zarr"}\n')
    with open(tmp_path / "x.h5mu", "rb") as file, pytest.raises(OSError, match="a doorway, a file that names a Zarr store, as a file object"):
        h5py.File(file, "r")


def test_pipelines(tmp_path):
    """ZEP 8: what stands behind "|" is inside."""
    zarr.create_array(tmp_path / "x.zarr", name="g/x", shape=(2,), chunks=(2,), dtype="i4", zarr_format=2)[...] = [1, 2]
    if not (tmp_path / "x.zarr" / ".zgroup").exists():
        zarr.open_group(tmp_path / "x.zarr", mode="a", zarr_format=2)
    zarr.open_group(tmp_path / "x.zarr" / "g", mode="a", zarr_format=2)
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for file in sorted(p for p in (tmp_path / "x.zarr").rglob("*") if p.is_file()):
            archive.write(file, file.relative_to(tmp_path / "x.zarr"))
    for name, key in (("x.zip|zip:", "g/x"), ("x.zip|zip:g", "x"), ("x.zip|zip:g|zarr2:", "x"), ("x.zarr|zarr:", "g/x"), ("x.zip|zip:|zarr:g/", "x")):
        with h5py.File(tmp_path / name, "r") as f:
            assert f[key][...].tolist() == [1, 2], name
    shutil.copy(tmp_path / "x.zip", tmp_path / "x.zip|zip:")
    with h5py.File(tmp_path / "x.zip|zip:", "r") as f:
        assert f["g/x"][...].tolist() == [1, 2]
    os.unlink(tmp_path / "x.zip|zip:")


def test_doorways_to_what_lies_inside(tmp_path):
    """h5zarr door takes such names, and a doorway leads where its name does, below its directory."""
    unpack(ARCHIVES / "icechunk-2.tar.xz", tmp_path)
    os.rename(tmp_path / "icechunk-2" / "history", tmp_path / "repo")
    zarr.create_array(tmp_path / "x.zarr", name="g/x", shape=(2,), chunks=(2,), dtype="i4", zarr_format=3)[...] = [1, 2]
    zarr.open_group(tmp_path / "x.zarr" / "g", mode="a", zarr_format=3)
    zarr.open_group(tmp_path / "x.zarr", mode="a", zarr_format=3)
    expected = np.load(tmp_path / "icechunk-2" / "expected.npz")
    for number, (name, key, values) in enumerate((
            ("repo", "grid", expected["history|@branch.main|grid"]), ("repo|icechunk:", "grid", expected["history|@branch.main|grid"]),
            ("repo|icechunk:@branch.dev", "only-dev", expected["history|@branch.dev|only-dev"]),
            ("repo|icechunk:@tag.v1/c", "c", expected["history|@tag.v1|c/c"]), ("x.zarr|zarr3:g", "x", [1, 2]),
            ("repo|icechunk:@tag.v1", "c/c", expected["history|@tag.v1|c/c"]))):
        door = tmp_path / f"{number}.h5"
        subprocess.run([COMMAND, "door", tmp_path / name, door], check=True)
        with h5py.File(door, "r") as f:
            np.testing.assert_array_equal(f[key][...], values, err_msg=name)
    with h5py.File(door / "c", "r") as f:
        np.testing.assert_array_equal(f["c"][...], expected["history|@tag.v1|c/c"])
    (tmp_path / "below").mkdir()
    for name, said in (("../repo|icechunk:", "does not lie below"), ("repo|icechunk:@branch.none", 'there is no branch "none"')):
        place = tmp_path / ("below/d.h5" if name[0] == "." else "d.h5")
        place.write_bytes(DOORWAY + json.dumps({"store": name}).encode() + b"\n")
        with pytest.raises(OSError, match=said):
            h5py.File(place, "r")
    with pytest.raises(OSError):
        h5py.File(f"{door}|icechunk:@tag.v1", "r")
