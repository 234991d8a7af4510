#!/usr/bin/env bash
# hdf5r-test.sh [PRESET] - Debian's own programs through the plugin of build/PRESET: h5Seurat by R's hdf5r (test/python/test_hdf5r.py),
# one-file stores by ncdump, cdo, ziptool and zipcmp (test_one_file_programs.py, test_one_file.py), and stores of xarray by ncdump, NCO
# and cdo (test_netcdf_operators.py).
#
# Where they are missing, root on Debian 13 and newer gets the packages; elsewhere the tests are skipped, and so they are where the
# programs have an HDF5 older than 1.14 (Debian 12).
set -euo pipefail
VZ_TAG=hdf5r
. "$(dirname "$0")/lib/common.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
export VZ_PLUGIN_DIR=$VZ_ROOT/build/${1:-release}/plugin
unset HDF5_VOL_CONNECTOR HDF5_USE_FILE_LOCKING

has_hdf5r() { have Rscript && Rscript -e 'library(hdf5r)' >/dev/null 2>&1; }

debian_has_a_new_one() { [ "$(os_release ID)" = debian ] && version_at_least "$(os_release VERSION_ID)" 13; }

has_all() { has_hdf5r && have ncdump && have ncks && have cdo && have ziptool && have zipcmp; }

if ! has_all && is_root && debian_has_a_new_one; then
    packages=(r-cran-hdf5r netcdf-bin nco cdo ziptool zipcmp)
    say "installing ${packages[*]}"
    DEBIAN_FRONTEND=noninteractive logged "$VZ_CACHE/log/hdf5r.log" apt-get install -y --no-install-recommends "${packages[@]}" \
        || die "apt-get could not install them (log: $VZ_CACHE/log/hdf5r.log)"
fi
cd "$VZ_ROOT"
HDF5_PLUGIN_PATH=$VZ_PLUGIN_DIR exec "$VZ_PY" -m pytest -q -rs --timeout=300 -p no:cacheprovider \
    test/python/test_hdf5r.py test/python/test_netcdf_operators.py 'test/python/test_one_file_programs.py::test_programs_of_debian' 'test/python/test_one_file.py::test_libzip_reads_it'
