"""Consolidated metadata: never stale, written as the last act of closing; zarr-python opens by it."""

import json
import os
import pathlib
import shutil

import h5py
import numpy as np
import pytest
import zarr

from interpreter import Failed, Interpreter, run_once
from places import with_connector


pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", params=[2, 3])
def format(request):
    return request.param


@pytest.fixture(scope="module")
def connector(format):
    """Creates stores of the format."""
    interpreter = Interpreter(with_connector(f"zarr format={format}"))
    yield interpreter
    interpreter.stop()


def make(path, *, odd=False):
    with h5py.File(path, "w") as f:
        f["x"] = np.arange(10)
        f["g/text"] = ["a", "bc"]
        f["g"].attrs["n"] = 1
        if odd:  # a struct in a struct: zarr-python 3.1 does not read it
            f["odd"] = np.zeros(2, [("a", [("b", "i4")])])


def make_odd(path):
    make(path, odd=True)


def edit(path):
    with h5py.File(path, "r+") as f:
        f["new"] = 3.5
        f["g"].attrs["n"] = 2
        del f["x"]


def write_values(path):
    with h5py.File(path, "r+") as f:
        f["x"][3] = 33


def names(path):
    with h5py.File(path, "r") as f:
        found = []
        f.visit(found.append)
        return sorted(found)


def copy_of(path):
    """What the root says of the nodes; None: nothing."""
    if (path / "zarr.json").exists():
        copy = json.loads((path / "zarr.json").read_text()).get("consolidated_metadata")
        assert copy is None or (copy["kind"], copy["must_understand"]) == ("inline", False)
        return copy and copy["metadata"]
    document = path / ".zmetadata"
    return json.loads(document.read_text())["metadata"] if document.exists() else None


def documents(path):
    """What it must say: in format 2 the documents themselves, in format 3 what zarr-python makes of them."""
    if not (path / "zarr.json").exists():
        return {str(p.relative_to(path)): json.loads(p.read_text())
                for p in path.rglob(".z*") if p.name in (".zarray", ".zgroup", ".zattrs")}
    theirs = path.with_name("consolidated by zarr-python")
    shutil.copytree(path, theirs)
    zarr.consolidate_metadata(theirs, zarr_format=3)
    copy = copy_of(theirs)
    shutil.rmtree(theirs)
    return copy


def drop_copy(path):
    if (path / ".zmetadata").exists():
        os.remove(path / ".zmetadata")
    else:
        document = json.loads((path / "zarr.json").read_text())
        del document["consolidated_metadata"]
        (path / "zarr.json").write_text(json.dumps(document))


def test_new_store_has_it(tmp_path, connector):
    path = tmp_path / "a.zarr"
    connector.run(make, str(path))
    assert copy_of(path) == documents(path)
    root = zarr.open_consolidated(path)
    assert sorted(root) == ["g", "x"] and root["g"].attrs["n"] == 1
    assert list(root["g/text"][:]) == ["a", "bc"]


def test_edit_renews_it(tmp_path, connector):
    path = tmp_path / "a.zarr"
    connector.run(make, str(path))
    connector.run(edit, str(path))
    assert copy_of(path) == documents(path)
    root = zarr.open_consolidated(path)
    assert sorted(root) == ["g", "new"] and root["g"].attrs["n"] == 2


def test_values_leave_it_alone(tmp_path, connector):
    path = tmp_path / "a.zarr"
    connector.run(make, str(path))
    holder = path / (".zmetadata" if (path / ".zmetadata").exists() else "zarr.json")
    before = os.stat(holder)
    connector.run(write_values, str(path))
    after = os.stat(holder)
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert zarr.open_consolidated(path)["x"][3] == 33


def test_foreign_store_without_it_gets_none(tmp_path, connector, format):
    path = tmp_path / "a.zarr"
    zarr.open_group(path, mode="w", zarr_format=format)["x"] = np.arange(3)
    connector.run(edit_foreign, str(path))
    assert copy_of(path) is None


def edit_foreign(path):
    with h5py.File(path, "r+") as f:
        f["y"] = 1


def test_foreign_store_with_it_keeps_it(tmp_path, connector, format):
    path = tmp_path / "a.zarr"
    zarr.open_group(path, mode="w", zarr_format=format)["x"] = np.arange(3)
    zarr.consolidate_metadata(path, zarr_format=format)
    connector.run(edit_foreign, str(path))
    assert copy_of(path) == documents(path)
    assert sorted(zarr.open_consolidated(path)) == ["x", "y"]


