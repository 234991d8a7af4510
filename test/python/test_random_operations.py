"""Random programs: the same sequence of operations on a native file and on a store must answer alike, step by step.

A seed that once failed is worth keeping in SEEDS."""

import h5py
import numpy as np
import pytest

import alike
import view
from alike import outcome

pytestmark = pytest.mark.filterwarnings("ignore")

SEEDS = list(range(24))
STEPS = 120
NAMES = ["a", "b", "c", "ü x", "d.e"]
DTYPES = ["i1", "<i4", ">i8", "u2", "f4", ">f8", "c16", "?", "S4", "f2"]


class Program:
    """Draws operations; what it remembers of the file is only the names it made, so both runs draw the same."""

    def __init__(self, seed, path):
        self.rng = np.random.default_rng(seed)
        self.path = path
        self.file = h5py.File(path, "w")
        self.paths = [""]
        self.datasets = ["/none"]
        self.open = []

    def one_of(self, things):
        return things[self.rng.integers(len(things))]

    def path_of(self):
        return self.one_of(self.paths) or "/"

    def dataset_path(self):
        return self.one_of(self.datasets[-8:]) if self.rng.random() < 0.9 else self.path_of()

    def new_path(self):
        """Mostly below a group: at the root, or a few levels down."""
        parents = ["", "/group", "/group/ü x"] if self.rng.random() < 0.8 else self.paths
        return f"{self.one_of(parents)}/{self.one_of(NAMES)}{self.rng.integers(0, 10)}"

    def data(self, dtype, shape):
        return (self.rng.integers(-100, 100, shape) * 1.5).astype("i1" if dtype == "u2" else "f8").astype(np.dtype(dtype) if dtype != "?" else bool)

    def remember(self, path):
        self.paths.append(path)

    def group(self):
        path = self.new_path()
        self.remember(path)
        return lambda: self.file.create_group(path, track_order=len(path) % 3 == 0 or None).name

    def dataset(self):
        path, dtype, rank = self.new_path(), self.one_of(DTYPES), self.rng.integers(0, 4)
        shape = tuple(int(n) for n in self.rng.integers(0, 9, rank))
        data, options = self.data(dtype, shape), {}
        if rank and min(shape) and self.rng.random() < 0.7:
            options = {"chunks": tuple(int(self.rng.integers(1, n + 1)) for n in shape), "maxshape": self.one_of([shape, (None,) * rank, tuple(n + 5 for n in shape)])}
            if self.rng.random() < 0.5:
                options.update(compression="gzip", shuffle=True)
            if self.rng.random() < 0.3:
                options["fillvalue"] = data.ravel()[0]
        self.remember(path)
        self.datasets.append(path)
        return lambda: view.storage(self.file.create_dataset(path, data=data, **options))

    def text(self):
        path, values = self.new_path(), ["x" * int(n) + "é" for n in self.rng.integers(0, 40, self.rng.integers(1, 6))]
        self.remember(path)
        self.datasets.append(path)
        return lambda: self.file.__setitem__(path, values)

    def write(self):
        path, a, b, step, value = self.dataset_path(), *(int(n) for n in self.rng.integers(0, 8, 2)), int(self.rng.integers(1, 3)), int(self.rng.integers(0, 100))

        def call():
            d = self.file[path]
            d[a:b:step] = str(value).encode() if d.dtype.kind in "SO" else value
        return call

    def write_part(self):
        path, where = self.dataset_path(), self.rng.random(3)

        def call():
            d = self.file[path]
            box = tuple(slice(int(n * w), n) for n, w in zip(d.shape, where))
            d[box] = np.ones([s.stop - s.start for s in box], d.dtype)
        return call

    def read(self):
        path, where = self.dataset_path(), self.rng.random((2, 3))

        def call():
            d = self.file[path]
            return d[tuple(slice(int(n * min(v, w)), int(n * max(v, w)) + 1) for n, v, w in zip(d.shape, *where))]
        return call

    def fancy(self):
        path, threshold = self.dataset_path(), self.rng.random()

        def call():
            d = self.file[path]
            return d[np.linspace(0, 1, d.size).reshape(d.shape) > threshold]
        return call

    def resize(self):
        path, shape = self.dataset_path(), tuple(int(n) for n in self.rng.integers(0, 12, 3))
        return lambda: self.file[path].resize(shape[:self.file[path].ndim])

    def attribute(self):
        path, name = self.path_of(), self.one_of(NAMES)
        value = self.one_of([1, 2.5, "text", True, [1, 2], ["a", "b"], np.float32(0.1), np.arange(4, dtype="u1"), h5py.Empty("i4"), 1j])
        return lambda: self.file[path].attrs.__setitem__(name, value)

    def delete_attribute(self):
        path, name = self.path_of(), self.one_of(NAMES)
        return lambda: self.file[path].attrs.__delitem__(name)

    def delete(self):
        path = self.path_of()
        return lambda: self.file.__delitem__(path)

    def move(self):
        source, target = self.path_of(), self.new_path()
        if (target + "/").startswith(source + "/"):  # native HDF5 lets a group vanish into itself
            return lambda: None
        self.remember(target)
        return lambda: self.file.move(source, target)

    def look(self):
        path = self.path_of()
        return lambda: (list(self.file[path]), sorted(self.file[path].attrs), self.file[path].name, path in self.file)

    def keep(self):
        path = self.path_of()
        return lambda: self.open.append(self.file[path])

    def look_at_kept(self):
        pick = int(self.rng.integers(0, 50))

        def call():
            if self.open:
                item = self.open[pick % len(self.open)]
                return view.anything(item)
        return call

    def flush(self):
        return lambda: self.file.flush()

    def anonymous(self):
        path, data = self.new_path(), self.data("f4", (5,))
        self.remember(path)

        def call():
            d = self.file.create_dataset(None, data=data, chunks=(2,))
            d.attrs["k"] = 1
            self.file[path] = d
        return call

    def reopen(self):
        mode = self.one_of(["a", "r+"])

        def call():
            self.open.clear()
            self.file.close()
            self.file = h5py.File(self.path, mode)
        return call

    def everything(self):
        return lambda: view.tree(self.file)


