#!/usr/bin/env bash
# reach.sh [PRESET [SUITE...]] - the I/O tests of programs that use HDF5 (test/reach/suites.txt), natively and through the connector, and
# what differs, held against test/reach/table.txt. Not part of make test: it takes hours.
#
# Three runs of each suite: native; "beside", with HDF5_VOL_CONNECTOR="zarr create=*.zarr", where the suite's files stay native and
# nothing may change; "redirect", with HDF5_VOL_CONNECTOR=zarr, where all that is created is a store. Reports: build/PRESET/reach.
set -euo pipefail
VZ_TAG=reach
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/python.sh"
. "$VZ_ROOT/tools/lib/reach_recipe.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING

# Against what hangs; a busy machine needs a part of it.
SUITE_SECONDS=14400
TEST_SECONDS=1800
MUDATA=mudata-0.3.10
preset=${1:-release}
shift || true
here=$VZ_ROOT/test/reach
own=$VZ_ROOT/build/$preset/plugin
reports=$VZ_ROOT/build/$preset/reach
env_dir=$VZ_CACHE/py-reach
python=$(python_command)
list=$VZ_ROOT/tools/requirements-reach.txt
[ -e "$own/libH5VLzarr.so" ] || die "no plugin in $own: tools/build.sh $preset"

# The environment of the Python suites, and where netCDF4's filters are. Its wheel finds filters of its own only while the
# variable is not set (docs/troubleshooting.md). Where its directory is appended, another HDF5 finds its Blosc in the place
# of hdf5plugin's, and that one fails there.
netcdf=''
need_python() {
    [ -z "$netcdf" ] || return 0
    python_env "$env_dir" "$python" "programs that use HDF5" "$(python_recipe "$python" "$list")" -r "$list"
    netcdf=$own:$("$env_dir/bin/python" -c 'import importlib.util as u, os; print(os.path.join(os.path.dirname(u.find_spec("netCDF4").origin), "plugins"))')
}

# source_of SUITE: the unpacked source distribution of the package, in the version of the list.
source_of() {
    local version place work
    version=$(sed -n "s/^$1==//p" "$list")
    place=$VZ_CACHE/reach-source/$1-$version
    if [ ! -d "$place" ]; then
        work=$(mktemp -d)
        logged "$VZ_CACHE/log/reach-source.log" "$env_dir/bin/python" -m pip download --disable-pip-version-check --no-deps --no-binary :all: \
            -d "$work" "$1==$version" || die "$1: no source distribution"
        mkdir "$work/tree"
        tar -xzf "$work"/*.tar.gz -C "$work/tree" --strip-components=1
        mkdir -p "$(dirname "$place")"
        mv "$work/tree" "$place"
        rm -rf "$work"
    fi
    printf '%s' "$place"
}

# variables_of MODE PLUGIN_PATH: sets `variables` to what the mode adds to the environment.
variables_of() {
    case $1 in
        native) variables=() ;;
        beside) variables=(HDF5_PLUGIN_PATH="$2" HDF5_VOL_CONNECTOR="zarr create=*.zarr") ;;
        redirect) variables=(HDF5_PLUGIN_PATH="$2" HDF5_VOL_CONNECTOR=zarr) ;;
    esac
}

# run SUITE MODE OPTIONS ARGS...: in new directories, since tests leave files behind. A run that hangs ends without a report.
run() {
    local suite=$1 mode=$2 options=$3 work variables
    shift 3
    local plugin=$netcdf
    if [ "$suite" = hdf5plugin ]; then plugin=$own; fi
    variables_of "$mode" "$plugin"
    if [ "$mode" = redirect ]; then variables+=(HDF5_VOL_CONNECTOR="zarr$options"); fi
    work=$(mktemp -d)
    mkdir "$work/here" "$work/tmp"
    (cd "$work/here" && timeout -k 10 "$SUITE_SECONDS" env TMPDIR="$work/tmp" PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 \
        "${variables[@]}" "$env_dir/bin/python" -m pytest -q -o addopts= -p no:cacheprovider -p reach_fixtures --timeout="$TEST_SECONDS" -W ignore \
        --junitxml="$reports/$suite.$mode.xml" "$@") >"$reports/$suite.$mode.log" 2>&1 </dev/null || true
    rm -rf "$work"
    say "$suite $mode: $(tail -n 1 "$reports/$suite.$mode.log")"
}

mkdir -p "$reports"
suites=()
while read -r suite arguments; do
    case $suite in '#'* | '') continue ;; esac
    if [ $# -gt 0 ] && [[ " $* " != *" $suite "* ]]; then continue; fi
    rm -rf "$reports/$suite".*
    suites+=("$suite")
    if [ "$arguments" = recipe ]; then
        recipe_make "$suite"
        for mode in native beside redirect; do
            variables_of "$mode" "$own"
            say "$suite $mode: $(recipe_run "$suite" "$mode" "$reports" "${variables[@]}")"
        done
    else
        need_python
        arguments=${arguments//\{here\}/$here}
        case $arguments in *'{source}'*) arguments=${arguments//\{source\}/$(source_of "$suite")} ;; esac
        options=''
        case $arguments in
            'one-file '*) options=' container=file' arguments=${arguments#one-file } ;;
            'format-3 '*) options=' format=3' arguments=${arguments#format-3 } ;;
        esac
        eval "words=($arguments)"
        for mode in native beside redirect; do run "$suite" "$mode" "$options" "${words[@]}"; done
    fi
done <"$here/suites.txt"
# MuData's requirements and those of the tests' own environment exclude each other, but it works there.
if [ $# -eq 0 ]; then
    mudata=$VZ_CACHE/$MUDATA
    if [ ! -d "$mudata" ]; then
        logged "$VZ_CACHE/log/mudata.log" "$VZ_PY" -m pip install --no-deps --target "$mudata.new" "${MUDATA/-/==}"
        mv "$mudata.new" "$mudata"
    fi
    (cd "$VZ_ROOT" && env VZ_PLUGIN_DIR="$own" HDF5_PLUGIN_PATH="$own" PYTHONPATH="$mudata" "$VZ_PY" -m pytest -q -p no:cacheprovider \
        --timeout="$TEST_SECONDS" test/python/test_one_file_programs.py -k mudata)
    # Debian 13's ncdump, NCO and CDO.
    "$VZ_ROOT/tools/netcdf-test.sh" "$preset"
fi
exec "$VZ_PY" "$here/compare.py" "$reports" "${suites[@]}"
