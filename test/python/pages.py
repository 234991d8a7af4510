"""Runs what a page shows, as a reader does who copies its code blocks one after the other.

A block of the language `sh` is a script of bash, one of `python` a program of its own; a block `text` behind it is what it prints, and a
line "..." there stands for the rest. What a script exports holds in later blocks. Blocks of these languages have no prompt. A block whose
commands all begin with a word of ELSEWHERE is not run: it builds or installs what the tests have.
"""

import os
import pathlib
import re
import subprocess
import sys

from places import COMMAND, ROOT

ELSEWHERE = ("make ", "pip install ")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def blocks(page, language=""):
    """The code blocks of a page in that language."""
    return [block for its_language, block in BLOCK.findall(page.read_text()) if its_language == language]


def steps(page):
    """(language, code, what it prints or None) of each block that is run."""
    found = BLOCK.findall(page.read_text())
    for place, (language, code) in enumerate(found):
        follows = found[place + 1] if place + 1 < len(found) else ("", "")
        if language == "python" or language == "sh" and not all(line.startswith(ELSEWHERE) for line in code.splitlines()):
            yield language, code, follows[1] if follows[0] == "text" else None


def environment(**more):
    """As a user of the wheel has it: `python` is that of the tests, with the package vol_zarr, and so are HDF5's tools."""
    path = [COMMAND.parent, pathlib.Path(sys.executable).parent, pathlib.Path(os.environ["VZ_HDF5"]) / "bin", os.environ["PATH"]]
    found = {**os.environ, "PATH": ":".join(map(str, path)), "PYTHONPATH": str(ROOT / "python"), "PYTHONWARNINGS": "ignore", "LC_ALL": "C.UTF-8"}
    found.pop("HDF5_VOL_CONNECTOR", None)
    return {**found, **more}


def run(language, code, where, variables):
    """The CompletedProcess, and the variables afterwards. The plugin stays the one that is tested."""
    if language == "python":
        done = subprocess.run([sys.executable, "-c", code], cwd=where, env=variables, capture_output=True, text=True, timeout=240)
        return done, variables
    kept = where / ".environment"
    script = f"set -e\n{code}\nenv -0 > {kept}\n"
    done = subprocess.run(["bash", "-c", script], cwd=where, env=variables, capture_output=True, text=True, timeout=240)
    if not kept.exists():
        return done, variables
    after = dict(pair.split("=", 1) for pair in kept.read_text().split("\0") if "=" in pair)
    kept.unlink()
    return done, {**after, "HDF5_PLUGIN_PATH": variables["HDF5_PLUGIN_PATH"]}


def is_as_shown(printed, shown):
    """Lines "..." of what is shown stand for any number of lines."""
    parts = [re.escape(part.strip("\n")) for part in re.split(r"^\s*\.\.\.$", shown.rstrip(), flags=re.M)]
    return re.fullmatch(r"(?s)" + r".*?".join(r"\s*" + part + r"\s*" if place else part + r"\s*" for place, part in enumerate(parts)), printed.rstrip())


def run_page(page, where, may_lack=(), **more):
    """The number of blocks that were run. One whose first word is in `may_lack` may be of a program that is not here."""
    variables, count = environment(**more), 0
    for language, code, shown in steps(page):
        done, variables = run(language, code, where, variables)
        lacking = code.startswith(tuple(may_lack)) and ("command not found" in done.stderr or "HDF error" in done.stderr)
        count += 1
        if lacking:
            continue
        assert done.returncode == 0, f"{page.name}:\n{code}\n{done.stdout}{done.stderr}"
        assert shown is None or is_as_shown(done.stdout, shown), f"{page.name}:\n{code}\n{done.stdout}"
    return count
