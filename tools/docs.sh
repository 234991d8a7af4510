#!/usr/bin/env bash
# docs.sh - the pages as a site, in build/docs/site: open index.html, no server is needed. A link that leads nowhere is an error.
# docs.sh --browse  opens every page in a real browser (Chromium, which it installs as root on Debian) and looks whether links and
#                   anchors lead somewhere, whether the page fits a phone, and as a file whether search and dark mode work and texts stand out.
set -euo pipefail
VZ_TAG=docs
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/python.sh"
. "$(dirname "$0")/lib/packages.sh"
env=$VZ_CACHE/py-docs
log=$VZ_CACHE/log/docs.log
list=$VZ_ROOT/tools/requirements-docs.txt
out=$VZ_ROOT/build/docs

mkdir -p "$out"
if ! stamp_is "$env/.stamp" "$(cat "$list")"; then
    say "MkDocs, from the package index (log: $log)"
    rm -rf "$env"
    logged "$log" "$(python_command)" -m venv "$env"
    logged "$log" "$env/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: --no-deps -r "$list"
    cp "$list" "$env/.stamp"
fi
"$env/bin/python" "$VZ_ROOT/tools/docs/pages.py" "$out"
# Without this the theme prints an advertisement for its successor.
export DISABLE_MKDOCS_2_WARNING=true NO_MKDOCS_2_WARNING=true
(cd "$out" && "$env/bin/python" -m mkdocs build --quiet --strict --clean -f mkdocs.yml)
say "$(find "$out/site" -name '*.html' | wc -l) pages: $out/site/index.html"
if [ "${1:-}" = --browse ]; then
    if ! have chromium; then
        is_root && have apt-get || die "needs chromium"
        say "Chromium (log: $log)"
        packages_apt_install "$log" chromium
    fi
    "$env/bin/python" "$VZ_ROOT/tools/docs/browse.py" "$out/site"
fi
