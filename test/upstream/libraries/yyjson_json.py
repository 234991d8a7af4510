"""yyjson: parse a text, print it again, with what it allows beyond JSON: NaN, numbers as their text, text that is not UTF-8."""
import ctypes

from c_library import load, returns_pointer

INF_AND_NAN, NUMBER_AS_RAW, INVALID_UNICODE = 1 << 4, 1 << 5, 1 << 6
WRITE_INF_AND_NAN, WRITE_INVALID_UNICODE = 1 << 3, 1 << 5
library = load("libyyjson.so.0")
library.yyjson_version.restype = ctypes.c_uint32
number = library.yyjson_version()
print(f"version {number >> 16}.{number >> 8 & 255}.{number & 255}")
pointer, flags = ctypes.c_void_p, ctypes.c_uint32
read = returns_pointer(library.yyjson_read_opts, ctypes.c_char_p, ctypes.c_size_t, flags, pointer, pointer)
write = returns_pointer(library.yyjson_write_opts, pointer, flags, pointer, pointer, pointer)


def again(text, raw=True):
    """None: refused."""
    document = read(text.encode(), len(text), INF_AND_NAN | INVALID_UNICODE | (NUMBER_AS_RAW if raw else 0), None, None)
    return ctypes.string_at(write(document, WRITE_INF_AND_NAN | WRITE_INVALID_UNICODE, None, None, None)).decode() if document else None
