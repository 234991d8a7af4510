"""What a power failure may leave of the changes that hook_record.c wrote down.

The model, of a file system whose names are journalled in order (ext4, XFS, btrfs): when the power fails after some change,
- every change that a later syncfs, or an fsync of a directory, followed is there;
- of the changes to names after that, any number of the first ones is there, and none of the others;
- what was written to a file, or its size, and not followed by an fsync of it is there whole, half, as zeros, or not at all, whatever became of its name; the same for all such files, or for each another. What was
  synced before stays where it is not written over.
"""

import dataclasses
import random
import urllib.parse

NAMES = {"create", "name", "mkdir", "rename", "exchange", "link", "unlink", "rmdir"}
SECTOR = 512  # bytes that a disk writes at once
FATES = ("whole", "lost", "half", "zeros", "mixed")  # mixed: of each file another one


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
    pending: list = dataclasses.field(default_factory=list)  # (offset, bytes) or (size,): changes since the last sync

    def change(self, *change):
        self.content = changed(self.content, *change)
        self.pending.append(change)

    def sync(self):
        self.synced, self.pending = self.content, []

    def after(self, fate, chance):
        """half: what was changed first, and half of the change in the middle; zeros: only the size of what is new."""
        if fate == "mixed":
            fate = chance.choice(FATES[:-1])
        if fate == "whole" or not self.pending:
            return self.content
        if fate == "zeros":
            return self.synced[:len(self.content)].ljust(len(self.content), b"\0")
        content = self.synced
        if fate == "half":
            *first, last = self.pending[:len(self.pending) // 2 + 1]
            for change in first:
                content = changed(content, *change)
            if len(last) == 2 and len(last[1]) != SECTOR:  # a sector is written as a whole
                content = changed(content, last[0], last[1][:len(last[1]) // 2])
        return content


def changed(content, offset, data=None):
    """`data` None: the file has the size `offset` from now on."""
    if data is None:
        return content[:offset].ljust(offset, b"\0")
    content = content.ljust(offset, b"\0")
    return content[:offset] + data + content[offset + len(data):]


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
        if what in ("create", "name"):
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
                each.sync()
        elif file is None:
            pass  # a directory, or a file that was there before
        elif what == "write":
            file.change(*arguments)
        elif what == "size":
            file.change(arguments[0])
        elif what == "fsync":
            file.sync()

    def snapshot(self, fate):
        """{path below the root: bytes, None for a directory}"""
        start, chance = len(self.root) + 1, random.Random(len(self.names))
        return {name[start:]: file and file.after(fate, chance) for name, file in self.names.items() if name.startswith(self.root + "/")}


def is_barrier(event, files):
    return event[0] == "syncfs" or (event[0] == "fsync" and event[1] not in files)


class Point:
    """Names as they are after event `at`; what was written until event `last`, as far as it reached the disk."""

    def __init__(self, at, last, disk):
        self.at, self.last = at, last
        self.snapshots = {fate: disk.snapshot(fate) for fate in FATES}


def points(events, root):
    """For each number of changes to names that may have reached the disk: the Point where the power fails at once, the one where it fails
    just before the next barrier, and those after writes in between. A file's number may be used again when it was removed, so files are told by the event that made
    them."""
    events = number_files(events)
    files = {event[1] for event in events if event[0] in ("create", "nameless")}
    barriers = [i for i, event in enumerate(events) if is_barrier(event, files)] + [len(events)]
    first = 0
    for barrier in barriers:
        now, names = Disk(root), Disk(root)
        names.files = data_before(events[:barrier], root)
        for at, event in enumerate(events[:barrier]):
            is_name = event[0] in NAMES
            if not is_name or event[0] == "create":
                now.change_file(event)
            for disk in (now, names) if is_name else ():
                disk.change_name(event)
            if at >= first and (is_name or at == first):
                yield Point(at, at, now)
                yield Point(at, barrier - 1, names)
            elif at >= first and event[0] == "write" and events[at + 1:at + 2] and events[at + 1][0] != "write":
                yield Point(at, at, now)
        first = barrier


def data_before(events, root):
    """The files, whatever they are called."""
    disk = Disk(root)
    for event in events:
        if event[0] not in NAMES or event[0] == "create":
            disk.change_file(event)
    return disk.files


def number_files(events):
    """The same events; each file that is made has a number of its own."""
    current, result = {}, []
    for i, event in enumerate(events):
        if event[0] in ("create", "nameless"):
            current[event[1]] = f"file {i}"
        if event[0] in ("create", "nameless", "name", "write", "size", "fsync"):
            event = (event[0], current.get(event[1], event[1]), *event[2:])
        result.append(event)
    return result
