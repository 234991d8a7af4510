#!/usr/bin/env bash
# net.sh [PRESET [ARGUMENT...]] - stores on a server that misbehaves, over http, as S3 and as Azure's storage (test/machines/README.md).
# The arguments are those of test/machines/net/net.py: --seconds N or --runs N is how long, --seed N where it begins, --one NUMBER does
# one run again, --short leaves out what takes seconds by itself, --report FILE writes JUnit's XML. All of it is on the loopback interface.
set -euo pipefail
VZ_TAG=net
. "$(dirname "$0")/lib/machines.sh"
exec "${machine[@]}" -W ignore "$VZ_ROOT/test/machines/net/net.py" "$build" "$@"
