"""render.py SOURCE NOTEBOOK DIRECTORY: executes a notebook that stands as Python with cells (`# %%`), in the current directory; writes it
with what it printed and drew to NOTEBOOK, and as a page with pictures to DIRECTORY. A cell that fails is an error, and writes nothing.

The servers of the tests of buckets (test/cloud) run while a notebook does whose source names their variable."""

import base64
import contextlib
import os
import pathlib
import re
import sys

import jupytext
import nbclient
import nbformat

ROOT = pathlib.Path(__file__).parents[2]
LONGEST = 40  # lines of text that a cell may print
LARGEST = 150_000  # bytes of a picture
# Pictures that stay small, and the warnings of packages about each other, which are not what a page is for.
BEFORE = """import logging, warnings
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import matplotlib_inline.backend_inline as inline
import matplotlib
matplotlib.rcParams["figure.dpi"] = 72
inline.set_matplotlib_formats("png")
"""


@contextlib.contextmanager
def servers(source):
    if "AWS_ENDPOINT_URL_S3" not in source:
        yield {}
        return
    sys.path.insert(0, str(ROOT / "test/cloud"))
    from servers import ACCESS, REGION, SECRET, Minio

    server = Minio(pathlib.Path.cwd())
    try:
        yield {"AWS_ENDPOINT_URL_S3": server.url, "AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION,
               "AWS_EC2_METADATA_DISABLED": "true"}
    finally:
        server.stop()


def execute(source):
    notebook = jupytext.reads(source, fmt="py:percent")
    first = nbformat.v4.new_code_cell(BEFORE)
    notebook.cells.insert(0, first)
    with servers(source) as variables:
        os.environ.update(variables)
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", extra_arguments=["--log-level=40"]).execute()
    notebook.cells.remove(first)
    notebook.metadata = nbformat.from_dict({"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
    return notebook


def text_of(output):
    """What an output prints, and its picture, if it has one."""
    if output.output_type == "stream":
        return output.text, None
    data = output.get("data", {})
    if "image/png" in data:
        return "", base64.b64decode(data["image/png"])
    return data.get("text/plain", ""), None


def page(notebook, name):
    """(the page, {name of a file: a picture})"""
    parts, pictures = [], {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        printed = ""
        for output in cell.outputs:
            text, picture = text_of(output)
            printed += text if not text or text.endswith("\n") else text + "\n"
            if picture:
                file = f"{name}-{len(pictures) + 1}.png"
                pictures[file] = picture
                parts.append(f"![what the cell drew]({file})")
        lines = re.sub(r"[ \t]+$", "", re.sub(r"\x1b\[[\d;]*m", "", printed), flags=re.M).rstrip().split("\n")
        if len(lines) > LONGEST:
            sys.exit(f"{name}: a cell prints {len(lines)} lines: more than {LONGEST} are no page")
        if any(lines):
            parts.insert(-1 if parts[-1].startswith("![") else len(parts), "```\n" + "\n".join(lines) + "\n```")
    made = f"<!-- made by make notebooks of {name}.py: change that -->\n\n"
    return made + "\n\n".join(parts) + "\n", pictures


def main():
    source, kept, directory = map(pathlib.Path, sys.argv[1:])
    notebook = execute(source.read_text())
    text, pictures = page(notebook, source.stem)
    if not pictures:
        sys.exit(f"{source}: it draws nothing")
    for file, picture in pictures.items():
        if len(picture) > LARGEST:
            sys.exit(f"{file}: {len(picture)} bytes are more than {LARGEST}")
    for old in directory.glob(f"{source.stem}-[0-9].png"):
        old.unlink()
    for file, picture in pictures.items():
        (directory / file).write_bytes(picture)
    (directory / f"{source.stem}.md").write_text(text)
    nbformat.write(notebook, kept)
    print(f"{directory / source.stem}.md, {len(pictures)} pictures ({sum(map(len, pictures.values())) // 1024} KiB); {kept}")


if __name__ == "__main__":
    main()
