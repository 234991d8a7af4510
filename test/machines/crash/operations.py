"""Random operations on a store, and what it holds after each: the same list for the writer and for the judge, from one seed.

An operation is a tuple of plain values, the first its name; `writer.py` knows how to do it with h5py. What it leads to is known here,
in plain Python and numpy. Paths have no slash at the beginning; "" is the root.
"""

import dataclasses
import random

import numpy as np

from expect import State

FIRST = (5, 40)  # operations before the first close, and how many there are at most in a session
TYPES = ("i4", "f8", "u1", "text", "row")
NAMES = "abcdefgh"
# Chunks of large arrays, and shapes: shards of four chunks, 256 KiB, go to their files in pieces; rows of 2 KiB go there from where they lie.
LARGE = {"shards": ((16384,), ((4 * 16384,), (114_000,))), "rows": ((32, 512), ((64, 1024), (70, 1100)))}
LONG = "a text that is wider than all that were there before"


def value(kind, number):
    return {"text": f"t{number}", "row": (number, f"t{number}")}.get(kind, number % 250 + 1 if kind == "u1" else number)


def values(kind, base, shape):
    count = int(np.prod(shape))
    if kind in ("i4", "f8"):
        return np.arange(base, base + count).astype(kind).reshape(shape)
    flat = [value(kind, base + i) for i in range(count)]
    if kind in ("text", "row"):
        array = np.empty(count, object)
        array[:] = flat
        return array.reshape(shape)
    return np.array(flat, kind).reshape(shape)


def unwritten(kind, shape):
    if kind not in ("text", "row"):
        return np.zeros(shape, kind)
    array = np.empty(int(np.prod(shape)), object)
    array[:] = ["" if kind == "text" else (0, "")] * len(array)
    return array.reshape(shape)


def kind_of(state):
    """The type of an array, as TYPES has it; it is never empty."""
    if state.data.dtype != object:
        return state.data.dtype.str[1:]
    return "row" if isinstance(state.data.reshape(-1)[0], tuple) else "text"


def resized(state, shape):
    data = unwritten(kind_of(state), shape)
    common = tuple(slice(0, min(a, b)) for a, b in zip(shape, state.data.shape))
    data[common] = state.data[common]
    return dataclasses.replace(state, data=data)


