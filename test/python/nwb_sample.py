"""NWB files made by pynwb, one part for each family of neurodata types that holds references, links, compounds or regions.

Every interpreter makes the same file: random numbers are seeded and object ids are counted.
"""

import datetime
import os
import uuid

import numpy as np
import pynwb
from hdmf.backends.hdf5 import H5DataIO
from hdmf.common import AlignedDynamicTable, DynamicTable, DynamicTableRegion, VectorData, VectorIndex
from hdmf.data_utils import DataChunkIterator
from pynwb import NWBHDF5IO, NWBFile, TimeSeries, base, behavior, ecephys, icephys, image, misc, ogen, ophys

import nwb_extension

START = datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)


class Source:
    """What a part takes its numbers and devices from."""

    def __init__(self, nwb, positions):
        self.nwb, self.random, self.positions = nwb, np.random.default_rng(7), positions

    def device(self, name="probe"):
        devices = self.nwb.devices
        return devices[name] if name in devices else self.nwb.create_device(name=name, description="é", manufacturer="m")

    def series(self, name, rows=10, **more):
        return TimeSeries(name=name, data=self.random.normal(size=(rows, 2)), unit="V", **{"rate": 10.0, **more})

    def electrodes(self):
        if self.nwb.electrodes is None:
            for shank in range(2):
                group = self.nwb.create_electrode_group(name=f"shank{shank}", description="d", location="CA1", device=self.device(),
                                                        position=(1.5, 2.5, 3.5 + shank) if self.positions else None)
                for i in range(3):
                    self.nwb.add_electrode(group=group, location=f"CA{i}", x=float(i), y=2.0, z=np.nan, imp=-1.0, filtering="none")
        return self.nwb.create_electrode_table_region(region=[0, 2, 5], description="some")

    def module(self, name="processed"):
        return self.nwb.processing[name] if name in self.nwb.processing else self.nwb.create_processing_module(name, "d")


# ---- the parts ----


def plain(s):
    """Nothing but the file and its own fields: text, dates, lists of text."""
    s.nwb.keywords = ["k1", "kü"]
    s.nwb.experimenter = ["Last, First", "Other, Óne"]
    s.nwb.related_publications = ["doi:1"]
    s.nwb.notes = "line one\nline two ✓"
    s.nwb.subject = pynwb.file.Subject(subject_id="s1", species="Mus musculus", sex="F", age="P90D", strain="C57",
                                       date_of_birth=START, weight="20 g", description="")


def series(s):
    """Numbers of each width, linked data and timestamps, missing values, text as data."""
    first = s.series("first", rate=None, timestamps=np.arange(10) / 7)
    s.nwb.add_acquisition(first)
    s.nwb.add_acquisition(TimeSeries(name="same_times", data=np.arange(10, dtype="i2"), unit="a", timestamps=first))
    s.nwb.add_acquisition(TimeSeries(name="same_data", data=first, unit="V", rate=1.0, control=[1, 2], control_description=["a", "b"]))
    for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        s.nwb.add_stimulus(TimeSeries(name=f"of_{kind}", data=np.arange(5).astype(kind), unit="n", starting_time=0.0, rate=2.0))
    s.nwb.add_acquisition(TimeSeries(name="gaps", data=[1.0, np.nan, np.inf, -np.inf], unit="n", rate=1.0, resolution=np.nan,
                                     conversion=1e-6, offset=3.0, continuity="step"))
    s.nwb.add_acquisition(TimeSeries(name="none", data=np.zeros((0, 3)), unit="n", rate=1.0))
    s.nwb.add_acquisition(TimeSeries(name="booleans", data=np.array([True, False, True]), unit="n", rate=1.0))
    s.nwb.add_acquisition(misc.AnnotationSeries(name="notes", data=["a", "", "ü"], timestamps=[1.0, 2.0, 3.0]))
    s.nwb.add_stimulus_template(s.series("template"))


def ecephys_part(s):
    raw = ecephys.ElectricalSeries(name="raw", data=np.arange(30, dtype="i2").reshape(10, 3), electrodes=s.electrodes(), rate=100.0,
                                   channel_conversion=[1.0, 2.0, 3.0], filtering="f")
    s.nwb.add_acquisition(raw)
    lfp = ecephys.ElectricalSeries(name="lfp", data=np.ones((10, 3)), electrodes=s.electrodes(), rate=10.0)
    s.module().add(ecephys.LFP(electrical_series=lfp))
    spikes = ecephys.SpikeEventSeries(name="events", data=np.ones((4, 3, 5)), timestamps=np.arange(4.0), electrodes=s.electrodes())
    s.nwb.add_acquisition(spikes)
    s.module().add(ecephys.EventDetection(detection_method="m", source_electricalseries=raw, source_idx=[1, 2]))
    s.module().add(ecephys.FeatureExtraction(electrodes=s.electrodes(), description=["a", "b"], times=[1.0, 2.0],
                                             features=np.zeros((2, 3, 2))))


