"""GLib's hash table reports that memory ran out, and the process lives."""
import ctypes
import resource
import subprocess
import sys

from c_library import load
from told import told

library = load("libglib-2.0.so.0")
print("version", ".".join(str(ctypes.c_uint.in_dll(library, f"glib_{part}_version").value) for part in ("major", "minor")))
if sys.argv[1:]:
    library.g_hash_table_new.restype = ctypes.c_void_p
    library.g_hash_table_insert.argtypes = [ctypes.c_void_p] * 3
    table = library.g_hash_table_new(None, None)
    taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + (4 << 20),) * 2)
    for key in range(1, 1 << 26):
        library.g_hash_table_insert(table, key, key)
    sys.exit(3)  # more than fits was taken
status = subprocess.run([sys.executable, __file__, "child"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print("the process ended with", status)
told(status >= 0)
