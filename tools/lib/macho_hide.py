"""macho_hide.py ARCHIVE...: nobody but the module that an archive is linked into sees its names from now on. For ELF a list of the names to show does
that (plugin/exports.map); the linker for macOS takes no list, but for each name in an object file a mark (N_PEXT) that it is private."""

import pathlib
import struct
import sys

ARCHIVE, OBJECT = b"!<arch>\n", 0xFEEDFACF
SYMBOLS = 2  # the load command LC_SYMTAB
STAB, PRIVATE, KIND, EXTERNAL = 0xE0, 0x10, 0x0E, 0x01  # of n_type
UNDEFINED = 0x00


def members(data):
    """Where the content of each member begins."""
    at = len(ARCHIVE)
    while at + 60 <= len(data):
        name, size = data[at:at + 16].rstrip(), int(data[at + 48:at + 58])
        at += 60
        yield at + (int(name[3:]) if name.startswith(b"#1/") else 0)
        at += size + size % 2


def symbol_table(data, begin):
    at = begin + 32
    for _ in range(struct.unpack_from("<I", data, begin + 16)[0]):
        command, size = struct.unpack_from("<II", data, at)
        if command == SYMBOLS:
            return struct.unpack_from("<II", data, at + 8)
        at += size
    return 0, 0


def hide(data, begin):
    """How many names were marked, or had been."""
    offset, count = symbol_table(data, begin)
    hidden = 0
    for at in range(begin + offset, begin + offset + 16 * count, 16):
        kind, value = data[at + 4], struct.unpack_from("<Q", data, at + 8)[0]
        if kind & STAB or not kind & EXTERNAL or (kind & KIND == UNDEFINED and value == 0):
            continue
        data[at + 4] = kind | PRIVATE
        hidden += 1
    return hidden


def main():
    for file in map(pathlib.Path, sys.argv[1:]):
        data = bytearray(file.read_bytes())
        if not data.startswith(ARCHIVE):
            raise SystemExit(f"{file} is no archive")
        hidden = sum(hide(data, begin) for begin in members(data) if data[begin:begin + 4] == struct.pack("<I", OBJECT))
        if hidden == 0:
            raise SystemExit(f"{file} has no names of macOS")
        file.write_bytes(data)


if __name__ == "__main__":
    main()
