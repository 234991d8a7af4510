#!/usr/bin/env bash
# wheel-aarch64-test.sh - tries the aarch64 wheel of dist/ on a machine that is none, under qemu-user: in Debian's Python for aarch64, unpacked into
# the cache, with the wheels of h5py, PyTables and netCDF4. What it writes is read here by zarr-python, what it reads by http and https a server
# of this machine has (test/wheel/other_machine.py).
set -euo pipefail
VZ_TAG=wheel-aarch64
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/debian_source.sh"
. "$VZ_ROOT/tools/lib/packages.sh"
. "$VZ_ROOT/tools/lib/python.sh"
. "$VZ_ROOT/tools/lib/aarch64.sh"
environment=$("$VZ_ROOT/tools/env.sh" --build)
eval "$environment"

ROOT=$VZ_CACHE/aarch64-root
ROOT_SUITE=bookworm # its Python is the one whose wheels are taken
ROOT_PYTHON=3.11
ROOT_RECIPE="vol-zarr aarch64 root 1"
site=$ROOT/usr/local/lib/python$ROOT_PYTHON/dist-packages
log=$VZ_ROOT/build/wheel-aarch64-test.log

# pip_for_aarch64 ARGUMENT...: wheels of that machine into its Python, whose .pth files are read there.
pip_for_aarch64() {
    local platforms=(manylinux_2_28 manylinux_2_27 manylinux_2_17 manylinux2014) options=() platform
    for platform in "${platforms[@]}"; do options+=(--platform "${platform}_aarch64"); done
    logged "$log" "$VZ_PY_DEMO" -m pip install --disable-pip-version-check --no-compile --only-binary :all: --target "$site" --upgrade \
        --implementation cp --python-version "$ROOT_PYTHON" "${options[@]}" "$@"
}

make_root() {
    stamp_is "$ROOT/.stamp" "$ROOT_RECIPE" && return 0
    say "Python $ROOT_PYTHON for aarch64 with h5py, PyTables and netCDF4 (log: $log)"
    aarch64_root "$ROOT" "$ROOT_RECIPE" "$ROOT_SUITE" "$log" python3-minimal libpython3-stdlib libstdc++6
    pip_for_aarch64 h5py tables netCDF4
    printf '%s\n' "$ROOT_RECIPE" >"$ROOT/.stamp"
}

wheels=("$VZ_ROOT"/dist/vol_zarr-*manylinux*aarch64.whl)
[ -e "${wheels[0]}" ] || die "no wheel for aarch64 in dist/: tools/wheel.sh"
rm -f "$log"
aarch64_qemu "$log"
make_root
pip_for_aarch64 --no-deps --force-reinstall "${wheels[0]}"

scratch=$(mktemp -d)
trap '[ -z "${server:-}" ] || kill "$server"; rm -rf "$scratch"' EXIT
there() { env -i PATH=/usr/bin HOME="$scratch" LANG=C.UTF-8 "$QEMU" -L "$ROOT" "$@"; }
"$VZ_PY_DEMO" -W ignore "$VZ_ROOT/test/wheel/other_machine.py" prepare "$scratch"
"$VZ_PY_DEMO" -W ignore "$VZ_ROOT/test/wheel/other_machine.py" serve "$scratch" &
server=$!
there "$ROOT/usr/bin/python$ROOT_PYTHON" "$VZ_ROOT/test/wheel/other_machine.py" work "$scratch" h5py tables netCDF4
"$VZ_PY_DEMO" -W ignore "$VZ_ROOT/test/wheel/other_machine.py" judge "$scratch"
there "$site/vol_zarr/bin/h5zarr" check "$scratch/ours-3-zstd.zarr"
say "passed: the wheel for aarch64, under $(basename "$QEMU")"
