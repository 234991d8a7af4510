#!/usr/bin/env bash
# notebooks.sh [NAME...] - executes the notebooks of docs/notebooks (NAME.py) and writes what they show: NAME.md with its pictures beside it,
# for the site and GitHub, and build/notebooks/NAME.ipynb. The plugin is that of build/release, laid out as in a wheel.
#
# What a notebook needs and this machine has not is named, and that notebook is left out; its page stays as it is.
set -euo pipefail
VZ_TAG=notebooks
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/python.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
pages=$VZ_ROOT/docs/notebooks
work=$VZ_ROOT/build/notebooks
env=$VZ_CACHE/py-notebooks
list=$VZ_ROOT/tools/requirements-notebooks.txt
log=$VZ_CACHE/log/notebooks.log
session=$VZ_SHARED/data/nwb/ecephys_and_ogen.nwb

python_packages() {
    stamp_is "$env/.stamp" "$(cat "$list")" && return 0
    say "scanpy, xarray, pynwb and Jupyter, from the package index (two minutes; log: $log)"
    rm -rf "$env" "$log"
    logged "$log" "$(python_command)" -m venv "$env" &&
        logged "$log" "$env/bin/python" -m pip install --disable-pip-version-check --only-binary :all: --no-deps -r "$list" || die "pip failed"
    cp "$list" "$env/.stamp"
}

# What `pip install` of the wheel leaves: the package with the plugin and the command inside.
package() {
    local site=$work/site
    rm -rf "$site"
    mkdir -p "$site/bin"
    cp -r "$VZ_ROOT"/python/. "$site/"
    ln -s "$VZ_ROOT/build/release/plugin" "$site/vol_zarr/plugin"
    ln -s "$VZ_ROOT/build/release/bin" "$site/vol_zarr/bin"
    ln -s "$VZ_ROOT/build/release/bin/h5zarr" "$VZ_HDF5/bin/h5ls" "$site/bin/"
    export PYTHONPATH=$site HDF5_PLUGIN_PATH=$VZ_ROOT/build/release/plugin
    export PATH=$site/bin:$env/bin:$PATH CPATH=$VZ_HDF5/include LIBRARY_PATH=$VZ_HDF5/lib LD_RUN_PATH=$VZ_HDF5/lib
    unset HDF5_VOL_CONNECTOR
}

# data NAME: what the notebook finds in its directory; 1 where it cannot be had.
data() {
    case $1 in
        scanpy-bucket)
            [ -n "$VZ_MINIO" ] || { say "left out: $1 (no MinIO: tools/setup.sh builds it)"; return 1; }
            [ -e "$VZ_DATA" ] || { say "left out: $1 (no $(basename "$VZ_DATA"): tools/setup.sh fetches it)"; return 1; }
            cp "$VZ_DATA" pbmc68k_reduced.h5ad
            ;;
        nwb-raster)
            if [ -n "$VZ_SHARED" ] && [ -e "$session" ]; then
                cp "$session" session.nwb
                chmod u+w session.nwb
                echo 'The session is ecephys_and_ogen.nwb of the shared test data.' >session.txt
            else
                say "$1: ecephys_and_ogen.nwb is not in ../shared: a session is made up"
                "$env/bin/python" -W ignore "$VZ_ROOT/tools/notebooks/make_session.py" session.nwb
                echo 'The session is made up by tools/notebooks/make_session.py.' >session.txt
            fi
            ;;
    esac
}

names=("$@")
[ ${#names[@]} -gt 0 ] || names=($(cd "$pages" && ls -- *.py | sed 's/\.py$//'))
python_packages
package
for name in "${names[@]}"; do
    [ -e "$pages/$name.py" ] || die "no notebook $name"
    rm -rf "${work:?}/$name"
    mkdir -p "$work/$name"
    cd "$work/$name"
    data "$name" || continue
    say "$name"
    "$env/bin/python" -W ignore "$VZ_ROOT/tools/notebooks/render.py" "$pages/$name.py" "$work/$name.ipynb" "$pages"
done
