#!/usr/bin/env bash
# old_stores.sh BUILD VERSION - writes the archive of stores that test_old_stores.py reads: the parts of the zoo (test/zoo) in every
# kind of store by the build in BUILD (build/release), and native files with the same content. Run once for each version, at its
# release; an archive that is there is never made again, as it is what that version wrote.
set -euo pipefail
build=$(cd "$1" && pwd)
name=vol-zarr-$2
archive=$(cd "$(dirname "$0")" && pwd)/$name.tar.xz
[ ! -e "$archive" ] || { echo "$archive is there" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/$name"
cd "$work/$name"
export HDF5_PLUGIN_PATH=$build/plugin
zoo() { HDF5_VOL_CONNECTOR=$1 "$build/test/zoo" "$2" "$3"; }
for part in types nested storage links; do
    zoo native "$part" "$part.h5"
    zoo zarr "$part" "$part-v2.zarr"
    zoo zarr "$part" "$part-v2.zarr.zip"
    zoo 'zarr format=3' "$part" "$part-v3.zarr"
    zoo 'zarr format=3;shards=4K' "$part" "$part-shards.zarr"
    zoo 'zarr dialect=hdmf' "$part" "$part-hdmf.zarr"
done
cd "$work"
tar -cJf "$archive" "$name"
