"""h5zarr cp and h5zarr sync into buckets, out of them and between them: keys by boto3, the store by zarr-python; the proxy counts requests, and holds
them so that a run is killed at each. Azurite stands in MinIO's place in test_cloud_azure."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest
import zarr
from places import COMMAND, files

VALUES = np.arange(24 * 20, dtype="i4").reshape(24, 20)
SMALL = {"VOL_ZARR_SECOND_GET": "0"}

pytestmark = pytest.mark.filterwarnings("ignore:Consolidated metadata")


def start(*words, **environment):
    return subprocess.Popen([COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                            env={**os.environ, **SMALL, **environment})


def run(*words, expect=0, **environment):
    process = start(*words, **environment)
    said = process.communicate(timeout=120)
    assert process.returncode == expect, said
    return said[0] + said[1]


def summary(*words, **more):
    return json.loads(run(*words, "--json", **more).splitlines()[-1])


def make(path, form=2, arrays=2):
    group = zarr.open_group(path, mode="w", zarr_format=form)
    for i in range(arrays):
        group.create_array(f"g/a{i}", shape=VALUES.shape, chunks=(12, 10), dtype="i4", compressors=None)[:] = VALUES + i
    return pathlib.Path(path)


@pytest.fixture(params=[2, 3])
def source(request, tmp_path):
    return make(tmp_path / "a.zarr", request.param)


def content(judge, url):
    """Without the hidden key by which a bucket is tried: who is killed then leaves it."""
    return {key: judge.get(url, key) for key in judge.keys(url) if not ("/" not in key and key.endswith(".partial"))}


def first_chunk(path, array="a0"):
    return next(p for p in sorted((path / "g" / array).rglob("*")) if p.is_file() and p.stat().st_size == 480)


def test_there_and_back(place, proxy, judge, source, tmp_path):
    url, other, back = place / "a.zarr", place / "b.zarr", tmp_path / "back.zarr"
    run("cp", source, url)
    assert content(judge, url) == files(source) and (judge.group(url)["g/a1"][:] == VALUES + 1).all()
    run("cp", url, other)
    run("cp", url, back)
    run("cp", other, tmp_path / "c.zip")
    assert content(judge, other) == files(source) == files(back)
    assert summary("sync", tmp_path / "c.zip", other)["done"] == "equal"
    assert summary("sync", url, back)["done"] == "equal" and summary("sync", url, other)["done"] == "equal"


def test_what_decides_and_what_it_asks_for(place, proxy, judge, source, tmp_path):
    """The server's MD5 stands for the bytes there: nothing but the root's documents is read, and what differs is put."""
    url = place / "a.zarr"
    run("cp", source, url)
    counted = proxy.counted(lambda: run("sync", source, url))
    assert not [path for path in counted.paths("GET") if "/g/" in path] and not counted.paths("PUT")
    first_chunk(source).write_bytes(bytes(480))
    judge.put(url, "g/more.txt", b"theirs")
    said = run("sync", source, url, "--dry-run")
    assert f"copy {first_chunk(source).relative_to(source)} (bytes)" in said and "keep g/more.txt (only in the target)" in said
    counted = proxy.counted(lambda: run("sync", source, url))
    assert sum(path.endswith("zarr.json") or "/g/" in path for path in counted.paths("PUT")) <= 3
    assert {**files(source), "g/more.txt": b"theirs"} == content(judge, url)
    assert summary("sync", source, url, "--delete")["deleted"] == 1 and content(judge, url) == files(source)
    assert "is there already" in run("cp", source, url, expect=1)


def test_refused(place, proxy, judge, source):
    url = place / "a.zarr"
    run("cp", source, url)
    before = judge.keys(url)
    assert "are the same" in run("sync", url, url + "/", expect=1) and "lie in the source" in run("cp", url, url + "/g/x", expect=1)
    assert "lies in the target" in run("sync", url + "/g", url, expect=1)
    judge.put(place / "other", "thing.txt", b"mine")
    assert "no Zarr store" in run("sync", source, place / "other", expect=1)
    assert "no such bucket" in run("cp", source, "s3://nobody-has-this-one/a.zarr", expect=1)
    assert "403" in run("cp", url, "out.zarr", expect=1, AWS_SECRET_ACCESS_KEY="wrong")
    assert judge.keys(url) == before


def test_one_bucket_by_two_names(open_bucket, minio, proxy, judge, tmp_path):
    """The URL of a bucket's server is an alias of the bucket that no name shows."""
    source = make(tmp_path / "a.zarr")
    zarr.consolidate_metadata(source, path="g")
    zarr.consolidate_metadata(source)
    url, web = f"s3://{open_bucket}/two/a.zarr", f"{minio.url}/{open_bucket}/two/a.zarr"
    run("cp", source, url)
    before = content(judge, url)
    assert summary("sync", web, url)["done"] == "equal" and "is there already" in run("cp", web, url, expect=1)
    for more in [], ["--delete"]:
        assert "the source lies in the target, under another name" in run("sync", web + "/g", url, *more, expect=1)
        assert content(judge, url) == before


# ---- unfinished ----


