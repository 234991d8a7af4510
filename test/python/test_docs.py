"""What README.md and docs/ show is what happens; and their links lead somewhere."""

import json
import os
import pathlib
import re
import struct
import subprocess
import sys

import pytest

import dask_work
import pages
from pages import blocks
from places import COMMAND, by_zarr, unpack

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "src").glob("**/*.md")),
         ROOT / "tools" / "README.md", ROOT / "test" / "reach" / "README.md", ROOT / "test" / "upstream" / "README.md"]


def session(block):
    """(command, what it printed) of a terminal session: a command begins with "$ ", an empty line ends its output."""
    for step in re.split(r"\n\n(?=\$ )", block.strip("\n")):
        lines, size = step[2:].split("\n"), 1
        while "\n".join(lines[:size]).count("'") % 2 and size < len(lines):
            size += 1
        yield "\n".join(lines[:size]), "\n".join(lines[size:])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        assert "://" in target or (page.parent / target).exists(), target


OPTIONS = "|".join(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "options.md").read_text(), re.M))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_options_are_separated(page):
    """`;` stands between the options of a connector string; docs/options.md shows one that is refused."""
    shown = re.findall(rf"\b(?:{OPTIONS})=[^\s;`\"(),]+[\s,]+(?:{OPTIONS})=\S*", page.read_text())
    assert [text for text in shown if not (page.name == "options.md" and text.startswith("create=*.zarr format=3"))] == []


def headings(page):
    """The anchors that GitHub, and the site, make of a page's headings."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    titles = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title) for title in re.findall(r"^#+ +(.*?) *$", text, re.M)]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_anchors(page):
    for path, anchor in re.findall(r"\]\(([^)#\s]*)#([^)]+)\)", page.read_text()):
        target = (page.parent / path).resolve() if path else page
        assert "://" in path or target.suffix != ".md" or anchor in headings(target), f"{path}#{anchor}"


MAY_BE_MISSING = ("ncdump", "cdo")  # or have an HDF5 that loads no such plugin: Debian 12


def sessions_of(name, where):
    """Runs the terminal sessions of a page; the number of commands. `python` and HDF5's tools are those of the tests."""
    path = [COMMAND.parent, pathlib.Path(sys.executable).parent, pathlib.Path(os.environ["VZ_HDF5"]) / "bin", os.environ["PATH"]]
    environment = {**os.environ, "PATH": ":".join(map(str, path)), "PYTHONWARNINGS": "ignore", "LC_ALL": "C.UTF-8"}
    steps = [step for block in blocks(ROOT / "docs" / f"{name}.md") if block.startswith("$ ") for step in session(block)]
    for command, expected in steps:
        result = subprocess.run(["bash", "-c", command], cwd=where, env=environment, capture_output=True, text=True, timeout=120)
        may_be_missing = command.startswith(MAY_BE_MISSING) and not os.environ.get("VZ_NETCDF_PROGRAMS")
        if may_be_missing and ("command not found" in result.stderr or "HDF error" in result.stderr):
            continue
        assert result.returncode == 0, command + result.stderr
        assert result.stdout.rstrip() == expected.rstrip(), command
    return len(steps)


@pytest.mark.parametrize("name, count", [("README", 5), ("docs/start-application", 8), ("docs/start-biology", 3), ("docs/netcdf", 9), ("docs/python", 8),
                                         ("docs/anndata", 6)])
def test_pages_for_users(tmp_path, tool, name, count):
    """Each block works when it is copied, one after the other."""
    may_lack = () if os.environ.get("VZ_NETCDF_PROGRAMS") else MAY_BE_MISSING
    assert pages.run_page(ROOT / f"{name}.md", tmp_path, may_lack) == count


FOR_USERS = ["README.md", *(f"docs/{name}.md" for name in ("start-application", "start-biology", "start-neuroscience", "netcdf", "python", "anndata", "nwb",
                                                            "wheel"))]


