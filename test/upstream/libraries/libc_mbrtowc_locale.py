"""mbrtowc, by which a C program can see whether text is UTF-8, takes UTF-8 in the locale that a program starts with."""
import ctypes

from c_library import load
from told import told

library = load("libc.so.6")
library.gnu_get_libc_version.restype = ctypes.c_char_p
print("version", library.gnu_get_libc_version().decode())
library.setlocale.restype = ctypes.c_char_p
library.setlocale(0, b"C")  # LC_CTYPE: as every C program starts
library.mbrtowc.restype = ctypes.c_ssize_t
library.mbrtowc.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
wide, state = ctypes.c_int(0), ctypes.create_string_buffer(64)
taken = library.mbrtowc(ctypes.byref(wide), "é".encode(), 2, state)
print("bytes taken:", taken, "character:", hex(wide.value & 0xFFFFFFFF))
told(taken == 2 and wide.value == ord("é"))
