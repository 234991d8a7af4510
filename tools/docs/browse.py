"""browse.py SITE [PICTURE PAGE]: opens every page of a site in headless Chromium, as wide as a phone (browse.html does it), and prints
what is wrong: links and anchors that lead nowhere, images that do not show, pages that are wider than the screen. Then opens pages as files,
without a server (as_files.py): search, the switch for dark mode, contrast in both schemes. Exits 1 where something is wrong.

With PICTURE, only takes a picture of PAGE at that width.
"""

import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

import as_files
from browser import FLAGS

HARNESS = pathlib.Path(__file__).with_name("browse.html")
SECONDS = 240


class Handler(http.server.SimpleHTTPRequestHandler):
    """The site, the page that looks at it, and where it reports to."""

    site, result, arrived, frame = None, None, threading.Event(), ""

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/browse":
            self.answer(HARNESS.read_bytes(), "text/html")
        elif self.path == "/pages":
            pages = sorted(str(p.relative_to(self.site)) for p in self.site.rglob("*.html") if p.name != "404.html")
            self.answer(json.dumps(pages).encode(), "application/json")
        elif self.path == "/frame":  # Chromium's windows are no narrower than 500 pixels
            self.answer(f'<body style="margin:0"><iframe src="{self.frame}" style="border:0;width:375px;height:1600px">'.encode(), "text/html")
        else:
            super().do_GET()

    def do_POST(self):
        Handler.result = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(b"", "text/plain")
        self.arrived.set()

    def log_message(self, *_):
        pass


def browse(address, *flags):
    with tempfile.TemporaryDirectory() as profile:
        chromium = subprocess.Popen(["chromium", *FLAGS, f"--user-data-dir={profile}", *flags, address], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
        try:
            if any(flag.startswith("--screenshot") for flag in flags):
                chromium.wait(60)
            else:
                Handler.arrived.wait(SECONDS)
        finally:
            chromium.terminate()
            chromium.wait()


def main(site, *picture):
    Handler.site = pathlib.Path(site).resolve()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Handler(*a, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{server.server_port}"
    if picture:
        Handler.frame = "/" + picture[1]
        browse(here + "/frame", f"--screenshot={picture[0]}", "--window-size=500,1600", "--virtual-time-budget=3000")
        return
    browse(here + "/browse", "--remote-debugging-port=0")  # or it ends when the page has loaded
    if not Handler.result:
        sys.exit(f"the browser reported nothing in {SECONDS} s")
    pages = sorted(str(p.relative_to(Handler.site)) for p in Handler.site.rglob("*.html") if p.name != "404.html")
    found = Handler.result["complaints"] + list(as_files.complaints(Handler.site, pages))
    print("\n".join(found))
    print(f"{Handler.result['pages']} pages in Chromium, 375 pixels wide and as files: {len(found)} complaints")
    sys.exit(1 if found or not Handler.result["pages"] else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
