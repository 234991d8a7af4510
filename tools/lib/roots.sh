# roots.sh - sourced by fresh.sh and mpi-test.sh: Debian roots that know nothing of us, and commands in them.
# shellcheck shell=bash
#
# From this machine a root takes what reaching the network needs: resolver, apt's mirror and Acquire settings, pip's
# configuration, certificates, proxy variables. The base system is kept in the cache for a week. LOGS is the caller's.

. "$(dirname "${BASH_SOURCE[0]}")/debian_source.sh"

BASE_PACKAGES=git,build-essential,ca-certificates
BASE_DAYS=7
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
ROOMS=$VZ_CACHE/fresh
PASSED_ON='http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_CERT
    PIP_DEFAULT_TIMEOUT PIP_TRUSTED_HOST SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE'

debian_number() { case $1 in bullseye) echo 'Debian 11' ;; bookworm) echo 'Debian 12' ;; trixie) echo 'Debian 13' ;; *) echo "Debian $1" ;; esac; }

# root_settings DIR: the files of the network settings, laid out as they will lie in the root
root_settings() {
    local dir=$1 file
    mkdir -p "$dir/etc/apt/apt.conf.d" "$dir/usr/local/share/ca-certificates"
    cp -L /etc/resolv.conf "$dir/etc/resolv.conf"
    for file in /etc/pip.conf "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf"; do
        if [ -r "$file" ]; then cp "$file" "$dir/etc/pip.conf"; fi
    done
    for file in /usr/local/share/ca-certificates/*.crt; do
        if [ -r "$file" ]; then cp "$file" "$dir/usr/local/share/ca-certificates/"; fi
    done
    if have apt-config; then
        apt-config dump | grep -E '^Acquire::(http|https|Check|Retries)[^"]* "[^"]' >"$dir/etc/apt/apt.conf.d/90host" || true
    fi
}

# root_clone TARGET: what a stranger would clone. Uncommitted work is not in it.
root_clone() {
    git clone -q --no-local --single-branch "$VZ_ROOT" "$1"
    if [ -n "$(git -C "$VZ_ROOT" status --porcelain --untracked-files=no)" ]; then
        say "note: uncommitted changes are not part of the clone"
    fi
}

# root_line COMMAND: the shell line that a root runs for it
root_line() {
    local name line='cd /root/vol-zarr && exec env -i HOME=/root LANG=C.UTF-8 TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin'
    for name in $PASSED_ON; do
        if [ -n "${!name:-}" ]; then line+=" $name=$(printf %q "${!name}")"; fi
    done
    # A shell stays the first process of the root, which must take in orphans: make as the first one turns in circles over them.
    printf '%s bash -c %q' "$line" "$1; exit \$?"
}

# --- as root: debootstrap and chroot -------------------------------------------------------------------------------------

is_recent() { [ -n "$(find "$1" -maxdepth 0 -mtime "-$BASE_DAYS" 2>/dev/null)" ]; }

make_base() { # SUITE TARBALL
    local suite=$1 tarball=$2 work log=$LOGS/$1-base.log mirror
    if is_recent "$tarball"; then return 0; fi
    say "$(debian_number "$suite"): base system with $BASE_PACKAGES (debootstrap)"
    mirror=$(debian_mirror || true)
    work=$(mktemp -d "$ROOMS/base.XXXXXX")
    rm -f "$log"
    # Without a mirror of this machine's own, debootstrap's own default serves.
    # shellcheck disable=SC2086
    logged "$log" debootstrap --variant=minbase --include="$BASE_PACKAGES" --keyring="$KEYRING" "$suite" "$work/root" $mirror \
        || { rm -rf "$work"; return 1; }
    rm -rf "$work/root/var/cache/apt/archives"/*.deb
    tar -C "$work/root" --numeric-owner --xattrs -cf "$tarball.new" .
    mv "$tarball.new" "$tarball"
    rm -rf "$work"
}

# The mounts live in a namespace of their own and end with the command, whatever happens to it; so does what it started.
# Shared memory is its own, too: numbers of processes begin anew here, and Open MPI names its memory by the host and such
# a number, so that programs in two roots took each other's, and crashed or waited for ever.
in_root() { # ROOT COMMAND_LINE
    # shellcheck disable=SC2016
    unshare --mount --pid --ipc --propagation private --fork --kill-child sh -c '
        mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys" && mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm" &&
        exec chroot "$1" /bin/bash -c "$2"' - "$1" "$2"
}

root_new() { # SUITE -> ROOT set
    local tarball=$ROOMS/base-$1.tar
    make_base "$1" "$tarball" || return 1
    ROOT=$(mktemp -d "$ROOMS/root-$1.XXXXXX")
    tar -C "$ROOT" --numeric-owner --xattrs -xf "$tarball"
    chmod 755 "$ROOT"
    root_settings "$ROOT"
    in_root "$ROOT" 'update-ca-certificates' >/dev/null 2>&1 || true
}

