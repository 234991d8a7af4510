# mpi.sh - sourced by mpi-test.sh: what its Debian has besides, and the programs of the judges for each MPI.
# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/hdf5.sh"

MPI_SUITE=trixie # its parallel HDF5 is a 1.14, which loads connectors; Debian 12's is a 1.10
MPI_KINDS='openmpi mpich'
MPI_PACKAGES='libhdf5-openmpi-dev libhdf5-mpich-dev openmpi-bin libopenmpi-dev mpich libmpich-dev gfortran python3-h5py python3-h5py-mpi
    python3-mpi4py python3-pytest-mpi python3-boto3 python3-zarr python3-dask python3-distributed'
MPI_HOME=$VZ_CACHE/mpi
MPI_API_SOURCES='attribute dataset datatype file group link misc object'
MPI_TESTPHDF5='testphdf5 t_dset t_file t_file_image t_mdset t_ph5basic t_coll_chunk t_span_tree t_chunk_alloc t_filter_read t_prop t_coll_md t_oflush'
MPI_TESTS='t_shapesame t_bigio t_pshutdown t_pmulti_dset t_filters_parallel'
MPI_EDITED=t_filters_data
MPI_OWN='random_slabs killed held apart events dimension bench_mpi'

# The source package that the installed library was built from: HDF5's parallel tests are in no binary package.
mpi_hdf5_source() {
    local work=$MPI_HOME/source log=$VZ_CACHE/log/mpi-source.log
    if [ -e "$work/.stamp" ]; then return 0; fi
    rm -rf "$work" "$log"
    mkdir -p "$work"
    hdf5_source_debian "$work" "$log" || return 1
    touch "$work/.stamp"
}

# HDF5's tests are made for its own build. Against an installed library they want two files that configuring writes, and the API tests count their
# results in variables that the common part has, too (in a shared library that is no matter).
mpi_hdf5_tests() { # MPI DIRECTORY
    local source=$MPI_HOME/source/src include=$MPI_HOME/include name files compile
    mkdir -p "$include"
    printf '#include "hdf5.h"\n#define DART_TESTING_TIMEOUT 1500\n' >"$include/H5_api_test_config.h"
    printf 'static const char *config_srcdir = ".";\n' >"$include/H5srcdir_str.h"
    compile="mpicc.$1 -O1 -w -Wl,-z,muldefs -DH5_HAVE_TEST_API -I$include -I$source/testpar -I$source/testpar/API -I$source/test -I$source/test/API
        -I$source/src -I$source/src/H5FDsubfiling -I/usr/include/hdf5/$1"
    cd "$2" || return 1
    $compile -c "$source/test/h5test.c" "$source/test/testframe.c" || return 1
    files=$source/test/API/H5_api_test_util.c\ $source/testpar/API/H5_api_test_parallel.c
    for name in $MPI_API_SOURCES; do files+=" $source/testpar/API/H5_api_${name}_test_parallel.c"; done
    mpi_link "$1" h5_api_test_parallel "$compile" "$files" || return 1
    files=''
    for name in $MPI_TESTPHDF5; do files+=" $source/testpar/$name.c"; done
    mpi_link "$1" testphdf5 "$compile" "$files" || return 1
    for name in $MPI_TESTS; do mpi_link "$1" "$name" "$compile" "$source/testpar/$name.c" || return 1; done
    mpi_filters_data "$source" && mpi_link "$1" "$MPI_EDITED" "$compile" "$MPI_HOME/$MPI_EDITED.c"
}

# t_filters_parallel stops at the first of its checks that only the native connector can pass (test/mpi/programs.txt names them). Without these the
# rest of it, all that is about elements, is judged.
mpi_filters_data() { # SOURCE
    sed -e '/^verify_space_alloc_status(/,/^{/s/^{/{ return;/' -e '/^verify_chunk_opt_status(/,/^{/s/^{/{ return;/' \
        -e '/^    test_write_cmpd_filtered_dataset_type_conversion_\(un\)\{0,1\}shared,$/d' -e '/^    test_fill_value_undefined,$/d' \
        "$1/testpar/t_filters_parallel.c" >"$MPI_HOME/$MPI_EDITED.c"
    [ "$(diff "$1/testpar/t_filters_parallel.c" "$MPI_HOME/$MPI_EDITED.c" | grep -c '^<')" = 5 ]
}

mpi_link() { # MPI NAME COMPILE SOURCES
    # shellcheck disable=SC2086 # lists of words
    $3 -o "$2" $4 h5test.o testframe.o -L"/usr/lib/$(gcc -print-multiarch)/hdf5/$1" -lhdf5 -lm
}

# Our own. Debian's h5pcc links HDF5 statically unless it is told not to, and the plugin needs a library.
mpi_own_programs() { # MPI DIRECTORY
    local name
    cd "$2" || return 1
    for name in $MPI_OWN; do
        "h5pcc.$1" -shlib -std=gnu11 -O1 -g -Wall -Wextra -Werror -o "$name" "$VZ_ROOT"/test/*/"$name.c" || return 1
    done
    gcc -shared -fPIC -O1 -Wall -Wextra -Werror -o no_locks.so "$VZ_ROOT/test/mpi/no_locks.c" || return 1
    "h5pfc.$1" -shlib -o slabs "$VZ_ROOT/test/mpi/slabs.f90"
}

mpi_programs() {
    local mpi log=$VZ_CACHE/log/mpi-programs.log
    mpi_hdf5_source || die "no source of HDF5 (Debian's $MPI_SUITE; log: $VZ_CACHE/log/mpi-source.log)"
    rm -f "$log"
    for mpi in $MPI_KINDS; do
        mkdir -p "$MPI_HOME/$mpi"
        if [ "$(cat "$MPI_HOME/$mpi/.stamp" 2>/dev/null)" != "$MPI_TESTS $MPI_EDITED" ]; then
            say "HDF5's parallel tests for $mpi (half a minute)"
            (logged "$log" mpi_hdf5_tests "$mpi" "$MPI_HOME/$mpi") || die "they do not build"
            printf '%s\n' "$MPI_TESTS $MPI_EDITED" >"$MPI_HOME/$mpi/.stamp"
        fi
        (logged "$log" mpi_own_programs "$mpi" "$MPI_HOME/$mpi") || die "test/mpi does not build for $mpi"
    done
}
