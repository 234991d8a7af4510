"""The blocks of the pages about NWB work when they are copied."""

import pytest

pytest.importorskip("pynwb")
pytest.importorskip("hdmf_zarr")

import pages
from places import ROOT


@pytest.mark.parametrize("name, count", [("start-neuroscience", 3), ("nwb", 15)])
def test_pages_for_users(tmp_path, tool, name, count):
    assert pages.run_page(ROOT / "docs" / f"{name}.md", tmp_path) == count
