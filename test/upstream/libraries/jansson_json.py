"""jansson: parse a text, print it again."""
import ctypes

from c_library import load, returns_pointer

DECODE_ANY, ENCODE_ANY, ALLOW_NUL = 0x4, 0x200, 0x10
library = load("libjansson.so.4")
library.jansson_version_str.restype = ctypes.c_char_p
print("version", library.jansson_version_str().decode())
loads = returns_pointer(library.json_loads, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p)
dumps = returns_pointer(library.json_dumps, ctypes.c_void_p, ctypes.c_size_t)


def parse(text):
    return loads(text.encode(), DECODE_ANY | ALLOW_NUL, ctypes.create_string_buffer(512))


def again(text):
    """None: refused."""
    value = parse(text)
    return ctypes.string_at(dumps(value, ENCODE_ANY)).decode() if value else None
