"""What the run was on: for the head of a table."""

import json
import os
import pathlib
import platform
import subprocess

LOOK = """
import json, importlib, importlib.metadata as m, sys
found = {"python": sys.version.split()[0]}
for name in %r:
    try: found[name] = m.version(name)
    except m.PackageNotFoundError: pass
try:
    import h5py; found["HDF5"] = h5py.version.hdf5_version
except ImportError: pass
try:
    import zarr.core.codec_pipeline as p; found["fused"] = hasattr(p, "FusedCodecPipeline")
except ImportError: pass
print(json.dumps(found))
"""
PACKAGES = ["h5py", "hdf5plugin", "numpy", "zarr", "numcodecs", "zarrs", "tensorstore", "anndata", "obstore", "s3fs", "pynwb", "hdmf-zarr"]


def versions(python):
    done = subprocess.run([python, "-W", "ignore", "-c", LOOK % PACKAGES], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def first(path, key):
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith(key):
            return line.split(":", 1)[-1].split("=", 1)[-1].strip().strip('"')
    return "unknown"


def file_system(directory):
    return subprocess.run(["df", "--output=fstype", directory], capture_output=True, text=True).stdout.split()[-1]


def describe(directory):
    kib = int(first("/proc/meminfo", "MemTotal").split()[0])
    commit = subprocess.run(["git", "-C", os.environ["VZ_ROOT"], "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    changed = subprocess.run(["git", "-C", os.environ["VZ_ROOT"], "status", "--porcelain", "--untracked-files=no"], capture_output=True,
                             text=True).stdout.strip()
    return {"processor": first("/proc/cpuinfo", "model name"), "cores": os.cpu_count(), "memory_gib": round(kib / 2**20),
            "system": first("/etc/os-release", "PRETTY_NAME"), "kernel": platform.release(), "file_system": file_system(directory),
            "commit": (commit.stdout.strip() or "unknown") + (" and changes" if changed else ""), "load_before": round(os.getloadavg()[0], 2),
            "main": versions(os.environ["VZ_PY_BENCH"]), "nwb": versions(os.environ["VZ_PY_HDMF"]),
            "HDF5 from C": os.environ.get("VZ_HDF5_VERSION", "unknown")}
