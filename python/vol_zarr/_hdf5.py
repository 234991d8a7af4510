"""The HDF5 libraries that modules of this process have loaded, called through ctypes."""

import ctypes
import os
import sys

from _vol_zarr_auto import EXTENSIONS

OLDEST = (1, 14, 0)  # older ones have no connectors of this kind
PLUGIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin")

hid_t = ctypes.c_int64


class HDF5Warning(UserWarning):
    """A module has an HDF5 that cannot open Zarr stores."""


def too_old(module, library):
    """What is wrong with it, and what to do."""
    version = getattr(sys.modules.get(module), "__version__", "")
    number = ".".join(map(str, library.version))
    return (
        f"{module} {version} has HDF5 {number}, which cannot open Zarr stores: 1.14 is the first that can. "
        f"Install a newer one: pip install --upgrade {module}"
    )


def check_plugin():
    """The connector needs nothing but the C library, so it loads here if it loads in HDF5. HDF5 itself crashes where it does not."""
    file = os.path.join(PLUGIN, "libH5VLzarr.so")
    if not os.path.exists(file) and os.environ.get("HDF5_PLUGIN_PATH"):
        return  # the package of a checkout: the connector lies elsewhere
    try:
        ctypes.CDLL(file, mode=os.RTLD_LOCAL | os.RTLD_LAZY)
    except OSError as error:
        raise RuntimeError(f"the connector cannot be loaded: {error}. Install it again: pip install --force-reinstall vol-zarr") from None


class Library:
    """One HDF5, reached through an extension module that is linked to it: its names are looked up in what that needs."""

    def __init__(self, file):
        self.file = file
        self.names = ctypes.CDLL(file, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        numbers = [ctypes.c_uint() for _ in range(3)]
        self.names.H5get_libversion(*map(ctypes.byref, numbers))
        self.version = tuple(number.value for number in numbers)
        self.address = ctypes.cast(self.names.H5get_libversion, ctypes.c_void_p).value

    def function(self, name, result, *arguments):
        function = getattr(self.names, name)
        function.restype, function.argtypes = result, arguments
        return function

    def plugin_paths(self):
        size, get = self.function("H5PLsize", ctypes.c_int, ctypes.POINTER(ctypes.c_uint)), self.function(
            "H5PLget", ctypes.c_ssize_t, ctypes.c_uint, ctypes.c_char_p, ctypes.c_size_t
        )
        count = ctypes.c_uint()
        size(ctypes.byref(count))
        found = []
        for index in range(count.value):
            text = ctypes.create_string_buffer(max(get(index, None, 0), 0) + 1)
            get(index, text, len(text))
            found.append(os.fsdecode(text.value))
        return found

    def append_plugin_path(self, path):
        """Where it is not among them yet, as HDF5_PLUGIN_PATH or another module may have it."""
        if path not in self.plugin_paths() and self.function("H5PLappend", ctypes.c_int, ctypes.c_char_p)(os.fsencode(path)) < 0:
            raise RuntimeError(f"HDF5 of {self.file} does not take {path} as a directory of plugins")


def library_of(module):
    """The HDF5 of an imported module; None where it has none that is known."""
    extension = sys.modules.get(EXTENSIONS[module])
    file = getattr(extension, "__file__", None)
    if file is None:
        return None
    try:
        return Library(file)
    except (OSError, AttributeError):
        return None


class ErrorRecord(ctypes.Structure):
    """H5E_error2_t."""

    _fields_ = [
        ("cls_id", hid_t),
        ("maj_num", hid_t),
        ("min_num", hid_t),
        ("line", ctypes.c_uint),
        ("func_name", ctypes.c_char_p),
        ("file_name", ctypes.c_char_p),
        ("desc", ctypes.c_char_p),
    ]


Visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint, ctypes.POINTER(ErrorRecord), ctypes.c_void_p)


class Errors:
    """While HDF5 is called without h5py around: it prints nothing of a failure, whose record can be had as text."""

    def __init__(self, library):
        self.library = library
        self.print = ctypes.c_void_p()
        self.data = ctypes.c_void_p()

    def __enter__(self):
        get = self.library.function("H5Eget_auto2", ctypes.c_int, hid_t, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_void_p))
        get(0, ctypes.byref(self.print), ctypes.byref(self.data))
        self._set(None, None)
        return self

    def __exit__(self, *exception):
        self.library.function("H5Eclear2", ctypes.c_int, hid_t)(0)
        self._set(self.print, self.data)

    def _set(self, print_, data):
        self.library.function("H5Eset_auto2", ctypes.c_int, hid_t, ctypes.c_void_p, ctypes.c_void_p)(0, print_, data)

    def text(self):
        """What failed first, in the words of whoever noticed it."""
        found = []

        def visit(number, record, data):
            found.append(os.fsdecode(record.contents.desc or b""))
            return 0

        self.library.function("H5Ewalk2", ctypes.c_int, hid_t, ctypes.c_int, Visit, ctypes.c_void_p)(0, 0, Visit(visit), None)
        return found[0] if found else "no reason given"
