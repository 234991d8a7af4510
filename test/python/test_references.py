"""References and committed types: what h5py tells of them is what it tells of a native file."""

import json
import re

import h5py
import numpy as np
import pytest
import zarr

from alike import outcome
from interpreter import run_once
from places import with_connector

REFERENCE = h5py.ref_dtype


def target(f, reference):
    return f[reference].name if reference else None


def targets(f, references):
    return [target(f, reference) for reference in np.asarray(references, dtype=object).ravel()]


def fill(f):
    group, data = f.create_group("g/h"), f.create_dataset("d", data=np.arange(6.0))
    f.attrs["one"] = data.ref
    f.attrs.create("none", h5py.Reference(), dtype=REFERENCE)
    many = f.create_dataset("many", (2, 3), dtype=REFERENCE)
    many[0, 0], many[1, 1], many[1, 2] = data.ref, group.ref, f.ref
    f.create_dataset("scalar", data=group.ref, dtype=REFERENCE)
    f.create_dataset("chunked", data=np.array([data.ref] * 100, dtype=object), dtype=REFERENCE, chunks=(30,),
                     compression="gzip", maxshape=(None,))
    rows = np.zeros(3, [("i", "<i4"), ("r", REFERENCE), ("x", "<f8")])
    rows["i"], rows["x"] = [1, 2, 3], 0.5
    rows["r"] = [data.ref, h5py.Reference(), group.ref]
    f.create_dataset("rows", data=rows)
    f.attrs["rows"] = rows
    f.attrs.create("list", np.array([group.ref, data.ref], dtype=object), dtype=REFERENCE)
    sequences = f.create_dataset("sequences", (2,), dtype=h5py.vlen_dtype(REFERENCE))
    sequences[0] = np.array([data.ref, group.ref], dtype=REFERENCE)
    scale = f.create_dataset("scale", data=np.arange(6.0))
    scale.make_scale("x")
    data.dims[0].attach_scale(scale)


    f.attrs["region"] = data.regionref[1:4:2]
    regions = f.create_dataset("regions", (4,), dtype=h5py.regionref_dtype)
    regions[0], regions[1], regions[2] = data.regionref[[0, 3, 4]], data.regionref[...], data.regionref[2]
    f.attrs.create("regions", np.array([data.regionref[:2], h5py.RegionReference()], dtype=object),
                   dtype=h5py.regionref_dtype)
    mixed = np.zeros(2, [("r", REFERENCE), ("region", h5py.regionref_dtype)])
    mixed["r"], mixed["region"] = [data.ref, h5py.Reference()], [h5py.RegionReference(), data.regionref[4:]]
    f["mixed"] = mixed


def region(f, reference):
    return (f[reference].name, f[reference][reference].tolist(), f[reference].regionref.selection(reference),
            f[reference].regionref.shape(reference)) if reference else None


def seen(f):
    return {
        "region": region(f, f.attrs["region"]),
        "regions": [region(f, x) for x in f["regions"][...]],
        "regions in an attribute": [region(f, x) for x in f.attrs["regions"]],
        "in a compound": (targets(f, f["mixed"]["r"]), [region(f, x) for x in f["mixed"]["region"]]),
        "one": (target(f, f.attrs["one"]), h5py.h5r.get_obj_type(f.attrs["one"], f.id)),
        "none": bool(f.attrs["none"]),
        "many": (targets(f, f["many"][...]), f["many"].dtype == REFERENCE, f["many"].shape),
        "a row": targets(f, f["many"][1]),
        "scalar": target(f, f["scalar"][()]),
        "chunked": set(targets(f, f["chunked"][...])),
        "rows": (targets(f, f["rows"]["r"]), f["rows"]["i"].tolist(), f["rows"]["x"].tolist()),
        "rows in an attribute": targets(f, f.attrs["rows"]["r"]),
        "list": targets(f, f.attrs["list"]),
        "sequences": [targets(f, x) for x in f["sequences"][...]],
        "scale": [x.name for x in f[f.attrs["one"]].dims[0].values()],
    }


def references(path):
    with h5py.File(path, "w") as f:
        fill(f)
        said = [seen(f)]
    with h5py.File(path, "r+") as f:
        said.append(seen(f))
        f["rows"]["i"] = [7, 8, 9]  # the other members stay
        f.move("d", "g/moved")
        said.append(seen(f))
        f.move("g", "other")
        said.append(seen(f))
    with h5py.File(path, "r") as f:
        said.append(seen(f))
    return said


