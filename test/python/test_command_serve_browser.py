"""h5zarr serve and pages in Chromium: a page of another origin reads nothing without --cors, whatever it tries; with it, fetch reads ranges."""

import http.server
import json
import shutil
import sys
import threading

import numpy as np
import pytest
import zarr

from places import ROOT
from serving import served

sys.path.insert(0, str(ROOT / "tools" / "docs"))
from browser import Browser  # noqa: E402

pytestmark = [pytest.mark.skipif(not shutil.which("chromium"), reason="no Chromium here"),
              pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores")]

# What a page may try to read a URL with: text of a fetch, an image's size, a script's effect, a frame's text, a worker's answer.
TRY = """
(async url => {
  const got = {};
  const keep = (name, promise) => promise.then(value => { got[name] = value }, error => { got[name] = 'refused' });
  await Promise.all([
    keep('fetch', fetch(url).then(r => r.text())),
    keep('range', fetch(url, {headers: {Range: 'bytes=0-3'}}).then(async r => r.status + ' ' + (await r.arrayBuffer()).byteLength)),
    keep('head', fetch(url, {method: 'HEAD'}).then(r => r.headers.get('Content-Length'))),
    keep('condition', fetch(url, {headers: {'If-None-Match': '"x"'}}).then(r => r.status)),
    keep('opaque', fetch(url, {mode: 'no-cors'}).then(async r => r.type + ' ' + (await r.text()).length)),
    keep('xhr', new Promise((resolve, reject) => { const x = new XMLHttpRequest(); x.open('GET', url); x.onload = () => resolve(x.responseText);
      x.onerror = reject; x.send() })),
    keep('script', new Promise((resolve, reject) => { const s = document.createElement('script'); s.src = url; s.onload = () => resolve('ran');
      s.onerror = reject; document.body.append(s) })),
    keep('image', new Promise((resolve, reject) => { const i = new Image(); i.onload = () => resolve('seen'); i.onerror = reject; i.src = url })),
    keep('style', new Promise((resolve, reject) => { const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = url;
      l.onload = () => resolve('styled'); l.onerror = reject; document.head.append(l) })),
  ]);
  return got;
})"""
REFUSED = dict.fromkeys(("fetch", "range", "head", "condition", "opaque", "xhr", "script", "image", "style"), "refused")
# As a viewer does it: the document, then chunks of raw little-endian numbers by ranges.
VIEW = """
(async root => {
  const meta = await (await fetch(root + 'a/zarr.json')).json(), size = meta.chunk_grid.configuration.chunk_shape[0], values = [];
  for (let i = 0; i < meta.shape[0] / size; i++) {
    const answer = await fetch(root + 'a/c/' + i, {headers: {Range: 'bytes=0-' + (size * 4 - 1)}});
    if (answer.status !== 206 || !answer.headers.get('Content-Range') || !answer.headers.get('ETag')) throw new Error(answer.status);
    values.push(...new Int32Array(await answer.arrayBuffer()));
  }
  return {values, absent: (await fetch(root + 'a/c/999')).status};
})"""


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title><body>")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def page():
    """The origin of a page that is not the store's."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


class Here(Browser):
    hosts = "MAP rebound.example 127.0.0.1, EXCLUDE 127.0.0.1, EXCLUDE localhost, "


@pytest.fixture(scope="module")
def browser():
    with Here() as opened:
        yield opened


def visit(browser, address):
    browser.call("Page.navigate", until="Page.loadEventFired", url=address)
    if "zarr.json" not in address:
        assert browser.run("document.title") == "elsewhere"  # it is no page of an error


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    import os
    import time

    path = tmp_path_factory.mktemp("served") / "x.zarr"
    zarr.open_group(path, mode="w").create_array("a", data=np.arange(40, dtype="<i4"), chunks=(10,), compressors=None)
    for file in path.rglob("*"):
        os.utime(file, (time.time() - 100, time.time() - 100 + 0.0001))
    return path


def tried(browser, url):
    return browser.run(f"{TRY}({json.dumps(url)})")


def test_a_page_elsewhere_reads_nothing(browser, page, store):
    with served(store) as server:
        visit(browser, page)
        assert tried(browser, server.url + "zarr.json") == REFUSED
        assert tried(browser, server.url.replace("127.0.0.1", "localhost") + "a/c/0") == REFUSED
    with served(store, "--cors", "https://viewer.example.org") as server:  # of another origin than the page's
        got = tried(browser, server.url + "zarr.json")
        assert {name: got[name] for name in ("fetch", "range", "head", "condition", "xhr")} == {
            name: "refused" for name in ("fetch", "range", "head", "condition", "xhr")}


def test_a_name_that_was_resolved_to_this_machine(browser, store):
    """The page's own origin, as far as the browser knows: the server does not know that name."""
    with served(store, "--cors", "*") as server:
        root = f"http://rebound.example:{server.port}/"
        visit(browser, root + "zarr.json")
        assert browser.run("document.body.innerText").startswith("the name of the host is neither")
        assert browser.run(f"fetch({json.dumps(root + 'a/c/0')}).then(r => r.status)") == 403


@pytest.mark.parametrize("allowed", ["the page", "*"])
def test_a_page_that_may_read(browser, page, store, allowed):
    with served(store, "--cors", page if allowed == "the page" else "*") as server:
        visit(browser, page)
        got = tried(browser, server.url + "zarr.json")
        text = (store / "zarr.json").read_text()
        assert (got["fetch"], got["xhr"], got["range"], got["head"], got["condition"]) == (text, text, "206 4", str(len(text)), 200)
        assert browser.run(f"{VIEW}({json.dumps(server.url)})") == {"values": list(range(40)), "absent": 404}


def test_a_page_of_its_own_origin(browser, store):
    """No value becomes a page: it is bytes or JSON, and nothing sniffs it."""
    (store / "page").write_text("<!doctype html><script>document.title = 'ran'</script>")
    with served(store) as server:
        assert server.ask("/page")[1]["Content-Type"] == "application/octet-stream"
        visit(browser, server.url + "zarr.json")
        assert browser.run("[document.title, document.scripts.length, document.contentType]") == ["", 0, "application/json"]
    (store / "page").unlink()
