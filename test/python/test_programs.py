"""docs/programs.md says what each program of this environment does."""

import pytest

import program_places
import programs

HERE = [program for program in programs.PROGRAMS if program.here()]


@pytest.fixture(scope="module")
def trial():
    with program_places.trial() as trial:
        yield trial


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", HERE, ids=lambda p: p.__name__)
def test_program(trial, program):
    assert trial.cells(program) == programs.rows()[program.name], trial.why


def test_every_program_is_in_the_page():
    assert set(programs.rows()) == {program.name for program in programs.PROGRAMS}
    assert set(program_places.rows()) == {program.name for program in programs.PROGRAMS if program.table in ("hdf5", "zarr")}
