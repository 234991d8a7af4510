"""pynwb opens the reference file that LINDI made of an NWB file, as it opens that file."""

import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

from places import unpacked


def test_pynwb(tmp_path):
    wild = unpacked("wild/stores-2026-11.tar.gz", tmp_path)
    with pynwb.NWBHDF5IO(str(wild / "t.nwb.lindi.json"), "r") as io, pynwb.NWBHDF5IO(str(wild / "t.nwb"), "r") as judge:
        ours, theirs = io.read(), judge.read()
        assert str(ours.electrodes.to_dataframe().drop(columns="group")) == str(theirs.electrodes.to_dataframe().drop(columns="group"))
        for name, series in theirs.acquisition.items():
            np.testing.assert_array_equal(ours.acquisition[name].data[...], series.data[...])
        assert ours.units.to_dataframe().shape == theirs.units.to_dataframe().shape
