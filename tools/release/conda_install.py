"""conda_install.py PACKAGE PREFIX: installs a conda package into a prefix, by rattler, without what it depends on.

rattler, the library under pixi, indexes the package's directory as a channel, so it reads what the package says of itself, and compares
what it unpacks with that."""

import asyncio
import pathlib
import shutil
import sys
import tempfile

import rattler
from rattler.index import index_fs


async def install(package, prefix, scratch):
    channel = scratch / "channel"
    subdir = package.parent.name
    (channel / subdir).mkdir(parents=True)
    shutil.copy(package, channel / subdir)
    await index_fs(channel)
    gateway = rattler.Gateway()
    found = await gateway.query([rattler.Channel(channel.as_uri())], [rattler.Platform(subdir)], ["hdf5-vol-zarr"], recursive=False)
    (record,) = [record for per_channel in found for record in per_channel]
    print(f"{record.name.normalized} {record.version} for {record.subdir}, depends on {', '.join(map(str, record.depends))}")
    await rattler.install([record], target_prefix=str(prefix), cache_dir=str(scratch / "cache"), platform=rattler.Platform(subdir), show_progress=False)


def main():
    package, prefix = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(install(package.resolve(), prefix.resolve(), pathlib.Path(scratch)))


if __name__ == "__main__":
    main()
