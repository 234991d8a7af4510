#!/usr/bin/env bash
# old_stores.sh BUILD VERSION - writes the archives of stores that test_old_stores.py reads, by the build in BUILD (build/release), with native
# files of the same content: vol-zarr-VERSION.tar.xz has the parts of the zoo (test/zoo), programs-of-vol-zarr-VERSION.tar.xz what AnnData,
# pynwb and xarray wrote, and the zoo in one-file stores. Run once for each version (make release-prepare); an archive that is there is never
# made again, as it is what that version wrote. VZ_PY and VZ_PY_HDMF are those of tools/env.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) version=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HDF5_PLUGIN_PATH=$build/plugin

zoo() { HDF5_VOL_CONNECTOR=$1 "$build/test/zoo" "$2" "$3"; }
program() { HDF5_VOL_CONNECTOR=$1 "$2" -W ignore "$here/old_programs.py" "$3" "$4"; }

of_zoo() {
    local part
    for part in types nested storage links; do
        zoo native "$part" "$part.h5"
        zoo zarr "$part" "$part-v2.zarr"
        zoo zarr "$part" "$part-v2.zarr.zip"
        zoo 'zarr format=3' "$part" "$part-v3.zarr"
        zoo 'zarr format=3;shards=4K' "$part" "$part-shards.zarr"
        zoo 'zarr dialect=hdmf' "$part" "$part-hdmf.zarr"
    done
}

of_programs() {
    local part python
    for part in types nested storage links; do
        zoo native "$part" "$part.h5"
        zoo 'zarr container=file' "$part" "$part-one.file"
    done
    for part in anndata nwb netcdf; do
        python=$VZ_PY
        if [ "$part" = nwb ]; then python=$VZ_PY_HDMF; fi
        program native "$python" "$part" "$part.h5"
        program zarr "$python" "$part" "$part-v2.zarr"
        program zarr "$python" "$part" "$part-v2.zarr.zip"
        program 'zarr format=3' "$python" "$part" "$part-v3.zarr"
        program 'zarr format=3;shards=4K' "$python" "$part" "$part-shards.zarr"
        program 'zarr container=file' "$python" "$part" "$part-one.file"
    done
}

# archive NAME FUNCTION
archive() {
    if [ -e "$here/$1.tar.xz" ]; then
        echo "$1.tar.xz is there: it stays" >&2
        return 0
    fi
    mkdir "$work/$1"
    (cd "$work/$1" && "$2")
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$1" | xz -9e >"$work/$1.tar.xz"
    mv "$work/$1.tar.xz" "$here/"
    ls -l "$here/$1.tar.xz"
}

archive "vol-zarr-$version" of_zoo
archive "programs-of-vol-zarr-$version" of_programs
