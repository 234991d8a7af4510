#!/usr/bin/env bash
# portable.sh [--short [REPORT.xml]] - the build with -DVZ_OS=posix, and the tests while the kernel refuses what only Linux has
# (test/machines/portable/refuse_linux.c). --short: unit and C tests alone; /proc is hidden from them where root runs it. Tests of locks
# run once more while locks of open file descriptions are there.
set -euo pipefail
VZ_TAG=portable
. "$(dirname "$0")/lib/common.sh"
build=$VZ_ROOT/build/portable
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING
export VZ_PRESET=portable VZ_PLUGIN_DIR=$build/plugin
if [ "${1:-}" != --short ]; then exec "$VZ_ROOT/tools/test.sh" portable; fi
report=${2:-$build/ctest.xml}
locks='lock|zip|staging|lease|swmr' # tests of what locks files
alike='^unit_test_(codec|chain|objectcodec|metadata|numeric|selection)_|_stacked$' # their objects are those of release, and ask the system nothing

"$VZ_ROOT/tools/build.sh" portable
nm -D --undefined-only "$build"/plugin/*.so "$build/bin/h5zarr" | awk '{print $2}' | sed 's/@.*//' | sort -u >"$build/called"
if grep -xFf "$VZ_ROOT/test/machines/portable/only_linux.txt" "$build/called"; then
    die "a library of -DVZ_OS=posix, or h5zarr, calls these functions, which only Linux has"
fi
filter=("$build/test/machines/refuse_linux" --no-proc)
if ! "${filter[@]}" true 2>/dev/null; then
    say "/proc stays, since this user may not hide it"
    filter=("${filter[0]}")
fi
"${filter[@]}" "$build/test/machines/refused" "${filter[@]:1}" || die "the filter does not refuse all that it should"
cd "$VZ_ROOT"
parallel=$(($(cpus) + 1)) status=0
"${filter[@]}" ctest --preset portable --parallel "$parallel" --output-junit "$report" --tests-regex '^(unit|c)_' \
    --exclude-regex "$alike" || status=$?
# Where macOS has these locks nothing may change.
filter+=(--keep-locks)
"${filter[@]}" "$build/test/machines/refused" "${filter[@]:1}" || die "the filter refuses locks that it should keep"
"${filter[@]}" ctest --preset portable --parallel "$parallel" --tests-regex "$locks" || status=$?
exit "$status"
