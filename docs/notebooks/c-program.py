# %% [markdown]
# # A C program, natively and on stores
#
# The program knows HDF5 alone.
# It is compiled once, and it runs on an HDF5 file and on Zarr stores.
# A variable of the environment decides.

# %%
program = r"""
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 4096, COLUMNS = 4096, CHUNK = 512 };
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    const hsize_t shape[] = {ROWS, COLUMNS}, chunk[] = {CHUNK, CHUNK};
    float *values = malloc(sizeof *values * ROWS * COLUMNS);
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
        values[i] = (float)(i % 1000) / 8;
    const double begin = now();
    const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(2, shape, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 2, chunk);
    if (argc > 2)
        H5Pset_deflate(plist, 1);
    const hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    int bad = H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
    bad |= H5Dclose(set) < 0 || H5Fclose(file) < 0;
    const double wrote = now();
    const hid_t again = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT), x = H5Dopen2(again, "x", H5P_DEFAULT);
    bad |= H5Dread(x, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
    double sum = 0;
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i += 997)
        sum += values[i];
    bad |= H5Dclose(x) < 0 || H5Fclose(again) < 0;
    printf("%.4f %.4f %.3f\n", wrote - begin, now() - wrote, sum);
    return bad;
}
"""
open("timed.c", "w").write(program)

# %%
import subprocess

subprocess.run("gcc -O2 timed.c -lhdf5 -o timed", shell=True, check=True)
print(subprocess.check_output("HDF5_VOL_CONNECTOR=zarr ./timed first.zarr >/dev/null && ls first.zarr first.zarr/x | head", shell=True, text=True))

# %% [markdown]
# ## Timed
#
# 64 MiB of floats in chunks of 1 MiB, in memory (`/dev/shm`), as in [performance](../performance.md).
# The kinds take turns, forwards and backwards, and the first of 21 rounds does not count.
# The load says how much else the machine did.
# The figures are medians, and ± is half of the range of the middle half of the rounds.
# "HDF5" is a time relative to the HDF5 file's of its round.
# Where the program asks for no filter, a store has its default codec (blosc, in format 3 zstd), unless `compress=none` says otherwise.
# The word "gzip" means the filter at level 1, asked for by the program.

# %%
import os
import pathlib
import re
import shutil
import statistics
import tempfile

kinds = {"HDF5 file": ("native", "a.h5"), "Zarr, no codec": ("zarr compress=none", "a1.zarr"),
         "Zarr v2": ("zarr", "a2.zarr"), "Zarr v3": ("zarr format=3", "a3.zarr"),
         "one zip file": ("zarr", "a.zarr.zip")}
runs = [(kind, filters) for filters in ("", "gzip") for kind in kinds if not (filters and kind == "Zarr, no codec")]
rounds, sums = {run: [] for run in runs}, set()
memory = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm"))
processor = re.search("model name\\s*: (.*)", open("/proc/cpuinfo").read())
print(f"{processor[1] if processor else os.uname().machine}, {os.cpu_count()} cores; load before the rounds {os.getloadavg()[0]:.1f}")
for number in range(21):
    for run in runs if number % 2 else reversed(runs):
        connector, name = kinds[run[0]]
        shutil.rmtree(memory / name, ignore_errors=True)
        said = subprocess.check_output(["./timed", memory / name, *filter(None, run[1:])], text=True,
                                       env={**os.environ, "HDF5_VOL_CONNECTOR": connector}).split()
        sums.add(said[2])
        rounds[run] += [[float(word) for word in said[:2]]] if number else []


def shown(values, unit, decimals):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:5.{decimals}f}{unit} ±{50 * (high - low) / middle:3.0f} %"


print("every run read", *sums)
print(f"load after them {os.getloadavg()[0]:.1f}")
print(f"{'':21}{'write':16}{'HDF5 = 1':16}{'read':16}HDF5 = 1")
relative = {}
for kind, filters in runs:
    times, native = rounds[kind, filters], rounds["HDF5 file", filters]
    relative[kind, filters] = [[mine[i] / its[i] for mine, its in zip(times, native)] for i in (0, 1)]
    cells = [(shown([1000 * t[i] for t in times], " ms", 0), shown(relative[kind, filters][i], "", 2)) for i in (0, 1)]
    print(f"{kind:15}{filters:5}", *(f"{cell:15}" for pair in cells for cell in pair))

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 2, figsize=(11, 3))
for axis, filters in zip(axes, ("", "gzip")):
    names = [kind for kind, asked in runs if asked == filters]
    for i, kind in enumerate(names):
        write, read = map(statistics.median, relative[kind, filters])
        axis.barh([i - 0.2], [write], 0.38, color="teal", label="write" if i == 0 else None)
        axis.barh([i + 0.2], [read], 0.38, color="orange", label="read" if i == 0 else None)
    axis.axvline(1, color="grey", linewidth=0.8)
    axis.set(title=filters or "no filter asked for", xlabel="time, HDF5 file = 1", yticks=range(len(names)), yticklabels=names)
    axis.invert_yaxis()
axes[0].legend()
plt.tight_layout()
plt.show()

# %% [markdown]
# ## The judge
#
# zarr-python reads the numbers.

# %%
import zarr

for name in ("a2.zarr", "a3.zarr"):
    x = zarr.open_group(memory / name, mode="r")["x"]
    print(name, x.shape, x.dtype, x.chunks, float(x[0, 8]))
shutil.rmtree(memory)
