"""Programs of our own through the connector. What they leave is judged by zarr-python, by native HDF5 and by h5py in another process."""

import collections
import pathlib
import random
import re
import shutil
import sys
import tempfile

import numpy
import zarr

from places import Local
from running import Runner, run

HERE = pathlib.Path(__file__).parent
STEPS = 200
OPTIONS = ["", "format=3", "format=3;shards=4K"]
SLABS_SECONDS = KILLED_SECONDS = APART_SECONDS = 180
ROWS, ROW_WIDTH, CHUNK_WIDTH = 400, 50, 64  # ROWS, EACH and CHUNK in killed.c
LOCAL = Local()


def in_directory(work):
    """Calls work with a new directory, which goes when all was well."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="vz-mpi-"))
    if work(directory):
        shutil.rmtree(directory, ignore_errors=True)


def makes_stores(runner, judge):
    """Whether the connector is there at all: without it everything would pass, on native files."""
    found = []

    def one(directory):
        done = runner.mpirun(2, [runner.programs / "random_slabs", 1, 5, "a.zarr", "b.zarr"], 60, directory)
        found.append(done.passed and (directory / "a.zarr").is_dir())
        return found[0] or judge.bad(f"{runner.mpi}: the connector makes no store", done.text)

    in_directory(one)
    return found[0]


def with_options(runner, options, place):
    return Runner(runner.mpi, runner.programs, runner.plugin, "zarr create=*.zarr" + (";" + options if options else ""), place.variables)


def slabs(runner, ranks, seeds, judge, place=LOCAL, steps=STEPS):
    for seed in seeds:
        options = OPTIONS[seed % len(OPTIONS)]

        def one(directory, seed=seed, options=options):
            store = place.name(directory, "a.zarr")
            name = f"{runner.mpi}: random_slabs {seed} {steps} {store}, {ranks} ranks, options '{options}'"
            ours = with_options(runner, options, place)
            found = ours.mpirun(ranks, [runner.programs / "random_slabs", seed, steps, store, "b.h5"], SLABS_SECONDS, directory)
            if not found.passed:
                return judge.bad(f"{name}: {found.first_failure()} (left in {directory})", found.text)
            place.bring(directory, "a.zarr")
            words = [sys.executable, "-W", "ignore", HERE / "compare_stores.py", "a.zarr", "b.h5"]
            seen = run(words, SLABS_SECONDS, directory, {"HDF5_PLUGIN_PATH": str(runner.plugin)})
            if not seen.passed:
                return judge.bad(f"{name}: the store is not what the native file is (left in {directory})", seen.text)
            return judge.good(name)

        in_directory(one)


def rows_are_right(rows, promised):
    """Promised rows hold what was written, the others that or nothing, element by element."""
    expected = 1000 * numpy.arange(rows.shape[0])[:, None] + numpy.arange(rows.shape[1]) + 1
    return bool((rows[:promised] == expected[:promised]).all() and ((rows == expected) | (rows == 0)).all())


def killed(runner, ranks, times, seed, judge, place=LOCAL):
    """One rank is killed. The launcher ends the others, and what was flushed is there for everybody."""
    dice = random.Random(seed)
    look = "import h5py, numpy, sys; numpy.save('rows.npy', h5py.File('k.zarr')['rows'][...])"
    for _ in range(times):
        victim, delay = dice.randrange(ranks), dice.randrange(300000)

        def one(directory, victim=victim, delay=delay):
            store = place.name(directory, "k.zarr")
            name = f"{runner.mpi}: killed {store} {victim} {delay}, {ranks} ranks"
            ours = with_options(runner, "", place)
            found = ours.mpirun(ranks, [runner.programs / "killed", store, victim, delay], KILLED_SECONDS, directory)
            # The launcher's status says little: that of MPICH is 0 at times although a rank was killed. The program ends in no other way.
            if found.status is None:
                return judge.bad(f"{name}: hangs (left in {directory})", found.text)
            place.bring(directory, "k.zarr")
            promised = max((int(n) for n in re.findall(r"flushed (\d+)", found.text)), default=0)
            by_zarr = zarr.open_group(directory / "k.zarr", mode="r")["rows"][...]
            seen = run([sys.executable, "-c", look], KILLED_SECONDS, directory, {"HDF5_PLUGIN_PATH": str(runner.plugin)})
            if promised < 15 or not seen.passed:
                return judge.bad(f"{name}: {promised} rows flushed, then {seen.first_failure()} (left in {directory})", found.text + seen.text)
            for who, rows in ("zarr-python", by_zarr), ("h5py", numpy.load(directory / "rows.npy")):
                if not rows_are_right(rows, promised):
                    return judge.bad(f"{name}: {who} does not find the {promised} rows that were flushed (left in {directory})", found.text)
            return judge.good(name)

        in_directory(one)


def run_once(runner, program, words, store, seconds, ranks, judge, look, options="", place=LOCAL):
    """The words, and the store's name. look(directory): whether zarr-python finds what was written, and what it finds."""

    def one(directory):
        name = f"{runner.mpi}: {program}, {ranks} ranks, {place.name(directory, store)}"
        found = with_options(runner, options, place).mpirun(ranks, [*words, place.name(directory, store)], seconds, directory)
        if not found.passed:
            return judge.bad(f"{name}: {found.first_failure()} (left in {directory})", found.text)
        place.bring(directory, store)
        right, finds = look(directory)
        return judge.good(name) if right else judge.bad(f"{name}: zarr-python finds {finds} (left in {directory})", found.text)

    in_directory(one)


