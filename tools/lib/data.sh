# data.sh - sourced: one real data set for demo and tests.
# shellcheck shell=bash
#
# pbmc68k_reduced (700 cells of human blood, with embedding, neighbour graphs, colours, clusters) is the file on which
# scanpy's own tutorials and tests run; it lies inside scanpy's wheel, so the Python package index has it.

DATA_SCANPY=scanpy==1.11.5
DATA_MEMBER=scanpy/datasets/10x_pbmc68k_reduced.h5ad
DATA_FILE=$VZ_CACHE/data/10x_pbmc68k_reduced.h5ad
DATA_SHA256=e71d41e737c941559b7c57c9243bdb3d2c889c2adfdf00e3422ac6b46783676f

setup_data() {
    local work log=$VZ_CACHE/log/data.log python
    python=$(python_demo)/bin/python
    if [ -f "$DATA_FILE" ] && sha256_is "$DATA_FILE" "$DATA_SHA256"; then
        say "data pbmc68k_reduced: there"
        return 0
    fi
    say "data pbmc68k_reduced: taking it from $DATA_SCANPY"
    rm -f "$log"
    mkdir -p "$VZ_CACHE/data"
    work=$(mktemp -d "$VZ_CACHE/data/.scanpy.XXXXXX")
    logged "$log" "$python" -m pip download --disable-pip-version-check --no-deps -d "$work" "$DATA_SCANPY" \
        || die "pip could not download $DATA_SCANPY"
    "$python" -m zipfile -e "$work"/scanpy-*.whl "$work/wheel"
    sha256_is "$work/wheel/$DATA_MEMBER" "$DATA_SHA256" || die "$DATA_MEMBER in $DATA_SCANPY is not the file we know (SHA-256)"
    mv "$work/wheel/$DATA_MEMBER" "$DATA_FILE"
    rm -rf "$work"
}
