#!/usr/bin/env bash
# deb.sh [--try] - Debian packages of this checkout, in dist/: hdf5-vol-zarr, h5zarr and hdf5-vol-zarr-dev (debian/).
# With --try they are installed by apt, and debian/tests/installed runs in what is installed then (root; Debian 13 or newer).
#
# As root it installs what building needs. Where Debian's HDF5 is older than 1.14 (Debian 12), the headers are those of the private copy
# of tools/setup.sh, and nothing of Debian's itself can load the module: programs with an HDF5 of their own do.
set -euo pipefail
VZ_TAG=deb
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/hdf5.sh"

work=$VZ_ROOT/build/deb
log=$work/deb.log
system_headers=/usr/include/hdf5/serial
options=()

install_needs() {
    is_root || { say "not root: building needs debhelper and what debian/control names"; return 0; }
    export DEBIAN_FRONTEND=noninteractive
    logged "$log" apt-get update || true
    logged "$log" apt-get install -y --no-install-recommends debhelper dpkg-dev fakeroot lintian pkgconf
    # All but libhdf5-dev can be had everywhere.
    # shellcheck disable=SC2046 # a list of words
    logged "$log" apt-get build-dep -y --no-install-recommends "$work/vol-zarr" \
        || logged "$log" apt-get install -y --no-install-recommends \
            $(sed -n '/^Build-Depends:/,/^$/p' "$VZ_ROOT/debian/control" | grep -oE '[a-z][a-z0-9+.-]+' | grep -E '^(lib|zlib|cmake|ninja)' | grep -v libhdf5)
}

choose_headers() {
    case $(hdf5_version "$system_headers") in
        1.14.* | 2.*) export HDF5_HEADERS=$system_headers ;;
        *)
            hdf5_find
            [ -n "$VZ_HDF5" ] || die "no HDF5 1.14 here: run tools/setup.sh --build-only"
            export HDF5_HEADERS=$VZ_HDF5/include
            options=(-d)
            say "Debian's HDF5 is not 1.14: headers of $VZ_HDF5"
            ;;
    esac
}

rm -rf "$work"
mkdir -p "$work/vol-zarr" "$VZ_ROOT/dist"
git -C "$VZ_ROOT" ls-files -z | tar -C "$VZ_ROOT" --null -T - -cf - | tar -C "$work/vol-zarr" -xf -
install_needs
choose_headers
say "building (log: $log)"
(cd "$work/vol-zarr" && logged "$log" dpkg-buildpackage -us -uc -b "${options[@]}") || die "the packages do not build"
rm -f "$VZ_ROOT"/dist/*.deb
cp "$work"/*.deb "$VZ_ROOT/dist/"
(cd "$VZ_ROOT/dist" && ls -- *.deb)
if have lintian; then
    say "lintian"
    (cd "$work" && lintian --allow-root --fail-on error,warning ./*.changes) || die "lintian has objections"
fi
if [ "${1:-}" = --try ]; then
    is_root || die "installing packages needs root"
    logged "$log" apt-get install -y --no-install-recommends "$VZ_ROOT"/dist/hdf5-vol-zarr_*.deb "$VZ_ROOT"/dist/h5zarr_*.deb \
        "$VZ_ROOT"/dist/hdf5-vol-zarr-dev_*.deb $(sed -n 's/^Depends: //p' "$VZ_ROOT/debian/tests/control" | tr -d , | tr ' ' '\n' | grep -v zarr)
    (cd "$VZ_ROOT" && debian/tests/installed)
fi
