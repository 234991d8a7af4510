"""A C library by its soname, for the programs beside this file."""
import ctypes
import sys


def load(*names):
    """The first of them that is here; else the program ends with the line "not here"."""
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    print("not here")
    sys.exit()


def returns_pointer(function, *arguments):
    function.restype = ctypes.c_void_p
    function.argtypes = arguments
    return function
