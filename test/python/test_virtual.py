"""Virtual datasets and external storage: what h5py and HDF5's tools see of a native file, they see of a store; zarr-python sees fill."""

import re

import h5py
import numpy as np
import pytest
import zarr

EVERYTHING = slice(0, h5py.h5s.UNLIMITED)


def make(directory):
    """In that directory, by relative names: a source and the datasets that it is a source of, and raw files."""
    with h5py.File(f"{directory}/source.h5", "w") as f:
        f.create_dataset("x", data=np.arange(20, dtype="i4").reshape(4, 5), maxshape=(None, 5))
    with h5py.File(f"{directory}/file.h5", "w") as f:
        f.create_dataset("here", data=np.arange(5, dtype="i4"), chunks=(5,))
        layout = h5py.VirtualLayout((6, 5), "i4")
        layout[0:4] = h5py.VirtualSource("source.h5", "x", shape=(4, 5))
        layout[4] = h5py.VirtualSource(f["here"])
        f.create_virtual_dataset("parts", layout, fillvalue=-3)
        layout = h5py.VirtualLayout((4, 5), "f8", maxshape=(None, 5))
        layout[EVERYTHING, :] = h5py.VirtualSource("source.h5", "x", shape=(4, 5), maxshape=(None, 5))[EVERYTHING, :]
        f.create_virtual_dataset("growing", layout)
        f.create_dataset("raw", (3, 2), ">i2", external=[(f"{directory}/one", 4, 6), (f"{directory}/two", 0, h5py.h5f.UNLIMITED)])
        f["raw"][...] = [[1, 2], [3, 4], [5, 6]]


def selection(space):
    return space.get_select_type(), space.get_regular_hyperslab()


def look(directory):
    """All that h5py tells, and the numbers."""
    with h5py.File(f"{directory}/file.h5", "r") as f:
        told = {}
        for name in ("here", "parts", "growing", "raw"):
            d = f[name]
            sources = [(s.file_name, s.dset_name, selection(s.vspace)) for s in d.virtual_sources()] if d.is_virtual else None
            external = [(name.rsplit("/", 1)[-1], *place) for name, *place in d.external] if d.external else None
            told[name] = (d.shape, d.maxshape, d.chunks, str(d.dtype), d.fillvalue.item(), sources, external, d[...].tolist())
        return told


@pytest.fixture(scope="module")
def where(tmp_path_factory, connector):
    path = tmp_path_factory.mktemp("virtual")
    (path / "native").mkdir()
    (path / "store").mkdir()
    make(path / "native")
    connector.run(make, str(path / "store"))
    return path


def test_h5py_tells_what_it_tells_of_a_native_file(where, connector):
    native = look(where / "native")
    assert connector.run(look, str(where / "store")) == native
    assert native["parts"][-1][3:] == [[15, 16, 17, 18, 19], [0, 1, 2, 3, 4], [-3] * 5]


def test_the_raw_files_are_those_of_native_hdf5(where):
    for name in ("one", "two"):
        assert (where / "store" / name).read_bytes() == (where / "native" / name).read_bytes()


def test_zarr_python_sees_fill_values(where):
    store = zarr.open_group(str(where / "store/file.h5"), mode="r")
    assert (store["parts"][...] == -3).all() and store["parts"].shape == (6, 5)
    assert (store["growing"][...] == 0).all() and (store["raw"][...] == 0).all()


def dump(tool, path):
    """Sizes and places of chunks are the file's own affair."""
    text = re.sub(r"(SIZE|OFFSET) .*\n(?= *(\}|OFFSET))", "", tool("h5dump", "-p", path))
    return re.sub(r"/\S*/(native|store|copies)/", "", text)


def test_h5dump_prints_what_it_prints_of_the_native_file(where, tool):
    assert dump(tool, where / "store/file.h5") == dump(tool, where / "native/file.h5")


@pytest.mark.parametrize("way", ["store to store", "store to native", "native to store"])
def test_copies_keep_mappings_and_files(where, tool, connector, way):
    """The copies lie beside sources that they can open: those of HDF5 files must be HDF5 files."""
    source = where / way.split(" to ")[0]
    to_native = way.endswith("native")
    copy = where / ("native" if "native" in way else "store") / f"copy of {way}.h5"
    connector.run(copy_all, str(source / "file.h5"), str(copy), to_native)
    assert dump(tool, copy).replace(copy.name, "file.h5") == dump(tool, where / "native/file.h5")


def copy_all(source, copy, to_native):
    if to_native: # what only a real HDF5 file can do makes one
        h5py.File(copy, "w", driver="core", backing_store=True).close()
    with h5py.File(source, "r") as f, h5py.File(copy, "r+" if to_native else "w") as to:
        for name in f:
            f.copy(name, to)


