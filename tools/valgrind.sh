#!/usr/bin/env bash
# valgrind.sh - the C tests of a debug build under valgrind (valgrind.py): invalid accesses, use of what is not initialised, leaks.
set -euo pipefail
VZ_TAG=valgrind
. "$(dirname "$0")/lib/common.sh"
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING
"$VZ_ROOT/tools/build.sh" debug
exec python3 "$VZ_ROOT/tools/valgrind.py" "$VZ_ROOT/build/debug" "${1:-$VZ_ROOT/build/debug/valgrind.xml}"
