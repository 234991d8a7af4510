# python.sh - sourced: the Python environments of demo and tests, made in the cache from pinned lists.
# shellcheck shell=bash
#
# py-main      what a user gets today: the newest h5py (HDF5 2.x) with anndata, zarr, PyTables, netCDF4, xarray and h5netcdf
# py-h5py-1.14 an h5py wheel that carries HDF5 1.14, so that the same plugin is seen under the older line
# py-demo      the few of py-main that the demo needs
# py-hdmf      pynwb and hdmf-zarr 0.13, which writes Zarr v2 through zarr-python 2
# py-hdmf-0.14 pynwb and hdmf-zarr 0.14, which writes Zarr v3 through zarr-python 3 and needs Python 3.12

VZ_PY_MAIN=$VZ_CACHE/py-main
VZ_PY_114=$VZ_CACHE/py-h5py-1.14
VZ_PY_HDMF=$VZ_CACHE/py-hdmf
VZ_PY_HDMF14=$VZ_CACHE/py-hdmf-0.14
# What the demo needs of py-main, where that was not made yet.
VZ_PY_SMALL=$VZ_CACHE/py-demo
PYTHON_DEMO='anndata dask h5py pytest zarr'

python_is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# $PYTHON if set, else the first python3 >= 3.11 there is
python_command() {
    local candidate
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14}; do
        if have "$candidate" && python_is_new_enough "$candidate"; then
            command -v "$candidate"
            return 0
        fi
    done
}

# The newest anndata, zarr and numpy need Python 3.12, so there is a list on either side of it.
python_list_name() { # PYTHON -> py311 or py313
    if "$1" -c 'import sys; sys.exit(sys.version_info >= (3, 12))'; then echo py311; else echo py313; fi
}

python_recipe() { # PYTHON FILE...
    "$1" -c 'import sys; print(sys.version)'
    shift
    cat "$@"
}

python_env_ready() { # DIR RECIPE
    stamp_is "$1/.stamp" "$2" && "$1/bin/python" -c 'import h5py' >/dev/null 2>&1
}

# python_env DIR PYTHON WHAT RECIPE PIP_ARGUMENT...
python_env() {
    local dir=$1 python=$2 what=$3 recipe=$4 log began=$SECONDS
    log=$VZ_CACHE/log/$(basename "$dir").log
    shift 4
    if python_env_ready "$dir" "$recipe"; then
        say "Python environment $(basename "$dir"): there"
        return 0
    fi
    say "Python environment $(basename "$dir"): $what (under a minute; log: $log)"
    rm -rf "$dir" "$log"
    logged "$log" "$python" -m venv "$dir" || die "python3 -m venv failed"
    # Most modules of these packages are never imported here; what is, is compiled then.
    logged "$log" "$dir/bin/python" -m pip install --disable-pip-version-check --no-compile --only-binary :all: "$@" || die "pip failed"
    printf '%s\n' "$recipe" >"$dir/.stamp"
    say "Python environment $(basename "$dir"): done ($((SECONDS - began)) s)"
}

setup_python() {
    local python lists main older hdmf constraints
    python=$(python_command)
    [ -n "$python" ] || die "no Python >= 3.11 (set PYTHON to one)"
    lists=$VZ_ROOT/tools/requirements
    main=$lists-$(python_list_name "$python").txt
    older=$lists-$(python_list_name "$python")-h5py-1.14.txt
    hdmf=$lists-hdmf-$(python_list_name "$python").txt
    python_env "$VZ_PY_MAIN" "$python" "h5py, anndata, zarr, PyTables, netCDF4, xarray" "$(python_recipe "$python" "$main")" -r "$main"
    # Everything but h5py has the same versions in both environments.
    constraints=$VZ_CACHE/constraints.txt
    grep -v '^h5py==' "$main" >"$constraints"
    python_env "$VZ_PY_114" "$python" "h5py with HDF5 1.14, anndata, zarr" "$(python_recipe "$python" "$older" "$main")" \
        -r "$older" -c "$constraints"
    python_env "$VZ_PY_HDMF" "$python" "pynwb, hdmf-zarr, zarr 2.18" "$(python_recipe "$python" "$hdmf")" -r "$hdmf"
    if [ "$(python_list_name "$python")" = py311 ]; then
        say "Python environment py-hdmf-0.14: left out, hdmf-zarr 0.14 needs Python 3.12"
        return 0
    fi
    hdmf=$lists-hdmf14-py313.txt
    python_env "$VZ_PY_HDMF14" "$python" "pynwb, hdmf-zarr 0.14, zarr 3" "$(python_recipe "$python" "$hdmf")" -r "$hdmf"
}

# python_demo: the environment in which the demo runs
python_demo() { if [ -f "$VZ_PY_MAIN/.stamp" ]; then echo "$VZ_PY_MAIN"; else echo "$VZ_PY_SMALL"; fi; }

setup_python_demo() {
    local python main
    if [ "$(python_demo)" = "$VZ_PY_MAIN" ]; then
        say "Python environment py-main: there"
        return 0
    fi
    python=$(python_command)
    [ -n "$python" ] || die "no Python >= 3.11 (set PYTHON to one)"
    main=$VZ_ROOT/tools/requirements-$(python_list_name "$python").txt
    # shellcheck disable=SC2086 # a word each
    python_env "$VZ_PY_SMALL" "$python" "h5py, anndata, zarr" "$(python_recipe "$python" "$main"; echo "$PYTHON_DEMO")" \
        -c "$main" $PYTHON_DEMO
}
