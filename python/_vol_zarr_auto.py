"""Runs at each start of Python (vol_zarr.pth): when h5py, PyTables or netCDF4 has been imported, its HDF5 is told where the
connector lies, and dask.distributed how it sends h5py's objects of stores. Nothing else is imported before that, and no environment variable is set. VOL_ZARR_AUTO=0 switches it off."""

import os
import sys

# The module, and an extension module in it that is linked to HDF5. Debian links only those of h5py that call HDF5 themselves, and h5py.defs does.
EXTENSIONS = {"h5py": "h5py.defs", "tables": "tables.utilsextension", "netCDF4": "netCDF4._netCDF4"}
DISTRIBUTED = "distributed.protocol.h5py"
NAMES_CONNECTOR = sys.platform == "darwin"  # _vol_zarr_named.py says why


class Finder:
    """Finds nothing itself: what the other finders find is told to run one more step after it was executed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        is_followed = name in EXTENSIONS or name == DISTRIBUTED
        is_named = NAMES_CONNECTOR and name.partition(".")[0] in EXTENSIONS
        if not is_followed and not is_named:
            return None
        for finder in sys.meta_path:
            find = None if finder is Finder else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                if is_named:
                    import _vol_zarr_named

                    _vol_zarr_named.before(spec)
                if is_followed:
                    follow(spec)
                return spec
        return None


def follow(spec):
    execute = getattr(spec.loader, "exec_module", None)
    if execute is None:
        return

    def exec_module(module):
        execute(module)
        try:
            import vol_zarr

            vol_zarr.imported(spec.name)
        except Exception as error:  # what was imported is of use without stores, too
            import warnings

            warnings.warn(f"vol_zarr does not work in {spec.name}: {error}", RuntimeWarning, stacklevel=2)

    try:
        spec.loader.exec_module = exec_module
    except AttributeError:  # a loader without attributes of its own: `import vol_zarr` does it by hand
        pass


def install():
    if Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)


if os.environ.get("VOL_ZARR_AUTO") != "0":
    install()
