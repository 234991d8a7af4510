"""pages.py DIRECTORY: collects the pages of the site in DIRECTORY/pages, at the places that they have in the repository, and mkdocs.yml beside.

Pages are those of the navigation and all that they lead to: links of Markdown are followed, other files that are linked to are copied. So
a link works in the repository and on the site alike. The manual page becomes a page, too. README begins as the landing page (landing.html),
compatibility.py makes a page, and pages for developers are not found by search.
"""

import pathlib
import re
import shutil
import sys

import compatibility

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
MANUAL = pathlib.Path("docs/h5zarr.1")
MADE = {"docs/h5zarr.1.md", "docs/compatibility.md"}
OWN = {"iframe-worker.js": "docs/iframe-worker.js"}
DEVELOPERS = ("src", "test", "tools")
NOT_FOUND_BY_SEARCH = "---\nsearch:\n  exclude: true\n---\n\n"


def links(text):
    """Where a page's links lead to, without what is code."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    text = re.sub(r"`[^`\n]*`", "", text)
    return re.findall(r"\]\(([^)\s]+)\)", text)


def target(page, link):
    """The file of the repository that a link means, or None: a heading of the page itself, or another site."""
    path = link.partition("#")[0]
    if not path or "://" in path or path.startswith("mailto:"):
        return None
    found = (ROOT / page).parent / path
    found = found / "README.md" if found.is_dir() else found
    return found.resolve().relative_to(ROOT)


def manual_page(text):
    """The few macros that `h5zarr --man` prints, as Markdown."""
    lines, term = [], False
    for line in text.splitlines():
        macro, _, rest = line.partition(" ") if line.startswith(".") else ("", "", line)
        rest = rest.strip('"')
        rest = re.sub(r"\\f[BI](.*?)\\fR", r"<b>\1</b>", rest.replace("<", "&lt;")).replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")
        rest = re.sub(r"(?<!\\)([*_])", r"\\\1", rest)
        if macro == ".TH":
            lines += ["# h5zarr(1)", ""]
        elif macro in (".SH", ".SS"):
            lines += ["", ("## " if macro == ".SH" else "### ") + (rest.capitalize() if macro == ".SH" else rest), ""]
        elif macro in (".PP", ".TP"):
            lines.append("")
            term = macro == ".TP"
        elif macro == ".B":
            lines.append(f"<b>{rest}</b>")
        elif not macro:
            lines.append(rest + ("<br>" if term else ""))
            term = False
    return "\n".join(lines) + "\n"


def collect(out, starts):
    waiting, seen = list(starts), set()
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        place = out / page
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / page, place)
        if page.suffix == ".md":
            if page.parts[0] in DEVELOPERS:
                place.write_text(NOT_FOUND_BY_SEARCH + place.read_text())
            waiting += [t for t in (target(page, link) for link in links((ROOT / page).read_text())) if t]


def landing(readme):
    """README with the landing page in the place of what stands before its first section."""
    return (HERE / "landing.html").read_text() + readme[readme.index("## Install") :]


def main():
    out = pathlib.Path(sys.argv[1])
    shutil.rmtree(out / "pages", ignore_errors=True)
    configuration = (HERE / "mkdocs.yml").read_text()
    starts = [pathlib.Path(p) for p in re.findall(r": (\S+\.md)$", configuration, re.M)]
    pages = out / "pages"
    collect(pages, [p for p in starts if str(p) not in MADE] + [pathlib.Path("docs/site.css"), pathlib.Path("docs/overview.svg")])
    (pages / MANUAL).with_suffix(".1.md").write_text(manual_page((ROOT / MANUAL).read_text()))
    (pages / "docs/compatibility.md").write_text(compatibility.page((ROOT / "docs/programs.md").read_text()))
    (pages / "README.md").write_text(landing((ROOT / "README.md").read_text()))
    for own, place in OWN.items():
        shutil.copyfile(HERE / own, pages / place)
    (out / "mkdocs.yml").write_text(configuration)


if __name__ == "__main__":
    main()