def trials(s):
    """Columns of references to ranges of time series (compounds with a reference), ragged ones too; text; booleans."""
    a, b = s.series("a"), s.series("b")
    s.nwb.add_acquisition(a)
    s.nwb.add_acquisition(b)
    s.nwb.add_trial_column("stimulus", "which")
    s.nwb.add_trial_column("correct", "was it")
    s.nwb.add_trial(start_time=0.1, stop_time=0.5, stimulus="left", correct=True, timeseries=[a], tags=["x", "y"])
    s.nwb.add_trial(start_time=0.5, stop_time=0.9, stimulus="", correct=False, timeseries=[a, b], tags=["z"])
    s.nwb.add_epoch(start_time=0.0, stop_time=0.9, tags=["one"], timeseries=[b])
    s.nwb.add_invalid_time_interval(start_time=0.2, stop_time=0.3, tags=[], timeseries=[a])


def units(s):
    s.electrodes()
    groups = list(s.nwb.electrode_groups.values())
    s.nwb.add_unit_column("quality", "text")
    s.nwb.add_unit_column("depth", "ragged", index=True)
    for i in range(3):
        s.nwb.add_unit(spike_times=np.arange(i + 1) / 3, obs_intervals=[[0.0, 1.0], [2.0, 3.0]], electrodes=list(range(i + 1)),
                       electrode_group=groups[i % 2], waveform_mean=np.ones((4, 2)) * i, waveform_sd=np.zeros((4, 2)),
                       waveforms=[[np.arange(4.0)] * 2, [np.arange(4.0)]], quality=["good", "bad", ""][i], depth=[1.0] * i)


def plane(s):
    channel = ophys.OpticalChannel(name="channel", description="d", emission_lambda=500.0)
    return s.nwb.create_imaging_plane(name="plane", optical_channel=channel, description="d", device=s.device("scope"),
                                      excitation_lambda=600.0, indicator="GFP", location="V1", imaging_rate=30.0,
                                      grid_spacing=[1.0, 2.0], grid_spacing_unit="um", origin_coords=[0.0, 1.0, 2.0])


def ophys_part(s):
    p = plane(s)
    movie = ophys.TwoPhotonSeries(name="movie", data=np.arange(48, dtype="u2").reshape(3, 4, 4), unit="n", rate=1.0, imaging_plane=p,
                                  pmt_gain=1.0, scan_line_rate=2.0)
    s.nwb.add_acquisition(movie)
    s.nwb.add_acquisition(ophys.OnePhotonSeries(name="one", data=np.ones((3, 4, 4)), unit="n", rate=1.0, imaging_plane=p))
    masks = {"pixels": {"pixel_mask": lambda i: [(x, x + i, 0.5) for x in range(i + 1)]},
             "voxels": {"voxel_mask": lambda i: [(x, i, 1, 0.25) for x in range(i + 1)]},
             "images": {"image_mask": lambda i: np.eye(4) * i}}
    segmentation = ophys.ImageSegmentation(name="ImageSegmentation")
    s.module("ophys").add(segmentation)
    for name, columns in masks.items():
        table = segmentation.create_plane_segmentation(name=name, description="d", imaging_plane=p, reference_images=movie)
        for i in range(3):
            table.add_roi(**{key: make(i) for key, make in columns.items()})
    rois = segmentation["pixels"].create_roi_table_region(description="r", region=[0, 2])
    response = ophys.RoiResponseSeries(name="response", data=np.ones((5, 2)), rois=rois, unit="l", rate=1.0)
    s.module("ophys").add(ophys.Fluorescence(roi_response_series=response))
    corrected = image.ImageSeries(name="corrected", data=np.ones((3, 4, 4)), unit="n", rate=1.0)
    stack = ophys.CorrectedImageStack(corrected=corrected, original=movie, xy_translation=TimeSeries(
        name="xy_translation", data=np.ones((3, 2)), unit="pixels", rate=1.0))
    s.module("ophys").add(ophys.MotionCorrection(corrected_image_stacks=stack))


