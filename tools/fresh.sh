#!/usr/bin/env bash
# fresh.sh [--keep] [--wheel] [--command 'make ...']... [SUITE...] - the README's two commands on machines that know nothing of us.
#
# With --wheel: the wheel of dist/ instead, by pip, beside what users have (test/wheel/clean_root.sh), by default also in bullseye = Debian 11,
# the oldest that mirrors have, whose HDF5 is too old for connectors.
#
# Makes a new Debian root for each SUITE (default: bookworm = Debian 12, trixie = Debian 13) with only git and a compiler's
# base system, clones this repository's HEAD into it, and runs there what the README tells (default: make demo, make
# test, and in trixie, whose hdf5r can load the plugin, make hdf5r-test) with an empty home. As root with debootstrap and chroot; else with mmdebstrap --mode=unshare; else says it cannot.
# Says for each command whether it passed. Logs: build/fresh/. --keep leaves the roots for a look around (root only).
#
# From this machine a root takes what reaching the network needs: resolver, apt's mirror and Acquire settings, pip's
# configuration, certificates, proxy variables. The base system is kept in the cache for a week; nothing of the project's is.
set -euo pipefail
VZ_TAG=fresh
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/hdf5.sh"

BASE_PACKAGES=git,build-essential,ca-certificates
BASE_DAYS=7
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
LOGS=$VZ_ROOT/build/fresh
ROOMS=$VZ_CACHE/fresh
PASSED_ON='http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_CERT
    PIP_DEFAULT_TIMEOUT PIP_TRUSTED_HOST SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE'

debian_number() { case $1 in bullseye) echo 'Debian 11' ;; bookworm) echo 'Debian 12' ;; trixie) echo 'Debian 13' ;; *) echo "Debian $1" ;; esac; }

# --- what goes into a new root besides Debian --------------------------------------------------------------------------

