# static.sh - sourced: the codec libraries as static archives for one target (zig.sh), compiled by zig, into the cache: what the module of a
# wheel is made of.
# shellcheck shell=bash

STATIC_RECIPE="vol-zarr static recipe 3"

# Source package | the archive of its upstream's source | SHA-256 of that | the Debian whose source package it is. Debian's own patches are
# applied to it. zstd is newer than the others: it encodes chunks of 64 KiB in little more than half the time that 1.5.4 takes.
STATIC_SOURCES='
bzip2       bzip2_1.0.8.orig.tar.gz           ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269  bookworm
c-blosc     c-blosc_1.21.3+ds.orig.tar.xz     36a5ca0904135be7b6da02cc93adda2e34fec98286b28172e166f8cad79c8fab  bookworm
expat       expat_2.5.0.orig.tar.gz           ab00ee05c7067fd10a35c5d2a4922ebba746ddd50ff83b79c828da17bbdf1757  bookworm
libdeflate  libdeflate_1.14.orig.tar.gz       89e7df898c37c3427b0f39aadcf733731321a278771d20fc553f92da8d4808ac  bookworm
libzstd     libzstd_1.5.7+dfsg.orig.tar.xz    0c092ef267edce57ba7f3f2645c861f72eaf5e76273c6c3632869423464b90a5  trixie
lz4         lz4_1.9.4.orig.tar.gz             0b0e3aa07c8c063ddf40b082bdf7e37a1562bda40a0ff5272957f3e987e0e54b  bookworm
xz-utils    xz-utils_5.4.1.orig.tar.xz        5d9827aa1875b21c288f78864bb26d2650b436ea8d2cad364e4921eb6266a5a5  bookworm
zlib        zlib_1.2.13.dfsg.orig.tar.bz2     71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1  bookworm
'

# static_possible: ends with the reason where no wheel can be built, before anything is fetched.
static_possible() {
    local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    case $(uname -m) in x86_64 | aarch64) ;; *) die "no wheel for $(uname -m): x86_64 and aarch64 alone are tried" ;; esac
    [ "$(os_release ID)" = debian ] && have apt-get || die "a wheel is built on Debian, whose source packages its libraries come from; make install needs none"
    [ -r "$keyring" ] || die "no $keyring (apt-get install debian-archive-keyring): it vouches for those sources"
}

# static_unpack WORK LOG NAME FILE SUM: checks the archive that came from there to WORK, and unpacks it to WORK/out/NAME.
static_unpack() {
    sha256_is "$1/$4" "$5" || die "$4 is not what was expected (SHA-256 $5)"
    mkdir -p "$1/out"
    (cd "$1" && logged "$2" dpkg-source -x "${4%%_*}"_*.dsc "out/$3") || die "$4 cannot be unpacked"
}

# sources_of DIRECTORY LOG RECIPE TABLE TEXT: unpacks the rows of a table like STATIC_SOURCES to DIRECTORY/NAME, once for a recipe.
sources_of() {
    local to=$1 log=$2 work suite name file sum
    stamp_is "$to/.stamp" "$3" && return 0
    say "$5"
    rm -rf "$VZ_CACHE/build/$(basename "$to")".* "$to"
    mkdir -p "$VZ_CACHE/build"
    work=$(mktemp -d "$VZ_CACHE/build/$(basename "$to").XXXXXX")
    rm -f "$log"
    for suite in $(awk '{ print $4 }' <<<"$4" | sort -u); do
        # shellcheck disable=SC2046 # a word each
        debian_source "$suite" "$work" "$log" $(awk -v suite="$suite" '$4 == suite { print $1 }' <<<"$4") \
            || die "the source packages cannot be had: a wheel is built on Debian, with its mirror"
    done
    while read -r name file sum _; do
        [ -z "$name" ] || static_unpack "$work" "$log" "$name" "$file" "$sum"
    done <<<"$4"
    mv "$work/out" "$to"
    printf '%s\n' "$3" >"$to/.stamp"
    rm -rf "$work"
}

# static_sources: unpacks them to $VZ_CACHE/sources/NAME.
static_sources() {
    locked sources sources_of "$VZ_CACHE/sources" "$VZ_CACHE/log/sources.log" "$STATIC_RECIPE" "$STATIC_SOURCES" "sources of the codec libraries, from Debian"
}

STATIC_FLAGS='-O3 -fPIC -fvisibility=hidden -g0'

# static_cmake TARGET SOURCE OPTION...: configures and builds one of them, or $STATIC_TARGET of it.
static_cmake() {
    local source=$2 prefix=$VZ_CACHE/static/$1 build options
    mapfile -t options < <(target_cmake "$1")
    shift 2
    build=$prefix/build/$(basename "$source")
    cmake -S "$source" -B "$build" "${options[@]}" -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=$STATIC_FLAGS" \
        "-DCMAKE_INSTALL_PREFIX=$prefix" -DCMAKE_INSTALL_LIBDIR=lib "-DCMAKE_FIND_ROOT_PATH=$prefix" -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON "$@" &&
        cmake --build "$build" --parallel "$(cpus)" --target "${STATIC_TARGET:-all}"
}

# static_make TARGET NAME ARCHIVE FILE.c...: compiles files of sources/NAME into one archive, as their own makefiles would.
static_make() {
    local prefix=$VZ_CACHE/static/$1 source=$VZ_CACHE/sources/$2 archive=$3 build file objects=()
    build=$prefix/build/$2
    shift 3
    mkdir -p "$build" "$prefix/lib"
    for file in "$@"; do
        # shellcheck disable=SC2086 # words
        "$prefix/bin/cc" $STATIC_FLAGS -D_FILE_OFFSET_BITS=64 -I"$source" -c "$source/$file" -o "$build/${file//\//-}.o" || return 1
        objects+=("$build/${file//\//-}.o")
    done
    rm -f "$prefix/lib/$archive"
    "$prefix/bin/ar" rcs "$prefix/lib/$archive" "${objects[@]}"
}

