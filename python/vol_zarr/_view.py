"""What is in a store or an HDF5 file, as a page for Jupyter: h5zarr report makes it, of a path or of what h5py has open."""

from __future__ import annotations

import html
import json
import os
import shutil
import subprocess
import sys

from . import _hdf5
from ._view_model import Walk

class View:
    """A page that Jupyter shows. It has no script, and its frame lets none run and nothing be loaded."""

    def __init__(self, name: str, page: str):
        self.name = name
        self.html = page  #: the page as it stands alone in a browser

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page into a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        name = "".join(c if c.isprintable() else "\ufffd" for c in self.name)
        return (
            f'<iframe sandbox="" title="h5zarr report of {html.escape(name, quote=True)}" '
            f'style="width:100%;height:40rem;border:1px solid #888" srcdoc="{html.escape(self.html, quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<vol_zarr.View of {self.name!r}: shown by Jupyter, or written by save(path)>"


def view(source, *, quick: bool = False, check: bool = False, nodes: int = 1000) -> View:
    """Shows a Zarr store, an HDF5 file or a part of one in Jupyter: objects, sizes, attributes, pictures of arrays, maps of chunks.

    `source` is a path or URL, as `h5zarr report` takes it, or an h5py File, Group or Dataset, which is read through its open handle.
    `quick` reads no elements and no chunks, `check` reads all chunks of a store, `nodes` is how many objects are shown at most.

    >>> import vol_zarr
    >>> vol_zarr.view("cells.zarr").save("cells.html")       # doctest: +SKIP

    OSError: it cannot be opened, or h5zarr is not here. ValueError: the object of h5py is closed."""
    h5py = sys.modules.get("h5py")
    options = [f"--nodes={int(nodes)}"] + ["--quick"] * bool(quick) + ["--check"] * bool(check)
    if h5py and isinstance(source, h5py.HLObject):
        if not source:
            raise ValueError("this object of h5py is closed")
        model = Walk(h5py, source, bool(quick), int(nodes)).model
        return View(model["name"], _run(["--from-json=-"], json.dumps(model).encode("utf-8", "surrogatepass")))
    path = os.fspath(source)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    return View(os.path.basename(path.rstrip("/")) or path, _run([*options, "--", path], None))


def _program() -> str:
    plugins = [_hdf5.PLUGIN, *filter(None, os.environ.get("HDF5_PLUGIN_PATH", "").split(":"))]
    for plugin in plugins:
        program = os.path.join(os.path.dirname(os.path.abspath(plugin)), "bin", "h5zarr")
        if os.path.exists(program):
            return program
    found = shutil.which("h5zarr")
    if not found:
        raise FileNotFoundError("h5zarr is not here. Install it again: pip install --force-reinstall vol-zarr")
    return found


def _run(arguments, given):
    done = subprocess.run([_program(), "report", "--output=-", *arguments], input=given, capture_output=True, env={"VIRTUAL_ENV": sys.prefix, **os.environ})
    if not done.stdout:  # a page that tells of something wrong is one, whatever the exit status
        raise OSError(done.stderr.decode("utf-8", "replace").strip().removeprefix("h5zarr: ") or f"h5zarr report ended with {done.returncode}")
    return done.stdout.decode("utf-8")
