"""old_programs.py PROGRAM FILE - what AnnData, pynwb and xarray write: small, with what each stores in a way of its own. old_stores.sh runs it
for each kind of store and for a native file, which judges the stores later."""

import datetime
import itertools
import sys
import uuid

import numpy as np


def anndata_file(path):
    import anndata
    import pandas
    import scipy.sparse

    rng = np.random.default_rng(1)
    counts = rng.poisson(0.5, (40, 12)).astype("f4")
    cells = anndata.AnnData(scipy.sparse.csr_matrix(counts))
    cells.obs["kind"] = pandas.Categorical(["B", "T", "NK", "T"] * 10)
    cells.obs["few"] = pandas.array([1, None, 3, 4] * 10, dtype="Int64")
    cells.var["gene"] = [f"gen-\u00e9-{i}" for i in range(12)]
    cells.obsm["pca"] = rng.normal(size=(40, 3))
    cells.layers["counts"] = counts.astype("u2")
    cells.uns["about"] = {"title": "small", "n": np.int64(7), "names": np.array(["a", "bc"], dtype=object)}
    cells.write_h5ad(path, compression="gzip")


def nwb_file(path):
    """The same ids and dates in each file."""
    import hdmf.container
    import pynwb

    numbers = itertools.count(1)
    hdmf.container.uuid4 = lambda: uuid.UUID(int=next(numbers), version=4)
    day = datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc)
    nwb = pynwb.NWBFile(session_description="of an archive", identifier="vol-zarr", session_start_time=day, file_create_date=day)
    speed = pynwb.TimeSeries(name="speed", data=np.arange(64.0).reshape(32, 2), unit="m/s", rate=10.0)
    nwb.add_acquisition(speed)
    nwb.add_trial_column("side", "of the reward")
    for start in range(3):
        nwb.add_trial(start_time=float(start), stop_time=start + 0.5, side="left" if start % 2 else "right", timeseries=[speed])
    for unit in range(4):
        nwb.add_unit(spike_times=np.arange(unit + 1) / 7, id=unit)
    with pynwb.NWBHDF5IO(path, "w") as io:
        io.write(nwb)


def netcdf_file(path):
    import xarray

    t = 280 + np.arange(24, dtype="f4").reshape(2, 3, 4)
    t[0, 0, 0] = np.nan
    weather = xarray.Dataset(
        {"t": (("time", "lat", "lon"), t, {"units": "K", "long_name": "temperature"}), "n": (("lat",), np.arange(3, dtype="i2")),
         "station": (("lat",), np.array(["Oslo", "Z\u00fcrich", "Rome"], dtype=object))},
        {"time": np.array(["2000-01-01", "2000-02-01"], "M8[ns]"), "lat": [60.0, 47.0, 42.0], "lon": np.arange(4.0)}, {"Conventions": "CF-1.8"})
    weather.to_netcdf(path, engine="netcdf4", unlimited_dims=["time"], encoding={"t": {"zlib": True, "chunksizes": (1, 3, 4)}})


if __name__ == "__main__":
    {"anndata": anndata_file, "nwb": nwb_file, "netcdf": netcdf_file}[sys.argv[1]](sys.argv[2])
