#!/usr/bin/env bash
# demo.sh [PLUGIN_DIR] - the main job on a real data set, with h5py, anndata and HDF5's tools exactly as they are installed.
#
# Every step is a process of its own, so that what it proves comes from the files and its two environment variables
# alone. What is made stays in demo-out/ to look at. Stops with an error at the first thing that is not as it should be.
set -euo pipefail
VZ_TAG=demo
. "$(dirname "$0")/lib/common.sh"
environment=$("$VZ_ROOT/tools/env.sh" --build)
eval "$environment"

plugin=${1:-$VZ_ROOT/build/release/plugin}
out=${VZ_DEMO_OUT:-$VZ_ROOT/demo-out}
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH
export PYTHONWARNINGS=ignore

if [ -t 1 ]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi
title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
show() { printf '  $ %s\n' "$*"; }
indent() { sed 's/^/    /'; }
step() { "$VZ_PY_DEMO" "$VZ_ROOT/tools/demo.py" "$@"; }

# demo_tool NAME LINES COMMAND...: runs it whole into NAME.txt, shows its beginning, fails as it fails
demo_tool() {
    local name=$1 lines=$2
    shift 2
    show "HDF5_PLUGIN_PATH=... $(basename "$1") ${*:2}"
    HDF5_PLUGIN_PATH=$plugin "$@" >"$out/$name.txt" 2>&1 || { indent <"$out/$name.txt"; die "$name failed"; }
    head -n "$lines" "$out/$name.txt" | indent
    printf '    ... (%s lines in all)\n' "$(wc -l <"$out/$name.txt")"
}

# expect_in FILE TEXT...: the tool really saw the data, and did not only end well
expect_in() {
    local file=$1 text
    shift
    for text in "$@"; do grep -qF -- "$text" "$out/$file" || die "$out/$file does not mention $text"; done
}

# h5dump and h5ls of an HDF5 that can have the connector: of the one that the tests use, else the system's.
tools=''
for directory in ${VZ_HDF5:+"$VZ_HDF5/bin"} $(dirname "$(command -v h5dump || echo /none/h5dump)"); do
    version=$("$directory/h5dump" --version 2>/dev/null | sed -n 's/.*Version *//p') || continue
    if version_at_least "${version:-0}" 1.14 && [ -x "$directory/h5ls" ]; then tools=$directory && break; fi
done

[ -e "$plugin/libH5VLzarr.so" ] || die "no plugin in $plugin: run make demo, which builds it"
rm -rf "$out"
mkdir -p "$out"
ln -s "$VZ_DATA" "$out/pbmc68k.h5ad"
cd "$out"

title "The parts, all unmodified but the plugin"
step versions | indent
if [ -n "$tools" ]; then
    printf '    %s\n' "$("$tools/h5dump" --version) (tools)"
else
    printf '    no h5dump of HDF5 1.14 or newer: its steps are left out (Debian 13: apt install hdf5-tools; any: make setup builds one)\n'
fi
printf '    plugin: %s\n' "$plugin/libH5VLzarr.so"

title "1. A native .h5ad file in, a Zarr store out: anndata's own read_h5ad and write_h5ad"
show "HDF5_PLUGIN_PATH=... HDF5_VOL_CONNECTOR=zarr python"
show "  anndata.read_h5ad('pbmc68k.h5ad').write_h5ad('out.zarr')"
HDF5_PLUGIN_PATH=$plugin HDF5_VOL_CONNECTOR=zarr step convert pbmc68k.h5ad out.zarr | indent

title "2. It is an ordinary Zarr v2 store (read here without the plugin)"
step tree out.zarr | indent
step read-zarr out.zarr pbmc68k.h5ad | indent

title "3. HDF5 programs open the store with nothing but HDF5_PLUGIN_PATH"
HDF5_PLUGIN_PATH=$plugin step read-hdf5 out.zarr pbmc68k.h5ad | indent
if [ -n "$tools" ]; then
    demo_tool h5ls 12 "$tools/h5ls" -r out.zarr
    expect_in h5ls.txt '/obsm/X_pca' '{700, 50}'
    demo_tool h5dump 12 "$tools/h5dump" -n out.zarr
    expect_in h5dump.txt '/obsm/X_pca' '/raw/X/indptr'
    demo_tool h5dump-values 12 "$tools/h5dump" -d /obsm/X_pca -s 0,0 -c 2,5 out.zarr
    expect_in h5dump-values.txt 'DATASPACE' '( 700, 50 )'
fi

title "4. The other way: a store that anndata.write_zarr made, opened as if it were an .h5ad file"
show "anndata.read_h5ad('pbmc68k.h5ad').write_zarr('from-anndata.zarr')   # without the plugin"
step make-zarr pbmc68k.h5ad from-anndata.zarr | indent
HDF5_PLUGIN_PATH=$plugin step read-hdf5 from-anndata.zarr pbmc68k.h5ad | indent

title "5. The second act: the same data as a Zarr v3 store with shards, in one zip file"
show "HDF5_PLUGIN_PATH=... HDF5_VOL_CONNECTOR='zarr format=3;shards=1M' python"
show "  anndata.read_h5ad('pbmc68k.h5ad').write_h5ad('out-v3.zarr.zip')"
HDF5_PLUGIN_PATH=$plugin HDF5_VOL_CONNECTOR='zarr format=3;shards=1M' step convert-zip pbmc68k.h5ad out-v3.zarr.zip | indent
step read-zip out-v3.zarr.zip pbmc68k.h5ad | indent
show "HDF5_PLUGIN_PATH=... python"
show "  anndata.read_h5ad('out-v3.zarr.zip')"
HDF5_PLUGIN_PATH=$plugin step read-hdf5 out-v3.zarr.zip pbmc68k.h5ad | indent

title "Proven"
cat <<END
  - Unmodified anndata and h5py wrote a real single-cell data set (700 cells, 765 genes, embeddings, graphs, categories,
    unstructured results) as a Zarr v2 store, while reading the native HDF5 file in the same process.
  - zarr-python lists and reads that store, and anndata.read_zarr gives an object equal to the original: without us.
  - anndata.read_h5ad and h5py${tools:+, h5ls and h5dump} open the store as if it were an HDF5 file: no environment variable but
    HDF5_PLUGIN_PATH, no change to any of them; the object read is again equal to the original.
  - A store that anndata itself wrote opens the same way, and is equal too.
  - The same holds for a Zarr v3 store with shards in a zip file: written by write_h5ad, read by read_h5ad and read_zarr.
  Look for yourself: $out
END
