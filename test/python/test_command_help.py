"""h5zarr's command line: --help, the man page and what is wrong all come from one table."""

import re
import subprocess

import pytest

from places import ROOT

MAN = ROOT / "docs" / "h5zarr.1"


def subcommands(h5zarr):
    part = h5zarr("--help").stdout.split("Subcommands", 1)[1].split("Exit status")[0]
    return re.findall(r"^  (\w+) ", part, re.M)


def test_man_page_is_made_from_the_table(h5zarr):
    assert MAN.read_text() == h5zarr("--man").stdout, "make it anew: h5zarr --man > docs/h5zarr.1"


def test_help_and_man_page_agree(h5zarr):
    page = MAN.read_text().replace("\\-", "-")
    names = subcommands(h5zarr)
    assert names and re.findall(r'^\.SS "h5zarr (\w+)"$', page, re.M) == names
    sections = dict(zip(names, re.split(r"^\.SS .*$", page.split(".SH EXIT")[0], flags=re.M)[1:]))
    for name in names:
        text = h5zarr(name, "--help").stdout
        options = re.findall(r"^  (?:-(\w), )?--([\w-]+)(?:=([\w|]+))?$", text, re.M)
        assert ("h", "help", "") in options
        in_page = re.findall(r"^\.TP\n\\fB(?:-(\w)\\fR, \\fB)?--([\w-]+)\\fR(?:=\\fI([\w|]+)\\fR)?$", sections[name], re.M)
        assert in_page == options
        assert h5zarr("help", name).stdout == text
        assert h5zarr(name, "-h").stdout == text


def test_man_page_is_one(h5zarr):
    """groff has no warning about it."""
    try:
        result = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-z", MAN], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("no groff")
    assert (result.returncode, result.stderr) == (0, "")


def test_version(h5zarr):
    (version,) = re.findall(r"^project\(vol-zarr VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)
    assert h5zarr("--version").stdout == f"h5zarr (vol-zarr) {version}\n"


@pytest.mark.parametrize("arguments, what", [
    ([], "no subcommand"),
    (["nothing"], 'no subcommand "nothing"'),
    (["help", "nothing"], 'no subcommand "nothing"'),
    (["ls"], "usage: h5zarr ls"),
    (["ls", "a", "b"], "usage: h5zarr ls"),
    (["ls", "--nothing", "a"], "--nothing"),
    (["ls", "-x", "a"], "-x"),
    (["ls", "--json=1", "a"], "--json"),
    (["\033[31mls"], r"\x1b[31mls"),
])
def test_wrong_command_lines(h5zarr, arguments, what):
    result = h5zarr(*arguments, expect=2)
    assert result.stdout == ""
    assert result.stderr.startswith("h5zarr: ") and result.stderr.count("\n") == 1 and what in result.stderr


def test_output_that_cannot_be_written(h5zarr):
    from places import COMMAND

    with open("/dev/full", "w") as full:
        result = subprocess.run([COMMAND, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (result.returncode, result.stderr) == (1, "h5zarr: standard output: it cannot be written\n")
