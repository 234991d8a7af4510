#!/usr/bin/env bash
# test.sh [PRESET] - builds PRESET and runs every test of it; the last line sums them all up.
# Any other preset has one stage more: unit and C tests of the sanitize preset, which is built for it. With sanitize there are
# two more: the demo (the main job on real data) with the sanitized plugin, and the C tests of a debug build under valgrind. With release
# there is one more: unit and C tests of the portable preset (tools/portable.sh). With portable all runs while the kernel refuses what only
# Linux has; ctest and Python tests of locks run once more with locks of open file descriptions, which no file of that build takes.
#
# The build itself checks the plugin (no undefined H5* symbol, no libhdf5 dependency); ctest runs unit and C tests; pytest
# runs test/python twice, in the environments of HDF5 2.x and 1.14 (what does the same in both only in the first), what needs hdmf-zarr
# (test_nwb_*.py; test_hdmf14.py) in environments of their own, test/cloud against servers where setup.sh could build them, and h5py's own
# tests in the first two; then HDF5's own. Stages run side by side, two more than there are processors. A stage that fails does not stop the next, a
# stage that ends without its report (a crash) counts as one failure more. build/PRESET/reports/durations.txt has what took long.
set -euo pipefail
VZ_TAG="test"
. "$(dirname "$0")/lib/common.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"

preset=${1:-release}
build=$VZ_ROOT/build/$preset
reports=$build/reports
export VZ_PLUGIN_DIR=$build/plugin
export VZ_PRESET=$preset

# Settings of the user's own must not decide what is tested.
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING PYTHONUNBUFFERED

# Python itself is not built with the sanitizers: their run-time library goes in first. Its leak check would only see
# what the interpreter leaves behind; leaks are looked for in the unit and C tests.
python_preload() {
    if [ "$preset" = portable ]; then printf 'LD_PRELOAD=%s' "$build/test/machines/libhide_proc.so"; fi
    [ "$preset" = sanitize ] || return 0
    printf 'LD_PRELOAD=%s ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc' "$(gcc -print-file-name=libasan.so)"
}

# The kernel answers the portable preset as one that is not Linux. To Python alone /proc stays, of which the tests there have need; the connector
# finds nothing there (hide_proc.c).
filter=()
if [ "$preset" = portable ]; then filter=("$build/test/machines/refuse_linux"); fi

stage_ctest() { # NAME PRESET
    (cd "$VZ_ROOT" && ctest --preset "$2" --parallel "$(($(cpus) + 1))" --output-junit "$reports/$1.xml")
}

# The build with -DVZ_OS=posix; its objects are those of release, but for few.
stage_portable() { # NAME WHAT
    "$VZ_ROOT/tools/portable.sh" "$2" "$reports/$1.xml"
}

# Two stages need that build: the first one makes it.
build_sanitize() {
    (
        flock 8
        "$VZ_ROOT/tools/build.sh" sanitize
    ) 8>"$reports/.building"
}

stage_ctest_sanitize() {
    build_sanitize && VZ_PRESET=sanitize stage_ctest ctest-sanitize sanitize
}

stage_pytest() { # NAME PYTHON WHAT...
    local name=$1 python=$2
    shift 2
    # shellcheck disable=SC2046 # words
    (cd "$VZ_ROOT" && "${filter[@]}" env $(python_preload) HDF5_PLUGIN_PATH="$VZ_PLUGIN_DIR" "$python" -m pytest -q --timeout=900 \
        -p no:cacheprovider --junitxml="$reports/$name.xml" "$@")
}

# Tests of locks once more, while the kernel has locks of open file descriptions, as macOS has. No file of this build takes any, which
# tools/portable.sh looks at; these tests see what comes of such locks of the programs around it.
stage_pytest_locks() {
    local filter=("$build/test/machines/refuse_linux" --keep-locks)
    stage_pytest pytest-locks "$VZ_PY" "$VZ_ROOT"/test/python/test_{leases,swmr,files,writers,consolidated_lock,document_lock,shard_processes}.py \
        "$VZ_ROOT"/test/python/test_{processes,journals,stale_handles,killed_creation,native_files,convert_stopped}.py \
        "$VZ_ROOT"/test/python/test_{zip,one_file}*.py
}

