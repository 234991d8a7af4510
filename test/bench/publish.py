"""Puts what was measured into the documentation: the figures, the charts, and the tables of docs/performance.md and
docs/performance-cloud.md between their marks."""

import json
import os
import pathlib
import re

from . import growth, judge, report
from .cloud import report as cloud

DOCS = pathlib.Path(__file__).parents[2] / "docs"
PAGE, CLOUD_PAGE = DOCS / "performance.md", DOCS / "performance-cloud.md"
CLOUD_CHART = "cloud.svg"
FIGURES = DOCS / "performance"
# What a run left -> as what it is kept.
KEPT = {"figures.json": "figures.json", "growth.json": "growth.json", "cloud.json": "cloud.json"}
KEPT_NEWEST = {"figures.json": "newest.json"}


def rounded(value):
    """Four significant digits: more are noise, and would change in every line of a diff."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def between(text, mark, inside):
    begin, end = f"<!-- {mark}: made by make bench-publish -->", f"<!-- {mark}: end -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"no mark {begin} in the page")
    return pattern.sub(lambda _: f"{begin}\n{inside.strip()}\n{end}", text)


def page(text, result, grown, newest):
    """The page with the tables of these figures."""
    if result:
        text = between(text, "bench", report.markdown(result) + judge.markdown(result))
    if grown:
        text = between(text, "growth", growth.machine_line(grown) + "\n\n" + growth.markdown(grown))
    if newest:
        text = between(text, "newest", report.markdown(newest, with_charts=False))
    return text


def cloud_page(text, result):
    return between(text, "cloud", cloud.markdown(result)) if result else text


def stored(name):
    path = FIGURES / name
    return json.loads(path.read_text()) if path.exists() else None


def arguments(parser):
    parser.add_argument("--input", default=os.path.join("build", "bench"), help="where run, growth and cloud left figures.json, growth.json and cloud.json")
    parser.add_argument("--newest", action="store_true", help="the figures are of a machine with the newest peers, which have a section of their own")


def main(options):
    from . import charts

    FIGURES.mkdir(exist_ok=True)
    for name, kept in KEPT_NEWEST.items() if options.newest else KEPT.items():
        made = pathlib.Path(options.input) / name
        if made.exists():
            (FIGURES / kept).write_text(json.dumps(rounded(json.loads(made.read_text())), separators=(",", ":")) + "\n")
    result, grown, far, newest = map(stored, (*KEPT.values(), *KEPT_NEWEST.values()))
    if result:
        for old in FIGURES.glob("*.svg"):
            if old.name != CLOUD_CHART:
                old.unlink()
        charts.draw_all(result, FIGURES)
    if far:
        cloud.draw(far, FIGURES / CLOUD_CHART)
    PAGE.write_text(page(PAGE.read_text(), result, grown, newest))
    CLOUD_PAGE.write_text(cloud_page(CLOUD_PAGE.read_text(), far))
