#!/usr/bin/env bash
# wheel.sh [TARGET...] - builds a wheel into dist/ for each target of lib/zig.sh: x86_64 and aarch64 (Linux with glibc; default: this machine),
# x86_64-musl, aarch64-musl, x86_64-macos, aarch64-macos. In it are the plugin with every codec, the module for remote stores with libcurl and
# OpenSSL, and the command h5zarr, which need the C library alone, and the Python package of python/.
set -euo pipefail
VZ_TAG=wheel
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/debian_source.sh"
. "$VZ_ROOT/tools/lib/python.sh"
. "$VZ_ROOT/tools/lib/zig.sh"
. "$VZ_ROOT/tools/lib/static.sh"
. "$VZ_ROOT/tools/lib/static_net.sh"
environment=$("$VZ_ROOT/tools/env.sh" --build)
eval "$environment"

# What bears a date in a wheel bears that of the commit.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$VZ_ROOT" log -1 --format=%ct 2>/dev/null || echo 315532800)}

# headers TARGET: says where HDF5's headers are. Sizes and headers are those of glibc on x86-64 where they come from.
headers() {
    local to=$VZ_CACHE/static/$1/hdf5
    if [ "$(target_system "$1")" != macos ]; then
        printf '%s' "$VZ_HDF5_HEADERS"
        return
    fi
    "$(python_command)" "$VZ_ROOT/tools/lib/hdf5_headers.py" "$VZ_HDF5_HEADERS" "$to" "$VZ_CACHE/static/$1/bin/cc" || return 1
    printf '%s' "$to"
}

# build TARGET: the plugin and the command, in build/wheel-TARGET
build() {
    local prefix=$VZ_CACHE/static/$1 net=$VZ_CACHE/static-net/$1 build=$VZ_ROOT/build/wheel-$1 log=$VZ_ROOT/build/wheel-$1/build.log options
    rm -f "$log"
    mapfile -t options < <(target_cmake "$1")
    if [ "$(target_system "$1")" = macos ]; then
        options+=(-DVZ_OS=posix)
        logged "$log" "$(python_command)" "$VZ_ROOT/tools/lib/macho_hide.py" "$prefix"/lib/*.a "$net"/lib/*.a
    fi
    logged "$log" cmake -S "$VZ_ROOT" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "${options[@]}" \
        -DVZ_TESTS=OFF -DCMAKE_MODULE_LINKER_FLAGS=-s -DCMAKE_EXE_LINKER_FLAGS=-s "-DHDF5_HEADERS=$(headers "$1")" \
        "-DCMAKE_PREFIX_PATH=$prefix;$net" "-DCMAKE_FIND_ROOT_PATH=$prefix;$net" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY
    logged "$log" cmake --build "$build"
}

# platform TARGET: the wheel's tag for it
platform() {
    case $1 in
        *-musl) printf 'musllinux_1_2_%s' "$(target_machine "$1")" ;;
        aarch64-macos) printf 'macosx_%s_arm64' "${ZIG_MACOS/./_}" ;;
        *-macos) printf 'macosx_%s_%s' "${ZIG_MACOS/./_}" "$(target_machine "$1")" ;;
        *) printf 'manylinux_%s_%s' "${ZIG_GLIBC/./_}" "$1" ;;
    esac
}

targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=("$(uname -m)")
zig_setup
net_sources & # from the network, while the codec libraries are compiled
fetching=$!
for target in "${targets[@]}"; do
    static_setup "$target"
done
wait "$fetching" || die "the module for remote stores cannot be built"
for target in "${targets[@]}"; do
    net_setup "$target"
    say "plugin and command for $target"
    build "$target"
    "$(python_command)" "$VZ_ROOT/tools/lib/wheel.py" --target "$target" --platform "$(platform "$target")" --build "$VZ_ROOT/build/wheel-$target" \
        --sources "$VZ_CACHE/sources" "$VZ_CACHE/sources-net" --compiler "$ZIG_HOME/ziglang" --pins "$STATIC_SOURCES$NET_SOURCES" \
        --to "$VZ_ROOT/dist" --module
done
say "what the next wheel needs again stays in $VZ_CACHE: $(du -shc "$ZIG_HOME" "$VZ_CACHE"/sources* "$VZ_CACHE"/static* | tail -n 1 | cut -f 1)"