def test_gone_while_a_writer_is_at_work(tmp_path, connector):
    path = tmp_path / "a.zarr"
    connector.run(make, str(path))
    during = connector.run(edit_and_look, str(path))
    assert during is False
    assert copy_of(path) == documents(path)


def edit_and_look(path):
    with h5py.File(path, "r+") as f:
        f["later"] = 1
        f.flush()
        return copy_of(pathlib.Path(path)) is not None


def test_documents_that_changed_after_they_were_written(tmp_path, connector):
    """What this process printed is taken as it is only where it still stands so in the store."""
    path = tmp_path / "a.zarr"
    connector.run(write_while_others_edit, str(path))
    copy = copy_of(path)
    assert copy == documents(path)
    attributes = [value.get("attributes", value) for key, value in copy.items() if "x" in key]
    assert any(a.get("theirs") == {"a": [1, {"b": "ä\n"}]} for a in attributes)
    text = (path / (".zmetadata" if (path / ".zmetadata").exists() else "zarr.json")).read_text()
    assert text == json.dumps(json.loads(text), indent=4, ensure_ascii=False)


def write_while_others_edit(path):
    with h5py.File(path, "w") as f:
        for i in range(20):
            f[f"x{i}"] = np.arange(4)
            f[f"x{i}"].attrs["text"] = "one\ntwo\t\u00e4"
        f.flush()
        for i in range(0, 20, 3):
            document = pathlib.Path(path, f"x{i}", ".zattrs")
            if not document.exists():
                document = document.with_name("zarr.json")
            said = json.loads(document.read_text())
            said.get("attributes", said)["theirs"] = {"a": [1, {"b": "\u00e4\n"}]}
            document.write_text(json.dumps(said))


def test_two_writers(tmp_path, connector, reader):
    """Each that closes leaves a copy that says everything."""
    path = tmp_path / "a.zarr"
    connector.run(make, str(path))
    reader.run(open_and_write, str(path), "first")
    connector.run(edit, str(path))
    assert copy_of(path) == documents(path)
    reader.run(write_and_flush, "second")
    assert copy_of(path) is None
    reader.run(close)
    assert copy_of(path) == documents(path)
    assert names(path) == ["first", "g", "g/text", "new", "second"]


def open_and_write(path, name):
    global kept
    kept = h5py.File(path, "r+")
    kept[name] = 1
    kept.flush()


def write_and_flush(name):
    kept[name] = 2
    kept[name].flush()


def close():
    kept.close()


def test_not_where_zarr_python_would_stumble(tmp_path, connector):
    path = tmp_path / "a.zarr"
    connector.run(make_odd, str(path))
    assert copy_of(path) is None
    assert zarr.open_group(path, mode="r")["x"][3] == 3


def test_ignore(tmp_path, connector, format):
    path = tmp_path / "a.zarr"
    run_once(with_connector(f"zarr consolidated=ignore;format={format}"), make, str(path))
    assert copy_of(path) is None
    connector.run(make, str(path))
    run_once(with_connector("zarr consolidated=ignore"), edit, str(path))
    assert copy_of(path) is None


def test_use(tmp_path, connector):
    """Only what the copy says is there, though the store holds more."""
    path = tmp_path / "a.zarr"
    connector.run(make, str(path))
    zarr.open_group(path, mode="r+", use_consolidated=False)["more"] = np.arange(3)
    assert names(path) == ["g", "g/text", "more", "x"]
    using = Interpreter(with_connector("zarr consolidated=use"))
    try:
        assert using.run(names, str(path)) == ["g", "g/text", "x"]
        assert using.run(values, str(path)) == list(range(10))
        drop_copy(path)
        with pytest.raises(Failed, match="no consolidated metadata"):
            using.run(names, str(path))
    finally:
        using.stop()


def values(path):
    with h5py.File(path, "r") as f:
        return f["x"][:].tolist()


# ---- what zarr-python cannot read, in format 3 ----

