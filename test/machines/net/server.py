"""A server on the loopback interface that speaks as a web server, as S3 or as Azure's storage, and misbehaves as a plan says.

One process serves many plans: the first part of a path ("/PLAN/store/key", the bucket or the container) names one. A plan has its own
count of requests, so that a reader meets the fault at the same place again."""

import hashlib
import http.server
import threading
import time
import urllib.parse
import xml.sax.saxutils

ACCOUNT = "account"
PAGE = 7  # keys of a listing's page


class Plan:
    """kind: "http", "s3" or "az". what: "document", "chunk", "list" or "all": the requests that count. The fault answers those from
    number `first` on, `times` of them. unlisted: nobody may list, so that what is missing is answered 403."""

    def __init__(self, kind, values, fault=None, what="all", first=0, times=10**9, unlisted=False):
        self.kind, self.values, self.fault, self.what, self.first, self.times, self.unlisted = kind, values, fault, what, first, times, unlisted
        self.lock, self.counted, self.made, self.requests = threading.Lock(), 0, 0, 0

    def meets(self, key, is_list):
        """Is this request answered by the fault?"""
        name = (key or "").rpartition("/")[2]
        is_document = name.startswith(".z") or name == "zarr.json"
        is_it = self.fault and (self.what == "all" or self.what == ("list" if is_list else "document" if is_document else "chunk"))
        with self.lock:
            self.requests += 1
            self.counted += bool(is_it)
            if not is_it or self.counted <= self.first or self.made >= self.times:
                return False
            self.made += 1
            return True


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    plans = {}
    timeout = 30

    def log_message(self, *_):
        pass

    # ---- right answers ----

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        self.query = {k: v[0] for k, v in urllib.parse.parse_qs(url.query, keep_blank_values=True).items()}
        parts = urllib.parse.unquote(url.path).lstrip("/")
        if parts.startswith(ACCOUNT + "/"):
            parts = parts[len(ACCOUNT) + 1:]
        name, _, self.key = parts.partition("/")
        self.plan = self.plans.get(name)
        if self.plan is None:
            return self.answer(404, b"")
        self.is_list = not self.key and self.plan.kind != "http"
        self.value = self.plan.values.get(self.key)
        try:
            if self.plan.meets(self.key, self.is_list):
                return FAULTS[self.plan.fault](self)
            return self.right()
        except OSError:
            self.close_connection = True

    def right(self):
        if self.is_list:
            return self.refuse() if self.plan.unlisted else self.listing()
        if self.value is None:
            return self.refuse() if self.plan.unlisted else self.missing()
        return self.send_value(self.value)

    def missing(self):
        code = {"s3": "NoSuchKey", "az": "BlobNotFound"}.get(self.plan.kind)
        self.error(404, code, "It is not there")

    def refuse(self, status=403, code=None, message="Access Denied"):
        self.error(status, code or {"s3": "AccessDenied", "az": "AuthorizationPermissionMismatch"}.get(self.plan.kind, "AccessDenied"), message)

    def error(self, status, code, message):
        text = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{message}</Message></Error>".encode() if code else b"no"
        self.answer(status, text, [("x-ms-error-code", code)] if code and self.plan.kind == "az" else [])

    def part(self, value):
        """(status, bytes, headers) for the range that is asked for."""
        asked = self.headers.get("Range") or self.headers.get("x-ms-range")
        if not asked:
            return 200, value, []
        first, _, last = asked.removeprefix("bytes=").partition("-")
        if not first:
            first, last = max(0, len(value) - int(last)), len(value) - 1
        else:
            first, last = int(first), min(int(last or len(value)), len(value) - 1)
        if first >= len(value):
            return 416, b"", [("Content-Range", f"bytes */{len(value)}")]
        return 206, value[first:last + 1], [("Content-Range", f"bytes {first}-{last}/{len(value)}")]

    def etag(self):
        return '"' + hashlib.md5(self.value).hexdigest() + '"'

    def send_value(self, value, tag=None):
        if self.headers.get("If-Match", self.etag()) != self.etag():
            return self.error(412, "PreconditionFailed", "Another version")
        status, data, headers = self.part(value)
        self.answer(status, data, [*headers, ("ETag", tag or self.etag()), ("Last-Modified", "Fri, 27 Nov 2026 00:00:00 GMT")])

    def answer(self, status, data, headers=(), reason=None):
        self.send_response(status, reason)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def members(self):
        prefix, flat = self.query.get("prefix", ""), not self.query.get("delimiter")
        found = []
        for key in sorted(self.plan.values):
            if key.startswith(prefix):
                rest = key[len(prefix):]
                entry = (prefix + rest.partition("/")[0] + "/", True) if "/" in rest and not flat else (key, False)
                if entry not in found[-1:]:
                    found.append(entry)
        return found

    def token(self):
        """The number of the page that is asked for."""
        token = self.query.get("continuation-token") or self.query.get("marker") or "0"
        return int(token) if token.isdigit() else 0

    def listing(self, members=None, token=None, more=None):
        start = self.token()
        most = int(self.query.get("max-keys") or self.query.get("maxresults") or PAGE)
        members = self.members() if members is None else members
        page, next_token = members[start:start + most], token or str(start + most)
        more = start + most < len(members) if more is None else more
        escape = xml.sax.saxutils.escape
        if self.plan.kind == "s3":
            text = "".join(f"<CommonPrefixes><Prefix>{escape(key)}</Prefix></CommonPrefixes>" if is_prefix else
                           f"<Contents><Key>{escape(key)}</Key><Size>{len(self.plan.values.get(key, b''))}</Size></Contents>" for key, is_prefix in page)
            text = (f"<ListBucketResult><IsTruncated>{'true' if more else 'false'}</IsTruncated>"
                    f"{f'<NextContinuationToken>{next_token}</NextContinuationToken>' if more else ''}{text}</ListBucketResult>")
        else:
            text = "".join(f"<BlobPrefix><Name>{escape(key)}</Name></BlobPrefix>" if is_prefix else
                           f"<Blob><Name>{escape(key)}</Name><Properties><Content-Length>{len(self.plan.values.get(key, b''))}</Content-Length>"
                           f"<Etag>x</Etag><Last-Modified>Fri, 27 Nov 2026 00:00:00 GMT</Last-Modified></Properties></Blob>" for key, is_prefix in page)
            text = f"<EnumerationResults><Blobs>{text}</Blobs><NextMarker>{next_token if more else ''}</NextMarker></EnumerationResults>"
        self.answer(200, b"<?xml version='1.0'?>" + text.encode(), [("Content-Type", "application/xml")])

    # ---- pieces of wrong ones ----

    def head(self, text):
        self.wfile.write(text.encode("latin-1"))
        self.wfile.flush()

    def cut(self):
        """Ends the connection without a word."""
        self.close_connection = True
        try:
            self.connection.shutdown(2)
        except OSError:
            pass

    def without_end(self, begin, piece, limit=1 << 31):
        self.head(begin)
        sent, ends = 0, time.monotonic() + 20
        self.close_connection = True
        while sent < limit and time.monotonic() < ends:
            self.wfile.write(piece)
            sent += len(piece)

    def data(self):
        """What belongs here; of what is missing some bytes."""
        return b"\0" * 64 if self.value is None else self.part(self.value)[1]

    def redirect(self, to):
        self.answer(302, b"", [("Location", to)])


