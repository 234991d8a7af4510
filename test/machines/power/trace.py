"""What a power failure may leave of the changes that hook_record.c wrote down.

The model, of a file system whose names are journalled in order (ext4, XFS, btrfs): when the power fails after some change,
- every change that a later syncfs, or an fsync of a directory, followed is there;
- of the changes to names after that, any number of the first ones is there, and none of the others;
- what was written to a file and not followed by an fsync of it is there whole, half, as zeros, or not at all, whatever became of its name.
"""

import dataclasses
import urllib.parse

NAMES = {"create", "mkdir", "rename", "exchange", "link", "unlink", "rmdir"}
FATES = ("whole", "lost", "half", "zeros")


def load(path):
    """[(what, argument ...)]; a write's last argument is its bytes."""
    events = []
    with open(path, "rb") as f:
        while line := f.readline():
            what, *arguments = line.decode().rstrip("\n").split(" ")
            if what == "mark":
                events.append((what, *arguments))
            elif what == "write":
                file, offset, size = arguments[0], int(arguments[1]), int(arguments[2])
                events.append((what, file, offset, f.read(size)))
                f.readline()
            elif what in ("fsync", "syncfs", "size"):
                events.append((what, arguments[0], int(arguments[1])))
            else:
                events.append((what, *(clean(urllib.parse.unquote(a)) if "/" in a else a for a in arguments)))
    return events


def clean(path):
    return "/" + "/".join(part for part in path.split("/") if part not in ("", "."))


@dataclasses.dataclass
class File:
    content: bytes = b""
    synced: bytes = b""

    def after(self, fate):
        if fate == "whole" or self.content == self.synced:
            return self.content
        if fate == "half":
            return self.content[:len(self.content) // 2]
        return b"\0" * len(self.content) if fate == "zeros" else self.synced


class Disk:
    """Names below `root`, and the files behind them."""

    def __init__(self, root):
        self.root = clean(str(root))
        self.names = {}  # path -> File, None for a directory
        self.files = {}  # number -> File

    def tree(self, path):
        return [name for name in self.names if name == path or name.startswith(path + "/")]

    def take(self, path):
        taken = {name[len(path):]: self.names.pop(name) for name in self.tree(path)}
        return taken

    def put(self, path, tree):
        for name in self.tree(path):
            del self.names[name]
        self.names.update({path + name: file for name, file in tree.items()})

    def change_name(self, event):
        what, *arguments = event
        if what == "create":
            self.names[arguments[1]] = self.files[arguments[0]]
        elif what == "mkdir":
            self.names[arguments[0]] = None
        elif what == "rename":
            self.put(arguments[1], self.take(arguments[0]))
        elif what == "exchange":
            a, b = self.take(arguments[0]), self.take(arguments[1])
            self.put(arguments[0], b)
            self.put(arguments[1], a)
        elif what == "link":
            self.names[arguments[1]] = self.names[arguments[0]]
        else:
            self.names.pop(arguments[0], None)

    def change_file(self, event):
        what, number, *arguments = event
        if what in ("create", "nameless"):
            self.files[number] = File()
            return
        file = self.files.get(number)
        if what == "syncfs":
            for each in self.files.values():
                each.synced = each.content
        elif file is None:
            pass  # a directory, or a file that was there before
        elif what == "write":
            offset, data = arguments
            content = file.content.ljust(offset, b"\0")
            file.content = content[:offset] + data + content[offset + len(data):]
        elif what == "size":
            file.content = file.content[:arguments[0]].ljust(arguments[0], b"\0")
        elif what == "fsync":
            file.synced = file.content

    def snapshot(self, fate):
        """{path below the root: bytes, None for a directory}"""
        start = len(self.root) + 1
        return {name[start:]: file and file.after(fate) for name, file in self.names.items() if name.startswith(self.root + "/")}


def is_barrier(event, files):
    return event[0] == "syncfs" or (event[0] == "fsync" and event[1] not in files)


def points(events, root):
    """For each number of changes to names that may have reached the disk: (position of the last of them, position of the last event that
    may have happened by then, {fate: snapshot}). A file's number may be used again when it was removed, so files are told by the event
    that made them."""
    events = number_files(events)
    files = {event[1] for event in events if event[0] in ("create", "nameless")}
    barriers = [i for i, event in enumerate(events) if is_barrier(event, files)] + [len(events)]
    last_barrier = -1
    for barrier in barriers:
        # The files as they are just before the barrier; the names grow one by one from what the last barrier left.
        data = Disk(root)
        for event in events[:barrier]:
            if event[0] not in NAMES or event[0] == "create":
                data.change_file(event)
        names = Disk(root)
        names.files = data.files
        for at, event in enumerate(events[:barrier]):
            if event[0] in NAMES:
                names.change_name(event)
            if at >= last_barrier and (event[0] in NAMES or at == last_barrier):
                yield at, barrier - 1, {fate: names.snapshot(fate) for fate in FATES}
        last_barrier = barrier


def number_files(events):
    """The same events; each file that is made has a number of its own."""
    current, result = {}, []
    for i, event in enumerate(events):
        if event[0] in ("create", "nameless"):
            current[event[1]] = f"file {i}"
        if event[0] in ("create", "nameless", "write", "size", "fsync"):
            event = (event[0], current.get(event[1], event[1]), *event[2:])
        result.append(event)
    return result
