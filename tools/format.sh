#!/usr/bin/env bash
# format.sh [--check] - clang-format over our C files; --check only says which would change.
set -euo pipefail
VZ_TAG=format
. "$(dirname "$0")/lib/common.sh"
have clang-format || die "no clang-format (Debian: apt-get install clang-format)"
cd "$VZ_ROOT"
if [ "${1:-}" = --check ]; then mode=(--dry-run --Werror); else mode=(-i); fi
git ls-files -z --cached --others --exclude-standard -- '*.c' '*.h' | xargs -0 -r clang-format --style=file "${mode[@]}"
