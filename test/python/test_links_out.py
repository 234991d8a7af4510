"""Symbolic links in a store. One that leads out of it is read through; nothing behind it changes, unless the option
follow_links says so, and what is deleted is the link. Judges: the bytes behind the links, and zarr-python."""

import json
import os
import shutil
import stat

import h5py
import numpy as np
import pytest
import zarr

from places import by_zarr, files

DATA = np.arange(24, dtype="i4").reshape(4, 6)


def make(path, format):
    os.environ["VOL_ZARR_FORMAT"] = str(format)
    try:
        f = h5py.File(path, "w")
    finally:
        del os.environ["VOL_ZARR_FORMAT"]
    with f:
        f.create_dataset("a", data=DATA, chunks=(2, 3), maxshape=(None, None))
        f["a"].attrs["unit"] = "m"
        f.create_dataset("g/in", data=DATA, chunks=(2, 3))
        f.create_dataset("text", data=[b"one", b"two"])


def links(tmp_path, connector, format=2):
    """main.zarr with links to members of other.zarr, and what stands in that."""
    paths = [tmp_path / name for name in ("other.zarr", "main.zarr")]
    for path in paths:
        connector.run(make, str(path), format)
    other, main = paths
    os.symlink("../other.zarr/a", main / "a_out")
    os.symlink(other / "g", main / "g_out")
    os.symlink("../../other.zarr/a", main / "g" / "deep_out")
    return main, other, files(other)


def attempt(path, options, name, mode="r+"):
    """Does one change through a link: what was raised, by the change or by close."""
    changes = {
        "write": lambda f: f["a_out"].__setitem__((0, 0), 77),
        "write whole chunk": lambda f: f["a_out"].__setitem__((slice(0, 2), slice(0, 3)), 77),
        "direct chunk": lambda f: f["a_out"].id.write_direct_chunk((0, 0), bytes(24)),
        "shrink": lambda f: f["a_out"].resize((1, 1)),
        "grow": lambda f: f["a_out"].resize((9, 9)),
        "attribute": lambda f: f["a_out"].attrs.__setitem__("x", 1),
        "attribute away": lambda f: f["a_out"].attrs.__delitem__("unit"),
        "attribute renamed": lambda f: h5py.h5a.rename(f["a_out"].id, b"unit", b"u"),
        "create below": lambda f: f["g_out"].create_group("new"),
        "create deep": lambda f: f.create_dataset("g_out/x/y", data=1),
        "delete below": lambda f: f.__delitem__("g_out/in"),
        "rename below": lambda f: f.move("g_out/in", "g_out/renamed"),
        "move out": lambda f: f.move("g_out/in", "here"),
        "move in": lambda f: f.move("g/in", "g_out/there"),
        "soft link below": lambda f: f["g_out"].__setitem__("soft", h5py.SoftLink("/a")),
        "hard link to": lambda f: f.__setitem__("second", f["a_out"]),
    }
    os.environ.update(options)
    try:
        f = h5py.File(path, mode)
        try:
            changes[name](f)
        finally:
            f.close()
    except Exception as error:
        return str(error)
    finally:
        for key in options:
            del os.environ[key]
    return None


CHANGES = ["write", "write whole chunk", "direct chunk", "shrink", "grow", "attribute", "attribute away", "attribute renamed",
           "create below", "create deep", "delete below", "rename below", "move out", "move in", "soft link below", "hard link to"]


@pytest.mark.parametrize("format", [2, 3])
@pytest.mark.parametrize("change", CHANGES)
def test_nothing_behind_a_link_changes(tmp_path, connector, change, format):
    main, other, before = links(tmp_path, connector, format)
    mine = files(main / "a")
    error = connector.run(attempt, str(main), {}, change)
    assert error and "symbolic link" in error and "main.zarr" in error and "_out" in error
    assert files(other) == before
    assert files(main / "a") == mine and (main / "g" / "in").exists()
    assert not list(main.rglob("*.partial")) and not list(other.rglob("*.partial"))
    with h5py.File(main, "r") as f:
        assert (f["a_out"][...] == DATA).all() and (f["g/in"][...] == DATA).all()
        assert f["a_out"].attrs["unit"] == "m" and list(f["g_out"]) == ["in"]


@pytest.mark.parametrize("change", ["write", "direct chunk", "shrink", "attribute", "create below", "delete below"])
def test_follow_links_says_that_the_links_are_meant(tmp_path, connector, change):
    main, other, before = links(tmp_path, connector)
    assert connector.run(attempt, str(main), {"VOL_ZARR_FOLLOW_LINKS": "1"}, change) is None
    assert files(other) != before
    assert (main / "a_out").is_symlink() and (main / "g_out").is_symlink()


