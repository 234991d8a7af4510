#!/usr/bin/env bash
# musl-test.sh [CTEST_ARGUMENT...] - the unit tests of a build for musl (lib/target_tests.sh). C tests need an HDF5 1.14, which is not there for
# musl: HDF5 is in wheel-musl-test.sh. test/machines/musl/skips.txt says what is left out, and why.
set -euo pipefail
VZ_TAG=musl
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/debian_source.sh"
. "$VZ_ROOT/tools/lib/python.sh"
. "$VZ_ROOT/tools/lib/zig.sh"
. "$VZ_ROOT/tools/lib/static.sh"
. "$VZ_ROOT/tools/lib/musl.sh"
. "$VZ_ROOT/tools/lib/target_tests.sh"
environment=$("$VZ_ROOT/tools/env.sh" --build)
eval "$environment"

MACHINE=x86_64
ROOT=$VZ_CACHE/musl-tests
ROOT_RECIPE="vol-zarr musl root of tests 1"
SKIPS=$VZ_ROOT/test/machines/musl/skips.txt
build=$VZ_ROOT/build/musl
log=$build/build.log

# cmocka, from Debian's source
make_root() {
    local work bin=$VZ_CACHE/static/$MACHINE-musl/bin
    stamp_is "$ROOT/.stamp" "$ROOT_RECIPE" && return 0
    say "cmocka for musl (log: $log)"
    rm -rf "$ROOT"
    mkdir -p "$ROOT/lib" "$VZ_CACHE/build"
    work=$(mktemp -d "$VZ_CACHE/build/musl.XXXXXX")
    debian_source "$MUSL_SOURCE_SUITE" "$work" "$log" cmocka || die "Debian's source package cmocka cannot be had"
    (cd "$work" && logged "$log" dpkg-source --skip-patches -x cmocka_*.dsc cmocka)
    logged "$log" "$bin/cc" -O1 -g1 -DHAVE_STDINT_H -DHAVE_STRINGS_H -DHAVE_UNISTD_H -DHAVE_TIME_H -DHAVE_CLOCK_REALTIME -DHAVE_STRUCT_TIMESPEC \
        -DHAVE_SIGNAL_H -DHAVE_INTTYPES_H -DHAVE_SETJMP_H -D_GNU_SOURCE -I"$work/cmocka/include" -c "$work/cmocka/src/cmocka.c" -o "$work/cmocka.o"
    logged "$log" "$bin/ar" rcs "$ROOT/lib/libcmocka.a" "$work/cmocka.o"
    tests_headers "$MACHINE-musl" "$ROOT/include" "$work"/cmocka/include/cmocka*.h
    rm -rf "$work"
    printf '%s\n' "$ROOT_RECIPE" >"$ROOT/.stamp"
}

[ "$(uname -m)" = "$MACHINE" ] || die "the tests for musl run on $MACHINE alone"
rm -f "$log"
zig_setup
static_setup "$MACHINE-musl"
musl_library "$MACHINE" "$log"
make_root
say "the unit tests for musl (several minutes; log: $log)"
tests_configure "$MACHINE-musl" "$build" "$log" "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--dynamic-linker=$(musl_loader "$MACHINE")" \
    -DHDF5_LIBRARY=HDF5_LIBRARY-NOTFOUND -DHDF5_ROOT=/nonexistent "-DCMOCKA_INCLUDE=$ROOT/include" "-DCMOCKA_LIBRARY=$ROOT/lib/libcmocka.a"
tests_build "$build" "$SKIPS" "$log"
tests_run "$build" "$SKIPS" "$@"
