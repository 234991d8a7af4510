#!/usr/bin/env bash
# bench.sh [ARGUMENTS of test/bench/bench.py] - the benchmark with the release plugin and the main Python environment.
# bench.sh shards [ARGUMENTS of test/bench/bench_shards.py] - the one of sharded Zarr v3.
# bench.sh cloud [ARGUMENTS of test/bench/bench_cloud.py] - stores in a bucket of MinIO, 0, 20 and 100 ms away.
set -euo pipefail
VZ_TAG=bench
. "$(dirname "$0")/lib/common.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
export VZ_PLUGIN_DIR=$VZ_ROOT/build/release/plugin
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH
[ -e "$VZ_PLUGIN_DIR/libH5VLzarr.so" ] || die "no release plugin: run make bench, which builds it"
script=bench.py
if [ "${1:-}" = cloud ]; then
    shift
    export HDF5_PLUGIN_PATH=$VZ_PLUGIN_DIR
    exec "$VZ_PY" -W ignore "$VZ_ROOT/test/bench/bench_cloud.py" "$@"
fi
if [ "${1:-}" = shards ]; then
    script=bench_shards.py
    shift
fi
exec "$VZ_PY" "$VZ_ROOT/test/bench/$script" "$@"
