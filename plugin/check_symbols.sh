#!/bin/sh
# Fails if the module has an undefined HDF5 symbol, depends on libhdf5, or exports anything but its two entry points.
set -eu
module=$1 nm=${2:-nm}
undefined=$("$nm" -D --undefined-only "$module" | awk '{print $NF}' | grep -E '^H5' || true)
exported=$("$nm" -D --defined-only "$module" | awk '{print $NF}' | grep -vE '^(H5PLget_plugin_type|H5PLget_plugin_info)(@.*)?$' |
    grep -vE '^(_init|_fini|__asan|__ubsan|__odr_asan|__start_|__stop_)' || true)
needed=$(readelf -d "$module" | grep NEEDED | grep -i hdf5 || true)
if [ -n "$undefined$needed$exported" ]; then
    echo "undefined HDF5 symbols: ${undefined:-none}; libhdf5 dependency: ${needed:-none}; exported beyond the entry points: ${exported:-none}" >&2
    rm -f "$module"
    exit 1
fi
