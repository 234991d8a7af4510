"""charts.py: the charts of docs/performance.md, out of what the benchmarks printed (docs/performance/*.txt). They are committed; a test
draws them again and compares.

Bars are CPU seconds, which tell more than wall seconds where the machine has other work.
"""

import html
import pathlib
import re

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "performance"
WIDTH, LABELS, BAR, GAP, TOP = 640, 190, 18, 6, 34
OURS, OTHERS = "#00796b", "#90a4ae"


def tables(text):
    """{operation: {contender: CPU seconds}} of a benchmark's output."""
    found, rows = {}, None
    for line in text.splitlines():
        heading = re.match(r"(.+?) +wall s +cpu s", line)
        if heading:
            rows = found.setdefault(heading[1], {})
        elif rows is not None and (row := re.match(r"(\S.*?) +(\d+\.\d+) +(\d+\.\d+) ", line + " ")):
            rows[row[1]] = float(row[3])
        else:
            rows = None if not line.strip() else rows
    return found


def chart(title, rows):
    most = max(rows.values()) or 1
    height = TOP + len(rows) * (BAR + GAP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" font-family="sans-serif" font-size="13">',
             f"<title>{html.escape(title)}</title>", f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
             f'<text x="8" y="20" font-weight="bold">{html.escape(title)}</text>']
    for place, (name, seconds) in enumerate(rows.items()):
        y, length = TOP + place * (BAR + GAP), max(1, round(seconds / most * (WIDTH - LABELS - 70)))
        colour = OURS if name.startswith("vol-zarr") else OTHERS
        parts += [f'<text x="{LABELS - 8}" y="{y + 14}" text-anchor="end">{html.escape(name)}</text>',
                  f'<rect x="{LABELS}" y="{y}" width="{length}" height="{BAR}" fill="{colour}"/>',
                  f'<text x="{LABELS + length + 6}" y="{y + 14}">{seconds:.2f} s</text>']
    return "\n".join([*parts, "</svg>"]) + "\n"


def charts():
    """{file name: SVG}"""
    found = {}
    for file in sorted(PAGE.glob("*.txt")):
        for operation, rows in tables(file.read_text()).items():
            found[f"{file.stem}-{operation.replace(' ', '-')}.svg"] = chart(f"{operation}, CPU seconds", rows)
    return found


def main():
    for name, svg in charts().items():
        (PAGE / name).write_text(svg)


if __name__ == "__main__":
    main()
