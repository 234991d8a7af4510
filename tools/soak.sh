#!/usr/bin/env bash
# soak.sh [PRESET [ARGUMENT...]] - random operations on stores and on native files, compared after each (test/machines/README.md). The
# arguments are those of test/machines/soak/soak.py: --programs N or --seconds N is how long, --seed N where it begins, --hdf5 1.14
# takes that HDF5, --more NAME,... draws those operations eight times as often, --one KIND SEED does one again.
set -euo pipefail
VZ_TAG=soak
. "$(dirname "$0")/lib/machines.sh"
exec "${machine[@]}" "$VZ_ROOT/test/machines/soak/soak.py" "$build" "$@"
