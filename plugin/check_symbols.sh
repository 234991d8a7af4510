#!/bin/sh
# Fails if the module has an undefined HDF5 symbol, depends on libhdf5, or exports anything but its two entry points. readelf reads
# modules of any machine, nm only those of its own.
set -eu
module=$1
symbols=$(readelf -W --dyn-syms "$module" | awk '$1 ~ /^[0-9]+:$/ && $5 != "LOCAL" && NF >= 8 { sub(/@.*/, "", $8); print ($7 == "UND" ? "U" : "D"), $8 }')
undefined=$(echo "$symbols" | sed -n 's/^U \(H5.*\)/\1/p')
exported=$(echo "$symbols" | sed -n 's/^D //p' | grep -vE '^(H5PLget_plugin_type|H5PLget_plugin_info|_init|_fini|__asan.*|__ubsan.*|__odr_asan.*|__start_.*|__stop_.*)$' || true)
needed=$(readelf -d "$module" | grep NEEDED | grep -i hdf5 || true)
missing=$(printf 'H5PLget_plugin_type\nH5PLget_plugin_info\n' | while read -r name; do echo "$symbols" | grep -qx "D $name" || echo "$name"; done)
if [ -n "$undefined$needed$exported$missing" ]; then
    echo "undefined HDF5 symbols: ${undefined:-none}; libhdf5 dependency: ${needed:-none}; exported beyond the entry points: ${exported:-none};" \
        "entry points that it lacks: ${missing:-none}" >&2
    rm -f "$module"
    exit 1
fi