def hold(proxy, process):
    """Waits for the request that the proxy holds back, and stops the program: it cannot lose its patience."""
    while not proxy.held() and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGSTOP)


def test_an_unfinished_copy_does_not_open(place, proxy, judge, source, connector):
    url = place / "a.zarr"
    proxy.rules({"fault": "hold", "kind": "PUT", "path": "/g/a1/", "times": 1})
    process = start("cp", source, url)
    hold(proxy, process)
    for mode in ("r", "r+", "a"):
        with pytest.raises(Exception):  # noqa: B017
            judge.group(url, mode=mode)
    assert "unfinished copy" in connector.run(refused, url)
    assert "--resume goes on" in run("cp", source, url, expect=1) and "unfinished copy" in run("cp", url, "x.zarr", expect=1)
    process.kill()
    process.communicate()
    proxy.clear()
    run("cp", source, url, "--resume")
    assert content(judge, url) == files(source)


def refused(url):
    try:
        h5py.File(url, "r").close()
    except OSError as error:
        return str(error)
    return "it opened"


def test_who_was_taken_over_does_not_finish(place, proxy, judge, source):
    url = place / "a.zarr"
    proxy.rules({"fault": "gate", "kind": "PUT", "path": "/g/a1/", "times": 1})
    process = start("cp", source, url)
    hold(proxy, process)
    proxy.clear()
    assert summary("sync", source, url)["resumed"] and content(judge, url) == files(source)
    process.send_signal(signal.SIGCONT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 1 and "another program writes this store" in said
    assert content(judge, url) == files(source)


def killed_at(proxy, at, *words):
    """False: it needed no more requests."""
    proxy.clear()
    proxy.rules({"fault": "hold", "skip": at})
    process = start(*words)
    while not proxy.held():
        if process.poll() is not None:
            assert process.returncode == 0, process.communicate()
            proxy.clear()
            return False
        time.sleep(0.002)
    process.kill()
    process.communicate()
    proxy.log()  # waits until the proxy has seen it
    proxy.clear()
    return True


def opens(judge, url):
    try:
        judge.group(url)
    except Exception:  # noqa: BLE001
        return False
    return True


def step(usual):
    return 1 if os.environ.get("VZ_ROUNDS") else usual  # VZ_ROUNDS=1: at each request


@pytest.mark.parametrize("command", ["cp", "sync"])
def test_killed_at_each_request(place, proxy, judge, tmp_path, command):
    kill_at_requests(place, proxy, judge, tmp_path, command, step(4))


def kill_at_requests(place, proxy, judge, tmp_path, command, each):
    source, earlier = make(tmp_path / "a.zarr", 3, arrays=1), make(tmp_path / "old.zarr", 3, arrays=2)
    first_chunk(earlier).write_bytes(bytes(480))
    words = ["--resume"] if command == "cp" else ["--delete"]
    run("cp", source, place / "warm.zarr")  # what is found out once of a bucket
    at = 0
    while True:
        url = place / f"{at}.zarr"
        if command == "sync":
            run("cp", earlier, url)
        went_on = killed_at(proxy, at, command, source, url, *words)
        if opens(judge, url):
            assert content(judge, url) in (files(source), files(earlier)), at
        process = start(command, source, url, *words)
        said = process.communicate(timeout=60)[1]
        assert process.returncode == 0 or "is there already" in said, (at, said)
        assert content(judge, url) == files(source) and (judge.group(url)["g/a0"][:] == VALUES).all(), at
        if not went_on:
            break
        at += each
    assert at > 8, at


# ---- a source that changes ----


def test_a_source_that_changes_is_copied_again(place, proxy, judge, source, tmp_path):
    url, target = place / "a.zarr", tmp_path / "b.zarr"
    run("cp", source, url)
    chunk = str(first_chunk(source).relative_to(source))
    proxy.rules({"fault": "gate", "kind": "GET", "path": "/g/a1/", "times": 1})
    process = start("cp", url, target)
    hold(proxy, process)
    judge.put(url, chunk, b"z" * 480)
    judge.put(url, "g/new", b"new")
    proxy.clear()
    process.send_signal(signal.SIGCONT)
    assert process.wait(timeout=60) == 0, process.communicate()
    assert files(target) == content(judge, url) and files(target)[chunk] == b"z" * 480


# ---- large values ----

MEASURE = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=2); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"


def test_a_value_in_parts(place, proxy, judge, tmp_path):
    """80 MiB: put in parts from a file without a name, read in ranges of one version."""
    source, url = make(tmp_path / "a.zarr", arrays=1), place / "a.zarr"
    os.truncate(source / "g" / "a0" / "0.0", 80 << 20)
    run("cp", source, url)
    assert content(judge, url) == files(source)
    line = [sys.executable, "-S", "-c", MEASURE, COMMAND, "cp", url, tmp_path / "b.zarr"]
    assert int(subprocess.run(line, check=True, capture_output=True).stdout) < 64 << 10
    assert files(tmp_path / "b.zarr") == files(source)
    assert summary("sync", source, url)["done"] == "equal" and summary("sync", url, tmp_path / "b.zarr")["done"] == "equal"
