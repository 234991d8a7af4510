# netcdf.sh - netCDF-C's own tests (nc_test, nc_test4, h5_test, ncdump, examples ...). Sourced by tools/lib/reach_recipe.sh.
# shellcheck shell=bash
#
# Tests write into the directory that they were built in, and read what others wrote there. So each runs in a tree of its own:
# links to everything that was built. What needs a network (DAP, byte ranges) and NCZarr, which is no HDF5, are not built.

RECIPE="netcdf tests 1"
SECONDS_EACH=300
TROUBLE='FAILED|unexpected|[Ee]rror|[Aa]ssert|Abort|NetCDF: '

# The tarball alone: some mirrors do not have the packaging of an older revision.
recipe_source() { # WORK LOG
    debian_source "$HDF5_SUITE" "$1" "$2" --tar-only netcdf || return 1
    mkdir "$1/src"
    logged "$2" tar -xf "$1"/netcdf_*.orig.tar.* -C "$1/src" --strip-components=1
}

recipe_build() { # SOURCE DONE LOG
    local build=$2/build log=$3
    mv "$1" "$2/src"
    logged "$log" cmake -S "$2/src" -B "$build" -DCMAKE_BUILD_TYPE=Release -DHDF5_ROOT="$VZ_HDF5" -DCMAKE_PREFIX_PATH="$VZ_HDF5" \
        -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON -DNETCDF_ENABLE_TESTS=ON -DNETCDF_ENABLE_DAP=OFF -DNETCDF_ENABLE_BYTERANGE=OFF \
        -DNETCDF_ENABLE_NCZARR=OFF -DNETCDF_ENABLE_REMOTE_FUNCTIONALITY=OFF -DNETCDF_ENABLE_PLUGINS=OFF \
        -DNETCDF_ENABLE_FILTER_TESTING=OFF -DNETCDF_ENABLE_HDF4=OFF || return 1
    logged "$log" cmake --build "$build" --parallel "$(cpus)" || return 1
    (cd "$build" && ctest --show-only=json-v1) >"$2/tests.json" || return 1
    find "$build" -name CMakeFiles -prune -exec rm -rf {} +
    find "$build" \( -name Makefile -o -name '*.cmake' \) -delete
    (cd "$2" && grep -rlIF "$2" build tests.json) >"$2/placed"
    (cd "$2" && xargs sed -i "s|$2|@DIR@|g" <placed)
    cat >"$2/enter" <<'ENTER'
# A tree of links to what was built. Files that name the place of the build are copies that name this one.
cp -as "$DIR/build" .
ln -s "$DIR/src" src
# netCDF-C opens what begins with HDF5's signature: a store has to be one file.
if [ "${HDF5_VOL_CONNECTOR:-}" = zarr ]; then export HDF5_VOL_CONNECTOR="zarr container=file"; fi
while read -r file; do
    [ -e "$file" ] || continue # tests.json
    cp --remove-destination "$DIR/$file" "$file"
    sed -i "s|@DIR@|$PWD|g" "$file"
done <"$DIR/placed"
top=$PWD
ENTER
}

recipe_programs() { # DIR
    python3 - "$1/tests.json" <<'PYTHON'
import json
import sys

# netCDF-C names a test that there is not.
DEPENDS = {"cdl_do_comps": ["C_tests_simple_xy_wr", "C_tests_sfc_pres_temp_wr", "C_tests_pres_temp_4D_wr"]}
TESTS = {test["name"]: test for test in json.load(open(sys.argv[1]))["tests"] if "command" in test}


def property_of(test, name):
    return next((p["value"] for p in test["properties"] if p["name"] == name), [])


def before(name, found):
    """The tests that have to run before this one, the first ones first."""
    for other in DEPENDS.get(name) or property_of(TESTS[name], "DEPENDS"):
        if other in TESTS and other not in found:
            before(other, found)
            found.append(other)
    return found


def command(name):
    words = " ".join(f'"{word}"' for word in TESTS[name]["command"])
    return f'(cd "{property_of(TESTS[name], "WORKING_DIRECTORY")}" && {words})'.replace("@DIR@", "$top")


for name in TESTS:
    print(name, '. "$DIR/enter";', "".join(command(other) + " >/dev/null 2>&1; " for other in before(name, [])), command(name))
PYTHON
}
