#!/usr/bin/env bash
# wheel-musl-test.sh - tries the wheels for musl of dist/ with a CPython for musl (lib/musl.sh) and h5py's wheel for it. For this machine pip takes
# them from the package index into a new environment, and the tests of the wheel run there; for aarch64 under qemu-user. What they write and
# read is judged here by zarr-python, and by a server of this machine (test/wheel/other_machine.py).
set -euo pipefail
VZ_TAG=wheel-musl
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/debian_source.sh"
. "$VZ_ROOT/tools/lib/packages.sh"
. "$VZ_ROOT/tools/lib/python.sh"
. "$VZ_ROOT/tools/lib/zig.sh"
. "$VZ_ROOT/tools/lib/static.sh"
. "$VZ_ROOT/tools/lib/static_net.sh"
. "$VZ_ROOT/tools/lib/aarch64.sh"
. "$VZ_ROOT/tools/lib/musl.sh"
environment=$("$VZ_ROOT/tools/env.sh" --build)
eval "$environment"
log=$VZ_ROOT/build/wheel-musl-test.log
judge() { "$VZ_PY_DEMO" -W ignore "$VZ_ROOT/test/wheel/other_machine.py" "$@"; }

# python_for MACHINE: CPython for musl there
python_for() {
    zig_setup
    static_setup "$1-musl"
    net_setup "$1-musl"
    musl_python "$1" "$log"
}

# wants_little MACHINE WHEEL: no library but musl, and no name that musl 1.2.2 has not. auditwheel asks for the name that Alpine gives to libc.so.
wants_little() {
    local inside=$scratch/inside-$1 found
    "$VZ_PY_DEMO" -m zipfile -e "$2" "$inside"
    local -a binaries=("$inside"/vol_zarr/plugin/*.so "$inside/vol_zarr/bin/h5zarr")
    found=$(readelf -dW "${binaries[@]}" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u)
    [ "$found" = libc.so ] || die "$(basename "$2") wants these libraries, and may want libc.so alone: $found"
    found=$(musl_names_missing "$1" "${binaries[@]}")
    [ -z "$found" ] || die "$(basename "$2") wants of musl what 1.2.2 has not: $found"
    say "$(basename "$2"): wants nothing but musl, and of that no more than 1.2.2 has"
}

# pip_for_aarch64 DIRECTORY ARGUMENT...: wheels of that machine, by this machine's pip
pip_for_aarch64() {
    local to=$1
    shift
    logged "$log" "$VZ_PY_DEMO" -m pip install --disable-pip-version-check --no-compile --only-binary :all: --target "$to" --upgrade \
        --implementation cp --python-version "$MUSL_PYTHON" --platform musllinux_1_2_aarch64 "$@"
}

# with_loader MACHINE FILE: the command names a loader in /lib, where Alpine has it. Here it gets the name of ours, which is no longer.
with_loader() {
    mkdir -p "$scratch/l" "$scratch/etc"
    ln -sf "$(musl_loader "$1")" "$scratch/l/$1"
    cp "$(musl_prefix "$1")/etc/ld-musl-$1.path" "$scratch/etc/"
    "$VZ_PY_DEMO" -c 'import sys, pathlib
file, old, new = pathlib.Path(sys.argv[1]), sys.argv[2].encode(), sys.argv[3].encode()
data = file.read_bytes()
assert data.count(old) == 1 and len(new) <= len(old), (old, new)
file.write_bytes(data.replace(old, new.ljust(len(old), b"\0")))' "$2" "/lib/ld-musl-$1.so.1" "$scratch/l/$1"
}

# round_trip NAME STEP PYTHON...: a round trip of stores and native files with that Python; the step `spread` comes after it, or none (-)
round_trip() {
    local work=$scratch/work-$1 step=$2
    shift 2
    mkdir "$work"
    judge prepare "$work"
    judge serve "$work" &
    server=$!
    there() { env -i PATH=/usr/bin:/bin HOME="$work" LANG=C.UTF-8 "$@"; }
    there "$@" "$VZ_ROOT/test/wheel/other_machine.py" work "$work" h5py
    [ "$step" = - ] || there "$@" "$VZ_ROOT/test/wheel/other_machine.py" "$step" "$work"
    kill "$server"
    server=''
    judge judge "$work"
}

x86_64_wheel() { # WHEEL
    local python=$scratch/env/bin/python
    python_for x86_64
    wants_little x86_64 "$1"
    logged "$log" "$(musl_prefix x86_64)/bin/python$MUSL_PYTHON" -m venv "$scratch/env"
    logged "$log" "$scratch/env/bin/pip" install --disable-pip-version-check --no-compile --only-binary :all: "$1" h5py pytest
    with_loader x86_64 "$scratch/env/lib/python$MUSL_PYTHON/site-packages/vol_zarr/bin/h5zarr"
    round_trip x86_64 spread "$python"
    (cd "$scratch" && VZ_WHEEL=$1 VZ_WHEEL_MODULES=h5py "$python" -m pytest -q -rs -p no:cacheprovider "$VZ_ROOT/test/wheel/test_wheel.py")
    say "passed: $(basename "$1"), $("$python" -c 'import platform, sysconfig; print("CPython", platform.python_version(), sysconfig.get_config_var("EXT_SUFFIX"))')"
}

aarch64_wheel() { # WHEEL
    local site=$scratch/site-aarch64
    python_for x86_64 # which CPython for another machine is built with
    python_for aarch64
    wants_little aarch64 "$1"
    aarch64_qemu "$log"
    pip_for_aarch64 "$site" "$1" h5py
    # A directory that site adds, so that its .pth file is read.
    printf 'import site\nsite.addsitedir(%s)\n' "'$site'" >"$scratch/sitecustomize.py"
    round_trip aarch64 - "PYTHONPATH=$scratch" "$QEMU" "$(musl_prefix aarch64)/bin/python$MUSL_PYTHON"
    with_loader aarch64 "$site/vol_zarr/bin/h5zarr"
    "$QEMU" "$site/vol_zarr/bin/h5zarr" check "$scratch/work-aarch64/ours-3-zstd.zarr"
    say "passed: $(basename "$1"), under $(basename "$QEMU")"
}

[ "$(uname -m)" = x86_64 ] || die "this is tried on x86-64: a CPython for musl on another machine is built with that of this machine"
scratch=$(mktemp -d /tmp/m.XXXX) # a short name: with_loader
server=''
trap '[ -z "$server" ] || kill "$server"; rm -rf "$scratch"' EXIT
rm -f "$log"
found=0
for machine in x86_64 aarch64; do
    for wheel in "$VZ_ROOT"/dist/vol_zarr-*musllinux*_"$machine".whl; do
        [ -e "$wheel" ] || continue
        found=1
        "${machine}_wheel" "$wheel"
    done
done
[ "$found" = 1 ] || die "no wheel for musl in dist/: tools/wheel.sh x86_64-musl"
