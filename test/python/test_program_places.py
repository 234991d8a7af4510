"""docs/programs.md says what each program of this environment does with zip files and in buckets."""

import pytest

import program_places


@pytest.fixture(scope="module")
def trial():
    with program_places.trial() as trial:
        yield trial


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", program_places.programs_here(), ids=lambda p: p.__name__)
def test_program(trial, program):
    """Without MinIO the cell of buckets is not asked; tools/test.sh names what is left out then."""
    found = program_places.cells(trial, program)
    said = program_places.rows()[program.name]
    assert found == {column: said[column] for column in found}, trial.why
