"""The site's table of programs and kinds of stores, made of the tables of docs/programs.md, which tools/programs.sh fills."""

import re

TITLES = {"hdf5": "Programs that speak HDF5", "foreign": "Programs that speak HDF5, on stores that other programs wrote",
          "elsewhere": "Programs that speak HDF5, on HDF5 files behind URLs",
          "zarr": "Programs that speak Zarr"}
HEAD = """# Compatibility

The tables of [programs](programs.md) by kinds of stores.
They are filled by running the programs, and tests hold them to what is found.
A *doorway* is a small file that leads to a directory ([format](format.md#doorways)).
The bucket is one of an S3 server, and the program gets its name (`s3://bucket/x.zarr`).
"""


def rows(text, table):
    """(program, its cells: open, list, read, write) of a table of the page."""
    part = re.search(rf"<!-- {table}: filled.*?-->(.*?)<!-- {table}: end -->", text, re.S)[1]
    for line in part.strip().splitlines()[2:]:
        name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        yield name, cells


def reads(cells):
    """The kinds of which a program opens, lists and reads what it can."""
    found = {cell for cell in cells[:3] if cell != "-"}
    return "no" if "no" in found else next((kind for kind in ("one file", "directory", "doorway", "URL") if kind in found), "yes")


def words(read, write):
    return " and ".join(word for word, does in (("read", read), ("write", write)) if does) or "-"


def cells_of(table, cells):
    reading, writing = reads(cells), cells[3]
    if table == "elsewhere":
        return [words(reading in ("yes", kind), False) for kind in ("URL", "doorway")]
    directory = words(reading in ("yes", "directory"), writing in ("yes", "directory"))
    single = words(reading in ("yes", "one file"), writing in ("yes", "one file"))
    if table == "foreign":
        return [directory, single]
    doorway = "read" if reading == "one file" else ""
    return [directory, *([doorway or "not needed"] if table == "hdf5" else []), single]


COLUMNS = {"hdf5": ["directory", "directory through a doorway", "one-file store", "zip file", "bucket"],
           "foreign": ["directory", "directory through a doorway"],
           "elsewhere": ["by its URL", "through a doorway on this machine"],
           "zarr": ["directory", "one-file store, as a zip file", "zip file", "bucket"]}


def page(text):
    places = dict(rows(text, "places"))
    lines = [HEAD]
    for table, title in TITLES.items():
        columns = ["program", *COLUMNS[table]]
        lines += [f"## {title}", "", "| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
        lines += ["| " + " | ".join([name, *cells_of(table, cells), *places.get(name, [])]) + " |" for name, cells in rows(text, table)]
        lines.append("")
    return "\n".join(lines)
