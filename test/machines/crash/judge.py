"""Judges what a writer of operations.py left behind: by zarr-python, by h5py through the connector, and by a walk of the directory."""

import base64
import collections
import json
import os
import pathlib
import pickle
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import foreign  # noqa: E402
import operations  # noqa: E402
import stores  # noqa: E402
from expect import Seen, check, without  # noqa: E402


class Server:
    """A process that answers one line of JSON with lines, the last of which begins with "end"."""

    def __init__(self, command, environment=None):
        self.process = subprocess.Popen(list(map(str, command)), env={**os.environ, **(environment or {})}, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{command} does not start")

    def ask(self, request, heard=lambda word, rest: None):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"the process ended at {request}")
            word, _, rest = line.rstrip("\n").partition(" ")
            heard(word, rest)
            answer.append((word, rest))
            if word == "end":
                return answer

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def zarr_server():
    """stores.read_both_ways() in another interpreter: zarr-python 2 is in an environment of its own."""
    print("ready", flush=True)
    for line in sys.stdin:
        answer = zarr_sees(json.loads(line)["path"])
        print("seen " + base64.b64encode(pickle.dumps(answer)).decode() + "\nend 0", flush=True)


def zarr_sees(path):
    """({path: Seen} or None, complaints)"""
    try:
        return stores.read_both_ways(path)
    except Exception as error:  # whatever zarr-python raises is a complaint
        return None, [f"zarr-python: {type(error).__name__}: {str(error)[:300]}"]


class ZarrPython:
    """`python`: the interpreter with the zarr-python to ask, if not this one."""

    def __init__(self, python=None):
        self.server = Server([python, __file__]) if python else None

    def sees(self, path):
        return pickle.loads(base64.b64decode(dict(self.server.ask({"path": str(path)}))["seen"])) if self.server else zarr_sees(path)

    def stop(self):
        if self.server:
            self.server.stop()


def seen_by(writer, path):
    """What h5py sees through the connector: ({path: Seen} or None, complaints)."""
    answer = dict(writer.ask({"do": "view", "path": str(path)}))
    if "seen" not in answer:
        return None, [str(answer.get("error", answer))]
    raw = pickle.loads(base64.b64decode(answer["seen"]))
    return {name: Seen(data, attributes) for name, (data, attributes) in raw.items()}, []


class HDF5Python:
    """h5py, in a process for each look that never had the store open."""

    def __init__(self, hook, plugin_dir):
        self.server = Server([sys.executable, HERE / "writer.py", hook], {"HDF5_PLUGIN_PATH": str(plugin_dir), "HDF5_VOL_CONNECTOR": "zarr"})

    def sees(self, path):
        return seen_by(self.server, path)


class Judge:
    def __init__(self, writer, zarr_python=None):
        """`writer`: the Server of writer.py. `zarr_python`: as above."""
        self.writer, self.zarr = writer, ZarrPython(zarr_python)
        self.window = {}  # of files: reader -> [could not read it, was asked], before the next writer came

    def stop(self):
        self.zarr.stop()

    @staticmethod
    def is_nothing_yet(path, promised):
        """A store may be missing, or not be one yet, when nothing of it was promised."""
        return not promised and (not path.exists() or not stores.is_store(path))

    def by_zarr(self, path, histories, promised, sees=None):
        """Complaints. `sees`: to be asked instead of zarr-python, by somebody who knows its answer."""
        if self.is_nothing_yet(path, promised):
            return []
        seen, complaints = (sees or self.zarr.sees)(path)
        return complaints if seen is None else complaints + check(seen, without(histories, stores.set_aside(path)))

    def by_hdf5(self, path, histories, promised):
        """h5py sees every name, also second ones, which Zarr has no word for."""
        if self.is_nothing_yet(path, promised):
            return []
        seen, complaints = seen_by(self.writer, path)
        histories = without(histories, stores.set_aside(path))
        if seen is None:
            return ["h5py: " + text for text in complaints]
        return ["h5py: " + text for text in check(seen, histories) + missing_names(seen, histories) + lost_references(seen, histories)]

    def by_next_writer(self, path, histories, promised):
        if self.is_nothing_yet(path, promised):
            return []
        answer = dict(self.writer.ask({"do": "reopen", "path": str(path)}))
        if answer.get("error") or answer["end"] != "0":
            return [f"the next writer: {answer}"]
        complaints = []
        left = stores.leftovers(path)
        if left:
            complaints.append(f"the next writer leaves {left}")
        return complaints + ["after the next writer: " + text for text in self.by_zarr(path, histories, promised)]

    def by_foreign(self, path):
        """Can others read the file, as a killed writer left it?"""
        whole = {reader: read(path) for reader, read in foreign.READERS.items()}
        for reader, ok in whole.items():
            count = self.window.setdefault(reader, [0, 0])
            count[0] += not ok
            count[1] += 1
        return whole["zipfile"]

    def judge(self, path, plan, promised, begun, closed=None, hdf5=True):
        """Everything, after a writer that began operation `begun` last and whose last promise was operation `promised` (-1: none), to
        all readers of a one-file store operation `closed`. While a writer repeats the directory of a file at its end others cannot read
        it: then only this connector is asked, and everybody when the next writer was there."""
        histories = operations.histories(plan, promised, begun)
        given = promised >= 0
        is_file = stores.is_zip(path) and path.is_file()
        complaints = []
        if not is_file:
            complaints = self.by_zarr(path, histories, given)
        elif self.by_foreign(path):
            seen = closed if str(path).endswith(".h5") and closed is not None else promised
            complaints = self.by_zarr(path, operations.histories(plan, seen, begun), seen >= 0)
        if hdf5:
            complaints += self.by_hdf5(path, histories, given)
        return complaints + self.by_next_writer(path, histories, given)


def missing_names(seen, histories):
    """Names that a thing had in each of its states."""
    complaints = []
    for thing, history in histories.items():
        if None not in history:
            always = set.intersection(*(set(state.names) for state in history))
            complaints += [f"{name}: the name is lost" for name in sorted(always - set(seen))]
    return complaints


def lost_references(seen, histories):
    """References that were the same in each state, from something that was always there to something that was, lead to it. Paths that were
    also another thing's tell nothing."""
    complaints = []
    owners = collections.Counter(path for history in histories.values() for path in {path for state in history if state for path in state.names})
    for thing, history in histories.items():
        if None in history:
            continue
        for name, target in history[0].references.items():
            goals = histories.get(target, [None])
            if None in goals or any(state.references.get(name) != target for state in history):
                continue
            allowed = {path for state in goals for path in state.names}
            for path in {path for state in history for path in state.names if owners[path] == 1} & set(seen):
                led = seen[path].attributes.get(name, "nowhere")
                if led not in allowed:
                    complaints.append(f"the reference {name} of {path} leads to {led}, not to {sorted(allowed)}")
    return complaints


if __name__ == "__main__":
    zarr_server()
