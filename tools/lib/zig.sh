# zig.sh - sourced: a C compiler for other machines than this one, and for older C libraries than this machine's: zig's clang, which
# the package index has as a wheel.
# shellcheck shell=bash

ZIG_VERSION=0.15.2
ZIG_GLIBC=2.28 # of Debian 10 and of RHEL 8: what the wheels of h5py and numpy ask for, too
ZIG_HOME=$VZ_CACHE/zig-$ZIG_VERSION

zig_setup() {
    local log=$VZ_CACHE/log/zig.log
    if ! [ -x "$ZIG_HOME/ziglang/zig" ]; then
        say "zig $ZIG_VERSION, from the package index (about a minute; log: $log)"
        rm -rf "$ZIG_HOME.part"
        logged "$log" "$(python_command)" -m venv "$ZIG_HOME.part.env"
        logged "$log" "$ZIG_HOME.part.env/bin/python" -m pip install --no-deps --no-compile --require-hashes \
            --target "$ZIG_HOME.part" -r "$VZ_ROOT/tools/requirements-zig.txt"
        rm -rf "$ZIG_HOME.part.env" "$ZIG_HOME"
        mv "$ZIG_HOME.part" "$ZIG_HOME"
    fi
}

# zig_compiler MACHINE: makes the programs cc and ar for that machine and says in which directory they are. Their names are single words,
# as CMake and make want them.
zig_compiler() {
    local bin=$VZ_CACHE/static/$1/bin
    mkdir -p "$bin"
    printf '#!/bin/sh\nexec %q cc -target %s-linux-gnu.%s "$@"\n' "$ZIG_HOME/ziglang/zig" "$1" "$ZIG_GLIBC" >"$bin/cc"
    printf '#!/bin/sh\nexec %q ar "$@"\n' "$ZIG_HOME/ziglang/zig" >"$bin/ar"
    printf '#!/bin/sh\nexec %q ranlib "$@"\n' "$ZIG_HOME/ziglang/zig" >"$bin/ranlib"
    chmod +x "$bin/cc" "$bin/ar" "$bin/ranlib"
    printf '%s' "$bin"
}