def held(runner, ranks, judge, place=LOCAL):
    """What ranks hold that rank 0 does not, deleted, moved, its file truncated: in each form of store."""

    def look(directory):
        f = zarr.open_group(directory / "h.zarr", mode="r", use_consolidated=False)
        names = sorted(name for name, _ in f.members(max_depth=None))
        left = [str(path) for path in (directory / "h.zarr").rglob("*") if path.name.endswith(".partial")]
        if names != ["a", "group", "group/b"] or left:
            return False, f"{names}, left are {left}"
        wrong = {name: f[name][...] for name, first in (("a", 2000), ("group/b", 3000)) if not numpy.array_equal(f[name][...], first + numpy.arange(40))}
        return not wrong, wrong

    for options in OPTIONS:
        run_once(runner, f"held, options '{options}'", [runner.programs / "held"], "h.zarr", 120, ranks, judge, look, options, place)


def apart(runner, ranks, judge, place=LOCAL):
    """What ranks write by themselves, and what one of them cannot write. Where there are no locks, or none that reach the other ranks, is preloaded."""

    def look(directory):
        found = zarr.open_group(directory / "a.zarr", mode="r")["x"][...]
        return numpy.array_equal(found, 9000 + numpy.arange(96)), found

    def once(what, options="", *before):
        words = [*before, runner.programs / "apart", what]
        run_once(runner, f"apart {what}, options '{options}', {list(before)}", words, "a.zarr", APART_SECONDS, ranks, judge, look, options, place)

    for options in OPTIONS:
        once("parts", options)
    place.refuse("/x/5$", skip=1, times=2)  # it is there when it is refused to both writes
    place.refuse("/x/.zattrs$", skip=0, times=1)
    once("fails")
    place.refuse(None)
    for locks in [] if place.variables else ["none", "local"]:  # in a bucket there are none, and conditions in their place
        for options in OPTIONS:
            once("refused", options, "env", f"LD_PRELOAD={runner.programs / 'no_locks.so'}", f"LOCKS={locks}")


def events(runner, ranks, judge, place=LOCAL):
    """Asynchronous calls of several ranks are done when they return."""

    def look(directory):
        f = zarr.open_group(directory / "e.zarr", mode="r")
        found = f["x"][...], f["y"][...], f["x"].attrs["a"]
        return numpy.array_equal(found[0], numpy.arange(10 * ranks)) and numpy.array_equal(found[1], 2 * found[0]) and found[2] == 7, found

    for options in OPTIONS:
        run_once(runner, f"events, options '{options}'", [runner.programs / "events"], "e.zarr", 60, ranks, judge, look, options, place)


def dimension(runner, ranks, judge, place=LOCAL):
    """Elements of a dimension without a variable, which one rank writes."""

    def look(directory):
        f = zarr.open_group(directory / "d.zarr", mode="r")
        names = sorted(name for name, _ in f.members(max_depth=None))
        found = f["g/x"][...].tolist() if "g/x" in names else None
        return names == ["g", "g/x"] and found == list(range(6)), f"{names}, {found}"

    for options in OPTIONS:
        run_once(runner, f"dimension, options '{options}'", [runner.programs / "dimension"], "d.zarr", 60, ranks, judge, look, options, place)


