#!/usr/bin/env bash
# netcdf-test.sh [PRESET [ARGUMENTS of pytest]] - ncdump, ncgen, nccopy, NCO and CDO through the plugin of build/PRESET, on stores of
# xarray: they print and compute what they do of the netCDF file (test/python/test_netcdf_operators.py); on one-file stores; and the
# page docs/netcdf.md with them.
#
# On Debian 13 and newer the machine's own programs run; root gets the packages where they are missing. Elsewhere their HDF5 may be
# older than 1.14, and so, as root with debootstrap, they run in a Debian 13 root, which is kept in the cache for a week. Its programs
# see this checkout and the directory of the test, nothing else of the machine; stores are made and judged by Python outside. Logs:
# build/netcdf-test.
set -euo pipefail
VZ_TAG=netcdf-test
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/roots.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
preset=${1:-release}
shift || true
LOGS=$VZ_ROOT/build/netcdf-test
NETCDF_SUITE=trixie
NETCDF_ROOT=$ROOMS/netcdf-$NETCDF_SUITE
NETCDF_PACKAGES='netcdf-bin nco cdo'
PROGRAMS='ncdump ncgen nccopy ncks ncwa ncrcat ncra ncatted ncrename cdo'
WORK=''

of_this_machine() {
    [ "$(os_release ID)" = debian ] && version_at_least "$(os_release VERSION_ID)" 13 || return 1
    if ! have ncdump || ! have ncks || ! have cdo; then
        is_root || die "cannot: needs the packages $NETCDF_PACKAGES"
        # shellcheck disable=SC2086 # a word each
        logged "$LOGS/packages.log" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $NETCDF_PACKAGES
    fi
}

# A root that has all packages, or nothing under that name.
make_netcdf_root() {
    if is_recent "$NETCDF_ROOT" && [ "$(cat "$NETCDF_ROOT/packages" 2>/dev/null)" = "$NETCDF_PACKAGES" ]; then return 0; fi
    rm -rf --one-file-system "$NETCDF_ROOT"
    root_new "$NETCDF_SUITE" || die "no $(debian_number "$NETCDF_SUITE") (log: $LOGS/$NETCDF_SUITE-base.log)"
    say "$(debian_number "$NETCDF_SUITE"): $NETCDF_PACKAGES (log: $LOGS/packages.log)"
    rm -f "$LOGS/packages.log"
    logged "$LOGS/packages.log" in_root "$ROOT" \
        "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $NETCDF_PACKAGES" \
        || die "the packages could not be installed"
    printf '%s\n' "$NETCDF_PACKAGES" >"$ROOT/packages"
    mv "$ROOT" "$NETCDF_ROOT"
    touch "$NETCDF_ROOT"
    ROOT=''
}

clean_up() {
    if [ -n "${ROOT:-}" ] && [ -d "$ROOT" ]; then rm -rf --one-file-system "$ROOT"; fi
    if [ -n "$WORK" ]; then rm -rf "$WORK" && rmdir "$NETCDF_ROOT$WORK" 2>/dev/null || true; fi
}

# A script for each program, in WORK/bin. Mounts live in a namespace of their own and end with the command.
lend_programs() {
    local name
    mkdir -p "$WORK/bin" "$NETCDF_ROOT$WORK" "$NETCDF_ROOT$VZ_ROOT"
    for name in $PROGRAMS; do
        # shellcheck disable=SC2016
        printf '#!/bin/sh\n# made by tools/netcdf-test.sh\nroot=%q work=%q here=%q\n%s\n' "$NETCDF_ROOT" "$WORK" "$VZ_ROOT" \
            'exec unshare --mount --propagation private sh -c '\''
    mount --bind "$2" "$1$2" && mount --bind "$3" "$1$3" && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
    root=$1 && shift 3 && exec chroot "$root" env -C "$PWD" PATH=/usr/bin:/bin LD_LIBRARY_PATH= "$@"'\'' - "$root" "$work" "$here" '"$name"' "$@"' \
            >"$WORK/bin/$name"
        chmod 755 "$WORK/bin/$name"
    done
}

mkdir -p "$LOGS" "$ROOMS"
export VZ_PLUGIN_DIR=$VZ_ROOT/build/$preset/plugin
[ -e "$VZ_PLUGIN_DIR/libH5VLzarr.so" ] || die "no plugin in $VZ_PLUGIN_DIR: tools/build.sh $preset"
unset HDF5_VOL_CONNECTOR HDF5_USE_FILE_LOCKING
ROOT=''
trap clean_up EXIT
WORK=$(mktemp -d "${TMPDIR:-/tmp}/vz-netcdf.XXXXXX")
if ! of_this_machine; then
    is_root || die "cannot: needs Debian 13, or root and debootstrap"
    if ! have debootstrap; then logged "$LOGS/debootstrap.log" apt-get install -y --no-install-recommends debootstrap; fi
    [ -r "$KEYRING" ] || die "cannot: Debian's keys are not here (package debian-archive-keyring)"
    make_netcdf_root
    lend_programs
    PATH=$WORK/bin:$PATH
fi
cd "$VZ_ROOT"
tests=(test/python/test_netcdf_operators.py 'test/python/test_docs.py::test_pages_for_users[docs/netcdf-9]' test/python/test_one_file_programs.py::test_programs_of_debian)
if [ $# -gt 0 ]; then tests=("$@"); fi
HDF5_PLUGIN_PATH=$VZ_PLUGIN_DIR VZ_NETCDF_PROGRAMS=1 "$VZ_PY" -m pytest -q -rs --timeout=300 -p no:cacheprovider --basetemp="$WORK/tests" "${tests[@]}"
