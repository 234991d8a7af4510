"""What shells complete of h5zarr's command line, and what a misspelled word is taken for."""

import re
import shutil
import subprocess

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


@pytest.mark.parametrize("typed, meant", [("tre", "tree"), ("chekc", "check"), ("covnert", "convert"), ("lst", "ls"), ("cons", "consolidate"),
                                          ("x", None), ("frobnicate", None), ("a" * 5000, None), ("", None)])
def test_did_you_mean(h5zarr, typed, meant):
    said = h5zarr(typed, "x.zarr", expect=2).stderr
    assert f"did you mean {meant}?" in said if meant else "h5zarr --help lists them" in said


@pytest.mark.parametrize("typed, meant", [("--jsno", "--json"), ("--lnog", "--long"), ("--zzz", None)])
def test_the_nearest_option(h5zarr, typed, meant):
    said = h5zarr("ls", typed, "x.zarr", expect=2).stderr
    assert f"did you mean {meant}?" in said if meant else "h5zarr ls --help lists them" in said