def delete(path, name, hold):
    with h5py.File(path, "r+") as f:
        held = f[name] if hold else None
        del f[name]
        seen = name in f
        if hold and isinstance(held, h5py.Dataset):
            return seen, held[...].tolist(), held.attrs["unit"]
        if hold:
            return seen, held["in"][...].tolist(), None
    return seen, None, None


@pytest.mark.parametrize("format", [2, 3])
@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("name", ["a_out", "g_out", "g/deep_out"])
def test_a_deleted_link_goes_alone(tmp_path, connector, name, hold, format):
    main, other, before = links(tmp_path, connector, format)
    seen, held, unit = connector.run(delete, str(main), name, hold)
    assert not seen
    assert held is None or held == DATA.tolist()
    assert unit in (None, "m")
    assert not os.path.lexists(main / name)
    assert files(other) == before
    assert not list(main.rglob("*.partial"))


@pytest.mark.parametrize("hold", [False, True])
def test_a_group_with_links_goes_without_what_they_lead_to(tmp_path, connector, hold):
    main, other, before = links(tmp_path, connector)

    seen, _, _ = connector.run(delete, str(main), "g", hold)
    assert not seen and not (main / "g").exists()
    assert files(other) == before


def move(path, source, target):
    with h5py.File(path, "r+") as f:
        f.move(source, target)
    with h5py.File(path, "r") as f:
        return f[target][...].tolist() if isinstance(f[target], h5py.Dataset) else f[target]["in"][...].tolist()


@pytest.mark.parametrize("source, target", [("a_out", "renamed"), ("a_out", "g/moved"), ("g/deep_out", "up"), ("g_out", "g/whole")])
def test_a_moved_link_leads_where_it_did(tmp_path, connector, source, target):
    main, other, before = links(tmp_path, connector)
    was = os.readlink(main / source)
    assert connector.run(move, str(main), source, target) == DATA.tolist()
    assert (main / target).is_symlink() and not os.path.lexists(main / source)
    assert os.readlink(main / target).startswith("/") == was.startswith("/")
    assert files(other) == before


def truncate(path):
    h5py.File(path, "w").close()


def test_truncating_leaves_what_links_lead_to(tmp_path, connector):
    main, other, before = links(tmp_path, connector)
    connector.run(truncate, str(main))
    assert files(other) == before
    assert not list(main.rglob("*_out"))


def write_inside(path):
    with h5py.File(path, "r+") as f:
        f["alias"][0, 0] = 77
        f["alias"].attrs["more"] = 1
        f["whole"][0, 0] = 78
    with h5py.File(path, "r") as f:
        return int(f["a"][0, 0]), int(f["g/in"][0, 0]), int(f["a"].attrs["more"])


def test_links_that_stay_inside_are_the_store(tmp_path, connector):
    """Relative or absolute: what is behind them is this store's, so it is changed in its place."""
    main, other, before = links(tmp_path, connector)
    os.symlink("a", main / "alias")
    os.symlink(main / "g" / "in", main / "whole")
    assert connector.run(write_inside, str(main)) == (77, 78, 1)
    assert (main / "alias").is_symlink() and (main / "whole").is_symlink()
    with h5py.File(main, "r+") as f:
        del f["alias"]
    assert (main / "a").is_dir() and not os.path.lexists(main / "alias")
    with h5py.File(main, "r") as f:
        assert f["a"][0, 0] == 77


def write_over_links(path):
    with h5py.File(path, "r+") as f:
        f["a"].attrs["mine"] = 1
        f["a"].resize((5, 6))
        f["a"][...] = 5


def test_a_document_or_chunk_that_is_a_link_is_replaced(tmp_path, connector):
    main, other, _ = links(tmp_path, connector)
    away = tmp_path / "away"
    away.mkdir()
    for name in (".zarray", ".zattrs", "0.0", "1.1"):
        os.rename(main / "a" / name, away / name)
        os.symlink(away / name, main / "a" / name)
    before = files(away)
    with h5py.File(main, "r") as f:
        assert (f["a"][...] == DATA).all()
    connector.run(write_over_links, str(main))
    assert files(away) == before
    for name in (".zarray", ".zattrs", "0.0", "1.1"):
        assert stat.S_ISREG(os.lstat(main / "a" / name).st_mode)
    assert json.loads((main / "a" / ".zarray").read_text())["shape"] == [5, 6]
    with h5py.File(main, "r") as f:
        assert (f["a"][...] == 5).all()


def test_a_store_reached_by_a_link_is_changed(tmp_path, connector):
    main, other, before = links(tmp_path, connector)
    (tmp_path / "way").mkdir()
    os.symlink("../main.zarr", tmp_path / "way" / "link")
    assert connector.run(write_member, str(tmp_path / "way" / "link"), "a") == 9
    assert connector.run(write_member, str(main / "g_out"), "in") == 9, "the user named the link"
    assert files(other) != before


