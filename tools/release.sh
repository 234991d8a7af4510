#!/usr/bin/env bash
# release.sh [STEP...] - everything that a release has, in dist/release/VERSION, built twice in new Debian roots and compared byte for byte.
#
# Steps, in this order (default: all that are not done yet for this commit):
#   wheels-1 wheels-2   Debian 12: the source archive, wheels and conda packages for x86-64 and aarch64
#   site-1 site-2       Debian 12: the pages as a site
#   deb-1 deb-2         Debian 13: Debian packages; the first are installed there and tried
#   test-x86_64 test-aarch64 test-musl test-conda   in the first Debian 12: the tests of each wheel, and of the conda package
#   compare             are both builds alike? What is not, and is not explained in release/compare.py, is an error
#   finish              SBOM (judged by its schema), notes from CHANGELOG.md, checksums
# A step that is named is done again. A step that fails stops it all and names its log; the next run goes on there. Another commit
# starts anew. release.sh --clean removes roots and what is unfinished. Nothing is published, tagged or signed.
set -euo pipefail
VZ_TAG=release
. "$(dirname "$0")/lib/common.sh"
. "$VZ_ROOT/tools/lib/python.sh"
. "$VZ_ROOT/tools/lib/roots.sh"

WORK=$VZ_ROOT/build/make-release
LOGS=$WORK/log
TOOLS_ENV=$VZ_CACHE/py-release
STEPS=(wheels-1 wheels-2 site-1 site-2 deb-1 deb-2 test-x86_64 test-aarch64 test-musl test-conda compare finish)
LEAST_GIB=10 # of the cache: three roots with what they build

# --- before anything is built ----------------------------------------------------------------------------------------------

free_gib() { df -Pk "$1" | awk 'NR == 2 { print int($4 / 1048576) }'; }

