"""As test_programs.py, in the environment that has pynwb."""

import pytest

pytest.importorskip("pynwb")

import programs  # noqa: E402
from test_programs import trial  # noqa: E402, F401  a fixture


@pytest.mark.parametrize("program", [p for p in programs.PROGRAMS if {"pynwb", "hdmf_zarr"} & {*p.needs}], ids=lambda p: p.__name__)
def test_program(trial, program):  # noqa: F811
    assert trial.cells(program) == programs.rows()[program.name], trial.why
