"""macho.py WHEEL... --system TBD --hdf5 DIRECTORY: looks at the binaries of wheels for macOS, on any machine. No Mac ran them, so everything that
a loader of macOS asks for is asked here, of what LIEF reads: load commands, names, signature. macho_judges.py has other readers of the format, which
must have read what LIEF read."""

import argparse
import hashlib
import pathlib
import re
import struct
import tempfile
import zipfile

import lief
import macho_judges

ROOT = pathlib.Path(__file__).parents[2]
SYSTEM_LIBRARY = "/usr/lib/libSystem.B.dylib"
MACHINES = {"arm64": "ARM64", "x86_64": "X86_64"}
LARGEST_PAGE = 1 << 14  # of arm64, where segments begin and end at pages
EXPORTS = {  # binary: the names that it shows
    "vol_zarr/plugin/libH5VLzarr.so": {"_H5PLget_plugin_type", "_H5PLget_plugin_info"},
    "vol_zarr/plugin/vol_zarr_net.so": {"_vz_net_functions_for"},
    "vol_zarr/bin/h5zarr": {"__mh_execute_header"},
}
LINKER_MADE = {"__mh_dylib_header", "___dso_handle"}  # in each module, for itself
MAGIC_BLOB, MAGIC_DIRECTORY, ADHOC, SHA256 = 0xFADE0CC0, 0xFADE0C02, 0x2, 2
FLAGS = {"TWOLEVEL", "NOUNDEFS", "DYLDLINK"}  # each name is looked for in the library that has it, and in no other


class Complaints(list):
    def say(self, where, text):
        self.append(f"{where}: {text}")


def lists_of(name):
    """HDF5's functions or data symbols that the connector cannot do without."""
    return [line.strip() for line in (ROOT / f"src/hdf5/h5/{name}.txt").read_text().splitlines() if line.startswith("H5")]


def exported_by_system(tbd, machine):
    """The names in a text stub of the system's library that are there on this machine. A document of it is for one library inside."""
    names = set()
    for part in re.split(r"^  - targets:", tbd.read_text(), flags=re.M)[1:]:
        targets, _, rest = part.partition("]")
        if f"{machine}-macos" in targets:
            for listed in re.findall(r"^\s+(?:weak-)?symbols:\s*\[(.*?)\]", rest, re.M | re.S):
                names |= {name.strip(" \n'\"") for name in listed.split(",")}
    return names


def is_program(name):
    return name.startswith("vol_zarr/bin/")


def flags_of(binary):
    return {flag.name for flag in binary.header.flags_list}


# ---- load commands ----


def check_header(binary, name, machine, where, found):
    kind = "EXECUTE" if is_program(name) else "DYLIB"
    if binary.header.cpu_type.name != MACHINES[machine]:
        found.say(where, f"is for {binary.header.cpu_type.name}")
    if binary.header.file_type.name != kind:
        found.say(where, f"is of the type {binary.header.file_type.name}, not {kind}")
    missing = (FLAGS | ({"PIE"} if is_program(name) else set())) - flags_of(binary)
    if missing:
        found.say(where, f"lacks the flags {sorted(missing)}")
    if not binary.has_uuid:
        found.say(where, "has no identifier (LC_UUID), by which the plugin knows a copy of itself")


def check_versions(binary, minimum, where, found):
    if not binary.has_build_version or binary.build_version.platform.name != "MACOS":
        found.say(where, "does not say that it is for macOS (LC_BUILD_VERSION)")
    elif list(binary.build_version.minos)[:2] != minimum:
        found.say(where, f"asks for macOS {binary.build_version.minos}, and the wheel's tag for {minimum}")


def check_libraries(binary, name, where, found):
    needed = [library.name for library in binary.libraries if library.command.name != "ID_DYLIB"]
    own = [library.name for library in binary.libraries if library.command.name == "ID_DYLIB"]
    wanted = [] if is_program(name) else [f"@rpath/{pathlib.PurePath(name).name}"]
    if needed != [SYSTEM_LIBRARY]:
        found.say(where, f"needs {needed}: only {SYSTEM_LIBRARY} is on every Mac")
    if own != wanted:
        found.say(where, f"has the install name {own}, not {wanted}: that of another place would be one of the machine that built it")
    if binary.has_rpath:
        found.say(where, "has a path to search for libraries")


def check_segments(binary, where, found):
    """None may be written and executed, and arm64 wants each at a page of its own."""
    page = LARGEST_PAGE if binary.header.cpu_type.name == "ARM64" else 1 << 12
    for segment in binary.segments:
        if segment.virtual_address % page or segment.file_offset % page:
            found.say(where, f"has the segment {segment.name} within a page of {page} bytes")
        if segment.init_protection & 6 == 6:
            found.say(where, f"has the segment {segment.name}, which may be written and executed")
    if binary.segments[-1].name != "__LINKEDIT":
        found.say(where, "has a segment behind __LINKEDIT, where a signature must be last")
    ok, why = lief.MachO.check_layout(binary)
    if not ok:
        found.say(where, f"has a layout that LIEF does not take: {why}")


def check_thread_variables(binary, where, found):
    """The loader gives threads their variables where a flag says that there are some. It never unloads a module that has them."""
    kinds = {section.type.name for section in binary.sections}
    if "THREAD_LOCAL_VARIABLES" in kinds and "HAS_TLV_DESCRIPTORS" not in flags_of(binary):
        found.say(where, "has variables of threads, and does not say so")


# ---- names ----


