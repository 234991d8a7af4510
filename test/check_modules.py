#!/usr/bin/env python3
"""check_modules.py [BUILD] - holds src and plugin to the rules of modules (test/modules.txt, src/README.md).

Always:
- every #include is "area/module/header.h" and leads to the own module, to one above it in its area, or to one that modules.txt allows
- internal headers are included by their own module alone (and by tests)
- headers include each other in no circle
- HDF5 is known in hdf5, command/libraries, command/convert, command/sample and command/trial; its headers come through hdf5/h5/h5.h
- headers and calls of the operating system stand in base/os and in the files that modules.txt's exceptions name
- the documents of a Zarr format are known in metadata
- a name in a header begins with a prefix of its module (test/prefixes.txt); a prefix has one module
- no type is defined twice; every file and function that a README or a comment of src, a page of docs or CONTRIBUTING.md names exists
- every file is named in the README of its module; docs/absence.md names functions that stand in the files beside them
- a sub-struct of struct vz_hierarchy is written by the files alone that hierarchy.h names above it
- a module has at most 6,500 lines, a header 300; headers are at most a fifth of the files
With the directory of a build, by nm:
- calls go the way that includes may go; no external function is defined twice
- a function of a public header is used outside its module, a function of an internal header outside its file
- files of a module call each other in no circle but those of circles.txt

Today's violations stand in test/module_exceptions.txt, one "rule: name" a line, behind it two blanks, "# " and a reason where it is to stay.
A line there that no longer applies is an error, too. --update writes that file anew.
"""
import collections
import functools
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
EXCEPTIONS = ROOT / "test/module_exceptions.txt"
PREFIXES = ROOT / "test/prefixes.txt"
EXCEPTIONS_HEAD = "# Violations that stand today (check_modules.py --update BUILD). A line may go, none may come.\n"
MOST_LINES = 6500  # of a module
MOST_HEADER_LINES = 300
MOST_HEADERS = 0.2  # of all files
SYSTEM = re.compile(r"^#include <(?:fcntl|unistd|dirent|glob|ftw|dlfcn|pthread|signal|poll|sched|termios|link|elf|spawn|sys/\w+|linux/\w+|netinet/\w+|arpa/\w+|netdb|pwd)\.h>", re.M)
LOOKS = re.compile(
    r"(?<![\w>.])(?:open|openat|close|pread|pwrite|fstat|lstat|fstatat|faccessat|access|realpath|getcwd|fopen|mkdir|mkdirat|rmdir|unlink|unlinkat"
    r"|rename|renameat2?|linkat|readlink|flock|fcntl|ftruncate|fsync|fdatasync|syncfs|futimens|opendir|readdir|syscall|ioctl|mmap|geteuid|kill"
    r"|clock_gettime|nanosleep|getrandom|fork|getpid|getenv|secure_getenv|unsetenv|dlopen|dlsym|dladdr|dlinfo|sysconf|mprotect|gethostname|uname|pthread_\w+)\("
)
FORMAT = re.compile(r'#include "metadata/metadata/(?:[a-z0-9_]*v[23]\w*|format_internal)\.h"|\bvz_zarr_format_of\( *[0-9]')
KNOWS_HDF5 = re.compile(r"<hdf5\.h>|<H5[A-Z]|\bhid_t\b")


class Tree:
    def __init__(self):
        self.modules, self.area, self.may = [], {}, {}
        for line in (ROOT / "test/modules.txt").read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                names, uses = line.split(":")
                area, module = names.split()
                self.modules.append(module)
                self.area[module] = area
                self.may[module] = uses.split()
        for module in self.modules:
            before = self.modules[: self.modules.index(module) + 1]
            allowed = {m for m in before if self.area[m] == self.area[module]}
            for word in self.may[module]:
                allowed |= {m for m in self.modules if word in (m, self.area[m])}
            self.may[module] = allowed
        self.text = {}
        for path in sorted(SRC.glob("*/*/*.[ch]")):
            self.text[str(path.relative_to(SRC))] = path.read_text(encoding="utf-8")
        self.includes = {f: re.findall(r'^#include "([^"]+)"', t, re.M) for f, t in self.text.items()}


def module_of(file):
    return file.split("/")[1]


@functools.cache
def code_of(text):
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S))


