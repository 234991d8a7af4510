#!/usr/bin/env bash
# hostile.sh [ARGUMENT...] - whole stores that were altered, looked at under the sanitizers (test/machines/README.md). The arguments are
# those of test/machines/hostile/hostile.py: --seconds N is how long, --seed N where it begins, --report FILE writes JUnit's XML.
# The build is that of the sanitize preset.
set -euo pipefail
VZ_TAG=hostile
set -- sanitize "$@"
. "$(dirname "$0")/lib/machines.sh"
real=()
if [ -n "$VZ_SHARED" ]; then real=(--real "$VZ_SHARED/data"); fi
# The programs that look are sanitized, the driver is not.
exec env PYTHONDONTWRITEBYTECODE=1 "$VZ_PY" "$VZ_ROOT/test/machines/hostile/hostile.py" "$build" "${real[@]}" "$@"
