"""A server with S3's answers that refuses every request: refusing_server.py STATUS CODE MESSAGE. It prints its port."""

import http.server
import sys

STATUS, CODE, MESSAGE = int(sys.argv[1]), sys.argv[2], sys.argv[3]
BODY = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{CODE}</Code><Message>{MESSAGE}</Message><RequestId>17</RequestId></Error>'.encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def refuse(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(STATUS)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(BODY)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = refuse

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, address):  # a client that went away
        pass


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
