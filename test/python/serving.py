"""h5zarr serve, run for a test; and a client that sends exactly what it is told."""

import contextlib
import http.client
import json
import signal
import socket
import subprocess

from places import COMMAND


class Server:
    def __init__(self, process, said):
        self.process, self.url, self.port, self.store = process, said["url"], said["port"], said["store"]

    def ask(self, path, method="GET", **headers):
        """(status, headers, body), by Python's own client on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def send(self, data, ends=False):
        """What comes back until the server closes the connection; ends: nothing more will be sent."""
        with self.connect() as connection:
            connection.sendall(data)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            return drain(connection)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


def drain(connection):
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def statuses(data):
    """Of all answers in what came back: those with a body are skipped by their length."""
    found = []
    while data:
        head, data = data.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        found.append(int(lines[0].split()[1]))
        length = [int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length:")]
        data = data[length[0] if length else 0:]
    return found


@contextlib.contextmanager
def served(store, *options, expect=0, **more):
    process = subprocess.Popen([COMMAND, "serve", "--json", *options, str(store)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **more)  # a shell's background jobs ignore it
    line = process.stdout.readline()
    if not line:
        raise AssertionError(process.communicate()[1])
    server = Server(process, json.loads(line))
    try:
        yield server
    except BaseException:
        process.kill()
        process.communicate()
        raise
    if process.returncode is None:
        status, out, err = server.stop()
        assert (status, out) == (expect, ""), err
        assert "Sanitizer" not in err, err
