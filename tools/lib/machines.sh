# machines.sh - sourced by crash.sh, faults.sh and power.sh: $build, the directory of the preset that is their first argument, and
# $machine, the words that run their Python.
# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
preset=release
if [ $# -gt 0 ] && [[ $1 != --* ]]; then
    preset=$1
    shift
fi
build=$VZ_ROOT/build/$preset
[ -e "$build/test/machines/libvz_hook.so" ] || die "not built: tools/build.sh $preset"

# Settings of the user's own must not decide what is tested.
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING
machine=(env PYTHONDONTWRITEBYTECODE=1)
# faults.py starts a program that is sanitized itself, and looks for leaks; the others load the plugin into Python.
if [ "$preset" = sanitize ] && [ "$VZ_TAG" = faults ]; then
    machine+=("ASAN_OPTIONS=fast_unwind_on_malloc=0:suppressions=$VZ_ROOT/test/c/asan.supp"
        "LSAN_OPTIONS=print_suppressions=0:suppressions=$VZ_ROOT/test/machines/faults/lsan.supp")
elif [ "$preset" = sanitize ]; then
    machine+=("LD_PRELOAD=$(gcc -print-file-name=libasan.so)" PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0)
fi
machine+=("$VZ_PY")