# static_take TARGET ARCHIVE HEADER...: what others need of it.
static_take() {
    local prefix=$VZ_CACHE/static/$1
    mkdir -p "$prefix/lib" "$prefix/include"
    case $2 in -) ;; *) cp "$prefix/build/$2" "$prefix/lib/" || return 1 ;; esac
    shift 2
    cp -r "$@" "$prefix/include/"
}

# It takes every system of Apple for one without fdopen, but where that is a macro.
static_zlib() { # TARGET
    local flags=$STATIC_FLAGS
    case $1 in *-macos) flags+=' -Dfdopen=fdopen' ;; esac
    STATIC_FLAGS=$flags static_make "$1" zlib libz.a adler32.c compress.c crc32.c deflate.c infback.c inffast.c inflate.c inftrees.c trees.c uncompr.c zutil.c &&
        static_take "$1" - "$VZ_CACHE"/sources/zlib/{zlib,zconf}.h
}

static_bzip2() { # TARGET
    static_make "$1" bzip2 libbz2.a blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c &&
        static_take "$1" - "$VZ_CACHE/sources/bzip2/bzlib.h"
}

static_libdeflate() { # TARGET
    local source=$VZ_CACHE/sources/libdeflate files
    files=$(cd "$source" && echo lib/*.c lib/*/cpu_features.c)
    # shellcheck disable=SC2086 # a word each
    static_make "$1" libdeflate libdeflate.a $files && static_take "$1" - "$source/libdeflate.h"
}

static_lz4() { # TARGET
    static_make "$1" lz4 liblz4.a lib/lz4.c lib/lz4hc.c lib/lz4frame.c lib/xxhash.c &&
        static_take "$1" - "$VZ_CACHE"/sources/lz4/lib/lz4{,hc,frame}.h
}

# Its configuration is written here: what its CMake files make leaves XML_DTD empty, which Debian's patches do not compile with.
static_expat() { # TARGET
    local source=$VZ_CACHE/sources/expat/expat/lib config=$VZ_CACHE/static/$1/build/expat-config random=HAVE_GETRANDOM
    mkdir -p "$config" || return 1
    case $1 in *-macos) random=HAVE_ARC4RANDOM_BUF ;; esac
    printf '#define %s\n' 'BYTEORDER 1234' "$random 1" 'XML_CONTEXT_BYTES 1024' 'XML_DEV_URANDOM 1' 'XML_DTD 1' 'XML_GE 1' 'XML_NS 1' >"$config/expat_config.h"
    STATIC_FLAGS="$STATIC_FLAGS -I$config" static_make "$1" expat libexpat.a expat/lib/xmlparse.c expat/lib/xmlrole.c expat/lib/xmltok.c &&
        static_take "$1" - "$source"/expat{,_external}.h
}

static_libzstd() { # TARGET
    local source=$VZ_CACHE/sources/libzstd
    STATIC_TARGET=libzstd_static static_cmake "$1" "$source/build/cmake" -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF \
        -DZSTD_LEGACY_SUPPORT=OFF -DZSTD_MULTITHREAD_SUPPORT=OFF && static_take "$1" cmake/lib/libzstd.a "$source"/lib/zstd{,_errors}.h
}

static_xz() { # TARGET
    local api=$VZ_CACHE/sources/xz-utils/src/liblzma/api
    STATIC_TARGET=liblzma static_cmake "$1" "$VZ_CACHE/sources/xz-utils" && static_take "$1" xz-utils/liblzma.a "$api/lzma.h" "$api/lzma"
}

static_blosc() { # TARGET
    local source=$VZ_CACHE/sources/c-blosc
    STATIC_TARGET=blosc_static static_cmake "$1" "$source" -DBUILD_TESTS=OFF -DBUILD_FUZZERS=OFF -DBUILD_BENCHMARKS=OFF -DBUILD_SHARED=OFF \
        -DBUILD_STATIC=ON -DPREFER_EXTERNAL_LZ4=ON -DPREFER_EXTERNAL_ZLIB=ON -DPREFER_EXTERNAL_ZSTD=ON -DDEACTIVATE_SNAPPY=ON \
        "-DCMAKE_PREFIX_PATH=$VZ_CACHE/static/$1" && static_take "$1" c-blosc/blosc/libblosc.a "$source"/blosc/blosc{,-export}.h
}

static_all() { # TARGET
    static_zlib "$1" && static_bzip2 "$1" && static_expat "$1" && static_libdeflate "$1" && static_lz4 "$1" && static_libzstd "$1" && static_xz "$1" &&
        static_blosc "$1"
}

# static_setup TARGET: the archives and headers in $VZ_CACHE/static/TARGET.
static_setup() { locked "static-$1" static_build "$1"; }

static_build() {
    local prefix=$VZ_CACHE/static/$1 log=$VZ_CACHE/log/static-$1.log recipe
    recipe="$STATIC_RECIPE, $(target_recipe "$1")"
    stamp_is "$prefix/.stamp" "$recipe" && return 0
    static_sources
    say "codec libraries for $1, compiled once (about two minutes; log: $log)"
    rm -rf "$prefix"
    zig_compiler "$1" >/dev/null
    rm -f "$log"
    logged "$log" bash -c '. "$0/tools/lib/common.sh"; . "$0/tools/lib/zig.sh"; . "$0/tools/lib/static.sh"; static_all "$1"' "$VZ_ROOT" "$1" || die "they do not build"
    rm -rf "$prefix/build"
    printf '%s\n' "$recipe" >"$prefix/.stamp"
}
