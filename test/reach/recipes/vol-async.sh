# vol-async.sh - those programs of HDF5's connector vol-async that test event sets by public functions of HDF5 alone. Sourced by
# tools/lib/reach_recipe.sh.
# shellcheck shell=bash
#
# No package index has the source: it is cloned from GitHub, or from VZ_VOL_ASYNC, another address of the repository. Its programs for MPI need a
# parallel HDF5 and are not run here.

VOL_ASYNC_COMMIT=68faecb
RECIPE="vol-async $VOL_ASYNC_COMMIT 2"
SECONDS_EACH=60
VOL_ASYNC_PROGRAMS='multifile serial_mdset'

recipe_source() { # WORK LOG
    logged "$2" git clone --quiet "${VZ_VOL_ASYNC:-https://github.com/hpc-io/vol-async}" "$1/src" &&
        logged "$2" git -C "$1/src" checkout --quiet "$VOL_ASYNC_COMMIT"
}

# One includes the header of vol-async's own functions, of which it calls none. Others call them, and are left out.
recipe_build() { # SOURCE DONE LOG
    local name
    : >"$1/test/h5_async_lib.h"
    for name in $VOL_ASYNC_PROGRAMS; do
        logged "$3" gcc -O1 -w -I"$1/test" -I"$VZ_HDF5/include" -o "$2/$name" "$1/test/async_test_$name.c" -L"$VZ_HDF5/lib" \
            -Wl,-rpath,"$VZ_HDF5/lib" -lhdf5 || return 1
    done
}

recipe_programs() {
    local name
    for name in $VOL_ASYNC_PROGRAMS; do printf '%s $DIR/%s\n' "$name" "$name"; done
}
