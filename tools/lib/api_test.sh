# api_test.sh - sourced by tools/api-test.sh: running HDF5's test programs, and comparing what they print with test/api.
# shellcheck shell=bash
#
# Each comparison adds to `differences` and prints them.

API_TABLES=$VZ_ROOT/test/api
API_SECONDS=${VZ_API_TEST_SECONDS:-900}
TESTHDF5_SECONDS=300
TESTHDF5_LOG_BYTES=1000000

# in_new_directory LOG COMMAND...: the tests leave files behind. 0 whatever the tests say, as their lines tell.
in_new_directory() {
    local log=$1 work status=0
    shift
    work=$(mktemp -d)
    (cd "$work" && timeout "$API_SECONDS" "$@") >"$log" 2>&1 </dev/null || status=$?
    rm -rf "$work"
    return "$status"
}

api_run() { # LOG [GROUP...]
    local log=$1 status=0
    shift
    in_new_directory "$log" "$VZ_API_TEST/h5_api_test" "$@" || status=$?
    if [ "$status" != 0 ]; then printf 'h5_api_test ended with status %s *FAILED*\n' "$status" >>"$log"; fi
}

# N of the closing line "N/M (P%) API tests WORDS with VOL connector", empty when it never came.
api_count() { # LOG WORDS
    sed -n "s|^\([0-9]*\)/[0-9]* (.*) API tests $2 with VOL connector.*|\1|p" "$1" | tail -n 1
}

# Sets API_PASSED, API_FAILED, API_SKIPPED and prints them. Of a run that died: what it had printed, and a failure.
api_summary() { # LOG
    API_PASSED=$(api_count "$1" passed)
    API_FAILED=$(api_count "$1" 'did not pass')
    API_SKIPPED=$(api_count "$1" 'were skipped')
    if [ -z "$API_PASSED" ]; then
        API_PASSED=$(grep -c ' PASSED$' "$1" || true)
        API_SKIPPED=$(grep -c -- '-SKIP-$' "$1" || true)
        API_FAILED=$(grep -c '\*FAILED\*$' "$1" || true)
    fi
    echo "$API_PASSED passed, $API_FAILED failed, $API_SKIPPED skipped"
}

# The lines that tell of tests, with their result after a colon.
api_results() { # LOG
    sed -n 's/ *\(PASSED\|-SKIP-\|\*FAILED\*\) *$/: \1/; /^ *Testing \|: -SKIP-$\|: \*FAILED\*$/{s/ *$//;p}' "$1"
}

difference() {
    say "$1"
    differences=$((differences + 1))
}

# What a log must say. A program that was built without the asynchronous group says nothing of it.
api_expected() { # LOG
    cat "$API_TABLES/h5_api_test.txt"
    if grep -q 'API Async Tests' "$1"; then cat "$API_TABLES/h5_api_async.txt"; fi
}

api_compare() { # LOG
    local line
    while IFS= read -r line; do
        difference "not as expected (test/api/h5_api_test.txt): $line"
    done < <(diff <(api_expected "$1") <(api_results "$1") | grep '^[<>]' || true)
}

# Each test that proves a flag passed.
api_capabilities() { # LOG
    local flag name results
    results=$(api_results "$1" | sed 's/^ *//')
    while read -r flag name; do
        case $flag$name in '#'* | '' | *C:*) continue ;; esac
        if ! grep -Fqx -- "Testing $name: PASSED" <<<"$results"; then
            difference "H5VL_CAP_FLAG_$flag is declared, but not proven: \"$name\" did not pass"
        fi
    done <"$API_TABLES/capabilities.txt"
}

# What a test of testhdf5 does: "pass", or the first check that failed, as FILE:LINE, or "exit STATUS" without one. A test that
# goes on after a failure can print without end: the first lines are enough.
testhdf5_result() { # LOG NAME
    local work status check
    work=$(mktemp -d)
    (cd "$work" && set +o pipefail &&
        HDF5_VOL_CONNECTOR='zarr gateway=0' HDF5TestExpress=3 timeout "$TESTHDF5_SECONDS" stdbuf -oL \
            "$VZ_API_TEST/testhdf5" -only "$2" 2>&1 </dev/null | head -c "$TESTHDF5_LOG_BYTES" >"$1"
        exit "${PIPESTATUS[0]}") && status=0 || status=$?
    rm -rf "$work"
    check=$(sed -n 's/.* at line *\([0-9]*\) in .*\/\([a-z0-9_]*\.c\).*/\2:\1/p' "$1" | sed -n 1p)
    if [ "$status" = 0 ] && [ -z "$check" ]; then
        echo pass
    else
        echo "${check:-exit $status}"
    fi
}

testhdf5_compare() { # LOG
    local name expected reason found passed=0 count=0
    while read -r name expected reason; do
        case $name in '#'* | '') continue ;; esac
        if [ "$reason" = slow ] && [ -n "$report" ]; then continue; fi
        if [ "$expected" = exit ]; then
            expected="exit ${reason%% *}"
        fi
        found=$(testhdf5_result "$1" "$name")
        count=$((count + 1))
        if [ "$found" = pass ]; then passed=$((passed + 1)); fi
        if [ "$found" != "$expected" ]; then
            difference "testhdf5 -only $name: $found, expected $expected (test/api/testhdf5.txt)"
        fi
    done <"$API_TABLES/testhdf5.txt"
    say "testhdf5: $passed of $count tests pass, the others fail where test/api/testhdf5.txt says"
}
