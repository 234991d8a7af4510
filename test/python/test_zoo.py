"""The zoo (test/zoo): files with every type and feature of HDF5, made native and as stores, and passed through HDF5's tools.

What the tools say of a store is what they say of the native file, but for names of files and numbers of bytes; what they make of
one is what they make of the other.
"""

import json
import pathlib
import re
import shutil
import subprocess

import h5py
import pytest
import zarr

from places import PLUGIN_DIR, with_connector

ZOO = pathlib.Path(PLUGIN_DIR or ".").parent / "test" / "zoo"
PARTS = ["types", "nested", "storage", "links", "direct"]
COPIED = ["types", "nested", "storage"]  # what h5repack copies between connectors: HDF5 does not let it pass soft links
VARIABLE = {"HDF5_VOL_CONNECTOR": "zarr create=*.zarr"}  # everything goes through the connector
# HDF5 1.14.5 says this of native files too, at its end, after it has shown references of the new kind.
AT_THE_END = re.compile(r"^HDF5: infinite loop closing library\n.*\n", re.M)


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    if not ZOO.exists():
        pytest.skip("the zoo was not built beside the plugin")
    where = tmp_path_factory.mktemp("zoo")
    for part in PARTS:
        for name, environment in ((f"{part}.hdf5", None), (f"{part}.zarr", with_connector())):
            made = subprocess.run([ZOO, part, where / name], env=environment, capture_output=True, text=True, errors="replace")
            assert made.returncode == 0, made.stderr[-3000:]
    return where


def dump(tool, path):
    """What h5dump prints, less the file's name and numbers that only the same file has."""
    text = tool("h5dump", path).replace(str(path), "FILE").replace(path.name, "FILE")
    return re.sub(r"(DATASET|GROUP|ATTRIBUTE|DATATYPE) \d{6,} ", r"\1 ADDRESS ", AT_THE_END.sub("", text))


def objects(text):
    return re.findall(r"^ *(?:DATASET|GROUP|ATTRIBUTE|SOFTLINK|EXTERNAL_LINK|USERDEFINED_LINK) .*$", text, re.M)


def diff(tool, one, other, *roots, expect=0, **environment):
    """h5diff -v, whose list of objects and attributes says that nothing was passed over."""
    text = tool("h5diff", "-v", one, other, *roots, expect=expect, **environment)
    assert not re.search(r"[1-9]\d* differences found", text)
    for root in roots:
        text = text.replace(f"<{root}/", "</").replace(f"<{root}>", "</>")
    return [line for line in text.splitlines() if line.startswith(("group", "dataset", "attribute", "datatype"))]


@pytest.mark.parametrize("part", PARTS)
def test_h5dump_prints_the_same(zoo, part, tool):
    native, ours = dump(tool, zoo / f"{part}.hdf5"), dump(tool, zoo / f"{part}.zarr")
    assert ours == native
    assert len(objects(native)) > 20


@pytest.mark.parametrize("part", COPIED)
def test_h5diff_finds_no_difference(zoo, part, tool, tmp_path):
    same = shutil.copy(zoo / f"{part}.hdf5", tmp_path / "same.h5")
    compared = diff(tool, zoo / f"{part}.hdf5", same)
    assert diff(tool, zoo / f"{part}.hdf5", zoo / f"{part}.zarr") == compared and len(compared) > 40


def test_creation_properties_are_the_same(zoo, tool):
    """Layouts, filters, fill values and times, allocation times."""
    def shown(path):
        text = tool("h5dump", "-p", "-H", path).replace(path.name, "FILE")
        return [line for line in text.splitlines() if not re.match(r" +(SIZE|OFFSET) ", line)]

    native = shown(zoo / "storage.hdf5")
    assert shown(zoo / "storage.zarr") == native
    assert sum("FILLVALUE" in line for line in native) > 150 and sum("VALUE  H5D_FILL_VALUE_DEFAULT" in line for line in native) < 50


def said_by_h5ls(tool, path):
    """h5ls -r -v, less what tells how the bytes are stored."""
    text = tool("h5ls", "-r", "-v", path)
    text = re.sub(r"Opened .* with .* driver\.", "Opened", text)
    text = re.sub(r"^ +(Location|Storage|Modified|Links|Attribute|Chunks|Addresses):? .*\n", "", text, flags=re.M)
    text = re.sub(r"shared-\d+:\d+", "shared", text)
    return re.sub(r"^ +Filter-\d.*\n", "", AT_THE_END.sub("", text), flags=re.M)


