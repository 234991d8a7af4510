#!/usr/bin/env bash
# build.sh [PRESET] - configures and builds build/PRESET with the HDF5 that setup.sh found. Quiet unless something fails. Tests are built
# where there is what they link: HDF5's library and cmocka.
set -euo pipefail
VZ_TAG=build
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/packages.sh"
. "$VZ_ROOT/tools/lib/zstd.sh"
environment=$("$VZ_ROOT/tools/env.sh" --build)
eval "$environment"

preset=${1:-release}
log=$VZ_ROOT/build/$preset/build.log
began=$SECONDS tests=OFF
if [ -n "$VZ_HDF5" ] && package_present cmocka cmocka.h; then tests=ON; fi
cd "$VZ_ROOT"
mapfile -t zstd < <(zstd_options)
launcher=()
if [ "$preset" = portable ]; then # all but a few of its objects are those of release
    "$VZ_ROOT/tools/build.sh" release
    began=$SECONDS
    launcher=("-DCMAKE_C_COMPILER_LAUNCHER=$VZ_ROOT/tools/lib/object_of.sh;$VZ_ROOT/build/release")
fi
# ccache, where it is there, compiles a file once, in whichever directory the checkout lies.
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache} CCACHE_BASEDIR=${CCACHE_BASEDIR-$VZ_ROOT} CCACHE_NOHASHDIR=1
fi
rm -f "$log"
# Another HDF5 than last time must be looked for anew (-U); the same one found again rebuilds nothing.
logged "$log" cmake --preset "$preset" "-DHDF5_HEADERS=$VZ_HDF5_HEADERS" -U HDF5_LIBRARY "-DHDF5_ROOT=$VZ_HDF5" "-DVZ_TESTS=$tests" \
    "${zstd[@]}" "${launcher[@]}"
logged "$log" cmake --build --preset "$preset"
[ -e "build/$preset/plugin/libH5VLzarr.so" ] || die "built, but there is no build/$preset/plugin/libH5VLzarr.so"
say "build/$preset/plugin/libH5VLzarr.so ($((SECONDS - began)) s)"