def committed(path):
    kind = np.dtype([("a", "<i4"), ("b", h5py.string_dtype())])
    with h5py.File(path, "w") as f:
        f["kind"] = kind
        f["kind"].attrs["note"] = "text"
        f.create_dataset("d", (3,), dtype=f["kind"])
        f.attrs.create("a", np.array([(1, "x")], kind), dtype=f["kind"])
        f.create_dataset("plain", data=[1])
    said = []
    for move in (False, True):
        with h5py.File(path, "r+") as f:
            if move:
                f.move("kind", "moved")
            names = [h5py.h5i.get_name(f["d"].id.get_type()), h5py.h5i.get_name(f.attrs.get_id("a").get_type())]
            flags = [x.committed() for x in (f["d"].id.get_type(), f["plain"].id.get_type())]
            name = "moved" if move else "kind"
            said.append((names, flags, type(f[name]).__name__, f[name].dtype == kind, dict(f[name].attrs), sorted(f),
                         f[name] == f[f[name].ref], f.get(name, getclass=True).__name__))
    return said


def places(path):
    with h5py.File(path, "w") as f:
        d = f.create_dataset("d", data=np.arange(3))
        f["soft"] = h5py.SoftLink("/d")
        said = [[bool(x) for x in f.create_dataset(kind, (4,), dtype=dtype, chunks=(3,))[...]]
                for kind, dtype in (("objects", REFERENCE), ("regions", h5py.regionref_dtype))]
        said.append([target(f, f["soft"].ref), target(f, h5py.h5r.create(f.id, b"soft", h5py.h5r.OBJECT))])
        kind = np.dtype([("i", "i4"), ("in", [("r", REFERENCE), ("a", REFERENCE, (2,))])])
        rows = np.zeros(2, kind)
        rows["in"]["r"] = [d.ref, h5py.Reference()]
        rows["in"]["a"] = np.array([[d.ref, h5py.Reference()], [h5py.Reference(), f.ref]], dtype=object)
        nested = f.create_dataset("nested", (2,), dtype=kind)
        nested[...] = rows
        said += [targets(f, nested[...]["in"]["r"]), targets(f, nested[...]["in"]["a"])]
        many = f.create_dataset("many", (100,), dtype=REFERENCE, maxshape=(None,), chunks=(10,))
        many[5:50:5] = [d.ref] * 9
        many.resize((120,))
        said.append(targets(f, many[...]))
    with h5py.File(path, "r") as f:
        return said + [targets(f, f["many"][...]), targets(f, f["nested"][...]["in"]["a"])]


@pytest.mark.parametrize("work", [references, committed, places])
def test_as_native(work, connector, tmp_path):
    assert connector.run(work, str(tmp_path / "store.zarr")) == work(str(tmp_path / "native.h5"))


def fill_file(path):
    with h5py.File(path, "w") as f:
        fill(f)


def test_zarr_python_shows_the_text(connector, tmp_path):
    connector.run(fill_file, str(tmp_path / "s.zarr"))
    store = zarr.open_group(tmp_path / "s.zarr", mode="r")
    d = {"source": ".", "path": "/d", "object_id": None, "source_object_id": None}
    assert store.attrs["one"] == {"zarr_dtype": "object", "value": d}
    assert [x["path"] for x in store.attrs["list"]["value"]] == ["/g/h", "/d"]
    many = [[json.loads(str(x))["path"] if str(x) else None for x in row] for row in store["many"][...]]
    assert many == [["/d", None, None], [None, "/g/h", "/"]]
    assert store["many"].attrs["zarr_dtype"] == "object" and store["scalar"].attrs["zarr_dtype"] == "object"
    assert [json.loads(str(x))["path"] if str(x) else None for x in store["rows"][...]["r"]] == ["/d", None, "/g/h"]
    assert sorted(store.keys()) == sorted(["chunked", "d", "g", "many", "mixed", "regions", "rows", "scalar", "scale",
                                           "sequences"])
    assert store["chunked"].attrs["zarr_dtype"] == "object"


def refer_to_nothing(path):
    with h5py.File(path, "r+") as f:
        del f["d"]
    with h5py.File(path, "r") as f:
        reference = f.attrs["one"]
        said = [bool(reference)]
        try:
            f[reference]
        except (KeyError, ValueError) as error:
            said.append(type(error).__name__)
        return said


