"""Large stores that take no room on the disk: their chunks are zeros, and holes in the file."""

import zipfile

import h5py

PART = 1 << 20
ZEROS = bytes(PART)


class Holes:
    """A file in which what is written as zeros, in parts of this size, becomes a hole."""

    def __init__(self, path):
        self.file = open(path, "r+b")

    def write(self, data):
        if data == ZEROS:
            self.file.seek(PART, 1)
            return PART
        return self.file.write(data)

    def __getattr__(self, name):
        return getattr(self.file, name)


def make(path, chunks, size):
    """A dataset x of so many chunks of so many bytes, in a store that this process makes. Parts of PART bytes."""
    with h5py.File(path, "w") as f:
        f.create_dataset("x", (chunks * size,), "u1", chunks=(size,))
    file = Holes(path)
    with zipfile.ZipFile(file, "a") as archive:
        file.truncate(archive.start_dir)  # the old directory would show in the first hole
        for i in range(chunks):
            with archive.open(zipfile.ZipInfo(f"x/{i}"), "w", force_zip64=True) as entry:
                for _ in range(size // PART):
                    entry.write(ZEROS)
    file.file.close()

