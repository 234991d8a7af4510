#!/usr/bin/env bash
# api-test.sh PLUGIN_DIR [GROUP] - HDF5's own API tests (h5_api_test of HDF5 1.14) through the connector.
# api-test.sh native [GROUP]     - the same on native files: the ceiling to compare with.
#
# GROUP: file group dataset attribute datatype link object misc. The whole output is in build/api-test.log, the failed tests
# are listed, and the last line says "N passed, N failed, N skipped". A crash is a failure, with a run group by group
# to show how far it goes.
set -euo pipefail
VZ_TAG=api-test
. "$(dirname "$0")/lib/common.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
[ -n "$VZ_API_TEST" ] || die "no h5_api_test: run tools/setup.sh --api-test"

LIMIT=${VZ_API_TEST_SECONDS:-900}
plugin=${1:?usage: api-test.sh PLUGIN_DIR|native [GROUP]}
group=${2:-}
log=$VZ_ROOT/build/api-test${group:+-$group}.log

unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH
if [ "$plugin" != native ]; then
    [ -e "$plugin/libH5VLzarr.so" ] || die "no plugin in $plugin"
    HDF5_PLUGIN_PATH=$(cd "$plugin" && pwd)
    export HDF5_PLUGIN_PATH HDF5_VOL_CONNECTOR=${VZ_CONNECTOR:-zarr}
fi

# run LOG [GROUP]: in a new directory, because the tests leave files behind
run() {
    local log=$1 work status=0
    shift
    work=$(mktemp -d)
    (cd "$work" && timeout "$LIMIT" "$VZ_API_TEST/h5_api_test" "$@") >"$log" 2>&1 </dev/null || status=$?
    rm -rf "$work"
    return "$status"
}

# count LOG WORDS: N of the closing line "N/M (P%) API tests WORDS with VOL connector", empty when it never came
count() { sed -n "s|^\([0-9]*\)/[0-9]* (.*) API tests $2 with VOL connector.*|\1|p" "$1" | tail -n 1; }
count_lines() { grep -cE -- "$2" "$1" || true; }

group_by_group() {
    local name status
    say "group by group:"
    for name in file group dataset attribute datatype link object misc; do
        status=0
        run "$log.$name" "$name" || status=$?
        say "  $name: $(count "$log.$name" passed) passed, $(count "$log.$name" 'did not pass') failed, exit status $status"
    done
}

mkdir -p "$(dirname "$log")"
say "h5_api_test ${group:+($group) }with HDF5_VOL_CONNECTOR=${HDF5_VOL_CONNECTOR:-} (log: $log)"
status=0
run "$log" ${group:+"$group"} || status=$?
passed=$(count "$log" passed) failed=$(count "$log" 'did not pass') skipped=$(count "$log" 'were skipped')

grep -E -- '\*FAILED\*' "$log" | sort | uniq -c | sort -rn | head -n 60 || true
if [ -z "$passed" ]; then
    # It died on the way: what it had printed by then, and one failure for the death.
    tail -n 15 "$log"
    say "h5_api_test ended with status $status before its summary"
    passed=$(count_lines "$log" ' PASSED$') skipped=$(count_lines "$log" ' -SKIP-$')
    failed=$(($(count_lines "$log" '\*FAILED\*$') + 1))
    if [ -z "$group" ]; then group_by_group; fi
elif [ "$status" -ne 0 ] && [ "$failed" = 0 ]; then
    say "every test passed, but h5_api_test ended with status $status"
    failed=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
