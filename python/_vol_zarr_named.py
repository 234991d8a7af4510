"""How an HDF5 gets to know the connector on macOS. HDF5 2.x registers what its plugin search found under the connector that it had before.
Elsewhere the connector puts that right from outside; there it cannot. So the connector is named, by the variable HDF5_VOL_CONNECTOR, while
that HDF5 initialises: in this process alone, and for no longer than one call, during which no other code of Python runs."""

import ctypes
import os
import warnings

PLUGIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "vol_zarr", "plugin")
DEFAULT = "/usr/local/hdf5/lib/plugin"  # where HDF5 looks if HDF5_PLUGIN_PATH is not set
NEW_IN_2 = "H5Tdecode2"  # HDF5 1.14 passes the connector that it found
VARIABLE = "HDF5_VOL_CONNECTOR"
NAME = "zarr create=/"  # a pattern for the last part of a path, which has no slash: every new file is a native one

_met = set()  # HDF5 libraries, by the addresses of their H5open


def before(spec):
    """This extension module is about to be loaded: what it is linked to is loaded first, and initialised if it is an HDF5."""
    create = getattr(spec.loader, "create_module", None)
    if create is None or not (spec.origin or "").endswith((".so", ".dylib")):
        return

    def create_module(of):
        try:
            initialise(spec.origin)
        except Exception as error:
            warnings.warn(f"vol_zarr does not work in {spec.name}: {error}", RuntimeWarning, stacklevel=2)
        return create(of)

    try:
        spec.loader.create_module = create_module
    except AttributeError:  # a loader without attributes of its own
        pass


def initialise(file):
    """The HDF5 that the extension module `file` is linked to. PyDLL keeps Python's lock: no other thread of Python runs meanwhile."""
    try:
        names = ctypes.PyDLL(file)
    except OSError:  # the import itself says why
        return
    if not hasattr(names, "H5open") or not hasattr(names, NEW_IN_2):
        return
    address = ctypes.cast(names.H5open, ctypes.c_void_p).value
    if address in _met:
        return
    _met.add(address)
    if _get(VARIABLE) is None:
        _initialise_named(names)


def _initialise_named(names):
    ctypes.CDLL(os.path.join(PLUGIN, "libH5VLzarr.so"))  # HDF5 could only say that its initialisation failed
    given = _get("HDF5_PLUGIN_PATH")
    # Ours first, or HDF5 would load every filter on its way. It is the last one afterwards.
    with _variables({"HDF5_PLUGIN_PATH": os.pathsep.join([PLUGIN, given or DEFAULT]), VARIABLE: NAME}):
        failed = names.H5open() < 0
    if failed:
        raise RuntimeError("HDF5 does not take the connector")
    names.H5PLremove(ctypes.c_uint(0))
    names.H5PLappend(ctypes.c_char_p(os.fsencode(PLUGIN)))


def _get(name):
    """As HDF5 gets it: os.environ may not have what a library set."""
    get = ctypes.PyDLL(None).getenv
    get.restype, get.argtypes = ctypes.c_char_p, [ctypes.c_char_p]
    value = get(os.fsencode(name))
    return None if value is None else os.fsdecode(value)


class _variables:
    """Variables that the C library of this process has, and os.environ has not."""

    def __init__(self, values):
        self.values = values
        self.before = {name: _get(name) for name in values}

    def __enter__(self):
        for name, value in self.values.items():
            os.putenv(name, value)

    def __exit__(self, *exception):
        for name, value in self.before.items():
            if value is None:
                os.unsetenv(name)
            else:
                os.putenv(name, value)
