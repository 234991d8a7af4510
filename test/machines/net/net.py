"""net.py BUILD [--seconds N | --runs N] [--seed N] [--one NUMBER] [--short] [--report FILE]

Stores on a server that misbehaves (server.py), over http, as S3 and as Azure's storage. Each run draws a store, a fault, the requests
that it answers and from which one on, and a few things to read. The judge is zarr-python on the same server without the fault: whatever
our reader calls a success is what zarr-python read. An error is no complaint, nor is it judged but for control characters in it; a crash, an
end that does not come, and memory without bound are."""

import argparse
import os
import pathlib
import pickle
import random
import select
import struct
import subprocess
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import report  # noqa: E402
import server as servers  # noqa: E402

PATIENCE = 240  # seconds for one run: a transfer that fails is repeated for three minutes
MEMORY = 2 << 20  # KiB that a reader may take
KINDS = ["http", "s3", "az"]


# ---- stores ----

def make(zarr_format, consolidated, shards):
    """(values by key, names of arrays, names of groups), as zarr-python writes them to memory."""
    import zarr

    store = zarr.storage.MemoryStore()
    root = zarr.open_group(store, mode="w", zarr_format=zarr_format)
    root.attrs["title"] = "a store"
    group = root.create_group("g")
    group.attrs["x"] = [1, 2, 3]
    more = {"shards": (40, 40)} if shards else {}
    forms = {"raw": {"compressors": None}, "packed": {}, "sparse": {}, "filled": {"fill_value": 7}}
    for at, (name, form) in enumerate(forms.items()):
        array = (group if at % 2 else root).create_array(name, shape=(80, 90), chunks=(20, 20), dtype="i4", **more, **form)
        array.attrs["unit"] = name
        values = np.arange(80 * 90, dtype="i4").reshape(80, 90) + 1000 * at + 1
        if name in ("sparse", "filled"):
            array[:20, :20], array[60:, 60:80] = values[:20, :20], values[60:, 60:80]
        else:
            array[:] = values
    if consolidated:
        zarr.consolidate_metadata(store)
    values = {"s.zarr/" + key: value.to_bytes() for key, value in store._store_dict.items()}
    return values, ["raw", "sparse", "g/packed", "g/filled"], ["/", "g"]


def all_stores():
    return {f"v{number}{'c' if consolidated else ''}{'s' if shards else ''}": make(number, consolidated, shards)
            for number, shards in ((2, False), (3, False), (3, True)) for consolidated in (True, False)}


# ---- the judge ----

def judge_store(kind, url, plan):
    import obstore.store
    import zarr.storage

    if kind == "http":
        return zarr.storage.ObjectStore(obstore.store.HTTPStore(f"{url}/{plan}/s.zarr", client_options={"allow_http": True}), read_only=True)
    if kind == "s3":
        store = obstore.store.S3Store(plan, prefix="s.zarr", endpoint=url, region="us-east-1", skip_signature=True,
                                      virtual_hosted_style_request=False, client_options={"allow_http": True})
    else:
        store = obstore.store.AzureStore(plan, prefix="s.zarr", account_name=servers.ACCOUNT, endpoint=f"{url}/{servers.ACCOUNT}",
                                         skip_signature=True, client_options={"allow_http": True})
    return zarr.storage.ObjectStore(store, read_only=True)


def judge(kind, url, plan, arrays, groups):
    """What is there: name -> elements, name -> attributes."""
    import zarr

    root = zarr.open_group(judge_store(kind, url, plan), mode="r")
    elements = {name: root[name][:] for name in arrays}
    attributes = {name: dict((root if name == "/" else root[name]).attrs) for name in [*arrays, *groups]}
    return elements, attributes


# ---- readers ----