def test_a_target_that_is_gone(connector, tmp_path):
    connector.run(fill_file, str(tmp_path / "s.zarr"))
    said = connector.run(refer_to_nothing, str(tmp_path / "s.zarr"))
    assert said[0] is True and len(said) == 2


# ---- moves and deletions ----


def follow(f):
    said = [label(f, f.attrs["one"]), [label(f, x) for x in f["refs"][...]], [label(f, x) for x in f["regions"][...]],
            [label(f, x) for x in f["rows"]["r"]]]
    return said + [h5py.h5i.get_name(f["typed"].id.get_type())]


def labelled(f, name, text):
    f.create_dataset(name, data=np.arange(4)).attrs["label"] = text
    return f[name]


def moves(path):
    """New objects under the names of moved and of deleted ones: what referred to the old ones does not find them."""
    with h5py.File(path, "w") as f:
        a, b = labelled(f, "a", "first a"), labelled(f, "g/b", "first b")
        f["type"] = np.dtype("<i4")
        f["typed"] = np.zeros(2, "i4")
        del f["typed"]
        f.create_dataset("typed", (2,), dtype=f["type"])
        f.attrs["one"] = a.ref
        refs = f.create_dataset("refs", (6,), dtype=REFERENCE)
        refs[0], refs[1] = a.ref, b.ref
        regions = f.create_dataset("regions", (6,), dtype=h5py.regionref_dtype)
        regions[0], regions[1] = a.regionref[1:], b.regionref[:2]
        f.create_dataset("rows", (4,), dtype=[("i", "i4"), ("r", REFERENCE)])
        rows = f["rows"][...]
        rows["r"] = [a.ref, b.ref, h5py.Reference(), h5py.Reference()]
        f["rows"][...] = rows
    said = []

    def again(work):
        with h5py.File(path, "r+") as f:
            work(f)
            said.append(follow(f))
        with h5py.File(path, "r") as f:
            said.append(follow(f))

    def first(f):
        f.move("a", "moved a")
        f.move("type", "moved type")
        x = labelled(f, "a", "second a")
        f["type"] = np.dtype("<i4")
        f["refs"][2], f["regions"][2] = x.ref, x.regionref[...]

    def second(f):
        f.move("a", "g/a")
        f.move("g", "h")
        x = labelled(f, "g/b", "second b")
        f["refs"][3], f["regions"][3] = x.ref, x.regionref[2:]

    def third(f):
        f.move("moved a", "a")  # back to where it came from
        f.move("g", "away")
        f.move("h", "g")

    def fourth(f):
        f.move("away", "h")
        f["refs"][4] = f["h/b"].ref
        f.move("moved type", "type 3")

    for work in (first, second, third, fourth):
        again(work)
    return said


def deletions(path):
    with h5py.File(path, "w") as f:
        x, y = labelled(f, "x", "first x"), labelled(f, "g/y", "first y")
        refs = f.create_dataset("refs", (6,), dtype=REFERENCE)
        refs[0], refs[1] = x.ref, y.ref
    said = []
    for turn in range(3):
        with h5py.File(path, "r+") as f:
            gone = f["x"].ref
            f["refs"][5] = gone
            del f["x"], f["g"]
            said.append([label(f, r) for r in f["refs"][...]] + [bool(gone), label(f, gone)])
            f["refs"][5] = gone  # HDF5 stores what leads nowhere
            x, y = labelled(f, "x", f"x {turn}"), labelled(f, "g/y", f"y {turn}")
            f["refs"][2 + turn] = x.ref
        with h5py.File(path, "r") as f:
            said.append([label(f, r) for r in f["refs"][...]])
    return said


def noted_moves(path):
    with h5py.File(path, "r+") as f:
        for _ in range(20):
            f.move("x", "z")
            f.move("z", "x")
            del f["g"]
            labelled(f, "g/y", "y")


def move_in_foreign_store(path):
    with h5py.File(path, "r+") as f:
        f.move("d", "e")
        f.create_dataset("d", data=[9])
    with h5py.File(path, "r") as f:
        return f[f["g"].attrs["one"]].name


