#!/usr/bin/env bash
# wheel.sh [MACHINE...] - builds dist/vol_zarr-*-py3-none-manylinux_2_28_MACHINE.whl for x86_64 or aarch64 (default: this machine). In it are
# the plugin with every codec, the module for remote stores with libcurl and OpenSSL, and the command h5zarr, which need the C library alone,
# and the Python package of python/.
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

# build MACHINE: the plugin and the command, in build/wheel-MACHINE
build() {
    local prefix=$VZ_CACHE/static/$1 net=$VZ_CACHE/static-net/$1 build=$VZ_ROOT/build/wheel-$1 log=$VZ_ROOT/build/wheel-$1/build.log
    rm -f "$log"
    logged "$log" cmake -S "$VZ_ROOT" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
        "-DCMAKE_SYSTEM_PROCESSOR=$1" "-DCMAKE_C_COMPILER=$prefix/bin/cc" "-DCMAKE_AR=$prefix/bin/ar" "-DCMAKE_RANLIB=$prefix/bin/ranlib" \
        -DVZ_TESTS=OFF -DCMAKE_MODULE_LINKER_FLAGS=-s -DCMAKE_EXE_LINKER_FLAGS=-s "-DHDF5_HEADERS=$VZ_HDF5_HEADERS" \
        "-DCMAKE_PREFIX_PATH=$prefix;$net" "-DCMAKE_FIND_ROOT_PATH=$prefix;$net" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY
    logged "$log" cmake --build "$build"
}

machines=("$@")
[ ${#machines[@]} -gt 0 ] || machines=("$(uname -m)")
zig_setup
net_sources & # from the network, while the codec libraries are compiled
fetching=$!
for machine in "${machines[@]}"; do
    static_setup "$machine"
done
wait "$fetching" || die "the module for remote stores cannot be built"
for machine in "${machines[@]}"; do
    net_setup "$machine"
    say "plugin and command for $machine"
    build "$machine"
    "$(python_command)" "$VZ_ROOT/tools/lib/wheel.py" --machine "$machine" --glibc "$ZIG_GLIBC" --build "$VZ_ROOT/build/wheel-$machine" \
        --sources "$VZ_CACHE/sources" "$VZ_CACHE/sources-net" --compiler "$ZIG_HOME/ziglang" --pins "$STATIC_SOURCES$NET_SOURCES" \
        --to "$VZ_ROOT/dist" --module
done
say "what the next wheel needs again stays in $VZ_CACHE: $(du -shc "$ZIG_HOME" "$VZ_CACHE"/sources* "$VZ_CACHE"/static* | tail -n 1 | cut -f 1)"
