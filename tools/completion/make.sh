#!/usr/bin/env bash
# make.sh H5ZARR - what the command says of itself, written anew: its man page, and the scripts by which shells complete it.
set -euo pipefail
here=$(dirname "$0")
"$1" --man >"$here/../../docs/h5zarr.1"
"$1" --completion bash >"$here/h5zarr"
"$1" --completion zsh >"$here/_h5zarr"
"$1" --completion fish >"$here/h5zarr.fish"
