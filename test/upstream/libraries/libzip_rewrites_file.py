"""libzip adds an entry of one byte to a zip file in place: the file stays the file that it is."""
import ctypes
import os
import zipfile

from c_library import load, returns_pointer
from told import told

library = load("libzip.so.5", "libzip.so.4")
library.zip_libzip_version.restype = ctypes.c_char_p
print("version", library.zip_libzip_version().decode())
pointer = ctypes.c_void_p
opened = returns_pointer(library.zip_open, ctypes.c_char_p, ctypes.c_int, pointer)
source = returns_pointer(library.zip_source_buffer, pointer, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_int)
library.zip_file_add.argtypes = [pointer, ctypes.c_char_p, pointer, ctypes.c_uint32]
library.zip_file_add.restype = ctypes.c_int64
library.zip_close.argtypes = [pointer]
with zipfile.ZipFile("a.zip", "w") as archive:
    archive.writestr("large", bytes(1 << 20))
before = os.stat("a.zip").st_ino
archive = opened(b"a.zip", 0, None)
assert library.zip_file_add(archive, b"small", source(archive, b"x", 1, 0), 0) == 1 and library.zip_close(archive) == 0
assert zipfile.ZipFile("a.zip").namelist() == ["large", "small"]
told(os.stat("a.zip").st_ino == before)
