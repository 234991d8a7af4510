"""version.py             prints the version, which stands in CMakeLists.txt.
version.py --check     fails where a copy of it says something else, or CHANGELOG.md has no heading for it, or nothing below that.
version.py --set X.Y.Z writes it to CMakeLists.txt and to each copy. The unreleased part of CHANGELOG.md and of debian/changelog gets it, with the
                       date of today."""

import datetime
import email.utils
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
PLACE = "CMakeLists.txt", r"(project\(vol-zarr VERSION )([0-9.]+)"
COPIES_OF_DEBIAN = r"(\Avol-zarr \()([0-9.]+)"
COPIES = [  # a file that other programs read, and the text before the version
    ("python/vol_zarr/__init__.py", r'(__version__ = ")([0-9.]+)'),
    ("recipe/recipe.yaml", r'(version: ")([0-9.]+)'),
    ("CITATION.cff", r"(?m)(^version: )([0-9.]+)"),
    ("docs/h5zarr.1", r'(vol\\-zarr )([0-9.]+)'),
    ("docs/limits.md", r"(\A# Limits of )([0-9.]+)"),
    ("docs/format.md", r'("h5zarr virtual, vol-zarr )([0-9.]+)'),
    ("README.md", r"(?m)(^Version )([0-9]+\.[0-9]+\.[0-9]+)"),
    ("debian/changelog", COPIES_OF_DEBIAN),
]


def found(file, pattern):
    match = re.search(pattern, (ROOT / file).read_text())
    return match[2] if match else None


def version():
    return found(*PLACE)


def heading(text, number):
    """The line of the changelog that begins a version's part, or None."""
    return re.search(rf"(?m)^## {re.escape(number)}( \([^)]*\))?$", text)


def changes(text, number):
    """The changelog's part about a version."""
    rest = text[heading(text, number).end() :]
    end = re.search(r"(?m)^## ", rest)
    return rest[: end.start() if end else None].strip()


def check():
    number = version()
    wrong = [f"{file} says {found(file, pattern)}" for file, pattern in COPIES if found(file, pattern) != number]
    if not heading((ROOT / "CHANGELOG.md").read_text(), number):
        wrong.append(f'CHANGELOG.md has no heading "## {number}"')
    elif not changes((ROOT / "CHANGELOG.md").read_text(), number):
        wrong.append(f'CHANGELOG.md has nothing below "## {number}"')
    if wrong:
        sys.exit("\n".join([f"the version is {number} ({PLACE[0]}), but", *wrong, f"tools/release/version.py --set {number} mends that"]))


def set_in_debian(number):
    """Debian keeps the entries of what was released."""
    file = ROOT / "debian/changelog"
    text = file.read_text()
    signature = re.search(r"^ -- .*?>", text, re.M)[0]
    date = email.utils.format_datetime(datetime.datetime.now(datetime.timezone.utc))
    if re.match(r"vol-zarr \([0-9.]+\) UNRELEASED;", text):
        text = re.sub(r"\Avol-zarr \([0-9.]+\)", f"vol-zarr ({number})", text)
        file.write_text(re.sub(r"^ -- .*", lambda _: f"{signature}  {date}", text, count=1, flags=re.M))
    elif found("debian/changelog", COPIES_OF_DEBIAN) != number:
        file.write_text(f"vol-zarr ({number}) UNRELEASED; urgency=medium\n\n  * Version {number}.\n\n{signature}  {date}\n\n{text}")


def set_in_changelog(number):
    file = ROOT / "CHANGELOG.md"
    text, head = file.read_text(), f"## {number} ({datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d})"
    if re.search(r"(?m)^## .*", text)[0].endswith("(unreleased)"):
        file.write_text(re.sub(r"(?m)^## .*", head, text, count=1))
    elif not heading(text, number):
        file.write_text(re.sub(r"(?m)^## ", f"{head}\n\n## ", text, count=1))


def set_everywhere(number):
    for file, pattern in [PLACE, *COPIES]:
        if file != "debian/changelog":
            path = ROOT / file
            path.write_text(re.sub(pattern, rf"\g<1>{number}", path.read_text(), count=1))
    set_in_debian(number)
    set_in_changelog(number)


def main():
    if sys.argv[1:2] == ["--set"] and re.fullmatch(r"\d+\.\d+\.\d+", "".join(sys.argv[2:])):
        set_everywhere(sys.argv[2])
    elif sys.argv[1:] == ["--check"]:
        check()
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        print(version())


if __name__ == "__main__":
    main()