BYTES = {"name": "bytes"}
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
CHANGES = {
    "codec by its name alone": ({"codecs": ["bytes"]}, False),
    "nothing": ({}, True),
    "extra member": ({"extra": {"must_understand": False}}, True),
    "packed": ({"codecs": [{"name": "numcodecs.astype", "configuration": {"encode_dtype": "<i2", "decode_dtype": "<i1"}}, LITTLE]}, True),
    "unknown type": ({"data_type": "bfloat16"}, False),
    "struct by its newer name": ({"data_type": {"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int8"}]}}, "fill_value": "AA=="}, False),
    "struct": ({"data_type": {"name": "structured", "configuration": {"fields": [["a", "int8"]]}}, "fill_value": "AA=="}, True),
    "no bytes": ({"data_type": {"name": "raw_bytes", "configuration": {"length_bytes": 0}}, "fill_value": ""}, False),
    "unknown codec": ({"codecs": [BYTES, {"name": "zfp"}]}, False),
    "in a shard": ({"codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": [1], "codecs": [BYTES, {"name": "zfp"}], "index_codecs": [BYTES]}}]}, False),
}


STRUCT = {"data_type": {"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int8"}]}}, "fill_value": "AA=="}


def test_struct_of_newer_zarr_python(tmp_path, connector, format):
    """zarr-python 3.4 spells structs so, and its copy stays: also where the array grew, moved and was copied."""
    if format == 2:
        pytest.skip("of format 3")
    path = tmp_path / "s.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    group.create_array("a", shape=(2,), chunks=(2,), dtype="i1")
    zarr.consolidate_metadata(path)
    document, root = path / "a" / "zarr.json", json.loads((path / "zarr.json").read_text())
    changed = {**json.loads(document.read_text()), **STRUCT}
    root["consolidated_metadata"]["metadata"]["a"] = changed
    document.write_text(json.dumps(changed))
    (path / "zarr.json").write_text(json.dumps(root))

    connector.run(change_struct, str(path))
    copy = copy_of(path)
    assert sorted(copy) == ["b", "c", "new"]
    for name in copy:
        assert copy[name] == json.loads((path / name / "zarr.json").read_text())
    assert copy["c"]["shape"] == [5] and copy["b"]["data_type"] == STRUCT["data_type"]


def change_struct(path):
    with h5py.File(path, "r+") as f:
        f["a"].resize((5,))
        f.move("a", "b")
        f.copy("b", "c")
        f["new"] = np.zeros(2, [("x", "i4")])


# ---- below the root ----

def edit_below(path):
    with h5py.File(path, "r+") as f:
        f["g/h/new"] = 1
        f["g/h"].attrs["n"] = 5
        f["other"].attrs["n"] = 5
        f.flush()
        during = [copy_of(pathlib.Path(path, name)) for name in ("g", "g/h", "other")]
        del f["gone"]
        f["gone"] = 3
        return during


@pytest.mark.parametrize("at_root", [True, False])
def test_copies_below_the_root_are_renewed(tmp_path, connector, format, at_root):
    path = tmp_path / "b.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=format)
    for name in ("g/x", "g/h/x", "other/x", "gone/x"):
        group[name] = np.arange(3)
    for name in ("g", "g/h", "gone") + ("",) * at_root:
        zarr.consolidate_metadata(group.store, path=name or None, zarr_format=format)

    assert connector.run(edit_below, str(path)) == [None] * 3
    for name in ("g", "g/h"):
        assert copy_of(path / name) == documents(path / name), name
    assert sorted(zarr.open_consolidated(path / "g")["h"]) == ["new", "x"]
    assert copy_of(path / "other") is None and (copy_of(path) is not None) == at_root
    assert not at_root or {**copy_of(path)} == documents(path)
    assert zarr.open_array(path / "gone")[()] == 3 and not (path / "gone" / ".zmetadata").exists()
    root = zarr.open_group(path, mode="r")
    assert root["g/h"].attrs["n"] == 5 and root["g/h/new"][()] == 1


def touch(paths):
    for path in paths:
        with h5py.File(path, "r+") as f:
            f.attrs["touched"] = 1


def test_nodes_of_others(tmp_path, connector, format):
    if format == 2:
        pytest.skip("of format 3")
    paths = {name: tmp_path / f"{name}.zarr" for name in CHANGES}
    for name, path in paths.items():
        zarr.open_group(path, mode="w", zarr_format=3).create_array("a", shape=(2,), chunks=(2,), dtype="i1")
        zarr.consolidate_metadata(path)
        document = path / "a" / "zarr.json"
        document.write_text(json.dumps({**json.loads(document.read_text()), **CHANGES[name][0]}))
    connector.run(touch, [str(path) for path in paths.values()])
    for name, path in paths.items():
        assert (copy_of(path) is not None) == CHANGES[name][1], name
        if CHANGES[name][1]:
            assert sorted(zarr.open_consolidated(path)) == ["a"], name
        root = zarr.open_group(path, mode="r", use_consolidated=False)
        assert root.attrs["touched"] == 1