@pytest.mark.parametrize("page", FOR_USERS)
def test_blocks_can_be_copied(page):
    """80 columns, no prompt, no comment far to the right, and a language that says what is run and what is printed."""
    for language, code in pages.BLOCK.findall((ROOT / page).read_text()):
        assert language in ("sh", "python", "text"), code
        for line in code.splitlines():
            assert len(line) <= 80, line
            assert language == "text" or not re.match(r"(\$|>>>|\.\.\.) ", line) and not re.search(r"\S {3,}#", line), line


@pytest.mark.parametrize("printed, shown, same", [("a\nb\n", "a\nb\n", True), ("a\nb\n", "a\n", False), ("a\nb\nc\n", "a\n...\n", True),
                                                  ("a\nb\nc\n", "a\n...\nc\n", True), ("a\nb\n", "b\n...\n", False)])
def test_what_is_shown_is_compared(printed, shown, same):
    assert bool(pages.is_as_shown(printed, shown)) == same


def test_references(tmp_path, tool):
    """The bytes of two arrays, behind each other in a file."""
    (tmp_path / "month.bin").write_bytes(struct.pack("<9d", *range(9)))
    refs = {".zgroup": {"zarr_format": 2}}
    for name, count, offset in (("lat", 4, 0), ("lon", 5, 32)):
        refs[f"{name}/.zarray"] = {"zarr_format": 2, "shape": [count], "chunks": [count], "dtype": "<f8", "fill_value": 0, "order": "C",
                                   "filters": None, "compressor": None}
        refs[f"{name}/0"] = ["month.bin", offset, 8 * count]
    (tmp_path / "month.json").write_text(json.dumps({"version": 1, "refs": refs}))
    assert sessions_of("references", tmp_path) == 10


def test_icechunk(tmp_path, tool):
    """A repository that xarray wrote."""
    (unpack(ROOT / "test" / "python" / "data" / "icechunk-2.tar.xz", tmp_path) / "icechunk-2" / "weather").rename(tmp_path / "repo")
    assert sessions_of("icechunk", tmp_path) == 3


def program_of(page, name):
    """The Python of a page that begins with its name."""
    (found,) = (block for block in blocks(ROOT / "docs" / f"{page}.md", "python") if block.startswith(f"# {name}\n"))
    return found


def test_clusters_page(tmp_path):
    """Its programs, with what the wheel gives; tasks of the array run side by side."""
    environment = {**dask_work.with_workers(), "HDF5_VOL_CONNECTOR": "zarr create=*.zarr"}
    start = lambda name, **more: subprocess.Popen([sys.executable, name], cwd=tmp_path, env={**environment, **more}, stdout=subprocess.PIPE, text=True)
    for name in "make.py", "task.py", "with_dask.py", "with_joblib.py":
        (tmp_path / name).write_text(program_of("clusters", name))
    assert start("make.py").wait(timeout=120) == 0
    tasks = [start("task.py", SLURM_ARRAY_TASK_ID=str(i), SLURM_ARRAY_TASK_COUNT="3") for i in range(3)]  # rows that share chunks
    assert [task.wait(timeout=120) for task in tasks] == [0, 0, 0]
    store = by_zarr(tmp_path / "out.zarr")
    assert (store["x"][:399, 0] == [i // 133 for i in range(399)]).all() and all(store.attrs[f"done {i}"] for i in range(3))
    del environment["HDF5_VOL_CONNECTOR"]
    for name in "with_dask.py", "with_joblib.py":
        program = start(name)
        said, _ = program.communicate(timeout=120)
        assert program.returncode == 0 and said.splitlines() == re.findall(r"print\(.*\) +# (.*)", program_of("clusters", name))


def test_h5zarr_page(tmp_path):
    """On the store of the README's ten lines."""
    make = next(block for block in blocks(ROOT / "README.md", "python"))
    environment = {**pages.environment(), "LC_ALL": "C"}
    subprocess.run([sys.executable, "-c", make], cwd=tmp_path, env=environment, check=True)
    for block in blocks(ROOT / "docs" / "h5zarr.md"):
        for command, expected in session(block):
            result = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
            assert result.returncode == 0, result.stderr
            shown = expected.split("...")[0].rstrip()
            assert result.stdout.startswith(shown), (command, result.stdout)
            assert shown == expected.rstrip() == result.stdout.rstrip() or "..." in expected, (command, result.stdout)
