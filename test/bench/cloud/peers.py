"""Who takes part, and in which interpreter."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    title: str
    module: str
    function: str
    python: str = "VZ_PY"  # variable that names the interpreter
    nwb: tuple = ()  # module and function of the rows of NWB
    connector: bool = False


OURS = "vol-zarr"
PEERS = {each.title: each for each in (
    Peer(OURS, "by_h5py", "connector", nwb=("by_nwb", "connector"), connector=True),
    Peer("zarr-python + obstore", "by_zarr", "obstore"),
    Peer("zarr-python + s3fs, hdmf-zarr", "by_zarr", "s3fs", nwb=("by_nwb", "hdmf_zarr")),
    Peer("zarrs", "by_zarr", "zarrs"),
    Peer("tensorstore", "by_tensorstore", "tensorstore_"),
    Peer("h5py + fsspec", "by_h5py", "fsspec", nwb=("by_nwb", "fsspec")),
    Peer("h5py + ROS3", "by_h5py", "ros3", python="VZ_PY_ROS3"),
)}


def command(peer, row, url, count):
    """(arguments, environment) of a process that does it, or None."""
    of_nwb = row.endswith("NWB")
    python = os.environ.get("VZ_PY_HDMF" if of_nwb else peer.python)
    module, function = peer.nwb if of_nwb and peer.nwb else (peer.module, peer.function)
    if not python or (of_nwb and not peer.nwb):
        return None
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.environ["VZ_BENCH_PATH"], *([os.environ["VZ_S3FS"]] if of_nwb else [])])}
    if peer.connector:
        environment |= {"HDF5_PLUGIN_PATH": os.environ["VZ_PLUGIN_DIR"], "HDF5_VOL_CONNECTOR": "zarr format=3"}
    return [python, "-W", "ignore", "-m", "bench.cloud.child", module, function, row, url, str(count)], environment