def images(s):
    """References between images and their order, files outside."""
    pictures = [image.GrayscaleImage(name="gray", data=np.eye(3)), image.RGBImage(name="rgb", data=np.ones((2, 2, 3), "u1")),
                image.RGBAImage(name="rgba", data=np.ones((2, 2, 4)), resolution=1.0, description="d")]
    order = base.ImageReferences(name="order_of_images", data=pictures[::-1])
    shown = base.Images(name="pictures", images=pictures, description="d", order_of_images=order)
    s.nwb.add_stimulus_template(shown)
    s.nwb.add_stimulus(image.IndexSeries(name="index", data=np.array([2, 0, 1], "u4"), indexed_images=shown, unit="N/A",
                                         timestamps=[0.1, 0.2, 0.3]))
    outside = image.ImageSeries(name="outside", external_file=["a.avi", "b.avi"], starting_frame=[0, 5], format="external", rate=1.0,
                                device=s.device("camera"), num_samples=9)
    s.nwb.add_acquisition(outside)
    s.nwb.add_stimulus(image.OpticalSeries(name="optical", distance=1.0, field_of_view=[1.0, 2.0], orientation="up", unit="n",
                                           data=np.ones((2, 3, 3)), rate=1.0))


def icephys_part(s):
    """Aligned tables whose columns are references to ranges; hierarchical tables of regions."""
    electrode = s.nwb.create_icephys_electrode(name="e0", description="d", device=s.device("amp"), cell_id="c")
    rows = []
    for i in range(3):
        stimulus = icephys.VoltageClampStimulusSeries(name=f"stim{i}", data=np.arange(5.0), rate=10.0, electrode=electrode, gain=0.02,
                                                      sweep_number=np.uint64(i))
        response = icephys.VoltageClampSeries(name=f"resp{i}", data=np.arange(5.0), rate=10.0, electrode=electrode, gain=0.02,
                                              conversion=1e-12, resolution=np.nan, capacitance_slow=1e-10, sweep_number=np.uint64(i))
        rows.append(s.nwb.add_intracellular_recording(electrode=electrode, stimulus=stimulus, response=response, id=10 + i,
                                                      stimulus_start_index=i, stimulus_index_count=2))
    s.nwb.add_intracellular_recording(electrode=electrode, response=response, id=20)  # its stimulus is a reference with no range
    s.nwb.add_acquisition(icephys.IZeroClampSeries(name="zero", data=[1.0, 2.0], rate=1.0, electrode=electrode, gain=1.0))
    s.nwb.intracellular_recordings.add_column(name="tag", data=["A", "B", "C", "D"], description="text", category=None)
    at_once = [s.nwb.add_icephys_simultaneous_recording(recordings=[rows[0], rows[1]]),
               s.nwb.add_icephys_simultaneous_recording(recordings=[rows[2]])]
    sequence = s.nwb.add_icephys_sequential_recording(simultaneous_recordings=at_once, stimulus_type="square")
    repetition = s.nwb.add_icephys_repetition(sequential_recordings=[sequence])
    s.nwb.add_icephys_experimental_condition(repetitions=[repetition])


def ogen_part(s):
    site = ogen.OptogeneticStimulusSite(name="site", device=s.device("laser"), description="d", excitation_lambda=600.0, location="V1")
    s.nwb.add_ogen_site(site)
    s.nwb.add_stimulus(ogen.OptogeneticSeries(name="light", data=[0.0, 1.0], site=site, rate=1.0))


def behaviour(s):
    spatial = behavior.SpatialSeries(name="xy", data=np.ones((5, 2)), reference_frame="corner", timestamps=np.arange(5.0))
    s.module("behavior").add(behavior.Position(spatial_series=spatial))
    s.module("behavior").add(behavior.BehavioralTimeSeries(time_series=s.series("speed")))
    s.module("behavior").add(behavior.BehavioralEpochs(interval_series=misc.IntervalSeries(name="runs", data=np.array([1, -1], "i1"),
                                                                                         timestamps=[0.5, 0.7])))


def spectra(s):
    """A series made from another, its frequency bands and the channels it was made from."""
    source = ecephys.ElectricalSeries(name="source", data=np.ones((4, 3)), electrodes=s.electrodes(), rate=1.0)
    s.nwb.add_acquisition(source)
    region = DynamicTableRegion(name="source_channels", data=[0, 1, 2], description="d", table=s.nwb.electrodes)
    power = misc.DecompositionSeries(name="power", data=np.ones((4, 3, 2)), metric="power", source_timeseries=source,
                                     source_channels=region, rate=1.0)
    power.add_band(band_name="theta", band_limits=[4.0, 8.0], band_mean=6.0, band_stdev=1.0)
    power.add_band(band_name="γ", band_limits=[30.0, 80.0], band_mean=50.0, band_stdev=5.0)
    s.module().add(power)


