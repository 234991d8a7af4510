#!/usr/bin/env bash
# tsan.sh [PYTEST_ARGUMENT...] - unit and C tests, and the Python tests where several threads use the connector or its workers, under
# ThreadSanitizer: a build of the tsan preset. With arguments only these of the Python tests.
#
# Python and HDF5 are not built with it. What they do with locks is seen all the same (the run-time library stands in for them), what
# they do with memory is not looked at: ignore_noninstrumented_modules. Nothing else is left out.
set -euo pipefail
VZ_TAG=tsan
. "$(dirname "$0")/lib/common.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING

build=$VZ_ROOT/build/tsan
tests=(test_anndata_lazy.py test_datasets.py test_document_lock.py test_processes.py test_shard_processes.py test_stale_handles.py
    test_swmr.py test_virtual.py test_zarr_shards.py test_zip.py)
# History: how far back the other access is still known. Forked children of processes with threads start some of their own.
options="exitcode=66 history_size=4 second_deadlock_stack=1 die_after_fork=0 ignore_noninstrumented_modules=1"
export VOL_ZARR_THREADS=4

# A race that must be seen. The sanitizer needs its memory where the kernel may have put something else; then without randomisation.
"$VZ_ROOT/tools/build.sh" tsan
probe=$build/probe
printf '%s\n' '#include <pthread.h>' 'static int n;' 'static void *add(void *p) { n++; return p; }' \
    'int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, add, 0);' \
    'for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return n == 3; }' | gcc -fsanitize=thread -g -x c - -o "$probe"
race_is_seen() { # WORD...
    local status=0
    TSAN_OPTIONS=exitcode=66 "$@" "$probe" >"$probe.log" 2>&1 || status=$?
    [ "$status" = 66 ] && grep -q 'data race' "$probe.log"
}
runner=()
if ! race_is_seen; then
    runner=(setarch -R)
    race_is_seen "${runner[@]}" || die "ThreadSanitizer does not work here: $(head -n 3 "$probe.log")"
fi

status=0
if [ $# = 0 ]; then
    (cd "$VZ_ROOT" && TSAN_OPTIONS=$options "${runner[@]}" ctest --preset tsan --parallel "$(cpus)") || status=1
    set -- "${tests[@]/#/$VZ_ROOT/test/python/}"
fi
# Reports go to files: tests read what programs print.
rm -f "$build"/report.*
(cd "$VZ_ROOT" && env LD_PRELOAD="$(gcc -print-file-name=libtsan.so)" PYTHONDONTWRITEBYTECODE=1 VZ_PRESET=tsan VZ_PLUGIN_DIR="$build/plugin" HDF5_PLUGIN_PATH="$build/plugin" \
    TSAN_OPTIONS="$options log_path=$build/report" "${runner[@]}" "$VZ_PY" -m pytest -q -p no:cacheprovider --timeout=900 "$@") || status=1
for report in "$build"/report.*; do
    [ -e "$report" ] || continue
    head -n 60 "$report" >&2
    status=1
done
if [ "$status" = 0 ]; then say "nothing found"; else say "FOUND something: see above, and $build/report.*"; fi
exit "$status"
