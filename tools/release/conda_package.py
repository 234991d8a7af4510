"""conda_package.py MACHINE BUILD DIRECTORY: a conda package of what a wheel's build left in BUILD, in DIRECTORY/SUBDIR.

The module and the command need the C library alone, so the package fits every HDF5 of conda from 1.14 on. recipe/ is the other way: it
builds against the libraries of conda-forge. The format is conda's first one (.tar.bz2, "Conda package specification"); the same input
makes the same bytes."""

import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile
import zipfile

import version

ROOT = version.ROOT
sys.path.insert(0, str(ROOT / "tools/lib"))
import wheel as wheel_maker  # noqa: E402

SUBDIRS = {"x86_64": ("linux-64", "x86_64"), "aarch64": ("linux-aarch64", "aarch64")}
GLIBC = "2.28"  # as tools/lib/zig.sh has it
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))


def payload(build):
    """{name: (its bytes, is it a program)}"""
    built = {"lib/hdf5/plugin/libH5VLzarr.so": "plugin/libH5VLzarr.so", "lib/hdf5/plugin/vol_zarr_net.so": "plugin/vol_zarr_net.so",
             "bin/h5zarr": "bin/h5zarr"}
    ours = {"include/H5VLzarr.h": "include/H5VLzarr.h", **{place: file for file, place in wheel_maker.SHARED.items()}}
    return {**{name: ((build / file).read_bytes(), True) for name, file in built.items()},
            **{name: ((ROOT / file).read_bytes(), False) for name, file in ours.items()}}


def licences(wheel):
    """Those in the wheel of the same build, and the list of what is inside."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            _, _, inside = name.partition(".dist-info/")
            if inside.startswith(("licenses/", "sboms/")):
                yield f"info/{inside}", archive.read(name)


def about(subdir, architecture):
    index = {"arch": architecture, "build": "0", "build_number": 0, "depends": [f"__glibc >={GLIBC},<3.0.a0", "hdf5 >=1.14"],
             "license": "BSD-3-Clause", "name": "hdf5-vol-zarr", "platform": "linux", "subdir": subdir, "timestamp": EPOCH * 1000,
             "version": version.version()}
    text = {"license": "BSD-3-Clause", "summary": "HDF5 plugin that reads and writes Zarr stores"}
    return index, text


def entry(archive, name, data, executable=False):
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = len(data), EPOCH, 0o755 if executable else 0o644
    archive.addfile(member, io.BytesIO(data))


def write(file, build, wheel, subdir, architecture):
    content = payload(build)
    index, text = about(subdir, architecture)
    paths = [{"_path": name, "path_type": "hardlink", "sha256": hashlib.sha256(data).hexdigest(), "size_in_bytes": len(data)}
             for name, (data, _) in sorted(content.items())]
    with tarfile.open(file, "w:bz2", format=tarfile.USTAR_FORMAT) as archive:
        for name, value in {"about": text, "index": index, "paths": {"paths": paths, "paths_version": 1}}.items():
            entry(archive, f"info/{name}.json", json.dumps(value, indent=2, sort_keys=True).encode())
        entry(archive, "info/files", "".join(f"{name}\n" for name in sorted(content)).encode())
        for name, data in sorted(licences(wheel)):
            entry(archive, name, data)
        for name, (data, executable) in sorted(content.items()):
            entry(archive, name, data, executable)


def main():
    machine, build, directory = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    subdir, architecture = SUBDIRS[machine]
    (wheel,) = (ROOT / "dist").glob(f"vol_zarr-{version.version()}-*manylinux*_{machine}.whl")
    file = directory / subdir / f"hdf5-vol-zarr-{version.version()}-0.tar.bz2"
    file.parent.mkdir(parents=True, exist_ok=True)
    write(file, build, wheel, subdir, architecture)
    print(f"{file} ({file.stat().st_size / 2**20:.2f} MiB)")


if __name__ == "__main__":
    main()
