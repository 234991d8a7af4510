"""A server for test_net_module.py: net_server.py [CERTIFICATE KEY]. Prints its port. /bytes/N answers N bytes, /hold nothing for a while; as a
proxy it answers by itself, or connects to the port that is asked for, on this machine."""

import http.server
import select
import socket
import ssl
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path.startswith("/bytes/"):
            self.answer(b"x" * int(self.path.split("/")[2]))
        elif self.path == "/hold":
            time.sleep(30)
        else:
            self.answer(f"asked for {self.path}".encode())

    def do_CONNECT(self):
        with socket.create_connection(("127.0.0.1", int(self.path.rpartition(":")[2]))) as server:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            ends = {self.connection: server, server: self.connection}
            while True:
                for one in select.select(list(ends), [], [])[0]:
                    data = one.recv(65536)
                    if not data:
                        self.close_connection = True
                        return
                    ends[one].sendall(data)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, address):  # a client that does not trust us
        pass


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 1:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[1:])
    # The handshake is made by the thread of the connection, at its first read.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
server.serve_forever()
