"""What a store may hold after a writer that failed or died, and whether what a reader saw is among it.

A thing (an array or a group) has a history: the states that it had since the last promise, first the promised one, then one
for each operation begun afterwards. A promise is a flush or close that reported success. `None` is the state of what does not
exist. With one state in the history the thing must be exactly so. With more, each element must have the value that it had in one
of them: chunks are replaced whole, so one write may be there in part, but nothing else may.
"""

import dataclasses
import math

import numpy as np

HIDDEN_ATTRIBUTES = {"_HDF5", "zarr_dtype", "zarr_link", "_ARRAY_DIMENSIONS", "_DTYPE", "_LINKS"}  # docs/format.md


@dataclasses.dataclass(frozen=True)
class State:
    names: tuple  # paths; a Zarr reader sees the thing under one of them
    data: np.ndarray | None = None  # None: a group
    attributes: dict = dataclasses.field(default_factory=dict)
    references: dict = dataclasses.field(default_factory=dict)  # attributes that are references: name -> thing


def plain(data):
    """Arrays of text, and of structures, as arrays of str and tuples: readers differ in how they hold them."""
    data = np.asarray(data)
    if data.dtype.names:
        flat = [tuple(text_of(x) for x in item) for item in data.reshape(-1).tolist()]
    elif data.dtype.kind in "OSUT":
        flat = [text_of(x) if not isinstance(x, (list, np.ndarray)) else tuple(text_of(y) for y in x) for x in data.reshape(-1).tolist()]
    else:
        return data
    result = np.empty(len(flat), object)
    result[:] = flat
    return result.reshape(data.shape)


def text_of(value):
    return value.decode() if isinstance(value, bytes) else value


def fill_of(data):
    """What an element has that nobody wrote."""
    if data.dtype != object:
        return data.dtype.type(0)
    if data.size and isinstance(data.reshape(-1)[0], tuple):
        return tuple("" if isinstance(x, str) else 0 for x in data.reshape(-1)[0])
    return ""


def equal(a, b):
    """Element by element; NaN equals NaN."""
    if a.dtype == object or b.dtype == object:
        result = np.empty(a.shape, bool)
        result.reshape(-1)[:] = [x == y for x, y in zip(a.reshape(-1).tolist(), b.reshape(-1).tolist())]
        return result
    with np.errstate(invalid="ignore"):
        return (a == b) | ((a != a) & (b != b))


def is_fill(data):
    fill = fill_of(data)
    if data.dtype == object:
        result = np.empty(data.shape, bool)
        result.reshape(-1)[:] = [x == fill for x in data.reshape(-1).tolist()]
        return result
    return data == fill


def data_trouble(seen, history):
    """What is wrong with the elements, or None."""
    if any(state is not None and state.data is None for state in history) or seen is None:
        groups = any(state is not None and state.data is None for state in history)
        return None if seen is None and groups else "is a group" if seen is None else "is an array"
    shapes = {state.data.shape for state in history if state is not None}
    if seen.shape not in shapes:
        return f"shape {seen.shape}, not one of {sorted(shapes)}"
    good = np.zeros(seen.shape, bool)
    for state in history:
        if state is not None:
            common = tuple(slice(0, min(a, b)) for a, b in zip(seen.shape, state.data.shape))
            good[common] |= equal(seen[common], state.data[common])
    if len(history) > 1:
        never_promised = np.ones(seen.shape, bool)
        if history[0] is not None:
            never_promised[tuple(slice(0, n) for n in history[0].data.shape)] = False
        good |= never_promised & is_fill(seen)
    if good.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~good)[0])
    allowed = [state.data[at] for state in history if state is not None and all(i < n for i, n in zip(at, state.data.shape))]
    return f"{np.count_nonzero(~good)} of {good.size} elements wrong: {at} is {seen[at]!r}, not {allowed}"


def same_value(a, b):
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return a == b


def attribute_trouble(seen, history):
    states = [state for state in history if state is not None]
    references = {name for state in states for name in state.references}
    for name in {name for state in states for name in state.attributes} | set(seen) - HIDDEN_ATTRIBUTES - references:
        may_lack = any(name not in state.attributes for state in states) or history[0] is None
        if name not in seen:
            if not may_lack:
                return f"attribute {name} is missing"
        elif not any(name in state.attributes and same_value(seen[name], state.attributes[name]) for state in states):
            return f"attribute {name} is {seen[name]!r}"
    return None


@dataclasses.dataclass
class Seen:
    """What a reader saw at a path: `data` None for a group."""
    data: np.ndarray | None
    attributes: dict


def trouble_at(seen, history):
    return data_trouble(None if seen.data is None else plain(seen.data), history) or attribute_trouble(seen.attributes, history)


def without(histories, keys):
    """The histories where what has these keys need not be there."""
    return {thing: history + [None] if any(state and keys & set(state.names) for state in history) else history
            for thing, history in histories.items()}


def check(seen, histories):
    """The complaints about what was seen: {path: Seen}, against {thing: history}."""
    complaints, claimed = [], set()
    for thing, history in histories.items():
        names = {name for state in history if state is not None for name in state.names}
        troubles = {}
        for name in sorted(names & set(seen)):
            troubles[name] = trouble_at(seen[name], history)
            if troubles[name] is None:
                claimed.add(name)
        if None in history or any(trouble is None for trouble in troubles.values()):
            continue
        complaints.append(f"{thing}: lost, nothing at {sorted(names)}" if not troubles else
                          f"{thing}: " + "; ".join(f"{name}: {trouble}" for name, trouble in troubles.items()))
    for path in sorted(set(seen) - claimed):
        if path:
            histories_here = [h for h in histories.values() if any(s is not None and path in s.names for s in h)]
            why = "; ".join(str(trouble_at(seen[path], h)) for h in histories_here) or "nobody made it"
            complaints.append(f"{path}: not what anybody wrote there: {why}")
    return list(dict.fromkeys(complaints))
