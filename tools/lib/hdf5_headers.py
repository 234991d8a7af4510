"""hdf5_headers.py FROM TO COMPILER...: HDF5's public headers, configured for the system that the compiler makes code for. In H5pubconf.h the
sizes of types are those that the compiler has, a header is there if the compiler finds it, and what HDF5's own build found in functions goes:
no public header asks for that."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PREAMBLE = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <sys/types.h>\n#include <time.h>\n"
TYPES = {"BOOL": "bool", "LONG_LONG": "long long", "LONG_DOUBLE": "long double", "UNSIGNED": "unsigned"}
NOT_IN_C11 = {"_FLOAT16", "__FLOAT128"}  # not every compiler has them, and no public header asks
IS_HEADER = re.compile(r"#define (H5_HAVE_(\w+)_H) 1$")
IS_SIZE = re.compile(r"#define (H5_SIZEOF_(\w+)) \d+$")
# Features of the library that public headers ask for: off in a serial build with nothing optional.
IS_FEATURE = re.compile(r"#define H5_HAVE_(DIRECT|IOC_VFD|LIBHDFS|MAP_API|MIRROR_VFD|PARALLEL|ROS3_VFD|SUBFILING_VFD)\b")


def type_of(word):
    return TYPES.get(word, word.lower())


def sizes(compiler, words):
    """In one run: a byte each, read from the assembler text."""
    text = PREAMBLE + "".join(f"const unsigned char vz_size_{word} = sizeof({type_of(word)});\n" for word in words)
    with tempfile.TemporaryDirectory() as directory:  # zig's clang writes files alone
        source, made = pathlib.Path(directory, "sizes.c"), pathlib.Path(directory, "sizes.s")
        source.write_text(text)
        subprocess.run([*compiler, "-S", "-O1", "-o", made, source], check=True)
        made = made.read_text()
    return {word: int(size) for word, size in re.findall(r"^_?vz_size_(\w+):\s+\.byte\s+(\d+)", made, re.M)}


def present(compiler, names):
    text = "".join(f"#if __has_include(<{name}>)\nvz_has {name}\n#endif\n" for name in names)
    made = subprocess.run([*compiler, "-E", "-P", "-x", "c", "-"], input=text, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^vz_has (\S+)", made, re.M))


def header_name(word):
    return re.sub("^(sys|arpa|netinet)_", r"\1/", word.lower()) + ".h"


def configured(lines, compiler):
    words = [match[2] for match in map(IS_SIZE.match, lines) if match and match[2] not in NOT_IN_C11]
    found = sizes(compiler, words)
    missing = set(words) - set(found)
    if missing:
        raise SystemExit(f"the compiler does not tell the size of {', '.join(sorted(missing))}")
    there = present(compiler, [header_name(match[2]) for match in map(IS_HEADER.match, lines) if match])
    for line in lines:
        size, header = IS_SIZE.match(line), IS_HEADER.match(line)
        if size and size[2] in found:
            yield f"#define {size[1]} {found[size[2]]}"
        elif header:
            yield line if header_name(header[2]) in there else f"/* #undef {header[1]} */"
        elif not line.startswith("#define H5_HAVE_") or IS_FEATURE.match(line):
            yield line


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    file = target / "H5pubconf.h"
    file.write_text("\n".join(configured(file.read_text().splitlines(), sys.argv[3:])) + "\n")


if __name__ == "__main__":
    main()