def check_includes(tree, found):
    for file, includes in tree.includes.items():
        me = module_of(file)
        for include in includes:
            if include.startswith("hdf5/h5/") and include.endswith((".def", "names.h")):
                continue  # made by CMake
            if include not in tree.text:
                if not (ROOT / "include" / include).exists():
                    found.append(("include", f"{file} {include}", "leads nowhere"))
                continue
            other = module_of(include)
            if other not in tree.may[me]:
                found.append(("arrow", f"{file} {include}", f"{me} may not use {other}"))
            if include.endswith("_internal.h") and other != me:
                found.append(("internal", f"{file} {include}", "an internal header of another module"))


def circles(graph):
    """Strongly connected components of more than one node (Tarjan)."""
    order, low, stack, waits, out = {}, {}, [], set(), []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        waits.add(node)
        for to in sorted(graph.get(node, ())):
            if to not in order:
                visit(to)
                low[node] = min(low[node], low[to])
            elif to in waits:
                low[node] = min(low[node], order[to])
        if low[node] == order[node]:
            part = []
            while True:
                top = stack.pop()
                waits.discard(top)
                part.append(top)
                if top == node:
                    break
            if len(part) > 1:
                out.append(sorted(part))

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in order:
            visit(node)
    return out


def check_headers(tree, found):
    graph = {f: {i for i in inc if i in tree.text} for f, inc in tree.includes.items() if f.endswith(".h")}
    for part in circles(graph):
        found.append(("header circle", " ".join(part), "headers include each other"))
    headers = sum(f.endswith(".h") for f in tree.text)
    if headers > MOST_HEADERS * len(tree.text):
        found.append(("header share", "", f"{headers} of {len(tree.text)} files are headers"))


def check_knowledge(tree, found):
    for file, text in tree.text.items():
        area, module = file.split("/")[:2]
        if area == "hdf5" or module in ("convert", "sample", "trial"):
            if file != "hdf5/h5/h5.h" and re.search(r"^#include <(?:hdf5|H5)", text, re.M):
                found.append(("hdf5", file, "includes HDF5 past hdf5/h5/h5.h"))
        elif KNOWS_HDF5.search(text):
            found.append(("hdf5", file, "knows HDF5, but lives below it"))
        if module != "os" and (SYSTEM.search(text) or LOOKS.search(code_of(text))):
            found.append(("system", file, "asks the operating system, which is the work of base/os"))
        if module != "metadata" and FORMAT.search(text):
            found.append(("format", file, "knows a Zarr format"))


def check_types(tree, found):
    homes = collections.defaultdict(set)
    for file, text in tree.text.items():
        code = code_of(text)
        for match in re.finditer(r"^\} (vz_\w+);|^(?:typedef )?(?:struct|enum|union) (vz_\w+) \{", code, re.M):
            homes[match[1] or match[2]].add(file)
        for match in re.finditer(r"^typedef [^;{]*?\(\*?(vz_\w+)\)\(", code, re.M):
            homes[match[1]].add(file)
    for name, files in sorted(homes.items()):
        if len(files) > 1:
            found.append(("type", name, "is defined in " + ", ".join(sorted(files))))


def header_names(tree):
    """Functions, types and data of headers, each with the headers that declare it; a public one has its public headers alone."""
    homes = collections.defaultdict(set)
    forward = collections.defaultdict(set)
    bodies = collections.defaultdict(set)
    for file, text in tree.text.items():
        code = code_of(text)
        for match in re.finditer(r"^(?:typedef )?(?:struct|enum|union) (vz_\w+) \{", code, re.M):
            bodies[match[1]].add(module_of(file))
        if not file.endswith(".h"):
            continue
        for pattern in (
            r"^(?!typedef|extern|#| |\})[^;{}()=#]*?\b(vz_\w+)\(",
            r"^\} (vz_\w+);",
            r"^(?:typedef )?(?:struct|enum|union) (vz_\w+) \{",
            r"^typedef [^;{]*?\(\*?(vz_\w+)\)\(",
        ):
            for match in re.finditer(pattern, code, re.M):
                homes[match[1]].add(file)
        for match in re.finditer(r"^extern ([^;()]*);", code, re.M):
            for part in match[1].split(","):
                homes[re.findall(r"\bvz_\w+", part)[-1]].add(file)
        for match in re.finditer(r"^typedef [^;{}()]*?\b(vz_\w+);", code, re.M):
            forward[match[1]].add(file)
    for name, files in forward.items():  # of a struct that several headers announce, the module counts that has its members
        own = {f for f in files if module_of(f) in bodies[name]} or files
        homes[name] |= own
    return {n: {f for f in files if not f.endswith("_internal.h")} or files for n, files in homes.items()}


