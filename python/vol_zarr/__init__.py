"""Zarr stores as HDF5 files, in the HDF5 of h5py, PyTables and netCDF4.

Once this package is installed, h5py.File("x.zarr") reads a Zarr store; nothing need be imported for that. enable() lets h5py create
them, doctor() tells what is wrong where that does not work, and view() shows a file in Jupyter.

>>> import h5py, vol_zarr
>>> with vol_zarr.enable(create="*.zarr"):
...     with h5py.File("cells.zarr", "w") as f:
...         f["x"] = range(5)
>>> int(h5py.File("cells.zarr")["x"][3])
3
"""

from __future__ import annotations

import sys
import warnings

import _vol_zarr_auto

from . import _enable, _hdf5, _pickle
from ._doctor import Diagnosis, Module, doctor
from ._enable import Enabled, OptionError, disable, enable
from ._hdf5 import PLUGIN as plugin_path
from ._hdf5 import HDF5Warning
from ._view import View, view

__all__ = ["Diagnosis", "Enabled", "ExperimentalWarning", "HDF5Warning", "Module", "OptionError", "View", "activate", "disable", "doctor", "enable", "plugin_path", "view"]
__version__ = "0.1.0"


class ExperimentalWarning(UserWarning):
    """This system is one on which the package was never tried."""


_known = {}  # versions of the HDF5 libraries that know where the connector lies, by their addresses
_warned = set()  # modules


def activate(name: str | None = None) -> dict[str, tuple[int, int, int]]:
    """Lets the HDF5 of an imported module find the connector: "h5py", "tables" or "netCDF4", or all of them without a name.

    Each start of Python does that by itself (but with VOL_ZARR_AUTO=0), and `import vol_zarr` does it. The result is the version of
    HDF5 of each module that opens stores now. An HDF5 before 1.14 is left alone, with one HDF5Warning a module."""
    for module in [name] if name else _hdf5.EXTENSIONS:
        if module not in sys.modules:
            continue
        if module == "h5py":
            _enable.after_h5py()
        library = _hdf5.library_of(module)
        if library is None:
            continue
        if library.version < _hdf5.OLDEST:
            _warn(module, library)
            continue
        if library.address not in _known:
            library.append_plugin_path(plugin_path)
            _known[library.address] = library.version
        if module == "h5py":
            _pickle.register()
    return {
        module: library.version
        for module in _hdf5.EXTENSIONS
        if module in sys.modules and (library := _hdf5.library_of(module)) and library.address in _known
    }


def _warn(module, library):
    if module not in _warned:
        _warned.add(module)
        warnings.warn(_hdf5.too_old(module, library), HDF5Warning, stacklevel=3)


def imported(name):
    """What _vol_zarr_auto tells: this module was imported just now."""
    if name == _vol_zarr_auto.DISTRIBUTED:
        _pickle.register_distributed()
    else:
        activate(name)


def _say_experimental():
    try:
        warnings.warn("vol_zarr on macOS is experimental: it was never run on a Mac. docs/macos.md says how to try it and what to report.", ExperimentalWarning, stacklevel=3)
    except ExperimentalWarning:  # of a program that makes errors of warnings: `import h5py` must not end with it
        pass


if sys.platform == "darwin":
    _say_experimental()
_vol_zarr_auto.install()
activate()
if _vol_zarr_auto.DISTRIBUTED in sys.modules:
    _pickle.register_distributed()
