# hdf5.sh - sourced: finds an HDF5 for headers, tools and C tests, or builds a private 1.14 into the cache.
# shellcheck shell=bash
#
# Only the C tests, and the tests of HDF5's tools, need the library. The plugin needs headers alone (VZ_HDF5_HEADERS), and where no HDF5 is
# there these come from a Debian package, in seconds.
#
# Every HDF5 is given to the rest of the project as one prefix with include/, lib/ and bin/ (VZ_HDF5). Where the system
# spreads its files (Debian: /usr/include/hdf5/serial ...) a directory of symbolic links in the cache is that prefix.
# Only a 1.14 will do here: the plugin runs under 2.x, but is compiled with 1.14 headers, because those of 2.x refer to
# data symbols that 1.14 libraries lack. Under 2.x it is tested inside the h5py wheel.

. "$(dirname "${BASH_SOURCE[0]}")/debian_source.sh"

HDF5_PRIVATE=$VZ_CACHE/hdf5
HDF5_LINKS=$VZ_CACHE/hdf5-system
HDF5_HEADERS_DIR=$VZ_CACHE/hdf5-headers
HDF5_API_TEST_DIR=$HDF5_PRIVATE/test-bin
# Raised when the way of building changes, so that older copies are built again.
HDF5_RECIPE="vol-zarr hdf5 recipe 1"
# Debian suite whose source package is HDF5 1.14; the machine's own suite may be older (Debian 12 has 1.10).
HDF5_SUITE=${VOL_ZARR_HDF5_SUITE:-trixie}
# Used where there is no Debian mirror.
HDF5_URL=${VOL_ZARR_HDF5_URL:-https://github.com/HDFGroup/hdf5/releases/download/hdf5_1.14.6/hdf5-1.14.6.tar.gz}
HDF5_URL_SHA256=${VOL_ZARR_HDF5_SHA256-e4defbac30f50d64e1556374aa49e574417c9e72c6b1de7a4ff88c4b1bea6e9b}

hdf5_header_macro() { # INCLUDE_DIR MACRO -> value
    sed -n "s/^#define $2 *\"*\([^\"]*\)\"*.*/\1/p" "$1/H5public.h" 2>/dev/null | head -n 1 | sed 's/[^0-9].*//'
}

hdf5_version() { # INCLUDE_DIR -> 1.14.5, or nothing
    [ -f "$1/H5public.h" ] || return 0
    printf '%s.%s.%s' "$(hdf5_header_macro "$1" H5_VERS_MAJOR)" "$(hdf5_header_macro "$1" H5_VERS_MINOR)" \
        "$(hdf5_header_macro "$1" H5_VERS_RELEASE)"
}

# A library built for MPI needs MPI's headers and launcher: not for us.
hdf5_is_serial() { ! grep -qsE '^#define H5_HAVE_PARALLEL 1' "$1"/H5pubconf*.h; }

hdf5_usable() { # INCLUDE_DIR LIB_DIR BIN_DIR
    case $(hdf5_version "$1") in 1.14.*) ;; *) return 1 ;; esac
    hdf5_is_serial "$1" && [ -e "$2/libhdf5.so" ] && [ -x "$3/h5dump" ]
}

hdf5_prefix_usable() { hdf5_usable "$1/include" "$1/lib" "$1/bin"; }

hdf5_private_ready() { stamp_is "$HDF5_PRIVATE/.stamp" "$HDF5_RECIPE" && hdf5_prefix_usable "$HDF5_PRIVATE"; }

# pkg-config's first directory of a kind. Debian's file for HDF5 has no variables, only flags.
pkg_config_dir() { # --cflags-only-I|--libs-only-L NAME
    PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config "$1" "$2" 2>/dev/null \
        | tr ' ' '\n' | sed -n 's/^-[IL]//p' | head -n 1
}

hdf5_system_dirs() { # -> "include lib bin" of a system HDF5 1.14
    local name include lib prefix
    for name in hdf5 hdf5-serial; do
        have pkg-config || break
        include=$(pkg_config_dir --cflags-only-I "$name")
        lib=$(pkg_config_dir --libs-only-L "$name")
        if hdf5_usable "$include" "$lib" /usr/bin; then
            printf '%s %s /usr/bin' "$include" "$lib"
            return 0
        fi
    done
    # An HDF5 installed by hand: its compiler wrapper is on the PATH, next to its libraries.
    have h5cc || return 1
    prefix=$(dirname "$(dirname "$(command -v h5cc)")")
    hdf5_prefix_usable "$prefix" && printf '%s %s %s' "$prefix/include" "$prefix/lib" "$prefix/bin"
}

