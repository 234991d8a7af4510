"""Icechunk repositories of format versions 1 and 2. The judge is zarr-python over icechunk 1.1 and 2.3, which wrote what
data/icechunk-1.tar.xz and data/icechunk-2.tar.xz hold (data/icechunk_stores.py), with all elements that they read there."""

import json
import pathlib
import shutil
import subprocess

import h5py
import numpy as np
import pytest

from converting import convert
from interpreter import Failed
from places import COMMAND, unpack

ARCHIVES = pathlib.Path(__file__).parent / "data"


@pytest.fixture(scope="module", params=[1, 2])
def made(request, tmp_path_factory):
    where = unpack(ARCHIVES / f"icechunk-{request.param}.tar.xz", tmp_path_factory.mktemp("icechunk")) / f"icechunk-{request.param}"
    with np.load(where / "expected.npz") as expected:
        values = {name: expected[name] for name in expected.files}
    return where, values, json.loads((where / "expected.json").read_text())


@pytest.fixture
def copy(made, tmp_path):
    return pathlib.Path(shutil.copytree(made[0], tmp_path / "copy"))


def shown(dataset):
    return dataset.asstr()[...] if dataset.dtype.kind == "O" else dataset[...]


def plain(value):
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, bytes):  # ASCII of what xarray wrote
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value


def says(path, *texts, mode="r", kind=OSError):
    with pytest.raises(kind) as failure:
        h5py.File(path, mode)
    for text in texts:
        assert text in str(failure.value), str(failure.value)


def fails(path, key, *texts):
    """Reading is an error, never the fill value."""
    with h5py.File(path, "r") as f, pytest.raises(OSError) as failure:
        f[key][...]
    for text in texts:
        assert text in str(failure.value), str(failure.value)


def names_in(where, reference):
    name, word = reference.split("|")
    return [where / f"{name}|icechunk:{word}", *([where / name, where / f"{name}|icechunk:"] if word == "@branch.main" else [])]


# ---- what icechunk reads ----

def test_all_elements(made):
    where, expected, _ = made
    compared = 0
    for key, values in expected.items():
        reference, path = key.rsplit("|", 1)
        for name in names_in(where, reference):
            with h5py.File(name, "r") as f:
                dataset = f[path] if path else next(iter(f.values()))
                assert dataset.shape == values.shape
                np.testing.assert_array_equal(shown(dataset), values, err_msg=f"{name} {path}")
                compared += 1
    assert compared >= 50


def test_all_nodes_and_attributes(made):
    where, _, facts = made
    for reference, nodes in facts.items():
        with h5py.File(names_in(where, reference)[0], "r") as f:
            found = []
            f.visit(found.append)
            named = sorted(path for path in nodes if path)
            assert set(found) == set(named + (["station"] if "temperature" in nodes else [])) or not nodes
            for path, attributes in nodes.items():
                for name, value in attributes.items():
                    if not isinstance(value, dict) and name != "_FillValue":  # which is typed here, and text there
                        assert plain(f[path or "/"].attrs[name]) == value, (path, name)


def test_parts(made):
    """Hyperslabs and points of an array whose manifest is split, and of shards."""
    where, expected, _ = made
    for path in ("a/b/sparse", "a/shards", "grid"):
        values = expected[f"history|@tag.v1|{path}"]
        with h5py.File(where / "history|icechunk:@tag.v1", "r") as f:
            for part in (np.s_[3:-3, 5:-5], np.s_[::7, ::3], np.s_[11, :], np.s_[:, 4], np.s_[-1:, -1:]):
                np.testing.assert_array_equal(f[path][part], values[part], err_msg=path)


def test_groups_in_a_name(made):
    where, expected, _ = made
    for name in ("history|icechunk:@tag.v1/a", "history|icechunk:@tag.v1/a/", "history|icechunk:@tag.v1/|zarr3:a", "history|icechunk:@tag.v1|zarr:a"):
        with h5py.File(where / name, "r") as f:
            np.testing.assert_array_equal(f["shards"][...], expected["history|@tag.v1|a/shards"])
    with h5py.File(where / "history|icechunk:a", "r") as f:
        assert "b" in f
    says(where / "history|icechunk:@tag.v1/none", kind=FileNotFoundError)


def test_two_snapshots_at_once(made):
    where, expected, _ = made
    with h5py.File(where / "history", "r") as main, h5py.File(where / "history|icechunk:@branch.dev", "r") as dev:
        np.testing.assert_array_equal(main["grid"][...], expected["history|@branch.main|grid"])
        np.testing.assert_array_equal(dev["grid"][...], expected["history|@branch.dev|grid"])
        assert "only-dev" in dev and "only-dev" not in main and "c" not in dev


def test_stored_chunks(made):
    where, _, _ = made
    with h5py.File(where / "many", "r") as f:
        assert f["many"].id.get_num_chunks() == 120 and f["many"].id.get_storage_size() == 3000
        assert f["many"].id.get_chunk_info_by_coord((7, 25)).size == 25
    with h5py.File(where / "history|icechunk:@tag.v1", "r") as f:
        assert f["empty"].id.get_num_chunks() == 0 and f["scalar"].shape == () and f["a/b/sparse"].id.get_num_chunks() == 5


