"""Stores as plain Python and zarr-python see them: reading everything, and what in a directory is not Zarr's."""

import hashlib
import json
import logging
import os
import pathlib
import re
import warnings
import zipfile

import numpy as np
import zarr

from expect import Seen

logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # zarr-python leaves tasks behind when one of several fails
ZARR_2 = zarr.__version__.startswith("2.")
# What zarr-python 3 says of any array of these types, whoever wrote it. Every other warning is a complaint.
ANY_ARRAY = re.compile(r"does not have a Zarr V3 specification|Consolidated metadata is currently not part|"
                       r"is currently not part in the Zarr format 3 specification|numcodecs\.|Numcodecs codecs are not in the Zarr")
# zarr-python 3 says this of a name in a group's directory that is no node. Where nothing can be made beside a store, what is not finished
# is in its root, and warned of (docs/format.md).
STAGE_IN_ROOT = re.compile(r"0{29}[0-9a-f]{3}\.partial is not recognized as a component of a Zarr hierarchy")
DOCUMENTS = {".zarray", ".zgroup", ".zattrs", ".zmetadata", "zarr.json"}


# ---- reading ----

def is_zip(path):
    """A zip file, or a one-file store, which is one for others."""
    return str(path).endswith((".zip", ".h5"))


def open_root(path, consolidated):
    """`consolidated` None: as zarr-python does without being told; False: the nodes' own documents."""
    if ZARR_2:
        store = zarr.ZipStore(str(path), mode="r") if is_zip(path) else zarr.DirectoryStore(str(path))
        if consolidated is None and ".zmetadata" in store:
            return store, zarr.open_consolidated(store, mode="r")
        return store, zarr.open_group(store, mode="r")
    store = zarr.storage.ZipStore(str(path), mode="r") if is_zip(path) else str(path)
    return store, zarr.open_group(store, mode="r", use_consolidated=consolidated)


def walk(group, prefix, seen):
    for name, member in sorted(group.items() if ZARR_2 else group.members()):
        path = prefix + name
        is_array = not hasattr(member, "create_group")
        attributes = dict(member.attrs)
        seen[path] = Seen(rows(member[...], attributes) if is_array else None, attributes)
        if not is_array:
            walk(member, path + "/", seen)


def rows(data, attributes):
    """In the hdmf dialect rows with text have one more dimension, their members: docs/format.md."""
    members = attributes.get("zarr_dtype")
    if data.dtype != object or not isinstance(members, list) or not data.ndim or data.shape[-1] != len(members):
        return data
    result = np.empty(data.shape[:-1], object)
    unwritten = tuple("" if member["dtype"].startswith("str") else 0 for member in members)
    for at in np.ndindex(*result.shape):
        row = tuple(data[at].tolist())
        result[at] = unwritten if row in ((0,) * len(row), (None,) * len(row)) else row  # |O has a fill value of 0
    return result


