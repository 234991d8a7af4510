# static_net.sh - sourced: libcurl and OpenSSL as static archives for one target (zig.sh), compiled by zig, into the cache: the libraries of the
# module for remote stores in a wheel. They are apart from the codec libraries because they take several minutes.
# shellcheck shell=bash

NET_RECIPE="vol-zarr net recipe 3"
# Source package | the archive of its upstream's source | SHA-256 of that | the Debian whose source package it is. Debian's security
# patches are applied to it. Both are the versions that the tests on Debian 12 run with.
NET_SOURCES='
curl     curl_7.88.1.orig.tar.gz     cdb38b72e36bc5d33d5b8810f8018ece1baa29a8f215b4495e495ded82bbf3c7  bookworm
openssl  openssl_3.0.20.orig.tar.gz  c80a01dfc70ece4dc21168932c37739042d404d46ccc81a5986dd75314ecda6f  bookworm
'
NET_FLAGS='-O2 -fPIC -fvisibility=hidden -g0 -ffunction-sections -fdata-sections'
# What neither TLS 1.2 and 1.3 nor our signatures need.
NET_OPENSSL_WITHOUT='no-shared no-module no-dso no-tests no-engine no-legacy no-ui-console no-autoload-config no-async no-aria no-bf no-blake2
    no-camellia no-cast no-cmp no-cms no-comp no-ct no-dsa no-dtls no-ec2m no-gost no-idea no-md4 no-mdc2 no-ocb no-psk no-rc2 no-rc4
    no-rmd160 no-scrypt no-seed no-siphash no-siv no-sm2 no-sm3 no-sm4 no-srp no-srtp no-ssl3 no-ssl-trace no-ts no-weak-ssl-ciphers no-whirlpool'

net_recipe() { printf '%s %s %s' "$NET_RECIPE" "$NET_SOURCES" "$NET_OPENSSL_WITHOUT" | sha256sum; }

# net_sources: unpacks them to $VZ_CACHE/sources-net/{curl,openssl}.
net_sources() {
    locked sources-net sources_of "$VZ_CACHE/sources-net" "$VZ_CACHE/log/sources-net.log" "$(net_recipe)" "$NET_SOURCES" "sources of libcurl and OpenSSL, from Debian"
}

# OpenSSL has the date of its build inside; here that is the date of its source package, whenever it is built.
# Perl makes the assembler. Its configuration file and its modules are looked for nowhere: OPENSSLDIR is a place that is not there.
net_openssl() { # TARGET
    local prefix=$VZ_CACHE/static-net/$1 bin=$VZ_CACHE/static/$1/bin target flags=$NET_FLAGS
    target=linux-$(target_machine "$1")
    case $1 in x86_64-macos) target=darwin64-x86_64-cc ;; aarch64-macos) target=darwin64-arm64-cc ;; esac
    case $1 in *-macos) flags+=' -DOPENSSL_NO_APPLE_CRYPTO_RANDOM' ;; esac # zig has no header of it: /dev/urandom is read
    mkdir -p "$prefix/build/openssl" "$prefix/lib" "$prefix/include" && cd "$prefix/build/openssl" || return 1
    SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l "$VZ_CACHE/sources-net/openssl/debian/changelog" -S Timestamp) || return 1
    export SOURCE_DATE_EPOCH
    # shellcheck disable=SC2086 # a word each
    CC=$bin/cc AR=$bin/ar RANLIB=$bin/ranlib CFLAGS=$flags perl "$VZ_CACHE/sources-net/openssl/Configure" "$target" --prefix=/nonexistent \
        --openssldir=/nonexistent --libdir=lib $NET_OPENSSL_WITHOUT &&
        net_openssl_names "$1" && make -j"$(cpus)" build_libs && cp libssl.a libcrypto.a "$prefix/lib/" &&
        cp -r "$VZ_CACHE/sources-net/openssl/include/openssl" "$prefix/include/" && cp -r include/openssl/. "$prefix/include/openssl/"
}

