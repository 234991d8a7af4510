"""docs/dependencies.md: lines are counted again, the programs of test/upstream/libraries show what it claims, licences are in the wheel."""

import os
import re
import subprocess
import sys

import pytest

from places import ROOT

PROGRAMS = ROOT / "test" / "upstream" / "libraries"
HELPERS = {"c_library", "jansson_json", "yyjson_json"}
PAGE = (ROOT / "docs" / "dependencies.md").read_text()
CLAIMS = {name: (shows, versions.split(", ")) for name, shows, versions in re.findall(r"^\|[^|]*\| `(\w+)\.py` \| ([^|]*) \| ([^|]*) \|$", PAGE, re.M)}
COUNTS = re.findall(r"^\| ([^|]*) \| `(src/[^|`]*)` \| (\d+) \|", PAGE, re.M)


@pytest.mark.parametrize("what, files, lines", COUNTS, ids=[row[0] for row in COUNTS])
def test_lines(what, files, lines):
    matched = [sorted(ROOT.glob(pattern)) for pattern in files.split()]
    assert all(matched), files
    found = sum(len(path.read_text().splitlines()) for path in set().union(*matched))
    assert abs(found - int(lines)) <= 0.15 * int(lines), found


def test_every_program_is_in_the_page():
    assert {path.stem for path in PROGRAMS.glob("*.py")} - HELPERS == set(CLAIMS)


@pytest.mark.parametrize("name", CLAIMS)
def test_claim(tmp_path, name):
    # Without the sanitizers that a test run may bring: they have their own allocation.
    environment = {**os.environ, "PYTHONPATH": str(PROGRAMS.parent), "LD_PRELOAD": ""}
    done = subprocess.run([sys.executable, PROGRAMS / f"{name}.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    if lines[-1] == "not here":
        pytest.skip("the library is not installed")
    shows, versions = CLAIMS[name]
    if lines[0].removeprefix("version ") not in versions:
        pytest.skip(f"another version than the page names: {lines[0]}")
    assert lines[-1] == shows, done.stdout


def test_licences_of_the_wheel():
    """Each library that is built for the wheel has its licence in it."""
    wheel = (ROOT / "tools" / "lib" / "wheel.py").read_text()
    built = set(re.findall(r"^([\w-]+) +\S+\.orig\.tar", (ROOT / "tools" / "lib" / "static.sh").read_text(), re.M))
    net = set(re.findall(r"^net_(openssl|curl)\(\)", (ROOT / "tools" / "lib" / "static_net.sh").read_text(), re.M)) - {""}
    listed = set(re.findall(r'"([\w-]+)": \["', wheel))
    assert len(built) == 8 and net == {"openssl", "curl"}
    assert built | {name.replace("_", "-") for name in net} == listed
