#!/usr/bin/env bash
# clean_root.sh - run by root in a new Debian (tools/fresh.sh --wheel): the wheel of dist/ by pip, with what users have beside it, and a user's
# lines. Judged by zarr-python. Then the system's own HDF5, which is too old for connectors in Debian 12 and before.
set -euo pipefail
cd "$(dirname "$0")/../.."
wheel=$(echo "$PWD"/dist/vol_zarr-*manylinux*"$(uname -m)".whl)
export DEBIAN_FRONTEND=noninteractive HDF5_USE_FILE_LOCKING=BEST_EFFORT
apt-get -qq update
apt-get -qq install -y --no-install-recommends python3 python3-venv python3-h5py hdf5-tools >/dev/null
python3 -m venv /root/env
/root/env/bin/pip install -q --upgrade pip
# The last PyTables for Python 3.9 was compiled for numpy 1, and pip does not know.
/root/env/bin/pip install -q --only-binary :all: "$wheel" h5py anndata pynwb tables netCDF4 zarr "numpy<2; python_version <= '3.9'"
mkdir -p /root/work
lines=$PWD/test/wheel/users_lines.py
cd /root/work
python() { /root/env/bin/python "$@"; }
python -W error -m vol_zarr info
for line in h5py h5py_reads anndata pynwb one_file other_programs judge; do
    python -W ignore "$lines" "$line"
done

# Nothing is printed by HDF5s that are too old, and what they do is what they did.
version=$(h5dump --version | sed 's/.*Version *//')
python3 -m venv --system-site-packages /root/system
/root/system/bin/pip install -q --no-deps "$wheel"
/root/system/bin/python -W error -c '
import h5py
with h5py.File("system.h5", "w") as f:
    f["x"] = [1, 2, 3]
print("system: HDF5", h5py.version.hdf5_version, h5py.File("system.h5")["x"][1])' >system.txt 2>system.err
cat system.txt
[ ! -s system.err ] || { cat system.err; echo 'an HDF5 of the system prints what it did not'; exit 1; }
h5dump -d x system.h5 | grep -q '(0): 1, 2, 3'
case $version in
    1.8.* | 1.10.* | 1.12.*) echo "h5dump $version: too old for stores, and left alone" ;;
    *)
        python -m vol_zarr run -- h5dump -d x cells.zarr | grep -q '(0): 0, 1, 2, 3, 4'
        /root/system/bin/python -c 'import h5py; print("system: reads", h5py.File("cells.zarr")["x"][4])'
        echo "h5dump $version: shows a store"
        ;;
esac
echo "passed: $(python3 --version), $(ldd --version | sed -n 1p)"
