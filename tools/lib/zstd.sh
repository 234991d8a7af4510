# zstd.sh - sourced, after static.sh and debian_source.sh: a zstd as new as the wheel's for builds on this machine, as a static archive in the
# cache, where the system's is older. Debian 12 has 1.5.4, which takes 1.8 times as long to encode chunks of 64 KiB.
# shellcheck shell=bash

ZSTD_DIR=$VZ_CACHE/zstd
ZSTD_NEW=1.5.7
ZSTD_FLAGS='-O3 -fPIC -fvisibility=hidden -g0 -DZSTD_LEGACY_SUPPORT=0'

zstd_system_version() {
    printf '#include <zstd.h>\nZSTD_VERSION_MAJOR ZSTD_VERSION_MINOR ZSTD_VERSION_RELEASE\n' | gcc -E -P -x c - 2>/dev/null | tail -n 1 | tr ' ' .
}

# zstd_build WORK LOG: from the archive's source to WORK/lib and WORK/include.
zstd_build() {
    local lib=$1/out/libzstd/lib file objects=()
    mkdir -p "$1/objects" "$1/done/lib" "$1/done/include"
    for file in "$lib"/common/*.c "$lib"/compress/*.c "$lib"/decompress/*.c "$lib"/decompress/*.S; do
        # shellcheck disable=SC2086 # words
        logged "$2" gcc $ZSTD_FLAGS -c "$file" -o "$1/objects/$(basename "$file").o" || return 1
        objects+=("$1/objects/$(basename "$file").o")
    done
    logged "$2" ar rcs "$1/done/lib/libzstd.a" "${objects[@]}" && cp "$lib/zstd.h" "$lib/zstd_errors.h" "$1/done/include/"
}

# setup_zstd: where it cannot be had, the system's does.
setup_zstd() {
    local work log=$VZ_CACHE/log/zstd.log recipe name file sum suite
    read -r name file sum suite < <(grep '^libzstd ' <<<"$STATIC_SOURCES")
    recipe="vol-zarr zstd recipe 1, $file, $ZSTD_FLAGS, gcc $(gcc -dumpfullversion)"
    stamp_is "$ZSTD_DIR/.stamp" "$recipe" && return 0
    rm -rf "$ZSTD_DIR"
    version_at_least "$(zstd_system_version)" "$ZSTD_NEW" && return 0
    say "zstd $ZSTD_NEW, compiled once (half a minute; log: $log)"
    mkdir -p "$VZ_CACHE/build"
    work=$(mktemp -d "$VZ_CACHE/build/zstd.XXXXXX")
    if debian_source "$suite" "$work" "$log" "$name" && static_unpack "$work" "$log" "$name" "$file" "$sum" && zstd_build "$work" "$log"; then
        printf '%s\n' "$recipe" >"$work/done/.stamp"
        mv "$work/done" "$ZSTD_DIR"
    else
        say "it cannot be had here: the plugin gets the system's zstd"
    fi
    rm -rf "$work"
}

# zstd_options: what cmake is told, as words. What a configuration before found out of another archive is forgotten.
zstd_options() {
    printf '%s\n' -UVZ_zstd_IS_PIC
    if [ -e "$ZSTD_DIR/.stamp" ]; then
        printf '%s\n' "-DVZ_zstd_STATIC=$ZSTD_DIR/lib/libzstd.a" "-DVZ_zstd_INCLUDE=$ZSTD_DIR/include"
    else
        printf '%s\n' -UVZ_zstd_STATIC -UVZ_zstd_INCLUDE
    fi
}
