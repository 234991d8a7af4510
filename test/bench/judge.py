"""What of a result is not as wanted: sentences."""

import math

from .goals import GOALS
from .peers import NATIVE, OURS, PEERS
from .report import base, is_other, median, possible, ratio, spread

BEHIND = 1.05  # as far behind somebody else nobody notices
# Parts of the possible that are wanted for chunks from 1 MiB on and below, and the memory of HDF5's chunk cache.
POSSIBLE_LARGE, POSSIBLE_SMALL, CACHE = 0.85, 0.6, 8 * 2**20


def least(row, other, key="wall"):
    """The end of a sentence that compares with another peer: the row's floor as a part of that one's time. Nothing without a floor."""
    peers = row["peers"]
    return f", {median(peers['floor'], key) / median(peers[other], key):.2f} is the possible" if "floor" in peers else ""


def slower(row):
    """(sentence, whether it is more than what rounds differ by) where one of ours is slower than its native form or than a peer."""
    peers = row["peers"]
    by_python = [name for name in OURS if name in peers and not name.endswith(" C")]
    fastest = min(by_python, key=lambda name: median(peers[name]), default=None)
    pairs = [(name, native) for name in OURS if name in peers for native in (NATIVE[name], f"{NATIVE[name]} latest") if native in peers]
    pairs += [(fastest, name) for name in peers if fastest and is_other(name)]
    for name, other in pairs:
        by = median(peers[name]) / median(peers[other])
        if by > BEHIND:
            sentence = f"{row['section']}: {row['name']}: {PEERS[name].title} {by:.2f} of {PEERS[other].title}{least(row, other)}"
            yield sentence, by * (1 - spread(peers[name]) - spread(peers[other])) > BEHIND


def behind(result):
    return [sentence for row in result["rows"] for sentence, beyond in slower(row) if beyond]


def perhaps_behind(result):
    return [sentence for row in result["rows"] for sentence, beyond in slower(row) if not beyond]


def chunk_bytes(row):
    """Of the rows whose arrays are float32 in chunks, else None."""
    chunk = row["job"].get("chunk")
    return 4 * math.prod(chunk) if chunk and len(chunk) == 2 else None


def below_possible(result):
    """Whole arrays of which less of the possible is reached than is wanted."""
    found = []
    for row in result["rows"]:
        part, size = possible(row), chunk_bytes(row)
        if part is None or size is None or not row["section"].startswith("Whole"):
            continue
        wanted = POSSIBLE_LARGE if size >= 2**20 else POSSIBLE_SMALL
        if part < wanted:
            found.append(f"{row['section']}: {row['name']}: {part:.2f} of the possible, {wanted} are wanted")
    return found


def above_memory(result):
    """Rows of ours that took more beside the result than (threads + 1) * 2 chunks and the chunk cache; the pages of the libraries that
    were loaded meanwhile, 2 MiB of the connector and its codecs, are no memory of the read or write."""
    found = []
    for row in result["rows"]:
        size = chunk_bytes(row)
        for name in OURS if size else ():
            if name not in row["peers"]:
                continue
            figures, bound = row["peers"][name], (result["machine"]["cores"] + 1) * 2 * size + CACHE
            libraries = median(figures, "file_kib") if "file_kib" in figures else 0  # results of before are without it
            took = (median(figures, "extra_kib") - libraries) * 1024
            if took > bound:
                found.append(f"{row['section']}: {row['name']}: {PEERS[name].title} {took / 2**20:.0f} MiB beside the result, "
                             f"{bound / 2**20:.0f} are allowed")
    return found


def goals_missed(result):
    """Of arrays of normal size; who has other sizes has other names, or other goals. A goal below the possible is one that the machine cannot reach."""
    if result["size"] not in ("normal", "full"):
        return []
    rows, found = {(row["section"], row["name"]): row for row in result["rows"]}, []
    for section, name, *goals in GOALS:
        for key, wanted in zip(("wall", "cpu"), goals):
            for peer, most in wanted.items():
                row = rows.get((section, name))
                part = ratio(row, peer, key) if row and peer in row["peers"] else None  # None, too, where HDF5 did not take part
                if part and part > most:
                    found.append(f"{section}: {name}: {PEERS[peer].title} {part:.2f} of HDF5's {key} time, {most:.2f} is the goal"
                                 f"{least(row, base(peer, row), key)}")
    return found


JUDGES = {"Behind by more than 5 %, beyond what rounds differ by": behind, "Behind by more than 5 %, within it": perhaps_behind,
          "Below the wanted part of the possible": below_possible, "More memory than wanted": above_memory, "Goals missed": goals_missed}


def verdicts(result):
    """{title: sentences}"""
    return {title: judge(result) for title, judge in JUDGES.items()}


def markdown(result):
    lines = ["### What is not as wanted", ""]
    for title, missed in verdicts(result).items():
        lines += [f"- {title}: {len(missed) or 'none'}", *(f"    - {sentence}" for sentence in missed)]
    return "\n".join([*lines, ""])