def refusal(status, code=None, message="Access Denied"):
    return lambda h: h.refuse(status, code, message)


def page(h):
    text = b"<!DOCTYPE html><html><body>Please sign in</body></html>"
    h.answer(200, text, [("Content-Type", "text/html; charset=utf-8")])


# Refusals: the server turned against the reader. Each must end in an error, whatever was read before.
REFUSALS = {
    "denied": refusal(403),
    "expired url": refusal(403, "AccessDenied", "Request has expired"),
    "expired token": refusal(403, "ExpiredToken", "The provided token has expired"),
    "signature": refusal(403, "SignatureDoesNotMatch", "The signature does not match"),
    "kms": refusal(403, None, "User: x is not authorized to perform: kms:Decrypt on resource: y"),
    "archived": refusal(403, "InvalidObjectState", "The operation is not valid for the object's storage class"),
    "wall": lambda h: h.answer(403, b"<html>Blocked by the firewall</html>", [("Content-Type", "text/html")]),
    "gone": refusal(410, "Gone", "Gone"),
    "unknown": refusal(401, "NoAuthenticationInformation", "Who are you?"),
    "paid": refusal(402, "AccountProblem", "Pay first"),
    "bad request": refusal(400, "ExpiredToken", "The provided token has expired"),
    "legal": refusal(451, "Unavailable", "For legal reasons"),
    "sign in": page,
    "redirected to sign in": lambda h: h.redirect("/nobody/login"),
    "no bucket": lambda h: h.error(404, {"s3": "NoSuchBucket", "az": "ContainerNotFound"}.get(h.plan.kind), "x") if h.plan.kind != "http" else page(h),
    "not public": lambda h: h.error(404, "ResourceNotFound", "x") if h.plan.kind == "az" else h.refuse(),
}