def check_prefixes(tree, found):
    owner, used = {}, set()
    for line in PREFIXES.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        module, words = line.split(":")
        for word in words.split():
            if word in owner:
                found.append(("prefix", f"{word} {owner[word]} {module}", "a prefix of two modules"))
            owner[word] = module
    for name, files in sorted(header_names(tree).items()):
        word = name.split("_")[1]
        for module in sorted({module_of(f) for f in files}):
            if owner.get(word) == module:
                used.add(word)
                continue
            whose = f"vz_{word}_ is {owner[word]}'s" if word in owner else f"vz_{word}_ is nobody's"
            found.append(("prefix", name, f"{whose}; {module} has: " + ", ".join(w for w, m in owner.items() if m == module)))
    for word in sorted(set(owner) - used):
        found.append(("prefix", f"{word} {owner[word]}", "no name has that prefix: take it off test/prefixes.txt"))


def check_names(tree, found):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"],
             capture_output=True, text=True, check=True).stdout.split("\n") if (ROOT / ".git").exists() else []
    names = {os.path.basename(f) for f in listed}
    readmes = {p: p.read_text(encoding="utf-8") for p in SRC.glob("**/*.md")}
    if names:
        paths = "\n".join("/" + line for line in listed) + "\n"
        names |= {"names.h", "hdf5.h", "functions.def", "data.def"}
        for file, text in [*tree.text.items(), *((str(p.relative_to(SRC)), t) for p, t in readmes.items())]:
            comments = text if file.endswith(".md") else "\n".join(re.findall(r"/\*.*?\*/", text, re.S))
            for name in re.findall(r"(?<![\w/.<*-])((?:\w+/)*[a-z0-9_]+\.[ch])\b(?![\w>/])", comments):
                if os.path.basename(name) not in names:
                    found.append(("stale name", f"{file} {name}", "there is no such file"))
        check_pages(paths, found)
    pages = {p: p.read_text(encoding="utf-8") for p in [ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]}
    check_named_functions(tree, {**readmes, **pages}, found)
    check_places(tree, found)
    named = collections.defaultdict(set)
    for path, text in readmes.items():
        named[str(path.parent.relative_to(SRC))] |= set(re.findall(r"(?<!\w)\w+\.[ch]\b", text))
    for file in tree.text:
        if os.path.basename(file) not in named[os.path.dirname(file)]:
            found.append(("unnamed", file, "no README beside it names it"))


def check_pages(paths, found):
    """Files that pages outside src name, with the end of their path. docs/upstream.md has those of others."""
    pages = [p for p in ROOT.glob("docs/*.md") if p.name != "upstream.md"] + [ROOT / "CONTRIBUTING.md", *ROOT.glob("test/**/README.md")]
    for page in pages:
        for name in sorted(set(re.findall(r"(?<![\w/.<*-])((?:[\w.]+/)*[a-z0-9_]+\.[ch])\b(?![\w>/(])", page.read_text(encoding="utf-8")))):
            if "/" + name.removeprefix("../") + "\n" not in paths:
                found.append(("stale name", f"{page.relative_to(ROOT)} {name}", "there is no such file"))


def check_places(tree, found):
    """The last cell of a row of docs/absence.md: each name stands in a file that the cell names, or in some file if it names none."""
    words = {file: set(re.findall(r"\w+", text)) for file, text in tree.text.items()}
    everything = set().union(*words.values())
    for row in re.findall(r"^\|.*\|$", (ROOT / "docs/absence.md").read_text(encoding="utf-8"), re.M):
        cell = row.strip("|").split("|")[-1]
        files = set(re.findall(r"\b([a-z0-9_]+\.[ch])`", cell))
        there = set().union(*(words[f] for f in words if os.path.basename(f) in files)) or everything
        for name in re.findall(r"`([a-z][a-z0-9_]+)`", cell):
            if name not in there:
                found.append(("stale place", f"absence.md {name}", "is not in " + (", ".join(sorted(files)) or "src")))


