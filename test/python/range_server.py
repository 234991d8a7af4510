"""Files of a directory by http on this machine, whole or by ranges, as object stores give them."""

import contextlib
import http.server
import pathlib
import re
import threading


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # of connections that begin together: the kernel lets one that finds no room try again after seconds


def handler_of(where, asked):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self, with_body):
            path = where / self.path.lstrip("/")
            if not path.is_file():
                self.send_error(404)
                return
            data = path.read_bytes()
            wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            first, after = 0, len(data)
            if wanted:
                first = int(wanted[1])
                after = min(int(wanted[2]) + 1, len(data)) if wanted[2] else len(data)
            asked.append((self.command, first, after - first))
            self.send_response(206 if wanted else 200)
            if wanted:
                self.send_header("Content-Range", f"bytes {first}-{after - 1}/{len(data)}")
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("Content-Length", str(after - first))
            self.end_headers()
            if with_body:
                self.wfile.write(data[first:after])

        def do_GET(self):
            self.answer(True)

        def do_HEAD(self):
            self.answer(False)

        def log_message(self, *_):
            pass

    return Handler


@contextlib.contextmanager
def serve(where):
    """(the address of the directory, what was asked so far as (method, offset, bytes))."""
    asked = []
    server = Server(("127.0.0.1", 0), handler_of(pathlib.Path(where), asked))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
