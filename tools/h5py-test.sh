#!/usr/bin/env bash
# h5py-test.sh PLUGIN_DIR|native                    - h5py's own tests, through the connector or on native files, with both h5py
# h5py-test.sh PLUGIN_DIR|native PYTHON [ARGS...]   - with that Python; ARGS go to pytest (-k ..., --junitxml=...)
#
# What may fail, and why, stands in test/h5py/exceptions.txt, one test a line. A listed test that passes fails the run, as
# any other test that fails does. The last line says "N passed, N failed, N skipped"; listed tests count as skipped.
set -euo pipefail
VZ_TAG=h5py-test
. "$(dirname "$0")/lib/common.sh"

side=${1:?usage: h5py-test.sh PLUGIN_DIR|native [PYTHON [ARGS...]]}
shift
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING
if [ "$side" != native ]; then
    [ -e "$side/libH5VLzarr.so" ] || die "no plugin in $side"
    side=$(cd "$side" && pwd)
    export HDF5_PLUGIN_PATH=$side HDF5_VOL_CONNECTOR=${VZ_CONNECTOR:-zarr}
fi

# one PYTHON [ARGS...]: in new directories, since the tests leave files behind
one() {
    local python=$1 work status=0
    shift
    work=$(mktemp -d)
    mkdir "$work/here" "$work/tmp"
    (cd "$work/here" && TMPDIR="$work/tmp" PYTHONPATH="$VZ_ROOT/test/h5py" PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 \
        "$python" -m pytest -q -p suite_plugin -p no:cacheprovider -W ignore::pytest.PytestUnknownMarkWarning \
        --timeout=300 --pyargs h5py.tests "$@") </dev/null || status=$?
    rm -rf "$work"
    return "$status"
}

if [ $# -gt 0 ]; then
    one "$@"
    exit
fi

environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
reports=$VZ_ROOT/build/h5py-test
rm -rf "$reports"
mkdir -p "$reports"
stages=()
for name in 2.x 1.14; do
    python=$VZ_PY
    if [ "$name" = 1.14 ]; then python=$VZ_PY114; fi
    status=0
    one "$python" --junitxml="$reports/h5py-hdf5-$name.xml" || status=$?
    stages+=("h5py-hdf5-$name=$status")
done
exec "$VZ_PY" "$VZ_ROOT/tools/sum_reports.py" "$reports" "${stages[@]}"
