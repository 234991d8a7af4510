#!/usr/bin/env bash
# conda.sh [PACKAGE] - the conda recipe, as far as a machine without conda's channels can try it.
#
# 1. rattler-build (from the package index) reads recipe/recipe.yaml and renders it.
# 2. recipe/build.sh builds into a $PREFIX that has what conda-forge's would: HDF5's headers, library and tools, with the library's own
#    plugin directory set to $PREFIX/lib/hdf5/plugin. It is tools/setup.sh's HDF5, and that path is put into the library as conda
#    itself puts prefixes into binaries: in the place of the one that was compiled in. Codec libraries are the system's.
# 3. What the recipe calls its tests is tried there, with no variable that leads to the plugin.
# With PACKAGE, which is release/conda_package.py's, rattler installs that in the recipe's place, and step 3 follows.
set -euo pipefail
VZ_TAG=conda
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/python.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"
log=$VZ_ROOT/build/conda/conda.log
package=${1:+$(realpath "$1")}
rattler=$VZ_CACHE/py-rattler

fail() { die "$* (log: $log)"; }

# The string in the library becomes another one that is not longer; what is left over is zeros.
replace_in_binary() { # FILE OLD NEW
    python3 - "$@" <<'PYTHON'
import pathlib, sys
file, old, new = pathlib.Path(sys.argv[1]), sys.argv[2].encode() + b"\0", sys.argv[3].encode() + b"\0"
data = file.read_bytes()
if len(new) > len(old) or old not in data:
    sys.exit(f"{file}: {old} cannot become {new}")
file.write_bytes(data.replace(old, new.ljust(len(old), b"\0")))
PYTHON
}

render() {
    if ! stamp_is "$rattler/.stamp" "$(cat "$VZ_ROOT/tools/requirements-conda.txt")"; then
        rm -rf "$rattler"
        logged "$log" "$(python_command)" -m venv "$rattler" &&
            logged "$log" "$rattler/bin/python" -m pip install -q --only-binary :all: -r "$VZ_ROOT/tools/requirements-conda.txt" || return 1
        cp "$VZ_ROOT/tools/requirements-conda.txt" "$rattler/.stamp"
    fi
    "$rattler/bin/python" - "$VZ_ROOT/recipe/recipe.yaml" <<'PYTHON'
import sys
from rattler_build import Stage0Recipe, VariantConfig
recipe = Stage0Recipe.from_file(sys.argv[1])
variants = VariantConfig({"c_compiler": ["gcc"], "c_compiler_version": ["14"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"]})
rendered = recipe.render(variants)
assert len(rendered) == 1, rendered
package = rendered[0].recipe.package
print(f"[conda] rendered: {package.name} {package.version}")
PYTHON
}

mkdir -p "$(dirname "$log")"
rm -f "$log"
render || fail "rattler-build does not take the recipe"

prefix=$(mktemp -d /tmp/XXXX) # short: it goes where HDF5 had /usr/local/hdf5/lib/plugin
source=$(mktemp -d)
trap 'rm -rf "$prefix" "$source"' EXIT
cp -RL "$VZ_HDF5/include" "$prefix/"
mkdir "$prefix/lib" "$prefix/bin"
cp -a "$VZ_HDF5"/lib/libhdf5*.so* "$prefix/lib/"
cp -L "$VZ_HDF5"/bin/h5* "$prefix/bin/"
replace_in_binary "$prefix/lib/$(readlink "$prefix/lib/libhdf5.so" | sed 's|.*/||' | xargs -I{} readlink -f "$prefix/lib/{}" | sed 's|.*/||')" \
    /usr/local/hdf5/lib/plugin "$prefix/lib/hdf5/plugin"

build_recipe() {
    git -C "$VZ_ROOT" ls-files -z | tar -C "$VZ_ROOT" --null -T - -cf - | tar -C "$source" -xf -
    say "recipe/build.sh into $prefix (log: $log)"
    (cd "$source" && PREFIX=$prefix CPU_COUNT=$(cpus) CMAKE_ARGS="-DCMAKE_PREFIX_PATH=$prefix" logged "$log" recipe/build.sh) || fail "recipe/build.sh"
}

if [ -n "$package" ]; then
    say "rattler installs $package into $prefix"
    logged "$log" "$rattler/bin/python" "$VZ_ROOT/tools/release/conda_install.py" "$package" "$prefix" || fail "rattler does not install the package"
else
    build_recipe
fi

unset HDF5_PLUGIN_PATH HDF5_VOL_CONNECTOR
export PATH=$prefix/bin:$PATH
cd "$source"
# h5mkgrp and h5repack stand for h5py, which conda's channels have for this HDF5.
printf '0 1 2 3 4 5\n' >six.txt
printf 'PATH x\nINPUT-CLASS TEXTIN\nRANK 1\nDIMENSION-SIZES 6\n' >six.conf
logged "$log" h5import six.txt -c six.conf -o six.h5 || fail h5import
HDF5_VOL_CONNECTOR='zarr create=*.zarr' logged "$log" h5repack six.h5 a.zarr || fail "h5repack makes no store"
[ -e a.zarr/x/.zarray ] || fail "a.zarr is no store"
h5ls a.zarr | grep 'Dataset {6}' || fail "h5ls does not open the store by itself"
logged "$log" h5diff six.h5 a.zarr || fail "the store differs from the file"
logged "$log" h5zarr check a.zarr || fail "h5zarr check"
# The command needs the module to write stores, and looks for it from where it lies itself.
CONDA_PREFIX=$prefix logged "$log" h5zarr convert six.h5 b.zarr || fail "h5zarr convert"
logged "$log" h5diff six.h5 b.zarr || fail "what h5zarr made differs from the file"
# Nobody listens on port 1: the module for remote stores was found, and says so.
{ h5zarr ls http://127.0.0.1:1/x.zarr 2>&1 || true; } | grep connect || fail "h5zarr does not find vol_zarr_net.so"
say "built and tried in $prefix: h5ls, h5diff and h5repack find the plugin without a variable"
