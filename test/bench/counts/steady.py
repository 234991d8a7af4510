"""steady.py BUILD_DIR: pieces of work of which each step costs as much, however many were before it.

Instructions of the connector are counted at N, 2N and 4N (counts.py says how). Of steps that cost the same the second increase is twice
the first one; where each step walks all that was before it is four times that. Opening, closing and loading drop out.

A list of references is rewritten for each member that is added to it, so that its cost grows with the square in HDF5's own files, too:
there all instructions are counted, of HDF5 as well, and compared with those of the same program on HDF5's own file."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from counts import OPTIONS, totals

LINEAR = 2.35  # the second increase over the first; 2 where all steps cost the same, 4 where each walks what was before
TIMES_NATIVE = 3
FIRST = 100
# what -> (operation, options of the connector)
WORK = {
    f"{what}{', one file' if 'file' in options else ''}{', format 3' if 'format=3' in options else ''}": (operation, options)
    for what, operation in {
        "delete datasets": "datasets_delete",
        "rename datasets": "datasets_rename",
        "make and delete hard links": "links_change",
        "make, rename and delete attributes": "attributes_change",
        "make datasets, each flushed": "datasets_flush",
    }.items()
    for options in ("", ";container=file;format=3")
}
# Opening reads the list of entries of a one-file store, and the root's document of format 3 with its consolidated metadata.
WORK["open a file again"] = ("file_reopen", "")
# Arrays that name their dimensions, as xarray writes them: HDF5 sees scales, of which one has all arrays as users.
WORK["open variables of another program"] = ("variables_walk", "")
# The document of a netCDF group is written whole at each flush, and so is the list of users of a dimension: its text is copied.
WHOLE = 3.3  # as LINEAR; near 4 where the text is also parsed or made anew
WORK["make netCDF variables, each flushed"] = ("netcdf_flush", "")
# All arrays of an unlimited dimension have its length after a flush. The next one looks at what changed since.
WORK["change variables of an unlimited dimension"] = ("unlimited_change", "")
REWRITTEN = {"attach scales": ("scales_attach", ";container=file")}


def make_variables(path, count):
    """A store of format 3: x(x), and arrays of a dimension of their own and of x. Nothing of their elements is stored."""
    def put(name, shape, names):
        document = {"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "int32", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
                    "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], "dimension_names": names}
        (path / name).mkdir()
        (path / name / "zarr.json").write_text(json.dumps(document))

    path.mkdir()
    (path / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group"}))
    put("x", [3], ["x"])
    for number in range(count):
        put(f"v{number:05}", [2, 3], [f"y{number:05}", "x"])


PREPARED = {"variables_walk": make_variables}


def run(build, operation, count, options, scratch, native=False):
    """The profile of callgrind, as a path, and all instructions."""
    own = pathlib.Path(tempfile.mkdtemp(dir=scratch))
    profile = own / "profile"
    if operation in PREPARED:
        PREPARED[operation](own / "x.h5", count)
    command = ["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no", f"--callgrind-out-file={profile}",
               build / "test" / "bench" / "bench_work", operation, f"path={own / 'x.h5'}", f"count={count}", "libver=latest"]
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("HDF5_", "VOL_ZARR_"))}
    if not native:
        variables.update(HDF5_PLUGIN_PATH=str(build / "plugin"), HDF5_VOL_CONNECTOR=OPTIONS + options)
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        raise SystemExit(f"{operation} {count}: {done.stderr[-2000:]}")
    return profile, int(re.search(r"Collected\s*:\s*(\d+)", done.stderr)[1])


def operation_of(work, what):
    return work[what][0]


def judge_steady(build, scratch, pool, work):
    counts = [FIRST, 2 * FIRST, 4 * FIRST]
    jobs = {what: [pool.submit(lambda *a: totals(run(*a)[0]), build, operation, count, options, scratch) for count in counts]
            for what, (operation, options) in work.items()}
    failures = []
    for what, runs in jobs.items():
        small, middle, large = (job.result()["instructions"] for job in runs)
        ratio = (large - middle) / (middle - small)
        print(f"{what:<52} {(middle - small) / FIRST:>10,.0f} instructions each, then {(large - middle) / (2 * FIRST):>10,.0f}: {ratio:.2f}")
        if ratio > (WHOLE if operation_of(work, what) == "netcdf_flush" else LINEAR):
            failures.append(f"{what}: steps become dearer the more there are (the second increase is {ratio:.2f} times the first)")
    return failures


def judge_rewritten(build, scratch, pool, work):
    failures = []
    for what, (operation, options) in work.items():
        count = 4 * FIRST
        ours, native = (pool.submit(lambda *a: run(*a)[1], build, operation, count, options, scratch, native) for native in (False, True))
        ours, native = ours.result(), native.result()
        print(f"{what:<52} {ours:>14,} instructions in all, HDF5's own file {native:>14,}: {ours / native:.2f}")
        if ours > TIMES_NATIVE * native:
            failures.append(f"{what}: {ours / native:.1f} times the instructions of HDF5's own file")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--only", help="a part of what it is called")
    options = parser.parse_args()
    chosen = [{what: job for what, job in work.items() if not options.only or options.only in what} for work in (WORK, REWRITTEN)]
    with tempfile.TemporaryDirectory(prefix="vol-zarr-steady-") as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = judge_steady(options.build, scratch, pool, chosen[0]) + judge_rewritten(options.build, scratch, pool, chosen[1])
    for failure in failures:
        print(f"WORSE: {failure}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