def fortran(runner, ranks, judge):
    def look(directory):
        rows = zarr.open_group(directory / "f.zarr", mode="r")["slabs"][...]
        expected = numpy.concatenate([1000 * k + numpy.arange(1, 31).reshape(5, 6) for k in range(ranks)])
        return numpy.array_equal(rows, expected), rows

    run_once(runner, "slabs.f90", [runner.programs / "slabs"], "f.zarr", 60, ranks, judge, look)


def h5py_session(runner, ranks, judge):
    def look(directory):
        f = zarr.open_group(directory / "p.zarr", mode="r")
        written = numpy.concatenate([100 * k + numpy.arange(7) for k in range(ranks)])
        nothing = numpy.full_like(written, -1)
        right = [
            f.attrs["ranks"] == ranks,
            sorted(name for name, _ in f.members(max_depth=None)) == ["alone", "group", "group/moved", "grown"],
            numpy.array_equal(f["alone"][...], written),
            numpy.array_equal(f["group/moved"][...], [nothing, written, nothing]),
            numpy.array_equal(f["grown"][...], [[5] * ranks] * 3 + [list(range(ranks))]),
            f["grown"].attrs["unit"] == "m",
        ]
        return all(right), f"what was written: {right}"

    run_once(runner, "with_h5py.py", [sys.executable, HERE / "with_h5py.py"], "p.zarr", 120, ranks, judge, look)


def puts(runner, ranks, judge, bucket):
    """Ranks that write rows of shared chunks together, into a bucket: each chunk is put once, by its owner, and each document once, by one rank;
    the consolidated copy when the documents have changed, not at each of the flushes."""

    def one(directory):
        store, done = bucket.name(directory, "k.zarr"), []
        name = f"{runner.mpi}: requests of killed {store}, {ranks} ranks"

        def work():
            done.append(with_options(runner, "", bucket).mpirun(ranks, [runner.programs / "killed", store, -1, 0], KILLED_SECONDS, directory))

        log = bucket.proxy.counted(work)
        if not done[0].passed:
            return judge.bad(f"{name}: {done[0].first_failure()} (left in {directory})", done[0].text)
        times = collections.Counter(path.partition("/k.zarr/")[2] for path in log.paths("PUT"))
        chunks = [f"rows/{row}.{column}" for row in range(ROWS) for column in range(-(-ranks * ROW_WIDTH // CHUNK_WIDTH))]
        lasts = [path for path in log.paths("PUT") if "/k.zarr/" in path][-1]
        wrong = {key: times[key] for key in chunks + [".zgroup", "rows/.zarray"] if times[key] != 1}
        wrong |= {".zmetadata": times[".zmetadata"]} if not 1 <= times[".zmetadata"] <= 2 or not lasts.endswith(".zmetadata") else {}
        known = {*chunks, ".zgroup", ".zattrs", "rows/.zarray", "rows/.zattrs", ".zmetadata"}
        unknown = sorted(key for key in set(times) - known if not key.endswith(".partial"))  # those find out what the server heeds
        if wrong or unknown:
            return judge.bad(f"{name}: put another number of times than once: {dict(list(wrong.items())[:9])}; unknown: {unknown[:9]}", done[0].text)
        return judge.good(name)

    in_directory(one)


def h5py_tests(native, ours, ranks, judge):
    """The tests of h5py that are for MPI, as they are installed with it."""
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--with-mpi", "--pyargs",
             "h5py._debian_h5py_mpi.tests.test_file", "-k", "TestMPI"]

    def one(directory):
        counts = []
        for runner in native, ours:
            found = runner.mpirun(ranks, words, 180, directory, PYTHONDONTWRITEBYTECODE="1", H5PY_ALWAYS_USE_MPI="1")
            counts.append((found.status, sorted(set(re.findall(r"(\d+ (?:passed|failed|error|skipped))", found.text)))))
        name = f"{ours.mpi}: h5py's tests for MPI, {ranks} ranks: natively {counts[0]}, through the connector {counts[1]}"
        if counts[0] != (0, ["4 passed"]) or counts[1] != counts[0]:
            return judge.bad(name, found.text)
        return judge.good(name)

    in_directory(one)
