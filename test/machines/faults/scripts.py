"""What the scripts of workload.c leave in a store: the history of each thing, from which of their steps reported success."""

import numpy as np

from expect import State

ROWS, COLUMNS, TEXTS = 12, 6, 3
LARGE = 7 * 16384
TALL = (70, 1100)
NUMBERS, PARTS, LATE, GONE, NEWER = range(5)


def elements(which, version, indexes):
    """element() of script.h"""
    return np.array([which * 100000 + version * 10000 + i + 1 for i in indexes], "i4")


def objects(items):
    array = np.empty(len(items), object)
    array[:] = items
    return array


def parts(size, version):
    data = np.zeros(size, "i4")
    data[1:7] = elements(PARTS, 0, range(1, 7))
    if version:
        data[10:13] = elements(PARTS, 1, range(10, 13))
    return data


def numbers(version):
    data = elements(NUMBERS, 0, range(ROWS * COLUMNS))
    if version:
        data[2 * COLUMNS:9 * COLUMNS] = elements(NUMBERS, 1, range(2 * COLUMNS, 9 * COLUMNS))
    return data.reshape(ROWS, COLUMNS)


def large(version, shape=(LARGE,)):
    """large_element() of script.h"""
    return (np.arange(np.prod(shape), dtype="u4") * np.uint32(2654435761) + np.uint32(version + 1)).view("i4").reshape(shape)


# step -> [(thing, its states, one after another)]; a step that makes an array and fills it passes through the unfilled one
CREATE = {
    "group": [("g", [State(("g",))])],
    "numbers": [("numbers", [State(("g/numbers",), np.zeros((ROWS, COLUMNS), "i4")), State(("g/numbers",), numbers(0))])],
    "parts": [("parts", [State(("parts",), np.zeros(10, "i4")), State(("parts",), parts(10, 0))])],
    "text": [("text", [State(("text",), objects([""] * TEXTS)), State(("text",), objects([f"text {i}" for i in range(TEXTS)]))])],
    "rows": [("rows", [State(("rows",), objects([(0, "")] * TEXTS)), State(("rows",), objects([(i, f"row {i}") for i in range(TEXTS)]))])],
    "attributes": [("g", [State(("g",), None, given) for given in ({"number": 0}, {"number": 7}, {"number": 7, "unit": ""},
                                                                   {"number": 7, "unit": "volt"})])],
    "gone": [("gone", [State(("gone",), np.zeros(6, "i4")), State(("gone",), elements(GONE, 0, range(6)))])],
    "late": [("late", [State(("late",), np.zeros(5, "i4")), State(("late",), elements(LATE, 0, range(5)))])],
}
ATTRIBUTES = {"number": 7, "unit": "volt"}
EXTENTS = [State(("parts",), parts(10, 0)[:3]), State(("parts",), np.concatenate([parts(10, 0)[:3], np.zeros(9, "i4")]))]
MORE = {
    "copy": [("copy", [State(("copy",)), State(("copy",), None, ATTRIBUTES)]),
             ("copy of numbers", [State(("copy/numbers",), np.zeros((ROWS, COLUMNS), "i4")), State(("copy/numbers",), numbers(0))])],
    "forget": [("g", [State(("g",), None, {"number": 7})])],
    "rename": [("g", [State(("g",), None, {"number": 7, "count": 7}), State(("g",), None, {"count": 7})])],
    "move": [("copy", [State(("moved",), None, ATTRIBUTES)]), ("copy of numbers", [State(("moved/numbers",), numbers(0))])],
    "remove": [("g", [None]), ("numbers", [None])],
    "again": [("g", [State(("g",))])],
    "extents": [("parts", EXTENTS)],
    "type": [("type", [State(("type",))])],
}
WORDS = CREATE["text"][0][1][1].data
CHANGE = {
    "overwrite": [("numbers", [State(("g/numbers",), numbers(1))])],
    "grow": [("parts", [State(("parts",), parts(13, 0)), State(("parts",), parts(13, 1))])],
    "shrink": [("late", [State(("late",), elements(LATE, 0, range(3)))])],
    "attributes": [("g", [State(("g",), None, {"number": 8, "unit": "volt", **more}) for more in ({}, {"factor": 0.0}, {"factor": 2.5})])],
    "move": [("text", [State(("g/words",), WORDS)])],
    "link": [("numbers", [State(("g/numbers", "same"), numbers(1))])],
    "widen": [("rows", [State(("rows",), objects([(0, "row 0"), (11, "a row with a longer text"), (2, "row 2")]))])],
    "delete": [("gone", [None])],
    "new": [("new", [State(("new",), np.zeros(6, "i4")), State(("new",), elements(NEWER, 0, range(6)))])],
}
PIECES = {
    "large": [("large", [State(("large",), np.zeros(LARGE, "i4")), State(("large",), large(0))])],
    "large again": [("large", [State(("large",), large(1))])],
    "large once more": [("large", [State(("large",), large(2))])],
}
TALL_STEPS = {
    "tall": [("tall", [State(("tall",), np.zeros(TALL, "i4")), State(("tall",), large(0, TALL))])],
    "tall again": [("tall", [State(("tall",), large(1, TALL))])],
    "tall once more": [("tall", [State(("tall",), large(2, TALL))])],
}
NEW = ("create", "pieces", "tall")  # scripts that make the store
EFFECTS = {"create": CREATE, "pieces": PIECES, "tall": TALL_STEPS, "change": CHANGE, "more": MORE, "reopen": {}, "read": {}}
THINGS = ("g", "numbers", "parts", "text", "rows", "gone", "late", "new", "copy", "copy of numbers", "type", "large", "tall")


def begin(script):
    """The histories before the script runs."""
    histories = {thing: [None] for thing in THINGS}
    if script not in NEW:
        for effects in CREATE.values():
            for thing, states in effects:
                histories[thing] = [states[-1]]
    return histories


def run(script, results, promises=("flush", "close")):
    """({thing: history}, the store must be there) after steps with these results: [(name, succeeded)]. `promises`: the steps that promise
    something to the reader who is asked."""
    histories = begin(script)
    failed = set()
    there = script not in NEW
    for name, ok in results:
        if name in ("create", "open"):
            if not ok:
                return histories, there
        elif name in promises:
            if ok:
                there = True
                for thing in set(histories) - failed:
                    histories[thing] = histories[thing][-1:]
        for thing, states in EFFECTS[script].get(name, ()):
            histories[thing] = histories[thing] + states
            if not ok:
                failed.add(thing)
    return histories, there
