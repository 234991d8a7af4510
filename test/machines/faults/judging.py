"""What a run with a failing call reported and left. Runs leave few different stores, and each is judged once."""

import errno
import os
import zipfile

import scripts
import stores
from expect import check, without


class Judge:
    """`file`: the store's name; `reopen`: the next writer, on a path: None or a complaint; `zarr_sees`: what zarr-python does, on a path:
    ({path: Seen} or None, complaints). `hdf5_sees`: the same of h5py, of a one-file store, whose flushes promise something to HDF5 programs
    alone (docs/format.md); else None."""

    def __init__(self, file, reopen, zarr_sees, hdf5_sees=None):
        self.file, self.reopen, self.zarr_sees, self.hdf5_sees = file, reopen, zarr_sees, hdf5_sees
        self.stores = {}  # who looks and what lies in a store -> what is seen in it, complaints
        self.judged = {}  # the same and what was promised -> complaints
        self.nexts = {}  # what lies in the directory -> what was left over, complaints about the next writer

    def judge_reading(self, plan, answer):
        for what in ("signal", "hang", "status", "failed"):
            if what in answer:
                return [f"{what} {answer[what]}"]
        complaints = [f"{name}: {wrong}" for name, _, _, wrong in answer["steps"] if wrong]
        if answer["files"]:
            complaints.append(f"left open: {answer['files']}")
        if answer.get("leaks"):
            complaints.append("memory leaked")
        return complaints + self.judge_words(plan, answer)

    def judge_writing(self, script, plan, answer, path, left, failed):
        """`left`: everything in the store's directory, as tree.take() tells it; `failed`: the kind of call."""
        complaints = self.judge_reading(plan, answer)
        if "steps" not in answer:
            return complaints
        steps = tuple((name, ok) for name, ok, *_ in answer["steps"])
        left = tuple(left)
        if (script, steps, left) not in self.judged:
            self.judged[script, steps, left] = self.judge_by_all(script, steps, path, left)
        complaints += self.judged[script, steps, left]
        if steps[-2] == ("close", True) or steps[-1][1]:
            complaints += self.judge_leftovers(path, left, plan[0] == "once" and failed != "unlink")
        return complaints

    def judge_words(self, plan, answer):
        """A failure is told with a reason, and only where there is one."""
        failed = [(name, said) for name, ok, said, _ in answer["steps"] if not ok]
        mode, _, _, error = plan
        if not answer["hit"]:
            return ["the call did not come" if not failed else f"{failed[0][0]} failed although nothing happened: {failed[0][1]}"]
        if not failed:
            return []
        name, said = failed[0]
        reason = os.strerror(error)
        if not said:
            return [f"{name} failed without a word"]
        if mode == "once" and error != errno.ENOMEM and reason.lower() not in said.lower():
            return [f"{name} failed without the reason ({reason}): {said.strip()[:300]!r}"]
        if self.file not in said and error != errno.ENOMEM:
            return [f"{name} failed without the name of the store: {said.strip()[:300]!r}"]
        return []

    def judge_by_all(self, script, steps, path, left):
        """Where the close of a one-file store failed, others see what the last one left, unless that was being replaced."""
        promised = scripts.run(script, steps)
        if not self.hdf5_sees or ("close", True) in steps:
            return self.judge_store(path, left, self.zarr_sees, *promised)
        complaints = ["h5py: " + text for text in self.judge_store(path, left, self.hdf5_sees, *promised)]
        if zipfile.is_zipfile(path):
            complaints += self.judge_store(path, left, self.zarr_sees, *scripts.run(script, steps, promises=("close",)))
        return complaints

    def judge_store(self, path, left, sees, histories, there):
        if not path.exists():
            return ["the store is gone"] if there else []
        mark = (sees, *((name, content) for name, content in left if name == self.file or name.startswith(self.file + "/")))
        if mark not in self.stores:
            self.stores[mark] = sees(path)
        seen, complaints = self.stores[mark]
        if seen is None:
            nothing_promised = not there and all(None in history for history in histories.values())
            return [] if nothing_promised and not stores.is_store(path) else complaints
        complaints = [text for text in complaints if not stores.STAGE_IN_ROOT.search(text)]
        away = stores.set_aside(path)
        return complaints + check(seen, without(histories, away)) + (self.judge_put_back(path, sees, histories) if away else [])

    def judge_put_back(self, path, sees, histories):
        """Nothing is lost that the next writer gives its place again."""
        complaints = list(filter(None, [self.reopen(path)]))
        seen, said = sees(path)
        return complaints + [f"after the next writer: {text}" for text in (said if seen is None else check(seen, histories))]

    def judge_leftovers(self, path, left, nothing_stays):
        """After close nothing unfinished stays, unless removing it was what failed; the next writer removes that."""
        if left not in self.nexts:
            self.nexts[left] = self.judge_next(path)
        unfinished, complaints = self.nexts[left]
        return ([f"left behind: {unfinished}"] if unfinished and nothing_stays else []) + complaints

    def judge_next(self, path):
        """(what is left over, complaints about the next writer)"""
        left = stores.leftovers(path) if path.exists() else []
        if not left or not stores.is_store(path):
            return left, []
        complaints = list(filter(None, [self.reopen(path)]))
        again = [name for name in stores.leftovers(path) if not self.is_of_unknown_reach(path.parent / name)]
        return left, complaints + ([f"the next writer left behind: {again}"] if again else [])

    @staticmethod
    def is_of_unknown_reach(path):
        """A stage whose writer could not ask how far locks reach there: its lease says so, and it stays (docs/limits.md)."""
        lease = path / "lease"
        return lease.is_file() and lease.read_text().split("\n")[0].endswith(" none")
