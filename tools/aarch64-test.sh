#!/usr/bin/env bash
# aarch64-test.sh [CTEST_ARGUMENT...] - the unit and C tests of an aarch64 build, under qemu-user (lib/target_tests.sh), with Debian's HDF5 1.14
# for aarch64. No program is left out: what qemu-user cannot do (filters of system calls, some forks beside threads) each finds out itself.
set -euo pipefail
VZ_TAG=aarch64
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/debian_source.sh"
. "$VZ_ROOT/tools/lib/packages.sh"
. "$VZ_ROOT/tools/lib/python.sh"
. "$VZ_ROOT/tools/lib/zig.sh"
. "$VZ_ROOT/tools/lib/static.sh"
. "$VZ_ROOT/tools/lib/aarch64.sh"
. "$VZ_ROOT/tools/lib/target_tests.sh"
environment=$("$VZ_ROOT/tools/env.sh" --build)
eval "$environment"

ROOT=$VZ_CACHE/aarch64-tests-root
ROOT_RECIPE="vol-zarr aarch64 root of tests 1"
SKIPS=/dev/null
build=$VZ_ROOT/build/aarch64
library=$ROOT/usr/lib/aarch64-linux-gnu
log=$build/build.log

make_root() {
    stamp_is "$ROOT/.stamp" "$ROOT_RECIPE" && return 0
    say "HDF5 1.14 and cmocka for aarch64, of Debian (log: $log)"
    aarch64_root "$ROOT" "$ROOT_RECIPE" trixie "$log" libhdf5-310 libcmocka-dev
    ln -sfn usr/lib "$ROOT/lib" # the loader's place, of trixie's merged directories
    tests_headers aarch64 "$ROOT/cmocka" "$ROOT"/usr/include/cmocka*.h
    printf '%s\n' "$ROOT_RECIPE" >"$ROOT/.stamp"
}

rm -f "$log"
zig_setup
static_setup aarch64
aarch64_qemu "$log"
make_root
say "the connector and its tests for aarch64 (several minutes; log: $log)"
tests_configure aarch64 "$build" "$log" "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-shlib-undefined" "-DCMAKE_CROSSCOMPILING_EMULATOR=$QEMU;-L;$ROOT" \
    "-DHDF5_LIBRARY=$(echo "$library"/libhdf5_serial.so.310.?.?)" "-DCMOCKA_INCLUDE=$ROOT/cmocka" "-DCMOCKA_LIBRARY=$library/libcmocka.so"
tests_build "$build" "$SKIPS" "$log"
tests_run "$build" "$SKIPS" "$@"
