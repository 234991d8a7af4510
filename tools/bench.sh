#!/usr/bin/env bash
# bench.sh - the benchmark (test/bench/README.md) with the release plugin and a Python environment of its own, which it makes.
#
#   tools/bench.sh run [--size quick|normal|full] [--rows PATTERN...] [--peers PATTERN...] [--directory DIR]   figures into build/bench
#   tools/bench.sh growth [--quick]     how time and memory grow, into build/bench
#   tools/bench.sh publish              what lies in build/bench into docs/performance.md, with its charts
#   tools/bench.sh dask [ARGUMENTS of test/bench/bench_dask.py]    slabs by 1, 2 and 4 workers of Dask, against zarr-python under the same
#   tools/bench.sh kinds [--directory DIR] [--rounds N]   one set of arrays as a store of each kind, on the disk of DIR (default: of /tmp)
#   tools/bench.sh cloud [--ms 0,20,100] [--rounds N] [--rows ROW...] [--peers TITLE...]   stores in a bucket of MinIO, into build/bench
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
if [ "${1:-}" = kinds ]; then
    shift
    exec "$VZ_PY" -W ignore "$VZ_ROOT/test/bench/kinds.py" "$@"
fi
# h5py with the ROS3 driver, which no wheel has, is Debian's (python3-h5py): who has it is measured.
has_ros3() { "$1" -c 'import sys, h5py; sys.exit("ros3" not in h5py.registered_drivers())' 2>/dev/null; }
if [ "${1:-}" = cloud ]; then
    shift
    [ -x "${VZ_MINIO:-}" ] || die "no MinIO: tools/setup.sh builds it"
    if has_ros3 /usr/bin/python3; then export VZ_PY_ROS3=/usr/bin/python3; else say "without h5py + ROS3: apt-get install python3-h5py"; fi
    export VZ_S3FS=$VZ_CACHE/py-hdmf-s3fs VZ_PY_BENCH=$VZ_PY VZ_BENCH_PATH=$VZ_ROOT/test PYTHONDONTWRITEBYTECODE=1
    list=$VZ_ROOT/tools/requirements-$(python_list_name "$VZ_PY").txt
    if ! stamp_is "$VZ_S3FS/.stamp" "$(cat "$list")"; then
        rm -rf "$VZ_S3FS"
        logged "$VZ_CACHE/log/s3fs.log" "$VZ_PY_HDMF" -m pip install --disable-pip-version-check --only-binary :all: --target "$VZ_S3FS" s3fs -c "$list" \
            || die "s3fs for hdmf-zarr could not be installed (log: $VZ_CACHE/log/s3fs.log)"
        cp "$list" "$VZ_S3FS/.stamp"
    fi
    cd "$VZ_ROOT"
    PYTHONPATH=$VZ_BENCH_PATH exec "$VZ_PY" -W ignore -m bench.cloud "$@"
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