stage_h5py() { # NAME PYTHON
    # shellcheck disable=SC2046 # words
    "${filter[@]}" env $(python_preload) "$VZ_ROOT/tools/h5py-test.sh" "$VZ_PLUGIN_DIR" "$2" --junitxml="$reports/$1.xml"
}

# HDF5's own tests; they are there where setup.sh had to build HDF5.
stage_api() {
    # shellcheck disable=SC2046 # words
    "${filter[@]}" env $(python_preload) "$VZ_ROOT/tools/api-test.sh" --report "$reports/api-test.xml" "$VZ_PLUGIN_DIR"
}

# Altered stores, with the sanitizers whatever the preset is.
stage_hostile() {
    build_sanitize && "$VZ_ROOT/tools/hostile.sh" --short --seconds 25 --report "$reports/hostile.xml"
}

stage_soak() {
    "${filter[@]}" "$VZ_ROOT/tools/soak.sh" "$preset" --report "$reports/soak.xml"
}

# A server that misbehaves: so many runs, and no longer than that.
stage_net() {
    "${filter[@]}" "$VZ_ROOT/tools/net.sh" "$preset" --short --runs 150 --seconds 60 --seed 1 --report "$reports/net.xml"
}

# Writers that are killed, calls that fail, power that fails: with fixed seeds, so that every run does the same.
stage_crash() {
    "${filter[@]}" "$VZ_ROOT/tools/crash.sh" "$preset" --kills 60 --timed 0 --seed 1 --report "$reports/crash.xml"
}

stage_faults() {
    "${filter[@]}" "$VZ_ROOT/tools/faults.sh" "$preset" --runs 30 --seed 1 --jobs 2 --report "$reports/faults.xml"
}

stage_power() {
    "${filter[@]}" "$VZ_ROOT/tools/power.sh" "$preset" --points 30 --seed 1 --jobs 2 --report "$reports/power.xml"
}

# The main job, with a report of one test.
stage_demo() {
    local status=0 failures=0
    # shellcheck disable=SC2046 # words
    env $(python_preload) VZ_DEMO_OUT="$build/demo-out" "$VZ_ROOT/tools/demo.sh" "$VZ_PLUGIN_DIR" || status=$?
    if [ "$status" -ne 0 ]; then failures=1; fi
    printf '<testsuite name="demo" tests="1" failures="%s" skipped="0"/>\n' "$failures" >"$reports/demo.xml"
    return "$status"
}

# The pages as a site, where a link or an anchor that leads nowhere is an error. With a report of one test.
stage_docs() {
    local status=0 failures=0
    "$VZ_ROOT/tools/docs.sh" || status=$?
    if [ "$status" -ne 0 ]; then failures=1; fi
    printf '<testsuite name="docs" tests="1" failures="%s" skipped="0"/>\n' "$failures" >"$reports/docs.xml"
    return "$status"
}

stage_valgrind() {
    "$VZ_ROOT/tools/valgrind.sh" "$reports/valgrind.xml"
}

# stage NAME COMMAND...: its output appears when it has ended, since stages run side by side.
stage() {
    local name=$1 status=0 began=$SECONDS
    shift
    "$@" </dev/null >"$reports/$name.log" 2>&1 || status=$?
    printf '%s=%s\n' "$name" "$status" >>"$reports/stages"
    (
        flock 8
        say "--- $name ($((SECONDS - began)) s)"
        cat "$reports/$name.log"
    ) 8>"$reports/.output"
}

# A stage keeps less than one processor busy, as it waits for servers and processes: four are under way on two processors. A lane that is
# free takes the next stage. The long ones come first, so that none is left alone at the end.
queue=(pytest_hdf5_2_a_to_h)
if [ "$preset" != sanitize ] && [ "$preset" != portable ]; then queue+=(ctest_sanitize); fi
if [ "$preset" = release ]; then queue+=(portable); fi
# Of the sanitize preset unit tests look at what is sent and received.
if [ "$preset" = sanitize ]; then queue+=(valgrind demo); else queue+=(pytest_cloud); fi
queue+=(pytest_hdf5_2_i_to_n pytest_hdf5_2_o_to_z)
queue+=(pytest_hdmf pytest_hdf5_114 h5py_hdf5_2 h5py_hdf5_114)
if [ -n "$VZ_PY_HDMF14" ]; then queue+=(pytest_hdmf14); fi
if [ -n "$VZ_API_TEST" ]; then
    queue+=(api_test)
