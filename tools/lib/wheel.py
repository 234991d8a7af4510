"""Puts a wheel together (the format is that of the Python packaging guide, "Binary distribution format"): the Python package, the
plugin, the command h5zarr, and the licences of all that is inside. The same input makes the same bytes."""

import argparse
import base64
import hashlib
import pathlib
import re
import stat
import zipfile

import sbom

ROOT = pathlib.Path(__file__).parents[2]
LICENCES = {  # source package: the files that must go with its code
    "bzip2": ["LICENSE"],
    "c-blosc": ["LICENSES/BLOSC.txt", "LICENSES/BITSHUFFLE.txt", "LICENSES/FASTLZ.txt", "LICENSES/STDINT.txt"],
    "expat": ["expat/COPYING"],
    "libdeflate": ["COPYING"],
    "libzstd": ["LICENSE"],
    "lz4": ["lib/LICENSE"],
    "xz-utils": ["COPYING"],
    "zlib": ["LICENSE"],
}
MODULE_LICENCES = {"curl": ["COPYING"], "openssl": ["LICENSE.txt"]}
COMPILER_LICENCE = "LICENSE"  # of what a compiler adds to what it compiles
UNWINDER_LICENCE = "lib/libunwind/LICENSE.TXT"  # for musl, which has no functions that unwind the stack
MODULE = "vol_zarr/plugin/vol_zarr_net.so"  # for remote stores; not for every machine
BINARIES = {  # in the build: in the wheel
    "plugin/libH5VLzarr.so": "vol_zarr/plugin/libH5VLzarr.so",
    "bin/h5zarr": "vol_zarr/bin/h5zarr",
}
SHARED = {  # in the project: below the environment's prefix, where shells and man look
    "docs/h5zarr.1": "share/man/man1/h5zarr.1",
    "tools/completion/h5zarr": "share/bash-completion/completions/h5zarr",
    "tools/completion/_h5zarr": "share/zsh/site-functions/_h5zarr",
    "tools/completion/h5zarr.fish": "share/fish/vendor_completions.d/h5zarr.fish",
}
LARGEST = 4 << 20  # without the module for remote stores
LARGEST_MODULE = 3 << 20


def version():
    return re.search(r"project\(vol-zarr VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


class Wheel:
    def __init__(self, directory, tag):
        self.name = f"vol_zarr-{version()}"
        self.info = f"{self.name}.dist-info"
        self.path = directory / f"{self.name}-{tag}.whl"
        self.records = []
        directory.mkdir(parents=True, exist_ok=True)
        self.zip = zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)

    def add(self, name, data, executable=False):
        data = data.encode() if isinstance(data, str) else data
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self):
        name = f"{self.info}/RECORD"
        self.add(name, "".join(self.records) + f"{name},,\n")
        self.zip.close()


CLASSIFIERS = """
Intended Audience :: Science/Research
Intended Audience :: Developers
License :: OSI Approved :: BSD License
Operating System :: {system}
Programming Language :: C
Programming Language :: Python :: 3
Topic :: Scientific/Engineering
Topic :: System :: Archiving
Typing :: Typed
"""


def status():
    """From 1.0 on what docs/roadmap.md promises is stable."""
    return "Development Status :: 4 - Beta" if version().startswith("0.") else "Development Status :: 5 - Production/Stable"


EXPERIMENTAL = "**This wheel for macOS is experimental: it was never run on a Mac.**\nThe page docs/macos.md of the project says how to try it and what to report.\n\n"


def is_for_macos(arguments):
    return arguments.platform.startswith("macosx")


def description(arguments):
    """The page about the wheel. Its links lead to files that a package index has not, so their words alone stay."""
    text = re.sub(r"\[([^]]+)\]\((?!\w+://)[^)]+\)", r"\1", (ROOT / "docs/wheel.md").read_text())
    return (EXPERIMENTAL if is_for_macos(arguments) else "") + text


