#!/usr/bin/env bash
# wheel.sh - builds dist/vol_zarr-*-py3-none-manylinux_2_28_x86_64.whl: the plugin and the command h5zarr with every codec inside, which
# need the C library alone, and the Python package of python/.
set -euo pipefail
VZ_TAG=wheel
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/debian_source.sh"
. "$VZ_ROOT/tools/lib/python.sh"
. "$VZ_ROOT/tools/lib/zig.sh"
. "$VZ_ROOT/tools/lib/static.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"

# build MACHINE: the plugin and the command, in build/wheel-MACHINE
build() {
    local prefix=$VZ_CACHE/static/$1 build=$VZ_ROOT/build/wheel-$1 log=$VZ_ROOT/build/wheel-$1/build.log
    rm -f "$log"
    logged "$log" cmake -S "$VZ_ROOT" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
        "-DCMAKE_SYSTEM_PROCESSOR=$1" "-DCMAKE_C_COMPILER=$prefix/bin/cc" "-DCMAKE_AR=$prefix/bin/ar" "-DCMAKE_RANLIB=$prefix/bin/ranlib" \
        -DVZ_TESTS=OFF -DCMAKE_MODULE_LINKER_FLAGS=-s -DCMAKE_EXE_LINKER_FLAGS=-s "-DHDF5_ROOT=$VZ_HDF5" -U HDF5_HEADERS "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_FIND_ROOT_PATH=$prefix" \
        -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY
    logged "$log" cmake --build "$build"
}

machine=x86_64
zig_setup
static_setup "$machine"
build "$machine"
"$(python_command)" "$VZ_ROOT/tools/lib/wheel.py" --machine "$machine" --glibc "$ZIG_GLIBC" --build "$VZ_ROOT/build/wheel-$machine" \
    --sources "$VZ_CACHE/sources" --to "$VZ_ROOT/dist"
