"""msgpack-c takes no more memory than in proportion to the bytes that it is given, whatever an array in them promises."""
import ctypes
import resource

from c_library import load
from told import told

library = load("libmsgpack-c.so.2", "libmsgpackc.so.2")
library.msgpack_version.restype = ctypes.c_char_p
print("version", library.msgpack_version().decode())
PROMISED = 1 << 24
stored = b"\xdd" + PROMISED.to_bytes(4, "big") + b"\x01"  # an array of 2^24 elements, of which one is there


class Zone(ctypes.Structure):  # only passed on
    _fields_ = [("opaque", ctypes.c_char * 256)]


zone, offset, result = Zone(), ctypes.c_size_t(0), ctypes.create_string_buffer(256)
library.msgpack_zone_init.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
library.msgpack_unpack.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
assert library.msgpack_zone_init(ctypes.byref(zone), 8192)
pages = resource.getpagesize()
before = int(open("/proc/self/statm").read().split()[0]) * pages
answer = library.msgpack_unpack(stored, len(stored), ctypes.byref(offset), ctypes.byref(zone), result)
grown = int(open("/proc/self/statm").read().split()[0]) * pages - before
print("answer", answer, "bytes taken for 6:", grown)
told(grown < 1 << 20)
