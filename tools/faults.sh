#!/usr/bin/env bash
# faults.sh [PRESET [ARGUMENT...]] - each call of the connector to the system fails, and each allocation (test/machines/README.md). The
# arguments are those of test/machines/faults/faults.py: --all is the long form, --report FILE writes JUnit's XML.
set -euo pipefail
VZ_TAG=faults
. "$(dirname "$0")/lib/machines.sh"
exec "${machine[@]}" "$VZ_ROOT/test/machines/faults/faults.py" "$build/test/machines/faults_workload" "$build/plugin" "$@"