# settings DIR: the files of the network settings, laid out as they will lie in the root
settings() {
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

# clone TARGET: what a stranger would clone. Uncommitted work is not in it.
clone() {
    git clone -q --no-local --single-branch "$VZ_ROOT" "$1"
    if [ "$wheel" = 1 ]; then cp -r "$VZ_ROOT/dist" "$1/dist"; fi
    if [ -n "$(git -C "$VZ_ROOT" status --porcelain --untracked-files=no)" ]; then
        say "note: uncommitted changes are not part of the clone"
    fi
}

# inside COMMAND: the shell line that a root runs for it
inside() {
    local name line='cd /root/vol-zarr && exec env -i HOME=/root LANG=C.UTF-8 TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin'
    for name in $PASSED_ON; do
        if [ -n "${!name:-}" ]; then line+=" $name=$(printf %q "${!name}")"; fi
    done
    printf '%s bash -c %q' "$line" "$1"
}

# --- as root: debootstrap and chroot -------------------------------------------------------------------------------------

base_is_recent() { [ -n "$(find "$1" -mtime "-$BASE_DAYS" 2>/dev/null)" ]; }

make_base() { # SUITE TARBALL
    local suite=$1 tarball=$2 work log=$LOGS/$1-base.log mirror
    if base_is_recent "$tarball"; then return 0; fi
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

# The mounts live in a namespace of their own and end with the command, whatever happens to it.
in_root() { # ROOT COMMAND_LINE
    # shellcheck disable=SC2016
    unshare --mount --propagation private --fork sh -c '
        mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$1" /bin/bash -c "$2"' - "$1" "$2"
}

new_root() { # SUITE -> ROOT set
    local tarball=$ROOMS/base-$1.tar
    make_base "$1" "$tarball" || return 1
    ROOT=$(mktemp -d "$ROOMS/root-$1.XXXXXX")
    tar -C "$ROOT" --numeric-owner --xattrs -xf "$tarball"
    chmod 755 "$ROOT"
    settings "$ROOT"
    in_root "$ROOT" 'update-ca-certificates' >/dev/null 2>&1 || true
    clone "$ROOT/root/vol-zarr"
}

drop_root() {
    [ -n "${ROOT:-}" ] && [ -d "$ROOT" ] || return 0
    if [ "$keep" = 1 ]; then
        say "kept: $ROOT"
    elif grep -q " $ROOT/" /proc/self/mountinfo; then
        say "something is mounted below $ROOT: left in place"
    else
        rm -rf --one-file-system "$ROOT"
    fi
    ROOT=''
}

fresh_as_root() { # SUITE
    local suite=$1 command number=0
    new_root "$suite" || { verdict "$suite" 'base system' 1 0 "$LOGS/$suite-base.log"; return 0; }
    for command in "${commands[@]}"; do
        number=$((number + 1))
        run_and_judge "$suite" "$command" "$LOGS/$suite-$number.log" in_root "$ROOT" "$(inside "$command")"
    done
    drop_root
}

# --- without root: mmdebstrap ---------------------------------------------------------------------------------------------

# mmdebstrap makes the root in a user namespace, lets hooks work in it and throws it away (--format=null). Its root user is
# another one than us outside and may not pass through our home directory: so everything it touches lies in /tmp.
fresh_unprivileged() { # SUITE
    local suite=$1 command number=0 work hooks=() log
    work=$(mktemp -d)
    settings "$work/settings"
    clone "$work/vol-zarr"
    hooks=(--customize-hook="sync-in $work/settings /" --customize-hook='chroot "$1" update-ca-certificates >/dev/null 2>&1 || true'
        --customize-hook="copy-in $work/vol-zarr /root" --customize-hook='chroot "$1" chown -R 0:0 /root/vol-zarr')
    mkdir "$work/result"
    chmod 777 "$work/result"
    chmod 755 "$work"
    for command in "${commands[@]}"; do
        number=$((number + 1)) log=$work/result/$number
        printf '%s\n' "$(inside "$command")" >"$work/command-$number"
        # A hook that fails would end it all: the status goes to a file, the next command still runs.
        hooks+=(--customize-hook="copy-in $work/command-$number /root"
            --customize-hook="began=\$(date +%s); status=0; chroot \"\$1\" bash /root/command-$number >$log 2>&1 || status=\$?
                echo \$status \$((\$(date +%s) - began)) >$log.status")
    done
    say "$(debian_number "$suite"): mmdebstrap --mode=unshare, then: ${commands[*]}"
    rm -f "$LOGS/$suite-base.log"
    logged "$LOGS/$suite-base.log" mmdebstrap --mode=unshare --format=null --variant=minbase --include="$BASE_PACKAGES" \
        --keyring="$KEYRING" "${hooks[@]}" "$suite" /dev/null ${mirror:+"$mirror"} || true
    unprivileged_verdicts "$suite" "$work/result"
    rm -rf "$work"
}

unprivileged_verdicts() { # SUITE RESULT_DIR
    local number=0 command log status seconds
    for command in "${commands[@]}"; do
        number=$((number + 1)) log=$LOGS/$1-$number.log
        cp "$2/$number" "$log" 2>/dev/null || echo 'it never ran' >"$log"
        read -r status seconds 2>/dev/null <"$2/$number.status" || status='' seconds=0
        verdict "$1" "$command" "$status" "$seconds" "$log"
    done
}

# --- both ----------------------------------------------------------------------------------------------------------------

run_and_judge() { # SUITE COMMAND LOG RUNNER...
    local suite=$1 command=$2 log=$3 began=$SECONDS status=0
    shift 3
    say "$(debian_number "$suite"): $command (log: $log)"
    "$@" >"$log" 2>&1 </dev/null || status=$?
    verdict "$suite" "$command" "$status" "$((SECONDS - began))" "$log"
}

verdicts=() failures=0
verdict() { # SUITE COMMAND STATUS SECONDS LOG
    local text numbers
    numbers=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$5" 2>/dev/null | tail -n 1 || true)
    if [ "$3" = 0 ]; then
        text="$(debian_number "$1"): $2: passed"
    else
        text="$(debian_number "$1"): $2: FAILED (status ${3:-none})"
        failures=$((failures + 1))
        tail -n 25 "$5" >&2 || true
    fi
    verdicts+=("$text${numbers:+ - $numbers} ($4 s)")
    say "${verdicts[-1]}"
}

keep=0 wheel=0 commands=() suites=()
while [ $# -gt 0 ]; do
    case $1 in
        --keep) keep=1 ;;
        --wheel) wheel=1 ;;
        --command) commands+=("${2:?--command needs one}") && shift ;;
        -*) die "unknown option $1 (see the head of $0)" ;;
        *) suites+=("$1") ;;
    esac
    shift
done
given=("${commands[@]}")
if [ "$wheel" = 1 ]; then
    [ -e "$(echo "$VZ_ROOT"/dist/vol_zarr-*manylinux*"$(uname -m)".whl)" ] || die "no wheel for $(uname -m) in dist/: tools/wheel.sh"
    [ ${#suites[@]} -gt 0 ] || suites=(bullseye bookworm trixie)
fi
[ ${#suites[@]} -gt 0 ] || suites=(bookworm trixie)

mkdir -p "$LOGS" "$ROOMS"
ROOT=''
trap drop_root EXIT
if is_root && ! have debootstrap && have apt-get; then logged "$LOGS/debootstrap.log" apt-get install -y --no-install-recommends debootstrap || true; fi
mirror=$(debian_mirror || true)
for suite in "${suites[@]}"; do
    commands=("${given[@]}")
    if [ ${#given[@]} -eq 0 ]; then
        commands=('make demo' 'make test')
        if [ "$wheel" = 1 ]; then
            commands=(test/wheel/clean_root.sh)
        elif [ "$suite" = trixie ]; then
            commands+=('make hdf5r-test')
        fi
    fi
    if [ ! -r "$KEYRING" ]; then
        die "cannot: Debian's keys are not here (package debian-archive-keyring)"
    elif is_root && have debootstrap; then
        fresh_as_root "$suite"
    elif have mmdebstrap; then
        fresh_unprivileged "$suite"
    else
        die "cannot: needs root and debootstrap, or mmdebstrap for --mode=unshare"
    fi
done
echo
printf '%s\n' "${verdicts[@]}"
[ "$failures" = 0 ]
