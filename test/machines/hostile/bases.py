"""The stores that are altered: {name: {path: bytes}}, directories only; a zip file is made of one at the end.

From the archives of the tests (what vol-zarr 0.1.0 and hdmf-zarr wrote), Icechunk repositories, from this build's own zoo, from stores that mislead about
dimensions (test/python/netcdf_hostile.py), and from real ones where they are. Large ones are cut to the documents of their groups and a few members, another few for each use."""

import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
ARCHIVES = ROOT / "test/python/data"
FILE_MAX = 200_000  # bytes; larger files are left out
DOCUMENTS = (".zarray", ".zgroup", ".zattrs", ".zmetadata", "zarr.json", "lindi.json")
KINDS = {"v2": "zarr", "v3": "zarr format=3", "shards": "zarr format=3;shards=4K", "hdmf": "zarr dialect=hdmf", "hdmf3": "zarr dialect=hdmf;format=3"}


def is_root(names, directory):
    return any(f"{directory}/{document}" in names for document in (".zgroup", ".zarray", "zarr.json")) and not any(
        f"{parent}/{document}" in names for parent in [directory.rpartition("/")[0]] for document in (".zgroup", "zarr.json"))


def stores_in(files, prefix, out):
    """Splits {path: bytes} into the stores in it."""
    names = set(files)
    roots = sorted({name.rpartition("/")[0] for name in names if name.rpartition("/")[2] in (".zgroup", ".zarray", "zarr.json")})
    for root in roots:
        if is_root(names, root):
            out[f"{prefix}/{root}"] = {name[len(root) + 1:]: data for name, data in files.items() if name.startswith(root + "/")}


def references_in(files, prefix, out):
    """Directories of Parquet files, LINDI's directories, and reference files, which are laid out as one of these."""
    for name, data in files.items():
        root, _, last = name.rpartition("/")
        if last == "lindi.json" or (last == ".zmetadata" and b'"record_size"' in data):
            out[f"{prefix}/{root}"] = {path[len(root) + 1:]: content for path, content in files.items() if path.startswith(root + "/")}
        elif last.endswith(".json") and last not in DOCUMENTS and b".zgroup" in data:
            out[f"{prefix}/{name}"] = {"lindi.json": data}


def from_zip(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {"s/" + entry.filename: archive.read(entry) for entry in archive.infolist()
                if not entry.is_dir() and entry.file_size <= FILE_MAX}


def from_tar(path, out):
    files = {}
    with tarfile.open(path) as archive:
        for member in archive:
            if not member.isfile():
                continue
            if member.name.endswith(".zip"):
                stores_in(from_zip(archive.extractfile(member).read()), f"{path.name}/{member.name}", out)
            elif member.size <= FILE_MAX and not member.name.endswith((".h5", ".nwb")):
                files["./" + member.name.removeprefix("./")] = archive.extractfile(member).read()
    stores_in(files, path.name, out)
    references_in(files, path.name, out)


def from_zoo(build, out):
    with tempfile.TemporaryDirectory() as work:
        for part in ("types", "nested", "storage", "links"):
            for kind, connector in KINDS.items():
                path = pathlib.Path(work) / f"{part}-{kind}.zarr"
                subprocess.run([build / "test/zoo", part, path], check=True,
                               env=os.environ | {"HDF5_VOL_CONNECTOR": connector, "HDF5_PLUGIN_PATH": str(build / "plugin")})
                out[f"zoo/{path.name}"] = {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*"))
                                           if file.is_file() and file.stat().st_size <= FILE_MAX}


def from_netcdf(out):
    sys.path.append(str(ROOT / "test/python"))
    import netcdf_hostile

    for name, make in netcdf_hostile.CASES.items():
        if not name.endswith("_million"):
            out[f"netcdf/{name}"] = {path: data for path, data in make().items() if len(data) <= FILE_MAX}


def from_icechunk(out):
    """Repositories of both format versions; those of the unit tests have unpacked metadata, so that a change is met behind zstd."""
    for path in sorted((ROOT / "test/unit/data/icechunk").iterdir()):
        if path.is_dir():
            out[f"icechunk/{path.name}"] = {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}
    for path in sorted(ARCHIVES.glob("icechunk-*.tar.xz")):
        with tarfile.open(path) as archive:
            for member in archive:
                _, name, inside = (member.name.split("/", 2) + ["", ""])[:3]
                if member.isfile() and inside and name in ("history", "weather"):
                    out.setdefault(f"icechunk/{name} of {path.name}", {})[inside] = archive.extractfile(member).read()


def collect(build, real):
    """`build`: whose zoo is made; `real`: a directory of archives of others; None: without."""
    out = {}
    if build:
        from_zoo(build, out)
        from_netcdf(out)
    for path in sorted(ARCHIVES.glob("*.tar.*")):
        from_tar(path, out)
    from_icechunk(out)
    if real:
        for path in sorted(real.rglob("*.tar.gz")):
            from_tar(path, out)
        for path in sorted(real.rglob("*.zarr.zip")):
            stores_in(from_zip(path.read_bytes()), path.name, out)
    return {name: files for name, files in out.items() if files}


def some_of(rng, files, members_max=4):
    """A store with the documents of the root and of groups on the way to a few nodes, and these nodes."""
    if not any(name.rpartition("/")[2] in DOCUMENTS for name in files):
        return dict(files)  # a repository
    if "lindi.json" in files or any(name.endswith(".parq") for name in files):
        return dict(files)
    nodes = sorted({name.rpartition("/")[0] for name in files if name.rpartition("/")[2] in DOCUMENTS and "/" in name})
    kept = [""] + (rng.sample(nodes, min(len(nodes), rng.randint(1, members_max))) if nodes else [])

    def wanted(name):
        directory, _, last = name.rpartition("/")
        if last in DOCUMENTS and any(node == directory or node.startswith(directory + "/") or not directory for node in kept):
            return last != ".zmetadata" or rng.random() < 0.3
        return any(node and name.startswith(node + "/") for node in kept)

    return {name: data for name, data in files.items() if wanted(name)}
