#!/usr/bin/env bash
# setup.sh - everything that building, demo and tests need beyond this checkout. Repeatable: what is there stays.
#
#   tools/setup.sh              system packages, HDF5 1.14, three Python environments, one data set, MinIO
#   tools/setup.sh --build-only system packages and HDF5 (enough to build and install)
#   tools/setup.sh --api-test   also HDF5's own API tests, where the HDF5 found does not come with them
#   tools/setup.sh --print-env  nothing but the variables of tools/env.sh
#
# Everything goes to one per-user directory: $VOL_ZARR_CACHE, or $XDG_CACHE_HOME/vol-zarr, or ~/.cache/vol-zarr.
# Overrides: HDF5_ROOT (prefix of an HDF5 1.14), PYTHON (3.11 or newer), VOL_ZARR_HDF5_SUITE, VOL_ZARR_HDF5_URL.
set -euo pipefail

TOOLS=$(cd "$(dirname "$0")" && pwd)
. "$TOOLS/lib/common.sh"
. "$TOOLS/lib/packages.sh"
. "$TOOLS/lib/hdf5.sh"
. "$TOOLS/lib/python.sh"
. "$TOOLS/lib/data.sh"
. "$TOOLS/lib/cloud.sh"

api_test=0 python=1
for argument in "$@"; do
    case $argument in
        --build-only) python=0 ;;
        --api-test) api_test=1 ;;
        --print-env) exec "$TOOLS/env.sh" ;;
        *) die "unknown argument $argument (see the head of $0)" ;;
    esac
done

lock_cache
setup_packages
setup_hdf5 "$api_test"
if [ "$python" = 1 ]; then
    setup_python
    setup_data
    setup_cloud
fi
say "ready ($SECONDS s)"
