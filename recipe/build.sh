#!/usr/bin/env bash
# Run by rattler-build, which sets PREFIX, CMAKE_ARGS, CPU_COUNT and the compiler.
set -euo pipefail
# shellcheck disable=SC2086 # CMAKE_ARGS are words
cmake -G Ninja -B build ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DHDF5_HEADERS="$PREFIX/include" -DVZ_PLUGIN_INSTALL_DIR=lib/hdf5/plugin -DVZ_STATIC_CODECS=OFF -DVZ_TESTS=OFF -DVZ_WERROR=OFF
cmake --build build --parallel "${CPU_COUNT:-2}"
cmake --install build
