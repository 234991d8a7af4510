"""One change of a store: {path: bytes or Special}."""

import collections
import io
import json
import struct
import zipfile

import bases
import documents

Special = collections.namedtuple("Special", "kind target")  # kind: "link", "fifo", "directory", "sparse" (target: its size)

ODD_NAMES = ["..", "a\\b", "bad\udcff", "x" * 255, "x" * 240, ".zarray", "c", "0", "0.0", "-1", "00", "1e5", "99999999999999999999", "a\nb", " ", "%", "%2E", "..partial", "h-1-1.partial", "zarr.json", ".zgroup", ".zattrs",
             ".specloc", "é", "e\u0301", "\x7f", ".nfs0001", "__categories"]
TELLING = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff]


def is_document(name):
    return name.rpartition("/")[2] in bases.DOCUMENTS


def pick(rng, files, test=lambda name, data: True):
    names = sorted(name for name, data in files.items() if isinstance(data, bytes) and test(name, data))
    return rng.choice(names) if names else None


def document(rng, files, vocabulary):
    name = pick(rng, files, lambda name, data: is_document(name))
    if name:
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            text = files[name].decode("utf-8", "surrogateescape")
            files[name] = documents.change(rng, text, vocabulary).encode("utf-8", "surrogateescape")


def alter_bytes(rng, data, other):
    at = rng.randrange(len(data) + 1)
    how = rng.randrange(9)
    if how == 0 and data:
        at %= len(data)
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]
    if how == 1:
        size = rng.choice([1, 2, 4, 8])
        return data[:at] + (rng.choice(TELLING) & (1 << 8 * size) - 1).to_bytes(size, rng.choice(["little", "big"])) + data[at + size:]
    if how == 2:
        return data[:at]
    if how == 3:
        return data[at:]
    if how == 4:
        return data + bytes(rng.choice([1, 7, 4096, 100_000]))
    if how == 5:
        return b""
    if how == 6:
        return other
    if how == 7:
        return data[:at] + other[:rng.randrange(len(other) + 1)] + data[at:]
    head = min(len(data), 32)
    at = rng.randrange(head + 1)
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1:]


def chunk(rng, files, vocabulary):
    name = pick(rng, files, lambda name, data: not is_document(name))
    if name:
        other = files[pick(rng, files)]
        for _ in range(rng.choice([1, 1, 2, 5])):
            files[name] = alter_bytes(rng, files[name], other)


def text(rng, files, vocabulary):
    """A document as mere bytes."""
    name = pick(rng, files, lambda name, data: is_document(name))
    if name:
        files[name] = alter_bytes(rng, files[name], files[pick(rng, files)])


def lose(rng, files, vocabulary):
    name = pick(rng, files)
    if name:
        del files[name]


def move(rng, files, vocabulary):
    """A file under the name of another, or two of them exchanged; a node in the place of another."""
    one, two = pick(rng, files), pick(rng, files)
    if not one:
        return
    how = rng.randrange(4)
    if how == 0:
        files[two] = files[one]
    elif how == 1:
        files[one], files[two] = files[two], files[one]
    elif how == 2:
        parent = two.rpartition("/")[0]
        name = (parent + "/" if parent else "") + rng.choice(bases.DOCUMENTS)
        files[name] = files[one]
    else:
        node, place = one.rpartition("/")[0], two.rpartition("/")[0]
        for name in [name for name in files if node and name.startswith(node + "/")]:
            files[f"{place}/{name}" if place else f"inner/{name}"] = files[name]


def rename(rng, files, vocabulary):
    """A segment of a path becomes an odd one."""
    name = pick(rng, files)
    if not name:
        return
    segments = name.split("/")
    at = rng.randrange(len(segments))
    odd = rng.choice(ODD_NAMES)
    old, new = "/".join(segments[:at + 1]), "/".join(segments[:at] + [odd])
    for path in [path for path in files if path == old or path.startswith(old + "/")]:
        files[new + path[len(old):]] = files.pop(path)


def special(rng, files, vocabulary):
    """What is no file where one is expected."""
    name = pick(rng, files)
    if name:
        files[name] = rng.choice([Special("link", "."), Special("link", ".."), Special("link", "/dev/zero"), Special("link", name.rpartition("/")[2]),
                                  Special("link", "../decoy"), Special("link", "/nowhere"), Special("fifo", ""), Special("directory", ""),
                                  Special("sparse", 1 << 40), Special("sparse", (1 << 24) + 1)])


