#!/usr/bin/env bash
# aarch64-test.sh [CTEST_ARGUMENT...] - the unit and C tests of an aarch64 build, under qemu-user: with the compiler and the codec libraries of
# the wheel, Debian's HDF5 1.14 for aarch64, and a trap at every access that is not aligned. test/machines/aarch64/skips.txt says what is
# left out, and why.
set -euo pipefail
VZ_TAG=aarch64
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/debian_source.sh"
. "$VZ_ROOT/tools/lib/packages.sh"
. "$VZ_ROOT/tools/lib/python.sh"
. "$VZ_ROOT/tools/lib/zig.sh"
. "$VZ_ROOT/tools/lib/static.sh"
. "$VZ_ROOT/tools/lib/aarch64.sh"
environment=$("$VZ_ROOT/tools/env.sh" --build)
eval "$environment"

ROOT=$VZ_CACHE/aarch64-tests-root
ROOT_RECIPE="vol-zarr aarch64 root of tests 1"
SKIPS=$VZ_ROOT/test/machines/aarch64/skips.txt
build=$VZ_ROOT/build/aarch64
library=$ROOT/usr/lib/aarch64-linux-gnu
log=$build/build.log

make_root() {
    stamp_is "$ROOT/.stamp" "$ROOT_RECIPE" && return 0
    say "HDF5 1.14 and cmocka for aarch64, of Debian (log: $log)"
    aarch64_root "$ROOT" "$ROOT_RECIPE" trixie "$log" libhdf5-310 libcmocka-dev
    ln -sfn usr/lib "$ROOT/lib" # the loader's place, of trixie's merged directories
    # What tests include, and no other header: beside cmocka's lie those of another C library.
    mkdir -p "$ROOT/cmocka"
    cp -r "$ROOT"/usr/include/cmocka*.h "$VZ_CACHE"/static/aarch64/include/. "$ROOT/cmocka/"
    printf '%s\n' "$ROOT_RECIPE" >"$ROOT/.stamp"
}

# -O1 keeps assertions and calls; the wheel's -O3 is tried by wheel-aarch64-test.sh.
configure() {
    local prefix=$VZ_CACHE/static/aarch64 options
    mapfile -t options < <(target_cmake aarch64)
    logged "$log" cmake -S "$VZ_ROOT" -B "$build" -G Ninja "${options[@]}" -DCMAKE_BUILD_TYPE=None \
        "-DCMAKE_C_FLAGS=-O1 -g1 -fno-sanitize=all -fsanitize=alignment -fsanitize-trap=alignment" \
        "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-shlib-undefined" "-DCMAKE_CROSSCOMPILING_EMULATOR=$QEMU;-L;$ROOT" \
        -DVZ_WERROR=OFF "-DHDF5_HEADERS=$VZ_HDF5_HEADERS" "-DHDF5_LIBRARY=$(echo "$library"/libhdf5_serial.so.310.?.?)" \
        "-DCMOCKA_INCLUDE=$ROOT/cmocka" "-DCMOCKA_LIBRARY=$library/libcmocka.so" \
        "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_FIND_ROOT_PATH=$prefix" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY
}

# The programs of the tests that are asked for, and the plugin; not those of benchmarks and machines.
test_targets() {
    ninja -C "$build" -t targets all | sed -n 's,^\(unit_test_[a-z0-9_]*\|c_test_[a-z0-9_]*\|libH5VLzarr\.so\|H5VLzarr\): .*,\1,p' | sort -u
}

rm -f "$log"
zig_setup
static_setup aarch64
aarch64_qemu "$log"
make_root
say "the connector and its tests for aarch64 (several minutes; log: $log)"
configure
skipped=$(sed -n 's/^\([a-z0-9_]*\) .*/\1/p' "$SKIPS" | paste -sd '|')
mapfile -t targets < <(test_targets | grep -vxE "${skipped:-none}")
logged "$log" cmake --build "$build" --target "${targets[@]}"

sed -n 's/^\([a-z0-9_]*\) /skipped: \1: /p' "$SKIPS"
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING
cd "$build"
exec ctest --output-on-failure --parallel "$(cpus)" --timeout 900 --output-junit "$build/ctest.xml" --tests-regex '^(unit|c)_' \
    --exclude-regex "^(${skipped:-none})\$" "$@"
