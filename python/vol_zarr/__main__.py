"""python -m vol_zarr run -- COMMAND ...: a program that is not Python, or brings an HDF5 of its own, with the connector.
python -m vol_zarr path: the directory with the plugin. python -m vol_zarr info: which modules of this Python use it.
Everything else goes to the command h5zarr."""

import os
import platform
import sys
import sysconfig

from _vol_zarr_named import NAME

from . import __version__, _doctor, _hdf5
from ._hdf5 import PLUGIN

USAGE = """usage: python -m vol_zarr run [OPTION=VALUE ...] -- COMMAND [ARGUMENT ...]
       python -m vol_zarr path        the directory with the plugin
       python -m vol_zarr info        which modules of this Python open stores
       python -m vol_zarr doctor      the same, and what `h5zarr doctor` finds: other HDF5 libraries, what to set for them
       python -m vol_zarr COMMAND [ARGUMENT ...]    as `h5zarr` does: ls, tree, info STORE, check, convert, ...

run: COMMAND reads Zarr stores as HDF5 files; with options (create=*.zarr compress=zstd) it creates them, too.
"""


def plugin_directories(environment):
    """HDF5_PLUGIN_PATH replaces HDF5's own default, and the directories that wheels bring: all of these stay behind ours."""
    given = environment.get("HDF5_PLUGIN_PATH")
    found = [PLUGIN] + (given.split(":") if given else [])
    packages = sysconfig.get_paths()["platlib"]
    for name in ("netCDF4/plugins", "hdf5plugin/plugins", "tables/plugins"):
        if os.path.isdir(os.path.join(packages, name)):
            found.append(os.path.join(packages, name))
    if not given:
        found += ["/usr/local/hdf5/lib/plugin", f"/usr/lib/{platform.machine()}-linux-gnu/hdf5/serial/plugins"]
        found += [os.path.join(sys.prefix, "lib/hdf5/plugin")]
    return ":".join(dict.fromkeys(directory for directory in found if directory))


def run(arguments):
    if "--" not in arguments or arguments[-1] == "--":
        sys.exit(USAGE)
    end = arguments.index("--")
    options, command = arguments[:end], arguments[end + 1 :]
    environment = dict(os.environ, HDF5_PLUGIN_PATH=plugin_directories(os.environ))
    if options or sys.platform == "darwin":  # _vol_zarr_named.py says why
        try:
            _hdf5.check_plugin()
        except RuntimeError as error:
            sys.exit(str(error))
        if options or "HDF5_VOL_CONNECTOR" not in environment:
            environment["HDF5_VOL_CONNECTOR"] = "zarr " + ";".join(options) if options else NAME
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


def info():
    print(f"vol_zarr {__version__}\nplugin {PLUGIN}")
    for module in _doctor.modules():
        print(module.text)


def h5zarr():
    os.environ.setdefault("VIRTUAL_ENV", sys.prefix)  # whose HDF5 libraries convert and doctor look for
    program = os.path.join(os.path.dirname(PLUGIN), "bin", "h5zarr")
    os.execv(program, ["h5zarr", *sys.argv[1:]])


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, end="")
    elif arguments[0] == "run":
        run(arguments[1:])
    elif arguments == ["path"]:
        print(PLUGIN)
    elif arguments in (["info"], ["doctor"]):
        info()
        if arguments == ["doctor"]:
            print(flush=True)
            h5zarr()
    else:
        h5zarr()


if __name__ == "__main__":
    main()
