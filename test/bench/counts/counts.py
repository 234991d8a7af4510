"""counts.py BUILD_DIR [--update] [--can-fail]: instructions of the connector in ten small pieces of work, against those that are kept.

Times depend on what else a machine does, instructions do not. valgrind's callgrind counts those that lie in the plugin itself (not in
HDF5, the C library or the kernel, which differ between machines), and the calls that leave it. The work is done by one thread and without
codecs, whose libraries choose their code by the processor.

What a compiler makes of a source differs, so references.json has numbers for each compiler and HDF5. With others the numbers are told and
not judged. More than TOLERANCE above the kept number fails; fewer is told: --update then keeps the new numbers."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
REFERENCES = HERE / "references.json"
TOLERANCE = 0.03
NOT_JUDGED = 77  # ctest counts that as skipped
PLUGIN = "libH5VLzarr.so"
OPTIONS = "zarr threads=1;compress=none"

TREE = {"groups": 4, "nodes": 25}
ARRAY = {"shape": "1024x1024", "chunk": "64x64"}
# name -> (operation, arguments, operation that makes what it reads)
WORKLOADS = {
    "create 100 datasets": ("tree_create", TREE, None),
    "list 100 names, five opens": ("tree_list", {**TREE, "opens": 5}, "tree_create"),
    "walk 100 datasets": ("tree_walk", TREE, "tree_create"),
    "read 100 datasets": ("tree_read", TREE, "tree_create"),
    "list 100 groups, twice": ("tree_list", {"groups": 100, "nodes": 0, "opens": 2}, "tree_create"),
    "write 500 small chunks": ("chunks_write", {"count": 500}, None),
    "read 256 chunks of 16 KiB": ("array_read", ARRAY, "array_write"),
    "write 300 attributes": ("attributes_write", {"count": 300}, None),
    "read 5,000 texts": ("strings_read", {"count": 5000}, "strings_write"),
    "append 300 rows": ("rows_append", {"count": 300}, None),
}


def run(build, scratch, operation, job, path, counted=None):
    """One run of the C program; `counted`: under callgrind, into that file."""
    program = build / "test" / "bench" / "bench_work"
    source = scratch / "source"
    if operation == "array_write" and not source.exists():
        source.write_bytes(bytes(4 * 1024 * 1024))
    command = [program, operation, f"path={path}", f"source={source}", *(f"{key}={value}" for key, value in job.items())]
    if counted:
        command = ["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no", f"--callgrind-out-file={counted}", *command]
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("HDF5_", "VOL_ZARR_"))}
    variables.update(HDF5_PLUGIN_PATH=str(build / "plugin"), HDF5_VOL_CONNECTOR=OPTIONS)
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"{operation}: {done.stderr[-2000:]}")
    return done.stdout


def totals(profile):
    """(instructions in the plugin, calls that leave it) out of a profile of callgrind."""
    instructions = calls = 0
    ours = skip = False
    called = None
    for line in open(profile, errors="replace"):
        if line.startswith("ob="):
            ours, called = line.rstrip().endswith(PLUGIN), None
        elif line.startswith("fn="):
            called = None
        elif line.startswith("cob="):
            called = line.rstrip().endswith(PLUGIN)
        elif line.startswith("calls="):
            # Without a name of its own the object that is called is the calling one's.
            if ours and called is False:
                calls += int(line[6:].split()[0])
            skip, called = True, None
        elif line[:1].isdigit():
            # The line behind calls= has what the called function cost with all it calls: that is counted there.
            if ours and not skip:
                instructions += int(line.split()[1])
            skip = False
    if not instructions:
        raise SystemExit(f"{profile}: no instruction of {PLUGIN}: was the plugin loaded?")
    return {"instructions": instructions, "calls": calls}


def count(build, scratch, operation, job, make):
    with tempfile.TemporaryDirectory(dir=scratch) as own:
        path = f"{own}/x.zarr"
        if make:
            run(build, scratch, make, job, path)
        run(build, scratch, operation, job, path, counted=f"{own}/profile")
        return totals(f"{own}/profile")


def count_all(build, scratch):
    run(build, scratch, "array_write", ARRAY, scratch / "first.zarr")  # makes the source before several need it
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {name: pool.submit(count, build, scratch, *workload) for name, workload in WORKLOADS.items()}
        return {name: job.result() for name, job in jobs.items()}


def key_of(build):
    """Compiler, HDF5 and processor family that the numbers belong to."""
    (about,) = build.glob("CMakeFiles/*/CMakeCCompiler.cmake")
    text = about.read_text()
    compiler = re.search(r'CMAKE_C_COMPILER_ID "(\w+)"', text)[1]
    version = re.search(r'CMAKE_C_COMPILER_VERSION "(\d+\.\d+)', text)[1]
    hdf5 = subprocess.run([build / "test" / "bench" / "bench_work", "version"], check=True, capture_output=True, text=True).stdout.strip()
    return f"{compiler} {version}, HDF5 {hdf5}, {os.uname().machine}"


def compare(found, kept):
    """(what is worse, what is better) by more than the tolerance, as sentences."""
    worse, better = [], []
    for name, numbers in found.items():
        for what, number in numbers.items():
            reference = kept[name][what]
            change = number / reference - 1
            if abs(change) > TOLERANCE:
                (worse if change > 0 else better).append(f"{name}: {number:,} {what}, kept are {reference:,} ({change:+.1%})")
    return worse, better


def check(build, scratch, update):
    key, references = key_of(build), json.loads(REFERENCES.read_text())
    found = count_all(build, scratch)
    for name, numbers in found.items():
        print(f"{name:<30} {numbers['instructions']:>12,} instructions {numbers['calls']:>10,} calls out")
    if update:
        references[key] = found
        REFERENCES.write_text(json.dumps(references, indent=1, sort_keys=True) + "\n")
        print(f"kept for {key}")
        return 0
    if key not in references:
        print(f"nothing is kept for {key}: not judged (kept: {'; '.join(references)})")
        return NOT_JUDGED
    worse, better = compare(found, references[key])
    for sentence in better:
        print(f"better: {sentence}; {pathlib.Path(__file__).name} {build} --update keeps it")
    for sentence in worse:
        print(f"WORSE: {sentence}")
    return 1 if worse else 0


def can_fail(build, scratch):
    """A piece of work that became larger by a twentieth is seen, the same one again is not."""
    operation, job, make = WORKLOADS["write 300 attributes"]
    first, same = (count(build, scratch, operation, job, make) for _ in range(2))
    more = count(build, scratch, operation, {"count": job["count"] * 21 // 20}, make)
    if compare({"x": same}, {"x": first}) != ([], []):
        print(f"the same work twice: {first}, {same}")
        return 1
    worse, _ = compare({"x": more}, {"x": first})
    print(f"{first} -> {more}: {worse}")
    return 0 if any("instructions" in sentence for sentence in worse) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--can-fail", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vol-zarr-counts-") as scratch:
        scratch = pathlib.Path(scratch)
        sys.exit(can_fail(options.build, scratch) if options.can_fail else check(options.build, scratch, options.update))


if __name__ == "__main__":
    main()
