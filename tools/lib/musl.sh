# musl.sh - sourced: musl and a CPython for it, as Alpine has them, on a machine with another C library: for the tests of what is made for musl.
# shellcheck shell=bash
#
# All lies in $VZ_CACHE/musl/MACHINE. Programs that are linked by musl_cc name the loader there, so they run from where they are: no root
# directory of their own is needed, and programs of this machine can be called from them.

MUSL_RECIPE="vol-zarr musl recipe 1"
MUSL_SUITE=trixie           # 1.2.5: numpy's wheel wants 1.2.4 at least (its relocations are packed)
MUSL_OLDEST_SUITE=bullseye  # 1.2.2, that of Alpine 3.13: our wheel wants no newer one
MUSL_SOURCE_SUITE=bookworm
MUSL_PYTHON=3.11            # of that suite

musl_prefix() { printf '%s/musl/%s' "$VZ_CACHE" "$1"; } # MACHINE

musl_loader() { printf '%s/lib/ld-musl-%s.so.1' "$(musl_prefix "$1")" "$1"; } # MACHINE

# musl_cc MACHINE: makes a compiler whose programs name the loader of musl_prefix, and says where it is. Their threads have the stack of
# Alpine's CPython, where zig would give 8 MiB.
musl_cc() {
    local bin
    bin=$(musl_prefix "$1")/cc
    printf '#!/bin/sh\nexec %q "$@" -Wl,--dynamic-linker=%q -Wl,-z,stack-size=1048576\n' "$VZ_CACHE/static/$1-musl/bin/cc" "$(musl_loader "$1")" >"$bin"
    chmod +x "$bin"
    printf '%s' "$bin"
}

# musl_from SUITE MACHINE TO LOG: the file that is library and loader in one, of Debian
musl_from() {
    local architecture work
    case $2 in x86_64) architecture=amd64 ;; aarch64) architecture=arm64 ;; esac
    work=$(mktemp -d "$VZ_CACHE/build/musl.XXXXXX")
    debian_unpacked "$1" "$architecture" "$work" "$4" download musl || die "Debian's package musl cannot be had"
    cp "$(find "$work/root" -path "*/$2-linux-musl/libc.so" -type f)" "$3" || die "Debian's package musl of $1 has no library"
    rm -rf "$work"
}

# musl_library MACHINE LOG: musl, and zlib, which wheels for musl take from the system. The loader looks where the file in etc/ says.
musl_library() {
    local prefix log=$2
    local -a zlib=("$VZ_CACHE"/sources/zlib/{adler32,compress,crc32,deflate,infback,inffast,inflate,inftrees,trees,uncompr,zutil}.c)
    prefix=$(musl_prefix "$1")
    stamp_is "$prefix/.stamp" "$MUSL_RECIPE" && return 0
    mkdir -p "$VZ_CACHE/build"
    rm -rf "$prefix"
    mkdir -p "$prefix/lib" "$prefix/etc" "$prefix/oldest"
    musl_from "$MUSL_SUITE" "$1" "$(musl_loader "$1")" "$log"
    musl_from "$MUSL_OLDEST_SUITE" "$1" "$prefix/oldest/libc.so" "$log"
    printf '%s/lib\n' "$prefix" >"$prefix/etc/ld-musl-$1.path"
    logged "$log" "$VZ_CACHE/static/$1-musl/bin/cc" -O2 -fPIC -shared -Wl,-soname,libz.so.1 -o "$prefix/lib/libz.so.1" "${zlib[@]}" ||
        die "zlib does not build for musl"
    printf '%s\n' "$MUSL_RECIPE" >"$prefix/.stamp"
}

# musl_libffi MACHINE SOURCE LOG: a static one, for ctypes
musl_libffi() {
    local bin=$VZ_CACHE/static/$1-musl/bin prefix
    prefix=$(musl_prefix "$1")
    (cd "$2" && CC=$bin/cc AR=$bin/ar RANLIB=$bin/ranlib CFLAGS='-O2 -fPIC' logged "$3" ./configure "--host=$1-linux-musl" \
        --build=x86_64-linux-gnu "--prefix=$prefix" --disable-shared --enable-static --disable-docs --disable-multi-os-directory --disable-exec-static-tramp &&
        logged "$3" make -j"$(cpus)" && logged "$3" make install)
}