def test_references_of_others_follow_moves(connector, tmp_path):
    root = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=2)
    root.create_array("d", shape=(3,), dtype="i4")
    root.create_group("g").attrs["one"] = {
        "zarr_dtype": "object", "value": {"source": ".", "path": "/d", "object_id": None, "source_object_id": None}}
    assert connector.run(move_in_foreign_store, str(tmp_path / "s.zarr")) == "/e"


def move_targets(path):
    with h5py.File(path, "w") as f:
        fill(f)
    with h5py.File(path, "r+") as f:
        f.move("d", "g/a much longer name than before")
        f.move("g", "other")


def path_in(text):
    return json.loads(text)["path"] if text else None


def test_zarr_python_sees_where_targets_went(connector, tmp_path):
    """References in the data and in attributes are rewritten at close; members of compound attributes are not."""
    connector.run(move_targets, str(tmp_path / "store"))
    root = zarr.open_group(tmp_path / "store", mode="r")
    moved = "/other/a much longer name than before"
    assert [path_in(text) for text in root["many"][:].ravel()] == [moved, None, None, None, "/other/h", "/"]
    assert [path_in(row["r"]) for row in root["rows"][:]] == [moved, None, "/other/h"]
    assert {path_in(text) for text in root["chunked"][:]} == {moved}
    assert path_in(root["regions"][:][0]) == path_in(root["mixed"][:][1]["region"]) == moved
    assert root.attrs["one"]["value"]["path"] == moved
    assert [value["path"] for value in root.attrs["list"]["value"]] == ["/other/h", moved]


def test_moves_as_native(connector, tmp_path):
    assert connector.run(moves, str(tmp_path / "store")) == moves(str(tmp_path / "native.h5"))


def test_references_to_what_was_deleted(connector, tmp_path):
    """A native file may give the place of what was deleted to something else, so it is no judge here."""
    said = connector.run(deletions, str(tmp_path / "store"))
    lost = "nowhere"
    assert said[0] == [lost, lost, None, None, None, lost, True, lost]
    assert said[1] == [lost, lost, "x 0", None, None, lost]
    assert said[3] == [lost, lost, lost, "x 1", None, lost]
    assert said[5] == [lost, lost, lost, lost, "x 2", lost]
    connector.run(noted_moves, str(tmp_path / "store"))
    notes = json.loads(zarr.open_group(tmp_path / "store", mode="r").attrs["_HDF5"])["mv"]
    assert len(notes) < 8


def held_targets(path):
    """Objects that are deleted while somebody holds them: references find them, and go on when they get a name again."""
    with h5py.File(path, "w") as f:
        x, y, z = (labelled(f, name, name) for name in ("x", "g/y", "h/z"))
        early = x.ref
        refs = f.create_dataset("refs", (6,), dtype=REFERENCE)
        for index, target in enumerate((x, y, z, f["h"])):
            refs[index] = target.ref
        f["h"].attrs["label"] = "a group"

    def again(f):
        return [label(f, r) for r in f["refs"][...]]

    def forget_all_but_first(f):
        x, group, other = f["x"], f["g"], f["h"]
        early = f["refs"][0]
        del f["x"], f["g"], f["h"]
        labelled(f, "x", "another x")
        said = [again(f), label(f, early), [f[r].name for r in f["refs"][:4]], f[early] == x]
        f["back"] = x
        said.append(again(f))
        f["deep/er/y"] = group["y"]  # goes out of a group that has no name
        f["group"] = other
        labelled(f, "g/y", "another y")
        f.move("back", "came back")
        return [*said, again(f), [f[r].name for r in f["refs"][:2]], f[early] == x]

    def forget_again(f):
        x = f["came back"]
        del f["came back"]
        said = again(f)
        f["once more"] = x
        return said, again(f)

    said = []
    for work in (forget_all_but_first, again, forget_again, again):
        with h5py.File(path, "r+") as f:
            said.append(work(f)[:4] if work is again else work(f))
    return said


def test_targets_that_lost_their_names(connector, tmp_path):
    assert connector.run(held_targets, str(tmp_path / "store")) == held_targets(str(tmp_path / "native.h5"))


