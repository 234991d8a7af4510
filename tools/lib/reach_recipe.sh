# reach_recipe.sh - sourced by tools/reach.sh: suites of C test programs, which a recipe builds from a Debian source package.
# shellcheck shell=bash
#
# A recipe (test/reach/recipes/SUITE.sh) is sourced in a shell of its own and defines what test/reach/README.md lists. What it
# builds stands in the cache until its RECIPE changes.

. "$VZ_ROOT/tools/lib/hdf5.sh"

RECIPES=$VZ_ROOT/test/reach/recipes

# recipe_source WORK LOG: the source of the package PACKAGE, as WORK/src. A recipe may define another one.
recipe_source() {
    debian_source "$HDF5_SUITE" "$1" "$2" "$PACKAGE" || return 1
    (cd "$1" && logged "$2" dpkg-source -x "$PACKAGE"_*.dsc src)
}

# recipe_open SUITE: the recipe's own functions and variables.
recipe_open() {
    RECIPE='' PACKAGE=$1 SECONDS_EACH=600 TROUBLE='FAILED|[Ee]rror|[Aa]ssert|Abort'
    # shellcheck disable=SC1090 # one of several
    . "$RECIPES/$1.sh"
    RECIPE_DIR=$VZ_CACHE/reach-$1
}

# recipe_make SUITE: builds its programs where they are not there yet.
recipe_make() (
    recipe_open "$1"
    stamp_is "$RECIPE_DIR/.stamp" "$RECIPE" && exit 0
    log=$VZ_CACHE/log/reach-$1.log began=$SECONDS
    mkdir -p "$VZ_CACHE/build"
    rm -rf "$VZ_CACHE/build/reach-$1".*
    work=$(mktemp -d "$VZ_CACHE/build/reach-$1.XXXXXX")
    rm -f "$log"
    say "$1: building its test programs (log: $log)"
    recipe_source "$work" "$log" || die "$1: no source"
    mkdir "$work/done"
    recipe_build "$work/src" "$work/done" "$log" || die "$1: the test programs do not build"
    printf '%s\n' "$RECIPE" >"$work/done/.stamp"
    rm -rf "$RECIPE_DIR"
    mv "$work/done" "$RECIPE_DIR"
    rm -rf "$work"
    say "$1: built in $((SECONDS - began)) s"
)

# recipe_run SUITE MODE REPORTS [NAME=VALUE...]: all programs, each in a new directory, with these variables.
recipe_run() (
    suite=$1 mode=$2 reports=$3
    shift 3
    recipe_open "$suite"
    recipe_programs "$RECIPE_DIR" >"$reports/$suite.programs"
    env "$@" DIR="$RECIPE_DIR" HDF5="$VZ_HDF5" "$VZ_PY" "$VZ_ROOT/test/reach/run_programs.py" "$reports/$suite.programs" "$reports/$suite.$mode" \
        --seconds "$SECONDS_EACH" --trouble "$TROUBLE" --jobs "${VZ_REACH_JOBS:-$(cpus)}"
)
