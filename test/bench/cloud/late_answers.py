"""Do second GETs pay? A server delays some answers, and a program reads chunk after chunk.

python test/bench/cloud/late_answers.py [--rounds N]: runs with and without second GETs take turns. A table of percentiles is printed.
"""

import argparse
import asyncio
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

CHUNKS, VALUES = 800, 1000
USUAL_S, LATE_S = 0.010, 1.0
WRITE = f"""
import h5py, numpy, sys
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("x", data=numpy.arange({CHUNKS * VALUES}, dtype="i4"), chunks=({VALUES},))
"""
READ = f"""
import h5py, sys, time
with h5py.File(sys.argv[1], "r") as f:
    x = f["x"]
    for i in range({CHUNKS}):
        begun = time.perf_counter()
        x[i * {VALUES} : (i + 1) * {VALUES}]
        print(time.perf_counter() - begun)
"""


class Server:
    """Files of a directory over HTTP, with delays that a run draws anew from the same seed."""

    def __init__(self, root, late_each):
        self.root, self.late_each, self.asked, self.random = root, late_each, 0, random.Random()

    def begin(self, seed):
        self.asked, self.random = 0, random.Random(seed)

    async def answer(self, reader, writer):
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                method, target = head.split(b"\r\n")[0].split()[:2]
                await asyncio.sleep(self.delay(target))
                path = self.root / target.decode().lstrip("/")
                body = path.read_bytes() if path.is_file() else None
                status = b"200 OK" if body is not None else b"404 Not Found"
                headers = b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n" % (status, len(body or b""))
                writer.write(headers + (b"" if method == b"HEAD" else body or b""))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def delay(self, target):
        """Late ones are chunks, each of which is late with the same chance, whoever asks."""
        is_chunk = target.rsplit(b"/", 1)[-1].isdigit()
        self.asked += is_chunk
        return LATE_S if is_chunk and self.random.randrange(self.late_each) == 0 else USUAL_S


def served(server):
    """The port of the server, whose loop runs in a thread."""
    loop, port = asyncio.new_event_loop(), []

    async def start():
        running = await asyncio.start_server(server.answer, "127.0.0.1", 0)
        port.append(running.sockets[0].getsockname()[1])

    loop.run_until_complete(start())
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return port[0]


def run(code, where, options):
    environment = {**os.environ, "HDF5_VOL_CONNECTOR": f"zarr {options}"}
    done = subprocess.run([sys.executable, "-c", code, where], env=environment, capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--late-each", type=int, default=67, help="one of so many answers is late")
    given = parser.parse_args()
    times, asked, walls = {0: [], 1: []}, {0: 0, 1: 0}, {0: [], 1: []}
    with tempfile.TemporaryDirectory() as directory:
        run(WRITE, f"{directory}/x.zarr", "create=*.zarr")
        server = Server(pathlib.Path(directory), given.late_each)
        url = f"http://127.0.0.1:{served(server)}/x.zarr"
        for seed in range(given.rounds):
            for second in (0, 1) if seed % 2 else (1, 0):
                server.begin(seed)
                begun = time.perf_counter()
                times[second] += run(READ, url, f"second_get={second}")
                walls[second].append(time.perf_counter() - begun)
                asked[second] += server.asked
    print("| second GETs | median ms | p95 ms | p99 ms | p99.9 ms | median of runs, s | requests |\n|---|---|---|---|---|---|---|")
    for second in (0, 1):
        ms = sorted(1000 * each for each in times[second])
        at = [ms[min(len(ms) - 1, int(len(ms) * q))] for q in (0.5, 0.95, 0.99, 0.999)]
        print("|", "with" if second else "without", "|", " | ".join(f"{each:.0f}" for each in at),
              f"| {statistics.median(walls[second]):.1f} | {asked[second]} |", flush=True)


if __name__ == "__main__":
    main()