def inflate(rng, files, vocabulary):
    """A document that is long for no reason."""
    name = pick(rng, files, lambda name, data: is_document(name))
    if name:
        filler = rng.choice([b" " * 2_000_000, b'"' + b"a" * 1_000_000 + b'"', b"[" + b"0," * 200_000 + b"0]", b"[" * 100_000])
        files[name] = files[name].replace(b":", b":" + filler, 1) if rng.random() < 0.5 else filler + files[name]


CHANGES = [(document, 24), (chunk, 6), (text, 2), (lose, 2), (move, 3), (rename, 2), (special, 1), (inflate, 0.3)]


def alter(rng, files, vocabulary):
    change = rng.choices([call for call, _ in CHANGES], [weight for _, weight in CHANGES])[0]
    change(rng, files, vocabulary)
    return change.__name__


# --- zip files ---------------------------------------------------------------------------------------------------------

HEADER = b"\x89HDF\r\n\x1a\n\xff vol-zarr one-file store: a zip of a Zarr store, which HDF5 programs read with the plugin vol-zarr\n"


def zipped(rng, files):
    """The bytes of a zip file with these files; sometimes with entries twice, or of directories, or behind the header of a one-file store."""
    out = io.BytesIO()
    if rng.random() < 0.3:
        out.write(HEADER.ljust(4096, b"\0"))
    with zipfile.ZipFile(out, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for name, data in files.items():
            if isinstance(data, bytes) and len(name.encode("utf-8", "replace")) < 60_000:
                name = name.encode("utf-8", "replace").decode()
                for _ in range(2 if rng.random() < 0.02 else 1):
                    archive.writestr(zipfile.ZipInfo(name), data, archive.compression)
            elif not isinstance(data, bytes) and data.kind == "directory":
                archive.writestr(zipfile.ZipInfo(name + "/"), b"")
        if rng.random() < 0.1:
            archive.comment = b"PK\x05\x06" + bytes(18)
    return out.getvalue()


SIGNATURES = {b"PK\x01\x02": (4, 6, 8, 10, 16, 20, 24, 28, 30, 32, 34, 38, 42), b"PK\x05\x06": (4, 6, 8, 10, 12, 16, 20), b"PK\x03\x04": (4, 6, 8, 14, 18, 22, 26, 28)}


def alter_zip(rng, data):
    """One field of one record, or some bytes."""
    if rng.random() < 0.3:
        return alter_bytes(rng, data, data)
    signature = rng.choice(list(SIGNATURES))
    found, at = [], data.find(signature)
    while at >= 0 and len(found) < 500:
        found.append(at)
        at = data.find(signature, at + 4)
    if not found:
        return data
    at = rng.choice(found) + rng.choice(SIGNATURES[signature])
    width = rng.choice([2, 4])
    old = int.from_bytes(data[at:at + width], "little")
    new = rng.choice([rng.choice(TELLING), old + 1, old - 1, old * 2, old ^ 1 << rng.randrange(16), len(data), len(data) - 1]) & (1 << 8 * width) - 1
    return data[:at] + new.to_bytes(width, "little") + data[at + width:]


def zip64_end(data):
    """The records of zip64 before the end record (or where there is none, at the end), with sizes that nobody can have."""
    at = data.rfind(b"PK\x05\x06")
    at = at if at >= 0 else len(data)
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 1 << 40, 1 << 40, 1 << 62, 0)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, at, 1)
    return data[:at] + record + locator + data[at:]


# --- as text ---------------------------------------------------------------------------------------------------------------

def to_json(kind, files):
    """A store as text, to be kept."""
    def value(data):
        if not isinstance(data, bytes):
            return {"kind": data.kind, "target": data.target}
        try:
            return data.decode()
        except UnicodeDecodeError:
            return {"hex": data.hex()}
    return json.dumps({"kind": kind, "files": {name: value(data) for name, data in sorted(files.items())}}, indent=1) + "\n"


def from_json(text):
    def data(value):
        if isinstance(value, str):
            return value.encode()
        return bytes.fromhex(value["hex"]) if "hex" in value else Special(value["kind"], value["target"])
    stored = json.loads(text)
    return stored["kind"], {name: data(value) for name, value in stored["files"].items()}
