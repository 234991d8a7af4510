# zig.sh - sourced: a C compiler for other machines than this one, and for older C libraries than this machine's: zig's clang, which
# the package index has as a wheel.
# shellcheck shell=bash

ZIG_VERSION=0.15.2
ZIG_GLIBC=2.28 # of Debian 10 and of RHEL 8: what the wheels of h5py and numpy ask for, too
ZIG_MACOS=11.0 # the first for arm64; h5py's wheels ask for it, too
ZIG_HOME=$VZ_CACHE/zig-$ZIG_VERSION

zig_setup() { locked zig zig_install; }

zig_install() {
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

# A target is a machine and a system, as the directories of the cache name them: x86_64 and aarch64 (Linux with glibc), x86_64-musl and
# aarch64-musl (Linux with musl), x86_64-macos and aarch64-macos.
target_machine() { printf '%s' "${1%%-*}"; }

target_system() { # -> glibc, musl or macos
    case $1 in *-*) printf '%s' "${1#*-}" ;; *) printf glibc ;; esac
}

# target_recipe TARGET: what decides on the code that is made for it, beside the sources.
target_recipe() {
    case $(target_system "$1") in
        glibc) printf 'zig %s, glibc %s' "$ZIG_VERSION" "$ZIG_GLIBC" ;;
        macos) printf 'zig %s, macOS %s' "$ZIG_VERSION" "$ZIG_MACOS" ;;
        *) printf 'zig %s, %s' "$ZIG_VERSION" "$(target_system "$1")" ;;
    esac
}

# target_cmake TARGET: CMake's options for it, one a line. CMake asks for a program that alters libraries of macOS, and does not use it here.
target_cmake() {
    local prefix=$VZ_CACHE/static/$1 system=Linux machine
    machine=$(target_machine "$1")
    if [ "$(target_system "$1")" = macos ]; then
        system=Darwin
        case $machine in aarch64) machine=arm64 ;; esac
        printf '%s\n' -DCMAKE_INSTALL_NAME_TOOL=/bin/true -DCMAKE_OSX_SYSROOT= -DCMAKE_OSX_DEPLOYMENT_TARGET=
    fi
    printf '%s\n' "-DCMAKE_SYSTEM_NAME=$system" "-DCMAKE_SYSTEM_PROCESSOR=$machine" "-DCMAKE_C_COMPILER=$prefix/bin/cc" \
        "-DCMAKE_ASM_COMPILER=$prefix/bin/cc" "-DCMAKE_AR=$prefix/bin/ar" "-DCMAKE_RANLIB=$prefix/bin/ranlib"
}

# zig_triple TARGET: as zig names it
zig_triple() {
    case $(target_system "$1") in
        glibc) printf '%s-linux-gnu.%s' "$(target_machine "$1")" "$ZIG_GLIBC" ;;
        musl) printf '%s-linux-musl' "$(target_machine "$1")" ;;
        macos) printf '%s-macos.%s' "$(target_machine "$1")" "$ZIG_MACOS" ;;
        *) die "zig.sh: no target $1" ;;
    esac
}

# zig_compiler TARGET: makes the programs cc, ar and ranlib for that target and says in which directory they are. Their names are single
# words, as CMake and make want them.
zig_compiler() {
    local bin=$VZ_CACHE/static/$1/bin zig=$ZIG_HOME/ziglang/zig system=''
    mkdir -p "$bin"
    if [ "$(target_system "$1")" = macos ]; then
        # OpenSSL says -arch, which the target says already. CMake says -bundle, for what dlopen takes: zig makes libraries, which it takes, too.
        # A function that is newer than the oldest system is an error, also where a configuration asks whether there is one.
        printf '#!/bin/bash\nwords=()\nwhile [ $# -gt 0 ]; do\n  case $1 in -arch) shift ;; -bundle) words+=(-shared) ;; *) words+=("$1") ;; esac\n  shift\ndone\n' >"$bin/cc"
        printf 'exec %q cc -target %s -Werror=unguarded-availability "${words[@]}"\n' "$zig" "$(zig_triple "$1")" >>"$bin/cc"
    else
        # Without -dynamic a program for musl is linked statically: it loads nothing, and all of musl is built for it.
        if [ "$(target_system "$1")" = musl ]; then system=' -dynamic'; fi
        printf '#!/bin/sh\nexec %q cc -target %s%s "$@"\n' "$zig" "$(zig_triple "$1")" "$system" >"$bin/cc"
    fi
    printf '#!/bin/sh\nexec %q ar "$@"\n' "$zig" >"$bin/ar"
    printf '#!/bin/sh\nexec %q ranlib "$@"\n' "$zig" >"$bin/ranlib"
    chmod +x "$bin/cc" "$bin/ar" "$bin/ranlib"
    printf '%s' "$bin"
}