# musl_cpython MACHINE SOURCE LOG: with the codec libraries and the OpenSSL that the wheel has. Its extension modules have the names of wheels
# for musl: 3.11 takes every Linux for one with glibc. Functions that zig's musl has and the oldest has not are not used.
musl_cpython() {
    local static=$VZ_CACHE/static/$1-musl prefix cc options=()
    prefix=$(musl_prefix "$1")
    cc=$(musl_cc "$1")
    sed -i "s/\($1-linux-\)gnu$/\1musl/; s/MULTIARCH=\$(\$CC --print-multiarch 2>.dev.null)/MULTIARCH=$1-linux-musl/" "$2/configure"
    if [ "$1" != "$(uname -m)" ]; then
        # It would take the headers of this machine's C library.
        sed -i 's/self\.add_cross_compiling_paths()$/pass/' "$2/setup.py"
        options=("--host=$1-linux-musl" --build=x86_64-linux-gnu "--with-build-python=$(musl_prefix "$(uname -m)")/bin/python$MUSL_PYTHON"
            "READELF=$(command -v readelf)" ac_cv_file__dev_ptmx=yes ac_cv_file__dev_ptc=no ac_cv_buggy_getaddrinfo=no)
    fi
    (cd "$2" && PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig CC="$cc" AR=$static/bin/ar RANLIB=$static/bin/ranlib OPT='-O1 -DNDEBUG -Wno-date-time' \
        LDFLAGS="-L$static/lib -L$prefix/lib" CPPFLAGS="-I$static/include -I$prefix/include" \
        logged "$3" ./configure "--prefix=$prefix" --disable-test-modules "--with-openssl=$VZ_CACHE/static-net/$1-musl" --without-static-libpython \
        --without-ensurepip "${options[@]}" ac_cv_lib_z_gzread=yes ac_cv_func_preadv2=no ac_cv_func_pwritev2=no ac_cv_func_pthread_getname_np=no &&
        logged "$3" make -j"$(cpus)" && logged "$3" make install)
}

# musl_python_is_whole MACHINE: its make ends well without the modules that did not build.
musl_python_is_whole() {
    local name
    for name in _bz2 _ctypes _lzma _ssl math zlib; do
        compgen -G "$(musl_prefix "$1")/lib/python$MUSL_PYTHON/lib-dynload/$name.*.so" >/dev/null || { say "CPython's module $name did not build"; return 1; }
    done
}

# musl_python MACHINE LOG: CPython in musl_prefix. About four minutes, once.
musl_python() {
    local log=$2 prefix sources=$VZ_CACHE/build/musl-$1 work
    prefix=$(musl_prefix "$1")
    musl_library "$1" "$log"
    stamp_is "$prefix/.stamp-python" "$MUSL_RECIPE, $MUSL_PYTHON" && return 0
    say "CPython $MUSL_PYTHON for musl on $1, from Debian's source (some minutes, once; log: $log)"
    work=$(mktemp -d "$VZ_CACHE/build/musl.XXXXXX")
    debian_source "$MUSL_SOURCE_SUITE" "$work" "$log" "python$MUSL_PYTHON" libffi || die "Debian's source packages cannot be had"
    rm -rf "$sources"
    mkdir -p "$sources"
    (cd "$work" && logged "$log" dpkg-source --skip-patches -x libffi_*.dsc "$sources/libffi" &&
        logged "$log" dpkg-source --skip-patches -x "python$MUSL_PYTHON"_*.dsc "$sources/python")
    rm -rf "$work"
    musl_libffi "$1" "$sources/libffi" "$log" && musl_cpython "$1" "$sources/python" "$log" && musl_python_is_whole "$1" || die "CPython does not build for musl"
    rm -rf "$sources"
    printf '%s\n' "$MUSL_RECIPE, $MUSL_PYTHON" >"$prefix/.stamp-python"
}

# musl_names_missing MACHINE FILE...: names that these want of the C library, and that the oldest musl has not
musl_names_missing() {
    local oldest
    oldest=$(musl_prefix "$1")/oldest/libc.so
    shift
    comm -23 <(nm -D --undefined-only "$@" | awk 'NF == 2 && $1 == "U" { print $2 }' | sort -u) <(nm -D --defined-only "$oldest" | awk '{ print $3 }' | sort -u)
}