hdf5_link_system() { # INCLUDE LIB BIN: one prefix over the scattered system directories
    local tool
    mkdir -p "$HDF5_LINKS/bin"
    ln -sfn "$1" "$HDF5_LINKS/include"
    ln -sfn "$2" "$HDF5_LINKS/lib"
    for tool in h5dump h5ls h5repack h5diff h5copy h5stat h5mkgrp; do
        if [ -x "$3/$tool" ]; then ln -sfn "$3/$tool" "$HDF5_LINKS/bin/$tool"; fi
    done
}

# Sets VZ_HDF5 when something usable is there, without building anything.
hdf5_find() {
    local dirs
    VZ_HDF5=''
    if [ -n "${HDF5_ROOT:-}" ] && hdf5_prefix_usable "$HDF5_ROOT"; then
        VZ_HDF5=$HDF5_ROOT
    elif [ -n "${CONDA_PREFIX:-}" ] && hdf5_prefix_usable "$CONDA_PREFIX"; then
        VZ_HDF5=$CONDA_PREFIX
    elif dirs=$(hdf5_system_dirs); then
        # shellcheck disable=SC2086 # three words
        hdf5_link_system $dirs
        VZ_HDF5=$HDF5_LINKS
    elif hdf5_private_ready; then
        VZ_HDF5=$HDF5_PRIVATE
    fi
}

hdf5_headers_ready() { case $(hdf5_version "$HDF5_HEADERS_DIR/include") in 1.14.*) ;; *) return 1 ;; esac; }

# Sets VZ_HDF5, as hdf5_find does, and VZ_HDF5_HEADERS to a directory with hdf5.h. The headers that were there before a private copy was
# built stay those that are used, so that nothing is compiled again.
hdf5_find_headers() {
    hdf5_find
    VZ_HDF5_HEADERS=${VZ_HDF5:+$VZ_HDF5/include}
    if { [ -z "$VZ_HDF5" ] || [ "$VZ_HDF5" = "$HDF5_PRIVATE" ]; } && hdf5_headers_ready; then
        VZ_HDF5_HEADERS=$HDF5_HEADERS_DIR/include
    fi
}

# setup_hdf5_headers: headers alone where there is no HDF5, or else, where Debian's packages cannot be had, all of it.
setup_hdf5_headers() {
    local work log=$VZ_CACHE/log/hdf5-headers.log began=$SECONDS
    hdf5_find_headers
    if [ -n "$VZ_HDF5_HEADERS" ]; then
        say "headers of HDF5 $(hdf5_version "$VZ_HDF5_HEADERS"): $VZ_HDF5_HEADERS"
        return 0
    fi
    mkdir -p "$VZ_CACHE/build"
    rm -rf "$VZ_CACHE"/build/hdf5-headers.*
    work=$(mktemp -d "$VZ_CACHE/build/hdf5-headers.XXXXXX")
    rm -f "$log"
    if debian_unpacked "$HDF5_SUITE" "$(dpkg --print-architecture 2>/dev/null)" "$work" "$log" download libhdf5-dev; then
        rm -rf "$HDF5_HEADERS_DIR"
        mkdir -p "$HDF5_HEADERS_DIR"
        mv "$work/root/usr/include/hdf5/serial" "$HDF5_HEADERS_DIR/include"
    fi
    rm -rf "$work"
    if hdf5_headers_ready; then
        say "headers of HDF5 $(hdf5_version "$HDF5_HEADERS_DIR/include"): of Debian $HDF5_SUITE's package ($((SECONDS - began)) s)"
    else
        setup_hdf5 0
    fi
    hdf5_find_headers
}

# --- source -----------------------------------------------------------------------------------------------------------

# The source package of a newer suite. Debian's patches only concern its own packaging; upstream's source is what we want to test.
hdf5_source_debian() { # WORK LOG
    say "HDF5: source package of Debian $HDF5_SUITE, through a scratch apt configuration"
    debian_source "$HDF5_SUITE" "$1" "$2" hdf5 || return 1
    (cd "$1" && logged "$2" dpkg-source --skip-patches -x hdf5_*.dsc src)
}

hdf5_source_release() { # WORK LOG
    local work=$1 log=$2
    say "HDF5: release archive $HDF5_URL"
    logged "$log" download "$HDF5_URL" "$work/hdf5.tar.gz" || return 1
    if [ -n "$HDF5_URL_SHA256" ] && ! sha256_is "$work/hdf5.tar.gz" "$HDF5_URL_SHA256"; then
        say "the archive's SHA-256 is not $HDF5_URL_SHA256 (VOL_ZARR_HDF5_SHA256 sets another, empty skips the check)"
        return 1
    fi
    mkdir -p "$work/src"
    logged "$log" tar -xzf "$work/hdf5.tar.gz" -C "$work/src" --strip-components=1
}

