#!/usr/bin/env bash
# spaces.sh [PRESET [ARGUMENT...]] - random dataspaces on stores and on native files, compared after each transfer
# (test/machines/README.md). The arguments are those of test/machines/spaces/spaces.c: --seconds N or --cases N is how long, --seed N
# what it draws, --only N does one case again.
set -euo pipefail
VZ_TAG=spaces
. "$(dirname "$0")/lib/common.sh"
preset=release
if [ $# -gt 0 ] && [[ $1 != --* ]]; then
    preset=$1
    shift
fi
build=$VZ_ROOT/build/$preset
[ -x "$build/test/machines/spaces" ] || die "not built: tools/build.sh $preset"

# Settings of the user's own must not decide what is tested.
unset HDF5_VOL_CONNECTOR HDF5_USE_FILE_LOCKING
export HDF5_PLUGIN_PATH=$build/plugin
if [ "$preset" = sanitize ]; then
    export ASAN_OPTIONS="fast_unwind_on_malloc=0:suppressions=$VZ_ROOT/test/c/asan.supp"
    export LSAN_OPTIONS="print_suppressions=0:suppressions=$VZ_ROOT/test/c/lsan.supp"
fi
exec "$build/test/machines/spaces" "$@"