def held_below(path):
    """A group goes when its name does, though somebody holds a member of it."""
    with h5py.File(path, "w") as f:
        items = [labelled(f, name, name) for name in ("g/x", "g/h/y")]
        f["g"].attrs["label"], f["g/h"].attrs["label"] = "g", "h"
        f["refs"] = np.array([f["g"].ref, f["g/h"].ref, *(item.ref for item in items)], dtype=REFERENCE)
    with h5py.File(path, "r+") as f:
        f["g/root"], f["g/h/root"], f["g/z/root"] = f["/"], f["/"], f["/"]
        held, count = f["g/h"], [h5py.h5o.get_info(f.id).rc]
        del f["g"]
        said, members = [label(f, r) for r in f["refs"][...]], list(held)
        count.append(h5py.h5o.get_info(f.id).rc)
        below, held = held["y"], None
        count.append(h5py.h5o.get_info(f.id).rc)
        return said, members, count, below.attrs["label"]


def test_a_group_goes_though_a_member_is_held(connector, tmp_path):
    """HDF5 frees the group; what it finds at the place of it depends on what was written there since, so it is no judge of that."""
    said = connector.run(held_below, str(tmp_path / "store"))
    assert said[0] == ["nowhere", "h", "nowhere", "g/h/y"]
    assert said[1:] == held_below(str(tmp_path / "native.h5"))[1:]


# ---- H5Ocopy ----


def label(f, reference):
    if not reference:
        return None
    try:
        return f[reference].attrs["label"]
    except (KeyError, ValueError, RuntimeError):
        return "nowhere"


def whole_regions(path):
    """A region that is all of a dataset grows and shrinks with it, also in files that were opened again."""
    with h5py.File(path, "w") as f:
        d = f.create_dataset("d", (5,), "i4", chunks=(3,), maxshape=(None,))
        f["regions"] = np.array([d.regionref[...], d.regionref[1:]], dtype=h5py.regionref_dtype)

    def counts(f):
        return [h5py.h5r.get_region(r, f.id).get_select_npoints() for r in f["regions"][...]]

    said = []
    for size in (7, 3, 9):
        with h5py.File(path, "r+") as f:
            said.append(counts(f))
            f["d"].resize((size,))
            said.append(counts(f))
    return said


def test_regions_that_are_all_of_a_dataset(connector, tmp_path):
    assert connector.run(whole_regions, str(tmp_path / "store")) == whole_regions(str(tmp_path / "native.h5"))


def lost_and_expanded(path):
    with h5py.File(path, "w") as f:
        f.create_group("g/h")["refs"] = np.array([f.create_dataset("x", data=1).ref], dtype=REFERENCE)
        del f["x"]
    with h5py.File(path, "r") as f, h5py.File(path + "2", "w") as other:
        try:
            f.copy("g", other, "g", expand_refs=True)
        except RuntimeError as error:
            return str(error)


def test_lost_references_cannot_be_expanded(connector, tmp_path):
    """HDF5 cannot either, and says what it found at the place of the object."""
    assert "/g/h/refs: a reference that leads to no object" in connector.run(lost_and_expanded, str(tmp_path / "store"))


def to_copy(path):
    with h5py.File(path, "w") as f:
        outside, group = f.create_dataset("outside", data=np.arange(5)), f.create_group("g")
        inside = group.create_dataset("z", data=np.arange(6))
        for name, x in {"outside": outside, "g": group, "z": inside}.items():
            x.attrs["label"] = name
        inside.attrs["back"] = group.ref
        outside.attrs["onwards"] = inside.ref  # references of what references lead to
        objects = group.create_dataset("objects", (4,), dtype=REFERENCE)
        objects[0], objects[1], objects[2] = outside.ref, group.ref, inside.ref
        regions = group.create_dataset("regions", (3,), dtype=h5py.regionref_dtype)
        regions[0], regions[1] = outside.regionref[1:3], inside.regionref[::2]
        objects.attrs["one"] = outside.ref
        objects.attrs.create("two", np.array([inside.ref, h5py.Reference()], dtype=object), dtype=REFERENCE)
        objects.attrs["region"] = inside.regionref[4:]
        rows = np.zeros(3, [("i", "<i4"), ("r", REFERENCE), ("s", "S4")])
        rows["i"], rows["r"], rows["s"] = [1, 2, 3], [outside.ref, h5py.Reference(), group.ref], b"text"
        group["rows"] = rows
        group.attrs["rows"] = rows
        sequences = group.create_dataset("sequences", (1,), dtype=h5py.vlen_dtype(REFERENCE))
        sequences[0] = np.array([outside.ref, inside.ref], dtype=REFERENCE)


