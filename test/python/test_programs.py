"""docs/programs.md says what each program of this environment does."""

import pytest

import programs


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    user, creator = programs.interpreters()
    yield programs.Trial(tmp_path_factory.mktemp("programs"), user, creator, programs.convert)
    user.stop()
    creator.stop()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", [p for p in programs.PROGRAMS if p.here()], ids=lambda p: p.__name__)
def test_program(trial, program):
    assert trial.cells(program) == programs.rows()[program.name], trial.why


def test_every_program_is_in_the_page():
    assert set(programs.rows()) == {program.name for program in programs.PROGRAMS}
