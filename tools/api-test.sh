#!/usr/bin/env bash
# api-test.sh PLUGIN_DIR            - HDF5's own API tests (h5_api_test of HDF5 1.14) through the connector, with its gateway
#                                     and without, then testhdf5. Each line is compared with what test/api expects.
# api-test.sh PLUGIN_DIR|native GROUP...  - groups of h5_api_test alone, nothing compared (native: on native files);
#                                     GROUP: file group dataset attribute datatype link object misc async, or all
# api-test.sh --expect PLUGIN_DIR   - runs h5_api_test and writes down what came out as what is expected
# api-test.sh --report FILE PLUGIN_DIR - as the first, with a report of the differences for tools/test.sh
#
# Logs are in build/api-test-*.log. The last line says "N passed, N failed, N skipped": the tests of h5_api_test with the
# gateway on; each difference anywhere counts as one failed test more.
set -euo pipefail
VZ_TAG=api-test
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/api_test.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
[ -n "$VZ_API_TEST" ] || die "no h5_api_test: run tools/setup.sh --api-test"

expect=0 report=''
case ${1:-} in
    --expect) expect=1 && shift ;;
    --report) report=$2 && shift 2 ;;
esac
plugin=${1:?usage: see the head of $0}
shift
logs=$VZ_ROOT/build
mkdir -p "$logs"

unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH
if [ "$plugin" != native ]; then
    [ -e "$plugin/libH5VLzarr.so" ] || die "no plugin in $plugin"
    HDF5_PLUGIN_PATH=$(cd "$plugin" && pwd)
    export HDF5_PLUGIN_PATH HDF5_VOL_CONNECTOR=${VZ_CONNECTOR:-zarr}
fi

if [ $# -gt 0 ] || [ "$plugin" = native ]; then
    if [ "${1:-all}" = all ]; then set --; fi
    api_run "$logs/api-test.log" "$@"
    grep -E -- '\*FAILED\*' "$logs/api-test.log" || true
    api_summary "$logs/api-test.log"
    [ "$API_FAILED" = 0 ]
    exit
fi

differences=0
for connector in 'zarr gateway=0' zarr; do
    log="$logs/api-test-${connector//[^a-z0-9]/-}.log"
    HDF5_VOL_CONNECTOR=$connector api_run "$log"
    if [ "$expect" = 1 ]; then api_results <(sed '/API Async Tests/,$d' "$log") >"$API_TABLES/h5_api_test.txt"; fi
    say "h5_api_test, HDF5_VOL_CONNECTOR='$connector': $(api_summary "$log")"
    api_compare "$log"
    api_capabilities "$log"
done
api_summary "$log" >/dev/null
# A sanitizer must be loaded first, and so must what makes testhdf5 print its lines as they come.
case ${LD_PRELOAD:-} in
    *libasan*) ;;
    *) testhdf5_compare "$logs/testhdf5.log" ;;
esac

if [ -n "$report" ]; then
    printf '<testsuite name="api-test" tests="%s" failures="%s" skipped="%s"/>\n' \
        $((API_PASSED + API_SKIPPED + API_FAILED + differences)) $((API_FAILED + differences)) "$API_SKIPPED" >"$report"
fi
echo "$API_PASSED passed, $((API_FAILED + differences)) failed, $API_SKIPPED skipped"
[ $((API_FAILED + differences)) = 0 ]
