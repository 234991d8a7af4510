"""An NWB session that pynwb wrote to an HDF5 file, read by pynwb from a web server: as from the disk, and in how many round trips."""

import datetime

import h5py
import numpy as np
import pytest

from file_server import FileServer
from hdf5_compare import check_equal

pynwb = pytest.importorskip("pynwb")


@pytest.fixture
def server(tmp_path):
    (tmp_path / "served").mkdir()
    running = FileServer(tmp_path / "served")
    yield running
    running.stop()


def make_session():
    rng = np.random.default_rng(3)
    session = pynwb.NWBFile("a session", "id", datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc))
    device = session.create_device("probe")
    group = session.create_electrode_group("shank", "d", "l", device)
    for i in range(16):
        session.add_electrode(x=float(i), y=0.0, z=0.0, location="CA1", group=group)
    region = session.create_electrode_table_region(list(range(16)), "all")
    session.add_acquisition(pynwb.ecephys.ElectricalSeries("raw", rng.normal(size=(20000, 16)).astype("f4"), region, rate=30000.0))
    for i in range(20):
        session.add_acquisition(pynwb.TimeSeries(f"series{i}", rng.normal(size=500), "V", timestamps=np.arange(500.0)))
    for i in range(50):
        session.add_unit(spike_times=np.sort(rng.uniform(0, 100, 200)), electrodes=[i % 16])
    session.add_trial_column("kind", "which")
    for i in range(40):
        session.add_trial(float(i), i + 0.5, kind="abc"[i % 3])
    return session


def test_session(server):
    path = server.root / "s.nwb"
    with pynwb.NWBHDF5IO(str(path), "w") as io:
        io.write(make_session())
    with h5py.File(f"{server.url}/s.nwb") as got, h5py.File(path) as wanted:
        assert len(check_equal(got, wanted)) >= 72
    server.clear(together=80)
    file = h5py.File(f"{server.url}/s.nwb", "r")
    with pynwb.NWBHDF5IO(file=file, mode="r") as io:
        got = io.read()
        assert server.rounds() <= 6, server.log
        with pynwb.NWBHDF5IO(str(path), "r") as other:
            wanted = other.read()
            np.testing.assert_array_equal(got.acquisition["raw"].data[100:900:7], wanted.acquisition["raw"].data[100:900:7])
            assert got.trials.to_dataframe().equals(wanted.trials.to_dataframe())
            assert [list(each) for each in got.units["spike_times"][:]] == [list(each) for each in wanted.units["spike_times"][:]]
            assert got.acquisition["raw"].electrodes.to_dataframe()["location"].tolist() == ["CA1"] * 16
    assert server.rounds() <= 6, server.log
