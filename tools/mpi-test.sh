#!/usr/bin/env bash
# mpi-test.sh [ARGUMENTS of test/mpi/judge.py] - MPI programs and stores: HDF5's own parallel tests, h5py's, and ours (test/mpi), with Open MPI and MPICH.
# mpi-test.sh --bench [ARGUMENTS of test/bench/bench_mpi.py] - how fast ranks write and read stores, beside parallel HDF5 and zarr-python under Dask.
#
# As root with debootstrap: in a Debian 13 root of its own, which is made from HEAD as fresh.sh makes them and kept in the cache for a week; the
# connector is built inside. --here: on this machine, a Debian 13 with the packages of tools/lib/mpi.sh. Logs: build/mpi-test.
set -euo pipefail
VZ_TAG=mpi-test
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/roots.sh"
. "$(dirname "$0")/lib/mpi.sh"
. "$(dirname "$0")/lib/cloud.sh"
LOGS=$VZ_ROOT/build/mpi-test
MPI_ROOT=$ROOMS/mpi-$MPI_SUITE
HERE=/root/vol-zarr # in the root

judge_here() {
    "$VZ_ROOT/tools/setup.sh" --build-only
    "$VZ_ROOT/tools/build.sh" release
    mpi_programs
    local script=mpi/judge.py arguments=(--logs "$LOGS")
    if [ "${1:-}" = --bench ]; then
        script=bench/bench_mpi.py arguments=()
        shift
    fi
    unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH
    if [ -x "$MINIO_PROGRAM" ] && [ -x "$PROXY_PROGRAM" ]; then export VZ_MINIO=$MINIO_PROGRAM VZ_CLOUD_PROXY=$PROXY_PROGRAM; fi
    cd /tmp
    exec python3 -W ignore "$VZ_ROOT/test/$script" --programs "$MPI_HOME" --plugin "$VZ_ROOT/build/release/plugin" "${arguments[@]}" "$@"
}

# A root that has all packages, or nothing under that name.
make_mpi_root() {
    if is_recent "$MPI_ROOT" && [ "$(cat "$MPI_ROOT/packages" 2>/dev/null)" = "$MPI_PACKAGES" ]; then return 0; fi
    rm -rf --one-file-system "$MPI_ROOT"
    root_new "$MPI_SUITE" || die "no $(debian_number "$MPI_SUITE") (log: $LOGS/$MPI_SUITE-base.log)"
    say "$(debian_number "$MPI_SUITE"): parallel HDF5 and two MPIs (three minutes; log: $LOGS/packages.log)"
    rm -f "$LOGS/packages.log"
    # shellcheck disable=SC2086 # a word each
    logged "$LOGS/packages.log" in_root "$ROOT" "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $(echo $MPI_PACKAGES)" \
        || die "the packages could not be installed"
    printf '%s\n' "$MPI_PACKAGES" >"$ROOT/packages"
    mv "$ROOT" "$MPI_ROOT"
    touch "$MPI_ROOT"
    ROOT=''
}

drop_unfinished_root() { if [ -n "${ROOT:-}" ] && [ -d "$ROOT" ]; then rm -rf --one-file-system "$ROOT"; fi; }

# HEAD in the root. What was built of an earlier one stays beside it, so that only what changed is built again.
renew_clone() {
    local fresh=$MPI_ROOT$HERE.new
    rm -rf "$fresh"
    root_clone "$fresh"
    if [ -d "$MPI_ROOT$HERE/build" ]; then mv "$MPI_ROOT$HERE/build" "$fresh/build"; fi
    rm -rf "$MPI_ROOT$HERE"
    mv "$fresh" "$MPI_ROOT$HERE"
}

# Servers that were built outside (Go links them with nothing) serve inside.
lend_servers() {
    local program
    for program in "$MINIO_PROGRAM" "$PROXY_PROGRAM"; do
        if [ -x "$program" ]; then install -D "$program" "$MPI_ROOT/root/.cache/vol-zarr/${program#"$VZ_CACHE"/}"; fi
    done
}

mkdir -p "$LOGS" "$ROOMS"
if [ "${1:-}" = --here ]; then
    shift
    judge_here "$@"
fi
is_root || die "cannot: needs root and debootstrap, or --here on a Debian 13 with parallel HDF5"
if ! have debootstrap; then logged "$LOGS/debootstrap.log" apt-get install -y --no-install-recommends debootstrap; fi
[ -r "$KEYRING" ] || die "cannot: Debian's keys are not here (package debian-archive-keyring)"
ROOT=''
trap drop_unfinished_root EXIT
make_mpi_root
renew_clone
lend_servers
status=0
words=$(printf ' %q' --here "$@")
in_root "$MPI_ROOT" "$(root_line "tools/mpi-test.sh$words")" || status=$?
cp -r "$MPI_ROOT$HERE/build/mpi-test/." "$LOGS/" 2>/dev/null || true
exit "$status"
