"""Two processes close one store at once: each schedule of their requests leaves consolidated metadata with everything in it.

Each process has a proxy of its own, whose gate lets so many requests pass and holds the others. The first process stops before each of its
requests in turn. Meanwhile the second one runs to its end, or it stops too, until the first one has ended."""

import concurrent.futures
import os
import time

import h5py
import pytest

from interpreter import Interpreter
from interpreters import HERE
from places import with_connector
from servers import Proxy

MOST = 60  # more requests than a process makes: it does not come to its gate
# Of the places where the second process may stop every so many are tried; 1 tries all: 471 schedules in format 3, 1307 in format 2.
STEP = int(os.environ.get("VZ_SCHEDULE_STEP", 30))


class Writer:
    """A process, its proxy, and a thread that waits for it."""

    def __init__(self, minio, where):
        where.mkdir()
        self.proxy = Proxy(minio.url, where)
        environment = {**with_connector("zarr"), "AWS_ENDPOINT_URL_S3": self.proxy.url}
        self.interpreter = Interpreter(environment, f"import sys; sys.path.insert(0, {HERE!r})")
        self.thread = concurrent.futures.ThreadPoolExecutor(1)

    def begin(self, passes, work, *arguments):
        """Until it ends, or stops before its next request. Has it ended?"""
        self.proxy.clear()
        self.proxy.rules({"fault": "gate", "name": "gate", "skip": passes})
        self.work = self.thread.submit(self.interpreter.run, work, *arguments)
        end = time.monotonic() + 60
        while not self.work.done() and not self.proxy.held():
            assert time.monotonic() < end, "neither ends nor stops"
            time.sleep(0.001)
        return self.work.done()

    def end(self):
        self.proxy.clear()
        self.work.result(timeout=60)

    def stop(self):
        self.proxy.clear()
        self.interpreter.stop()
        self.thread.shutdown()
        self.proxy.stop()


@pytest.fixture(scope="module")
def pair(minio, tmp_path_factory):
    where = tmp_path_factory.mktemp("closers")
    writers = [Writer(minio, where / name) for name in ("first", "second")]
    yield writers
    for each in writers:
        each.stop()


def create(url):
    with h5py.File(url, "w") as f:
        f["x"] = [1, 2, 3]


def add(url, name):
    """An attribute of the root, and a group with an array."""
    with h5py.File(url, "r+") as f:
        f.attrs[name] = 1
        f[f"tasks/{name}/result"] = [1] * 3


def lacks(judge, url, form):
    """What zarr-python misses, with consolidated metadata and without it."""
    groups = {use: judge.group(url, use_consolidated=use, zarr_format=form) for use in (True, False)}
    return [(use, name) for use, group in groups.items() for name in "ab"
            if f"tasks/{name}/result" not in group or group.attrs.get(name) != 1]


@pytest.mark.parametrize("form", [2, 3])
def test_two_closers(writers, pair, judge, place, form):
    first, second = pair
    wrong, ended = [], False
    for stops in range(MOST):
        for other in [MOST, *range(1 + stops % STEP, MOST, STEP)]:
            url = place / f"{stops}-{other}.zarr"
            writers(f"zarr format={form}").run(create, url)
            ended = first.begin(stops, add, url, "a")
            other_ended = second.begin(other, add, url, "b")
            first.end()
            second.end()
            wrong += [(stops, other, each) for each in lacks(judge, url, form)]
            if ended or (other_ended and other != MOST):
                break
        if ended:
            break
    assert ended and not wrong, wrong