def shrink(path):
    """Sources that are smaller than their mappings: what is not there is the source's fill value."""
    with h5py.File(path, "w") as f:
        source = f.create_dataset("s", data=np.arange(9, dtype="i8").reshape(3, 3), chunks=(1, 3), maxshape=(None, None), fillvalue=7)
        layout = h5py.VirtualLayout((2, 4), "f8")
        layout[0, 0:3], layout[1, 0:3] = h5py.VirtualSource(source)[0], h5py.VirtualSource(source)[2]
        f.create_virtual_dataset("v", layout, fillvalue=-1)
        said = []
        for shape in ((3, 0), (1, 2), (0, 4), (0, 0), (2, 3), (3, 3)):
            source.resize(shape)
            said.append((f["v"][...].tolist(), f["v"][:, :2].tolist(), f["v"][1, 1:].tolist(), f["v"][f["v"][...] < 5].tolist()))
        return said


def test_sources_that_shrank(connector, tmp_path):
    assert connector.run(shrink, str(tmp_path / "s.zarr")) == shrink(str(tmp_path / "n.h5"))


def write_beyond(path):
    with h5py.File(path, "r+") as f:
        f["s"].resize((1, 2))
        with pytest.raises(OSError, match="the file selection is not within the extent"):
            f["v"][0, :3] = 5
        f["v"][0, :2] = 6
        return f["s"][...].tolist()


def test_what_a_source_has_no_room_for_is_not_written(connector, tmp_path):
    """HDF5 says success, and drops it."""
    connector.run(shrink, str(tmp_path / "s.zarr"))
    assert connector.run(write_beyond, str(tmp_path / "s.zarr")) == [[6, 6]]


def points_of_shrunk(path):
    """Lists of points, as h5py makes them of masks of several dimensions."""
    said = []
    with h5py.File(path, "w") as f:
        source = f.create_dataset("s", data=np.arange(1.0, 13).reshape(3, 4), chunks=(2, 3))
        layout = h5py.VirtualLayout((2, 5), "f8")
        layout[0, :4], layout[1, 1:4] = h5py.VirtualSource(source)[0], h5py.VirtualSource(source)[2, :3]
        v = f.create_virtual_dataset("v", layout, fillvalue=-1)
        for shape in ((3, 4), (3, 2), (1, 1), (0, 0)):
            source.resize(shape)
            said.append([v[np.arange(10).reshape(2, 5) % turn == rest].tolist() for turn in (1, 2, 3) for rest in range(turn)])
        source.resize((3, 2))
        for first in (0, 1, 3):
            mask = np.zeros((2, 5), bool)
            mask[0, first:4] = True
            try:
                v[mask] = 70 + first
                said.append("written")
            except OSError as error:
                said.append("refused" if "the file selection is not within the extent" in str(error) else str(error))
            said.append(source[...].tolist())
        v[np.array([[True, True, False, False, False], [False, False, True, False, False]])] = [1, 2, 3]
        return said, source[...].tolist()


def test_points_of_sources_that_shrank(connector, tmp_path):
    """An element that is not there any more is not taken for another one, in reading or in writing."""
    shown = [np.array([[*row, -1], [-1, *low, -1]]) for row, low in (
        ((1, 2, 3, 4), (9, 10, 11)), ((1, 2, 0, 0), (9, 10, 0)), ((1, 0, 0, 0), (0, 0, 0)), ((0, 0, 0, 0), (0, 0, 0)))]
    read = [[v[np.arange(10).reshape(2, 5) % turn == rest].tolist() for turn in (1, 2, 3) for rest in range(turn)] for v in shown]
    left = [[0, 0], [0, 0], [0, 0]]
    said, source = connector.run(points_of_shrunk, str(tmp_path / "s.zarr"))
    assert said == [*read, "refused", left, "refused", left, "refused", left]
    assert source == [[1, 2], [0, 0], [0, 3]]


def other_sources(path):
    """What is no dataset is an error, what is missing shows as the fill value."""
    said = {}
    with h5py.File(path, "w") as f:
        f["g"], f["t"], f["lost"], f["soft"] = f.create_group("group"), np.dtype("i4"), h5py.SoftLink("/none"), h5py.SoftLink("/g")
        for name in ("g", "t", "lost", "soft", "none"):
            layout = h5py.VirtualLayout((4,), "f8")
            layout[:] = h5py.VirtualSource(".", name, (4,))
            f.create_virtual_dataset(f"of {name}", layout, fillvalue=-1)
    with h5py.File(path, "r+") as f:
        for name in ("g", "t", "lost", "soft", "none"):
            d = f[f"of {name}"]
            for what, work in (("read", lambda: d[...].tolist()), ("write", lambda: d.write_direct(np.ones(4)))):
                try:
                    said[name, what] = work()
                except OSError as error:
                    said[name, what] = next((text for text in ("not a dataset", "unmapped portion") if text in str(error)), str(error))
    return said


def test_sources_that_are_no_datasets(connector, tmp_path):
    """HDF5 1.14 takes them for missing ones; the fill value in the place of what is there would be a loss nobody sees."""
    said = connector.run(other_sources, str(tmp_path / "store"))
    assert [key for key, answer in said.items() if answer == "not a dataset"] == [(name, what) for name in ("g", "t", "soft") for what in ("read", "write")]
    assert [said[name, "read"] for name in ("lost", "none")] == [[-1] * 4] * 2
    assert [said[name, "write"] for name in ("lost", "none")] == ["unmapped portion"] * 2
    if h5py.version.hdf5_version_tuple >= (2,):
        assert said == other_sources(str(tmp_path / "native.h5"))
