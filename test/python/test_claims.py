"""README, limits and the pages for users say of programs what docs/programs.md says, which is filled by running them."""

import re
import sys

import pytest

import claims
import programs
from places import ROOT

sys.path[:0] = [str(ROOT / "test"), str(ROOT / "tools" / "docs")]
import compatibility  # noqa: E402
from check_prose import sentences_in  # noqa: E402


def sentences(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    for paragraph in re.split(r"\n\s*\n|\n(?=[-|#])", text):
        yield from sentences_in(" ".join(line.strip() for line in paragraph.splitlines()))


def named(sentence):
    return [row for words, row in claims.NAMES.items() if re.search(words, sentence)]


def agrees(said, cells):
    """Is it so, by the cells of a row? "-" is what the program does not do."""
    reading = {cells[action] for action in ("open", "list", "read")} - {"-"}
    if said == claims.WRITE:
        return cells["write"] == "yes"
    if said == claims.SOME:
        return "no" not in reading
    return said is claims.NOTHING or reading == {said}


def contradictions(text, known, rows):
    """What a page with this text says that rows of programs.md do not, and what it says without a line in CLAIMS."""
    found, met = [], set()
    for sentence in sentences(text):
        programs_of_it = named(sentence)
        lines = [words for words in known if words in sentence]
        met.update(lines)
        if not lines and programs_of_it and claims.KINDS.search(sentence):
            found.append(f"a claim without a line in claims.py: {sentence}")
        found += [f"{row} {rows[row]}, but: {sentence}" for words in lines for row in programs_of_it if not agrees(known[words], rows[row])]
    return found, met


@pytest.mark.parametrize("page", claims.CLAIMS)
def test_page_agrees_with_the_programs(page):
    found, met = contradictions((ROOT / page).read_text(), claims.CLAIMS[page], programs.rows())
    assert found == []
    assert met == set(claims.CLAIMS[page]), "lines of claims.py that the page does not say"


def test_names_are_rows():
    assert set(claims.NAMES.values()) <= set(programs.rows())


OLD_README = "Some programs want a regular file with HDF5's signature: PyTables, pandas, netCDF4, xarray, `pynwb.read_nwb`, MuData."
OLD_ROW = dict.fromkeys(programs.ACTIONS, "yes")


def test_an_old_contradiction_is_found():
    """README and limits.md said that read_nwb wants a file while programs.md said that it opens directories."""
    rows = {**programs.rows(), "pynwb (`read_nwb`)": OLD_ROW}
    found, _ = contradictions(OLD_README, {"Some programs want a regular file": claims.FILE}, rows)
    assert len(found) == 1 and found[0].startswith("pynwb (`read_nwb`)")
    assert contradictions(OLD_README, {"Some programs want a regular file": claims.FILE}, programs.rows())[0] == []
    page = "docs/limits.md"
    assert contradictions((ROOT / page).read_text(), claims.CLAIMS[page], rows)[0] != []


def test_a_claim_without_a_line_is_found():
    assert len(contradictions(OLD_README, {}, programs.rows())[0]) == 1
    assert contradictions("PyTables is a program.", {}, programs.rows())[0] == []


def test_the_site_shows_each_row_by_kinds_of_stores():
    page = compatibility.page(programs.PAGE.read_text())
    assert all(f"| {name} | " in page for name in programs.rows())
    both = "read and write"
    for line in (f"| h5py | {both} | not needed | {both} | {both} | {both} |", f"| netCDF4 | write | read | {both} | write | - |",
                 "| pynwb (`read_nwb`) | - | read | read | read | - |", "| h5dump | read | not needed | read | read | read |",
                 f"| tensorstore | {both} | {both} | {both} | {both} |", "| h5dump on a store of xarray | read | read |"):
        row = line.strip("| ").split(" | ")
        assert line in page, [found for found in page.splitlines() if found.startswith(f"| {row[0]} |")]



def relative_times(lines):
    """{filter: (writing, reading)} of the notebook's rows of an array without a codec and of one with gzip: the least that ± leaves."""
    rows = {filters: re.search(rf"^{kind} +{filters} +(\d.*)$", lines, re.M)[1] for kind, filters in (("Zarr, no codec", ""), ("Zarr v2", "gzip"))}
    times = {filters or "none": re.findall(r"(\d+\.\d\d) ± *(\d+) %", row) for filters, row in rows.items()}
    return {filters: [float(time) * (1 - int(spread) / 100) for time, spread in row] for filters, row in times.items()}


def test_the_notebook_agrees_with_performance():
    """Whatever the machine did beside it: a notebook says of no row that HDF5 is faster where the page on performance says it is not."""
    shown = relative_times((ROOT / "docs/notebooks/c-program.md").read_text())
    page = (ROOT / "docs/performance.md").read_text()
    head = next(line for line in page.splitlines() if "vol-zarr from C" in line).split(" | ")
    for filters, times in shown.items():
        for action, time in zip(("write", "read"), times, strict=True):
            row = next(line for line in page.splitlines() if line.startswith(f"| {action}, {filters}, 1 MiB |")).split(" | ")
            measured = float(re.search(r"\d+\.\d+", row[head.index("vol-zarr from C")])[0])
            assert time < 1 or measured > 1, (action, filters, time, measured)
