#!/usr/bin/env bash
# portable.sh [REPORT.xml] - the build with -DVZ_OS=posix, and its unit and C tests while the kernel refuses what only Linux has
# (test/machines/portable/refuse_linux.c).
set -euo pipefail
VZ_TAG=portable
. "$(dirname "$0")/lib/common.sh"
"$VZ_ROOT/tools/build.sh" portable
build=$VZ_ROOT/build/portable
report=${1:-$build/ctest.xml}
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING
export VZ_PRESET=portable VZ_PLUGIN_DIR=$build/plugin

nm -D --undefined-only "$build/plugin/libH5VLzarr.so" | awk '{print $2}' | sed 's/@.*//' | sort -u >"$build/called"
if grep -xFf "$VZ_ROOT/test/machines/portable/only_linux.txt" "$build/called"; then
    die "the plugin of -DVZ_OS=posix calls these functions, which only Linux has"
fi
cd "$VZ_ROOT"
exec "$build/test/machines/refuse_linux" ctest --preset portable --parallel "$(($(cpus) + 1))" --output-junit "$report" \
    --tests-regex '^(unit|c)_'
