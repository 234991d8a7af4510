"""Names that lead to a store, or to where one is made: links, slashes, nodes inside; cycles of links in a store."""

import os

import h5py
import numpy as np
import pytest
import zarr

from alike import outcome
from places import by_zarr


def make(path):
    with h5py.File(path, "w") as f:
        f["g/x"] = [1, 2, 3]
        f["g"].attrs["k"] = "v"


def shown(path):
    with h5py.File(path, "r") as f:
        names = []
        f.visit(names.append)
        return names


def created(path, mode):
    with h5py.File(path, mode) as f:
        f["x"] = 1
    return sorted(os.listdir(os.path.dirname(path)))


LINKS = {"absolute": "{}/target", "relative": "target", "two links": "next", "elsewhere": "{}/none/target", "itself": "link"}
LINKS |= {"circle": "back", "through a circle": "back/target", "below a file": "file/target", "too long": 300 * "n"}


def create_through(where, mode):
    """Each link, its target missing: what came of it, and what the directory holds then."""
    told = {}
    for name, target in LINKS.items():
        directory = os.path.join(where, name)
        os.makedirs(directory)
        os.symlink(target.format(directory), os.path.join(directory, "link"))
        if name == "two links":
            os.symlink("target", os.path.join(directory, "next"))
        if "back" in target:
            os.symlink("link", os.path.join(directory, "back"))
        if name == "below a file":
            open(os.path.join(directory, "file"), "w").close()
        told[name] = outcome(lambda: created(os.path.join(directory, "link"), mode)), sorted(os.listdir(directory))
        told[name] += os.path.islink(os.path.join(directory, "link")),
    return told


@pytest.mark.parametrize("mode", ["w", "a", "x", "w-"])
def test_creating_through_a_dangling_link(connector, tmp_path, mode):
    native = create_through(str(tmp_path / "native"), mode)
    ours = connector.run(create_through, str(tmp_path / "ours"), mode)
    assert ours == native
    if mode == "w":
        assert by_zarr(tmp_path / "ours/two links/target")["x"][()] == 1


def test_slashes_at_the_end(connector, tmp_path):
    path = str(tmp_path / "s.zarr")
    connector.run(make, path + "/")
    assert by_zarr(path)["g/x"][:].tolist() == [1, 2, 3]
    assert shown(path + "//") == connector.run(shown, path + "/") == ["g", "g/x"]
    assert shown(path + "/g/") == ["x"]


def same_store(path):
    with h5py.File(path, "r+") as f, h5py.File(path + "/g/", "r+") as g:
        g["y"] = 5
        return f["g/y"][()], f["g"] == g["/"], g["/"].name, g.filename, sorted(f["g"])


def test_a_node_of_an_open_store(connector, tmp_path):
    path = str(tmp_path / "s.zarr")
    connector.run(make, path)
    assert connector.run(same_store, path) == (5, True, "/", path + "/g/", ["x", "y"])
    assert by_zarr(path)["g/y"][()] == 5


def test_groups_without_documents(tmp_path):
    """A directory with nodes below is a group; zarr-python is asked for those nodes themselves."""
    root = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=2)
    root.create_array("a/b/x", shape=(3,), dtype="i4")[:] = [1, 2, 3]
    for name in ("a", "a/b"):
        os.unlink(tmp_path / "s.zarr" / name / ".zgroup")
    (tmp_path / "s.zarr/nothing/below").mkdir(parents=True)
    assert shown(tmp_path / "s.zarr") == ["a", "a/b", "a/b/x"]
    assert shown(tmp_path / "s.zarr/a") == ["b", "b/x"]
    with h5py.File(tmp_path / "s.zarr") as f:
        assert f["a/b/x"][:].tolist() == zarr.open_array(tmp_path / "s.zarr/a/b/x", mode="r")[:].tolist() == [1, 2, 3]


def edit_root_array(path):
    with h5py.File(path, "r+") as f:
        (name,) = f
        f[name][1] = 10
        f[name].attrs["k"] = "v"
        return name, outcome(lambda: f.create_group("g")), outcome(lambda: f.attrs.create("a", 1))


def test_a_root_that_is_an_array(connector, tmp_path):
    path = tmp_path / "numbers.zarr"
    zarr.save_array(path, np.arange(5), zarr_format=2)
    name, group, attribute = connector.run(edit_root_array, path)
    assert name == "numbers" and group[0] == attribute[0] == "raised"
    array = zarr.open_array(path, mode="r")
    assert array[:].tolist() == [0, 10, 2, 3, 4] and array.attrs["k"] == "v"


def test_links_that_lead_back(connector, tmp_path, tool):
    """A directory above itself is cut; a link beside, or out of the store, is followed."""
    path = str(tmp_path / "s.zarr")
    connector.run(make, path)
    connector.run(make, str(tmp_path / "other.zarr"))
    os.symlink(".", f"{path}/self")
    os.symlink("..", f"{path}/g/up")
    os.symlink("g", f"{path}/beside")
    os.symlink("../other.zarr", f"{path}/out")
    os.symlink("../../s.zarr", f"{path}/out/g/back")
    want = ["beside", "beside/x", "g", "g/x", "out", "out/g", "out/g/x"]
    assert shown(path) == connector.run(shown, path) == want
    assert tool("h5dump", path).count('DATASET "x"') == tool("h5ls", "-r", path).count("Dataset") == 3
