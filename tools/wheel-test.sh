#!/usr/bin/env bash
# wheel-test.sh - installs the wheel of dist/ that is for this machine into new environments and tries it there: one with h5py, PyTables and
# netCDF4 and with what sends h5py's objects to other processes, and one whose h5py has an HDF5 that is too old. auditwheel says which C
# library the wheels of all machines need.
set -euo pipefail
VZ_TAG=wheel-test
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/python.sh"
wheels=("$VZ_ROOT"/dist/vol_zarr-*manylinux*"$(uname -m)".whl)
[ -e "${wheels[0]}" ] || die "no wheel for $(uname -m) in dist/: tools/wheel.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log=$VZ_ROOT/build/wheel-test.log
rm -f "$log"
# environment NAME PACKAGE...: a new Python with the wheel
environment() {
    local name=$1
    shift
    logged "$log" "$(python_command)" -m venv "$scratch/$name"
    logged "$log" "$scratch/$name/bin/pip" install --disable-pip-version-check --no-compile --only-binary :all: "${wheels[0]}" "$@"
}

say "environments for the tests of the wheel (log: $log)"
environment today h5py tables netCDF4 hdf5plugin pytest auditwheel anndata zarr 'dask[array]' distributed joblib
# The last h5py with HDF5 1.12. It has no wheels for Python 3.12 and newer.
old=''
if "$(python_command)" -c 'import sys; sys.exit(sys.version_info >= (3, 12))'; then
    environment old h5py==3.8.0 'numpy<2' tables netCDF4
    old=$scratch/old/bin/python
fi
for file in "$VZ_ROOT"/dist/vol_zarr-*manylinux*.whl; do
    "$scratch/today/bin/auditwheel" show "$file" >"$scratch/audit"
    grep -q 'manylinux_2_28' "$scratch/audit" || { cat "$scratch/audit"; die "$file is not manylinux_2_28"; }
    say "auditwheel: $(basename "$file") is manylinux_2_28"
done
cd "$scratch"
VZ_WHEEL=${wheels[0]} VZ_PY_OLD=$old VZ_H5DUMP=${VZ_H5DUMP:-$(command -v h5dump || true)} \
    "$scratch/today/bin/python" -m pytest -q -rs -p no:cacheprovider "$VZ_ROOT/test/wheel"
