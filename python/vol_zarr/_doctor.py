"""What stands between this Python, or other programs of this machine, and Zarr stores."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import subprocess
import sys

from . import _hdf5


@dataclasses.dataclass(frozen=True)
class Module:
    """A module of this Python that uses HDF5."""

    name: str
    version: str | None  #: None: it is not installed, or cannot be imported
    hdf5: tuple[int, int, int] | None
    works: bool  #: it opens stores
    text: str  #: what there is to say of it


@dataclasses.dataclass(frozen=True)
class Diagnosis:
    """What doctor() found. As text it is for people; `works` says whether a module of this Python opens stores."""

    plugin: str
    problem: str | None  #: why the connector does not load; None: it does
    modules: list[Module]
    libraries: list[dict]  #: of this machine, as `h5zarr doctor --json` tells of them
    advice: list[dict]

    @property
    def works(self) -> bool:
        return self.problem is None and any(module.works for module in self.modules)

    def __str__(self) -> str:
        lines = [f"plugin  {self.plugin}"] + ([self.problem] if self.problem else [])
        lines += [f"{'works' if module.works else 'fails' if module.version else '-':7s} {module.text}" for module in self.modules]
        for library in self.libraries:
            lines.append(f"{'works' if library['works'] else 'fails':7s} HDF5 {library['version'] or '?'}  {library['file']}  ({library['where']})")
            lines += [f"        {library['why']}"] if library["why"] else []
        for each in self.advice:
            lines.append(f"{each['about']} {each['text']}")
            lines += [f"    {each['type']}"] if each["type"] else []
        return "\n".join(lines)


def doctor() -> Diagnosis:
    """Tells which modules of this Python open Zarr stores, which HDF5 libraries of this machine do, and what to set or install.

    >>> import vol_zarr
    >>> found = vol_zarr.doctor()
    >>> found.works
    True
    >>> print(found)                        # doctest: +SKIP
    plugin  .../vol_zarr/plugin
    works   h5py 3.16.0: HDF5 2.0.0, opens stores

    It imports h5py, PyTables and netCDF4 where they are installed, and runs `h5zarr doctor`, which tries each library in a process of
    its own: that takes a second or two."""
    problem = None
    try:
        _hdf5.check_plugin()
    except RuntimeError as error:
        problem = str(error)
    machine = of_machine() if problem is None else {"libraries": [], "advice": []}
    return Diagnosis(_hdf5.PLUGIN, problem, modules(), machine["libraries"], machine["advice"])


def modules() -> list[Module]:
    return [of_module(name) for name in _hdf5.EXTENSIONS]


def of_module(name: str) -> Module:
    from . import activate

    try:
        version = importlib.import_module(name).__version__
    except ModuleNotFoundError:
        return Module(name, None, None, False, f"{name}: not installed")
    except Exception as error:
        return Module(name, None, None, False, f"{name}: cannot be imported: {error}")
    library = _hdf5.library_of(name)
    if library is None:
        return Module(name, version, None, False, f"{name} {version}: its HDF5 is not found")
    works = name in activate()
    number = ".".join(map(str, library.version))
    text = f"{name} {version}: HDF5 {number}, opens stores" if works else _hdf5.too_old(name, library)
    if works and os.environ.get("VOL_ZARR_AUTO") == "0":
        text += ", after `import vol_zarr` (VOL_ZARR_AUTO=0)"
    return Module(name, version, library.version, works, text)


def of_machine() -> dict:
    """What `h5zarr doctor --json` prints."""
    program = os.path.join(os.path.dirname(_hdf5.PLUGIN), "bin", "h5zarr")
    done = subprocess.run([program, "doctor", "--json"], env={"VIRTUAL_ENV": sys.prefix, **os.environ}, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(f"{program} doctor failed: {done.stderr.strip() or done.stdout.strip()}") from None
