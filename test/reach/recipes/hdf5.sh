# hdf5.sh - HDF5's own test programs (test/ and hl/test) of the version that tools/lib/hdf5.sh builds. Sourced by tools/lib/reach_recipe.sh.
# shellcheck shell=bash
#
# HDF5's scripts that run several programs at once (SWMR, error stacks, flushing and refreshing) are not run.

RECIPE="hdf5 test programs 1"
SECONDS_EACH=600
TROUBLE='FAILED|at line|\*\*\*|[Aa]ssertion|Abort|HDF5-DIAG'

HDF5_PROGRAMS='testhdf5 cache cache_api cache_image cache_tagging lheap ohdr stab gheap evict_on_close farray earray btree2 fheap accum
    hyperslab istore bittests dt_arith page_buffer dtypes dsets select_io_dset chunk_info cmpd_dset mdset filter_fail extend direct_chunk
    external external_env efc objcopy objcopy_ref links unlink twriteorder big mtime fillval mount flush1 app_ref enum set_extent ttsafe
    enc_dec_plist enc_dec_plist_cross_platform getname vfd ros3 s3comms hdfs ntypes dangle dtransform cross_read freespace mf vds vds_env
    file_image unregister cache_logging cork swmr thread_id vol timer cmpd_dtransform event_set onion'
HDF5_HL_PROGRAMS='hl_test_lite hl_test_image hl_test_file_image hl_test_table hl_test_ds hl_test_ld hl_test_dset_append hl_test_h5do_compat
    hl_test_packet'

recipe_source() { hdf5_source "$1" "$2"; }

recipe_build() { # SOURCE DONE LOG
    local work=${2%/done} log=$3
    hdf5_configure "$work" "$log" -DBUILD_TESTING=ON -DHDF5_BUILD_TOOLS=OFF -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON || return 1
    # shellcheck disable=SC2086 # words
    logged "$log" cmake --build "$work/build" --parallel "$(cpus)" --target $HDF5_PROGRAMS flush2 accum_swmr_reader $HDF5_HL_PROGRAMS || return 1
    mkdir "$2/hl"
    mv "$work/build/bin" "$2/bin"
    cp -a "$1/test" "$2/test"
    cp -a "$1/hl/test" "$2/hl/test"
}

recipe_programs() {
    local name
    # Programs find their data below $srcdir, but for two that look into the directory they run in. Their own alarm goes by the clock.
    for name in $HDF5_PROGRAMS; do
        printf '%s export srcdir=$DIR/test HDF5TestExpress=3 HDF5_ALARM_SECONDS=100000; ln -s $DIR/test/testfiles $DIR/bin/accum_swmr_reader .; ' "$name"
        case $name in
            flush1) printf '$DIR/bin/flush1 && $DIR/bin/flush2\n' ;;
            external_env) printf 'HDF5_EXTFILE_PREFIX=\\${ORIGIN} $DIR/bin/external_env\n' ;;
            vds_env) printf 'HDF5_VDS_PREFIX=\\${ORIGIN}/tmp_vds_env $DIR/bin/vds_env\n' ;;
            *) printf '$DIR/bin/%s\n' "$name" ;;
        esac
    done
    for name in $HDF5_HL_PROGRAMS; do printf '%s srcdir=$DIR/hl/test $DIR/bin/%s\n' "$name" "$name"; done
}
