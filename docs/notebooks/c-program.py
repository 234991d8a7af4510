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
print(subprocess.check_output("HDF5_VOL_CONNECTOR=zarr ./timed first.zarr && ls first.zarr first.zarr/x | head", shell=True, text=True))

# %% [markdown]
# ## Timed
#
# 64 MiB of floats in chunks of 1 MiB; five runs of each, in turns.
# The best run counts, since this machine had other work to do.
# Where the program asks for no filter, a store has its default codec (blosc, in format 3 zstd), unless `compress=none` says otherwise.
# The word "gzip" means the filter at level 1, asked for by the program.

# %%
import os
import shutil

kinds = {"HDF5 file": ("native", "a.h5"), "Zarr, no codec": ("zarr compress=none", "a1.zarr"),
         "Zarr v2": ("zarr", "a2.zarr"), "Zarr v3": ("zarr format=3", "a3.zarr"),
         "one zip file": ("zarr", "a.zarr.zip")}
best, sums = {}, set()
for _ in range(5):
    for filters in ("", "gzip"):
        for kind, (connector, name) in kinds.items():
            if filters and "none" in connector:
                continue
            shutil.rmtree(name, ignore_errors=True)
            said = subprocess.check_output(["./timed", name, *filter(None, [filters])], text=True,
                                           env={**os.environ, "HDF5_VOL_CONNECTOR": connector}).split()
            times = [float(word) for word in said[:2]]
            sums.add(said[2])
            best[kind, filters] = [min(pair) for pair in zip(times, best.get((kind, filters), times))]
print("every run read", *sums)
for (kind, filters), (write, read) in best.items():
    print(f"{kind:16}{filters:6}{write * 1000:8.0f} ms to write{read * 1000:8.0f} ms to read")

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 2, figsize=(11, 3))
for axis, filters in zip(axes, ("", "gzip")):
    shown = [kind for kind in kinds if (kind, filters) in best]
    for i, kind in enumerate(shown):
        write, read = best[kind, filters]
        axis.barh([i + 0.2], [write], 0.38, color="teal", label="write" if i == 0 else None)
        axis.barh([i - 0.2], [read], 0.38, color="orange", label="read" if i == 0 else None)
    axis.set(title=filters or "no filter asked for", xlabel="seconds", yticks=range(len(shown)), yticklabels=shown)
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
    x = zarr.open_group(name, mode="r")["x"]
    print(name, x.shape, x.dtype, x.chunks, float(x[0, 8]))
