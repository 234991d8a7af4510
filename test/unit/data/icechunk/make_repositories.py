#!/usr/bin/env python3
"""make_repositories.py VERSION [named] - makes the small repository of that format version beside this file: v1, v2; v2-named. The files of metadata are
unpacked, so that a changed byte is met by the reader of flatbuffers and not by zstd; v2-packed has them as icechunk wrote them. For icechunk 2.3
with zarr-python 3.4 and zstandard."""

import datetime
import pathlib
import shutil
import sys

import icechunk
import numpy as np
import zarr
import zstandard

HERE = pathlib.Path(__file__).parent
HEADER = 39
MODIFIED, ETAG = 2000000000, "0123456789abcdef"


def make(where, version):
    shutil.rmtree(where, ignore_errors=True)
    settings = icechunk.RepositoryConfig.default()
    settings.inline_chunk_threshold_bytes = 8
    settings.set_virtual_chunk_container(icechunk.VirtualChunkContainer("file:///nobody/has/this/", icechunk.local_filesystem_store("/nobody/has/this/")))
    repository = icechunk.Repository.create(icechunk.local_filesystem_storage(str(where)), config=settings, spec_version=version)
    session = repository.writable_session("main")
    root = zarr.group(session.store)
    array = root.create_array("g/a", shape=(5, 4), chunks=(2, 2), dtype="u1", compressors=None, fill_value=9)
    array[:4] = np.arange(16).reshape(4, 4)
    root.create_array("n", shape=(16,), chunks=(16,), dtype="u1", compressors=None)[...] = np.arange(16)
    root.create_array("s", shape=(), dtype="u1", compressors=None)[...] = 5
    session.store.set_virtual_ref("g/a/c/2/1", "file:///nobody/has/this/x.bin", offset=3, length=4)
    root.create_array("v", shape=(6,), chunks=(2,), dtype="u1", compressors=None, fill_value=9)
    for chunk, checksum in enumerate((None, datetime.datetime.fromtimestamp(MODIFIED, datetime.timezone.utc), ETAG)):
        session.store.set_virtual_ref(f"v/c/{chunk}", "file:///nobody/has/this/x.bin", offset=2 * chunk, length=2, checksum=checksum)
    session.commit("first")
    repository.create_tag("t", snapshot_id=repository.lookup_branch("main"))


def make_named(where):
    """Virtual chunks in containers that have names; one of them is none."""
    shutil.rmtree(where, ignore_errors=True)
    settings = icechunk.RepositoryConfig.default()
    here, sub = "/nobody/has/this/", "/nobody/has/this/sub/"
    for path, name in (here, "here"), (sub, None):
        settings.set_virtual_chunk_container(icechunk.VirtualChunkContainer(f"file://{path}", icechunk.local_filesystem_store(path), name=name))
    settings.set_virtual_chunk_container(icechunk.VirtualChunkContainer("s3://nobody/", icechunk.s3_store(region="us-east-1"), name="bucket"))
    repository = icechunk.Repository.create(icechunk.local_filesystem_storage(str(where)), config=settings, spec_version=2)
    session = repository.writable_session("main")
    zarr.group(session.store).create_array("w", shape=(8,), chunks=(2,), dtype="u1", compressors=None, fill_value=9)
    for chunk, name in enumerate(("here/x.bin", "here/sub/y.bin", "gone/x.bin")):
        session.store.set_virtual_ref(f"w/c/{chunk}", f"vcc://{name}", offset=chunk, length=2, validate_container=False)
    session.commit("first")


def unpack(where):
    for path in where.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        if content[:3] == b"ICE" and content[HEADER - 1] == 1:
            plain = zstandard.ZstdDecompressor().decompressobj().decompress(content[HEADER:])
            path.write_bytes(content[:HEADER - 1] + b"\0" + plain)


def main():
    version = int(sys.argv[1])
    if sys.argv[2:] == ["named"]:
        where = HERE / "v2-named"
        make_named(where)
    else:
        where = HERE / f"v{version}"
        make(where, version)
    for name in "transactions", "overwritten", "config.yaml":
        path = where / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    if where.name == "v2":
        shutil.rmtree(HERE / "v2-packed", ignore_errors=True)
        shutil.copytree(where, HERE / "v2-packed")
    unpack(where)


if __name__ == "__main__":
    main()
