"""notes.py DIRECTORY: the notes of a release, from the part of CHANGELOG.md that is about its version, and what lies in the directory."""

import pathlib
import re
import sys

import version

MEANS = [  # what a file is, by its name; the first that fits
    (r"macosx.*\.whl$", "wheel for macOS, **experimental: never run on a Mac** (docs/macos.md)"),
    (r"musllinux.*\.whl$", "wheel: `pip install` it, on Linux with musl 1.2.2 or newer"),
    (r"\.whl$", "wheel: `pip install` it, on Linux with glibc 2.28 or newer"),
    (r"-dbgsym_.*\.deb$", "Debian 13: symbols for debuggers"),
    (r"\.deb$", "Debian 13: `apt install ./` it"),
    (r"\.tar\.bz2$", "conda: `conda install` it, into an environment with HDF5 1.14 or newer"),
    (r"-site\.tar\.gz$", "these pages as a site"),
    (r"\.tar\.gz$", "the source"),
    (r"\.cdx\.json$", "what is inside of a wheel (SBOM, CycloneDX)"),
    (r"^REPRODUCED$", "which files two builds made byte for byte alike"),
]


def files(directory):
    for path in sorted(p for p in directory.rglob("*") if p.is_file()):
        name = str(path.relative_to(directory))
        meaning = next((meaning for pattern, meaning in MEANS if re.search(pattern, name)), None)
        if meaning:
            yield f"| `{name}` | {meaning} | {path.stat().st_size / 2**20:.2f} MiB |"


def main():
    directory = pathlib.Path(sys.argv[1])
    number = version.version()
    # Links of the changelog lead to files of the source.
    text = re.sub(r"\[([^]]+)\]\((?!\w+://)[^)]+\)", r"\1", version.changes((version.ROOT / "CHANGELOG.md").read_text(), number))
    table = "\n".join(["| file | what it is | size |", "|---|---|---|", *files(directory)])
    (directory / "NOTES.md").write_text(f"# vol-zarr {number}\n\n{text}\n\n## Files\n\n{table}\n\n`SHA256SUMS` has their checksums: `sha256sum -c SHA256SUMS`.\n")


if __name__ == "__main__":
    main()
