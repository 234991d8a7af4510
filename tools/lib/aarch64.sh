# aarch64.sh - sourced: programs for aarch64 on a machine that is none, under qemu-user.
# shellcheck shell=bash

# aarch64_qemu LOG: sets QEMU to qemu-user for aarch64, which root on Debian gets installed. Debian's libraries sign their return addresses: by
# the architecture's own algorithm qemu-user takes microseconds for each call of a function, by another one it may choose much less.
aarch64_qemu() {
    export QEMU_CPU=${QEMU_CPU:-max,pauth-impdef=on}
    QEMU=$(command -v qemu-aarch64-static || command -v qemu-aarch64) && return 0
    is_root && have apt-get || die "no qemu-aarch64: sudo apt-get install qemu-user-static"
    packages_apt_install "$1" qemu-user-static
    QEMU=$(command -v qemu-aarch64-static)
}

# aarch64_root DIRECTORY RECIPE SUITE LOG PACKAGE...: what is in these packages of Debian and in all that they need, once for a recipe; the
# caller writes DIRECTORY/.stamp when all else is in it, too.
aarch64_root() {
    local root=$1 recipe=$2 suite=$3 log=$4 work
    shift 4
    stamp_is "$root/.stamp" "$recipe" && return 0
    mkdir -p "$VZ_CACHE/build"
    rm -rf "$root" "$VZ_CACHE"/build/aarch64.*
    work=$(mktemp -d "$VZ_CACHE/build/aarch64.XXXXXX")
    debian_unpacked "$suite" arm64 "$work" "$log" install "$@" \
        || die "Debian's packages for aarch64 cannot be had: this is tried on Debian, with its mirror"
    mv "$work/root" "$root"
    rm -rf "$work"
}
