#!/usr/bin/env bash
# prepare.sh X.Y.Z - makes the checkout that version: its number in every file, also in CHANGELOG.md, and the archives of stores that
# it writes (test/python/data). What it changed is looked at and committed by a person; then tools/release.sh builds the release.
set -euo pipefail
VZ_TAG=release
. "$(dirname "$0")/../lib/common.sh"
. "$VZ_ROOT/tools/lib/python.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
[[ ${1:-} =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "needs the version: make release-prepare VERSION=1.0.0"
python=$(python_command)
"$python" "$VZ_ROOT/tools/release/version.py" --set "$1"
"$VZ_ROOT/tools/build.sh" release
"$VZ_ROOT/build/release/bin/h5zarr" --man >"$VZ_ROOT/docs/h5zarr.1"
"$VZ_ROOT/test/python/data/old_stores.sh" "$VZ_ROOT/build/release" "$1"
"$python" "$VZ_ROOT/tools/release/version.py" --check
git -C "$VZ_ROOT" status --short
say "look at CHANGELOG.md, run make test, commit; then make release"
