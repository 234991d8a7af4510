"""The servers of these tests: MinIO, and the proxy before it that counts, waits and fails (proxy/main.go). tools/setup.sh builds both."""

import http.client
import json
import os
import pathlib
import socket
import subprocess
import time

ACCESS, SECRET, REGION = "vol-zarr-tests", "a/secret+of-the-tests", "us-east-1"
DOMAIN = "s3.localhost"  # of bucket names before the host: bucket.s3.localhost


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(server, path, statuses, log):
    """Until what was started as server.process answers at server.address with one of the statuses; else what its log says."""
    for _ in range(2400):
        try:
            connection = http.client.HTTPConnection(server.address, timeout=5)
            connection.request("GET", path)
            if connection.getresponse().status in statuses:
                return
        except OSError:
            pass
        if server.process.poll() is not None:
            break
        time.sleep(0.05)
    raise RuntimeError(f"{type(server).__name__} does not start: " + log.read_text(errors="replace")[-2000:])


class Minio:
    def __init__(self, where):
        self.address = f"127.0.0.1:{free_port()}"
        self.url = f"http://{self.address}"
        (where / "drive").mkdir()
        environment = {**os.environ, "MINIO_ROOT_USER": ACCESS, "MINIO_ROOT_PASSWORD": SECRET, "MINIO_DOMAIN": DOMAIN, "MINIO_BROWSER": "off",
                       "MINIO_API_REQUESTS_MAX": "1000", "MINIO_UPDATE": "off", "HOME": str(where)}
        self.said = open(where / "minio.log", "wb")
        self.process = subprocess.Popen([os.environ["VZ_MINIO"], "server", "--address", self.address, "--quiet", str(where / "drive")],
                                        env=environment, stdout=self.said, stderr=self.said)
        wait_for(self, "/minio/health/ready", (200,), where / "minio.log")

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.said.close()


class Proxy:
    """Before the server at `target`. Rules are those of proxy/rules.go."""

    def __init__(self, target, where):
        self.certificate = pathlib.Path(where) / "certificate.pem"
        command = [os.environ["VZ_CLOUD_PROXY"], "-target", target, "-certificate", self.certificate, "-access", ACCESS, "-secret", SECRET]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        addresses = json.loads(self.process.stdout.readline())
        self.address, self.control = addresses["http"], addresses["control"]
        self.url = f"http://{self.address}"
        self.https = f"https://{addresses['https']}"

    def ask(self, method, path, value=None):
        connection = http.client.HTTPConnection(self.control, timeout=60)
        connection.request(method, path, json.dumps(value) if value is not None else None)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200, text
        return json.loads(text) if text else None

    def latency(self, ms, rate=0):
        """rate: bytes a second of each body, 0: as fast as it goes."""
        self.ask("POST", "/latency", {"ms": ms, "rate": rate})

    def rules(self, *rules):
        self.ask("POST", "/rules", list(rules))

    def clear(self):
        self.ask("POST", "/clear")

    def held(self):
        """Does a rule hold a request, and is no other one under way?"""
        now = self.ask("GET", "/held")
        return now["held"] > 0 and now["others"] == 0

    def log(self):
        return Log(self.ask("GET", "/log"))

    def counted(self, work, ms=0):
        """What `work` asks for."""
        self.clear()
        self.latency(ms)
        try:
            work()
            return self.log()
        finally:
            self.clear()

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


class Log(list):
    """Requests as proxy/main.go notes them."""

    def kinds(self):
        counts = {}
        for entry in self:
            counts[entry["kind"]] = counts.get(entry["kind"], 0) + 1
        return counts

    def paths(self, kind=None):
        return [entry["path"] for entry in self if kind in (None, entry["kind"])]

    def rounds(self):
        """Round trips: the most requests of which each began after the one before had ended."""
        count, end = 0, 0
        for entry in sorted(self, key=lambda each: each["ended"]):
            if entry["began"] >= end:
                count, end = count + 1, entry["ended"]
        return count

    def seconds(self):
        return (max(each["ended"] for each in self) - min(each["began"] for each in self)) / 1e9
