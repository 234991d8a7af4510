"""Zarr stores as HDF5 files, in the HDF5 of h5py, PyTables and netCDF4.

Once this package is installed, h5py.File("x.zarr") reads a Zarr store. enable() lets programs create them."""

import sys

import _vol_zarr_auto

from . import _enable, _hdf5, _pickle
from ._enable import Enabled, disable, enable
from ._hdf5 import PLUGIN as plugin_path

__all__ = ["Enabled", "activate", "disable", "enable", "plugin_path"]
__version__ = "0.1.0"

_told = {}


def activate(name=None):
    """Tells the HDF5 of an imported module ("h5py", "tables", "netCDF4"; None: of all of them) where the connector lies. Says which
    versions of HDF5 know it now, by module. A library is told once. Those before 1.14 are left alone."""
    for module in [name] if name else _hdf5.EXTENSIONS:
        if module not in sys.modules:
            continue
        if module == "h5py":
            _enable.after_h5py()
        library = _hdf5.library_of(module)
        if library is None or library.version < _hdf5.OLDEST:
            continue
        if library.address not in _told:
            library.append_plugin_path(plugin_path)
            _told[library.address] = library.version
        if module == "h5py":
            _pickle.register()
    return {
        module: library.version
        for module in _hdf5.EXTENSIONS
        if module in sys.modules and (library := _hdf5.library_of(module)) and library.address in _told
    }


def imported(name):
    """What _vol_zarr_auto tells: this module was imported just now."""
    if name == _vol_zarr_auto.DISTRIBUTED:
        _pickle.register_distributed()
    else:
        activate(name)


_vol_zarr_auto.install()
activate()
if _vol_zarr_auto.DISTRIBUTED in sys.modules:
    _pickle.register_distributed()