else
    say 'no h5_api_test here: left out (make api-test builds it)'
fi
queue+=(soak faults power crash net)
if [ "$preset" != portable ]; then queue+=(hostile); else queue+=(pytest_locks); fi

run_portable() { stage portable stage_portable portable --short; }
run_ctest_sanitize() { stage ctest-sanitize stage_ctest_sanitize; }
run_pytest_hdf5_2_a_to_h() { stage pytest-hdf5-2.x-a-h stage_pytest pytest-hdf5-2.x-a-h "$VZ_PY" "$VZ_ROOT"/test/python/test_[a-h]*.py; }
run_pytest_hdf5_2_i_to_n() { stage pytest-hdf5-2.x-i-n stage_pytest pytest-hdf5-2.x-i-n "$VZ_PY" "$VZ_ROOT"/test/python/test_[i-n]*.py; }
run_pytest_hdf5_2_o_to_z() { stage pytest-hdf5-2.x-o-z stage_pytest pytest-hdf5-2.x-o-z "$VZ_PY" "$VZ_ROOT"/test/python/test_[!a-n]*.py; }
run_pytest_hdf5_114() { stage pytest-hdf5-1.14 stage_pytest pytest-hdf5-1.14 "$VZ_PY114" test/python --without-once; }
run_pytest_hdmf() { stage pytest-hdmf stage_pytest pytest-hdmf "$VZ_PY_HDMF" "$VZ_ROOT"/test/python/test_nwb_*.py; }
run_pytest_hdmf14() { stage pytest-hdmf14 stage_pytest pytest-hdmf14 "$VZ_PY_HDMF14" "$VZ_ROOT/test/python/test_hdmf14.py"; }
run_pytest_cloud() { stage pytest-cloud stage_pytest pytest-cloud "$VZ_PY" test/cloud; }
run_pytest_locks() { stage pytest-locks stage_pytest_locks; }
run_h5py_hdf5_2() { stage h5py-hdf5-2.x stage_h5py h5py-hdf5-2.x "$VZ_PY"; }
run_h5py_hdf5_114() { stage h5py-hdf5-1.14 stage_h5py h5py-hdf5-1.14 "$VZ_PY114"; }
run_api_test() { stage api-test stage_api; }
run_soak() { stage soak stage_soak; }
run_net() { stage net stage_net; }
run_faults() { stage faults stage_faults; }
run_power() { stage power stage_power; }
run_crash() { stage crash stage_crash; }
run_hostile() { stage hostile stage_hostile; }
run_demo() { stage demo stage_demo; }
run_valgrind() { stage valgrind stage_valgrind; }

# The number of the next stage in the queue.
take() {
    (
        flock 8
        local number
        number=$(cat "$reports/.taken")
        printf '%s\n' "$((number + 1))" >"$reports/.taken"
        printf '%s\n' "$number"
    ) 8>"$reports/.taking"
}

lane() {
    local number
    while number=$(take) && [ "$number" -lt "${#queue[@]}" ]; do
        "run_${queue[$number]}"
    done
}

"$VZ_ROOT/tools/build.sh" "$preset"
rm -rf "$reports"
mkdir -p "$reports"
# These take all processors.
if [ "$preset" = portable ]; then
    stage ctest stage_portable ctest --tests
    stage ctest-locks stage_portable ctest-locks --locks
else
    stage ctest stage_ctest ctest "$preset"
fi
printf '0\n' >"$reports/.taken"
for ((i = 0; i < $(cpus) + 2; i++)); do lane & done
wait
mapfile -t stages <"$reports/stages"
exec "$VZ_PY" "$VZ_ROOT/tools/sum_reports.py" "$reports" "${stages[@]}"
