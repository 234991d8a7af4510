"""How time and memory grow with what there is: chunks, nodes, attributes, threads, data beyond memory. By the C program, natively and
through the connector; exponents are fitted to the larger half of the sizes.

Files lie in a directory of memory, so that the growth is ours and not a disk's."""

import datetime
import fnmatch
import json
import math
import os
import pathlib
import resource
import subprocess
import tempfile

from . import machine
from .peers import NEWEST, PEERS, c_arguments, environment
from .inputs import remove
from .runner import say

WORSE_THAN_LINEAR = 1.15  # an exponent above this is told; measurements of the same thing differ by less
REPEATS_SECONDS = 2.0  # a size that takes less is measured three times, the least counts
SECONDS_MAX = 1200
AROUND, AROUND_KIB = 0.002, 1024  # CPU seconds and memory above those of the smallest number that are too little to tell growth


def tree(count):
    return {"groups": max(1, count // 100), "nodes": min(count, 100)}


def flat(count):
    return {"groups": 1, "nodes": count}


def many(count):
    return {"count": count}


# title -> (size to arguments, exponents of ten, [(what, operation, arguments, exponent from which it is left out)])
SERIES = {
    "chunks": (many, (2, 6), [("write", "chunks_write", {}, 9), ("read at once", "chunks_read", {}, 9),
                              ("read one by one", "chunks_read", {"each": 1}, 6), ("read one element", "chunks_read", {"one": 1}, 9)]),
    "datasets, 100 in a group": (tree, (2, 5), [("create", "tree_create", {}, 9), ("list", "tree_list", {"opens": 1}, 9),
                                                ("walk with attributes", "tree_walk", {}, 9), ("read each", "tree_read", {}, 9),
                                                ("open again, one attribute", "tree_open", {}, 9)]),
    "the same, format 3": (tree, (2, 5), [("create", "tree_create", {"format": 3}, 9), ("open again, one attribute", "tree_open", {}, 9)]),
    "datasets in one group": (flat, (2, 5), [("create", "tree_create", {}, 9), ("list", "tree_list", {"opens": 1}, 9),
                                             ("walk with attributes", "tree_walk", {}, 9), ("read each", "tree_read", {}, 9)]),
    "attributes of one object": (many, (2, 5), [("write", "attributes_write", {}, 9), ("read", "attributes_read", {}, 9)]),
    "texts": (many, (3, 6), [("write", "strings_write", {}, 9), ("read", "strings_read", {}, 9)]),
    "datasets on one scale": (many, (2, 4), [("attach", "scales_attach", {}, 9)]),
    "changes": (many, (2, 4), [("delete datasets", "datasets_delete", {}, 9), ("rename datasets", "datasets_rename", {}, 9),
                               ("flush after each dataset", "datasets_flush", {}, 9),
                               ("hard links, made and deleted", "links_change", {}, 9),
                               ("attributes, made, renamed and deleted", "attributes_change", {}, 9),
                               ("open a file again", "file_reopen", {}, 9)]),
    "appended rows": (many, (2, 5), [("append", "rows_append", {}, 9)]),
    "stores": (many, (2, 4), [("create", "stores_create", {}, 9), ("open", "stores_open", {}, 9)]),
}
MAKES = {"chunks_read": "chunks_write", "tree_list": "tree_create", "tree_walk": "tree_create", "tree_read": "tree_create",
         "tree_open": "tree_create",
         "attributes_read": "attributes_write", "strings_read": "strings_write", "stores_open": "stores_create"}
THREADS = (1, 2, 4, 8, 16)
STREAMED_MIB = (256, 1024, 4096)
MEMORY_MIB = 1024  # what a process may have beside the data that it streams


def process(name, operation, job, options="", memory_mib=None):
    """One run of the C program, natively on files of the newest form: the oldest one grows with the square of what has many attributes."""
    peer = PEERS[name]
    command = [os.path.join(os.environ["VZ_BENCH_PROGRAMS"], "bench_work"), operation, *c_arguments({**NEWEST, **job})]

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (memory_mib * 2**20, memory_mib * 2**20))

    done = subprocess.run(command, env=environment(peer, options), capture_output=True, text=True, timeout=SECONDS_MAX,
                          preexec_fn=limit if memory_mib else None)
    if done.returncode != 0:
        raise SystemExit(f"{name} {operation} {job}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def least(name, operation, job, path):
    """The least of some runs; a run that writes begins without a file."""
    best, options = None, f"compress=none;format={job.get('format', 2)}" if PEERS[name].connector else ""
    first = path / "s00000.zarr" if operation == "stores_create" else path
    for _ in range(3):
        if operation not in MAKES:
            remove(path)
            if operation == "stores_create":
                path.mkdir()
        found = process(name, operation, {**job, "path": str(path)}, options)
        if PEERS[name].connector and not first.is_dir():
            raise SystemExit(f"{operation}: {first} is no store: the connector was not at work")
        best = found if best is None or found["cpu"] < best["cpu"] else best
        if best["wall"] > REPEATS_SECONDS:
            break
    return {key: best[key] for key in ("wall", "cpu", "extra_kib")}


def series(scratch, name, make_job, sizes, actions):
    """{action: [[size, figures], ...]}"""
    found = {what: [] for what, *_ in actions}
    peer = PEERS[name]
    for exponent in sizes:
        count = 10**exponent
        path = scratch / ("grown.h5" if peer.kind == "hdf5" else "grown.zarr")
        for what, operation, extra, end in actions:
            if exponent >= end:
                continue
            job = {**make_job(count), **extra, "suffix": path.suffix}
            found[what].append([count, least(name, operation, job, path)])
        remove(path)
    return found


def slope(points):
    """By least squares on logarithms."""
    points = [(math.log(x), math.log(y)) for x, y in points if y > 0]
    if len(points) < 2:
        return None
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def exponent_of(points, key):
    """Of CPU time or memory above those of the smallest number, which are mostly of opening and closing; over the largest numbers."""
    least_of_all = AROUND if key == "cpu" else AROUND_KIB
    above = [(size, figures[key] - points[0][1][key]) for size, figures in points[1:]]
    return slope([point for point in above if point[1] > least_of_all][-3:])


def threads(scratch, options):
    """Time and CPU with more threads than cores, and what enough cores would take: the thread that worked longest. With cores that are
    shared a thread that starts first does more than its part; so this is an upper bound."""
    found = []
    source, path = scratch / "source", scratch / "threads.zarr"
    shape = [4096 if options.quick else 8192, 8192]
    from . import data

    data.smooth(source, shape)
    job = {"shape": shape, "chunk": [512, 512], "codec": "zstd", "source": str(source), "path": str(path)}
    for count in THREADS:
        row = {"threads": count}
        for operation in "array_write", "array_read":
            runs = []
            for _ in range(3):
                if operation == "array_write":
                    remove(path)
                runs.append(process("vol C", operation, job, f"threads={count}"))
            best = min(runs, key=lambda run: run["cpu"])
            row[operation] = {"wall": best["wall"], "cpu": best["cpu"], "extra_kib": best["extra_kib"],
                              "longest": max(best["threads_ns"]) / 1e9}
        found.append(row)
    remove(path)
    source.unlink()
    return found


def beyond_memory(scratch, options):
    """Streams of arrays that grow, by a process that may not have more than MEMORY_MIB."""
    found = []
    for name in "native C", "vol C":
        path = scratch / ("streamed.h5" if PEERS[name].kind == "hdf5" else "streamed.zarr")
        for mib in STREAMED_MIB[: 2 if options.quick else None]:
            job = {"shape": [mib * 64, 4096], "chunk": [512, 512], "codec": "blosc", "shuffle": 1, "path": str(path)}
            row = {"peer": name, "mib": mib}
            for operation in "stream_write", "stream_read":
                figures = process(name, operation, job, memory_mib=MEMORY_MIB)
                row[operation] = {key: figures[key] for key in ("wall", "cpu", "extra_kib")}
            found.append(row)
            remove(path)
    return found


def measure(options):
    with tempfile.TemporaryDirectory(dir=options.directory, prefix="vol-zarr-growth-") as scratch:
        scratch = pathlib.Path(scratch)
        about = machine.describe(scratch)
        result = {"date": datetime.date.today().isoformat(), "machine": about, "series": {}}
        for title, (make_job, (first, last), actions) in SERIES.items():
            if options.series and not any(fnmatch.fnmatch(title, pattern) for pattern in options.series):
                continue
            last -= 1 if options.quick else 0
            sizes = range(first, last + 1)
            result["series"][title] = {}
            for name in "native C", "vol C":
                say(f"{title}: {name}")
                result["series"][title][name] = series(scratch, name, make_job, sizes, actions)
        if not options.series:
            say("threads, data beyond memory")
            result["threads"] = threads(scratch, options)
            result["beyond memory"] = beyond_memory(scratch, options)
        about["load_after"] = round(os.getloadavg()[0], 2)
    return result


def amount(seconds):
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def rows_of(result):
    """(series, action, peer, points, exponent of CPU, exponent of memory)"""
    for title, peers in result["series"].items():
        for what in peers["vol C"]:
            for name, actions in peers.items():
                points = actions[what]
                yield title, what, name, points, exponent_of(points, "cpu"), exponent_of(points, "extra_kib")


def worse(result):
    found = []
    for title, what, name, points, cpu, memory in rows_of(result):
        for kind, value in ("time", cpu), ("memory", memory):
            if name == "vol C" and value is not None and value > WORSE_THAN_LINEAR:
                found.append(f"{title}, {what}: {kind} grows with the power {value:.2f}")
    return found


def machine_line(result):
    m = result["machine"]
    return (f"{m['processor']}, {m['cores']} cores, HDF5 {m['HDF5 from C']}; commit {m['commit']}, {result['date']}; "
            f"load before the run {m['load_before']}, after it {m['load_after']}.")


def markdown(result):
    lines = ["CPU time of the smallest and the largest number, by a C program, and the power of the number with which time and memory grow"
             " (1 is linear; - where it stays too small to tell).", "",
             "| number of | what | from - to | HDF5 | power | vol-zarr | power | memory at the most | power |", "|---" * 9 + "|"]
    native = {}
    for title, what, name, points, cpu, memory in rows_of(result):
        power = f"{cpu:.2f}" if cpu is not None else "-"
        span = f"{amount(points[0][1]['cpu'])} - {amount(points[-1][1]['cpu'])}"
        if name == "native C":
            native[title, what] = (span, power)
            continue
        most = f"{points[-1][1]['extra_kib'] / 1024:.0f} MiB"
        grows = f"{memory:.2f}" if memory is not None else "-"
        lines.append(f"| {title} | {what} | {points[0][0]:,} - {points[-1][0]:,} | {' | '.join(native[title, what])} | {span} | {power} | "
                     f"{most} | {grows} |")
    if "threads" not in result:
        return "\n".join(lines) + "\n"
    lines += ["", "Threads: an array in zstd chunks of 1 MiB. *Enough cores* is the time of the thread that worked longest: what as many"
              " cores would take at most.", "",
              "| threads | write | CPU | enough cores | read | CPU | enough cores | memory |", "|---" * 8 + "|"]
    for row in result["threads"]:
        write, read = row["array_write"], row["array_read"]
        lines.append(f"| {row['threads']} | " + " | ".join(amount(each[key]) for each in (write, read) for key in ("wall", "cpu", "longest"))
                     + f" | {max(write['extra_kib'], read['extra_kib']) / 1024:.0f} MiB |")
    lines += ["", f"Arrays streamed by rows of chunks (blosc), by a process whose address space is limited to {MEMORY_MIB:,} MiB.", "",
              "| | array | write | memory | read | memory |", "|---" * 6 + "|"]
    for row in result["beyond memory"]:
        cells = [f"{amount(row[each]['wall'])} | {row[each]['extra_kib'] / 1024:.0f} MiB" for each in ("stream_write", "stream_read")]
        lines.append(f"| {PEERS[row['peer']].title} | {row['mib']:,} MiB | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def arguments(parser):
    parser.add_argument("--directory", default="/dev/shm" if os.path.isdir("/dev/shm") else None)
    parser.add_argument("--quick", action="store_true", help="one power of ten less")
    parser.add_argument("--series", nargs="*", help="patterns of what is counted: only these are measured anew")
    parser.add_argument("--output", default="build/bench")


def main(options):
    out = pathlib.Path(options.output)
    out.mkdir(parents=True, exist_ok=True)
    kept = out / "growth.json"
    result = measure(options)
    if options.series and kept.exists():
        # Only what was asked for is new.
        before = json.loads(kept.read_text())
        result = {**before, **result, "series": {**before["series"], **result["series"]}}
    kept.write_text(json.dumps(result, indent=1) + "\n")
    print(markdown(result))
    found = worse(result)
    print("Worse than linear: " + ("; ".join(found) if found else "nothing"))
