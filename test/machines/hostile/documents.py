"""JSON documents as trees that keep what JSON text can say: members in their order, members twice, numbers of any size, and JSON
within the text of a value (_HDF5, references)."""

import json

DEEP = 3000  # levels of a nested value


class Members(list):
    """An object: a list of [name, value]."""


class Raw(str):
    """Text that stands in the document as it is."""


class Inner:
    """A string whose text is a document."""

    def __init__(self, tree):
        self.tree = tree


def parse(text):
    """The tree of a document; None for what is no JSON."""
    try:
        return _inner(json.loads(text, object_pairs_hook=lambda pairs: Members([name, value] for name, value in pairs)))
    except (ValueError, RecursionError):
        return None


def _inner(value):
    if isinstance(value, str) and value[:1] in ("{", "["):
        tree = parse(value)
        return Inner(tree) if tree is not None else value
    if isinstance(value, Members):
        return Members([name, _inner(member)] for name, member in value)
    return [_inner(item) for item in value] if isinstance(value, list) else value


def text_of(tree):
    if isinstance(tree, Raw):
        return str(tree)
    if isinstance(tree, Inner):
        return json.dumps(text_of(tree.tree))
    if isinstance(tree, Members):
        return "{" + ",".join(f"{json.dumps(name)}:{text_of(value)}" for name, value in tree) + "}"
    if isinstance(tree, list):
        return "[" + ",".join(map(text_of, tree)) + "]"
    return json.dumps(tree)


def places(tree, weight=1):
    """(container, index, weight) of every value in the tree; what lies deeper in an annotation is drawn more often."""
    found, waiting = [], [(tree, weight)]
    while waiting:
        value, weight = waiting.pop()
        if isinstance(value, Inner):
            value, weight = value.tree, weight * 3
        if isinstance(value, Members):
            inner = [(pair, 1, member) for pair in value for member in [pair[1]]]
        elif isinstance(value, list):
            inner = [(value, index, item) for index, item in enumerate(value)]
        else:
            continue
        for container, index, member in inner:
            found.append((container, index, weight))
            waiting.append((member, weight))
    return found


def objects(tree):
    """Every object in the tree."""
    found, waiting = [], [tree]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Inner):
            value = value.tree
        if isinstance(value, Members):
            found.append(value)
            waiting.extend(member for _, member in value)
        elif isinstance(value, list):
            waiting.extend(value)
    return found


NUMBERS = [Raw(text) for text in (
    "0", "-0", "1", "-1", "2", "3", "7", "8", "31", "32", "33", "64", "127", "128", "255", "256", "65535", "65536", "1000000", "2147483647", "2147483648", "4294967295",
    "4294967296", "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616",
    "1" + "0" * 40, "1e308", "1e400", "-1e400", "1e-400", "0.5", "1.0", "NaN", "Infinity", "-Infinity", "1073741824", "1073741825", "68719476736")]
STRINGS = ["", ".", "..", "/", "//", "a", "../decoy", "/a/b/c", "a" * 300, "a/" * 600, "\0", "a\0b", "\ud800", "é", "%", "%00", "%~", "NaN", "Infinity", "0x", "0xffffffffffffffffffffffff", "====",
           "AAAA", "A", "base64:", "base64:AAAA", "base64:/", ".zarray", "|O", "|V0", "|V1073741825", "<U1073741824", "|S1073741824", "<M8", "<M8[0ns]", "<i3", ">f16", "<f8", "|b1", "r0", "r8", "r9", "r8589934600",
           "{", "[", "{}", "[]", "null", "utf8", "all", "none", "hard", "soft", "ext", "ud", "datatype", "object"]
OTHERS = [None, True, False, Members(), Members([["", 0]]), [], [[]], [0], [None], [[0, 0], [0, 0]], Raw("[" * 60 + "]" * 60), Raw("[" * DEEP + "]" * DEEP), Raw('{"a":' * 60 + "0" + "}" * 60), Raw("nul"), Raw("")]


