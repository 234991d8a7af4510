"""h5zarr serve and clients that mean harm, or are broken: each gets an answer or its end, and others are served meanwhile."""

import contextlib
import random
import socket
import threading
import time

import pytest
import zarr

from serving import drain, served, statuses

pytestmark = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores")

GET = b"GET /zarr.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST = b"GET /zarr.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
MOST = 128  # connections (VZ_SERVE_CONNECTIONS_MAX)
BIG = 300 << 20


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("served") / "x.zarr"
    zarr.open_group(path, mode="w")
    with open(path / "big", "wb") as file:
        file.truncate(BIG)
    return path


@pytest.fixture(scope="module")
def server(store):
    with served(store) as running:
        yield running


@pytest.fixture(autouse=True)
def still_served(server):
    yield
    assert server.ask("/zarr.json")[0] == 200


def memory_of(server):
    with open(f"/proc/{server.process.pid}/status") as file:
        return int(next(line for line in file if line.startswith("VmHWM")).split()[1]) << 10


@pytest.mark.parametrize("data, status", [
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100), 400),  # TLS
    (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    (b"\0" * 5000, 400),
    (b"GET\n", 400),
    (b"GET /zarr.json\r\n\r\n", 400),
    (b"GET /zarr.json HTTP/1.1\r\n\r\n", 400),
    (b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
    (b"GET /zarr.json HTTP/1.1\r\nHost: localhost\r\nA: " + b"a" * 200000 + b"\r\n\r\n", 431),
    (b"GET /zarr.json HTTP/1.1\r\nHost: localhost\r\n" + b"a: b\r\n" * 200 + b"\r\n", 431),
    (b"POST /zarr.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100000, 405),
    (b"GET /zarr.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + GET, 501),
    (b"GET /zarr.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 46\r\n\r\n" + GET, 400),  # a request in the body of another one
    (b"GET /zarr.json HTTP/9.9\r\nHost: localhost\r\n\r\n", 505),
])
def test_garbage(server, data, status):
    """One answer, then the end: what follows is no request."""
    assert statuses(server.send(data)) == [status]


def test_random_bytes(server):
    chance = random.Random(1)
    for _ in range(100):
        data = bytearray(LAST)
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        answer = server.send(bytes(data), ends=True)
        assert not answer or answer.startswith(b"HTTP/1.1 "), data


def test_pipelining(server):
    """Many requests at once, in one packet and in odd parts: an answer for each, in their order."""
    asked = [GET, b"HEAD /zarr.json HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\r\n" + GET] * 50
    for step in (1 << 20, 37):
        with server.connect() as client:
            data = b"".join(asked).replace(b"HEAD", b"GET") + LAST
            sender = threading.Thread(target=lambda: [client.sendall(data[i:i + step]) for i in range(0, len(data), step)])  # noqa: B023
            sender.start()
            got = statuses(drain(client))
            sender.join()
        assert got == [200, 200, 404, 200] * 50 + [200]


def test_a_client_that_sends_no_more(server):
    """Its requests are answered all the same; half of one is none."""
    assert statuses(server.send(GET + GET, ends=True)) == [200, 200]
    assert server.send(GET[:-1], ends=True) == b"" and server.send(b"", ends=True) == b""


def test_a_request_byte_by_byte(server):
    with server.connect() as client:
        for byte in LAST:
            client.sendall(bytes([byte]))
        assert statuses(drain(client)) == [200]


def test_clients_that_go_away(server):
    """In the middle of a request, of an answer, of a reset."""
    for size in (0, 10, len(GET)):
        for _ in range(50):
            with server.connect() as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                client.sendall(GET[:size])
    for _ in range(20):
        with server.connect() as client:
            client.sendall(b"GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n")
            client.recv(1000)


def test_slow_clients(server):
    """Clients that say nothing, half of a request, or a byte now and then, are ended after ten seconds; nobody waits for them."""
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(server.connect()) for _ in range(6)]
        began = time.monotonic()
        for client in clients[2:]:
            client.sendall(GET[:20])
        while time.monotonic() - began < 6:
            for client in clients[4:]:
                client.sendall(b"a")
            assert server.ask("/zarr.json")[0] == 200
            time.sleep(0.5)
        for client in clients:
            assert drain(client) == b""
        assert time.monotonic() - began > 9


def test_more_clients_than_there_is_room_for(server):
    """Connections that are kept without a request make room; those that are at work do not."""
    with contextlib.ExitStack() as stack:
        kept = [stack.enter_context(server.connect()) for _ in range(MOST + 50)]
        for client in kept:
            client.sendall(GET)
            assert client.recv(20).startswith(b"HTTP/1.1 200 OK")


def test_clients_that_do_not_read(server):
    """Each has a piece of the value in memory, and no more; somebody else gets all of it."""
    with contextlib.ExitStack() as stack:
        for _ in range(40):
            client = stack.enter_context(server.connect())
            client.sendall(b"GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3)
            client.recv(1000)
        with server.connect() as client:
            client.sendall(b"GET /big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            got = 0
            while part := client.recv(1 << 20):
                got += len(part)
            assert got > BIG
        assert memory_of(server) < 300 << 20


def test_at_once(server):
    """Many threads ask, on connections that are kept and on new ones."""
    failed = []

    def ask():
        with server.connect() as client:
            for i in range(30):
                client.sendall(GET if i < 29 else LAST)
            got = statuses(drain(client))
            if got != [200] * 30 or server.ask("/nothing")[0] != 404:
                failed.append(got)

    threads = [threading.Thread(target=ask) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
