#!/usr/bin/env bash
# programs.sh [PRESET] - runs the programs of all Python environments on stores and writes what works into docs/programs.md.
set -euo pipefail
VZ_TAG=programs
. "$(dirname "$0")/lib/common.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
export VZ_PLUGIN_DIR=$VZ_ROOT/build/${1:-release}/plugin
export HDF5_PLUGIN_PATH=$VZ_PLUGIN_DIR
unset HDF5_VOL_CONNECTOR
cd "$VZ_ROOT/test/python"
# zarr-python's row is that of the newest, so the environment with the older one comes first.
for python in "$VZ_PY_HDMF" "$VZ_PY"; do "$python" programs.py --write; done
git -C "$VZ_ROOT" diff --stat -- docs/programs.md
