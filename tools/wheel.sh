#!/usr/bin/env bash
# wheel.sh [MACHINE...] - builds dist/vol_zarr-*-py3-none-manylinux_2_28_MACHINE.whl (default: x86_64 and aarch64, whichever machine this
# is): the plugin with every codec inside, the module for remote stores with libcurl and AWS-LC inside, and the command h5zarr, which need the
# C library alone, and the Python package of python/.
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
[ ${#machines[@]} -gt 0 ] || machines=(x86_64 aarch64)
zig_setup
for machine in "${machines[@]}"; do
    static_setup "$machine"
    with_net=()
    if net_is_for "$machine"; then
        net_setup "$machine"
        with_net=(--module)
    fi
    say "plugin and command for $machine"
    build "$machine"
    "$(python_command)" "$VZ_ROOT/tools/lib/wheel.py" --machine "$machine" --glibc "$ZIG_GLIBC" --build "$VZ_ROOT/build/wheel-$machine" \
        --sources "$VZ_CACHE/sources" "$VZ_CACHE/sources-net" --compiler "$ZIG_HOME/ziglang" --to "$VZ_ROOT/dist" "${with_net[@]}"
done
