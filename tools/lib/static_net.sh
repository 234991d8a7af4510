# static_net.sh - sourced: libcurl and AWS-LC as static archives for one machine, compiled by zig, into the cache: what the module for remote
# stores is made of in a wheel. They are apart from the codec libraries because they take several minutes.
# shellcheck shell=bash

NET_RECIPE="vol-zarr net recipe 1"
NET_CRATES=$VZ_ROOT/tools/lib/crates
NET_MACHINES="x86_64 aarch64" # nobody has tried it on others

net_is_for() { # MACHINE
    case " $NET_MACHINES " in *" $1 "*) true ;; *) false ;; esac
}

# net_sources: unpacks them to $VZ_CACHE/sources-net/{curl,aws-lc}.
net_sources() {
    local to=$VZ_CACHE/sources-net log=$VZ_CACHE/log/sources-net.log work recipe
    recipe="$NET_RECIPE $(sha256sum <"$NET_CRATES/Cargo.lock")"
    stamp_is "$to/.stamp" "$recipe" && return 0
    have cargo || die "no cargo (Debian: apt-get install cargo), with which the sources of libcurl and AWS-LC are fetched"
    say "sources of libcurl and AWS-LC, from the registry of crates"
    rm -rf "$VZ_CACHE"/build/sources-net.* "$to"
    mkdir -p "$VZ_CACHE/build"
    work=$(mktemp -d "$VZ_CACHE/build/sources-net.XXXXXX")
    rm -f "$log"
    logged "$log" cargo vendor --locked --versioned-dirs --manifest-path "$NET_CRATES/Cargo.toml" "$work/vendor" || die "they cannot be had"
    mkdir "$work/out"
    mv "$work"/vendor/curl-sys-*/curl "$work/out/curl"
    mv "$work"/vendor/aws-lc-sys-*/aws-lc "$work/out/aws-lc"
    # The crate leaves these out; CMake asks for them though nothing of theirs is built.
    for directory in docs docs/cmdline-opts docs/libcurl docs/libcurl/opts; do
        mkdir -p "$work/out/curl/$directory"
        touch "$work/out/curl/$directory/CMakeLists.txt"
    done
    mv "$work/out" "$to"
    printf '%s\n' "$recipe" >"$to/.stamp"
    rm -rf "$work"
}

# net_cmake MACHINE NAME TARGETS OPTION...: configures one of them, builds and installs what is asked.
net_cmake() {
    local prefix=$VZ_CACHE/static-net/$1 name=$2 targets=$3 bin=$VZ_CACHE/static/$1/bin flags='-O2 -fPIC -fvisibility=hidden -g0 -DNDEBUG -ffunction-sections -fdata-sections'
    local build=$prefix/build/$name
    local -a options=(-G Ninja -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=$flags" "-DCMAKE_CXX_FLAGS=$flags -fno-exceptions -fno-rtti" -DCMAKE_SYSTEM_NAME=Linux
        "-DCMAKE_SYSTEM_PROCESSOR=$1" "-DCMAKE_C_COMPILER=$bin/cc" "-DCMAKE_CXX_COMPILER=$prefix/bin/c++" "-DCMAKE_ASM_COMPILER=$bin/cc"
        "-DCMAKE_AR=$bin/ar" "-DCMAKE_RANLIB=$bin/ranlib" "-DCMAKE_INSTALL_PREFIX=$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF
        -DCMAKE_POSITION_INDEPENDENT_CODE=ON "-DCMAKE_FIND_ROOT_PATH=$prefix" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY)
    shift 3
    # shellcheck disable=SC2086 # a word each
    cmake -S "$VZ_CACHE/sources-net/$name" -B "$build" "${options[@]}" "$@" && cmake --build "$build" --parallel "$(cpus)" --target $targets
}

