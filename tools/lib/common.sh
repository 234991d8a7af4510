# common.sh - sourced by the scripts in tools/: where things are, how to say what happens, how not to do it twice.
# shellcheck shell=bash

VZ_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
VZ_CACHE=${VOL_ZARR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/vol-zarr}
VZ_TAG=${VZ_TAG:-setup}

# Progress goes to stderr, so that a script's standard output stays usable (env.sh).
say() { printf '[%s] %s\n' "$VZ_TAG" "$*" >&2; }
die() { say "ERROR: $*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
is_root() { [ "$(id -u)" = 0 ]; }
cpus() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2; }

# version_at_least HAVE WANT
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# os_release KEY: one value of /etc/os-release, empty where there is none
os_release() { [ -r /etc/os-release ] && (. /etc/os-release && eval "printf '%s' \"\${$1:-}\"") || true; }

# logged LOG COMMAND...: runs quietly; a failure shows the end of the log, so that nobody has to search for it.
logged() {
    local log=$1
    shift
    mkdir -p "$(dirname "$log")"
    printf '+ %s\n' "$*" >>"$log"
    if ! "$@" >>"$log" 2>&1 </dev/null; then
        tail -n 30 "$log" >&2
        say "failed: $*"
        say "whole log: $log"
        return 1
    fi
}

# stamp_is FILE TEXT: was the step that leaves FILE finished for exactly this recipe?
stamp_is() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }

# sha256_is FILE SUM
sha256_is() { [ "$(sha256sum "$1" | cut -d ' ' -f 1)" = "$2" ]; }

# download URL FILE, with whatever client the machine has
download() {
    if have curl; then
        curl -fsSL --retry 3 -o "$2" "$1"
    elif have wget; then
        wget -q -O "$2" "$1"
    else
        python3 -c 'import sys, urllib.request as u; u.urlretrieve(sys.argv[1], sys.argv[2])' "$1" "$2"
    fi
}

# locked NAME COMMAND...: waits until no other process does what has that name in the cache.
locked() {
    local name=$1
    shift
    mkdir -p "$VZ_CACHE"
    (
        if have flock; then flock 8; fi
        "$@" 8>&-
    ) 8>"$VZ_CACHE/.lock-$name"
}

# Two setups at once (a test run beside a developer's) would build the same thing twice into the same place.
lock_cache() {
    mkdir -p "$VZ_CACHE"
    exec 9>"$VZ_CACHE/.lock"
    if have flock && ! flock -n 9; then
        say "another setup is running on $VZ_CACHE: waiting for it"
        flock 9
    fi
}
