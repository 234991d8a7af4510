"""jansson reports that memory ran out, at each allocation, and never gives back a text with characters missing."""
import ctypes

from jansson_json import again, library, parse
from told import told

ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
c = ctypes.CDLL(None)
c.malloc.restype, c.malloc.argtypes, c.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
countdown = None  # allocations until the one that fails


def allocate(size):
    global countdown
    if countdown is not None:
        countdown -= 1
        if countdown == -1:
            return None
    return c.malloc(size)


callbacks = ALLOCATE(allocate), FREE(c.free)
library.json_set_alloc_funcs.argtypes = [ALLOCATE, FREE]
library.json_string_length.argtypes = [ctypes.c_void_p]
library.json_string_length.restype = ctypes.c_size_t
text = '"' + "abcdefgh" * 40 + '"'
assert again(text) == text
library.json_set_alloc_funcs(*callbacks)
lengths = []
for failing in range(20):
    countdown = failing
    value = parse(text)
    countdown = None
    if value:
        lengths.append(library.json_string_length(value))
print(lengths)
told(all(length == len(text) - 2 for length in lengths))