def test_what_xarray_wrote_is_netcdf(made):
    where, expected, _ = made
    with h5py.File(where / "weather", "r") as f:
        temperature = f["temperature"]
        assert [len(scales) for scales in temperature.dims] == [1, 1, 1]
        assert [scales[0].name for scales in temperature.dims] == ["/time", "/y", "/x"]
        assert f["time"].is_scale and f["station"].is_scale and f["station"].shape == (2,)
        np.testing.assert_array_equal(temperature.dims[0][0][...], expected["weather|@branch.main|time"])


# ---- h5zarr ----

def test_command(made, h5zarr, tmp_path):
    where, expected, _ = made
    assert "icechunk" in h5zarr("info", where / "history").stdout
    assert "shards-of-zeros" in h5zarr("tree", where / "history").stdout
    assert "nothing is wrong" in h5zarr("check", where / "history").stdout
    assert "nothing is wrong" in h5zarr("check", where / "history|icechunk:@tag.v1").stdout
    for name in ("out.zarr", "out.h5"):
        convert(where / "history|icechunk:@tag.v1", tmp_path / name)
        with h5py.File(tmp_path / name, "r") as f:
            for key, values in expected.items():
                if key.startswith("history|@tag.v1|"):
                    np.testing.assert_array_equal(shown(f[key.rsplit("|", 1)[1]]), values)


# ---- refused ----

def open_and_close(path, mode):
    h5py.File(path, mode).close()


@pytest.mark.parametrize("name", ["history", "history|icechunk:@branch.dev", "new"])
def test_writing(copy, connector, name):
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    for mode in ("r+", "a", "w", "w-"):
        with pytest.raises(Failed, match="only be read|no Zarr metadata|exists"):
            connector.run(open_and_close, str(copy / name), mode)
    says(copy / "history", "an Icechunk repository", "can only be read", mode="r+")
    result = subprocess.run([COMMAND, "convert", "--force", copy / "array", copy / name], capture_output=True, text=True)
    assert result.returncode != 0
    assert before == {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    assert not [path for path in copy.iterdir() if "|" in path.name]


def test_no_such_reference(made):
    where, _, _ = made
    name = str(where / "history")
    says(f"{name}|icechunk:@branch.nope", name, "@branch.nope", 'there is no branch "nope"', "there are dev, main")
    says(f"{name}|icechunk:@tag.gone", 'there is no tag "gone"', "there is v1")
    says(f"{name}|icechunk:@00000000000000000000", "there is no", "snapshot", "it expired, or never was")
    says(f"{name}|icechunk:@xyz", '"@xyz" is no id of a snapshot')
    says(f"{name}|icechunk:@branch.", "@branch.")
    says(f"{name}|icechunk:@branch.nope/a/b", 'there is no branch "nope"')
    says(where / "new", "an Icechunk repository", "no Zarr metadata")


@pytest.mark.parametrize("made", [1], indirect=True)
def test_many_branches_are_not_all_told(copy):
    """In format version 1 each has a directory."""
    for number in range(40):
        shutil.copytree(copy / "history/refs/branch.dev", copy / f"history/refs/branch.x{number:02}")
    says(copy / "history|icechunk:@branch.nope", "dev, main, x00", "x05", "and 34 more")


# ---- damaged ----

def files(repository, folder):
    found = sorted((repository / folder).iterdir())
    assert found
    return found


def test_missing_files(copy):
    for folder, key, text in (("chunks", "many", "chunks/"), ("manifests", "many", "manifests/")):
        for path in files(copy / "many", folder):
            path.rename(path.with_suffix(".away"))
        fails(copy / "many", key, str(copy / "many"), "@branch.main", text, "there is no such file")
        for path in files(copy / "many", folder):
            path.rename(path.with_suffix(""))
    for path in files(copy / "many", "snapshots"):
        path.unlink()
    says(copy / "many", "there is no snapshot", "it expired, or never was")


def test_short_chunk(copy):
    for path in files(copy / "many", "chunks"):
        path.write_bytes(path.read_bytes()[:-1])
    fails(copy / "many", "many", "chunks/")


def test_unknown_version(copy):
    for path in files(copy / "many", "snapshots") + [path for path in [copy / "many" / "repo"] if path.exists()]:
        content = bytearray(path.read_bytes())
        content[36] = 3
        path.write_bytes(content)
    says(copy / "many", str(copy / "many"), "format version 3 of Icechunk: 1 and 2 are known")


@pytest.mark.parametrize("made, folder", [(version, folder) for version in (1, 2) for folder in ("snapshots", "manifests", "repo")[:1 + version]],
                         indirect=["made"])
def test_no_damage_is_silent_nonsense(copy, reader, folder):
    """The header, and bytes of the packed content."""
    for path in [copy / "many" / "repo"] if folder == "repo" else files(copy / "many", folder):
        content = path.read_bytes()
        for at in sorted({0, 11, 36, 37, 38, 39, 45, len(content) - 1, *range(50, len(content), max(1, len(content) // 20))}):
            path.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1:])
            assert reader.run(look, str(copy / "many")) in ("error", 9000, "other"), (path, at)
        path.write_bytes(content)


def look(path):
    try:
        with h5py.File(path, "r") as f:
            return int(f["many"][...].sum()) if f["many"].shape == (60, 50) else "other"
    except (OSError, KeyError, RuntimeError):
        return "error"


def test_a_directory_called_repo(tmp_path):
    (tmp_path / "x" / "repo").mkdir(parents=True)
    says(tmp_path / "x")
    (tmp_path / "y").mkdir()
    (tmp_path / "y" / "repo").write_bytes(b"ICE")
    says(tmp_path / "y")