# net_openssl_names TARGET: one name of OpenSSL's assembler is a common symbol, which zig's linker shows to all for macOS, whatever the assembler
# says of it. It becomes an ordinary one.
net_openssl_names() {
    [ "$1" != x86_64-macos ] || {
        make crypto/x86_64cpuid.s && sed -i 's/^\.comm.*_OPENSSL_ia32cap_P.*/.zerofill __DATA,__bss,_OPENSSL_ia32cap_P,16,4/' crypto/x86_64cpuid.s &&
            grep -q zerofill crypto/x86_64cpuid.s
    }
}

# net_curl_source TARGET: says where curl's source is. On macOS it asks a framework of Apple for names of the network, which makes addresses
# of IPv4 work where there is IPv6 alone; frameworks are not linked, so a copy of the source does not.
net_curl_source() {
    local source=$VZ_CACHE/sources-net/curl copy=$VZ_CACHE/static-net/$1/build/curl-source
    if [ "$(target_system "$1")" != macos ]; then
        printf '%s' "$source"
        return
    fi
    rm -rf "$copy"
    cp -r "$source" "$copy" && sed -i 's/define CURL_OSX_CALL_COPYPROXIES 1/undef CURL_OSX_CALL_COPYPROXIES/' "$copy/lib/curl_setup.h" && printf '%s' "$copy"
}

net_curl() { # TARGET
    local prefix=$VZ_CACHE/static-net/$1 build=$VZ_CACHE/static-net/$1/build/curl option source
    local -a options
    mapfile -t options < <(target_cmake "$1")
    options+=(-G Ninja -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=$NET_FLAGS -DNDEBUG"
        "-DCMAKE_FIND_ROOT_PATH=$prefix" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY
        -DBUILD_SHARED_LIBS=OFF -DBUILD_STATIC_LIBS=ON -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DHTTP_ONLY=ON -DCURL_USE_OPENSSL=ON
        "-DOPENSSL_ROOT_DIR=$prefix" "-DOPENSSL_INCLUDE_DIR=$prefix/include"
        "-DOPENSSL_SSL_LIBRARY=$prefix/lib/libssl.a" "-DOPENSSL_CRYPTO_LIBRARY=$prefix/lib/libcrypto.a" -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none)
    for option in BUILD_CURL_EXE CURL_ZLIB CURL_BROTLI CURL_ZSTD USE_NGHTTP2 USE_LIBIDN2 CURL_USE_LIBPSL CURL_USE_LIBSSH2 ENABLE_MANUAL BUILD_TESTING; do
        options+=("-D$option=OFF")
    done
    for option in NETRC COOKIES HSTS ALTSVC OPENSSL_AUTO_LOAD_CONFIG; do
        options+=("-DCURL_DISABLE_$option=ON")
    done
    if [ "$(target_system "$1")" = macos ]; then
        options+=(-DSYSTEMCONFIGURATION_FRAMEWORK=/none -DCOREFOUNDATION_FRAMEWORK=/none -DHAVE_BUILTIN_AVAILABLE=OFF)
    fi
    source=$(net_curl_source "$1") && cmake -S "$source" -B "$build" "${options[@]}" && cmake --build "$build" --target libcurl &&
        cp "$build/lib/libcurl.a" "$prefix/lib/" && cp -r "$VZ_CACHE/sources-net/curl/include/curl" "$prefix/include/"
}

# net_setup TARGET: the archives and headers in $VZ_CACHE/static-net/TARGET, after those of static_setup.
net_setup() { locked "static-net-$1" net_build "$1"; }

net_build() {
    local prefix=$VZ_CACHE/static-net/$1 log=$VZ_CACHE/log/static-net-$1.log recipe
    recipe="$(net_recipe), $(target_recipe "$1")"
    stamp_is "$prefix/.stamp" "$recipe" && return 0
    net_sources
    say "libcurl and OpenSSL for $1, compiled once (several minutes; log: $log)"
    rm -rf "$prefix"
    rm -f "$log"
    logged "$log" bash -c '. "$0/tools/lib/common.sh"; . "$0/tools/lib/zig.sh"; . "$0/tools/lib/static_net.sh"; net_openssl "$1" && net_curl "$1"' "$VZ_ROOT" "$1" || die "they do not build"
    rm -rf "$prefix/build"
    printf '%s\n' "$recipe" >"$prefix/.stamp"
}
