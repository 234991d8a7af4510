#!/usr/bin/env bash
# wheel-test.sh - installs the wheel of dist/ that is for this machine into a new environment with h5py, PyTables and netCDF4, and tries
# it there; auditwheel says which C library it needs.
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
logged "$log" "$(python_command)" -m venv "$scratch/env"
logged "$log" "$scratch/env/bin/pip" install "${wheels[0]}" h5py tables netCDF4 pytest auditwheel
"$scratch/env/bin/auditwheel" show "${wheels[0]}" >"$scratch/audit"
grep -q 'manylinux_2_28' "$scratch/audit" || { cat "$scratch/audit"; die "the wheel is not manylinux_2_28"; }
say "auditwheel: manylinux_2_28"
cd "$scratch"
"$scratch/env/bin/python" -m pytest -q -p no:cacheprovider "$VZ_ROOT/test/wheel"
