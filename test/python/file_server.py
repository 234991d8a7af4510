"""Files of a directory over HTTP on this machine, by ranges and with ETags, from a process of its own: h5py lets no other thread run. Counts
what is asked for, and fails where a test says so."""

import contextlib
import http.server
import json
import pathlib
import re
import subprocess
import sys
import threading
import time


class FileServer:
    """`fault`: a status, or "short" (fewer bytes than promised), "other" (another range than asked for), "whole" (no ranges), "cut" (a length
    that is smaller); of the requests since clear() from number `first` on, `times` of them."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.process = subprocess.Popen([sys.executable, __file__, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.tell()

    def tell(self, **what):
        if what:
            self.process.stdin.write(json.dumps(what) + "\n")
            self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def clear(self, ms=0, together=0, fault=None, first=1, times=1 << 30, heads=False):
        """Each answer waits `ms`, and until no request came for `together` milliseconds: those of one round then are under way at once,
        however slowly the machine sends them. `heads`: HEAD is answered, and not refused."""
        self.tell(ms=ms, together=together, fault=fault, first=first, times=times, heads=heads)

    @property
    def log(self):
        """(when it began, when it ended, bytes, path and range) of each request."""
        return self.tell(log=True)

    @property
    def bytes(self):
        return sum(size for _, _, size, _ in self.log)

    def rounds(self):
        """Round trips: the most requests of which each began after the one before had ended."""
        count, end = 0, 0
        for began, ended, _, _ in sorted(self.log, key=lambda each: each[1]):
            if began >= end:
                count, end = count + 1, ended
        return count

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def refuse(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self, began):
        server, path = self.server, self.server.root / self.path.split("?")[0].lstrip("/")
        with server.lock:
            server.asked += 1
            number = server.asked
            server.latest = time.monotonic()
        wanted = self.headers.get("Range", "")
        fault = server.fault if server.first <= number < server.first + server.times else None
        time.sleep(server.ms / 1000)
        self.wait_for_round(number)
        if isinstance(fault, int):
            return self.refuse(fault) or 0
        if self.path.endswith("/") and (path / "leads to").is_file():
            self.send_response(302)
            self.send_header("Location", (path / "leads to").read_text())
            self.send_header("Content-Length", "0")
            self.end_headers()
            return 0
        if not path.is_file():
            return self.refuse(404) or 0
        stat = path.stat()
        tag = f'"{stat.st_mtime_ns}-{stat.st_size}"'
        if self.headers.get("If-Match", tag) != tag:
            return self.refuse(412) or 0
        first, after = self.part(wanted, stat.st_size) if fault != "whole" else (0, stat.st_size)
        if fault == "other":
            first, after = first - 1, after - 1
        length = after - first - (5 if fault == "cut" else 0)
        self.send_response(206 if wanted and fault != "whole" else 200)
        self.send_header("ETag", tag)
        if wanted and fault != "whole":
            self.send_header("Content-Range", f"bytes {first}-{after - 1}/{stat.st_size}")
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if self.command == "HEAD":
            return 0
        with open(path, "rb") as file:
            file.seek(first)
            data = file.read(length if fault != "short" else length // 2)
        self.wfile.write(data)
        if fault == "short":
            self.close_connection = True
        return len(data)

    def wait_for_round(self, number):
        """All requests that wait go at once: what follows the first of them holds none of the others back."""
        server = self.server
        with server.lock:
            while number > server.released:
                left = server.latest + server.together / 1000 - time.monotonic()
                if left <= 0:
                    server.released = server.asked
                    server.lock.notify_all()
                else:
                    server.lock.wait(left)

    @staticmethod
    def part(wanted, size):
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", wanted)
        if not match:
            return 0, size
        if not match[1]:
            return max(0, size - int(match[2])), size
        return int(match[1]), min(int(match[2]) + 1, size) if match[2] else size

    def do_HEAD(self):
        self.do_GET() if self.server.heads else self.refuse(501)

    def do_GET(self):
        began = time.monotonic()
        with self.server.lock:
            self.server.under_way += 1
        try:
            with contextlib.suppress(ConnectionError):
                size = self.answer(began)
                self.server.log.append((began, time.monotonic(), size, f"{self.path} {self.headers.get('Range', '')}"))
        finally:
            with self.server.lock:
                self.server.under_way -= 1
                self.server.lock.notify_all()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        pass  # a client that goes away


def main():
    server = Server(("127.0.0.1", 0), Handler)
    server.root, server.lock = pathlib.Path(sys.argv[1]), threading.Condition()
    server.log, server.ms, server.fault, server.first, server.times, server.asked = [], 0, None, 1, 0, 0
    server.heads = False
    server.together = server.latest = server.under_way = server.released = 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps(f"http://127.0.0.1:{server.server_address[1]}"), flush=True)
    for line in sys.stdin:
        what = json.loads(line)
        with server.lock:  # a client may have an answer before it is in the log
            server.lock.wait_for(lambda: server.under_way == 0)
        if "log" not in what:
            for name in ("ms", "together", "fault", "first", "times", "heads"):
                setattr(server, name, what[name])
            server.log, server.asked, server.released = [], 0, 0
        print(json.dumps(server.log), flush=True)


if __name__ == "__main__":
    main()
