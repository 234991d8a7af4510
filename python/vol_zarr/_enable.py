"""Creating stores: h5py makes its access lists in one function, and there they get the connector with its options."""

from __future__ import annotations

import ctypes
import contextlib
import importlib.util
import os
import sys
import threading
from collections.abc import Iterable
from typing import Literal

from . import _hdf5

CONNECTOR = b"zarr"
CREATE = "create=*.zarr"  # a word that would turn temporary files into stores is never the default


class Enabled:
    """What enable() gives: as a context manager it takes back, at its end, what enable() did."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __enter__(self) -> Enabled:
        return self

    def __exit__(self, *exception: object) -> None:
        if self in _enabled:
            _enabled.remove(self)

    def __repr__(self):
        return f"vol_zarr.enable({self.text!r})"


_enabled = []
_here = threading.local()  # .text: options of the files that this thread opens, whatever is enabled
_lists = {}  # options as text: HDF5, the connector's number in it and its options, as HDF5 has them


class OptionError(OSError, ValueError):
    """An option that is wrong. It is an OSError, too, which h5py.File raises for a wrong option in HDF5_VOL_CONNECTOR."""


def enable(
    *texts: str,
    create: str | Iterable[str] | None = None,
    format: Literal[2, 3] | None = None,
    compress: Literal["auto", "blosc", "zstd", "zlib", "none"] | None = None,
    shards: int | str | None = None,
    **options: str | int | bool,
) -> Enabled:
    """From now on h5py.File() creates Zarr stores, and opens stores with these options.

    create    names that become stores, as shell patterns on the last part of the path: "*.zarr", or several of them; ":zip" or
              ":file" behind a pattern says of which kind. Without it, here or in the environment, it is "*.zarr". Other names
              stay HDF5 files.
    format    the Zarr format of new stores: 2 (the default) or 3.
    compress  what datasets get that ask for no filter; without it Blosc, in format 3 Zstandard.
    shards    how much decoded data a shard of format 3 takes: bytes, or a text as "64M". Without it there are no shards.
    options   every other option of docs/options.md by its name, as threads=4 or sync=True. Texts are taken as
              HDF5_VOL_CONNECTOR has them: "create=*.zarr;compress=zstd".

    Each call replaces the options of the one before, until disable(), or until the end of a `with`:

    >>> import h5py, vol_zarr
    >>> with vol_zarr.enable(create="*.zarr", format=3, compress="zstd"):
    ...     with h5py.File("cells.zarr", "w") as f:
    ...         f["x"] = range(5)
    >>> int(h5py.File("cells.zarr")["x"][3])
    3

    OptionError names an option that is wrong, RuntimeError says why h5py's HDF5 cannot use the connector: at once where h5py is
    imported, else when it opens its first file. ModuleNotFoundError: there is no h5py."""
    if create is not None and not isinstance(create, str):
        create = ",".join(create)
    options = {"create": create, "format": format, "compress": compress, "shards": shards, **options}
    words = [text.strip("; ") for text in texts] + [f"{name}={_word(value)}" for name, value in options.items() if value is not None]
    if not _is_named("create", *words) and not os.environ.get("HDF5_VOL_CONNECTOR"):
        words.insert(0, CREATE)
    enabled = Enabled(joined(*words))
    _hdf5.check_plugin()
    if "h5py" in sys.modules:
        _connector(enabled.text)
        _hook()
    elif importlib.util.find_spec("h5py") is None:
        raise ModuleNotFoundError("vol_zarr.enable() is for h5py, which is not installed: other programs are run by `python -m vol_zarr run`")
    _enabled.append(enabled)
    return enabled


def disable() -> None:
    """h5py creates HDF5 files again, whatever was enabled. Stores are read as ever."""
    _enabled.clear()


def joined(*texts):
    return ";".join(text for text in texts if text)


def enabled_text():
    """What is enabled; None: nothing is."""
    return _enabled[-1].text if _enabled else None


def of_environment():
    """The options that HDF5_VOL_CONNECTOR has for files that no access list speaks of."""
    name, _, options = os.environ.get("HDF5_VOL_CONNECTOR", "").strip().partition(" ")
    return options.strip("; ") if name.encode() == CONNECTOR else ""


@contextlib.contextmanager
def here(options):
    """This thread's h5py opens stores with these options."""
    _hook()
    _here.text = options
    try:
        yield
    finally:
        _here.text = None


def _is_named(option, *texts):
    return any(word.partition("=")[0].strip() == option for text in texts for word in text.split(";"))


def _word(value):
    return str(int(value)) if isinstance(value, bool) else str(value)


def _hook():
    """h5py is imported: its function that makes access lists is ours from now on."""
    from h5py._hl import files

    make = files.make_fapl
    if getattr(make, "vol_zarr", False):
        return

    def make_fapl(*arguments, **keywords):
        access = make(*arguments, **keywords)
        options = getattr(_here, "text", None)
        if options is None:
            options = enabled_text()
        if options is not None:
            _set(access.id, options)
        return access

    make_fapl.vol_zarr = True
    files.make_fapl = make_fapl


def after_h5py():
    """h5py was imported after enable(). Whether its HDF5 can do it the first file tells."""
    if _enabled:
        _hook()


def _library():
    library = _hdf5.library_of("h5py")
    if library is None or library.version < _hdf5.OLDEST:
        raise RuntimeError(_hdf5.too_old("h5py", library) if library else "the HDF5 of h5py is not found: vol_zarr.doctor() tells more")
    return library


def _connector(text):
    """What is in _lists for these options. It is kept: there are few of them."""
    if text not in _lists:
        from h5py._objects import phil

        with phil:
            _lists[text] = _register(_library(), text)
    return _lists[text]


def _register(library, text):
    register = library.function("H5VLregister_connector_by_name", _hdf5.hid_t, ctypes.c_char_p, _hdf5.hid_t)
    parse = library.function("H5VLconnector_str_to_info", ctypes.c_int, ctypes.c_char_p, _hdf5.hid_t, ctypes.POINTER(ctypes.c_void_p))
    with _hdf5.Errors(library) as errors:
        number = register(CONNECTOR, 0)
        if number < 0:
            raise RuntimeError(f"HDF5 of {library.file} does not load the connector: {errors.text()}")
        information = ctypes.c_void_p()
        # "!": a wrong option is an error now, and not at the first file. What is wrong with it only opening one says.
        if text and parse(b"!" + text.encode(), number, ctypes.byref(information)) < 0:
            parse(text.encode(), number, ctypes.byref(information))
            raise OptionError(_complaint(library, errors, number, information))
    return library, number, information


def _complaint(library, errors, number, information):
    create = library.function("H5Pcreate", _hdf5.hid_t, _hdf5.hid_t)
    access = create(_hdf5.hid_t.in_dll(library.names, "H5P_CLS_FILE_ACCESS_ID_g"))
    _set_vol(library)(access, number, information)
    library.function("H5Fopen", _hdf5.hid_t, ctypes.c_char_p, ctypes.c_uint, _hdf5.hid_t)(os.fsencode(os.devnull), 0, access)
    text = errors.text()
    library.function("H5Pclose", ctypes.c_int, _hdf5.hid_t)(access)
    return text


def _set_vol(library):
    return library.function("H5Pset_vol", ctypes.c_int, _hdf5.hid_t, _hdf5.hid_t, ctypes.c_void_p)


def _set(access, text):
    library, number, information = _connector(text)
    with _hdf5.Errors(library) as errors:
        if _set_vol(library)(access, number, information) < 0:
            raise RuntimeError(f"the connector cannot be set on h5py's access list: {errors.text()}")