# All that is missing, not the first alone.
check_machine() {
    local missing=() command
    for command in git debootstrap unshare chroot tar gzip sha256sum flock; do have "$command" || missing+=("the command $command"); done
    is_root || missing+=('root: roots are made by debootstrap and chroot')
    [ -r "$KEYRING" ] || missing+=("$KEYRING (package debian-archive-keyring)")
    "$PYTHON_HERE" -c 'import ensurepip' 2>/dev/null || missing+=('venv of Python (package python3-venv)')
    mkdir -p "$ROOMS"
    [ "$(free_gib "$ROOMS")" -ge "$LEAST_GIB" ] || missing+=("$LEAST_GIB GiB in $ROOMS")
    [ ${#missing[@]} -eq 0 ] || { printf '[release] missing: %s\n' "${missing[@]}" >&2; die 'a release cannot be built here'; }
}

check_tree() {
    local changed archive
    changed=$(git -C "$VZ_ROOT" status --porcelain)
    [ -z "$changed" ] || { printf '%s\n' "$changed" >&2; die 'the tree has changes that are not committed: a release is a commit'; }
    "$PYTHON_HERE" "$VZ_ROOT/tools/release/version.py" --check || die 'the version is not ready'
    for archive in vol-zarr programs-of-vol-zarr; do
        [ -e "$VZ_ROOT/test/python/data/$archive-$VERSION.tar.xz" ] ||
            die "no $archive-$VERSION.tar.xz in test/python/data: make release-prepare VERSION=$VERSION writes it"
    done
}

# --- roots -------------------------------------------------------------------------------------------------------------------

# drop DIRECTORY: a root, unless something is mounted there.
drop() {
    [ -d "$1" ] || return 0
    if grep -q " $1/" /proc/self/mountinfo; then die "something is mounted below $1: left in place"; fi
    rm -rf --one-file-system "$1"
}

drop_all() {
    local root
    for root in "$ROOMS"/release-*-bookworm-[12] "$ROOMS"/release-*-trixie-[12]; do
        if is_ours "$root"; then drop "$root"; fi
    done
}

room() { printf '%s/release-%s-%s' "$ROOMS" "${COMMIT:0:12}" "$1"; } # SUITE-NUMBER

# is_ours ROOT: another checkout of the same commit has roots of its own.
is_ours() { [ -e "$1/root/.vol-zarr-release" ] && [ "$(cat "$1/root/.vol-zarr-release")" = "$VZ_ROOT" ]; }

# enter SUITE-NUMBER: that root, new where it is not there yet.
enter() {
    if [ -d "$(room "$1")" ]; then
        is_ours "$(room "$1")" || die "$(room "$1") is the root of another checkout"
        return 0
    fi
    root_new "${1%-*}" || die "no base system (log: $LOGS/${1%-*}-base.log)"
    root_clone "$ROOT/root/vol-zarr"
    git -C "$ROOT/root/vol-zarr" checkout -q --detach "$COMMIT" # whatever was committed since the release began
    printf '%s\n' "$VZ_ROOT" >"$ROOT/root/.vol-zarr-release"
    mv "$ROOT" "$(room "$1")"
    ROOT=''
}

# inside SUITE-NUMBER COMMAND: runs there in the checkout, with the date of the commit.
inside() {
    enter "$1"
    logged "$LOG" in_root "$(room "$1")" "$(root_line "export SOURCE_DATE_EPOCH=$DATE; set -e; $2")"
}

# take SUITE-NUMBER FROM PATTERN: files of that root's checkout, into what its build has made.
take() {
    local to=$WORK/build-${1##*-}
    mkdir -p "$to"
    (cd "$(room "$1")/root/vol-zarr/$2" && tar -cf - $3) | tar -C "$to" --no-same-owner -xf -
}

# --- steps -------------------------------------------------------------------------------------------------------------------

step_wheels() { # NUMBER
    # dist/ begins empty: what an interrupted run left does not count.
    inside "bookworm-$1" "rm -rf dist && mkdir dist
        git archive --format=tar --prefix=vol-zarr-$VERSION/ HEAD | gzip -n9 >dist/vol-zarr-$VERSION.tar.gz
        make wheels
        make wheel-macos
        for machine in x86_64 aarch64; do python3 tools/release/conda_package.py \$machine build/wheel-\$machine dist/conda; done"
    take "bookworm-$1" dist '*.whl *.tar.gz conda'
}

step_site() { # NUMBER
    inside "bookworm-$1" "tools/setup.sh --wheel
        tools/docs.sh
        tar -C build/docs --sort=name --mtime=@$DATE --mode=u=rwX,go=rX --owner=0 --group=0 --numeric-owner --transform 's,^site,vol-zarr-$VERSION-site,' -cf - site |
            gzip -n9 >build/docs/vol-zarr-$VERSION-site.tar.gz"
    take "bookworm-$1" build/docs "vol-zarr-$VERSION-site.tar.gz"
}

step_deb() { # NUMBER
    inside "trixie-$1" "tools/deb.sh $([ "$1" = 2 ] || echo --try)"
    take "trixie-$1" dist '*.deb'
}

step_test() { # x86_64|aarch64|musl|conda
    case $1 in
        x86_64) inside bookworm-1 'make wheel-test' ;;
        aarch64) inside bookworm-1 'make wheel-aarch64-test' ;;
        musl) inside bookworm-1 'make wheel-musl-test' ;;
        conda) inside bookworm-1 "make conda PACKAGE=dist/conda/linux-64/hdf5-vol-zarr-$VERSION-0.tar.bz2" ;;
    esac
}

step_compare() {
    "$PYTHON_HERE" "$VZ_ROOT/tools/release/compare.py" "$WORK/build-1" "$WORK/build-2" >"$WORK/REPRODUCED" || { cat "$WORK/REPRODUCED" >&2; return 1; }
    cat "$WORK/REPRODUCED" >&2
}

