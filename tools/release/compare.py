"""compare.py FIRST SECOND: are the files of two directories alike byte for byte? Prints a line for each; what is not alike must stand in
KNOWN, with the tool that cannot repeat its work and the cause. Inside of archives it names the members that differ."""

import fnmatch
import hashlib
import io
import pathlib
import sys
import tarfile
import zipfile

KNOWN = []  # (pattern of names, tool, cause)


def digest(data):
    return hashlib.sha256(data).hexdigest()


def members(data):
    """{name: (digest, what its entry says)} of a zip file, a tar archive or an ar archive; empty of other files."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        archive = zipfile.ZipFile(io.BytesIO(data))
        return {each.filename: (digest(archive.read(each)), each.date_time, each.external_attr) for each in archive.infolist()}
    if data.startswith(b"!<arch>\n"):
        return of_ar(data)
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            return {each.name: (digest(archive.extractfile(each).read()) if each.isfile() else "", each.mtime, each.mode, each.uname) for each in archive}
    except tarfile.TarError:
        return {}


def of_ar(data):
    found, at = {}, 8
    while at + 60 <= len(data):
        name, date, size = data[at : at + 16].decode().strip(), data[at + 16 : at + 28].decode().strip(), int(data[at + 48 : at + 58])
        inside = data[at + 60 : at + 60 + size]
        found[name] = (digest(inside), date)
        found.update({f"{name}{inner}": value for inner, value in members(inside).items() if inner})
        at += 60 + size + size % 2
    return found


def differing(first, second):
    one, two = members(first), members(second)
    return [name for name in sorted(one.keys() | two.keys()) if one.get(name) != two.get(name)]


def judge(name, first, second):
    """(is it in order, the line that says so)"""
    if not first.is_file() or not second.is_file():
        return False, f"{name}: only one of the two builds made it"
    data = first.read_bytes(), second.read_bytes()
    if data[0] == data[1]:
        return True, f"{name}: alike ({digest(data[0])[:16]})"
    inside = differing(*data)
    where = f" in {', '.join(inside[:8])}{' ...' if len(inside) > 8 else ''}" if inside else ""
    for pattern, tool, cause in KNOWN:
        if fnmatch.fnmatchcase(name, pattern):
            return True, f"{name}: not alike{where}: {tool}: {cause}"
    return False, f"{name}: NOT ALIKE{where}"


def main():
    first, second = map(pathlib.Path, sys.argv[1:])
    names = sorted({str(path.relative_to(where)) for where in (first, second) for path in where.rglob("*") if path.is_file()})
    judged = [judge(name, first / name, second / name) for name in names]
    print("\n".join(line for _, line in judged))
    if not judged or not all(fine for fine, _ in judged):
        sys.exit("the two builds are not alike" if judged else "there is nothing to compare")


if __name__ == "__main__":
    main()
