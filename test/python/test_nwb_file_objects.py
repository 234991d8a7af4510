"""NWB in one-file stores and zip files, read by pynwb through fsspec's files, on this machine and by http."""

import pytest

pytest.importorskip("pynwb")
pytest.importorskip("aiohttp")

import drivers  # noqa: E402

NAMES = ["one.nwb", "zipped.nwb"]

MAKE = """
import datetime
from pynwb import NWBHDF5IO, NWBFile, TimeSeries
for path in sys.argv[1:]:
    session = NWBFile(session_description="d", identifier="i", session_start_time=datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc))
    session.add_acquisition(TimeSeries(name="series", data=X[:, :3], unit="V", rate=10.0))
    session.add_trial(start_time=1.0, stop_time=2.0)
    with NWBHDF5IO(path, "w") as io_:
        io_.write(session)
"""

READ = """
import fsspec
from pynwb import NWBHDF5IO
def read():
    with fsspec.open(sys.argv[1], "rb").open() as file, h5py.File(file, "r") as f, NWBHDF5IO(file=f, mode="r", load_namespaces=True) as io_:
        session = io_.read()
        assert session.identifier == "i" and (session.acquisition["series"].data[:] == X[:, :3]).all()
        assert session.trials["stop_time"][0] == 2.0
read()
"""


@pytest.fixture(scope="module")
def where(tmp_path_factory):
    where = tmp_path_factory.mktemp("sessions")
    drivers.run(MAKE, *(where / name for name in NAMES), connector="zarr create=zipped.nwb:zip,one.nwb:file")
    return where


@pytest.mark.parametrize("way", [None, "zarr"])
@pytest.mark.parametrize("name", NAMES)
def test_local(where, name, way):
    drivers.read_here(READ, where / name, way)


@pytest.mark.parametrize("way", [None, "zarr"])
@pytest.mark.parametrize("name", NAMES)
def test_http(where, name, way):
    drivers.read_by_http(READ, where / name, way)
