"""NWB files through h5zarr convert: what pynwb shows of the file, hdmf-zarr shows of the store, with references inside compounds too, and
pynwb again of the file that is made of the store."""

import datetime

import pytest

pytest.importorskip("pynwb")
pytest.importorskip("hdmf_zarr")

import nwb_compare  # noqa: E402
import numpy as np  # noqa: E402
from converting import convert  # noqa: E402
from hdmf_zarr import NWBZarrIO  # noqa: E402
from places import shared  # noqa: E402
from pynwb import NWBFile, NWBHDF5IO, TimeSeries  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def recording(path):
    """Trials with time series: compounds with references, which h5repack does not translate."""
    nwb = NWBFile("a recording", "one", datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc))
    speed = TimeSeries(name="speed", data=np.arange(100.0), unit="m/s", rate=10.0)
    nwb.add_acquisition(speed)
    nwb.add_trial_column("why", "a reason")
    for i in range(4):
        nwb.add_trial(start_time=float(i), stop_time=i + 1.0, why=f"reason {i}", timeseries=[speed])
    device = nwb.create_device("device")
    group = nwb.create_electrode_group("group", "of electrodes", "somewhere", device)
    for _ in range(3):
        nwb.add_electrode(location="there", group=group)
    with NWBHDF5IO(path, "w") as io:
        io.write(nwb)


def shown(reader, path):
    with reader(str(path), "r") as io:
        nwb = io.read()
        rows = [[(int(r.idx_start), int(r.count), r.timeseries.name) for r in nwb.trials["timeseries"][i]] for i in range(4)]
        return rows, list(nwb.trials["why"][:]), [g.name for g in nwb.electrodes["group"][:]], list(nwb.acquisition["speed"].data[:])


def test_references_inside_compounds(tmp_path):
    recording(tmp_path / "a.nwb")
    expected = shown(NWBHDF5IO, tmp_path / "a.nwb")
    assert expected[0][1] == [(10, 10, "speed")]
    convert(tmp_path / "a.nwb", tmp_path / "a.nwb.zarr", "--verify")
    assert shown(NWBZarrIO, tmp_path / "a.nwb.zarr") == expected
    convert(tmp_path / "a.nwb.zarr", tmp_path / "back.nwb", "--verify")
    assert shown(NWBHDF5IO, tmp_path / "back.nwb") == expected


@pytest.mark.parametrize("name", ["2.1.0_nwbfile_with_extension.nwb", "ecephys_and_ogen.nwb"])
def test_real_files(name, tmp_path):
    source = shared(f"nwb/{name}")
    convert(source, tmp_path / "a.nwb.zarr", "--verify")
    convert(tmp_path / "a.nwb.zarr", tmp_path / "back.nwb", "--verify")
    original = nwb_compare.by_pynwb(source)
    assert not nwb_compare.object_differences(original, nwb_compare.by_pynwb(tmp_path / "back.nwb"))
    assert not nwb_compare.object_differences(original, nwb_compare.by_pynwb(tmp_path / "a.nwb.zarr"))
