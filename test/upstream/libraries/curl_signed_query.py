"""curl signs a request of S3 with a query, in the order in which it was given and with a name that has no value."""
import hashlib
import hmac
import http.server
import re
import shutil
import subprocess
import sys
import threading

from told import told

if not shutil.which("curl"):
    print("not here")
    sys.exit()
print("version", subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout.split()[1])
seen = []


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def is_signed(target, headers):
    """As AWS describes version 4: the query's parameters are sorted, and each has a "="."""
    pattern = r"AWS4-HMAC-SHA256 Credential=[^/]+/([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)"
    scope, names, signature = re.match(pattern, headers["authorization"]).groups()
    path, _, query = target.partition("?")
    query = "&".join(sorted(part if "=" in part else part + "=" for part in query.split("&") if part))
    lines = ["GET", path, query, *(f"{name}:{headers[name].strip()}" for name in names.split(";")), "", names, "UNSIGNED-PAYLOAD"]
    signed = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hashlib.sha256("\n".join(lines).encode()).hexdigest()]
    key = b"AWS4SECRET"
    for part in [*scope.split("/"), "\n".join(signed)]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key.hex() == signature


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
for target in "/bucket/key", "/bucket?list-type=2&prefix=a%2F", "/bucket?prefix=a%2F&list-type=2", "/bucket/key?uploads":
    subprocess.run(["curl", "-s", "--noproxy", "*", "--aws-sigv4", "aws:amz:us-east-1:s3", "-u", "ID:SECRET", "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD",
                    f"http://127.0.0.1:{server.server_port}{target}"], check=True)
results = [is_signed(*request) for request in seen]
print(results)
assert results[0], "the check itself is wrong"
told(all(results))
