#!/usr/bin/env bash
# zarr-versions.sh [PRESET [ARGUMENTS of pytest]] - what netCDF programs write through the plugin of build/PRESET, opened by earlier
# versions of zarr-python (test/python/test_netcdf_zarr_versions.py). Not part of make test.
#
# Each version lies with its numcodecs in a directory of the cache. The environment of the tests runs it by PYTHONPATH.
set -euo pipefail
VZ_TAG=zarr-versions
. "$(dirname "$0")/lib/common.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
# zarr-python and the packages of that time that today's do not replace.
VERSIONS='2.18.7,numcodecs==0.15.1,deprecated==1.2.18,asciitree==0.3.3,fasteners==0.20,xarray==2025.6.1
3.0.0,crc32c==2.7.1,numcodecs==0.15.1,deprecated==1.2.18
3.0.10,crc32c==2.7.1,numcodecs==0.15.1,deprecated==1.2.18
3.1.0,crc32c==2.7.1,numcodecs==0.16.1
3.1.1,crc32c==2.7.1,numcodecs==0.16.1
3.1.2,crc32c==2.7.1,numcodecs==0.16.1
3.1.3,crc32c==2.7.1,numcodecs==0.16.1'
LOG=$VZ_CACHE/log/zarr-versions.log
preset=${1:-release}
shift || true
export VZ_PLUGIN_DIR=$VZ_ROOT/build/$preset/plugin
[ -e "$VZ_PLUGIN_DIR/libH5VLzarr.so" ] || die "no plugin in $VZ_PLUGIN_DIR: tools/build.sh $preset"
unset HDF5_VOL_CONNECTOR HDF5_USE_FILE_LOCKING

# place_of VERSION PACKAGE...: the directory, made where it is not there
place_of() {
    local version=$1 place=$VZ_CACHE/zarr-python-$1
    shift
    if ! stamp_is "$place/.stamp" "$version $*"; then
        rm -rf "$place" "$place.new"
        logged "$LOG" "$VZ_PY" -m pip install --disable-pip-version-check --no-deps --target "$place.new" "zarr==$version" "$@" \
            || die "zarr-python $version could not be installed"
        printf '%s\n' "$version $*" >"$place.new/.stamp"
        mv "$place.new" "$place"
    fi
    printf '%s' "$place"
}

rm -f "$LOG"
found=''
for row in $VERSIONS; do
    IFS=, read -r -a packages <<<"$row"
    place=$(place_of "${packages[@]}")
    found+=" ${packages[0]}=$place"
done
cd "$VZ_ROOT"
HDF5_PLUGIN_PATH=$VZ_PLUGIN_DIR VZ_ZARR_VERSIONS=$found exec "$VZ_PY" -m pytest -q -rs --timeout=300 -p no:cacheprovider \
    test/python/test_netcdf_zarr_versions.py "$@"
