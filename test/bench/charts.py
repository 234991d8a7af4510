"""Charts of a result: a dot for each peer, wall time relative to HDF5. matplotlib is in the benchmark's own Python environment."""

import hashlib
import json

from .peers import OURS, PEERS
from .report import drawn, points, slug

OURS_COLOUR, POSSIBLE_COLOUR = "#00796b", "#000000"
OTHERS = {"zarr": "#b0763a", "fused": "#d9a441", "zarrs": "#c2453c", "tensorstore": "#5b6abf", "anndata zarr": "#b0763a",
          "hdmf-zarr": "#b0763a"}
MARKS = {"vol": "o", "vol direct": "D", "vol C": "s", "vol file": "^", "vol anndata": "o", "vol file anndata": "^", "vol nwb": "o"}
WIDTH, ROW, HEAD = 8.0, 0.27, 1.3
# README's chart: a few rows of each section as work that a reader knows, those in which HDF5 is ahead among them.
OVERVIEW = "overview.svg"
OVERVIEW_ROWS = {("Whole arrays", "read, blosc, 1 MiB"): "read an array of 256 MiB (blosc)",
                 ("Whole arrays", "write, blosc, 1 MiB"): "write an array of 256 MiB (blosc)",
                 ("Parts of a blosc array", "300 boxes of 100 x 100"): "read 300 boxes of 100 x 100",
                 ("AnnData", "read, 50,000 x 2,000 sparse"): "read an AnnData object, 50,000 cells",
                 ("NWB by pynwb", "write a recording of 1,024 MiB"): "write an NWB recording of 1 GiB",
                 ("Many small things", "create 3,000 datasets"): "create 3,000 small datasets",
                 ("Many small things", "list 3,000 names, five opens"): "list 3,000 names, five opens"}
OVERVIEW_PEERS = {"vol-zarr": ("vol", "vol anndata", "vol nwb"), "zarr-python, anndata, hdmf-zarr": ("zarr", "anndata zarr", "hdmf-zarr")}


def stamp(result):
    """Stands in every chart: a test sees by it that a chart was drawn from these figures."""
    return hashlib.sha256(json.dumps(result, sort_keys=True).encode()).hexdigest()[:16]


def style(name):
    if name in OURS:
        return {"marker": MARKS[name], "color": OURS_COLOUR, "s": 44, "zorder": 3}
    if name == "floor":
        return {"marker": "|", "color": POSSIBLE_COLOUR, "s": 90, "zorder": 2}
    return {"marker": "x", "color": OTHERS[name], "s": 30, "zorder": 2}


def pyplot():
    import matplotlib

    matplotlib.use("svg")
    # Texts stay texts, and names inside do not change from run to run.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "vol-zarr", "font.size": 9, "font.family": "sans-serif"})
    from matplotlib import pyplot

    return pyplot


def as_ratios(axes):
    from matplotlib import ticker

    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    axes.grid(axis="y", color="#eceff1")
    axes.set_axisbelow(True)


def save(figure, path, title, mark):
    figure.savefig(path, format="svg", metadata={"Date": None, "Title": title, "Description": f"figures {mark}"})
    pyplot().close(figure)


def draw(section, rows, path, mark):
    figure, axes = pyplot().subplots(figsize=(WIDTH, HEAD + ROW * len(rows)))
    titles = {}
    for place, row in enumerate(rows):
        for name, value in points(row):
            titles[PEERS[name].title] = axes.scatter([value], [place], **style(name))
    axes.axvline(1, color="#78909c", linewidth=1, zorder=1)
    as_ratios(axes)
    axes.set_yticks(range(len(rows)), [row["name"].replace("`", "") for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    figure.supxlabel("wall time relative to HDF5 (1) by the same program, the floor to h5py; further left is faster", fontsize=9)
    figure.legend(titles.values(), [title.replace("`", "") for title in titles], loc="upper center", ncol=4, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.5 / (HEAD + ROW * len(rows))))
    save(figure, path, section, mark)


def overview_points(row):
    """{title of OVERVIEW_PEERS: wall time relative to HDF5} of a row."""
    found = dict(points(row))
    return {title: found[name] for title, names in OVERVIEW_PEERS.items() for name in names if name in found}


def draw_overview(result, path):
    """Two bars a row: vol-zarr, and the library that writes Zarr otherwise. HDF5 is the line at 1."""
    rows = {(row["section"], row["name"]): overview_points(row) for row in result["rows"]}
    wanted = [(title, rows[key]) for key, title in OVERVIEW_ROWS.items() if key in rows]
    if not wanted:
        return
    figure, axes = pyplot().subplots(figsize=(WIDTH, HEAD + 2 * ROW * len(wanted)))
    for side, (peer, colour) in enumerate(zip(OVERVIEW_PEERS, (OURS_COLOUR, OTHERS["zarr"]))):
        places = [place + 0.2 * (2 * side - 1) for place in range(len(wanted))]
        values = [found[peer] for _, found in wanted]
        axes.barh(places, [value - 0.1 for value in values], 0.36, left=0.1, color=colour, label=peer)
        for place, value in zip(places, values):
            axes.text(value * 1.05, place, f"{value:.2g}" if value < 100 else f"{value:.0f}", va="center", fontsize=8, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
    axes.axvline(1, color="#37474f", linewidth=1.2, label="HDF5")
    as_ratios(axes)
    axes.set_xlim(0.1, 2 * max(max(found.values()) for _, found in wanted))
    axes.set_yticks(range(len(wanted)), [title for title, _ in wanted])
    axes.set_ylim(len(wanted) - 0.5, -0.5)
    axes.set_xlabel("time relative to HDF5's own file (1), logarithmic; shorter is faster")
    figure.legend(loc="upper center", ncol=3, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.4 / (HEAD + 2 * ROW * len(wanted))))
    save(figure, path, "vol-zarr beside HDF5 and zarr-python", stamp(result))


def draw_all(result, directory):
    for section, rows in drawn(result).items():
        draw(section, rows, directory / f"{slug(section)}.svg", stamp(result))
    draw_overview(result, directory / OVERVIEW)
