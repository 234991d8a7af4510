"""Directories as lists of what is in them. This runs a hundred thousand times, so it calls the system and little else."""

import os
import stat


def take(directory):
    """[(path below the directory, bytes; None of a directory, the target of a link)], always in the same order."""
    found, waiting = [], [""]
    while waiting:
        below = waiting.pop()
        for name in sorted(os.listdir(f"{directory}/{below}")):
            path = f"{below}{name}"
            kind = os.lstat(f"{directory}/{path}").st_mode
            if stat.S_ISDIR(kind):
                found.append((path, None))
                waiting.append(path + "/")
            elif stat.S_ISLNK(kind):
                found.append((path, os.readlink(f"{directory}/{path}")))
            else:
                found.append((path, read(f"{directory}/{path}")))
    return found


def read(path):
    file = os.open(path, os.O_RDONLY)
    try:
        parts = []
        while part := os.read(file, 1 << 20):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(file)


def put(directory, found):
    """Makes the directory, with what take() found elsewhere."""
    os.mkdir(directory)
    for path, content in found:
        if content is None:
            os.mkdir(f"{directory}/{path}")
            continue
        file = os.open(f"{directory}/{path}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        os.write(file, content)
        os.close(file)


def remove(directory):
    """With everything in it; also where there is none."""
    try:
        names = os.listdir(directory)
    except FileNotFoundError:
        return
    for name in names:
        path = f"{directory}/{name}"
        try:
            os.unlink(path)
        except IsADirectoryError:
            remove(path)
    os.rmdir(directory)