def check_names(binary, name, known, where, found):
    shown = {symbol.name for symbol in binary.exported_symbols} - LINKER_MADE
    if shown != EXPORTS[name]:
        more, less = sorted(shown - EXPORTS[name]), sorted(EXPORTS[name] - shown)
        found.say(where, f"shows {more[:8]} ({len(more)}) beyond its entry points, and lacks {less}")
    unknown = sorted({symbol.name for symbol in binary.imported_symbols} - known)
    if unknown:
        found.say(where, f"wants {unknown}, which libSystem does not have")
    for binding in binary.bindings:
        if binding.has_symbol and not (binding.has_library and binding.library.name == SYSTEM_LIBRARY):
            found.say(where, f"does not say in which library {binding.symbol.name} is")


# ---- signature ----


def directories_of(signature):
    """The code directories of a signature: their bytes."""
    magic, _, count = struct.unpack_from(">III", signature, 0)
    if magic != MAGIC_BLOB:
        return []
    places = [struct.unpack_from(">II", signature, 12 + 8 * index)[1] for index in range(count)]
    return [signature[at:] for at in places if struct.unpack_from(">I", signature, at)[0] == MAGIC_DIRECTORY]


def check_signature(binary, data, where, found):
    """An ad-hoc signature: a list of hashes of the file's pages, signed by nobody. Every page must have its own."""
    if not binary.has_code_signature:
        if binary.header.cpu_type.name == "ARM64":
            found.say(where, "is not signed: arm64 does not load it")
        return
    command = binary.code_signature
    if command.data_offset + command.data_size != len(data):
        found.say(where, "does not end with its signature")
    directories = directories_of(data[command.data_offset:command.data_offset + command.data_size])
    if not directories:
        found.say(where, "has a signature without a code directory")
    kinds = [check_directory(directory, data, command.data_offset, where, found) for directory in directories]
    if directories and SHA256 not in kinds:
        found.say(where, "has no signature with SHA-256, which macOS 11 asks for")


def check_directory(directory, data, end, where, found):
    flags, hashes, _, _, slots, limit = struct.unpack_from(">IIIIII", directory, 12)
    size, kind, _, shift = struct.unpack_from(">BBBB", directory, 36)
    if kind != SHA256:
        return kind
    if not flags & ADHOC or limit != end:
        found.say(where, f"has no ad-hoc signature of the whole file (flags {flags:#x}, {limit} of {end} bytes)")
        return kind
    page = 1 << shift
    wrong = [slot for slot in range(slots) if hashlib.sha256(data[slot * page:min((slot + 1) * page, limit)]).digest()
             != directory[hashes + slot * size:hashes + (slot + 1) * size]]
    if wrong or slots != -(-limit // page):
        found.say(where, f"has a wrong signature: {len(wrong)} of {slots} pages")
    return kind


# ---- wheels ----


def check_binary(data, name, machine, minimum, known, where, found):
    """How many names of the system it takes."""
    parsed = lief.MachO.parse(list(data))  # which has the binaries, and takes them along
    (binary,) = parsed
    check_header(binary, name, machine, where, found)
    check_versions(binary, minimum, where, found)
    check_libraries(binary, name, where, found)
    check_segments(binary, where, found)
    check_thread_variables(binary, where, found)
    check_names(binary, name, known, where, found)
    check_signature(binary, data, where, found)
    return len(binary.imported_symbols)


def check_wheel(path, system, found):
    machine = re.search(r"macosx_(\d+)_(\d+)_(\w+)\.whl$", path.name)
    minimum, machine = [int(machine[1]), int(machine[2])], machine[3]
    known = exported_by_system(system, machine)
    with zipfile.ZipFile(path) as wheel, tempfile.TemporaryDirectory() as scratch:
        binaries = {name for name in wheel.namelist() if name.startswith(("vol_zarr/plugin/", "vol_zarr/bin/"))}
        if binaries != set(EXPORTS):
            found.say(path.name, f"has {sorted(binaries)}")
        for name in sorted(binaries & set(EXPORTS)):
            where, data = f"{path.name}: {name}", wheel.read(name)
            wanted = check_binary(data, name, machine, minimum, known, where, found)
            judges = macho_judges.compare(pathlib.Path(wheel.extract(name, scratch)), where, found)
            print(f"{where}: macOS {minimum[0]}.{minimum[1]}, {len(data) >> 10} KiB, {wanted} names of libSystem; {', '.join(judges)} agree")


def check_hdf5(file, names, found):
    """An HDF5 of somebody's wheel: has it what the connector takes? It is signed by Apple's tool, and Macs load it: the check of signatures must take it."""
    data = file.read_bytes()
    parsed = lief.MachO.parse(list(data))
    for binary in parsed:
        shown = {symbol.name for symbol in binary.exported_symbols}
        missing = [name for name in names if f"_{name}" not in shown]
        if missing:
            found.say(file, f"lacks {missing}, which the connector calls")
        check_signature(binary, data, file, found)
        print(f"{file.parent.parent.name}/{file.name} ({binary.header.cpu_type.name}): {len(names) - len(missing)} of the {len(names)} names that the connector takes")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", type=pathlib.Path, nargs="+")
    parser.add_argument("--system", type=pathlib.Path, required=True, help="the text stub of libSystem that zig has")
    parser.add_argument("--hdf5", type=pathlib.Path, required=True, help="directory below which wheels with an HDF5 are unpacked")
    arguments = parser.parse_args()
    found = Complaints()
    for wheel in arguments.wheels:
        check_wheel(wheel, arguments.system, found)
    libraries = sorted(file for file in arguments.hdf5.glob("**/.dylibs/libhdf5.*.dylib"))
    if not libraries:
        found.say(arguments.hdf5, "no HDF5 of macOS is below it")
    for file in libraries:
        check_hdf5(file, lists_of("functions") + lists_of("data"), found)
    if found:
        raise SystemExit("\n".join(found))


if __name__ == "__main__":
    main()
