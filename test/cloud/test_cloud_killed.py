"""A writer that dies at each of its requests in turn: what it leaves is a store that opens, in which what is there is right, and that the next
writer can change, or make anew. The proxy lets so many requests pass, holds the rest, and the writer is killed when nothing else is under way."""

import os
import signal
import time

import h5py
import numpy as np
import pytest

from judge import split

CLAIM = "00000000000000000000000000000000-0.partial"
VALUES = np.arange(1, 81, dtype="i4").reshape(8, 10)


def fill(file):
    file.create_dataset("a", data=VALUES, chunks=(4, 5))
    file.create_dataset("g/deep/b", data=VALUES + 100, chunks=(8, 10))
    file.create_dataset("g/c", data=VALUES[0])
    file["g"].attrs["unit"] = "m"


def make(url):
    with h5py.File(url, "w") as f:
        fill(f)


# ---- what a writer does, and what of it is legal in between: {name: values that the array may have} ----

BEFORE = {"a": [VALUES], "g/deep/b": [VALUES + 100], "g/c": [VALUES[0]]}


def change(url):
    with h5py.File(url, "r+") as f:
        f["a"][2:5] = -1
        f["g"].attrs["unit"] = "km"
        f.create_dataset("new", data=VALUES, chunks=(4, 5))
        f.create_group("h").attrs["x"] = 1


def changed():
    """A part of each chunk: of two chunks one may be written, and the other not."""
    above, below = VALUES.copy(), VALUES.copy()
    above[2:4], below[4:5] = -1, -1
    return [np.block([[x[:4, :5], y[:4, 5:]], [z[4:, :5], w[4:, 5:]]])
            for x in (VALUES, above) for y in (VALUES, above) for z in (VALUES, below) for w in (VALUES, below)]


def delete(url):
    with h5py.File(url, "r+") as f:
        del f["a"]
        f.flush()
        del f["g"]


def move(url):
    with h5py.File(url, "r+") as f:
        f.move("a", "moved")
        f.flush()
        f.move("g", "h")


def make_anew(url):
    with h5py.File(url, "w") as f:
        f.create_dataset("a", data=VALUES * 2, chunks=(4, 5))


MOVED = {"moved": [VALUES], "h/deep/b": [VALUES + 100], "h/c": [VALUES[0]]}
SCENES = {
    "made": (None, make, BEFORE),
    "changed": (make, change, {**BEFORE, "a": changed(), "new": [VALUES]}),
    "deleted": (make, delete, BEFORE),
    "moved": (make, move, {**BEFORE, **MOVED}),
    "made anew": (make, make_anew, {**BEFORE, "a": [VALUES, VALUES * 2]}),
}
STRIDE = 1 if os.environ.get("VZ_ROUNDS") else 5
# What must be there whatever happens, since nobody takes it away.
STAYS = {"changed": ["a", "g/deep/b", "g/c"]}


# ---- the writer: a child of the interpreter that has the connector ----


def begin(scene, url):
    pid = os.fork()
    if pid == 0:
        try:
            SCENES[scene][1](url)
            os._exit(0)
        except BaseException:  # noqa: BLE001
            os._exit(1)
    return pid


def ended(pid):
    """Its status, or None."""
    found, status = os.waitpid(pid, os.WNOHANG)
    return status if found else None


def reap(pid):
    os.waitpid(pid, 0)


def killed_at(connector, proxy, scene, url, at):
    """Lets `at` requests of the writer pass. False: it needed no more."""
    proxy.clear()
    proxy.rules({"fault": "hold", "skip": at})
    pid = connector.run(begin, scene, url)
    while not proxy.held():
        status = connector.run(ended, pid)
        if status is not None:
            assert status == 0, (scene, at, status)
            return False
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    connector.run(reap, pid)
    proxy.log()  # waits until the proxy has seen it
    proxy.clear()
    return True


# ---- what is left ----


def check_left(judge, scene, url, where):
    """Each array that the documents show has its values; the copy of all documents shows nothing else."""
    legal = SCENES[scene][2]
    keys = judge.keys(url)
    if not any(key in keys for key in (".zgroup", "zarr.json")):
        assert scene in ("made", "made anew"), where
        return
    group = judge.group(url, use_consolidated=False)
    seen = {name: each[...] for name, each in group.members(max_depth=None) if hasattr(each, "shape")}
    for name, values in seen.items():
        assert name in legal, (where, name)
        assert any(np.array_equal(values, each) for each in legal[name]), (where, name, values)
    assert set(STAYS.get(scene, [])) <= set(seen), (where, sorted(seen))
    with h5py.File(url, "r") as f:
        found = {}
        f.visititems(lambda name, each: found.update({name: each[...]}) if isinstance(each, h5py.Dataset) else None)
    for name, values in found.items():
        assert name in legal and any(np.array_equal(values, each) for each in legal[name]), (where, name, values)
    assert set(STAYS.get(scene, [])) <= set(found), (where, sorted(found))


def go_on(url, anew):
    with h5py.File(url, "w" if anew else "r+") as f:
        if anew:
            fill(f)
        f.attrs["after"] = 1
        f["z"] = 3


def check_next_writer(connector, judge, client, scene, url, where):
    bucket, prefix = split(url)
    keys = judge.keys(url)
    anew = scene.startswith("made")
    if CLAIM in keys:  # lasts a minute; nobody waits for that here
        client.delete_object(Bucket=bucket, Key=f"{prefix}/{CLAIM}")
    try:
        connector.run(go_on, url, anew)
    except Exception as error:
        raise AssertionError(where) from error
    group = judge.group(url)
    assert group.attrs["after"] == 1 and group["z"][()] == 3, where
    if anew:
        np.testing.assert_array_equal(group["a"][...], VALUES, err_msg=str(where))
        assert set(judge.keys(url)) & {"new", "moved"} == set(), where
    plain = judge.group(url, use_consolidated=False)
    assert sorted(name for name, _ in group.members(max_depth=None)) == sorted(name for name, _ in plain.members(max_depth=None)), where


@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize("scene", SCENES)
def test_killed_at_requests(place, proxy, writers, judge, client, form, scene):
    connector = writers(f"zarr format={form}")
    connector.run(make, place / "warm.zarr")  # what is found out once of a bucket
    at = (list(SCENES).index(scene) + form) % STRIDE
    while True:
        url = place / f"{at}.zarr"
        if SCENES[scene][0]:
            connector.run(SCENES[scene][0], url)
        if not killed_at(connector, proxy, scene, url, at):
            break
        check_left(judge, scene, url, (scene, form, at))
        check_next_writer(connector, judge, client, scene, url, (scene, form, at))
        at += STRIDE
    assert at > 8, at
    proxy.clear()