def read(path, consolidated=None):
    """({path: Seen}, [warning]) of a whole store. Raises what zarr-python raises."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        store, root = open_root(path, consolidated)
        seen = {"": Seen(None, dict(root.attrs))}
        walk(root, "", seen)
        if is_zip(path):
            store.close()
    said = [f"{w.category.__name__}: {w.message}" for w in caught if not issubclass(w.category, (DeprecationWarning, ResourceWarning))]
    return seen, [text for text in dict.fromkeys(said) if not ANY_ARRAY.search(text)]


def read_both_ways(path):
    """(what is seen, complaints): through the consolidated copy, where there is one, and without it. Both must be the same list."""
    seen, said = read(path, False)
    copy, more = read(path, None)
    complaints = [f"zarr-python warns: {text}" for text in dict.fromkeys(said + more)]
    if set(copy) != set(seen):
        complaints.append(f"the consolidated copy lists {sorted(set(copy) ^ set(seen))} otherwise")
    complaints += [f"the consolidated copy has other attributes of {p}" for p in set(copy) & set(seen)
                   if repr(copy[p].attributes) != repr(seen[p].attributes)]
    return seen, complaints


def is_empty(path):
    """A directory or a zip file with nothing in it: what there is before the first document is written."""
    if path.is_dir():
        return not any(path.iterdir())
    if not path.stat().st_size:
        return True
    with zipfile.ZipFile(path) as z:
        return not z.infolist()


def is_store(path):
    """There is a document of the root."""
    if not path.is_dir():
        return zipfile.is_zipfile(path) and not is_empty(path)
    return any((path / name).exists() for name in (".zgroup", ".zarray", "zarr.json"))


def set_aside(path):
    """Keys of arrays that wait in a staging area until the next writer puts them back (docs/format.md): their writer ended, or could go no
    further, between two renames, where the system cannot exchange two names."""
    path = pathlib.Path(path)
    leases = [*path.parent.glob(f".{path.name}*.partial/lease"), *path.glob("*.partial/lease")]
    notes = [(lease.parent, line[2:].partition(" ")) for lease in leases for line in lease.read_text().split("\n") if line.startswith("//")]
    return {key for stage, (name, _, key) in notes if (stage / name).is_dir() and not (path / key).exists()}


# ---- a fingerprint ----

def fingerprint(path):
    """The same for stores that hold the same bytes under the same names."""
    digest = hashlib.sha256()
    path = pathlib.Path(path)
    if is_zip(path) and path.is_file():
        with zipfile.ZipFile(path) as z:
            for entry in sorted(z.infolist(), key=lambda e: e.filename):
                digest.update(f"{entry.filename}\0{entry.CRC}\0{entry.file_size}\n".encode())
        return digest.hexdigest()
    for name in sorted(str(p.relative_to(path)) for p in path.rglob("*")):
        file = path / name
        digest.update(name.encode() + b"\0")
        digest.update(file.read_bytes() if file.is_file() else b"/")
    return digest.hexdigest()


# ---- what is not Zarr's ----

def load(path):
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None


def chunk_grid(document):
    """(number of chunks in each dimension, separator, prefix) of an array's document."""
    shape = document["shape"]
    if document["zarr_format"] == 2:
        sides, separator, prefix = document["chunks"], document.get("dimension_separator", "."), ""
    else:
        encoding = document.get("chunk_key_encoding", {"name": "default"})
        sides = document["chunk_grid"]["configuration"]["chunk_shape"]
        separator = encoding.get("configuration", {}).get("separator", "/" if encoding["name"] == "default" else ".")
        prefix = "c" + separator if encoding["name"] == "default" else ""
    return [-(-n // side) if side else 0 for n, side in zip(shape, sides)], separator, prefix


def is_chunk(name, document):
    counts, separator, prefix = chunk_grid(document)
    if not counts:
        return name == ("0" if document["zarr_format"] == 2 else prefix.rstrip("/."))
    if not name.startswith(prefix):
        return False
    parts = name[len(prefix):].split(separator)
    return len(parts) == len(counts) and all(p.isdigit() and str(int(p)) == p and int(p) < n for p, n in zip(parts, counts))


def leftovers(path):
    """Files and directories in a store, and beside it, that belong to no array and no group. The directory that holds the store must be
    its own."""
    path = pathlib.Path(path)
    found = [str(p.relative_to(path.parent)) for p in path.parent.iterdir() if p != path]
    if path.is_dir():
        look_into(path, path, found)
    return sorted(found)


def look_into(directory, root, found):
    names = sorted(os.listdir(directory))
    v3 = load(directory / "zarr.json")
    array = load(directory / ".zarray") or (v3 if v3 and v3["node_type"] == "array" else None)
    is_group = (directory / ".zgroup").exists() or (v3 and v3["node_type"] == "group")
    if not array and not is_group:
        found.append(str(directory.relative_to(root.parent)) + "/")
        return
    for name in names:
        file = directory / name
        if name in DOCUMENTS and file.is_file():
            continue
        if not array and file.is_dir():
            look_into(file, root, found)
        elif array and file.is_dir():
            inside = [p for p in file.rglob("*") if p.is_file()]
            found += [str(p.relative_to(root.parent)) for p in inside if not is_chunk(str(p.relative_to(directory)), array)]
            if not inside:
                found.append(str(file.relative_to(root.parent)) + "/")
        elif not array or not is_chunk(name, array):
            found.append(str(file.relative_to(root.parent)))
