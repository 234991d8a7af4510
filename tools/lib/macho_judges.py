"""macho_judges.py: readers of Mach-O files that others wrote. What they read of a file must be what LIEF reads: what is checked (macho.py) would
otherwise be what LIEF makes of it. LLVM's tools are taken where they are installed."""

import re
import shutil
import subprocess

import lief
import macholib.mach_o
import macholib.MachO


def by_lief(file):
    parsed = lief.MachO.parse(str(file))  # which has the binary, and takes it along
    (binary,) = parsed
    own = [library.name for library in binary.libraries if library.command.name == "ID_DYLIB"]
    return {
        "libraries": [library.name for library in binary.libraries if library.command.name != "ID_DYLIB"],
        "install name": own[0] if own else None,
        "oldest macOS": ".".join(map(str, binary.build_version.minos[:2])),
        "shown names": {symbol.name for symbol in binary.exported_symbols},
        "wanted names": {symbol.name for symbol in binary.imported_symbols},
        "signature": [binary.code_signature.data_offset, binary.code_signature.data_size] if binary.has_code_signature else None,
    }


def by_macholib(file):
    (header,) = macholib.MachO.MachO(str(file)).headers
    seen = {"libraries": [], "install name": None, "signature": None}
    for load, command, data in header.commands:
        if load.cmd in (macholib.mach_o.LC_LOAD_DYLIB, macholib.mach_o.LC_LOAD_WEAK_DYLIB, macholib.mach_o.LC_REEXPORT_DYLIB):
            seen["libraries"].append(data.rstrip(b"\0").decode())
        elif load.cmd == macholib.mach_o.LC_ID_DYLIB:
            seen["install name"] = data.rstrip(b"\0").decode()
        elif load.cmd == macholib.mach_o.LC_BUILD_VERSION:
            seen["oldest macOS"] = f"{int(command.minos) >> 16}.{int(command.minos) >> 8 & 255}"
        elif load.cmd == macholib.mach_o.LC_CODE_SIGNATURE:
            seen["signature"] = [int(command.dataoff), int(command.datasize)]
    return seen


def llvm(tool, *arguments):
    return subprocess.run([tool, *arguments], capture_output=True, text=True, check=True).stdout


def by_llvm(file):
    commands = llvm("llvm-objdump", "--macho", "--private-headers", str(file))
    loaded = re.findall(r"cmd (LC_\w*DYLIB)\n\s*cmdsize \d+\n\s*name (\S+)", commands)
    own = [name for kind, name in loaded if kind == "LC_ID_DYLIB"]
    signature = re.search(r"cmd LC_CODE_SIGNATURE\n\s*cmdsize 16\n\s*dataoff (\d+)\n\s*datasize (\d+)", commands)
    return {
        "libraries": [name for kind, name in loaded if kind != "LC_ID_DYLIB"],
        "install name": own[0] if own else None,
        "oldest macOS": re.search(r"cmd LC_BUILD_VERSION\n(?:.*\n){1,2}?\s*platform.*\n(?:\s*sdk.*\n)?\s*minos (\S+)", commands)[1],
        "shown names": set(re.findall(r"^0x[0-9A-F]+\s+(\S+)$", llvm("llvm-objdump", "--macho", "--exports-trie", str(file)), re.M)),
        "wanted names": set(llvm("llvm-nm", "--undefined-only", "--just-symbol-name", str(file)).split()),
        "signature": [int(signature[1]), int(signature[2])] if signature else None,
    }


def compare(file, where, found):
    """The names of the readers that were asked."""
    judges = {"macholib": by_macholib}
    if shutil.which("llvm-objdump") and shutil.which("llvm-nm"):
        judges["LLVM"] = by_llvm
    ours = by_lief(file)
    for name, read in judges.items():
        for fact, theirs in read(file).items():
            if theirs != ours[fact]:
                found.say(where, f"the {fact}: {name} reads {theirs}, LIEF {ours[fact]}")
    return list(judges)