def seen_copy(f, group, nested):
    objects = group["objects"]
    said = {
        "objects": [label(f, x) for x in objects[...]],
        "regions": [(label(f, x), f[x][x].tolist() if x else None) for x in group["regions"][...]],
        "attributes": [label(f, x) for x in (objects.attrs["one"], *objects.attrs["two"], objects.attrs["region"])],
        "of the target": label(f, group["z"].attrs["back"]),
        "members": [group["rows"]["i"].tolist(), group["rows"]["s"].tolist(), group.attrs["rows"]["i"].tolist()],
        "root": sorted(x if x[0] != "~" else "~" for x in f),
        "is the copy": [bool(x) and f[x] == group for x in objects[1:2]],
    }
    if nested:  # between files HDF5 copies these as they are, and they mean anything
        said["nested"] = [[label(f, x) for x in rows["r"]] for rows in (group["rows"], group.attrs["rows"])]
        said["sequences"] = [label(f, x) for x in group["sequences"][0]]
    return said


def copied(source, target):
    said = []
    with h5py.File(source, "r+") as f:
        for expand in (False, True):
            f.copy("g", f"within {expand}", expand_refs=expand)
            said.append(seen_copy(f, f[f"within {expand}"], True))
    with h5py.File(source, "r") as f, h5py.File(target, "r+") as out:
        for expand in (False, True):
            f.copy("g", out, name=f"to {expand}", expand_refs=expand)
            said.append(seen_copy(out, out[f"to {expand}"], False))
    with h5py.File(target, "r") as f:
        said.append([seen_copy(f, f[f"to {expand}"], False) for expand in (False, True)])
    return said


def make_empty(path):
    h5py.File(path, "w").close()


@pytest.mark.parametrize("source", ["store", "native"])
@pytest.mark.parametrize("target", ["store", "native"])
def test_copies(connector, tmp_path, source, target):
    want = tmp_path / "want.h5", tmp_path / "want target.h5"
    to_copy(want[0])
    make_empty(want[1])
    got = [str(tmp_path / "source"), str(tmp_path / "target")]
    for path, kind, make in zip(got, (source, target), (to_copy, make_empty), strict=True):
        connector.run(make, path) if kind == "store" else make(path)
    assert connector.run(copied, *got) == copied(*want)


def nested_references(path):
    with h5py.File(path, "r") as f:
        return [[bool(x) for x in rows["r"]] for rows in (f["to False/rows"], f["to False"].attrs["rows"])] + \
            [bool(x) for x in f["to False/sequences"][0]]


def test_references_in_compounds_are_null_in_another_store(connector, tmp_path):
    source, target = str(tmp_path / "source"), str(tmp_path / "target")
    connector.run(to_copy, source)
    connector.run(make_empty, target)
    connector.run(copied, source, target)
    assert connector.run(nested_references, target) == [[False] * 3, [False] * 3, False, False]


def dumped(tool, path):
    """Without the file's name, and without addresses, which native files have instead of tokens."""
    return re.sub(r"\d{12,}", "N", tool("h5dump", path).replace(str(path), "FILE"))


@pytest.mark.parametrize("make", [to_copy, fill_file])
def test_h5repack_there_and_back(tool, tmp_path, make):
    make(tmp_path / "native.h5")
    variable = {"HDF5_VOL_CONNECTOR": "zarr create=*.zarr"}
    tool("h5repack", tmp_path / "native.h5", tmp_path / "there.zarr", **variable)
    tool("h5repack", tmp_path / "there.zarr", tmp_path / "back.h5", **variable)
    tool("h5repack", tmp_path / "native.h5", tmp_path / "again.h5")
    tool("h5diff", tmp_path / "native.h5", tmp_path / "back.h5")
    assert dumped(tool, tmp_path / "back.h5") == dumped(tool, tmp_path / "again.h5")


def to_take(path):
    with h5py.File(path, "w") as f:
        x, g = f.create_dataset("a/x", data=np.arange(4)), f.create_group("g")
        f.attrs["one"] = x.ref
        f.attrs.create("none", h5py.Reference(), dtype=REFERENCE)
        f.attrs.create("list", np.array([g.ref, x.ref, f.ref], dtype=object), dtype=REFERENCE)
        rows = np.zeros(2, [("i", "<i4"), ("r", REFERENCE)])
        rows["r"] = [x.ref, g.ref]
        f.attrs["rows"] = rows
        f["rows"] = rows
        f.create_dataset("many", data=np.array([x.ref, g.ref], dtype=object), dtype=REFERENCE)
        f.attrs["region"] = x.regionref[1:3]
        gone = f.create_group("gone")
        f.attrs["dangling"] = gone.ref
        del gone, f["gone"]


