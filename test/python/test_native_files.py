"""Under HDF5_VOL_CONNECTOR=zarr what is not a store stays native, in the same process as stores."""

import io
import os
import re

import h5py
import numpy as np
import pytest

import view
from alike import outcome
from interpreter import run_once
from places import with_connector


def make(path, **options):
    with h5py.File(path, "w", **options) as f:
        f["g/x"] = np.arange(6)
        f["g"].attrs["k"] = "v"
        f["text"] = "α"


def change(path):
    with h5py.File(path, "r+") as f:
        f["g/new"] = 2.5
        f["g/x"][0] = 100
        del f["text"]
        f.move("g/new", "top")
        f["soft"] = h5py.SoftLink("/g/x")
        f["ref"] = f["g"].ref
        return view.tree(f), f["soft"][0], f[f["ref"][()]].name, f.get("soft", getlink=True).path


def test_a_native_file_is_read_and_changed(connector, tmp_path):
    for name in ("ours.h5", "oracle.h5"):
        make(tmp_path / name)
    assert connector.run(view.file_tree, str(tmp_path / "ours.h5")) == view.file_tree(tmp_path / "oracle.h5")
    assert connector.run(change, str(tmp_path / "ours.h5")) == change(tmp_path / "oracle.h5")
    assert view.file_tree(tmp_path / "ours.h5") == view.file_tree(tmp_path / "oracle.h5")
    assert h5py.is_hdf5(tmp_path / "ours.h5")


def said_of(path, mode):
    try:
        with h5py.File(path, mode) as f:
            return f.mode, list(f)
    except Exception as error:
        text = re.sub(r"time = [^,]*|buf = 0x\w+", "", str(error))  # these differ from run to run
        return type(error).__name__, getattr(error, "errno", None), text


def print_neither(where):
    """What is said of names that are neither a store nor an HDF5 file."""
    os.mkdir(where)
    os.chdir(where)
    os.makedirs("directory/below")
    os.mkdir("empty directory")
    for name, content in (("text", b"text"), ("zip", b"PK\3\4" + bytes(60)), ("damaged", b"\x89HDF\r\n\x1a\n" + bytes(40)), ("empty", b"")):
        open(name, "wb").write(content)
    os.symlink("nowhere", "link")
    names = ["directory", "empty directory", "text", "zip", "damaged", "empty", "link", "not there", "not/there", "text/x", "/dev/null"]
    for mode in ("r", "r+", "a"):
        for name in names:
            print(name, mode, said_of(name, mode))


def test_native_says_what_is_no_store_where_names_are_native(tmp_path):
    """Under create=*.zarr: the same exceptions, with the same words."""
    status, said = run_once(with_connector("zarr create=*.zarr"), print_neither, str(tmp_path / "ours"))
    environment = {k: v for k, v in with_connector().items() if k not in ("HDF5_VOL_CONNECTOR", "HDF5_PLUGIN_PATH")}
    native_status, native = run_once(environment, print_neither, str(tmp_path / "native"))
    assert (status, native_status) == (0, 0)
    assert said == native and "IsADirectoryError" in native and "file signature not found" in native


def both(native, store):
    with h5py.File(native, "r") as a, h5py.File(store, "w") as b:
        b["copy"] = a["g/x"][...]
        for key, value in a["g"].attrs.items():
            b["copy"].attrs[key] = value
        equal = a["g/x"] == b["copy"], len({a["g/x"], b["copy"], a, b}), a == b
        refused = outcome(lambda: b.__setitem__("hard", a["g/x"]))
        return equal, refused, b["copy"][...], a["g/x"][...], list(b)


def test_one_process_reads_native_and_writes_a_store(connector, tmp_path):
    make(tmp_path / "n.h5")
    equal, refused, copy, original, names = connector.run(both, str(tmp_path / "n.h5"), str(tmp_path / "s.zarr"))
    assert equal == (False, 4, False)
    assert refused[0] == "raised"
    assert (copy == original).all() and names == ["copy"]


def core(path, backing):
    with h5py.File(path, "w", driver="core", backing_store=backing) as f:
        f["x"] = [1, 2]
        return f.driver, f["x"][...].tolist(), list(f), f["x"] == f["x"]


@pytest.mark.parametrize("backing", [True, False])
def test_core_driver(connector, tmp_path, backing):
    assert connector.run(core, str(tmp_path / "c.h5"), backing) == ("core", [1, 2], ["x"], True)
    assert os.path.exists(tmp_path / "c.h5") == backing
    if backing:
        assert (tmp_path / "c.h5").read_bytes()[:4] == b"\x89HDF"


def file_object():
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as f:
        f["x"] = [1, 2, 3]
    with h5py.File(buffer, "r") as f:
        return f["x"][...].tolist(), buffer.getvalue()[:4]


def test_file_objects(connector):
    assert connector.run(file_object) == ([1, 2, 3], b"\x89HDF")


def user_block(path):
    make(path, userblock_size=512)
    with open(path, "r+b") as raw:
        raw.write(b"MuData")
    with h5py.File(path) as f:
        return f.userblock_size, f["g/x"][...].tolist()


def test_user_block_stays_native(connector, tmp_path):
    assert connector.run(user_block, str(tmp_path / "u.h5")) == (512, list(range(6)))
    assert (tmp_path / "u.h5").read_bytes()[:6] == b"MuData"
    assert view.file_tree(tmp_path / "u.h5")["g/x"]["shape"] == (6,)


