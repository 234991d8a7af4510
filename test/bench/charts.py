"""Charts of a result: a dot for each peer, wall time relative to HDF5. matplotlib is in the benchmark's own Python environment."""

import hashlib
import json

from .peers import OURS, PEERS
from .report import drawn, points, slug

OURS_COLOUR, POSSIBLE_COLOUR = "#00796b", "#000000"
OTHERS = {"zarr": "#b0763a", "fused": "#d9a441", "zarrs": "#c2453c", "tensorstore": "#5b6abf", "anndata zarr": "#b0763a",
          "hdmf-zarr": "#b0763a"}
MARKS = {"vol": "o", "vol direct": "D", "vol C": "s", "vol anndata": "o", "vol nwb": "o"}
WIDTH, ROW, HEAD = 8.0, 0.27, 1.3


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
    axes.set_xlabel("wall time relative to HDF5 (1) by the same program, the floor to h5py; further left is faster")
    figure.legend(titles.values(), [title.replace("`", "") for title in titles], loc="upper center", ncol=4, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.5 / (HEAD + ROW * len(rows))))
    save(figure, path, section, mark)


def draw_all(result, directory):
    for section, rows in drawn(result).items():
        draw(section, rows, directory / f"{slug(section)}.svg", stamp(result))
