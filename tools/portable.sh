#!/usr/bin/env bash
# portable.sh - the build with -DVZ_OS=posix, and every test of it while the kernel refuses what only Linux has
# (test/machines/portable/refuse_linux.c). The last line sums them up (tools/test.sh portable).
#
#   portable.sh --short [REPORT.xml]  unit and C tests alone, without those whose objects are release's; then tests of locks
#                                     once more while locks of open file descriptions are there
#   portable.sh --tests REPORT.xml    all tests of ctest        portable.sh --locks REPORT.xml  all once more with these locks
#
# /proc is hidden from unit and C tests where root runs them.
set -euo pipefail
VZ_TAG=portable
. "$(dirname "$0")/lib/common.sh"
build=$VZ_ROOT/build/portable
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING
export VZ_PRESET=portable VZ_PLUGIN_DIR=$build/plugin
what=${1:-}
report=$(realpath -m "${2:-$build/ctest.xml}")
locks='lock|zip|staging|lease|swmr' # tests of what locks files
alike='^unit_test_(codec|chain|objectcodec|metadata|numeric|selection)_|_stacked$' # their objects are those of release, and ask the system nothing

# Nothing that this build calls is of Linux alone, and no file of it takes locks of open file descriptions. Tests take them, and so may the
# programs in which they run.
check_calls() {
    nm -D --undefined-only "$build"/plugin/*.so "$build/bin/h5zarr" | awk '{print $2}' | sed 's/@.*//' | sort -u >"$build/called"
    if grep -xFf "$VZ_ROOT/test/machines/portable/only_linux.txt" "$build/called"; then
        die "a library of -DVZ_OS=posix, or h5zarr, calls these functions, which only Linux has"
    fi
    if grep -rl F_OFD_ "$VZ_ROOT/src" | grep -v '_linux\.c$'; then
        die "these files, of which -DVZ_OS=posix is built, take locks of open file descriptions"
    fi
}

# refuse [--keep-locks]: the filter of the tests that come next
refuse() {
    filter=("$build/test/machines/refuse_linux" --no-proc "$@")
    if ! "${filter[@]}" true 2>/dev/null; then
        say "/proc stays, since this user may not hide it"
        filter=("${filter[0]}" "$@")
    fi
    "${filter[@]}" "$build/test/machines/refused" "${filter[@]:1}" || die "the filter does not refuse what it should, or more"
}

tests() { # CTEST_ARGUMENT...
    (cd "$VZ_ROOT" && "${filter[@]}" ctest --preset portable --parallel "$(($(cpus) + 1))" "$@")
}

if [ -z "$what" ]; then exec "$VZ_ROOT/tools/test.sh" portable; fi
"$VZ_ROOT/tools/build.sh" portable
check_calls
status=0
case $what in
    --short)
        refuse
        tests --output-junit "$report" --tests-regex '^(unit|c)_' --exclude-regex "$alike" || status=$?
        refuse --keep-locks
        tests --tests-regex "$locks" || status=$?
        ;;
    --tests)
        refuse
        tests --output-junit "$report" || status=$?
        ;;
    --locks)
        refuse --keep-locks
        tests --output-junit "$report" || status=$?
        ;;
    *) die "unknown argument $what (see the head of $0)" ;;
esac
exit "$status"
