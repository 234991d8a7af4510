#!/usr/bin/env bash
# setup.sh - everything that building, demo and tests need beyond this checkout. Repeatable: what is there stays.
#
#   tools/setup.sh              system packages, HDF5 1.14, three Python environments, one data set, MinIO, Azurite
#   tools/setup.sh --no-python  the same without Python: enough for the C tests
#   tools/setup.sh --build-only system packages and headers of HDF5: enough to build and install
#   tools/setup.sh --wheel      system packages and headers of HDF5 that a wheel is built with, on Debian
#   tools/setup.sh --demo       that, one Python environment and the data set
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
. "$TOOLS/lib/static.sh"
. "$TOOLS/lib/zstd.sh"
. "$TOOLS/lib/python.sh"
. "$TOOLS/lib/data.sh"
. "$TOOLS/lib/cloud.sh"

api_test=0 for=tests
for argument in "$@"; do
    case $argument in
        --build-only) for=build ;;
        --wheel) for=wheel ;;
        --no-python) for=c-tests ;;
        --demo) for=demo ;;
        --api-test) api_test=1 ;;
        --print-env) exec "$TOOLS/env.sh" ;;
        *) die "unknown argument $argument (see the head of $0)" ;;
    esac
done

lock_cache
case $for in
    wheel)
        static_possible
        setup_packages "$PACKAGES_WHEEL"
        setup_hdf5_headers
        say "ready ($SECONDS s)"
        exit 0
        ;;
    build | demo)
        setup_packages "$PACKAGES_BUILD"
        setup_hdf5_headers
        ;;
    *) setup_packages "$PACKAGES_BUILD$PACKAGES_TESTS" ;;
esac
# Compiling keeps the processors busy and fetching packages the network: the two go side by side.
libraries() {
    case $for in
        c-tests | tests) setup_hdf5 "$api_test" ;;
    esac
    setup_zstd
}
libraries &
compiling=$!
case $for in
    demo) setup_python_demo ;;
    tests) setup_python ;;
esac
wait "$compiling" || die "a library could not be built: see above"
case $for in
    demo) setup_data ;;
    tests)
        setup_data
        setup_cloud
        ;;
esac
say "ready ($SECONDS s)"
