"""Small stores that claim to be huge: listing them takes no more memory than documents of their size do. Memory is the peak of
a process of its own, which may map no more than 4 GiB."""

import json
import os
import re
import resource
import subprocess
import sys
import zipfile
import zlib

import pytest

ROOMY = 96 << 20  # bytes beyond what a process has that has opened nothing large
MAPPED_MAX = 4 << 30

LIST = """
import json, re, sys
import h5py
def peak():  # of this program: getrusage knows that of the one before exec
    return 1024 * int(re.search("VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
before, found, failed = peak(), {}, {}
try:
    with h5py.File(sys.argv[1]) as f:
        dict(f.attrs)
        for name in f:
            try:
                d = f[name]
                found[name] = [str(d.dtype), list(d.chunks or []), d.id.get_create_plist().get_layout(), len(dict(d.attrs))]
            except Exception as error:
                failed[name] = str(error)
except OSError as error:
    failed["/"] = str(error)
print(json.dumps([peak() - before, found, failed]))
"""


def look(path, **environment):
    """What the peak of memory grew by, what could be shown, and why other things could not."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MAPPED_MAX, MAPPED_MAX))
    done = subprocess.run([sys.executable, "-c", LIST, str(path)], capture_output=True, text=True, preexec_fn=limit, timeout=120,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def put(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))


def v2(dtype, fill):
    return {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": dtype, "compressor": None, "fill_value": fill, "order": "C",
            "filters": None}


def v3(type_, size, fill):
    return {"zarr_format": 3, "node_type": "array", "shape": [2], "fill_value": fill, "attributes": {},
            "data_type": {"name": type_, "configuration": {"length_bytes": size}}, "chunk_key_encoding": {"name": "default"},
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}}, "codecs": [{"name": "bytes"}]}


HUGE = 1 << 30
ZERO_FILLS = {
    "bytes-0": v2(f"|S{HUGE}", 0), "bytes-empty": v2(f"|S{HUGE}", ""), "bytes-null": v2(f"|S{HUGE}", None),
    "raw-null": v2(f"|V{HUGE - 1}", None), "raw-0": v2(f"|V{HUGE - 1}", 0), "text": v2(f"<U{HUGE // 4}", ""),
    "struct": v2([["a", f"|S{HUGE - 8}"], ["b", "<i8"]], None), "struct-0": v2([["a", f"|S{HUGE - 8}"], ["b", "<i8"]], 0),
    "v3": v3("null_terminated_bytes", HUGE, ""), "v3-text": v3("fixed_length_utf32", HUGE, ""),
}
SHORT_FILLS = {"bytes": v2(f"|S{HUGE}", "YWJj"), "text": v2(f"<U{HUGE // 4}", "abc"), "below": v2("|S20000", "YWJj"),
               "v3": v3("null_terminated_bytes", HUGE, "YWJj")}


def put_arrays(path, arrays, times):
    put(path / ".zgroup", {"zarr_format": 2})
    for name, document in arrays.items():
        for i in range(times):
            put(path / f"{name}.{i}" / ("zarr.json" if "node_type" in document else ".zarray"), document)


def test_fill_values_of_huge_elements(tmp_path):
    put_arrays(tmp_path / "s.zarr", ZERO_FILLS, 5)
    grown, found, failed = look(tmp_path / "s.zarr")
    assert len(found) == 5 * len(ZERO_FILLS) and not failed, failed
    assert grown < ROOMY


def test_short_fill_values_of_huge_elements(tmp_path):
    """Such arrays open as arrays that are not understood do: with their shape, and an error that says why for elements."""
    import h5py

    put_arrays(tmp_path / "s.zarr", SHORT_FILLS, 5)
    grown, found, failed = look(tmp_path / "s.zarr")
    assert len(found) == 5 * len(SHORT_FILLS) and not failed, failed
    assert grown < ROOMY
    with h5py.File(tmp_path / "s.zarr") as f:
        assert all(f[name].shape == (2,) for name in found)
        with pytest.raises(OSError, match="fill_value"):
            f["below.0"][...]


def test_fill_values_that_are_told_in_full(tmp_path):
    """What a program writes is read again, by zarr-python too."""
    import h5py

    from interpreter import Interpreter
    from places import by_zarr, with_connector

    path = str(tmp_path / "f.zarr")
    other = Interpreter(with_connector())
    try:
        other.run(write_long_fill, path)
    finally:
        other.stop()
    with h5py.File(path) as f:
        assert f["x"].fillvalue == b"N/A" and f["x"][1] == b"N/A"
    assert by_zarr(path)["x"][...].tolist() == [b"y", b"N/A", b"N/A"]


def write_long_fill(path):
    import h5py

    with h5py.File(path, "w") as f:
        f.create_dataset("x", (3,), "S60000", fillvalue=b"N/A", chunks=(1,))[0] = b"y"


def zipped(path, attributes, more=0):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(".zgroup", '{"zarr_format": 2}')
        archive.writestr("x/.zarray", json.dumps({**v2("<i4", 0), "shape": [more or 2], "chunks": [more or 2]}))
        archive.writestr("x/.zattrs", attributes)
        if more:
            archive.writestr(zipfile.ZipInfo("x/0"), os.urandom(4 * more))
    return os.path.getsize(path)


BOMBS = {"lists": '{"a": [' + "[]," * 26_000_000 + "[]]}", "numbers": '{"a": [' + "1," * 39_000_000 + "1]}", "text": '{"a": "' + "x" * 80_000_000 + '"}'}


@pytest.mark.parametrize("kind", BOMBS)
def test_documents_that_unpack_to_a_thousand_times_their_size(tmp_path, kind):
    path = tmp_path / "b.zip"
    assert zipped(path, BOMBS[kind]) < 130_000
    grown, found, failed = look(path)
    assert not found and "document_ratio" in failed["/"]
    assert grown < ROOMY


def test_documents_of_a_zip_file_that_are_meant(tmp_path):
    path = tmp_path / "m.zip"
    attributes = json.dumps({"a": list(range(900_000))})
    assert len(attributes) > 6 << 20
    zipped(path, attributes)
    assert "x" in look(path)[1]  # they do not pack so well
    attributes = json.dumps({"a": [12345678] * 600_000})
    assert len(attributes) > 5 << 20
    size = zipped(path, attributes)
    assert len(attributes) > 64 * size
    assert "document_ratio" in look(path)[2]["/"]
    assert "x" in look(path, VOL_ZARR_DOCUMENT_RATIO="1000")[1]
    zipped(path, attributes, more=100_000)  # and beside data they are few
    assert "x" in look(path)[1]


def test_values_of_a_document(tmp_path):
    put(tmp_path / "s.zarr" / ".zgroup", {"zarr_format": 2})
    put(tmp_path / "s.zarr" / "x" / ".zarray", v2("<i4", 0))
    put(tmp_path / "s.zarr" / "x" / ".zattrs", '{"a": [' + "1," * ((1 << 24) + 5) + "1]}")
    grown, found, failed = look(tmp_path / "s.zarr")
    assert "more than 16777216 values" in failed["x"]
    assert grown < ROOMY + (64 << 20)  # the text itself


# ---- chunks that are much larger than their array ----

FEW_OF_MANY = {"zarr_format": 2, "shape": [2], "dtype": "<f8", "compressor": None, "fill_value": 1.5, "order": "C", "filters": None}

CHANGE = """
import json, re, sys
import h5py
def peak():
    return 1024 * int(re.search("VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
before, said = peak(), None
try:
    with h5py.File(sys.argv[1], "r+") as f:
        exec(sys.argv[2])
except Exception as error:
    said = str(error)
print(json.dumps([peak() - before, said]))
"""


def change(path, code, **environment):
    """What the peak of memory grew by, and what was wrong."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MAPPED_MAX, MAPPED_MAX))
    done = subprocess.run([sys.executable, "-c", CHANGE, str(path), code], capture_output=True, text=True, preexec_fn=limit, timeout=120,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def put_few_of_many(path, elements, **more):
    put(path / ".zgroup", {"zarr_format": 2})
    put(path / "x" / ".zarray", {**FEW_OF_MANY, "chunks": [elements], **more})


MANY = 1 << 30  # 8 GiB as float64
PACKED = {"compressor": {"id": "zlib", "level": 1}}


def test_elements_that_are_not_there_of_a_huge_chunk(tmp_path):
    put_few_of_many(tmp_path / "s.zarr", MANY)
    put_few_of_many(tmp_path / "p.zarr", MANY, **PACKED)
    for name in ("s.zarr", "p.zarr"):
        grown, said = change(tmp_path / name, "assert f['x'][...].tolist() == [1.5, 1.5] and f['x'].astype('i4')[1] == 1")
        assert not said and grown < ROOMY


def test_elements_that_are_there_of_a_huge_chunk(tmp_path):
    """Bare, they are read alone; of packed ones all would have to be unpacked."""
    put_few_of_many(tmp_path / "s.zarr", MANY)
    with open(tmp_path / "s.zarr/x/0", "wb") as file:
        file.write(b"\0\0\0\0\0\0\x04\x40" * 2)  # 2.5
        file.truncate(8 * MANY)
    grown, said = change(tmp_path / "s.zarr", "assert f['x'][...].tolist() == [2.5, 2.5]")
    assert not said and grown < ROOMY
    put_few_of_many(tmp_path / "p.zarr", MANY, **PACKED)
    (tmp_path / "p.zarr/x/0").write_bytes(zlib.compress(bytes(1 << 20)))
    grown, said = change(tmp_path / "p.zarr", "f['x'][0]")
    assert "chunk_max" in said and re.search(r"p\.zarr: (/x|x/0): ", said)
    assert grown < ROOMY


@pytest.mark.parametrize("code", ["f['x'][0] = 1", "f['x'][...] = [1, 2]", "f['x'].write_direct(__import__('numpy').zeros(2))"])
def test_writing_into_a_huge_chunk(tmp_path, code):
    put_few_of_many(tmp_path / "s.zarr", MANY)
    grown, said = change(tmp_path / "s.zarr", code)
    assert "8589934592 bytes" in said and "chunk_max" in said and re.search(r"s\.zarr: (/x|x/0): ", said)
    assert grown < ROOMY
    assert os.listdir(tmp_path / "s.zarr/x") == [".zarray"]


def test_large_chunks_that_are_meant(tmp_path):
    """The limit is of nearly empty chunks, and the option's: what is below it, or filled, is written."""
    from places import by_zarr

    path = tmp_path / "s.zarr"
    put_few_of_many(path, 1 << 20)  # 8 MiB
    assert "chunk_max" in change(path, "f['x'][0] = 4", VOL_ZARR_CHUNK_MAX="4M")[1]
    for allowed in ({}, {"VOL_ZARR_CHUNK_MAX": "8M"}):
        assert change(path, "f['x'][0] = 4", **allowed)[1] is None
    put_few_of_many(path, 1 << 20, shape=[1 << 14])  # a 64th
    assert change(path, "f['x'][0] = 4", VOL_ZARR_CHUNK_MAX="0")[1] is None
    assert change(path, "f['x'].resize((1,))", VOL_ZARR_CHUNK_MAX="0")[1] is None  # it was that large
    assert by_zarr(str(path))["x"][...].tolist() == [4]


NAMES = """
import re, sys
import h5py
def memory():
    return 1024 * int(re.search("VmRSS:\\s+(\\d+)", open("/proc/self/status").read())[1])
with h5py.File(sys.argv[1]) as f:
    before = memory()
    names = list(f)
    print(len(names), (memory() - before) // len(names))
"""


def test_the_names_of_many_arrays(tmp_path):
    """They take no more memory than what is said of an array's place: of the arrays only the last thousands are remembered."""
    count = 15_000
    with zipfile.ZipFile(tmp_path / "s.zarr.zip", "w") as archive:
        archive.writestr(".zgroup", json.dumps({"zarr_format": 2}))
        for i in range(count):
            archive.writestr(f"array{i}/.zarray", json.dumps(v2("<f8", 0)))
    done = subprocess.run([sys.executable, "-c", NAMES, str(tmp_path / "s.zarr.zip")], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    met, each = map(int, done.stdout.split())
    assert met == count and each < 3000, each