# The programs that judge a release: of the package index, pinned.
release_env() {
    local list=$VZ_ROOT/tools/requirements-release.txt
    stamp_is "$TOOLS_ENV/.stamp" "$(cat "$list")" && return 0
    rm -rf "$TOOLS_ENV"
    logged "$LOG" "$PYTHON_HERE" -m venv "$TOOLS_ENV" &&
        logged "$LOG" "$TOOLS_ENV/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: --no-deps -r "$list" &&
        cp "$list" "$TOOLS_ENV/.stamp"
}

step_finish() {
    local out=$OUT.part wheel
    [ -e "$WORK/done/compare" ] || die 'finish comes after compare'
    release_env
    rm -rf "$out"
    mkdir -p "$out"
    cp -r "$WORK/build-1/." "$WORK/REPRODUCED" "$out/"
    for wheel in "$out"/*.whl; do
        "$PYTHON_HERE" -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); sys.stdout.buffer.write(z.read(next(n for n in z.namelist() if "/sboms/" in n)))' \
            "$wheel" >"${wheel%.whl}.cdx.json"
    done
    logged "$LOG" "$TOOLS_ENV/bin/python" "$VZ_ROOT/tools/release/check_sbom.py" "$out"/*.cdx.json
    "$PYTHON_HERE" "$VZ_ROOT/tools/release/notes.py" "$out"
    (cd "$out" && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum >SHA256SUMS)
    rm -rf "$OUT"
    mv "$out" "$OUT"
}

# run STEP: judged by its log.
run() {
    local began=$SECONDS name=${1%%-*} argument=''
    case $1 in *-*) argument=${1#*-} ;; esac
    LOG=$LOGS/$1.log
    rm -f "$LOG" "$WORK/done/$1"
    say "$1 (log: $LOG)"
    "step_$name" "$argument"
    printf '%s\n' "$((SECONDS - began)) s" >"$WORK/done/$1"
    say "$1: done ($((SECONDS - began)) s)"
}

# What another commit left is of no use.
begin() {
    mkdir -p "$WORK" "$(dirname "$OUT")"
    exec 8>"$WORK/.lock"
    flock -n 8 || die "another release is under way in $WORK"
    if [ "$(cat "$WORK/commit" 2>/dev/null)" != "$COMMIT" ]; then
        drop_all
        find "$WORK" -mindepth 1 -maxdepth 1 ! -name .lock -exec rm -rf {} +
    fi
    mkdir -p "$LOGS" "$WORK/done"
    printf '%s\n' "$COMMIT" >"$WORK/commit"
}

main() {
    local step
    PYTHON_HERE=$(python_command)
    [ -n "$PYTHON_HERE" ] || die 'no Python 3.11 or newer'
    if [ "${1:-}" = --clean ]; then
        drop_all
        rm -rf "$WORK"
        return 0
    fi
    VERSION=$("$PYTHON_HERE" "$VZ_ROOT/tools/release/version.py")
    check_tree
    check_machine
    COMMIT=$(git -C "$VZ_ROOT" rev-parse HEAD) DATE=$(git -C "$VZ_ROOT" log -1 --format=%ct) OUT=$VZ_ROOT/dist/release/$VERSION
    begin
    for step in "$@"; do
        [[ " ${STEPS[*]} " == *" $step "* ]] || die "no step $step: ${STEPS[*]}"
    done
    for step in "${@:-${STEPS[@]}}"; do
        if [ $# -eq 0 ] && [ -e "$WORK/done/$step" ]; then
            say "$step: there ($(cat "$WORK/done/$step"))"
        else
            run "$step"
        fi
    done
    if [ $# -eq 0 ]; then
        drop_all
        say "version $VERSION of ${COMMIT:0:12} is in $OUT; nothing was published"
    fi
}

ROOT=''
trap '[ -z "$ROOT" ] || drop "$ROOT"' EXIT
main "$@"
