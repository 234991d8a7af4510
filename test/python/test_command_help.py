"""h5zarr's command line: --help, the man page and what is wrong all come from one table."""

import json
import os
import re
import subprocess

import h5py
import pytest

from places import ROOT

MAN = ROOT / "docs" / "h5zarr.1"


def subcommands(h5zarr):
    part = h5zarr("--help").stdout.split("Subcommands", 1)[1].split("Exit status")[0]
    return re.findall(r"^  (\w+) ", part, re.M)


def test_man_page_is_made_from_the_table(h5zarr):
    assert MAN.read_text() == h5zarr("--man").stdout, "make it anew: tools/completion/make.sh"


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


def test_every_subcommand_prints_json(h5zarr):
    for name in subcommands(h5zarr):
        assert "--json" in h5zarr(name, "--help").stdout


def test_summaries_as_json(h5zarr, tmp_path):
    """What convert, compact, consolidate and door did, as h5py and the file system see it."""
    source = tmp_path / "a.h5"
    with h5py.File(source, "w", driver="sec2") as f:
        f["g/x"] = range(6)
        f["g"].attrs["n"] = 1
    library = {"VOL_ZARR_HDF5": os.environ.get("VZ_HDF5", "")}
    said = [json.loads(h5zarr("convert", "--json", source, tmp_path / name, **library).stdout) for name in ("a.zarr", "a.zip")]
    assert [each["target"] for each in said] == [str(tmp_path / name) for name in ("a.zarr", "a.zip")]
    assert all((each["groups"], each["datasets"], each["attributes"], each["bytes"]) == (2, 1, 1, 48) for each in said)
    before = (tmp_path / "a.zip").stat().st_size
    compacted = json.loads(h5zarr("compact", "--json", tmp_path / "a.zip").stdout)
    assert (compacted["before"], compacted["bytes"]) == (before, (tmp_path / "a.zip").stat().st_size)
    assert json.loads(h5zarr("consolidate", "--json", tmp_path / "a.zarr").stdout) == {"store": str(tmp_path / "a.zarr"),
                                                                                      "consolidated": True}
    (tmp_path / "a.zarr" / "g" / "x" / ".zarray").write_text('{"zarr_format": 2, "shape": [6]}')
    refused = json.loads(h5zarr("consolidate", "--json", tmp_path / "a.zarr", expect=1).stdout)
    assert refused["consolidated"] is False and refused["prevented_by"] == "g/x"
    door = json.loads(h5zarr("door", "--json", tmp_path / "a.zarr", tmp_path / "door.h5").stdout)
    assert door == {"file": str(tmp_path / "door.h5"), "leads_to": "a.zarr", "leaves": False}
