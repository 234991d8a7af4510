# %% [markdown]
# # A raster of spikes from an NWB store
#
# pynwb reads NWB files through HDF5.
# Here the session is a Zarr store, and pynwb reads that.

# %%
import subprocess
import matplotlib.pyplot as plt
import numpy as np
import pynwb

print(subprocess.check_output(["h5zarr", "convert", "session.nwb", "session.nwb.zarr"], text=True).split(" in ")[0])
print(open("session.txt").read())  # which session this is

# %% [markdown]
# ## The units and the trials
#
# `read_nwb` and `NWBHDF5IO` take the name of the store as that of a file.

# %%
io = pynwb.NWBHDF5IO("session.nwb.zarr", "r")
nwb = io.read()
trials = nwb.trials.to_dataframe()
print(nwb.session_description)
print(len(nwb.units), "units,", len(trials), "trials")
trials[["start_time", "stop_time", "cue_start_time", "response"]].head(4)

# %% [markdown]
# ## The raster
#
# Each line is a trial in which the unit was recorded, and zero is the begin of its cue.
# The lower half is the mean rate in steps of 50 ms.

# %%
cues = trials["cue_start_time"].to_numpy()
cues = cues[np.isfinite(cues)]
before, after, step = 2.0, 3.0, 0.05
edges = np.arange(-before, after + step / 2, step)
fig, axes = plt.subplots(2, len(nwb.units), figsize=(11, 5), sharex=True, height_ratios=[3, 1], squeeze=False)
for unit in range(len(nwb.units)):
    spikes = nwb.units["spike_times"][unit]
    around = [spikes[(spikes > cue - before) & (spikes < cue + after)] - cue for cue in cues]
    around = [times for times in around if times.size]
    axes[0, unit].eventplot(around, colors="black", linewidths=0.6)
    axes[0, unit].set_title(f"unit {nwb.units.id[unit]}: {len(spikes)} spikes", fontsize=9)
    rate = np.histogram(np.concatenate(around), edges)[0] / step / len(around)
    axes[1, unit].fill_between(edges[:-1], rate, step="post", color="teal")
    axes[1, unit].set_xlabel("s after the cue")
axes[0, 0].set_ylabel("trial")
axes[1, 0].set_ylabel("spikes/s")
plt.tight_layout()
plt.show()

# %% [markdown]
# ## The judge
#
# The HDF5 file has the same spikes.

# %%
with pynwb.NWBHDF5IO("session.nwb", "r") as native:
    same = native.read().units
    print(all(np.array_equal(same["spike_times"][i], nwb.units["spike_times"][i]) for i in range(len(same))))
io.close()
