#!/usr/bin/env bash
# clang.sh - everything built by clang, where a warning is an error, and unit and C tests of that build. Without clang nothing is
# done, and the last line says so.
set -euo pipefail
VZ_TAG=clang
. "$(dirname "$0")/lib/common.sh"
if ! have clang; then
    say 'skipped: there is no clang here (Debian: apt-get install clang)'
    exit 0
fi
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING
"$VZ_ROOT/tools/build.sh" clang
cd "$VZ_ROOT"
ctest --preset clang --parallel "$(cpus)"