hdf5_source() { # WORK LOG
    hdf5_source_debian "$1" "$2" && return 0
    rm -rf "$1/src"
    hdf5_source_release "$1" "$2"
}

# --- build ------------------------------------------------------------------------------------------------------------

hdf5_configure() { # WORK LOG CMAKE_OPTION...
    local work=$1 log=$2 generator='Unix Makefiles'
    shift 2
    if have ninja; then generator=Ninja; fi
    # shellcheck disable=SC2016 # $ORIGIN is the loader's: tools run as they are, also when the cache moves
    logged "$log" cmake -G "$generator" -S "$work/src" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_INSTALL_PREFIX="$HDF5_PRIVATE" '-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib' \
        -DBUILD_SHARED_LIBS=ON -DBUILD_STATIC_LIBS=OFF -DHDF5_BUILD_TOOLS=ON -DHDF5_BUILD_HL_LIB=ON \
        -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_FORTRAN=OFF -DHDF5_BUILD_CPP_LIB=OFF -DHDF5_BUILD_JAVA=OFF \
        -DHDF5_ENABLE_Z_LIB_SUPPORT=ON -DHDF5_ENABLE_SZIP_SUPPORT=OFF "$@"
}

hdf5_build_library() { # WORK LOG
    hdf5_configure "$1" "$2" -DBUILD_TESTING=OFF || return 1
    logged "$2" cmake --build "$1/build" --parallel "$(cpus)" || return 1
    DESTDIR=$1/stage logged "$2" cmake --install "$1/build"
}

# Configured a second time with tests on, so that only two test programs are built and not all four hundred.
hdf5_build_tests() { # WORK LOG
    local bin=$1/stage$HDF5_PRIVATE/test-bin
    hdf5_configure "$1" "$2" -DBUILD_TESTING=ON -DHDF5_TEST_API=ON -DHDF5_TEST_API_ENABLE_ASYNC=ON || return 1
    logged "$2" cmake --build "$1/build" --parallel "$(cpus)" --target h5_api_test testhdf5 || return 1
    mkdir -p "$bin"
    cp -a "$1/build/bin/h5_api_test" "$1/build/bin/testhdf5" "$1"/build/bin/libhdf5_test.so* "$bin/"
}

hdf5_build_private() {
    local work log=$VZ_CACHE/log/hdf5.log began=$SECONDS
    mkdir -p "$VZ_CACHE/build"
    rm -rf "$VZ_CACHE"/build/hdf5.* # what an interrupted build left; we hold the lock
    work=$(mktemp -d "$VZ_CACHE/build/hdf5.XXXXXX")
    rm -f "$log"
    hdf5_source "$work" "$log" || die "no HDF5 source: set HDF5_ROOT to an HDF5 1.14, or VOL_ZARR_HDF5_URL to a release archive"
    say "HDF5: building library and tools with $(cpus) jobs (about two minutes; log: $log)"
    hdf5_build_library "$work" "$log" || die "HDF5 does not build"
    say "HDF5: building its API tests"
    hdf5_build_tests "$work" "$log" || die "HDF5's API tests do not build"
    printf '%s\n' "$HDF5_RECIPE" >"$work/stage$HDF5_PRIVATE/.stamp"
    rm -rf "$HDF5_PRIVATE"
    mv "$work/stage$HDF5_PRIVATE" "$HDF5_PRIVATE"
    rm -rf "$work"
    say "HDF5 $(hdf5_version "$HDF5_PRIVATE/include") is in $HDF5_PRIVATE ($((SECONDS - began)) s)"
}

# setup_hdf5 NEED_API_TEST(0/1)
setup_hdf5() {
    if [ -n "${HDF5_ROOT:-}" ] && ! hdf5_prefix_usable "$HDF5_ROOT"; then
        say "HDF5: HDF5_ROOT=$HDF5_ROOT is not the prefix of a serial HDF5 1.14 with libhdf5.so and h5dump: not used"
    fi
    hdf5_find
    if [ -n "$VZ_HDF5" ] && { [ "$1" = 0 ] || hdf5_private_ready; }; then
        say "HDF5 $(hdf5_version "$VZ_HDF5/include"): $VZ_HDF5"
        return 0
    fi
    if [ -z "$VZ_HDF5" ]; then
        say "HDF5: no 1.14 by HDF5_ROOT, conda or the system; building a private copy"
    else
        say "HDF5: $VZ_HDF5 has no h5_api_test (only HDF5's source has); building a private copy for it"
    fi
    hdf5_build_private
    hdf5_find
}
