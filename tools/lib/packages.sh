# packages.sh - sourced: which system packages the build and the tests need; installs them as root, else names them.
# shellcheck shell=bash

# What building needs, and what tests need besides. One row a need: Debian package | how to see that it is there already | what to look for.
# Probing before asking apt makes this work where the same things came from elsewhere, and costs no time.
PACKAGES_BUILD='
gcc              command gcc
libc6-dev        header  stdio.h
cmake            cmake   3.25
ninja-build      command ninja
make             command make
git              command git
pkg-config       command pkg-config
xz-utils         command xz
dpkg-dev         debian  dpkg-source
ca-certificates  file    /etc/ssl/certs/ca-certificates.crt
python3          python  3.11
python3-venv     venv    ensurepip
libblosc-dev     header  blosc.h
libbz2-dev       header  bzlib.h
libcurl4-openssl-dev header curl/curl.h
libdeflate-dev   header  libdeflate.h
libexpat1-dev    header  expat.h
liblz4-dev       header  lz4.h
liblzma-dev      header  lzma.h
libssl-dev       header  openssl/evp.h
libzstd-dev      header  zstd.h
zlib1g-dev       header  zlib.h
'
# What a wheel is built with: its compiler is zig, and its libraries come as sources.
PACKAGES_WHEEL='
cmake            cmake   3.25
ninja-build      command ninja
make             command make
git              command git
perl             command perl
xz-utils         command xz
dpkg-dev         debian  dpkg-source
ca-certificates  file    /etc/ssl/certs/ca-certificates.crt
python3          python  3.11
python3-venv     venv    ensurepip
'
PACKAGES_TESTS='
libcmocka-dev    cmocka  cmocka.h
libsnappy-dev    header  snappy-c.h
libzfp-dev       library libzfp.so.1
valgrind         command valgrind
unzip            command unzip
libarchive-tools command bsdtar
ziptool          command ziptool
zipcmp           command zipcmp
'

has_header() { printf '#include <%s>\n' "$1" | gcc -E -x c - >/dev/null 2>&1; }

package_present() { # KIND ARGUMENT
    case $1 in
        command) have "$2" ;;
        debian) ! have apt-get || have "$2" ;; # needed only to unpack Debian's source packages
        header) have gcc && has_header "$2" ;;
        # cmocka.h wants these three before it
        cmocka) have gcc && printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <cmocka.h>\n' \
            | gcc -E -x c - >/dev/null 2>&1 ;;
        cmake) have cmake && version_at_least "$(cmake --version | sed -n 's/^cmake version //p')" "$2" ;;
        file) [ -e "$2" ] ;;
        library) have gcc && [ "$(gcc -print-file-name="$2")" != "$2" ] ;;
        python) [ -n "$(python_command)" ] ;;
        venv) [ -n "$(python_command)" ] && "$(python_command)" -c 'import venv, ensurepip' 2>/dev/null ;;
        *) die "packages.sh: unknown probe $1" ;;
    esac
}

packages_missing() { # TABLE
    local package kind argument
    while read -r package kind argument; do
        [ -n "$package" ] || continue
        package_present "$kind" "$argument" || printf '%s\n' "$package"
    done <<<"$1"
}

# A package must never drag in another C library: on a machine behind its mirror that would be a system upgrade.
packages_would_touch_libc() {
    apt-get -s install --no-install-recommends "$@" 2>/dev/null | grep -E '^Inst libc6 ' || true
}

packages_apt_install() { # LOG PACKAGE...
    local log=$1 libc
    shift
    export DEBIAN_FRONTEND=noninteractive
    # Package lists may be missing (a fresh machine) or old; a failure here shows itself in the installation.
    logged "$log" apt-get update || true
    libc=$(packages_would_touch_libc "$@")
    [ -z "$libc" ] || die "installing $* would replace the system's C library ($libc): not done; install them yourself"
    logged "$log" apt-get install -y --no-install-recommends "$@"
}

setup_packages() { # TABLE
    local missing log=$VZ_CACHE/log/packages.log
    missing=$(packages_missing "$1" | tr '\n' ' ')
    missing=${missing% }
    if [ -z "$missing" ]; then
        say "system packages: all there"
        return 0
    fi
    if ! is_root || ! have apt-get; then
        say "missing system packages (Debian names). Please run:"
        printf 'sudo apt-get install -y --no-install-recommends %s\n' "$missing" >&2
        exit 1
    fi
    say "system packages: installing $missing"
    rm -f "$log"
    # shellcheck disable=SC2086 # a list of words
    packages_apt_install "$log" $missing || die "apt-get could not install them (log: $log)"
    missing=$(packages_missing "$1" | tr '\n' ' ')
    [ -z "$missing" ] || die "still missing after the installation: $missing"
}
