"""As test_programs.py, in the environment that has pynwb."""

import pytest

pytest.importorskip("pynwb")

import program_places  # noqa: E402
import programs  # noqa: E402
from test_programs import trial  # noqa: E402, F401  a fixture

HERE = [program for program in programs.PROGRAMS if program.here() and {"pynwb", "hdmf_zarr"} & {*program.needs}]


@pytest.mark.parametrize("program", HERE, ids=lambda p: p.__name__)
def test_program(trial, program):  # noqa: F811
    assert trial.cells(program) == programs.rows()[program.name], trial.why


@pytest.mark.parametrize("program", [p for p in HERE if p.table in ("hdf5", "zarr")], ids=lambda p: p.__name__)
def test_program_in_other_places(trial, program):  # noqa: F811
    found = program_places.cells(trial, program)
    said = program_places.rows()[program.name]
    assert found == {column: said[column] for column in found}, trial.why