def hostile_value(rng, vocabulary):
    pick = rng.random()
    if pick < 0.35:
        return rng.choice(NUMBERS)
    if pick < 0.6:
        return rng.choice(STRINGS)
    if pick < 0.75:
        return rng.choice(OTHERS)
    return rng.choice(vocabulary[rng.choice(list(vocabulary))])


def replace(rng, tree, vocabulary):
    """A value by another: any, or one that stands elsewhere under the same name."""
    found = places(tree)
    if not found:
        return
    container, index, _ = rng.choices(found, [weight for *_, weight in found])[0]
    name = container[0] if len(container) == 2 and index == 1 and isinstance(container[0], str) else None
    if name in vocabulary and rng.random() < 0.5:
        container[index] = rng.choice(vocabulary[name])
    else:
        container[index] = hostile_value(rng, vocabulary)


def nudge(rng, tree, vocabulary):
    """A number by one beside it, or by a power of two times it; a string by a part of it."""
    found = [(c, i, w) for c, i, w in places(tree) if isinstance(c[i], (int, float, str)) and not isinstance(c[i], (bool, Raw))]
    if not found:
        return
    container, index, _ = rng.choices(found, [weight for *_, weight in found])[0]
    value = container[index]
    if isinstance(value, str):
        at = rng.randrange(len(value) + 1)
        container[index] = rng.choice([value[:at], value[at:], value + value, value[:at] + rng.choice(["0", "/", "<", "|", "\0", "-", "9999999999"]) + value[at:]])
    else:
        container[index] = rng.choice([value + 1, value - 1, -value, value * 2 ** rng.choice([1, 8, 16, 31, 32, 48, 63]), value // 2 if isinstance(value, int) else value / 2])


def drop(rng, tree, vocabulary):
    found = [members for members in objects(tree) if members]
    if found:
        members = rng.choice(found)
        del members[rng.randrange(len(members))]


def double(rng, tree, vocabulary):
    """A member twice, with another value; or under another name."""
    found = [members for members in objects(tree) if members]
    if found:
        members = rng.choice(found)
        name, value = rng.choice(members)
        if rng.random() < 0.6:
            members.insert(rng.randrange(len(members) + 1), [name, hostile_value(rng, vocabulary)])
        else:
            members.insert(rng.randrange(len(members) + 1), [rng.choice(list(vocabulary)), value])


def add(rng, tree, vocabulary):
    """A member that other documents have."""
    found = objects(tree)
    if found:
        name = rng.choice(list(vocabulary))
        rng.choice(found).append([name, rng.choice(vocabulary[name]) if rng.random() < 0.7 else hostile_value(rng, vocabulary)])


def repeat(rng, tree, vocabulary):
    """A list many times as long, or in another order."""
    found = [container[index] for container, index, _ in places(tree) if isinstance(container[index], list) and not isinstance(container[index], Members) and container[index]]
    if found:
        items = rng.choice(found)
        if rng.random() < 0.3:
            rng.shuffle(items)
        elif len(items) < 2000:
            items *= rng.choice([2, 3, 33, 300])


CHANGES = [(replace, 8), (nudge, 4), (drop, 2), (double, 2), (add, 3), (repeat, 1)]


def change(rng, text, vocabulary):
    """The text of a document after one change of what it says."""
    tree = parse(text)
    if tree is None or not isinstance(tree, list):
        return text
    rng.choices([call for call, _ in CHANGES], [weight for _, weight in CHANGES])[0](rng, tree, vocabulary)
    return text_of(tree)


def learn(vocabulary, text):
    """Adds the values of a document to those of the others, by their names."""
    for members in objects(parse(text)):
        for name, value in members:
            known = vocabulary.setdefault(name, [])
            if len(known) < 40 and value not in known:
                known.append(value)