def check_named_functions(tree, pages, found):
    known = set()
    for path in [*SRC.glob("*/*/*.[ch]"), *(ROOT / "plugin").glob("*.[ch]"), *(ROOT / "test").glob("**/*.[ch]")]:
        known |= set(re.findall(r"\bvz_\w+", code_of(path.read_text(encoding="utf-8", errors="replace"))))
    known |= {"vz_" + m for m in tree.modules}  # libraries
    for path, text in [*pages.items(), *((SRC / f, "\n".join(re.findall(r"/\*.*?\*/", t, re.S))) for f, t in tree.text.items())]:
        for name in sorted(set(re.findall(r"(?<![\w<])vz_[a-z0-9]+(?:_[a-z0-9]+)*\b(?!_)", text)) - known):
            found.append(("stale function", f"{path.relative_to(ROOT)} {name}", "there is no such function or type"))


def check_sizes(tree, found):
    lines = collections.Counter()
    for file, text in tree.text.items():
        lines[module_of(file)] += text.count("\n")
        if file.endswith(".h") and text.count("\n") > MOST_HEADER_LINES:
            found.append(("header size", file, f"{text.count(chr(10))} lines: divide it by family"))
    for module, count in lines.items():
        if count > MOST_LINES:
            found.append(("size", module, f"{count} lines"))


def check_owners(tree, found):
    """The sub-structs of struct vz_hierarchy are written by the files that the comment above each names."""
    home = "hierarchy/nodes/hierarchy.h"
    body = re.search(r"^struct vz_hierarchy \{$(.*?)^\};$", tree.text[home], re.M | re.S)[1]
    owners = {}
    for match in re.finditer(r"/\* Written by ((?:(?!\*/).)*)\. \*/\n    struct \{\n(?:        [^\n]*\n)*    \} (\w+);", body, re.S):
        owners[match[2]] = set(re.findall(r"\w+/\w+", match[1]))
    groups = re.findall(r"^    \} (\w+);$", body, re.M)
    for group in set(groups) - set(owners):
        found.append(("owner", group, "its comment in hierarchy.h names no owner"))
    group = "(" + "|".join(groups) + r")\.\w+"
    write = r"(?:\[[^\]]*\])?\s*(?:=(?!=)|\+\+|--|[-+|&]=)"
    writes = re.compile(rf"(?:\w->|[\s{{(,]\.){group}{write}|(?:\+\+|--|[(=,?:]\s*&)(?:\w+->)+{group}")
    wrote = collections.defaultdict(set)
    for file, text in tree.text.items():
        if not file.startswith("hierarchy/"):
            continue
        for match in writes.finditer(code_of(text)):
            wrote[match[1] or match[2]].add(file[len("hierarchy/") : -2])
    for group, files in owners.items():
        for file in sorted(wrote[group] - files):
            found.append(("owner", f"hierarchy/{file}.c {group}", "hierarchy.h does not name it as an owner of that sub-struct"))
        for file in sorted(files - wrote[group]):
            found.append(("owner", f"hierarchy/{file}.c {group}", "hierarchy.h names it as an owner, but it writes nothing there"))


def symbols(build, modules):
    """Of each object of a module: what it defines for others, and what it needs."""
    defines, needs = {}, collections.defaultdict(set)
    double = collections.defaultdict(set)
    for library in sorted((build / "src").glob("libvz_*.a")):
        if library.stem[len("libvz_"):] not in modules:
            continue  # of a module that is no more
        out = subprocess.run(["nm", "-A", library], capture_output=True, text=True, check=True).stdout
        read_nm(out, library.stem[len("libvz_"):], defines, needs, double)
    return defines, needs, double


def read_nm(out, module, defines, needs, double):
    for line in out.splitlines():
        match = re.search(r"([^/:]+\.c)\.o:\s*[0-9a-f]*\s+(\w)\s+(vz_\w+)$", line)
        if not match:
            continue
        file = f"{module}/{match[1]}"
        if match[2] == "U":
            needs[file].add(match[3])
        elif match[2] in "TDBRVWCGS":
            defines.setdefault(match[3], file)
            double[match[3]].add(file)


def check_symbols(tree, build, found):
    defines, needs, double = symbols(build, tree.modules)
    for name, files in sorted(double.items()):
        if len(files) > 1:
            found.append(("function", name, "is defined in " + ", ".join(sorted(files))))
    users = collections.defaultdict(set)
    graph = collections.defaultdict(lambda: collections.defaultdict(set))
    for file, names in needs.items():
        me = file.split("/")[0]
        for name in names:
            home = defines.get(name)
            if not home or home == file or len(double[name]) > 1:
                continue
            users[name].add(file)
            other = home.split("/")[0]
            if other == me:
                graph[me][file].add(home)
            elif me in tree.may and other not in tree.may[me]:
                found.append(("call", f"{file} {name}", f"{me} may not use {other}"))
    check_circles(graph, found)
    check_public(tree, defines, users, found)


