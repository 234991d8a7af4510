#!/usr/bin/env bash
# wheel-macos.sh - builds the wheels for macOS into dist/, by a cross-compiler, and checks what can be checked without a Mac (lib/macho.py):
# also that the HDF5s in the wheels of h5py, PyTables and netCDF4 for macOS have what the connector takes. Nothing of it is run. Then the check
# itself is tried with binaries that are wrong (test/wheel/test_macho.py).
set -euo pipefail
VZ_TAG=wheel-macos
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/python.sh"
. "$VZ_ROOT/tools/lib/zig.sh"

tools=$VZ_CACHE/py-macho
log=$VZ_ROOT/build/wheel-macos.log
system=$ZIG_HOME/ziglang/lib/libc/darwin/libSystem.tbd
# Those with HDF5 1.14 and with 2.x. Machine of a wheel: the systems whose tags are taken.
theirs=(h5py==3.14.0 h5py==3.16.0 tables==3.11.1 netCDF4==1.7.5.1.post1)
declare -A systems=([arm64]='11_0 12_0 13_0 14_0 15_0' [x86_64]='10_9 10_13 11_0 12_0 13_0 14_0 15_0')
rm -f "$log"

# hdf5_of WHEEL DIRECTORY: the HDF5 that lies in it
hdf5_of() {
    "$tools/bin/python" -c 'import re, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
wheel.extractall(sys.argv[2], [name for name in wheel.namelist() if re.search(r"/\.dylibs/libhdf5\.[\d.]*dylib$", name)])' "$1" "$2"
}

# their_hdf5s: into the cache, once
their_hdf5s() {
    local to=$VZ_CACHE/macos-hdf5 recipe="${theirs[*]}, for arm64: ${systems[arm64]}, for x86_64: ${systems[x86_64]}" machine platform wanted wheel options
    stamp_is "$to/.stamp" "$recipe" && return 0
    rm -rf "$to" "$to.part"
    for machine in "${!systems[@]}"; do
        options=()
        for platform in ${systems[$machine]}; do options+=(--platform "macosx_${platform}_$machine"); done
        for wanted in "${theirs[@]}"; do
            logged "$log" "$tools/bin/pip" download --disable-pip-version-check --no-deps --only-binary :all: --implementation cp \
                --python-version 3.12 "${options[@]}" -d "$to.part/wheels" "$wanted" || die "no $wanted for macOS on $machine"
        done
    done
    for wheel in "$to.part/wheels"/*.whl; do hdf5_of "$wheel" "$to.part/$(basename "$wheel" .whl)"; done
    rm -rf "$to.part/wheels"
    mv "$to.part" "$to"
    printf '%s\n' "$recipe" >"$to/.stamp"
}

rm -f "$VZ_ROOT"/dist/vol_zarr-*-macosx_*.whl
"$VZ_ROOT/tools/wheel.sh" aarch64-macos x86_64-macos
if ! stamp_is "$tools/.stamp" "$(cat "$VZ_ROOT/tools/requirements-macho.txt")"; then
    rm -rf "$tools"
    logged "$log" "$(python_command)" -m venv "$tools"
    logged "$log" "$tools/bin/pip" install --disable-pip-version-check --only-binary :all: -r "$VZ_ROOT/tools/requirements-macho.txt"
    cp "$VZ_ROOT/tools/requirements-macho.txt" "$tools/.stamp"
fi
their_hdf5s
"$tools/bin/python" "$VZ_ROOT/tools/lib/macho.py" "$VZ_ROOT"/dist/vol_zarr-*-macosx_*.whl --hdf5 "$VZ_CACHE/macos-hdf5" --system "$system"
VZ_ZIG=$ZIG_HOME/ziglang/zig VZ_SYSTEM=$system "$tools/bin/python" -m pytest -q -p no:cacheprovider "$VZ_ROOT/test/wheel/test_macho.py"
say "passed: the wheels for macOS, as far as that can be seen without a Mac"
