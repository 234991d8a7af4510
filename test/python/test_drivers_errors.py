"""HDF5 asks its plugins in the middle of an open that failed. What it then tells the program is what it tells without
plugins, record by record, whatever driver was named and whatever lies there."""

import json
import re

import h5py
import pytest

import drivers
from places import PLUGIN_DIR

RECORDS = """
import json
class Record(ctypes.Structure):
    _fields_ = [("cls", ctypes.c_int64), ("major", ctypes.c_int64), ("minor", ctypes.c_int64), ("line", ctypes.c_uint),
                ("function", ctypes.c_char_p), ("file", ctypes.c_char_p), ("text", ctypes.c_char_p)]
Walk = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint, ctypes.POINTER(Record), ctypes.c_void_p)
records = []
@Walk
def note(number, record, _):
    record = record.contents
    records.append([number, record.function.decode(), record.line, record.text.decode(), record.major, record.minor])
    return 0
library.H5Fopen.restype, library.H5Fopen.argtypes = ctypes.c_int64, [ctypes.c_char_p, ctypes.c_uint, ctypes.c_int64]
library.H5Ewalk2.argtypes = [ctypes.c_int64, ctypes.c_int, Walk, ctypes.c_void_p]
def access(driver, name):
    list_ = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    inside = io.BytesIO(open(name, "rb").read() if os.path.isfile(name) else b"")
    {"sec2": lambda: None, "core": lambda: list_.set_fapl_core(65536, False), "stdio": list_.set_fapl_stdio,
     "family": lambda: list_.set_fapl_family(1000, h5py.h5p.create(h5py.h5p.FILE_ACCESS)),
     "object": lambda: list_.set_fileobj_driver(h5py.h5fd.fileobj_driver, inside)}[driver]()
    return list_, inside
told = {}
for driver in ("sec2", "core", "stdio", "family", "object"):
    for name in sys.argv[1:]:
        list_, inside = access(driver, name)
        records.clear()
        assert library.H5Fopen(name.encode(), 0, list_.id) < 0
        library.H5Ewalk2(0, 0, note, None)
        told[driver + " " + name] = list(records)
print(json.dumps(told))
"""

CHANGING = re.compile(r"0x[0-9a-f]+|time = [^\n,]*|descriptor = \d+")


def told(names, plugins):
    return json.loads(CHANGING.sub("...", drivers.run(RECORDS, *names, HDF5_PLUGIN_PATH=str(plugins))))


def test_records(tmp_path, connector):
    for name in ("nothing", "plugins"):
        (tmp_path / name).mkdir()
    (tmp_path / "text").write_text("text\n" * 1000)
    (tmp_path / "empty").touch()
    (tmp_path / "whole.zip").touch()
    connector.run(drivers.make_store, str(tmp_path / "whole.zip"))
    (tmp_path / "damaged.zip").write_bytes((tmp_path / "whole.zip").read_bytes()[:3000])
    names = [tmp_path / name for name in ("missing", "nothing", "text", "empty", "damaged.zip")]
    without = told(names, tmp_path / "plugins")
    assert all(len(records) > 3 for records in without.values())
    assert told(names, PLUGIN_DIR) == without


OPENED_AFTER_QUESTION = """
path = sys.argv[1]
def core():
    list_ = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    list_.set_fapl_core(65536, True)
    return list_
library.H5Fis_accessible.restype, library.H5Fis_accessible.argtypes = ctypes.c_int, [ctypes.c_char_p, ctypes.c_int64]
for asked in (h5py.h5p.create(h5py.h5p.FILE_ACCESS), core()):
    for flags, name in (h5py.h5f.ACC_RDONLY, "x"), (h5py.h5f.ACC_RDWR, "y"):
        assert library.H5Fis_accessible(path.encode(), asked.id) == 1
        with h5py.File(h5py.h5f.open(path.encode(), flags, core())) as f:
            f.require_dataset("y", (), int) if name == "y" else f["x"][()]
with h5py.File(path, "r") as f:
    print(sorted(f))
"""


@pytest.mark.parametrize("way", [None, "zarr", "zarr create=*.zarr"])
def test_native_file_is_opened_after_a_question(tmp_path, way):
    """Natively the question H5Fis_accessible changes nothing of the open that follows it (netCDF-C's tst_diskless6)."""
    with h5py.File(tmp_path / "native.h5", "w") as f:
        f["x"] = 1
    assert drivers.run(OPENED_AFTER_QUESTION, tmp_path / "native.h5", connector=way) == "['x', 'y']\n"
