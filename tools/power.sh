#!/usr/bin/env bash
# power.sh [PRESET [ARGUMENT...]] - what a power failure leaves of a writer with sync=1 (test/machines/README.md). The arguments are those
# of test/machines/power/power.py: --all is the long form, --report FILE writes JUnit's XML.
set -euo pipefail
VZ_TAG=power
. "$(dirname "$0")/lib/machines.sh"
exec "${machine[@]}" "$VZ_ROOT/test/machines/power/power.py" "$build/test/machines/libvz_hook.so" "$build/plugin" "$@"
