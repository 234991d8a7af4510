# %% [markdown]
# # A climate store in netCDF's programs
#
# xarray writes Zarr, and many programs of climate research read netCDF only.
# With the plugin they open the store as the netCDF-4 file that it describes.
#
# The data are made here: 30 years of monthly temperatures, with seasons and noise.
# A warming of 0.03 K a year is in them, stronger in the north.

# %%
import os
import subprocess
import matplotlib.pyplot as plt
import netCDF4
import numpy as np
import xarray as xr

rng = np.random.default_rng(2026)
time = np.arange("1990-01", "2020-01", dtype="M8[M]").astype("M8[ns]")
lat, lon = np.arange(-87.5, 90, 5.0), np.arange(2.5, 360, 5.0)
month, year = np.arange(time.size) % 12, np.arange(time.size) / 12
season = -np.cos(2 * np.pi * (month - 0.5) / 12)[:, None] * 15 * np.sin(np.radians(lat))
warming = year[:, None] * (0.03 + 0.03 * np.clip(np.sin(np.radians(lat)), 0, None))
mean = 300 - 45 * np.sin(np.radians(lat)) ** 2
t = (mean + season + warming)[:, :, None] + 2 * np.sin(np.radians(2 * lon)) + rng.normal(0, 1, (time.size, lat.size, lon.size))
climate = xr.Dataset({"tas": (("time", "lat", "lon"), t.astype("f4"), {"units": "K", "long_name": "near-surface temperature"})},
                     {"time": time, "lat": ("lat", lat, {"units": "degrees_north"}), "lon": ("lon", lon, {"units": "degrees_east"})})
climate.to_zarr("climate.zarr", zarr_format=3, encoding={"tas": {"chunks": (60, 18, 36)}})
print(sum(len(files) for _, _, files in os.walk("climate.zarr")), "files, by xarray and zarr-python")

# %% [markdown]
# ## HDF5's and netCDF's programs
#
# `h5ls` shows the dimensions.
# The netCDF library wants a regular file, and gets a doorway: a small file that names the store.

# %%
print(subprocess.check_output(["h5ls", "climate.zarr"], text=True))
subprocess.run(["h5zarr", "door", "climate.zarr", "climate.nc"], check=True)
with netCDF4.Dataset("climate.nc") as file:
    print(file["tas"])

# %% [markdown]
# ## A map and a trend
#
# `xr.open_dataset` with the engine of netCDF files.

# %%
stored = xr.open_dataset("climate.zarr", engine="h5netcdf")
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 3.6), width_ratios=[3, 2])
change = stored.tas.sel(time=slice("2010", None)).mean("time") - stored.tas.sel(time=slice(None, "1999")).mean("time")
change.plot(ax=left, cmap="RdBu_r", vmin=-1.5, vmax=1.5, cbar_kwargs={"label": "K"})
left.set_title("2010 to 2019 against 1990 to 1999")
weights = np.cos(np.radians(stored.lat))
yearly = stored.tas.weighted(weights).mean(("lat", "lon")).groupby("time.year").mean()
slope, start = np.polyfit(yearly.year, yearly, 1)
yearly.plot(ax=right, marker="o", color="teal")
right.plot(yearly.year, start + slope * yearly.year, "k--", label=f"{slope:.3f} K a year")
right.set(title="mean of the globe", ylabel="K", xlabel="")
right.legend()
plt.tight_layout()
plt.show()

# %% [markdown]
# ## The judge
#
# xarray's own Zarr engine shows the same dataset.

# %%
xr.testing.assert_identical(stored.load(), xr.open_zarr("climate.zarr").load())
print("identical")
