"""Stores in Azure's storage, as Azurite answers: the same as in a bucket, with zarr-python over obstore as the judge; whose requests they are, by key,
SAS and without; what is put in blocks, copied, and listed in pages; and that no secret stands in what is told."""

import base64
import os
import subprocess
import sys
import uuid
import zipfile
from urllib.parse import quote, urlencode

import h5py
import numpy as np
import pytest
import zarr

from azure import ACCOUNT, KEY, Azurite, AzureJudge, sas
from interpreter import Failed
from interpreters import interpreters
from places import with_connector
from servers import Proxy
from test_cloud_doorways import door
from test_cloud_stores import (in_another, options, test_a_killed_writer_leaves_a_store_that_opens,  # noqa: F401
                               test_consolidated_metadata_has_another_writer_s_change, test_deleted, test_modes, test_not_zarr_s_stays,
                               test_one_of_several_creators_wins, test_two_writers_lose_nothing, test_what_it_replaces_is_gone,
                               test_written_and_read, test_zarr_python_s)

from test_cloud_looks import looked_at, a_store_and_a_file as test_looks_at_a_store_and_a_file  # noqa: F401
from test_cloud_sync import kill_at_requests, source, step, test_an_unfinished_copy_does_not_open  # noqa: F401
from test_cloud_sync import test_there_and_back as test_copied_there_and_back  # noqa: F401
from test_cloud_sync import test_what_decides_and_what_it_asks_for as test_what_decides  # noqa: F401

DATA = np.arange(400 * 300, dtype="f4").reshape(400, 300)