def write_member(path, name):
    with h5py.File(path, "r+") as f:
        f[name][0, 0] = 9
        return int(f[name][0, 0])


def move_target(path):
    """References are rewritten at close, in all groups: what lies behind links is passed over."""
    with h5py.File(path, "r+") as f:
        f.create_dataset("refs", data=[f["a"].ref], dtype=h5py.ref_dtype)
        f.attrs["ref"] = f["a"].ref
        f["soft"] = h5py.SoftLink("/text")
    with h5py.File(path, "r+") as f:
        f.move("a", "b")
        del f["text"]
    with h5py.File(path, "r") as f:
        return f[f["refs"][0]].name, f[f.attrs["ref"]].name


def test_settling_passes_over_what_is_behind_links(tmp_path, connector):
    main, other, _ = links(tmp_path, connector)
    connector.run(move_target, str(other))
    before = files(other)
    os.symlink("../other.zarr", main / "whole_store")
    assert connector.run(move_target, str(main)) == ("/b", "/b")
    assert files(other) == before


def test_leftovers_behind_a_link_are_not_ours(tmp_path, connector):
    main, other, _ = links(tmp_path, connector)
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    name = f"{os.uname().nodename}-{pid}-1.partial"
    (other / "g" / name).write_text("x")
    (main / "g" / name).write_text("x")
    connector.run(list_all, str(main))
    assert (other / "g" / name).exists()


def list_all(path):
    with h5py.File(path, "r+") as f:
        names = []
        f.visit(names.append)
        return names, list(f["g_out"])


def opened(path):
    """The file and the array, met at a moment when something of that name is there."""
    while True:
        f = h5py.File(path, "r+")
        try:
            return f, f["a"]
        except KeyError:
            f.close()


def many_writes(path, seconds):
    """Writes until it met both a directory and a link often enough. Returns how often it did."""
    import time

    done = refused = 0
    end = time.monotonic() + seconds
    f, a = opened(path)
    with f:
        while time.monotonic() < end and (done < 50 or refused < 10):
            for change in (lambda: a.id.write_direct_chunk((0, 0), bytes(24)), lambda: a.id.write_direct_chunk((2, 3), bytes(24))):
                try:
                    change()
                    done += 1
                except OSError:
                    refused += 1
    return done, refused


def test_swapping_directories_for_links_meanwhile_harms_nobody(tmp_path, connector):
    """Somebody who may write into the store lays a link where a directory was, again and again."""
    import threading
    import time

    main, other, _ = links(tmp_path, connector)
    victim = tmp_path / "victim"
    shutil.copytree(main / "a", victim)
    before = files(victim)
    stop = threading.Event()

    def take_place(name):
        while True:
            try:
                return os.rename(main / name, main / "a")
            except OSError:  # the writer made the directory anew
                shutil.rmtree(main / "a", ignore_errors=True)

    def swap():
        while not stop.is_set():
            os.symlink(victim, main / "lure")
            os.rename(main / "a", main / "aside")
            take_place("lure")
            time.sleep(0.001)
            os.rename(main / "a", main / "lure")
            os.unlink(main / "lure")
            take_place("aside")
            time.sleep(0.001)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        done, refused = connector.run(many_writes, str(main), 240)
    finally:
        stop.set()
        thread.join()
    assert done >= 50 and refused >= 10
    assert files(victim) == before


# ---- parts of an array, and documents, that are links ----

PARTS = {2: ["0"], 3: ["c", "c/0"]}  # directories of chunks


def nested(tmp_path, format, part, inside):
    """An array of zarr-python whose directory of chunks `part` was moved elsewhere, and a link laid in its place."""
    main, away = tmp_path / "main.zarr", tmp_path / "main.zarr/kept" if inside else tmp_path / "away"
    root = zarr.open_group(main, mode="w", zarr_format=format)
    key = {"name": "v2" if format == 2 else "default", "separator": "/"}
    array = root.create_array("a", shape=DATA.shape, chunks=(2, 3), dtype="i4", chunk_key_encoding=key, compressors=None)
    array[...] = DATA
    os.rename(main / "a" / part, away)
    os.symlink(away, main / "a" / part)
    return main, away, files(away)


def change_array(path, change):
    changes = {
        "write": lambda f: f["a"].__setitem__((0, 0), 77),
        "write all": lambda f: f["a"].__setitem__(Ellipsis, 77),
        "direct chunk": lambda f: f["a"].id.write_direct_chunk((0, 0), bytes(24)),
        "erase": lambda f: f["a"].__setitem__(Ellipsis, 0),
        "delete": lambda f: f.__delitem__("a"),
        "move": lambda f: f.move("a", "b"),
        "attribute": lambda f: f["a"].attrs.__setitem__("x", 1),
        "copy": lambda f: f.copy("a", "b"),
    }
    f = None
    try:
        f = h5py.File(path, "r+")
        changes[change](f)
        f.close()
    except Exception as error:
        try:
            f.close()
        except Exception as again:
            return str(error) + str(again)
        return str(error)