# Without Perl and Go: assembler is taken as it was generated. Its own collecting of random bits from the CPU's timing does not compile with
# zig; the system's are used alone.
net_aws_lc() { # MACHINE
    local prefix=$VZ_CACHE/static-net/$1
    net_cmake "$1" aws-lc 'ssl crypto' -DDISABLE_GO=ON -DDISABLE_PERL=ON -DBUILD_TESTING=OFF -DBUILD_TOOL=OFF -DDISABLE_CPU_JITTER_ENTROPY=ON &&
        mkdir -p "$prefix/lib" "$prefix/include" && cp "$prefix/build/aws-lc/ssl/libssl.a" "$prefix/build/aws-lc/crypto/libcrypto.a" "$prefix/lib/" &&
        cp -r "$VZ_CACHE/sources-net/aws-lc/include/openssl" "$prefix/include/"
}

net_curl() { # MACHINE
    local prefix=$VZ_CACHE/static-net/$1
    net_cmake "$1" curl libcurl_static -DHTTP_ONLY=ON -DCURL_USE_OPENSSL=ON "-DOPENSSL_ROOT_DIR=$prefix" "-DOPENSSL_INCLUDE_DIR=$prefix/include" \
        "-DOPENSSL_SSL_LIBRARY=$prefix/lib/libssl.a" "-DOPENSSL_CRYPTO_LIBRARY=$prefix/lib/libcrypto.a" -DBUILD_CURL_EXE=OFF -DBUILD_STATIC_LIBS=ON \
        -DCURL_ZLIB=OFF -DCURL_BROTLI=OFF -DCURL_ZSTD=OFF -DUSE_NGHTTP2=OFF -DUSE_LIBIDN2=OFF -DCURL_USE_LIBPSL=OFF -DCURL_USE_LIBSSH2=OFF \
        -DBUILD_LIBCURL_DOCS=OFF -DBUILD_MISC_DOCS=OFF -DENABLE_CURL_MANUAL=OFF -DBUILD_TESTING=OFF -DBUILD_EXAMPLES=OFF -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none \
        -DCURL_DISABLE_NETRC=ON -DCURL_DISABLE_COOKIES=ON -DCURL_DISABLE_HSTS=ON -DCURL_DISABLE_ALTSVC=ON -DCURL_DISABLE_OPENSSL_AUTO_LOAD_CONFIG=ON &&
        cp "$prefix/build/curl/lib/libcurl.a" "$prefix/lib/" && cp -r "$VZ_CACHE/sources-net/curl/include/curl" "$prefix/include/"
}

# net_setup MACHINE: the archives and headers in $VZ_CACHE/static-net/MACHINE, after those of static_setup.
net_setup() {
    local prefix=$VZ_CACHE/static-net/$1 log=$VZ_CACHE/log/static-net-$1.log recipe
    recipe="$NET_RECIPE $(sha256sum <"$NET_CRATES/Cargo.lock"), zig $ZIG_VERSION, glibc $ZIG_GLIBC"
    stamp_is "$prefix/.stamp" "$recipe" && return 0
    net_sources
    say "libcurl and AWS-LC for $1, compiled once (several minutes; log: $log)"
    rm -rf "$prefix"
    [ -x "$VZ_CACHE/static/$1/bin/ranlib" ] || zig_compiler "$1" >/dev/null
    mkdir -p "$prefix/bin"
    printf '#!/bin/sh\nexec %q c++ -target %s-linux-gnu.%s "$@"\n' "$ZIG_HOME/ziglang/zig" "$1" "$ZIG_GLIBC" >"$prefix/bin/c++"
    chmod +x "$prefix/bin/c++"
    rm -f "$log"
    logged "$log" bash -c '. "$0/tools/lib/common.sh"; . "$0/tools/lib/static_net.sh"; net_aws_lc "$1" && net_curl "$1"' "$VZ_ROOT" "$1" || die "they do not build"
    rm -rf "$prefix/build"
    printf '%s\n' "$recipe" >"$prefix/.stamp"
}
