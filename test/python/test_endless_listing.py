"""A server whose listing goes on and brings nothing: Ctrl-C ends h5zarr at once. (A Python program hears of it when HDF5's call ends, as
docs/limits.md says; test_bucket_listing.c has the bounds of such a listing.)"""

import http.server
import os
import signal
import subprocess
import threading

import pytest

from converting import COMMAND


class Endless(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        if "list-type=2" in self.path:
            self.server.pages += 1
            if self.server.pages == 10:
                self.server.goes_on.set()
            return self.say(200, f"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t{self.server.pages}"
                                 "</NextContinuationToken></ListBucketResult>")
        if self.path.endswith("/.zgroup"):
            return self.say(200, '{"zarr_format": 2}')
        return self.say(404, "<Error><Code>NoSuchKey</Code></Error>")

    do_HEAD = do_GET

    def say(self, status, text):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text.encode())

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endless) as server:
        server.pages, server.goes_on, server.daemon_threads = 0, threading.Event(), True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_interrupted(server):
    environment = {**os.environ, "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{server.server_port}", "AWS_ACCESS_KEY_ID": "a",
                   "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1"}
    ordinary = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs ignore it
    command = subprocess.Popen([COMMAND, "ls", "s3://bucket/x.zarr"], env=environment, preexec_fn=ordinary)
    try:
        assert server.goes_on.wait(60)
        command.send_signal(signal.SIGINT)
        assert command.wait(timeout=10) == -signal.SIGINT
    finally:
        command.kill()
        command.wait()