def short_close(h):
    data = h.data()
    h.head(f"HTTP/1.1 200 OK\r\nContent-Length: {len(data) + 50}\r\n\r\n")
    h.wfile.write(data)
    h.cut()


def no_length(h):
    h.head("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    h.wfile.write(h.data()[:-1])
    h.cut()


def half_as_206(h):
    data = h.value or b"12"
    half = data[:max(1, len(data) // 2)]
    h.answer(206, half, [("Content-Range", f"bytes 0-{len(half) - 1}/{len(data)}")])


def wrong_range(h):
    data = h.data()
    h.answer(206, data, [("Content-Range", f"bytes 3-{len(data) + 2}/{len(data) + 100}")])


def moved_range(h):
    """The length that was asked for, from another place."""
    value = h.value or b"0" * 64
    status, data, _ = h.part(value)
    other = (value * 2)[1:1 + len(data)]
    h.answer(206 if status == 206 else 200, other if status == 206 else value[:-1],
             [("Content-Range", f"bytes 1-{len(data)}/{len(value) + 1}")] if status == 206 else [])


def bad_chunked(h):
    h.head("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc\r\n")
    h.cut()


def cut_chunked(h):
    data = h.data()
    h.head(f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{len(data):x}\r\n")
    h.wfile.write(data)
    h.cut()


def coded(h):
    """Compressed on the way though nobody asked for it."""
    import gzip

    data = gzip.compress(h.data())
    h.answer(200, data, [("Content-Encoding", "gzip")])


def terminal(h):
    h.head("HTTP/1.1 403 \x1b[31mX\r\nContent-Length: 71\r\n\r\n<Error><Code>\x1b]0;p\x07Bad</Code><Message>evil\x1b[31m</Message></Error>          ")
    h.cut()


def slow(h):
    data = h.data()[:40]
    h.head(f"HTTP/1.1 200 OK\r\nContent-Length: {len(data) + 1000000}\r\n\r\n")
    for byte in data:
        h.wfile.write(bytes([byte]))
        h.wfile.flush()
        time.sleep(0.02)
    h.cut()


def stall(h):
    h.head("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx")
    time.sleep(4)
    h.cut()


def two_lengths(h):
    data = h.data()
    h.head(f"HTTP/1.1 200 OK\r\nContent-Length: {len(data)}\r\nContent-Length: {max(0, len(data) - 1)}\r\n\r\n")
    h.wfile.write(data)
    h.cut()


def raw(text):
    def fault(h):
        h.head(text)
        h.cut()
    return fault


# Answers that are no answers. `FINAL` are not asked for again; the others pass after a few.
EVIL = {
    "short": short_close,
    "no length": no_length,
    "half as 206": half_as_206,
    "wrong range": wrong_range,
    "moved range": moved_range,
    "bad chunks": bad_chunked,
    "cut chunks": cut_chunked,
    "coded": coded,
    "no content": lambda h: h.answer(204, b""),
    "accepted": lambda h: h.answer(202, b""),
    "empty": lambda h: h.answer(200, b"", [("ETag", '"e"')]),
    "longer": lambda h: h.answer(200, h.data() + b"\0" * 5000),
    "much longer": lambda h: h.answer(200, h.data() * 1000),
    "one byte less": lambda h: h.answer(200, h.data()[:-1]),
    "ranges ignored": lambda h: h.answer(200, h.value or b"") if h.value is not None else h.right(),
    "another version each time": lambda h: h.send_value(h.value, f'"{time.monotonic_ns()}"') if h.value is not None else h.right(),
    "no version": lambda h: h.answer(*h.part(h.value)) if h.value is not None else h.right(),
    "terminal": terminal,
    "huge length": raw("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nabc"),
    "large length": raw("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\nabc"),
    "negative length": raw("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc"),
    "two lengths": two_lengths,
    "no HTTP": raw("hello\r\n\r\n"),
    "HTTP/0.9": raw("<html>hello</html>"),
    "closed": raw(""),
    "strange status": raw("HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n"),
    "status 0": raw("HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n"),
    "endless": lambda h: h.without_end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b" " * 65536 + b"\r\n"),
    "endless headers": lambda h: h.without_end("HTTP/1.1 200 OK\r\n", b"X-A: " + b"a" * 4000 + b"\r\n"),
    "endless hints": lambda h: h.without_end("", b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" * 100),
    "redirected in a circle": lambda h: h.redirect(h.path),
    "redirected to a file": lambda h: h.redirect("file:///etc/passwd"),
    "slow": slow,
    "stall": stall,
    "busy": lambda h: h.answer(503, b"", [("Retry-After", "0")]),
    "too many": lambda h: h.answer(429, b"", [("Retry-After", "0")]),
    "server error": lambda h: h.answer(500, b"<Error><Code>InternalError</Code></Error>"),
}


def many_names(h):
    number = h.token()
    prefix = h.query.get("prefix", "")
    h.query.pop("continuation-token", None), h.query.pop("marker", None)
    h.listing([(f"{prefix}g{number}x{i}/", True) for i in range(PAGE)], str(number + 1), True)


LISTING = {
    "many names": many_names,
    "one token": lambda h: h.listing(token="same", more=True),
    "empty pages": lambda h: h.listing([], str(time.monotonic_ns()), True),
    "strange names": lambda h: h.listing([(h.query.get("prefix", "") + x, True) for x in ("../", "./", "a\nb/", "//", "/")] + [("../../etc/passwd", False)]),
    "entities": lambda h: h.answer(200, b'<!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><ListBucketResult>&b;</ListBucketResult>'),
    "deep": lambda h: h.answer(200, b"<a>" * 200000 + b"</a>" * 200000),
    "another code": lambda h: h.answer(200, b'<?xml version="1.0" encoding="UTF-16"?><ListBucketResult/>'),
    "large page": lambda h: h.answer(200, b"<ListBucketResult>" + b" " * (20 << 20) + b"</ListBucketResult>"),
    "large name": lambda h: h.answer(200, b"<ListBucketResult><CommonPrefixes><Prefix>" + b"x" * (1 << 20) + b"</Prefix></CommonPrefixes></ListBucketResult>"),
    "cut page": lambda h: h.answer(200, b"<ListBucketResult><IsTruncated>false</IsTruncated><CommonPrefixes><Pre"),
    "no token": lambda h: h.answer(200, b"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"),
    "no listing": lambda h: h.answer(200, b"<html/>"),
}
FAULTS = {**REFUSALS, **EVIL, **LISTING}

# Asked for again, with growing pauses: a few of them pass.
PASSING = {"short", "cut chunks", "bad chunks", "wrong range", "closed", "no HTTP", "HTTP/0.9", "slow", "stall", "busy", "too many", "server error",
           "huge length", "large length", "negative length", "two lengths", "endless hints", "moved range"}
SLOW = {"many names", "empty pages", "another version each time", "endless", "endless headers", "endless hints", "stall", "slow", "deep", "large page"}


class Quiet(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Readers end connections in the middle."""


class Server:
    def __init__(self):
        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def add(self, name, plan):
        Handler.plans[name] = plan

    def remove(self, name):
        Handler.plans.pop(name, None)

    def stop(self):
        self.http.shutdown()
        self.http.server_close()
