#!/usr/bin/env bash
# fuzz.sh [SECONDS [TARGET...]] - runs the fuzz targets of test/fuzz (all of them), each for so many seconds (30), under
# the sanitizers. With clang and its fuzzer where they are installed (Debian: clang, libclang-rt-*-dev), else with a
# driver of our own, which finds less. What is found stays in build/fuzz/found, the corpus in build/fuzz/corpus.
set -euo pipefail
VZ_TAG=fuzz
. "$(dirname "$0")/lib/common.sh"
environment=$("$VZ_ROOT/tools/env.sh")
eval "$environment"

seconds=${1:-30}
shift || true
build=$VZ_ROOT/build/fuzz
log=$build/build.log
compiler=cc
if have clang && echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return !d && n; }' |
    clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null; then
    compiler=clang
fi
rm -f "$log"
cd "$VZ_ROOT"
logged "$log" cmake -S . -B "$build/$compiler" -G Ninja -DCMAKE_C_COMPILER=$compiler -DCMAKE_BUILD_TYPE=Debug \
    '-DCMAKE_C_FLAGS_DEBUG=-O1 -g' -DVZ_SANITIZE=ON -DVZ_FUZZ=ON -DVZ_TESTS=OFF -DVZ_WERROR=OFF "-DHDF5_ROOT=$VZ_HDF5"
targets=("$@")
if [ ${#targets[@]} = 0 ]; then
    mapfile -t targets < <(cd test/fuzz && ls fuzz_*.c hdf5/fuzz_*.c | sed 's/\.c$//; s/^hdf5.//')
fi
logged "$log" cmake --build "$build/$compiler" --target "${targets[@]}"
python3 test/fuzz/seeds.py "$build/seeds"

failed=0
for target in "${targets[@]}"; do
    mkdir -p "$build/corpus/$target" "$build/found/$target"
    cd "$build/found/$target"
    if "$build/$compiler/test/fuzz/$target" "-max_total_time=$seconds" -timeout=20 -rss_limit_mb=4096 -seed="$RANDOM" \
        "$build/corpus/$target" "$build/seeds/$target" >"$build/$target.log" 2>&1; then
        say "$target: $(grep -E 'runs|DONE' "$build/$target.log" | tail -n 1)"
    else
        tail -n 30 "$build/$target.log" >&2
        say "$target: FOUND something: $build/found/$target, $build/$target.log"
        failed=1
    fi
done
exit $failed
