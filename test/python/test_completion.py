"""What shells complete of h5zarr's command line, and what a misspelled word is taken for."""

import contextlib
import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

from places import COMMAND, ROOT

SCRIPTS = {"bash": "h5zarr", "zsh": "_h5zarr", "fish": "h5zarr.fish"}
# Sets the line that was typed, asks the function, prints the words.
ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_h5zarr
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_scripts_are_made_from_the_table(h5zarr, shell):
    script = ROOT / "tools" / "completion" / SCRIPTS[shell]
    assert script.read_text() == h5zarr("--completion", shell).stdout, "make it anew: tools/completion/make.sh"


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_shell_takes_its_script(shell):
    if not shutil.which(shell):
        pytest.skip(f"no {shell}")
    subprocess.run([shell, "-n", ROOT / "tools" / "completion" / SCRIPTS[shell]], check=True)


@pytest.fixture
def completed(tmp_path):
    def ask(*words):
        result = subprocess.run(["bash", "-c", ASK, "bash", ROOT / "tools/completion/h5zarr", "h5zarr", *words],
                                capture_output=True, text=True, check=True, cwd=tmp_path)
        assert result.stderr == ""
        return result.stdout.split()

    return ask


def test_bash_completes_what_help_lists(completed, h5zarr):
    listed = re.findall(r"^  (\w+) ", h5zarr("--help").stdout.split("Subcommands", 1)[1].split("Exit status")[0], re.M)
    assert completed("") == ["--help", "--version", *listed]
    assert completed("con") == ["consolidate", "convert"]
    for name in listed:
        options = re.findall(r"^  (?:-\w, )?(--[\w-]+)", h5zarr(name, "--help").stdout, re.M)
        assert sorted(completed(name, "-")) == sorted(options)
    assert completed("convert", "--to", "") == ["hdf5", "zarr"]
    assert completed("convert", "--to", "=", "z") == ["zarr"]  # as bash cuts "--to=z"
    assert completed("convert", "--to", "=") == ["hdf5", "zarr"]
    assert completed("convert", "--hdf5", "") == completed("ls", "x.z") == []  # bash's own: files


def test_fish_completes_what_help_lists(h5zarr):
    if not shutil.which("fish"):
        pytest.skip("no fish")
    script = f"source {ROOT / 'tools/completion/h5zarr.fish'}; complete -C 'h5zarr convert --to '"
    result = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True)
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == ["hdf5", "zarr"]


# ---- shells as people use them: at a terminal, with the Tab key ----

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source {scripts}/h5zarr"),
    "zsh": (["zsh", "-f", "-i"], "fpath=({scripts} $fpath); autoload -Uz compinit; compinit -u -D"),
    "fish": (["fish", "--no-config", "-i"], "source {scripts}/h5zarr.fish"),
}
ESCAPES = re.compile(rb"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x00|\x1b[=>()][A-Z0-9]?|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[\r\x07\x08]")


class Terminal:
    """A shell that believes somebody sits before it."""

    def __init__(self, command, where):
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.chdir(where)
            environment = {"PATH": os.environ["PATH"], "HOME": str(where), "TERM": "xterm", "LC_ALL": "C.UTF-8", "PS1": "$ ", "COLUMNS": "200"}
            os.execvpe(command[0], command, environment)

    def type(self, text):
        os.write(self.file, text.encode())

    def wait_for(self, pattern):
        """Until the screen has had that since the last call."""
        seen, deadline = b"", time.monotonic() + 120
        while not re.search(pattern.encode(), ESCAPES.sub(b"", seen), re.S):
            assert time.monotonic() < deadline and select.select([self.file], [], [], 120)[0], seen
            seen += os.read(self.file, 65536)

    def end(self):
        with contextlib.suppress(OSError):
            os.close(self.file)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, 9)
        os.waitpid(self.process, 0)


@pytest.mark.parametrize("shell", START)
def test_the_tab_key(shell, tmp_path):
    """A subcommand, an option, a value's words and a file's name, in the shell itself."""
    if not shutil.which(shell):
        pytest.skip(f"no {shell}")
    (tmp_path / "cells-and-more.zarr").mkdir()
    command, load = START[shell]
    terminal = Terminal(command, tmp_path)
    try:
        terminal.type(load.format(scripts=ROOT / "tools/completion") + "; echo loa''ded\r")
        terminal.wait_for("loaded")
        for typed, wanted in (("h5zarr consol", "idate"), ("h5zarr convert --overw", "rite"), ("h5zarr info cells-a", "nd-more.zarr"),
                              ("h5zarr convert --to h", "df5"), ("h5zarr sync --container dir", "ectory")):
            terminal.type(typed + "\t")
            terminal.wait_for(wanted)
            terminal.type("\x15")  # the line goes
    finally:
        terminal.end()


@pytest.mark.parametrize("typed, meant", [("tre", "tree"), ("chekc", "check"), ("covnert", "convert"), ("lst", "ls"), ("cons", "consolidate"),
                                          ("x", None), ("frobnicate", None), ("a" * 5000, None), ("", None)])
def test_did_you_mean(h5zarr, typed, meant):
    said = h5zarr(typed, "x.zarr", expect=2).stderr
    assert f"did you mean {meant}?" in said if meant else "h5zarr --help lists them" in said


@pytest.mark.parametrize("typed, meant", [("--jsno", "--json"), ("--lnog", "--long"), ("--zzz", None)])
def test_the_nearest_option(h5zarr, typed, meant):
    said = h5zarr("ls", typed, "x.zarr", expect=2).stderr
    assert f"did you mean {meant}?" in said if meant else "h5zarr ls --help lists them" in said
