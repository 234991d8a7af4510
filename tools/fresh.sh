#!/usr/bin/env bash
# fresh.sh [--keep] [--wheel] [--command 'make ...']... [SUITE...] - the README's two commands on machines that know nothing of us.
#
# With --wheel: the wheel of dist/ instead, by pip, beside what users have (test/wheel/clean_root.sh), by default also in bullseye = Debian 11,
# the oldest that mirrors have, whose HDF5 is too old for connectors.
#
# Makes a new Debian root for each SUITE (default: bookworm = Debian 12, trixie = Debian 13) with only git and a compiler's
# base system, clones this repository's HEAD into it, and runs there what the README tells (default: make wheel, make wheel-test, make demo,
# make test, and in trixie, whose hdf5r can load the plugin, make hdf5r-test) with an empty home. As root with debootstrap and chroot; else with mmdebstrap --mode=unshare; else says it cannot.
# Says for each command whether it passed. Logs: build/fresh/. --keep leaves the roots for a look around (root only).
#
# From this machine a root takes what reaching the network needs: resolver, apt's mirror and Acquire settings, pip's
# configuration, certificates, proxy variables. The base system is kept in the cache for a week; nothing of the project's is.
set -euo pipefail
VZ_TAG=fresh
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/roots.sh"

LOGS=$VZ_ROOT/build/fresh

# clone TARGET: what a stranger would clone, and with --wheel the wheel beside it.
clone() {
    root_clone "$1"
    if [ "$wheel" = 1 ]; then cp -r "$VZ_ROOT/dist" "$1/dist"; fi
}

# --- as root: debootstrap and chroot -------------------------------------------------------------------------------------

new_root() { # SUITE -> ROOT set
    root_new "$1" || return 1
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
        run_and_judge "$suite" "$command" "$LOGS/$suite-$number.log" in_root "$ROOT" "$(root_line "$command")"
    done
    drop_root
}

# --- without root: mmdebstrap ---------------------------------------------------------------------------------------------

# mmdebstrap makes the root in a user namespace, lets hooks work in it and throws it away (--format=null). Its root user is
# another one than us outside and may not pass through our home directory: so everything it touches lies in /tmp.
fresh_unprivileged() { # SUITE
    local suite=$1 command number=0 work hooks=() log
    work=$(mktemp -d)
    root_settings "$work/settings"
    clone "$work/vol-zarr"
    hooks=(--customize-hook="sync-in $work/settings /" --customize-hook='chroot "$1" update-ca-certificates >/dev/null 2>&1 || true'
        --customize-hook="copy-in $work/vol-zarr /root" --customize-hook='chroot "$1" chown -R 0:0 /root/vol-zarr')
    mkdir "$work/result"
    chmod 777 "$work/result"
    chmod 755 "$work"
    for command in "${commands[@]}"; do
        number=$((number + 1)) log=$work/result/$number
        printf '%s\n' "$(root_line "$command")" >"$work/command-$number"
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
        commands=('make wheel' 'make wheel-test' 'make demo' 'make test')
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
