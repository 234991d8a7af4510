#!/usr/bin/env bash
# crash.sh [PRESET [ARGUMENT...]] - writers that are killed, and what they leave (test/machines/README.md). The arguments are those of
# test/machines/crash/crash.py: --kills 1000 is the long form, --report FILE writes JUnit's XML.
set -euo pipefail
VZ_TAG=crash
. "$(dirname "$0")/lib/machines.sh"
exec "${machine[@]}" "$VZ_ROOT/test/machines/crash/crash.py" "$build/test/machines/libvz_hook.so" "$build/plugin" "$@"