def check_circles(graph, found):
    text = (ROOT / "test/circles.txt").read_text()
    allowed = [set(p.split()) for p in re.findall(r"^inherent:.*\n((?:^(?:#.*|\s+.*)?\n)*)", text + "\n", re.M)]
    allowed = [{w for w in part if "/" in w} for part in allowed]
    if len(allowed) > 4:
        found.append(("circle", "circles.txt", "more than four circles are called inherent"))
    seen = set()
    for module, edges in graph.items():
        for part in circles(edges):
            names = {f[:-2] for f in part}
            seen |= names
            if not any(names <= one for one in allowed):
                found.append(("circle", " ".join(sorted(names)), "files call each other in a circle"))
    for one in allowed:
        for name in sorted(one - seen):
            found.append(("circle", name, "stands in no circle any more: take it off test/circles.txt"))


def macros(tree):
    """Of each macro of a header: the names with vz_ that its body leads to, over other macros too."""
    bodies = collections.defaultdict(set)
    for file, text in tree.text.items():
        if file.endswith(".h"):
            for match in re.finditer(r"^#define (\w+)(?:\([^)]*\))?((?:[^\n]*\\\n)*[^\n]*)", code_of(text), re.M):
                bodies[match[1]] |= set(re.findall(r"\b\w+", match[2]))
    grows = True
    while grows:
        grows = False
        for name, words in bodies.items():
            more = set().union(*(bodies[w] for w in words if w in bodies and w != name)) - words
            if more:
                words |= more
                grows = True
    return {name: {w for w in words if w.startswith("vz_")} for name, words in bodies.items()}


def check_public(tree, defines, users, found):
    elsewhere = ""
    for path in [*(ROOT / "plugin").glob("*.[ch]"), *(ROOT / "test").glob("**/*.[ch]")]:
        elsewhere += path.read_text(encoding="utf-8", errors="replace")
    tested = set(re.findall(r"\bvz_\w+", elsewhere))
    by_macro = macros(tree)
    bodies = {}
    for file, text in tree.text.items():
        words = set(re.findall(r"\b[A-Za-z_]\w*", code_of(text)))
        bodies[file] = {w for w in words if w.startswith("vz_")}
        bodies[file] |= set().union(*(by_macro[w] for w in words if w in by_macro))
    for file, text in tree.text.items():
        if not file.endswith(".h"):
            continue
        module = module_of(file)
        for name in sorted(set(re.findall(r"\b(vz_\w+)\s*\(", code_of(text)))):
            home = defines.get(name)
            if not home or home.split("/")[0] != module or name in tested:
                continue
            using = {f for f, names in bodies.items() if name in names and f != file and f"{module_of(f)}/{os.path.basename(f)}" != home}
            if not file.endswith("_internal.h"):
                if not any(module_of(f) != module for f in using):
                    found.append(("public", f"{file} {name}", "no other module uses it"))
            elif not using:
                found.append(("static", f"{file} {name}", "no other file uses it"))


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    tree = Tree()
    found = []
    for check in (check_includes, check_headers, check_knowledge, check_types, check_prefixes, check_names, check_sizes, check_owners):
        check(tree, found)
    if arguments:
        build = pathlib.Path(arguments[0])
        if not (build / "src/libvz_util.a").exists():
            sys.exit(f"{build}: nothing is built here")
        check_symbols(tree, build, found)
    lines = {f"{rule}: {name}".rstrip(): why for rule, name, why in found}
    known = {}
    for line in EXCEPTIONS.read_text().splitlines():
        if line and not line.startswith("#"):
            known[line.split("  # ")[0].rstrip()] = line
    if "--update" in sys.argv:
        EXCEPTIONS.write_text(EXCEPTIONS_HEAD + "".join(known.get(l, l) + "\n" for l in sorted(lines)))
        return
    bad = 0
    for line, why in sorted(lines.items()):
        if line not in known:
            print(f"{line}: {why}")
            bad = 1
    if arguments:
        for line in sorted(set(known) - set(lines)):
            print(f"{line}: no longer so: take it off {EXCEPTIONS.relative_to(ROOT)}")
            bad = 1
    counts = collections.Counter(l.split(":")[0] for l in lines)
    print(f"{len(tree.modules)} modules, {len(tree.text)} files; exceptions:", dict(counts) or "none")
    sys.exit(bad)


if __name__ == "__main__":
    main()
