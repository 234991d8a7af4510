"""A finding with less and less in it, as long as it stays the same finding."""

import time

import alter
import documents

TRIES_MAX = 250
SECONDS_MAX = 120  # by the clock: each try of a slow finding is slow


def smaller_files(files):
    """Stores with a file, or all files of a node, less."""
    nodes = sorted({name.rpartition("/")[0] for name in files} - {""}, key=len)
    for node in nodes:
        yield {name: data for name, data in files.items() if not name.startswith(node + "/")}
    for lost in sorted(files):
        yield {name: data for name, data in files.items() if name != lost}


def smaller_documents(files):
    """Stores with a member of a document less."""
    for name in sorted(files):
        tree = documents.parse(files[name].decode("utf-8", "surrogateescape")) if isinstance(files[name], bytes) and alter.is_document(name) else None
        for number, members in enumerate(documents.objects(tree)):
            for index in reversed(range(len(members))):
                again = documents.parse(files[name].decode("utf-8", "surrogateescape"))
                del documents.objects(again)[number][index]
                yield {**files, name: documents.text_of(again).encode("utf-8", "surrogateescape")}


def shrink(kind, files, is_same):
    """is_same(files): whether a store is the same finding."""
    tries, end = 0, time.monotonic() + SECONDS_MAX
    if kind == "zip":
        return files
    for candidates in (smaller_files, smaller_documents):
        going = True
        while going and tries < TRIES_MAX and time.monotonic() < end:
            going = False
            for less in candidates(files):
                tries += 1
                if tries >= TRIES_MAX or time.monotonic() > end:
                    break
                if less != files and is_same(less):
                    files, going = less, True
                    break
    return files
