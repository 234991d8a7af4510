"""Who takes part: what each one's files are, and how a process of it is started."""

import os
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Peer:
    title: str
    kind: str  # of its files: "hdf5", "zarr", or "file": a one-file store
    module: str  # ops_*.py, or "work" and "floor": the C programs
    connector: bool = False
    job: dict = field(default_factory=dict)  # goes into its jobs
    python: str = "VZ_PY_BENCH"  # variable that names the interpreter


# HDF5 makes files of its oldest form unless it is asked for a newer one, which costs less where there are many small things.
NEWEST = {"libver": "latest"}

PEERS = {
    # HDF5's own files
    "native": Peer("HDF5", "hdf5", "ops_h5py"),
    "native direct": Peer("HDF5, `read_direct`", "hdf5", "ops_h5py", job={"direct": True}),
    "native latest": Peer("HDF5, newest form", "hdf5", "ops_h5py", job=NEWEST),
    "native C": Peer("HDF5 from C", "hdf5", "work"),
    "native C latest": Peer("HDF5 from C, newest form", "hdf5", "work", job=NEWEST),
    # the same programs on stores
    "vol": Peer("vol-zarr", "zarr", "ops_h5py", connector=True),
    "vol direct": Peer("vol-zarr, `read_direct`", "zarr", "ops_h5py", connector=True, job={"direct": True}),
    "vol C": Peer("vol-zarr from C", "zarr", "work", connector=True),
    "vol file": Peer("vol-zarr, one file", "file", "ops_h5py", connector=True),
    # other ways to Zarr
    "zarr": Peer("zarr-python", "zarr", "ops_zarr"),
    "fused": Peer("zarr-python, fused", "zarr", "ops_zarr", job={"pipeline": "fused"}),
    "zarrs": Peer("zarr-python on zarrs", "zarr", "ops_zarr", job={"pipeline": "zarrs"}),
    "tensorstore": Peer("tensorstore", "zarr", "ops_tensorstore"),
    # AnnData and NWB
    "native anndata": Peer("HDF5", "hdf5", "ops_anndata"),
    "vol anndata": Peer("vol-zarr", "zarr", "ops_anndata", connector=True),
    "vol file anndata": Peer("vol-zarr, one file", "file", "ops_anndata", connector=True),
    "anndata zarr": Peer("anndata's Zarr", "zarr", "ops_anndata", job={"backend": "zarr"}),
    "native nwb": Peer("HDF5", "hdf5", "ops_nwb", python="VZ_PY_HDMF"),
    "vol nwb": Peer("vol-zarr", "zarr", "ops_nwb", connector=True, python="VZ_PY_HDMF"),
    "hdmf-zarr": Peer("hdmf-zarr", "zarr", "ops_nwb", job={"backend": "zarr"}, python="VZ_PY_HDMF"),
    # what is possible
    "floor": Peer("floor", "zarr", "floor"),
    "floor codec": Peer("floor, codec alone", "zarr", "floor", job={"bare": 1}),
}

OURS = [name for name, peer in PEERS.items() if peer.connector]
# Each of ours is compared with the same program on HDF5's own files.
NATIVE = {name: name.replace("vol", "native").replace(" file", "") for name in OURS}
SUFFIX = {"hdf5": ".h5", "zarr": ".zarr", "file": ".file"}


def environment(peer, options):
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("HDF5_", "VOL_ZARR_"))}
    paths = [os.environ["VZ_PLUGIN_DIR"]] if peer.connector else []
    if peer.module == "work" and not peer.connector:
        paths.append(os.environ["VZ_FILTERS"])
    if paths:
        variables["HDF5_PLUGIN_PATH"] = ":".join(paths)
    if peer.kind == "file":
        options = f"{options};container=file".strip(";")
    if peer.connector:
        variables["HDF5_VOL_CONNECTOR"] = f"zarr {options}".strip()
    variables["PYTHONPATH"] = os.path.join(os.environ["VZ_ROOT"], "test")
    variables["PYTHONDONTWRITEBYTECODE"] = "1"
    # NumPy's library starts a thread that spins for milliseconds when it is imported: processor time of a process that was just started.
    variables["OPENBLAS_NUM_THREADS"] = "1"
    return variables


def c_arguments(job):
    """key=value of what the C programs take; lists of numbers are shapes."""
    arguments = []
    for key, value in job.items():
        if isinstance(value, (list, tuple)):
            value = "x".join(map(str, value))
        if isinstance(value, bool):
            value = int(value)
        if isinstance(value, (int, str)):
            arguments.append(f"{key}={value}")
    return arguments
