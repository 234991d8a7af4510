# target_tests.sh - sourced after zig.sh and static.sh: the unit and C tests of a build for another target, with the compiler and the codec
# libraries of its wheel, and a trap at every access that is not aligned.
# shellcheck shell=bash
#
# A list of skips has a line for each program that is left out: its name, and why.

# tests_headers TARGET DIRECTORY HEADER...: what tests include of libraries, and no other header: beside some lie those of another C library.
tests_headers() {
    local to=$2
    rm -rf "$to"
    mkdir -p "$to"
    cp -r "${@:3}" "$VZ_CACHE/static/$1/include/." "$to/"
}

# tests_configure TARGET DIRECTORY LOG OPTION...: -O1 keeps assertions and calls; the wheel's -O3 is tried by the tests of the wheel.
tests_configure() {
    local target=$1 build=$2 log=$3 prefix=$VZ_CACHE/static/$1 options
    shift 3
    mapfile -t options < <(target_cmake "$target")
    logged "$log" cmake -S "$VZ_ROOT" -B "$build" -G Ninja "${options[@]}" -DCMAKE_BUILD_TYPE=None \
        "-DCMAKE_C_FLAGS=-O1 -g1 -fno-sanitize=all -fsanitize=alignment -fsanitize-trap=alignment" -DVZ_WERROR=OFF "-DHDF5_HEADERS=$VZ_HDF5_HEADERS" \
        "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_FIND_ROOT_PATH=$prefix" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY "$@"
}

# tests_skipped LIST: the names as a regular expression
tests_skipped() {
    local names
    names=$(sed -n 's/^\([a-z0-9_]*\) .*/\1/p' "$1" | paste -sd '|')
    printf '%s' "${names:-none}"
}

# tests_build DIRECTORY LIST LOG: the programs of the tests, and the plugin; not those of benchmarks and machines.
tests_build() {
    local targets
    mapfile -t targets < <(ninja -C "$1" -t targets all | sed -n 's,^\(unit_test_[a-z0-9_]*\|c_test_[a-z0-9_]*\|libH5VLzarr\.so\|H5VLzarr\): .*,\1,p' |
        sort -u | grep -vxE "$(tests_skipped "$2")")
    logged "$3" cmake --build "$1" --target "${targets[@]}"
}

# tests_run DIRECTORY LIST CTEST_ARGUMENT...
tests_run() {
    local build=$1 skips=$2
    shift 2
    sed -n 's/^\([a-z0-9_]*\) /skipped: \1: /p' "$skips"
    unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING
    (cd "$build" && ctest --output-on-failure --parallel "$(cpus)" --timeout 900 --output-junit "$build/ctest.xml" --tests-regex '^(unit|c)_' \
        --exclude-regex "^($(tests_skipped "$skips"))\$" "$@")
}