@pytest.fixture(scope="module")
def azurite(tmp_path_factory):
    if not os.environ.get("VZ_AZURITE") or not os.environ.get("VZ_CLOUD_PROXY"):
        pytest.skip("Azurite is not here")
    server = Azurite(tmp_path_factory.mktemp("azurite"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def proxy(azurite, tmp_path_factory):
    """Before Azurite, with the connector told of it as users tell it."""
    server = Proxy(azurite.url, tmp_path_factory.mktemp("proxy"))
    before = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("AZURE_")}
    os.environ["AZURE_STORAGE_CONNECTION_STRING"] = f"AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={server.url}/{ACCOUNT}/"
    yield server
    del os.environ["AZURE_STORAGE_CONNECTION_STRING"]
    os.environ.update(before)
    server.stop()


@pytest.fixture(scope="module")
def container(azurite):
    name = f"tests-{uuid.uuid4().hex[:12]}"
    azurite.make_container(name)
    return name


@pytest.fixture(scope="module")
def judge(azurite):
    return AzureJudge(azurite)


@pytest.fixture(scope="module")
def client():
    return None


class Place:
    def __init__(self, container, prefix):
        self.container, self.prefix = container, prefix

    def __truediv__(self, name):
        return f"az://{self.container}/{self.prefix}/{name}"


@pytest.fixture
def place(container, proxy, request):
    proxy.clear()
    yield Place(container, f"{request.node.name.replace('[', '-').replace(']', '')}-{uuid.uuid4().hex[:6]}")
    proxy.clear()


@pytest.fixture(scope="module")
def writers(proxy):
    yield from interpreters()


@pytest.fixture(scope="module")
def connector(writers):
    return writers("zarr")


# ---- what is asked in a way of its own ----


def grow(url):
    with h5py.File(url, "w") as f:
        f.create_dataset("x", data=np.arange(10.0), chunks=(4,), maxshape=(None,))
        f["old"] = [1, 2]
    with h5py.File(url, "r+") as f:
        f["x"].resize((25,))
        f["x"][20:] = 7
        f["x"][3] = -1
        del f["old"]
        f.create_group("g/h")["y"] = ["a", "bä"]
        f.move("g/h", "moved")


def test_changed(place, judge, in_another, options):
    url = place / "x.zarr"
    in_another(options, grow, url)
    group = judge.group(url)
    expected = np.concatenate([np.arange(10.0), np.zeros(10), np.full(5, 7.0)])
    expected[3] = -1
    np.testing.assert_array_equal(group["x"][:], expected)
    assert sorted(group) == ["g", "moved", "x"] and list(group["moved/y"][:]) == ["a", "bä"]
    assert not [key for key in judge.keys(url) if key.startswith(("old", "g/h"))]


def write_large(url):
    value = np.random.default_rng(1).integers(0, 1 << 62, 9 << 20)
    with h5py.File(url, "w") as f:
        f.create_dataset("x", data=value, chunks=value.shape)
    with h5py.File(url, "r+") as f:
        f["x"][:5] = range(5)
    return value[-5:].tolist()


def test_in_blocks(place, judge, proxy, writers):
    """A chunk of 72 MiB goes in blocks; part of it is changed, which is a condition at the list of blocks."""
    url = place / "x.zarr"
    proxy.clear()
    last = writers("zarr compress=none").run(write_large, url)
    blocks = [each for each in proxy.log() if "comp=block&" in each["query"] + "&"]
    lists = [each for each in proxy.log() if "comp=blocklist" in each["query"]]
    assert len(blocks) == 10 and len({each["query"] for each in blocks}) == 10 and len(lists) == 2
    x = judge.group(url)["x"][:]
    assert x[:5].tolist() == [0, 1, 2, 3, 4] and x[-5:].tolist() == last
    with h5py.File(url) as f:
        np.testing.assert_array_equal(f["x"][:], x)


def test_shards(place, judge, proxy, writers):
    """No server of this kind knows ranges that are counted from the end of a value: none is asked for one."""
    url = place / "x.zarr"
    group = judge.group(url, mode="w", zarr_format=3)
    group.create_array("x", shape=DATA.shape, dtype=DATA.dtype, chunks=(50, 50), shards=(200, 150))[:] = DATA
    log = proxy.counted(lambda: check_part(url))
    asked = [each["range"] for each in log if each["range"]]
    assert asked and not [each for each in asked if each.startswith("bytes=-")]
    with h5py.File(url) as f:
        np.testing.assert_array_equal(f["x"][:], DATA)


def check_part(url):
    with h5py.File(url) as f:
        np.testing.assert_array_equal(f["x"][10:60, 5:9], DATA[10:60, 5:9])


@pytest.mark.parametrize("name", ["x.zip", "plain.zip"])
def test_zip(tmp_path, place, judge, proxy, name):
    method = zipfile.ZIP_DEFLATED if name == "x.zip" else zipfile.ZIP_STORED
    with zarr.storage.ZipStore(tmp_path / name, mode="w", compression=method) as store:
        zarr.create_group(store, zarr_format=3).create_array("x", shape=DATA.shape, dtype=DATA.dtype, chunks=(50, 50), shards=(200, 150))[:] = DATA
    judge.put(place / name, "", (tmp_path / name).read_bytes())
    log = proxy.counted(lambda: check_part(place / name))
    assert not [each for each in log if each["range"].startswith("bytes=-")] and len(log) <= 12
    with h5py.File(place / name) as f:
        np.testing.assert_array_equal(f["x"][:], DATA)
    with pytest.raises(OSError, match="can only be read"):
        h5py.File(place / name, "r+")


def test_pages(place, azurite, container, judge, proxy):
    """A page that tells of another one, whose mark Azurite made, stands for one of 5,000 names."""
    url = place / "x.zarr"
    group = judge.group(url, mode="w", zarr_format=2)
    names = [f"g{i}" for i in range(7)]
    for name in names:
        group.create_group(name)
    query = {"comp": "list", "delimiter": "/", "maxresults": 4, "prefix": f"{place.prefix}/x.zarr/", "restype": "container"}
    page = azurite.ask("GET", "/" + container, urlencode(query, quote_via=quote))[1].decode("utf-8-sig")
    assert "<NextMarker>" in page and "g6" not in page
    proxy.clear()
    proxy.rules({"kind": "LIST", "fault": "answer", "status": 200, "body": page, "times": 1})
    with h5py.File(url) as f:
        assert sorted(f) == names
    asked = [each["query"] for each in proxy.log() if each["kind"] == "LIST"]
    assert "marker=" not in asked[0] and "marker=" in asked[1]


def write_anndata(url):
    import anndata

    anndata.AnnData(np.eye(5, 3, dtype="f4"), obs={"kind": ["a", "b", "a", "b", "c"]}, layers={"twice": 2 * np.eye(5, 3)}).write_h5ad(url)


def test_anndata(place, judge, writers):
    import anndata

    url = place / "x.h5ad"
    writers("zarr create=*.h5ad").run(write_anndata, url)
    there = anndata.io.read_elem(judge.group(url))
    here = anndata.read_h5ad(url)
    for each in there, here:
        np.testing.assert_array_equal(each.X, np.eye(5, 3))
        assert list(each.obs["kind"]) == ["a", "b", "a", "b", "c"] and each.layers["twice"][1, 1] == 2


def test_names(place, container):
    """As functions for paths leave them, for programs that take az:// for themselves, and with the account."""
    url, rest = place / "x.zarr", f"{container}/{place.prefix}/x.zarr"
    assert run(WRITE, url) == "[1, 2, 3]"
    for name in f"az:/{rest}", f"/any/where/az:/{rest}", f"zarr+az://{rest}", f"az://{container}@{ACCOUNT}/{place.prefix}/x.zarr":
        with h5py.File(name) as f:
            assert f["year=2026/ä ü+%41/x"][:].tolist() == [1, 2, 3], name
    for name in f"az://{container}", f"az://{container}/", "az://", "az://no-such-container/x.zarr":
        with pytest.raises(OSError):
            h5py.File(name)
    with pytest.raises(OSError, match='the account is "other", and AZURE_STORAGE_CONNECTION_STRING is of "devstoreaccount1"'):
        h5py.File(f"az://{container}@other.blob.core.windows.net/x.zarr")
    with pytest.raises(OSError, match="a host that is not Azure's"):
        h5py.File(f"az://{container}@{ACCOUNT}.example.org/x.zarr")


# ---- faults ----


def test_faults_that_pass(place, proxy, judge, connector):
    busy = "<?xml version='1.0'?><Error><Code>ServerBusy</Code><Message>The server is busy.</Message></Error>"
    slow = "<?xml version='1.0'?><Error><Code>OperationTimedOut</Code><Message>x</Message></Error>"
    proxy.rules({"fault": "answer", "status": 503, "body": busy, "every": 5, "times": 4},
                {"fault": "answer", "status": 500, "body": slow, "every": 7, "times": 4},
                {"fault": "lost", "every": 11, "times": 3})
    url = place / "x.zarr"
    connector.run(grow, url)
    proxy.clear()
    assert judge.group(url)["x"][-1] == 7


def test_pending_copies(place, proxy, judge, connector):
    """A copy that the server goes on with is asked about until it is made."""
    url = place / "x.zarr"
    judge.group(url, mode="w", zarr_format=2).create_array("a/x", data=np.arange(5))
    proxy.rules({"kind": "PUT", "path": "/b/", "fault": "answer", "status": 202, "times": 1,
                 "headers": {"x-ms-copy-status": "pending", "x-ms-copy-id": "1"}})
    with pytest.raises(Failed, match="is gone"):  # that copy was never made
        connector.run(move, url)
    assert judge.group(url)["a/x"][:].tolist() == [0, 1, 2, 3, 4]
    proxy.clear()
    proxy.rules({"kind": "PUT", "path": "/b/", "fault": "answer", "status": 202, "times": 1, "headers": {"x-ms-copy-status": "failed"}})
    with pytest.raises(Failed, match="began a copy and did not make it"):
        connector.run(move, url)
    proxy.clear()
    connector.run(move, url)
    assert judge.group(url)["b/x"][:].tolist() == [0, 1, 2, 3, 4]


def move(url):
    with h5py.File(url, "r+") as f:
        f.move("a", "b")


@pytest.mark.parametrize("command", ["cp", "sync"])
def test_copies_killed_at_each_request(place, proxy, judge, tmp_path, command):
    kill_at_requests(place, proxy, judge, tmp_path, command, step(11))


# ---- whose requests they are ----

WRITE = """
import sys, h5py
with h5py.File(sys.argv[1], "w") as f:
    f["year=2026/ä ü+%41/x"] = [1, 2, 3]
    f.move("year=2026", "y")
    f.move("y", "year=2026")
with h5py.File(sys.argv[1]) as f:
    print(f["year=2026/ä ü+%41/x"][:].tolist())
"""
CHANGE = """
import sys, h5py
with h5py.File(sys.argv[1], "r+") as f:
    f.attrs["a"] = 1
"""
READ = "import sys, h5py; print(h5py.File(sys.argv[1])['year=2026/ä ü+%41/x'][:].tolist())"


def run(code, url, settings=None, options="zarr"):
    """What a program prints, or why it failed; with these settings in the place of the tests' own."""
    environment = {**with_connector(options)}
    if settings is not None:
        environment = {name: value for name, value in environment.items() if not name.startswith("AZURE_")} | settings
    done = subprocess.run([sys.executable, "-c", code, url], env=environment, capture_output=True, text=True, timeout=120)
    for secret in [KEY, *(value.rpartition("sig=")[2] for value in (settings or {}).values() if "sig=" in value)]:
        assert secret not in done.stdout + done.stderr
    return done.stdout.strip() if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


@pytest.fixture
def endpoint(proxy):
    return f"{proxy.url}/{ACCOUNT}"


def test_keys(place, endpoint, azurite):
    account = {"AZURE_STORAGE_ACCOUNT": ACCOUNT, "AZURE_STORAGE_KEY": KEY}
    for settings, options in [
        (account | {"AZURE_STORAGE_SERVICE_ENDPOINT": endpoint}, "zarr"),
        (account, f"zarr endpoint={endpoint}"),
        ({"AZURE_STORAGE_KEY": KEY}, f"zarr endpoint={endpoint};account={ACCOUNT}"),
        ({"AZURE_STORAGE_CONNECTION_STRING": f"UseDevelopmentStorage=true;BlobEndpoint={endpoint}"}, "zarr"),
        ({"AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT, "AZURE_STORAGE_ACCOUNT_KEY": KEY}, f"zarr endpoint={endpoint}"),
    ]:
        assert run(WRITE, place / f"{uuid.uuid4().hex}.zarr", settings, options) == "[1, 2, 3]", (list(settings), options)


def test_wrong_keys(place, endpoint, container):
    wrong = base64.b64encode(b"another key").decode()
    where = {"AZURE_STORAGE_SERVICE_ENDPOINT": endpoint, "AZURE_STORAGE_ACCOUNT": ACCOUNT}
    for settings, words in [
        (where | {"AZURE_STORAGE_KEY": wrong}, "Server failed to authenticate the request"),
        (where | {"AZURE_STORAGE_KEY": wrong}, "; the account's key or SAS is not the right one, or has expired"),
        (where | {"AZURE_STORAGE_KEY": "no base64!"}, "AZURE_STORAGE_KEY: the key is not base64"),
        (where | {"AZURE_STORAGE_SAS_TOKEN": "sv=1"}, "AZURE_STORAGE_SAS_TOKEN: that is no SAS"),
        (where | {"AZURE_STORAGE_SAS_TOKEN": sas(container, "racwdl", hours=-1)}, "; the account's key or SAS is not the right one"),
        (where | {"AZURE_STORAGE_SAS_TOKEN": sas(container, "racwdl")[:-6]}, "; the account's key or SAS is not the right one"),
        (where, "; no credentials were found: not in AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, nor in AZURE_STORAGE_CONNECTION_STRING"),
        ({}, "nothing says which account of Azure's storage"),
        ({"AZURE_STORAGE_CONNECTION_STRING": "AccountName"}, 'AZURE_STORAGE_CONNECTION_STRING: a part without "="'),
    ]:
        assert words in run(WRITE, place / "x.zarr", settings), (list(settings), words)


def test_sas(place, endpoint, container, judge, proxy):
    url = place / "x.zarr"
    for settings in [{"AZURE_STORAGE_SAS_TOKEN": "?" + sas(container, "racwdl"), "AZURE_STORAGE_ACCOUNT": ACCOUNT, "VOL_ZARR_ENDPOINT": endpoint},
                     {"AZURE_STORAGE_CONNECTION_STRING": f"BlobEndpoint={endpoint};SharedAccessSignature={sas(container, 'racwdl')}"}]:
        proxy.clear()
        assert run(WRITE, url, settings) == "[1, 2, 3]"
        assert all("sig=" in each["query"] for each in proxy.log())
    assert judge.group(url)["year=2026/ä ü+%41/x"][:].tolist() == [1, 2, 3]


def test_sas_that_may_only_read(place, endpoint, container, judge):
    url = place / "x.zarr"
    assert run(WRITE, url) == "[1, 2, 3]"
    before = judge.keys(url)
    for permissions in "rl", "r":
        settings = {"AZURE_STORAGE_CONNECTION_STRING": f"BlobEndpoint={endpoint};SharedAccessSignature={sas(container, permissions)}"}
        assert run(READ, url, settings) == "[1, 2, 3]"
        said = run(CHANGE, url, settings)
        assert "status 403, AuthorizationPermissionMismatch" in said, said
        said = run(WRITE, place / "new.zarr", settings)
        assert "status 403, AuthorizationPermissionMismatch" in said, said
    assert judge.keys(url) == before and judge.keys(place / "new.zarr") == {}


def test_a_sas_is_not_sent_in_the_clear(place, container):
    settings = {"AZURE_STORAGE_ACCOUNT": "a", "AZURE_STORAGE_SAS_TOKEN": sas(container, "rl"), "VOL_ZARR_ENDPOINT": "http://azure.invalid/a"}
    assert "a SAS is sent over https alone" in run(READ, place / "x.zarr", settings)


def test_without_credentials(azurite, endpoint, judge):
    name = f"public-{uuid.uuid4().hex[:12]}"
    azurite.make_container(name, public=True)
    url = f"az://{name}/x.zarr"
    assert run(WRITE, url) == "[1, 2, 3]"
    for more in {}, {"AZURE_STORAGE_KEY": KEY, "VOL_ZARR_ANONYMOUS": "1"}, {"AZURE_STORAGE_KEY": KEY, "AZURE_STORAGE_ANON": "true"}:
        assert run(READ, url, {"VOL_ZARR_ENDPOINT": endpoint} | more) == "[1, 2, 3]"
    assert "refused it: status" in run(WRITE, f"az://{name}/y.zarr", {"VOL_ZARR_ENDPOINT": endpoint})


def test_doorways(tmp_path, place, endpoint):
    """A file that names a store leads there with the user's own credentials only where he allows that, and to his own server."""
    url = place / "x.zarr"
    assert run(WRITE, url) == "[1, 2, 3]"
    mine = door(tmp_path / "mine.h5", url)
    elsewhere = door(tmp_path / "elsewhere.h5", url, f"endpoint={endpoint.replace('127.0.0.1', 'localhost')}")
    assert "doorways=anywhere" in run(READ, mine)
    with_mine = {name: value for name, value in os.environ.items() if name.startswith("AZURE_")} | {"VOL_ZARR_DOORWAYS": "anywhere"}
    assert run(READ, mine, with_mine) == "[1, 2, 3]"
    assert "refused it: status" in run(READ, elsewhere, with_mine)
    assert "refused it: status" in run(READ, elsewhere, {"VOL_ZARR_DOORWAYS": "anywhere"})