class Reader:
    def __init__(self, build, kind, url):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("AWS_", "AZURE_", "VOL_ZARR_", "HDF5_"))}
        environment |= {"HDF5_PLUGIN_PATH": str(build / "plugin"), "VOL_ZARR_ANONYMOUS": "1", "VOL_ZARR_TIMEOUT": "1", "no_proxy": "*",
                        "AWS_EC2_METADATA_DISABLED": "true"}
        if kind == "s3":
            environment |= {"VOL_ZARR_ENDPOINT": url, "VOL_ZARR_REGION": "us-east-1"}
        if kind == "az":
            environment |= {"VOL_ZARR_ENDPOINT": f"{url}/{servers.ACCOUNT}", "AZURE_STORAGE_ACCOUNT": servers.ACCOUNT}
        self.start = [sys.executable, str(HERE / "reader.py")], environment
        self.process = None

    def read(self, size, ends):
        data = b""
        while len(data) < size:
            if not select.select([self.process.stdout], [], [], max(0, ends - time.monotonic()))[0]:
                raise TimeoutError
            piece = os.read(self.process.stdout.fileno(), size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def do(self, url, steps):
        """(results, KiB), or a complaint."""
        if not self.process:
            command, environment = self.start
            self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        task = pickle.dumps((url, steps))
        ends = time.monotonic() + PATIENCE
        try:
            self.process.stdin.write(struct.pack("<Q", len(task)) + task)
            return pickle.loads(self.read(struct.unpack("<Q", self.read(8, ends))[0], ends))
        except TimeoutError:
            self.stop()
            return f"does not end within {PATIENCE} s"
        except (EOFError, OSError):
            status = self.process.wait()
            self.process = None
            return f"the reader died, status {status}"

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


# ---- a run ----

def url_of(kind, url, plan):
    return f"{url}/{plan}/s.zarr" if kind == "http" else f"{kind}://{plan}/s.zarr"


def draw_steps(draw, arrays, groups):
    steps = []
    for _ in range(draw.randint(2, 6)):
        name = draw.choice(arrays)
        what = draw.choice(["all", "all", "part", "part", "attributes", "list", "in"])
        if what == "all":
            steps.append(("read", name, slice(None)))
        elif what == "part":
            y, x = draw.randrange(60), draw.randrange(70)
            steps.append(("read", name, (slice(y, y + draw.randint(1, 20)), slice(x, x + draw.randint(1, 20)))))
        elif what == "list":
            steps.append(("list", draw.choice(groups)))
        else:
            steps.append((what, draw.choice([*arrays, *groups])))
    return steps


def draw_run(number, stores, short):
    """Kind, name of the store, plan without its values, steps: all from the number."""
    draw = random.Random(number)
    kind, store = draw.choice(KINDS), draw.choice(sorted(stores))
    unlisted = kind != "http" and draw.random() < 0.5
    faults = draw.choice([servers.REFUSALS, servers.REFUSALS, servers.EVIL, servers.LISTING if kind != "http" else servers.EVIL])
    names = [name for name in faults if not (short and name in servers.SLOW)]
    fault = draw.choice(names)
    what = "list" if faults is servers.LISTING else draw.choice(["all", "all", "chunk", "document"])
    if fault in ("denied", "not public") and (unlisted or kind == "az"):
        what = "all"  # some objects alone that are refused look absent there: docs/limits.md
    times = draw.randint(1, 3) if fault in servers.PASSING else 10**9
    plan = {"fault": fault, "what": what, "first": draw.choice([0, 0, draw.randrange(4), draw.randrange(30)]), "times": times, "unlisted": unlisted}
    _, arrays, groups = stores[store]
    steps = draw_steps(draw, arrays, groups)
    return kind, store, plan, steps[:1] if fault in servers.SLOW else steps  # each of them may take a minute


def expected(step, truth, arrays, groups):
    elements, attributes = truth
    what, name, *where = step
    if what == "read":
        return elements[name][where[0]]
    if what == "attributes":
        return attributes[name]
    if what == "in":
        return True
    return sorted(x.split("/")[-1] for x in [*arrays, *groups] if x != "/" and ("/" + x).rpartition("/")[0] == ("/" + name.strip("/")).rstrip("/"))


def same(value, right):
    if isinstance(right, np.ndarray):
        return isinstance(value, np.ndarray) and value.shape == right.shape and np.array_equal(value, right)
    return value == right


def shown(value, right):
    if not isinstance(value, np.ndarray) or value.shape != right.shape:
        return repr(value)
    wrong = np.argwhere(value != right)
    return f"{len(wrong)} elements, from {wrong[0].tolist()} ({value[tuple(wrong[0])]}, not {right[tuple(wrong[0])]}) on,"


def complaints_of(steps, results, truth, arrays, groups):
    for step, (what, value) in zip(steps, results, strict=True):
        right = expected(step, truth, arrays, groups)
        if what == "value" and not same(value, right):
            yield f"{step}: success, and {shown(value, right)} is wrong"
        if what == "error" and any(ord(c) < 32 and c not in "\n\t" for c in value):
            yield f"{step}: control characters in {value!r}"


class Machine:
    def __init__(self, build):
        self.stores, self.server = all_stores(), servers.Server()
        self.readers = {kind: Reader(build, kind, self.server.url) for kind in KINDS}
        self.truths = {}
        self.outcomes = {"as zarr-python": 0, "error": 0}

    def truth(self, kind, store):
        if (kind, store) not in self.truths:
            values, arrays, groups = self.stores[store]
            self.server.add("truth", servers.Plan(kind, values))
            self.truths[kind, store] = judge(kind, self.server.url, "truth", arrays, groups)
            self.server.remove("truth")
        return self.truths[kind, store]

    def run(self, number, short, verbose=False):
        """(case, complaints)."""
        kind, store, plan, steps = draw_run(number, self.stores, short)
        values, arrays, groups = self.stores[store]
        truth, name = self.truth(kind, store), f"p{number}"
        made = servers.Plan(kind, values, **plan)
        self.server.add(name, made)
        answer = self.readers[kind].do(url_of(kind, self.server.url, name), steps)
        self.server.remove(name)
        if verbose:
            print(kind, store, plan, *zip(steps, answer[0], strict=True) if not isinstance(answer, str) else answer, made.requests, sep="\n")
        case = next(word for word, faults in (("refusals", servers.REFUSALS), ("evil", servers.EVIL), ("listings", servers.LISTING)) if plan["fault"] in faults)
        if isinstance(answer, str):
            return f"{kind} {case}", [f"{plan}: {answer}"]
        results, memory = answer
        for what, _ in results:
            self.outcomes["error" if what == "error" else "as zarr-python"] += 1
        found = [f"{plan} {store}: {text}" for text in complaints_of(steps, results, truth, arrays, groups)]
        if memory > MEMORY:
            self.readers[kind].stop()
            found.append(f"{plan}: {memory >> 10} MiB")
        return f"{kind} {case}", found

    def stop(self):
        for reader in self.readers.values():
            reader.stop()
        self.server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--runs", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    parser.add_argument("--one", type=int)
    parser.add_argument("--short", action="store_true", help="without what takes seconds by itself")
    parser.add_argument("--report")
    options = parser.parse_args()
    machine, result = Machine(options.build.resolve()), report.Report("net")
    try:
        if options.one is not None:
            print(*machine.run(options.one, options.short, True))
            return 0
        print(f"net: seed {options.seed}", flush=True)
        ends, number = time.monotonic() + options.seconds, options.seed * 1000000
        for number in range(number, number + options.runs):
            if time.monotonic() > ends:
                break
            case, found = machine.run(number, options.short)
            result.ran(case, found, f"tools/net.sh --one {number}{' --short' if options.short else ''}")
    finally:
        machine.stop()
    print("net: of what was asked for,", ", ".join(f"{count} {what}" for what, count in machine.outcomes.items()))
    return result.finish(options.report)


sys.exit(main())
