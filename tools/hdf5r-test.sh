#!/usr/bin/env bash
# hdf5r-test.sh [PRESET] - h5Seurat by R's hdf5r through the plugin of build/PRESET (test/python/test_hdf5r.py).
#
# Where hdf5r is missing, root on Debian 13 and newer gets the package; elsewhere the test is skipped, and so it is where hdf5r has
# an HDF5 older than 1.14 (Debian 12).
set -euo pipefail
VZ_TAG=hdf5r
. "$(dirname "$0")/lib/common.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
export VZ_PLUGIN_DIR=$VZ_ROOT/build/${1:-release}/plugin
unset HDF5_VOL_CONNECTOR HDF5_USE_FILE_LOCKING

has_hdf5r() { have Rscript && Rscript -e 'library(hdf5r)' >/dev/null 2>&1; }

debian_has_a_new_one() { [ "$(os_release ID)" = debian ] && version_at_least "$(os_release VERSION_ID)" 13; }

if ! has_hdf5r && is_root && debian_has_a_new_one; then
    say 'installing r-cran-hdf5r'
    DEBIAN_FRONTEND=noninteractive logged "$VZ_CACHE/log/hdf5r.log" apt-get install -y --no-install-recommends r-cran-hdf5r \
        || die "apt-get could not install it (log: $VZ_CACHE/log/hdf5r.log)"
fi
cd "$VZ_ROOT"
HDF5_PLUGIN_PATH=$VZ_PLUGIN_DIR exec "$VZ_PY" -m pytest -q -rs --timeout=300 -p no:cacheprovider test/python/test_hdf5r.py
