#!/usr/bin/env bash
# bench.sh - the benchmark (test/bench/README.md) with the release plugin and a Python environment of its own, which it makes.
#
#   tools/bench.sh run [--size quick|normal|full] [--rows PATTERN...] [--peers PATTERN...] [--directory DIR]   figures into build/bench
#   tools/bench.sh growth [--quick]     how time and memory grow, into build/bench
#   tools/bench.sh publish              what lies in build/bench into docs/performance.md, with its charts
#   tools/bench.sh dask [ARGUMENTS of test/bench/bench_dask.py]    slabs by 1, 2 and 4 workers of Dask, against zarr-python under the same
#   tools/bench.sh cloud [ARGUMENTS of test/bench/bench_cloud.py]   stores in a bucket of MinIO, 0, 20 and 100 ms away
#   tools/bench.sh cloud-writing [ARGUMENTS of test/bench/bench_cloud_writing.py]   the same written, and further readers
set -euo pipefail
VZ_TAG=bench
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/python.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
export VZ_PLUGIN_DIR=$VZ_ROOT/build/release/plugin
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH PYTHONUNBUFFERED
[ -e "$VZ_PLUGIN_DIR/libH5VLzarr.so" ] || die "no release plugin: run make bench, which builds it"
if [ "${1:-}" = dask ]; then
    shift
    exec "$VZ_PY" -W ignore "$VZ_ROOT/test/bench/bench_dask.py" "$@"
fi
if [ "${1:-}" = cloud ] || [ "${1:-}" = cloud-writing ]; then
    script=bench_${1//-/_}.py
    shift
    export HDF5_PLUGIN_PATH=$VZ_PLUGIN_DIR
    exec "$VZ_PY" -W ignore "$VZ_ROOT/test/bench/$script" "$@"
fi

python=$(python_command)
list=$VZ_ROOT/tools/requirements-bench.txt
main=$VZ_ROOT/tools/requirements-$(python_list_name "$python").txt
python_env "$VZ_CACHE/py-bench" "$python" "h5py, zarr, zarrs, tensorstore, anndata, matplotlib" "$(python_recipe "$python" "$list" "$main")" \
    -r "$list" -c "$main"
export VZ_PY_BENCH=$VZ_CACHE/py-bench/bin/python
export VZ_BENCH_PROGRAMS=$VZ_ROOT/build/release/test/bench
[ -x "$VZ_BENCH_PROGRAMS/bench_work" ] || die "no bench_work in $VZ_BENCH_PROGRAMS: run make bench, which builds it"
VZ_FILTERS=$("$VZ_PY_BENCH" -W ignore -c 'import hdf5plugin; print(hdf5plugin.PLUGIN_PATH)')
VZ_HDF5_VERSION=$(sed -n 's/^#define H5_VERS_INFO *"HDF5 library version: \(.*\)"$/\1/p' "$VZ_HDF5_HEADERS/H5public.h")
export VZ_FILTERS VZ_HDF5_VERSION
cd "$VZ_ROOT"
PYTHONPATH=$VZ_ROOT/test PYTHONDONTWRITEBYTECODE=1 exec "$VZ_PY_BENCH" -W ignore -m bench "$@"