def metadata(arguments):
    system = "MacOS" if is_for_macos(arguments) else "POSIX :: Linux"
    first = "Development Status :: 2 - Pre-Alpha" if is_for_macos(arguments) else status()
    classifiers = "\n".join(f"Classifier: {line}" for line in [first, *CLASSIFIERS.format(system=system).split("\n")] if line)
    return f"""Metadata-Version: 2.1
Name: vol-zarr
Version: {version()}
Summary: Zarr stores as HDF5 files, for h5py, PyTables, netCDF4 and every other HDF5 program
Author: vol-zarr developers
License: BSD-3-Clause
License-File: LICENSE
Keywords: HDF5,Zarr,h5py,netCDF,AnnData,NWB,VOL connector
{classifiers}
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{description(arguments)}"""


def source(arguments, package, file):
    return next(where / package / file for where in arguments.sources if (where / package).is_dir())


def contents(arguments):
    pins = "\n".join(line for line in arguments.pins.splitlines() if line.split()[:1] and (arguments.module or line.split()[0] not in MODULE_LICENCES))
    requirements = (ROOT / "tools/requirements-zig.txt").read_text()
    return sbom.document(version(), arguments.target, pins, arguments.sources, requirements)


def fill(wheel, arguments):
    python = ROOT / "python"
    if f'__version__ = "{version()}"' not in (python / "vol_zarr/__init__.py").read_text():
        raise SystemExit("python/vol_zarr/__init__.py and CMakeLists.txt have different versions")
    for file in sorted(python.glob("*.p*")) + sorted(python.glob("vol_zarr/*.py")) + [python / "vol_zarr/py.typed"]:
        wheel.add(str(file.relative_to(python)), file.read_bytes())
    for built, name in {**BINARIES, **({"plugin/vol_zarr_net.so": MODULE} if arguments.module else {})}.items():
        wheel.add(name, (arguments.build / built).read_bytes(), True)
    for file, name in SHARED.items():
        wheel.add(f"{wheel.name}.data/data/{name}", (ROOT / file).read_bytes())
    wheel.add(f"{wheel.info}/entry_points.txt", "[console_scripts]\nh5zarr = vol_zarr.__main__:h5zarr\n")
    wheel.add(f"{wheel.info}/METADATA", metadata(arguments))
    wheel.add(f"{wheel.info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: vol-zarr\nRoot-Is-Purelib: false\nTag: {arguments.tag}\n")
    wheel.add(f"{wheel.info}/sboms/vol-zarr.cdx.json", contents(arguments))
    wheel.add(f"{wheel.info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.add(f"{wheel.info}/licenses/zig/LICENSE", (arguments.compiler / COMPILER_LICENCE).read_bytes())
    if arguments.target.endswith("-musl"):
        wheel.add(f"{wheel.info}/licenses/libunwind/LICENSE.TXT", (arguments.compiler / UNWINDER_LICENCE).read_bytes())
    for package, files in {**LICENCES, **(MODULE_LICENCES if arguments.module else {})}.items():
        for file in files:
            wheel.add(f"{wheel.info}/licenses/{package}/{pathlib.Path(file).name}", source(arguments, package, file).read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", required=True, help="as tools/lib/zig.sh names it")
    parser.add_argument("--platform", required=True, help="the last part of the wheel's tag")
    parser.add_argument("--sources", required=True, type=pathlib.Path, nargs="+")
    parser.add_argument("--pins", required=True, help="rows: source package, its archive, SHA-256, suite of Debian")
    for name in ("build", "compiler", "to"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--module", action="store_true", help="with the module for remote stores")
    arguments = parser.parse_args()
    arguments.tag = f"py3-none-{arguments.platform}"
    wheel = Wheel(arguments.to, arguments.tag)
    fill(wheel, arguments)
    wheel.close()
    size = wheel.path.stat().st_size
    module = wheel.zip.getinfo(MODULE).compress_size if arguments.module else 0
    print(f"{wheel.path} ({size / 2**20:.2f} MiB, {module / 2**20:.2f} of them the module for remote stores)")
    if size - module > LARGEST or module > LARGEST_MODULE:
        raise SystemExit(f"{wheel.path} is larger than {LARGEST >> 20} MiB and {LARGEST_MODULE >> 20} for the module")


if __name__ == "__main__":
    main()