@pytest.mark.parametrize("part", ["types", "storage", "links"])
def test_h5ls_lists_the_same(zoo, part, tool):
    assert said_by_h5ls(tool, zoo / f"{part}.zarr") == said_by_h5ls(tool, zoo / f"{part}.hdf5")


def counts(tool, path):
    said = tool("h5stat", "-f", "-g", "-A", "-s", "-T", path)
    wanted = r"^\s*(# of (?:unique|attributes|Unique)[^:]*: \d+|# of objects with .*: \d+|Dataset datatype #\d+:|.*Count.*)$"
    return re.findall(wanted, said, re.M)


@pytest.mark.parametrize("part", ["types", "nested", "links"])
def test_h5stat_counts_the_same(zoo, part, tool):
    native = counts(tool, zoo / f"{part}.hdf5")
    assert native and counts(tool, zoo / f"{part}.zarr") == native


REPACKED = [(part, environment) for part in COPIED for environment in ({}, VARIABLE)] + [("links", VARIABLE)]


@pytest.mark.parametrize("part, environment", REPACKED)
def test_repack_to_zarr_and_back(zoo, part, environment, tool, tmp_path):
    source = zoo / f"{part}.hdf5"
    there, back, native = tmp_path / "there.zarr", tmp_path / "back.hdf5", tmp_path / "native.hdf5"
    tool("h5repack", source, native)
    tool("h5repack", *([] if environment else ["--dst-vol-name=zarr"]), source, there, **environment)
    assert (there / ".zgroup").exists()
    tool("h5repack", *([] if environment else ["--src-vol-name=zarr"]), there, back, **environment)
    assert h5py.is_hdf5(back)
    expected = dump(tool, native)
    for copy in (there, back):
        tool("h5diff", source, copy)
        assert dump(tool, copy) == expected


def test_h5copy_of_everything_into_a_store_and_out(zoo, tool, tmp_path):
    """Under the variable: without it, HDF5 refuses H5Ocopy between two connectors. h5diff's status is 1 because the copy is no root."""
    source, native, there, back = (zoo / "types.hdf5", *(tmp_path / name for name in ("native.hdf5", "there.zarr", "back.zarr")))
    tool("h5copy", "-p", "-s", "/", "-d", "/all", "-i", source, "-o", native)
    tool("h5copy", "-p", "-s", "/", "-d", "/copy/all", "-i", source, "-o", there, **VARIABLE)
    tool("h5copy", "-p", "-s", "/copy/all", "-d", "/all", "-i", there, "-o", back, **VARIABLE)
    expected = diff(tool, source, native, "/", "/all", expect=1)
    assert len(expected) > 500
    assert diff(tool, source, back, "/", "/all", expect=1, **VARIABLE) == expected
    assert diff(tool, source, there, "/", "/copy/all", expect=1, **VARIABLE) == expected


def test_h5mkgrp(tool, tmp_path):
    tool("h5mkgrp", "-p", tmp_path / "s.zarr", "/a/b c/d", "/e", **VARIABLE)
    assert sorted(name for name, _ in zarr.open_group(tmp_path / "s.zarr", mode="r").groups()) == ["a", "e"]
    assert "/a/b\\ c/d" in tool("h5ls", "-r", tmp_path / "s.zarr")


def is_nested(dtype):
    """Does a struct hold a struct? zarr-python 3.1 takes no such dtype, 3.4 does."""
    return isinstance(dtype, list) and any(isinstance(field[1], list) for field in dtype)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", COPIED)
def test_zarr_python_reads_all_of_it(zoo, part):
    """Every array has a dtype that zarr-python has, and its elements decode."""
    arrays, passed_over = list((zoo / f"{part}.zarr").rglob(".zarray")), []
    for document in arrays:
        if zarr.__version__.split(".") < ["3", "4"] and is_nested(json.loads(document.read_text())["dtype"]):
            passed_over.append(document.parent.name)
        else:
            zarr.open_array(document.parent, mode="r")[...]
    assert len(arrays) > 25 and len(passed_over) < 4