def take_over(source, target):
    """Attributes and elements from one open file to another, as hdmf's copy_file has them; what each was, or how it failed."""
    to_take(target)
    said = []
    with h5py.File(source, "r") as f, h5py.File(target, "r+") as out:
        out["a/x"][...] = [9, 8, 7, 6]
        for name in f.attrs:
            said.append((name, outcome(lambda: out.attrs.create(f"copy of {name}", f.attrs[name], dtype=f.attrs.get_id(name).dtype))))
        said.append(outcome(lambda: out["many"].write_direct(f["many"][...])))
        said.append(outcome(lambda: out["rows"].__setitem__(1, f["rows"][0])))
        said.append(outcome(lambda: out.__setitem__("new", f["many"][...])))
    return said


def taken_over(path):
    with h5py.File(path, "r") as f:
        one, rows = f.attrs["copy of one"], f.attrs["copy of rows"]
        return (f[one].name, f[one][...].tolist(), targets(f, f.attrs["copy of list"]), targets(f, rows["r"]), targets(f, f["many"][...]),
                targets(f, f["rows"]["r"]), targets(f, f["new"][...]), bool(f.attrs["copy of none"]), f[f.attrs["copy of region"]].name,
                outcome(lambda: f[f.attrs["copy of dangling"]])[0])


def test_references_taken_from_another_open_file(connector, tmp_path):
    """A native file takes their bytes; a store takes what they mean to who copies a file piece by piece: the path."""
    want = [str(tmp_path / "a.h5"), str(tmp_path / "b.h5")]
    to_take(want[0])
    native = take_over(*want)
    got = [str(tmp_path / "a.zarr"), str(tmp_path / "b.zarr")]
    connector.run(to_take, got[0])
    assert connector.run(take_over, *got) == native
    assert connector.run(taken_over, got[1]) == ("/a/x", [9, 8, 7, 6], ["/g", "/a/x", "/"], ["/a/x", "/g"], ["/a/x", "/g"], ["/a/x", "/a/x"],
                                                 ["/a/x", "/g"], False, "/a/x", "raised")
    text = json.loads((tmp_path / "b.zarr" / ".zattrs").read_text())["copy of one"]["value"]
    assert (text["source"], text["path"]) == (".", "/a/x")


def test_references_taken_from_a_native_file(connector, tmp_path):
    """Addresses, which mean nothing in another file: written as in a native file, and never another object."""
    source = str(tmp_path / "a.h5")
    to_take(source)
    native = take_over(source, str(tmp_path / "b.h5"))
    assert connector.run(take_over, source, str(tmp_path / "b.zarr")) == native


def lead_nowhere(path):
    """References to what was deleted, whether there is another object of that name now or not."""
    with h5py.File(path, "w") as f:
        for name in ("again", "gone", "g/again"):
            f[name] = [1, 2]
        f.create_dataset("r", data=[f[name].ref for name in ("again", "gone", "g/again")], dtype=REFERENCE)
    with h5py.File(path, "r+") as f:
        for name in ("again", "gone", "g/again"):
            del f[name]
        f["again"] = f["g/again"] = [3, 4]
    with h5py.File(path, "r") as f:
        for reference, name in zip(f["r"][()], ("again", "gone", "g/again")):
            for ask in (lambda: f[reference], lambda: h5py.h5r.get_name(reference, f.id), lambda: h5py.h5r.get_obj_type(reference, f.id)):
                with pytest.raises((KeyError, RuntimeError)) as error:
                    ask()
                assert f"{path}: /{name}: the object was deleted" in str(error.value)
                assert "store the reference again" in str(error.value)


@pytest.mark.parametrize("value", ["zarr", "zarr format=3", "zarr container=file"])
def test_error_of_a_reference_to_what_was_deleted(tmp_path, value):
    status, said = run_once(with_connector(value), lead_nowhere, str(tmp_path / "s"))
    assert status == 0, said
