"""The tables and the chart of a run."""

from bench import charts
from bench.machine import describe

from .peers import OURS, PEERS

COLOURS = dict(zip(PEERS, (charts.OURS_COLOUR, "#b0763a", "#d9a441", "#c2453c", "#5b6abf", "#78909c", "#37474f")))


def machine():
    return describe("/tmp")


def best(row, title):
    """The least of its runs: what else the machine did makes the others longer."""
    return min(row["peers"][title]["seconds"])


def seconds(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def cell(row, title):
    if title in row.get("too_long", ()):
        return "over 2 min"
    if title not in row["peers"]:
        return "-"
    text = f"{seconds(best(row, title))} ({row['peers'][title]['requests']:,})"
    fastest = min(best(row, each) for each in row["peers"])
    return f"**{text}**" if best(row, title) == fastest and len(row["peers"]) > 1 else text


def name(row):
    return f"{row['name']}: {row['count']:,}" if row["name"].endswith("datasets") else row["name"]


def line(row):
    return "| " + " | ".join([name(row), *(cell(row, title) for title in PEERS)]) + " |"


def latencies(result):
    found = {}
    for row in result["rows"]:
        found.setdefault(row["ms"], []).append(row)
    return found


def behind(row):
    """Who else takes less than 0.95 of our time."""
    others = [title for title in row["peers"] if title != OURS]
    return [f"{name(row)}, {row['ms']} ms: {title} {best(row, title) / best(row, OURS):.2f} of {OURS}" for title in others
            if OURS in row["peers"] and best(row, title) < 0.95 * best(row, OURS)]


def markdown(result):
    about = result["machine"]
    versions = {**about["nwb"], **about["main"]}
    packages = ", ".join(f"{each} {versions[each]}" for each in ("h5py", "zarr", "anndata", "zarrs", "tensorstore", "obstore", "s3fs", "hdmf-zarr")
                         if each in versions)
    lines = [f"{about['processor']}, {about['cores']} cores, {about['system']}; MinIO and the proxy run on the same cores. {packages}. Commit "
             f"{about['commit']}, {result['date']}; load before the run {about['load_before']}. Seconds, the least of up to {result['rounds']} runs; "
             "in brackets the number of requests; the fastest is bold.", "", "![who takes how long](performance/cloud.svg)", ""]
    for ms, rows in latencies(result).items():
        lines += [f"### {ms} ms for each request", "", "| | " + " | ".join(PEERS) + " |", "|---" * (len(PEERS) + 1) + "|", *map(line, rows), ""]
    slower = [each for row in result["rows"] for each in behind(row)]
    lines += ["Somebody else is faster by more than 5 %:" if slower else "Nobody else is faster by more than 5 %.", "", *(f"- {each}" for each in slower)]
    return "\n".join(lines)


def draw(result, path):
    """A panel for each latency, a line for each row, time relative to ours."""
    pyplot = charts.pyplot()
    panels = latencies(result)
    rows = list(dict.fromkeys(row["name"] for row in result["rows"]))
    figure, axes = pyplot.subplots(1, len(panels), sharey=True, squeeze=False, figsize=(4 + 2.4 * len(panels), charts.HEAD + charts.ROW * len(rows)))
    drawn = {}
    for panel, (ms, measured) in zip(axes[0], panels.items()):
        for row in measured:
            place = rows.index(row["name"])
            for title in row["peers"]:
                if OURS in row["peers"] and title != OURS:
                    drawn[title] = panel.scatter([best(row, title) / best(row, OURS)], [place], marker="x", color=COLOURS[title], s=30, zorder=2)
        panel.axvline(1, color=COLOURS[OURS], linewidth=1.5, zorder=1)
        charts.as_ratios(panel)
        panel.set_yticks(range(len(rows)), rows)
        panel.set_ylim(len(rows) - 0.5, -0.5)
        panel.set_xlabel(f"{ms} ms: time relative to {OURS}")
    figure.legend(drawn.values(), drawn, loc="upper center", ncol=4, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.5 / (charts.HEAD + charts.ROW * len(rows))))
    charts.save(figure, path, "Stores in a bucket", charts.stamp(result))