class Plan:
    """`operations`, and in `states` what there is before the first and after each of them: {thing: State}. Things are numbers; 0 is
    the root."""

    def __init__(self, seed, sessions=3, length=14, large=None):
        self.chance, self.large = random.Random(seed), large
        self.now, self.states, self.operations = {}, [{}], []
        self.things, self.numbers, self.held = 0, 0, set()
        self.add(("open", "w"), {0: State(("",))})
        for session in range(sessions):
            if session:
                self.add(("open", "r+"))
            for _ in range(self.chance.randrange(length // 2, length)):
                self.step()
            self.held.clear()
            self.add(("close",))

    def add(self, operation, changed=()):
        self.now = {**self.now, **dict(changed)}
        self.now = {thing: state for thing, state in self.now.items() if state is not None}
        self.operations.append(operation)
        self.states.append(self.now)

    def is_promise(self, number):
        """Operation `number` promises, when it succeeds, that what is there now is there from now on."""
        return self.operations[number][0] in ("close", "flush")

    def is_close(self, number):
        """It promises that to every reader: of a one-file store a flush promises it to this connector alone."""
        return self.operations[number][0] == "close"

    # ---- choosing ----

    def of(self, is_array):
        return [thing for thing, state in self.now.items() if (state.data is not None) == is_array]

    def names_of(self, thing):
        return self.now[thing].names

    def new_path(self, not_below=None):
        """A free path in some group, but not in or below `not_below`."""
        taken = {name for state in self.now.values() for name in state.names}
        groups = [name for thing in self.of(False) for name in self.names_of(thing)
                  if not_below is None or not (name + "/").startswith(not_below + "/")]
        group = self.chance.choice(groups)
        free = [path for name in NAMES if (path := f"{group}/{name}".lstrip("/")) not in taken]
        return self.chance.choice(free) if free and group.count("/") < 2 else None

    def some_array(self):
        arrays = self.of(True)
        return self.chance.choice(arrays) if arrays else None

    def number(self, count=1):
        self.numbers += count
        return self.numbers - count + 1

    # ---- operations ----

    def step(self):
        steps = {self.make_array: 5, self.make_group: 2, self.write: 6, self.resize: 4, self.append: 3, self.rename: 2, self.delete: 2,
                 self.link: 2, self.attribute: 3, self.refer: 2, self.widen: 2, self.flush: 4, self.hold: 1}
        if self.large:
            steps = {self.make_large: 3, self.write_large: 6, self.rename: 1, self.delete: 1, self.resize: 1, self.flush: 3}
        while not self.chance.choices(list(steps), list(steps.values()))[0]():
            pass

    def make_group(self):
        path = self.new_path()
        if path:
            self.things += 1
            self.add(("group", path), {self.things: State((path,))})
        return path

    def make_array(self):
        path = self.new_path()
        if not path:
            return False
        kind = self.chance.choice(TYPES)
        shape = tuple(self.chance.randrange(1, 30 if kind != "row" else 8) for _ in range(1 if kind == "row" else self.chance.choice((1, 1, 2))))
        chunks = tuple(self.chance.randrange(2, 9) for _ in shape)
        base = self.number(int(np.prod(shape))) if self.chance.random() < 0.8 else 0
        data = values(kind, base, shape) if base else unwritten(kind, shape)
        self.things += 1
        self.add(("array", path, kind, shape, chunks, base), {self.things: State((path,), data)})
        return True

    def make_large(self):
        chunk, shapes = LARGE[self.large]
        path, shape = self.new_path(), self.chance.choice(shapes)
        if not path:
            return False
        base = self.number(int(np.prod(shape)))
        self.things += 1
        self.add(("array", path, "i4", shape, chunk, base), {self.things: State((path,), values("i4", base, shape))})
        return True

    def write_large(self):
        """All of an array, whose whole chunks or shards are replaced."""
        thing = self.some_array()
        if thing is None:
            return False
        state, base = self.now[thing], self.number(self.now[thing].data.size)
        self.add(("write", state.names[0], "i4", (0,) * state.data.ndim, state.data.shape, base),
                 {thing: dataclasses.replace(state, data=values("i4", base, state.data.shape))})
        return True

    def write(self):
        thing = self.some_array()
        if thing is None:
            return False
        state, name = self.now[thing], self.chance.choice(self.names_of(thing))
        start = tuple(self.chance.randrange(n) for n in state.data.shape)
        count = tuple(self.chance.randrange(1, n - at + 1) for n, at in zip(state.data.shape, start))
        base = self.number(int(np.prod(count)))
        data = state.data.copy()
        data[tuple(slice(at, at + n) for at, n in zip(start, count))] = values(kind_of(state), base, count)
        self.add(("write", name, kind_of(state), start, count, base), {thing: dataclasses.replace(state, data=data)})
        return True

    def resize(self):
        thing = self.some_array()
        if thing is None:
            return False
        state = self.now[thing]
        shape = tuple(max(1, n + self.chance.randrange(-n, 12)) for n in state.data.shape)
        self.add(("resize", self.chance.choice(state.names), shape), {thing: resized(state, shape)})
        return True

    def append(self):
        thing = self.some_array()
        if thing is None:
            return False
        state = self.now[thing]
        old = state.data.shape
        shape = (old[0] + self.chance.randrange(1, 10), *old[1:])
        start, count = (old[0], *(0 for _ in old[1:])), (shape[0] - old[0], *old[1:])
        base = self.number(int(np.prod(count)))
        state = resized(state, shape)
        state.data[old[0]:] = values(kind_of(state), base, count)
        self.add(("append", self.chance.choice(state.names), kind_of(state), shape, start, count, base), {thing: state})
        return True

    def rename(self):
        things = [thing for thing in self.now if thing]
        if not things:
            return False
        old = self.chance.choice(self.names_of(self.chance.choice(things)))
        new = self.new_path(not_below=old)
        if not new:
            return False

        def moved(name):
            return new + name[len(old):] if name == old or name.startswith(old + "/") else name

        changed = {thing: dataclasses.replace(state, names=tuple(sorted(map(moved, state.names)))) for thing, state in self.now.items()}
        self.add(("rename", old, new), changed)
        return True

    def delete(self):
        things = [thing for thing in self.now if thing]
        if not things or self.chance.random() < 0.3:
            return False
        old = self.chance.choice(self.names_of(self.chance.choice(things)))
        changed = {}
        for thing, state in self.now.items():
            names = tuple(name for name in state.names if name != old and not name.startswith(old + "/"))
            if names != state.names:
                changed[thing] = dataclasses.replace(state, names=names) if names else None
        self.add(("delete", old), changed)
        return True

    def link(self):
        thing, path = self.some_array(), self.new_path()
        if thing is None or not path:
            return False
        state = self.now[thing]
        self.add(("link", state.names[0], path), {thing: dataclasses.replace(state, names=tuple(sorted((*state.names, path))))})
        return True

    def attribute(self):
        thing = self.chance.choice(list(self.now))
        state, name = self.now[thing], self.chance.choice("xyz")
        number = self.number()
        given = number if self.chance.random() < 0.5 else f"text {number}"
        if name in state.attributes and self.chance.random() < 0.3:
            rest = {key: v for key, v in state.attributes.items() if key != name}
            self.add(("forget", state.names[0], name), {thing: dataclasses.replace(state, attributes=rest)})
        else:
            self.add(("attribute", state.names[0], name, given),
                     {thing: dataclasses.replace(state, attributes={**state.attributes, name: given})})
        return True

    def refer(self):
        """An attribute that is a reference."""
        thing, target = self.chance.choice(list(self.now)), self.chance.choice(list(self.now))
        state, name = self.now[thing], self.chance.choice(("r1", "r2"))
        if not target:
            return False
        self.add(("refer", state.names[0], name, self.names_of(target)[0]),
                 {thing: dataclasses.replace(state, references={**state.references, name: target})})
        return True

    def widen(self):
        things = [thing for thing in self.of(True) if kind_of(self.now[thing]) == "row"]
        if not things:
            return False
        thing = self.chance.choice(things)
        state = self.now[thing]
        at, number = self.chance.randrange(len(state.data)), self.number()
        data = state.data.copy()
        data[at] = (number, LONG[:self.chance.randrange(10, len(LONG))] + str(number))
        self.add(("widen", state.names[0], at, *data[at]), {thing: dataclasses.replace(state, data=data)})
        return True

    def flush(self):
        self.add(("flush",))
        return True

    def hold(self):
        """A handle stays open until the file is closed, whatever becomes of the name."""
        thing = self.some_array()
        if thing is None:
            return False
        self.add(("hold", self.names_of(thing)[0]))
        return True


def histories(plan, promised, begun):
    """{thing: its states} after the promise of operation `promised` (-1: none was made) when operation `begun` was the last that
    was begun."""
    snapshots = plan.states[promised + 1:begun + 2]
    result = {}
    for thing in {thing for snapshot in snapshots for thing in snapshot}:
        states = [snapshot.get(thing) for snapshot in snapshots]
        result[thing] = [state for i, state in enumerate(states) if not i or state is not states[i - 1]]
    return result
