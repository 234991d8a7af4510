"""Makes hdmf-zarr-VERSION.tar.gz: stores as an older hdmf-zarr wrote them, and what it was given, as facts.json.

    python old_nwb.py hdmf-zarr-0.5.0.tar.gz       in an environment with that hdmf-zarr

The archives beside this file came from these environments (their Python in brackets):
    0.1.0 [3.9]   hdmf 3.4.7   pynwb 2.2.0  zarr 2.13.6  numcodecs 0.12.1    source: the path as it was opened, no object ids
    0.2.0 [3.9]   hdmf 3.5.5   pynwb 2.3.3  zarr 2.13.6  numcodecs 0.12.1    source "."
    0.5.0 [3.11]  hdmf 3.14.6  pynwb 2.6.0  zarr 2.16.1  numcodecs 0.11.0    compounds with references: rows as pickled lists
    0.8.0 [3.11]  hdmf 3.14.6  pynwb 2.8.3  zarr 2.17.2  numcodecs 0.15.2    structured and pickled
    0.10.0 [3.11] hdmf 3.14.6  pynwb 2.8.3  zarr 2.18.7  numcodecs 0.15.2    source: the name of the store, from its parent
    0.11.1 [3.11] hdmf 3.14.6  pynwb 2.8.3  zarr 2.18.7  numcodecs 0.15.2    pixel masks with a column too many
    0.14.0 [3.13] hdmf 6.2.0   pynwb 4.2.0  zarr 3.4.2   numcodecs 0.17.1    format 3, other names of attributes, no pickle
"""

import datetime
import json
import os
import sys
import tarfile
import tempfile

import numpy as np


def make():
    import pynwb
    from pynwb import NWBFile, TimeSeries, ecephys, file, image, ophys

    start = datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
    nwb = NWBFile(session_description="d", identifier="id-1", session_start_time=start, file_create_date=start, keywords=["k1", "kü"])
    nwb.subject = file.Subject(subject_id="s1", species="Mus musculus", sex="F", age="P90D")
    probe = nwb.create_device(name="probe")
    for shank in range(2):
        group = nwb.create_electrode_group(name=f"shank{shank}", description="d", location="CA1", device=probe)
        for i in range(2):
            nwb.add_electrode(x=float(i), y=2.0, z=np.nan, imp=-1.0, location=f"CA{i}", filtering="none", group=group)
    region = nwb.create_electrode_table_region(region=[0, 3], description="some")
    raw = ecephys.ElectricalSeries(name="raw", data=np.arange(20, dtype="i2").reshape(10, 2), electrodes=region, timestamps=np.arange(10) / 7)
    nwb.add_acquisition(raw)
    nwb.add_acquisition(TimeSeries(name="same_times", data=np.array([True, False] * 5), unit="n", timestamps=raw))
    nwb.add_acquisition(TimeSeries(name="scalars", data=[1.0, np.nan], unit="n", rate=2.5, starting_time=0.5))
    frames = {"num_samples": 9} if int(pynwb.__version__.split(".")[0]) >= 4 else {}
    outside = image.ImageSeries(name="outside", external_file=np.array(["a.avi", "b.avi"], object), starting_frame=[0, 5], format="external",
                                rate=1.0, **frames)
    nwb.add_acquisition(outside)
    nwb.add_trial_column("kind", "text")
    nwb.add_trial(start_time=0.1, stop_time=0.5, kind="left", timeseries=[raw], tags=["x", "y"])
    nwb.add_trial(start_time=0.5, stop_time=0.9, kind="ü", timeseries=[raw, nwb.acquisition["scalars"]], tags=["z"])
    for i in range(2):
        nwb.add_unit(spike_times=np.arange(i + 1) / 3, electrodes=list(range(i + 1)), electrode_group=group)
    channel = ophys.OpticalChannel(name="channel", description="d", emission_lambda=500.0)
    plane = nwb.create_imaging_plane(name="plane", optical_channel=channel, description="d", device=probe, excitation_lambda=600.0,
                                     indicator="GFP", location="V1", imaging_rate=30.0)
    segmentation = ophys.ImageSegmentation()
    nwb.create_processing_module("ophys", "d").add(segmentation)
    masks = segmentation.create_plane_segmentation(name="pixels", description="d", imaging_plane=plane)
    for i in range(3):
        masks.add_roi(pixel_mask=[(x, x + i, 0.5) for x in range(i + 2)])
    return nwb


def plain(value):
    """Numbers and text, lists of them."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (list, tuple)):
        return [plain(x) for x in value]
    return repr(value) if isinstance(value, float) else value


def facts(nwb):
    """What the file says, following its references, links and regions."""
    raw, trials, units = nwb.acquisition["raw"], nwb.trials, nwb.units
    masks = nwb.processing["ophys"]["ImageSegmentation"]["pixels"]
    return {
        "file": [nwb.identifier, nwb.session_start_time.isoformat(), plain(nwb.keywords[:]), nwb.subject.sex],
        "electrodes": [[plain(nwb.electrodes[name][i]) for name in ("x", "z", "location")] for i in range(4)],
        "groups": [[nwb.electrodes["group"][i].name, nwb.electrodes["group"][i].device.name] for i in range(4)],
        "raw": [plain(raw.data[:]), plain(raw.timestamps[:]), raw.electrodes.table.name, plain(raw.electrodes.data[:])],
        "same_times": [plain(nwb.acquisition["same_times"].timestamps[:]), plain(nwb.acquisition["same_times"].data[:])],
        "scalars": [plain(x) for x in (nwb.acquisition["scalars"].rate, nwb.acquisition["scalars"].starting_time,
                                       nwb.acquisition["scalars"].data[:])],
        "outside": plain(nwb.acquisition["outside"].external_file[:]),
        "trials": [[plain(trials["start_time"][i]), trials["kind"][i], plain(list(trials["tags"][i])),
                    [[int(r.idx_start), int(r.count), r.timeseries.name] for r in trials["timeseries"][i]]] for i in range(2)],
        "units": [[plain(units["spike_times"][i]), plain(units["electrodes"].target.data[:]), units["electrode_group"][i].name]
                  for i in range(2)],
        "masks": [[[int(row[0]), int(row[1]), float(row[2])] for row in masks["pixel_mask"][i]] for i in range(3)],
        "plane": [masks.imaging_plane.name, masks.imaging_plane.device.name],
    }


def main(archive):
    import hdmf_zarr
    from hdmf_zarr.nwb import NWBZarrIO
    from pynwb import NWBHDF5IO

    os.chdir(tempfile.mkdtemp())
    nwb = make()
    with open("facts.json", "w") as out:
        json.dump(facts(nwb), out, indent=1)
    with NWBZarrIO("written.nwb.zarr", "w") as io:
        io.write(nwb, cache_spec=False)
    with NWBHDF5IO("native.nwb", "w") as io:
        io.write(make(), cache_spec=False)
    with NWBHDF5IO("native.nwb", "r", load_namespaces=False) as read, NWBZarrIO("exported.nwb.zarr", "w") as io:
        io.export(src_io=read, write_args={"link_data": False})
    with tarfile.open(archive, "w:gz") as out:
        for name in ("facts.json", "written.nwb.zarr", "exported.nwb.zarr"):
            out.add(name)
    print(archive, hdmf_zarr.__version__, os.path.getsize(archive))


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
