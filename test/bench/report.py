"""Tables out of the figures that a run kept."""

import statistics

from .peers import NATIVE, OURS, PEERS

FLOORS = ("floor", "floor codec")


def median(figures, key="wall"):
    return statistics.median(figures[key])


def spread(figures, key="wall"):
    """Half of the range of the figures without the highest and the lowest quarter of them, as a part of their median."""
    values = sorted(figures[key])
    out = len(values) // 4
    return (values[-1 - out] - values[out]) / 2 / median(figures, key)


def noise(peers):
    """The largest spread of what is compared: ours, HDF5's, and the fastest other one's."""
    others = [figures for name, figures in peers.items() if is_other(name)]
    compared = [figures for name, figures in peers.items() if name in OURS or name.startswith("native")]
    return max(map(spread, compared + sorted(others, key=median)[:1]), default=0)


def is_other(name):
    return name not in OURS and not name.startswith(("native", "floor"))


def base(name, row):
    """The peer to which another one of a row is compared: the same program on HDF5's own files, else h5py. The oldest form of a file
    comes before the newest, where the row has it."""
    peers = row["peers"]
    own = NATIVE.get(name) if name in NATIVE else name if name.startswith("native") else None
    wanted = [own, f"{own} latest", "native", "native latest", "native anndata", "native nwb", "native C", "native C latest"]
    return next((candidate for candidate in wanted if candidate in peers), None)


def ratio(row, name, key="wall"):
    against = base(name, row)
    return median(row["peers"][name], key) / median(row["peers"][against], key) if against else None


def possible(row):
    """How much of the floor's speed our fastest way has; None without a floor."""
    ours = [median(row["peers"][name]) for name in OURS if name in row["peers"]]
    if "floor" not in row["peers"] or not ours:
        return None
    return median(row["peers"]["floor"]) / min(ours)


def sections(result):
    found = {}
    for row in result["rows"]:
        found.setdefault(row["section"], []).append(row)
    return found


def columns(rows):
    """Peers of a section in the order of the table, floors last."""
    there = {name for row in rows for name in row["peers"]}
    return [name for name in PEERS if name in there and name not in FLOORS]


def milliseconds(seconds):
    return f"{seconds * 1e3:,.0f}" if seconds >= 0.1 else f"{seconds * 1e3:.1f}"


def rounds(figures):
    return len(figures["wall"])


def rounds_of(row):
    return max(map(rounds, row["peers"].values()))


def cell(row, name):
    if name not in row["peers"]:
        return "-"
    figures = row["peers"][name]
    around = f" ± {spread(figures) * 100:.0f} %" if name in OURS or name.startswith("native") else ""
    fewer = f", of {rounds(figures)}" if rounds(figures) < rounds_of(row) else ""
    if name.startswith("native") or base(name, row) is None:
        return f"{milliseconds(median(figures))} ms{around}{fewer}"
    text = f"{ratio(row, name):.2f}{around} ({ratio(row, name, 'cpu'):.2f}){fewer}"
    return f"**{text}**" if name in OURS else text


def memory(row):
    """Peaks beside the result: HDF5's, ours, in MiB."""
    ours = next((name for name in OURS if name in row["peers"]), None)
    if ours is None:
        return "-"
    pair = [name for name in (NATIVE[ours], ours) if name in row["peers"]]
    return ", ".join(f"{max(0, median(row['peers'][name], 'extra_kib')) / 1024:.0f}" for name in pair)


def section_table(rows):
    """Markdown."""
    names = columns(rows)
    floors = any("floor" in row["peers"] for row in rows)
    head = ["", *(PEERS[name].title for name in names), "MiB", *(["of the possible"] if floors else []), "rounds"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for row in rows:
        cells = [row["name"], *(cell(row, name) for name in names), memory(row)]
        if floors:
            part = possible(row)
            cells.append("-" if part is None else f"{min(part, 9.99):.2f}")
        lines.append("| " + " | ".join([*cells, str(rounds_of(row))]) + " |")
    return lines


def figures_table(result):
    """Text: every median with its spread, CPU seconds and memory beside the result."""
    lines = []
    for row in result["rows"]:
        lines.append(f"\n{row['section']}: {row['name']} ({rounds_of(row)} rounds)")
        lines.append(f"  {'':<24} {'wall ms':>10} {'+-':>5} {'cpu ms':>10} {'extra MiB':>10} {'wall':>6} {'cpu':>6}")
        for name, figures in row["peers"].items():
            compared = f"{ratio(row, name):6.2f} {ratio(row, name, 'cpu'):6.2f}" if base(name, row) and name not in FLOORS else ""
            lines.append(f"  {name:<24} {median(figures) * 1e3:10.2f} {spread(figures) * 100:4.0f}% {median(figures, 'cpu') * 1e3:10.2f} "
                         f"{median(figures, 'extra_kib') / 1024:10.1f} {compared}"
                         + (f"  {rounds(figures)} rounds" if rounds(figures) < rounds_of(row) else ""))
        lines += [f"  {name:<24} cannot: {reason}" for name, reason in row["failed"].items()]
        if possible(row) is not None:
            lines.append(f"  of the possible: {possible(row):.2f}")
    return lines


def machine_text(result):
    m, main = result["machine"], result["machine"]["main"]
    packages = ", ".join(f"{name} {main[name]}" for name in ("zarr", "zarrs", "tensorstore", "anndata", "numcodecs") if name in main)
    return (f"{m['processor']}, {m['cores']} cores, {m['memory_gib']} GiB; {m['system']}, Linux {m['kernel']}; files on {m['file_system']}, "
            f"those of the disk on {m.get('disk', 'none')}. "
            f"h5py {main['h5py']} on HDF5 {main['HDF5']}, from C HDF5 {m['HDF5 from C']}; {packages}. "
            f"Commit {m['commit']}, {result['date']}; load before the run {m['load_before']}, after it {m['load_after']}.")


EXPLAINED = ("Medians of as many rounds as the last column says; *of n* where a peer that takes long took part in n of them. Columns of HDF5 are"
             " milliseconds; others are wall time relative to HDF5 by the same program with the same codec, in brackets CPU time; ± is half of"
             " the range of the rounds without their highest and lowest quarters. MiB: memory beside the result at its peak, HDF5's and"
             " vol-zarr's.")


def markdown(result, with_charts=True):
    lines = [machine_text(result), "", EXPLAINED, ""]
    charts = drawn(result) if with_charts else {}
    for section, rows in sections(result).items():
        chart = [f"![{section}](performance/{slug(section)}.svg)", ""] if section in charts else []
        lines += [f"### {section}", "", *chart, *section_table(rows), ""]
    return "\n".join(lines)


def points(row):
    """(peer, wall time relative to HDF5) of all that have something to be compared with."""
    for name, figures in row["peers"].items():
        against = base("native" if name.startswith("floor") else name, row)
        if name != "floor codec" and against and not name.startswith("native"):
            yield name, median(figures) / median(row["peers"][against])


def drawn(result):
    """{section: rows} of those that have a chart."""
    with_points = {section: [row for row in rows if any(points(row))] for section, rows in sections(result).items()}
    return {section: rows for section, rows in with_points.items() if rows}


def names(result):
    return [f"{slug(section)}.svg" for section in drawn(result)]


def slug(section):
    return "".join(c if c.isalnum() else "-" for c in section.lower()).strip("-").replace("--", "-")