@pytest.mark.parametrize("change", ["write", "write all", "direct chunk", "erase", "delete", "move", "attribute", "copy"])
@pytest.mark.parametrize("format, part", [(format, part) for format in PARTS for part in PARTS[format]])
def test_a_directory_of_chunks_that_leads_out_does_not_change(tmp_path, connector, format, part, change):
    main, away, before = nested(tmp_path, format, part, False)
    with h5py.File(main, "r") as f:
        assert (f["a"][...] == DATA).all()
    error = connector.run(change_array, str(main), change)
    assert files(away) == before
    if change in ("delete", "move", "attribute", "copy"):
        assert error is None
        left = {"delete": [], "move": ["b"], "attribute": ["a"], "copy": ["a", "b"]}[change]
        assert sorted(by_zarr(main)) == left
        assert all((by_zarr(main)[name][...] == DATA).all() for name in left)
    else:
        assert "symbolic link" in error and "main.zarr" in error and str(away) in error
    assert not list(tmp_path.rglob("*.partial"))


@pytest.mark.parametrize("format, part", [(format, part) for format in PARTS for part in PARTS[format]])
def test_a_directory_of_chunks_that_stays_inside_is_the_stores(tmp_path, connector, format, part):
    main, away, before = nested(tmp_path, format, part, True)
    os.unlink(main / "a" / part)  # relative: an absolute one counts as well
    os.symlink("../" * (1 + part.count("/")) + "kept", main / "a" / part)
    assert connector.run(change_array, str(main), "write all") is None
    assert (main / "a" / part).is_symlink() and (by_zarr(main)["a"][...] == 77).all()
    assert files(away) != before


@pytest.mark.parametrize("format, document", [(2, ".zgroup"), (2, ".zmetadata"), (2, "g/.zgroup"), (2, ".zattrs"), (3, "zarr.json"), (3, "g/zarr.json")])
def test_a_document_of_a_group_that_is_a_link_is_replaced(tmp_path, connector, format, document):
    """By a file, or removed; never written through, and the copy of all is true."""
    main, other, _ = links(tmp_path, connector, format)
    for name in ("a_out", "g_out", "g/deep_out"):
        os.unlink(main / name)
    away = tmp_path / "away"
    away.mkdir()
    os.rename(main / document, away / "document")
    os.symlink(away / "document", main / document)
    before = files(away)
    assert connector.run(edit_groups, str(main)) == ["a", "g", "more", "text"]
    assert files(away) == before
    for root in (by_zarr(main), zarr.open_consolidated(main)):
        assert root["g"].attrs["x"] == 1 and root.attrs["y"] == 2 and sorted(root) == ["a", "g", "more", "text"]


def edit_groups(path):
    with h5py.File(path, "r+") as f:
        f["g"].attrs["x"] = 1
        f.attrs["y"] = 2
        f.create_group("more")
        return sorted(f)


@pytest.mark.parametrize("format", [2, 3])
@pytest.mark.parametrize("kind", ["directory", "zip"])
def test_mode_w_and_deletion_of_a_root_that_is_a_link(tmp_path, connector, format, kind):
    """As with files: "w" changes what the link leads to, and the link stays; deleting deletes both."""
    (tmp_path / "elsewhere").mkdir()
    suffix = {"directory": ".zarr", "zip": ".zip"}[kind]
    target, link, outside = tmp_path / f"elsewhere/s{suffix}", tmp_path / f"link{suffix}", tmp_path / "outside.zarr"
    connector.run(make, str(target), format)
    os.symlink(target, link)
    connector.run(make, str(outside), format)
    before = files(outside)
    if kind == "directory":
        os.symlink(outside / "a", target / "g" / "out")
    connector.run(truncate, str(link))
    assert link.is_symlink() and target.exists()
    with h5py.File(link, "r") as f:
        assert list(f) == []
    connector.run(delete_file, str(link))
    assert not os.path.lexists(link) and not target.exists()
    assert os.listdir(tmp_path / "elsewhere") == [] and files(outside) == before


def delete_file(path):
    import ctypes

    hdf5 = ctypes.CDLL(None)
    for line in open("/proc/self/maps"):
        if "libhdf5" in line and "_hl" not in line:
            hdf5 = ctypes.CDLL(line.split()[-1])
            break
    hdf5.H5Fdelete.argtypes = [ctypes.c_char_p, ctypes.c_int64]
    assert hdf5.H5Fdelete(path.encode(), 0) >= 0