def tables(s):
    """Columns of each kind: ragged twice, regions with an index, references, many dimensions, none at all; tables side by side."""
    target = DynamicTable(name="target", description="d", columns=[
        VectorData(name="number", description="d", data=np.arange(4, dtype="i4")), VectorData(name="text", description="d", data=list("abcd")),
        VectorData(name="flag", description="d", data=np.array([True, False, True, True])),
        VectorData(name="cube", description="d", data=np.arange(24.0).reshape(4, 3, 2))])
    s.nwb.add_scratch(target)
    region = DynamicTableRegion(name="rows", data=[0, 1, 3, 3], description="d", table=target)
    words = VectorData(name="words", description="d", data=["a", "b", "cc", "d", "e"])
    inner = VectorIndex(name="words_index", target=words, data=[1, 3, 5])
    outer = VectorIndex(name="words_index_index", target=inner, data=[1, 3])
    s.nwb.add_scratch(DynamicTable(name="ragged", description="d", columns=[
        words, inner, outer, region, VectorIndex(name="rows_index", target=region, data=[1, 4])]))
    s.nwb.add_scratch(DynamicTable(name="empty", description="no row"))
    objects = [s.series("t0"), s.series("t1")]
    for item in objects:
        s.nwb.add_acquisition(item)
    s.nwb.add_scratch(DynamicTable(name="objects", description="d", columns=[
        VectorData(name="series", description="references", data=objects)]))
    s.nwb.add_scratch(AlignedDynamicTable(name="aligned", description="d", columns=[VectorData(name="c", description="d", data=[1, 2])],
                                          category_tables=[DynamicTable(name=n, description="d", columns=[
                                              VectorData(name="v", description="d", data=[0.5, 1.5])]) for n in ("left", "right")]))
    s.nwb.add_scratch(np.arange(3), name="numbers", description="d")
    s.nwb.add_scratch("text", name="note", description="d")


def written_in_pieces(s):
    """Datasets that grow while they are written, compressed, chunked, resizable."""
    def rows():
        for i in range(20):
            yield np.full(3, i, "i2")

    pieces = DataChunkIterator(data=rows(), maxshape=(None, 3), dtype=np.dtype("i2"), buffer_size=7)
    s.nwb.add_acquisition(TimeSeries(name="pieces", data=H5DataIO(pieces, compression="gzip", shuffle=True, chunks=(5, 3)), unit="n", rate=1.0))
    s.nwb.add_acquisition(TimeSeries(name="bare", data=DataChunkIterator(data=rows(), maxshape=(None, 3), dtype=np.dtype("i2")), unit="n", rate=1.0))
    s.nwb.add_acquisition(TimeSeries(name="checked", data=H5DataIO(np.arange(100.0), compression="gzip", compression_opts=9, fletcher32=True,
                                                                   maxshape=(None,), fillvalue=7.0), unit="n", rate=1.0))


def extension(s):
    nwb_extension.fill(s)


def compounds_of_extension(s):
    nwb_extension.fill_compounds(s)


def text_compounds_of_extension(s):
    nwb_extension.fill_text_compounds(s)


PARTS = {part.__name__.removesuffix("_part"): part for part in (
    plain, series, ecephys_part, trials, units, ophys_part, images, icephys_part, ogen_part, behaviour, spectra, tables,
    written_in_pieces, extension, compounds_of_extension, text_compounds_of_extension)}


# ---- files ----


def nwb_file(names, positions=True):
    """The NWBFile with these parts. The ids of its objects depend on nothing else. positions: scalar compounds in it."""
    numbers = iter(range(1, 1 << 20))
    import hdmf.container

    original, hdmf.container.uuid4 = hdmf.container.uuid4, lambda: uuid.UUID(int=next(numbers) << 64 | 1 << 63, version=4)
    try:
        nwb = NWBFile(session_description="d", identifier="id-1", session_start_time=START, file_create_date=START)
        source = Source(nwb, positions)
        for name in names:
            PARTS[name](source)
        for item in list(nwb.objects.values()):
            item.object_id  # made when first asked for
        return nwb
    finally:
        hdmf.container.uuid4 = original


def write(path, names, positions=True):
    """Through whatever h5py.File(path, "w") makes in this interpreter."""
    nwb = nwb_file(names, positions)
    with NWBHDF5IO(os.fspath(path), "w") as io:
        io.write(nwb)


def write_by_hdmf_zarr(path, names):
    """Without what it cannot write: scalar compounds."""
    from hdmf_zarr.nwb import NWBZarrIO

    nwb = nwb_file(names, positions=False)
    with NWBZarrIO(os.fspath(path), "w") as io:
        io.write(nwb)


def export(source, target):
    """pynwb's own: from any HDF5 to whatever h5py makes here."""
    with NWBHDF5IO(os.fspath(source), "r") as read, NWBHDF5IO(os.fspath(target), "w") as written:
        written.export(src_io=read, nwbfile=read.read())


def export_by_hdmf_zarr(source, target):
    from hdmf_zarr.nwb import NWBZarrIO

    with NWBHDF5IO(os.fspath(source), "r") as read, NWBZarrIO(os.fspath(target), "w") as written:
        written.export(src_io=read, nwbfile=read.read(), write_args={"link_data": False})