def test_swmr_of_a_native_file(connector, tmp_path):
    path = tmp_path / "s.h5"
    with h5py.File(path, "w", libver="latest") as f:
        f.create_dataset("x", (0,), "i4", maxshape=(None,), chunks=(10,))
    assert connector.run(swmr_of_existing, str(path)) == (True, [3] * 5)
    with h5py.File(path) as f:
        assert f["x"][...].tolist() == [3] * 5


def swmr_of_existing(path):
    with h5py.File(path, "r+", libver="latest") as f:
        f.swmr_mode = True
        f["x"].resize((5,))
        f["x"][...] = 3
        f["x"].flush()
        with h5py.File(path, "r", libver="latest", swmr=True) as reader:
            return f.swmr_mode, reader["x"][...].tolist()


def is_hdf5(paths):
    return [h5py.is_hdf5(p) for p in paths]


def test_is_hdf5(connector, tmp_path):
    make(tmp_path / "n.h5")
    connector.run(make, str(tmp_path / "s.zarr"))
    (tmp_path / "t").write_text("text")
    paths = [str(tmp_path / n) for n in ("n.h5", "t", "none")]
    assert connector.run(is_hdf5, paths) == is_hdf5(paths) == [True, False, False]


def image_of_existing(path):
    with h5py.File(path) as f:
        data = f.id.get_file_image()
    with h5py.File(io.BytesIO(data)) as f:
        return f["g/x"][...].tolist()


def test_file_image_of_a_native_file(connector, tmp_path):
    make(tmp_path / "n.h5")
    assert connector.run(image_of_existing, str(tmp_path / "n.h5")) == list(range(6))


def every_native_feature(path):
    with h5py.File(path, "r+") as f:
        f["link"] = h5py.ExternalLink("other.h5", "/x")
        f["type"] = np.dtype([("a", "i4")])
        f.create_dataset("refs", data=[f["g"].ref, f["g/x"].ref], dtype=h5py.ref_dtype)
        f["region"] = f["g/x"].regionref[2:4]
        f["g/x"].dims[0].label = "time"
        f["scale"] = np.arange(6)
        f["scale"].make_scale("s")
        f["g/x"].dims[0].attach_scale(f["scale"])
        f.copy("g", "copied")
        f.create_dataset("scaled", data=np.arange(100), scaleoffset=0, chunks=(10,))
        layout = h5py.VirtualLayout((6,), "i8")
        layout[:] = h5py.VirtualSource(f["g/x"])
        f.create_virtual_dataset("virtual", layout)
        f.create_dataset("lzf", data=np.arange(100), compression="lzf")
        return ([f[r].name for r in f["refs"]], f["g/x"][f["region"][()]].tolist(), f["g/x"].dims[0][0].name, f["copied/x"][...].tolist(),
                f["virtual"][...].tolist(), f["scaled"].chunks, f["lzf"][...].tolist(), f["type"].dtype, f.get("link", getlink=True).filename,
                f["g/x"].id.get_offset() is not None, f["lzf"].id.get_num_chunks(), f.id.get_filesize() > 0, [h5py.h5o.get_info(f["g"].id).rc])


def test_features_that_only_hdf5_has(connector, tmp_path):
    for name in ("ours.h5", "oracle.h5"):
        make(tmp_path / name)
    assert connector.run(every_native_feature, str(tmp_path / "ours.h5")) == every_native_feature(tmp_path / "oracle.h5")


def without_the_variable(tmp_path):
    return outcome(lambda: h5py.File(tmp_path / "none.h5", "r")), outcome(lambda: h5py.File(tmp_path / "new.h5", "a").close()), \
        outcome(lambda: h5py.File(tmp_path / "new.h5", "x")), outcome(lambda: h5py.File(tmp_path, "r"))


def test_the_plugin_path_alone_changes_nothing_for_native_files(tmp_path):
    missing, made, exclusive, directory = without_the_variable(tmp_path)
    assert missing[1:] == ("FileNotFoundError", 2)
    assert made is None and h5py.is_hdf5(tmp_path / "new.h5")
    assert exclusive[1:] == ("FileExistsError", 17)
    assert directory[0] == "raised"


def copy_sparse(source, target, to_native):
    """A dataset of which most chunks are not there, too large to be written whole."""
    with h5py.File(source, "w", driver="core" if not to_native else None) as f, h5py.File(target, "w", driver="core" if to_native else None) as to:
        d = f.create_dataset("d", (100_000, 100_003), "i2", chunks=(300, 400), fillvalue=-1)
        d[450:460, 80_000:80_010], d[99_999, 100_002] = 7, 8
        f.copy("d", to)
        copy = to["d"]
        found = [(x.id.get_num_chunks(), sorted(x.id.get_chunk_info(i).chunk_offset for i in range(x.id.get_num_chunks()))) for x in (d, copy)]
        return found, copy[455, 80_005:80_012].tolist(), copy[99_999, 100_001:].tolist()


@pytest.mark.parametrize("to_native", [False, True])
def test_copies_have_the_chunks_that_are_there(connector, tmp_path, to_native):
    (of_source, of_copy), near, last = connector.run(copy_sparse, str(tmp_path / "source"), str(tmp_path / "target"), to_native)
    assert of_copy == of_source == (2, [(300, 80_000), (99_900, 100_000)])
    assert near == [7] * 5 + [-1] * 2 and last == [-1, 8]
