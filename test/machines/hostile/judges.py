"""The programs that look at stores, and laying stores out for them."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import alter

# What looking at one store may take. The bases have a few hundred kilobytes at most.
SECONDS = 20  # of a processor, under the sanitizers
MEGABYTES = 1024
LISTING_MEGABYTES = 160  # names, kinds and types alone
CHUNK_MAX = "64M"  # of a chunk of which the array fills next to nothing: the 4 GiB that users have is theirs to spend
QUARANTINE_MEGABYTES = 8  # of the address sanitizer; its own default is 256

HERE = pathlib.Path(__file__).parent
SUPPRESSIONS = HERE.parents[1] / "c"
NO_PLACE = {"", ".", ".."}


def put(path, data):
    """One file of a store; False for a name that this file system does not take."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(data, bytes):
            path.write_bytes(data)
        elif data.kind == "link":
            path.symlink_to(data.target)
        elif data.kind == "fifo":
            os.mkfifo(path)
        elif data.kind == "directory":
            path.mkdir()
        else:
            with open(path, "wb") as out:
                out.truncate(data.target)
    except (OSError, ValueError):
        return False
    return True


def lay_out(place, kind, files):
    """The store below `place`; its path."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if kind == "zip":
        (place / "s.zarr.zip").write_bytes(files["zip"])
        return place / "s.zarr.zip"
    (place / "s.zarr").mkdir()
    (place / "decoy").mkdir()
    (place / "decoy/.zgroup").write_text('{"zarr_format": 2}')
    for name, data in files.items():
        if not NO_PLACE & set(name.split("/")):
            put(place / "s.zarr" / name, data)
    return place / "s.zarr"


class Judge:
    """A program that answers a path with a line: a word, milliseconds, megabytes."""

    def __init__(self, name, build, workplace, number, seconds=SECONDS):
        self.name, self.place, self.log = name, pathlib.Path(workplace) / f"{name}-{number}", pathlib.Path(workplace) / f"{name}-{number}.log"
        asan = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip()
        # What was freed is kept from use for a while, and would count as memory: little of it, so that the limits are about the connector.
        options = f"quarantine_size_mb={QUARANTINE_MEGABYTES}:detect_leaks={int(name == 'walker')}:allocator_may_return_null=1:max_allocation_size_mb=8192:handle_abort=1:suppressions={SUPPRESSIONS}/asan.supp"
        self.environment = {**os.environ, "HDF5_PLUGIN_PATH": str(build / "plugin"), "HDF5_VOL_CONNECTOR": "zarr", "ASAN_OPTIONS": options, "UBSAN_OPTIONS": "print_stacktrace=1",
                            "LSAN_OPTIONS": "print_suppressions=0", "VOL_ZARR_THREADS": "2", "VOL_ZARR_CHUNK_MAX": CHUNK_MAX}
        self.words = [build / "test/machines/hostile_walker", str(seconds), str(MEGABYTES), str(LISTING_MEGABYTES)]
        if name == "h5py":
            self.environment.update(LD_PRELOAD=asan, PYTHONMALLOC="malloc", PYTHONDONTWRITEBYTECODE="1")
            self.words = [sys.executable, HERE / "look.py", str(seconds), str(MEGABYTES)]
        self.process = None
        self.place.mkdir()
        self.log.touch()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=self.place, env=self.environment, text=True)

    def look(self, kind, files):
        """(word, milliseconds, megabytes, what it printed) of this store."""
        return self.ask(lay_out(self.place / "now", kind, files))

    def ask(self, path):
        if not self.process:
            self.start()
        os.truncate(self.log, 0)
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 3:
            said = self.log.read_text(errors="replace")
            self.process = None
            return "server-died", 0, 0, said
        word, ms, megabytes = answer[0], int(answer[1]), int(answer[2])
        return word, ms, megabytes, "" if word == "ok" else self.log.read_text(errors="replace")

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
        shutil.rmtree(self.place, ignore_errors=True)


def signature(word, said):
    """What tells findings apart: the word, and where in our source."""
    frames = re.findall(r"#\d+ 0x[0-9a-f]+ in (\w+) \S*/src/(\S+?):\d+", said)
    error = re.search(r"(?:AddressSanitizer: |runtime error: )([\w-]+(?: \w+){0,3})", said)
    return " ".join([word, error[1] if error else ""] + [name for name, _ in frames[:3]])


def build_store(rng, files, seeds, vocabulary, make_rng, zipped):
    """The altered store, (kind, files); `seeds` are those of its changes."""
    files = dict(files)
    for seed in seeds:
        alter.alter(make_rng(seed), files, vocabulary)
    if not zipped:
        return "directory", files
    data = alter.zipped(make_rng("zip"), files)
    if zipped == "bytes":
        change = make_rng("bytes")
        for _ in range(change.choice([1, 1, 2, 4])):
            data = alter.alter_zip(change, data)
        if change.random() < 0.05:
            data = alter.zip64_end(data)
    return "zip", {"zip": data}