WEIGHTS = {
    "group": 3, "dataset": 6, "text": 1, "write": 4, "write_part": 4, "read": 4, "fancy": 1, "resize": 4, "attribute": 4, "delete_attribute": 1, "delete": 1, "move": 2,
    "look": 2, "keep": 1, "look_at_kept": 1, "flush": 0.5, "anonymous": 1, "reopen": 0.7, "everything": 0.5,
}


def run(path, seed):
    program = Program(seed, path)
    names, weights = list(WEIGHTS), np.array(list(WEIGHTS.values()))
    answers = []
    for name in program.rng.choice(names, STEPS, p=weights / weights.sum()):
        call = getattr(program, name)()
        answers.append((str(name), outcome(call)))
    program.open.clear()
    program.file.close()
    with h5py.File(path, "r") as f:
        return answers, alike.everything(f)


def alike_enough(a, b):
    """A refusal may come by another exception class; that and what of it was refused must agree."""
    if isinstance(a, tuple) and isinstance(b, tuple) and a and b and a[0] == b[0] == "raised":
        return True
    return a == b


@pytest.mark.parametrize("seed", SEEDS)
def test_random_program(seed, connector, tmp_path):
    native, shown = run(tmp_path / "n.h5", seed)
    ours, ours_shown = connector.run(run, str(tmp_path / "s.zarr"), seed)
    for step, (a, b) in enumerate(zip(native, ours)):
        assert alike_enough(a[1], b[1]), f"step {step}: {a[0]}"
    assert sum(isinstance(a, tuple) and a[:1] == ("raised",) for _, a in native) < STEPS * 0.7
    assert ours_shown == shown
    alike.zarr_sees_it_too(tmp_path / "s.zarr")
